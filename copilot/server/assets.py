"""Our own scripts and styles, and the map's libraries and letters from npm packages."""

from __future__ import annotations

import json
from pathlib import Path

from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import BaseRoute, Route

from copilot.messages import COOKIE, preferred, speaking, words
from copilot.server.guard import Denied, guarded

ROOT = Path(__file__).resolve().parent.parent.parent
ASSETS = ROOT / "assets"
NODE_MODULES = ROOT / "node_modules"
TYPES = {
    ".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8", ".png": "image/png",
    ".svg": "image/svg+xml", ".woff2": "font/woff2", ".ttf": "font/ttf",
}  # fmt: skip
PACKAGES = {
    "leaflet": "leaflet/dist",
    "leaflet-draw": "leaflet-draw/dist",
    "markercluster": "leaflet.markercluster/dist",
    "heat": "leaflet.heat/dist",
    "fullscreen": "leaflet.fullscreen",
    "minimap": "leaflet-minimap/dist",
    "mouse-position": "leaflet-mouse-position/src",
    "awesome-markers": "leaflet.awesome-markers/dist",
    "fontawesome": "@fortawesome/fontawesome-free",
    "jquery": "jquery/dist",
    "bootstrap": "bootstrap/dist",
    "protomaps": "protomaps-leaflet/dist",
    "source-sans": "@fontsource-variable/source-sans-3",
}
"""What /vendor serves: the first part of the path, and its folder in node_modules."""


@guarded
async def own(request: Request) -> Response:
    """GET: a file of assets/."""
    return _file(ASSETS, str(request.path_params["path"]), "no-cache")


@guarded
async def vendor(request: Request) -> Response:
    """GET: a script, style, font or image of one of the map's packages."""
    folder = PACKAGES.get(str(request.path_params["package"]))
    if folder is None:
        raise Denied(404, "There is no such package.")
    return _file(NODE_MODULES / folder, str(request.path_params["path"]), "public, max-age=86400")


@guarded
async def said(request: Request) -> Response:
    """GET ?language=: what our scripts say in a language; by itself the browser's."""
    code = preferred(
        request.headers.get("accept-language"),
        request.query_params.get("language") or request.cookies.get(COOKIE),
    )
    with speaking(code):
        text = json.dumps(words(), ensure_ascii=False)
    return Response(
        f"window.azimuthWords = {text};",
        media_type=TYPES[".js"],
        headers={"Cache-Control": "no-cache", "Vary": "Accept-Language, Cookie"},
    )


def _file(folder: Path, name: str, caching: str) -> Response:
    path = (folder / name).resolve()
    if not path.is_relative_to(folder.resolve()) or path.suffix not in TYPES or not path.is_file():
        raise Denied(404, "There is no such file.")
    return FileResponse(path, media_type=TYPES[path.suffix], headers={"Cache-Control": caching})


def routes() -> list[BaseRoute]:
    """The routes of this module."""
    return [
        Route("/assets/{path:path}", own),
        Route("/api/words.js", said),
        Route("/vendor/{package}/{path:path}", vendor),
    ]

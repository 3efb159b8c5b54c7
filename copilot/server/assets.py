"""Our own scripts and styles, the map's libraries from npm packages, and the offline base map."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import BaseRoute, Route

from copilot.server.guard import Denied, guarded
from copilot.view.basemap import countries_geojson, states_geojson

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
async def basemap(request: Request) -> Response:
    """GET: the outlines that the offline base map draws."""
    name = str(request.path_params["name"])
    makers: dict[str, Callable[[], bytes]] = {
        "world": lambda: countries_geojson(True),
        "countries": lambda: countries_geojson(False),
        "states": states_geojson,
    }
    if name not in makers:
        raise Denied(404, f"The base map has no part {name!r}; its parts are {', '.join(makers)}.")
    body = await run_in_threadpool(makers[name])
    tag = f'"{sha256(body).hexdigest()[:16]}"'
    headers = {"ETag": tag, "Cache-Control": "public, max-age=3600"}
    if request.headers.get("if-none-match") == tag:
        return Response(status_code=304, headers=headers)
    return Response(body, media_type="application/geo+json", headers=headers)


def _file(folder: Path, name: str, caching: str) -> Response:
    path = (folder / name).resolve()
    if not path.is_relative_to(folder.resolve()) or path.suffix not in TYPES or not path.is_file():
        raise Denied(404, "There is no such file.")
    return FileResponse(path, media_type=TYPES[path.suffix], headers={"Cache-Control": caching})


def routes() -> list[BaseRoute]:
    """The routes of this module."""
    return [
        Route("/assets/{path:path}", own),
        Route("/vendor/{package}/{path:path}", vendor),
        Route("/api/basemap/{name}", basemap),
    ]

"""The offline base map: its tiles, its names and the countries' outlines. Nobody's session is asked for."""

from __future__ import annotations

from hashlib import sha256

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from copilot.server.guard import Denied, guarded
from copilot.view.basemap import countries_geojson
from data.basemap import land, names, relief, version

_TYPES = {"land": "application/vnd.mapbox-vector-tile", "relief": "image/webp"}
_YEAR_S = 31_536_000


@guarded
async def tile(request: Request) -> Response:
    """GET: a tile of the land (a vector tile, gzipped) or of the relief (WebP)."""
    kind = str(request.path_params["kind"])
    if kind not in _TYPES:
        raise Denied(404, f"The base map has no tiles {kind!r}; there are {', '.join(_TYPES)}.")
    z, x, y = (int(request.path_params[name]) for name in ("z", "x", "y"))
    archive = land() if kind == "land" else relief()
    if z > archive.max_zoom or x >= 2**z or y >= 2**z:
        raise Denied(404, f"There is no tile {z}/{x}/{y}; zooms go to {archive.max_zoom}.")
    # Where all is land and nothing else, there is no vector tile: an empty one says so.
    found = await run_in_threadpool(archive.tile, z, x, y) or b""
    return _kept(request, found, _TYPES[kind], zipped=kind == "land" and bool(found))


@guarded
async def written(request: Request) -> Response:
    """GET: what is written on the map, by kind."""
    return _kept(request, await run_in_threadpool(names), "application/json", zipped=True)


@guarded
async def outlines(request: Request) -> Response:
    """GET: the countries as GeoJSON, for what is coloured by country."""
    return _kept(request, await run_in_threadpool(countries_geojson), "application/geo+json", zipped=False)


def _kept(request: Request, body: bytes, media_type: str, *, zipped: bool) -> Response:
    """An answer that a browser keeps: for good where the address names the version."""
    tag = f'"{sha256(body).hexdigest()[:16]}"'
    named = request.query_params.get("v") == version()
    caching = f"public, max-age={_YEAR_S}, immutable" if named else "public, max-age=3600"
    headers = {"ETag": tag, "Cache-Control": caching}
    if tag in request.headers.get("if-none-match", ""):
        return Response(status_code=304, headers=headers)
    if zipped:
        headers["Content-Encoding"] = "gzip"
    return Response(body, media_type=media_type, headers=headers)


def routes() -> list[BaseRoute]:
    """The routes of this module."""
    return [
        Route("/api/basemap/world", outlines),
        Route("/api/basemap/names", written),
        Route("/api/basemap/{kind}/{z:int}/{x:int}/{y:int}", tile),
    ]

"""Raster layers as map tiles: `/api/sessions/{s}/layers/{layer}/tiles/{z}/{x}/{y}.png`, and pixel values.

A tile is known by the layer's look, its file and the file's overviews, so that a browser asks again
only whether it still holds. Only rasters of layers in the session's own state are read.
"""

from __future__ import annotations

from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from copilot.server.guard import Denied, guarded, number, own_session
from data.raster.errors import RasterError
from data.raster.looks import Look
from data.raster.pyramids import building, wanted
from data.raster.tiles import MAX_ZOOM, empty_png, overviews_beside, png, tile
from state.model import Layer, State
from tools.base import ToolError, World
from tools.map.rasters import layer_file, layer_look, values_at

TILES_KEPT = 512
"""Of some 40 KB each."""


@guarded
async def raster_tile(request: Request) -> Response:
    """GET: a tile as PNG, 256 pixels a side; transparent where the raster has no pixels."""
    session = await own_session(request)
    z, x, y = (int(request.path_params[name]) for name in ("z", "x", "y"))
    if not (0 <= z <= MAX_ZOOM and 0 <= x < 2**z and 0 <= y < 2**z):
        raise Denied(400, f"There is no tile {z}/{x}/{y}: z goes to {MAX_ZOOM}, x and y to 2^z - 1.")
    layer = raster_layer(session.state, str(request.path_params["layer"]))
    path = await run_in_threadpool(layer_file, layer, session.world())
    look, stamp = layer_look(layer), _stamp(path)
    etag = f'"{sha256(repr((path.name, look, stamp, z, x, y)).encode()).hexdigest()[:20]}"'
    # A file whose overviews are still made gets finer tiles in a moment.
    caching = "private, no-cache" if building(path) else "private, max-age=300"
    headers = {"ETag": etag, "Cache-Control": caching}
    if etag in request.headers.get("if-none-match", ""):
        return Response(status_code=304, headers=headers)
    try:
        found = await run_in_threadpool(_tile, path, stamp, look, z, x, y)
    except RasterError as error:
        raise ToolError(str(error)) from error
    return Response(found, media_type="image/png", headers=headers)


@guarded
async def pixels(request: Request) -> Response:
    """GET ?lon=&lat=: the values of every visible raster layer there, the topmost first."""
    session = await own_session(request)
    spot = (number(request, "lon", -180, 180), number(request, "lat", -90, 90))
    found = await run_in_threadpool(_values, session.state, session.world(), spot)
    return JSONResponse({"layers": found}, headers={"Cache-Control": "no-store"})


def raster_layer(state: State, layer_id: str) -> Layer:
    """A raster layer of the state. Raises Denied for any other."""
    found = state.layer(layer_id)
    if found is None or found.kind != "raster":
        raise Denied(404, f"The map has no raster layer {layer_id!r}.")
    return found


def _values(state: State, world: World, spot: tuple[float, float]) -> list[dict[str, Any]]:
    found = []
    for layer in reversed(state.map.layers):
        if layer.kind == "raster" and layer.visible:
            try:
                values = values_at(layer, world, spot)
            except ToolError:  # a picture without a coordinate system has no pixel for a point
                continue
            if values is not None:
                found.append({"layer": layer.id, "name": layer.name, "values": values})
    return found


def _stamp(path: Path) -> tuple[int, int]:
    """What changes with the file and with its overviews."""
    beside = overviews_beside(path)
    return path.stat().st_mtime_ns, beside.stat().st_mtime_ns if beside.is_file() else 0


@lru_cache(maxsize=TILES_KEPT)
def _tile(path: Path, _stamp: tuple[int, int], look: Look, z: int, x: int, y: int) -> bytes:
    wanted(path)
    found = tile(path, look, z, x, y)
    return empty_png() if found is None else png(found)


def routes() -> list[BaseRoute]:
    """The routes of this module."""
    base = "/api/sessions/{session}"
    return [
        Route(f"{base}/layers/{{layer}}/tiles/{{z:int}}/{{x:int}}/{{y:int}}.png", raster_tile),
        Route(f"{base}/pixels", pixels),
    ]

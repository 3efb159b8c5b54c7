"""Images and what was found in them: pixels in the image's own grid, outlines, verdicts and chips.

An image is known by a handle that the session's state knows; no path comes from outside.
"""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.routing import BaseRoute, Route

from copilot.server.assets import ASSETS
from copilot.server.guard import Denied, guarded, own_session
from copilot.session import Session
from copilot.view.detections import (
    Space,
    class_colours,
    detection,
    detections_artifact,
    detections_in,
    frame_of,
    objects,
    reviews_version,
    verdicts,
)
from data.raster.errors import RasterError
from data.raster.looks import Look
from state.model import Artifact
from tools.base import ToolError
from tools.rasters import raster_of
from tools.titles import by_title

COARSEST = 16
"""A tile of level n shows 2^n pixels of the image as one."""
_BANDS = re.compile(r"\d{1,4}(,\d{1,4}){0,2}")
_STRETCH = re.compile(r"percentile|minmax|none")
_FRESH = {"Cache-Control": "no-store"}


@guarded
async def viewer(request: Request) -> Response:
    """GET: the page that shows an image of the session; its script reads the handle from the address."""
    await own_session(request)
    headers = {"Cache-Control": "no-cache"}
    return FileResponse(ASSETS / "viewer.html", media_type="text/html; charset=utf-8", headers=headers)


@guarded
async def image(request: Request) -> Response:
    """GET ?image=: size, bands and the detections of an image."""
    session = await own_session(request)
    return JSONResponse(await run_in_threadpool(_about, session, _handle(request)), headers=_FRESH)


def _about(session: Session, handle: str) -> dict[str, Any]:
    from data.raster.files import opened
    from data.raster.looks import band_names, shown_bands

    world = session.world()
    found = raster_of(session.state, world, handle)
    try:
        with opened(found.path) as source:
            width, height, names = source.width, source.height, band_names(source)
        bands = shown_bands(found.path, Look())
    except RasterError as error:
        raise ToolError(by_title(str(error), found)) from None
    # The colour that they have on the map, so that the picture shows them alike.
    colours = {layer.artifact: layer.color for layer in session.state.map.layers}
    sets = [
        {
            "id": each.id,
            "name": each.name,
            "reviews": reviews_version(session.state, each.id),
            "color": colours.get(each.id),
        }
        for each in detections_in(session.state, world, found.handle)
    ]
    return {
        "image": found.handle,
        "name": found.name,
        "width": width,
        "height": height,
        "bands": names,
        "shown": list(bands),
        "detections": sets,
    }


@guarded
async def pixels(request: Request) -> Response:
    """GET ?image=&bands=&stretch=: a tile of the image's own grid as PNG."""
    session = await own_session(request)
    coarser, x, y = (int(request.path_params[name]) for name in ("coarser", "x", "y"))
    if coarser > COARSEST or max(x, y) >= 2**20:
        raise Denied(400, f"There is no tile {coarser}/{x}/{y}: the first number goes from 0 to {COARSEST}.")
    found = await run_in_threadpool(raster_of, session.state, session.world(), _handle(request))
    look = _look(request)
    try:
        png = await run_in_threadpool(_tile, found.path, found.path.stat().st_mtime_ns, look, -coarser, x, y)
    except RasterError as error:
        raise ToolError(by_title(str(error), found)) from None
    return Response(png, media_type="image/png", headers={"Cache-Control": "private, max-age=300"})


@lru_cache(maxsize=256)
def _tile(path: Path, _changed: int, look: Look, z: int, x: int, y: int) -> bytes:
    from data.raster.pyramids import wanted
    from data.raster.tiles import png
    from data.vision.chips import pixel_tile

    wanted(path)
    return png(pixel_tile(path, look, z, x, y))


@guarded
async def found_objects(request: Request) -> Response:
    """GET ?space=ground|pixels: the outlines of detections as GeoJSON, longitude first or column and row."""
    session = await own_session(request)
    artifact = _detections(session, request)
    asked = request.query_params.get("space", "ground")
    if asked not in ("ground", "pixels"):
        raise Denied(400, f"'space' is ground or pixels; {asked[:40]!r} came in.")
    space: Space = "pixels" if asked == "pixels" else "ground"
    content = await run_in_threadpool(objects, session.world(), artifact, space)
    said = await run_in_threadpool(verdicts, session.state, session.world(), artifact)
    sources = {each.id: each.name for each in session.state.artifacts if each.kind == "raster"}
    return JSONResponse({**content, "name": artifact.name, "sources": sources, **said}, headers=_FRESH)


@guarded
async def reviews(request: Request) -> Response:
    """GET: what was said of the detections so far."""
    session = await own_session(request)
    artifact = _detections(session, request)
    return JSONResponse(
        await run_in_threadpool(verdicts, session.state, session.world(), artifact), headers=_FRESH
    )


@guarded
async def chip(request: Request) -> Response:
    """GET: one detection's surroundings as PNG, its outline drawn."""
    session = await own_session(request)
    artifact = _detections(session, request)
    png = await run_in_threadpool(_chip, session, artifact, int(request.path_params["number"]))
    return Response(png, media_type="image/png", headers={"Cache-Control": "private, max-age=3600"})


def _chip(session: Session, artifact: Artifact, number: int) -> bytes:
    import numpy as np
    from shapely import from_wkt

    from data.raster.tiles import png
    from data.vision.chips import chip as chip_of

    world = session.world()
    row = detection(world, artifact, number)
    source = raster_of(session.state, world, str(row["source"]))
    colour = class_colours([str(each) for each in frame_of(world, artifact)["class_name"].unique()])
    outline = np.asarray(from_wkt(str(row["pixels"])).exterior.coords)[:-1]
    try:
        return png(chip_of(source.path, outline, Look(), color=colour[str(row["class_name"])]))
    except RasterError as error:
        raise ToolError(str(error)) from None


def _detections(session: Session, request: Request) -> Artifact:
    wanted = str(request.path_params["detections"])
    found = detections_artifact(session.state, wanted)
    if found is None:
        raise Denied(404, f"This session has no detections {wanted[:60]!r}.")
    return found


def _handle(request: Request) -> str:
    wanted = request.query_params.get("image", "")
    if not 0 < len(wanted) <= 200:
        raise Denied(400, "'image' is the id of a raster, or of an image with pixels.")
    return wanted


def _look(request: Request) -> Look:
    """The look that was asked for, of bands and a stretch."""
    bands, stretch = request.query_params.get("bands", ""), request.query_params.get("stretch", "percentile")
    if bands and (not _BANDS.fullmatch(bands) or bands.count(",") == 1 or "0" in bands.split(",")):
        raise Denied(400, f"'bands' is one number or three, from 1; {bands[:40]!r} came in.")
    if not _STRETCH.fullmatch(stretch):
        raise Denied(400, f"'stretch' is percentile, minmax or none; {stretch[:40]!r} came in.")
    return Look(bands=tuple(int(each) for each in bands.split(",") if each), stretch=stretch)


def routes() -> list[BaseRoute]:
    """The routes of this module."""
    base = "/api/sessions/{session}"
    return [
        Route(f"{base}/viewer", viewer),
        Route(f"{base}/image", image),
        Route(f"{base}/image/tiles/{{coarser:int}}/{{x:int}}/{{y:int}}.png", pixels),
        Route(f"{base}/detections/{{detections}}", found_objects),
        Route(f"{base}/detections/{{detections}}/reviews", reviews),
        Route(f"{base}/detections/{{detections}}/chips/{{number:int}}.png", chip),
    ]

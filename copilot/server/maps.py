"""What the map asks for: the view, a layer's content for a viewport, a timeline's steps, a picture."""

from __future__ import annotations

import math
import re
from datetime import date
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from copilot.messages import t
from copilot.server.guard import Denied, guarded, number, own_session, the_live
from copilot.session import Session
from copilot.view.attributes import picked_feature
from copilot.view.basemap import cities_in
from copilot.view.detections import detections_artifact, reviews_version
from copilot.view.layers import Viewport, extent, layer_content, periods
from copilot.view.mapview import map_view
from copilot.view.measuring import measured
from state.model import Layer, State
from tools.map.geometry import point
from tools.map.rasters import has_tiles, ramp_of

MOST_POINTS = 500
_PERIOD = re.compile(r"\d{4}(-\d{2}){0,2}")


@guarded
async def view(request: Request) -> Response:
    """GET: the map of the session's state."""
    session = await own_session(request)
    version = the_live().version(session.id)
    found = await run_in_threadpool(_view, session)
    return _fresh({"version": version, **found})


def _view(session: Session) -> dict[str, Any]:
    world = session.world()
    found = map_view(session.state, session.events, session.catalogue)
    for each, shown in zip(session.state.map.layers, found["layers"], strict=True):
        shown["tiles"] = has_tiles(each, world)
        shown["objects"] = _objects(session.state, each)
        shown["ramp"] = ramp_of(each, world) if each.kind == "raster" else None
    found["picked"] = picked_feature(session.state, world)
    return found


def _objects(state: State, layer: Layer) -> dict[str, str] | None:
    """Which detections a layer shows, and what changes with each review of them."""
    found = detections_artifact(state, layer.artifact)
    return None if found is None else {"id": found.id, "reviews": reviews_version(state, found.id)}


@guarded
async def layer(request: Request) -> Response:
    """GET ?bbox=w,s,e,n&zoom=z&period=: what the layer shows there."""
    session = await own_session(request)
    wanted = _layer(session, request)
    window = Viewport(_bbox(request), number(request, "zoom", 0, 24), _period(request))
    found = await run_in_threadpool(layer_content, wanted, session.state, session.world(), window)
    return _fresh(found)


@guarded
async def layer_extent(request: Request) -> Response:
    """GET, or ?bbox=w,s,e,n&period=: the box around the outlines of its rows, or of those centred there."""
    session = await own_session(request)
    wanted, catalogue = _layer(session, request), session.catalogue
    window = Viewport(_bbox(request), 0, _period(request)) if "bbox" in request.query_params else None
    return _fresh({"bbox": await run_in_threadpool(extent, wanted, catalogue, window)})


@guarded
async def steps(request: Request) -> Response:
    """GET: a timeline's steps, [[period, count], …]."""
    session = await own_session(request)
    found = await run_in_threadpool(periods, _layer(session, request), session.catalogue)
    return _fresh({"periods": found})


@guarded
async def picture(request: Request) -> Response:
    """GET: a raster layer as a PNG in Web Mercator, its box in the header X-Bbox."""
    from copilot.view.pictures import layer_picture

    session = await own_session(request)
    png = await run_in_threadpool(layer_picture, _layer(session, request), session.world())
    return Response(png, media_type="image/png", headers={"Cache-Control": "private, max-age=3600"})


@guarded
async def measure(request: Request) -> Response:
    """GET ?points=lon,lat;lon,lat…&area=0|1: how long the way is, and how large what it encloses."""
    await own_session(request)
    closed = request.query_params.get("area") == "1"
    return _fresh(measured(_points(request), closed=closed))


@guarded
async def cities(request: Request) -> Response:
    """GET ?bbox=&zoom=: the cities whose names fit there."""
    found = await run_in_threadpool(cities_in, _bbox(request), number(request, "zoom", 0, 24))
    return JSONResponse({"cities": found}, headers={"Cache-Control": "public, max-age=3600"})


def _layer(session: Session, request: Request) -> Layer:
    wanted = str(request.path_params["layer"])
    found = session.state.layer(wanted)
    if found is None:
        raise Denied(404, t("The map has no layer “{name}”.", name=wanted))
    return found


def _bbox(request: Request) -> tuple[float, float, float, float]:
    text = request.query_params.get("bbox", "-180,-90,180,90")
    try:
        west, south, east, north = (float(part) for part in text.split(","))
    except ValueError as error:
        raise Denied(400, f"'bbox' is west,south,east,north in degrees; {text!r} came in.") from error
    if not (-180 <= west <= 180 and -180 <= east <= 180 and -90 <= south <= north <= 90):
        raise Denied(400, f"'bbox' lies outside -180..180, -90..90, or upside down: {text!r}.")
    return (west, south, east, north)


def _points(request: Request) -> list[tuple[float, float]]:
    text = request.query_params.get("points", "")
    try:
        pairs = [tuple(float(part) for part in each.split(",")) for each in text.split(";")]
        found = [point(lon, lat) for lon, lat in pairs if math.isfinite(lon) and abs(lat) <= 90]
    except ValueError as error:
        raise Denied(400, f"'points' is lon,lat;lon,lat… in degrees; {text[:80]!r} came in.") from error
    if not 0 < len(found) == len(pairs) <= MOST_POINTS:
        raise Denied(400, t("At most {n} points on the globe are measured.", n=MOST_POINTS))
    return found


def _period(request: Request) -> str | None:
    text = request.query_params.get("period") or None
    if text is not None:
        try:
            date.fromisoformat((text + "-01-01")[:10] if _PERIOD.fullmatch(text) else "")
        except ValueError as error:
            raise Denied(400, f"'period' is a year, a month (2019-05) or a day; {text!r} came in.") from error
    return text


def _fresh(content: object) -> JSONResponse:
    return JSONResponse(content, headers={"Cache-Control": "no-store"})


def routes() -> list[BaseRoute]:
    """The routes of this module."""
    base = "/api/sessions/{session}"
    return [
        Route("/api/cities", cities),
        Route(f"{base}/view", view),
        Route(f"{base}/measure", measure),
        Route(f"{base}/layers/{{layer}}", layer),
        Route(f"{base}/layers/{{layer}}/steps", steps),
        Route(f"{base}/layers/{{layer}}/extent", layer_extent),
        Route(f"{base}/layers/{{layer}}/picture.png", picture),
    ]

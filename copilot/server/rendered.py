"""Rendered scenes of the sample's records, as pictures: `/api/rendered/{image}`. They are no imagery."""

from __future__ import annotations

import threading
from pathlib import Path

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import BaseRoute, Route

from copilot.engine import Engine
from copilot.server.guard import LOCAL_OWNER, Denied, guarded, the_live
from copilot.server.owner import owner_of
from data.schema import RENDERED
from tools.map.rendered import rendered_picture

SIDES = ("96", "512")
"""Of a thumbnail, and of what is looked at."""
AT_ONCE = 2
"""Scenes that are drawn at the same time; others wait."""
_places = threading.BoundedSemaphore(AT_ONCE)


@guarded
async def rendered(request: Request) -> Response:
    """GET ?near=1&side=: a sample record as a JPEG, whole or from near, no side longer than `side` pixels."""
    side = request.query_params.get("side", SIDES[-1])
    if side not in SIDES:
        raise Denied(400, f"'side' is {' or '.join(SIDES)} pixels; {side!r} came in.")
    near = request.query_params.get("near") == "1"
    owner, image_id = owner_of(request) or LOCAL_OWNER, str(request.path_params["image"])
    path = await run_in_threadpool(_file, the_live().engine, owner, image_id, near, int(side))
    if path is None:
        raise Denied(404, "There is no rendered scene of this image: it is not of the sample.")
    headers = {"Cache-Control": "private, max-age=3600", "X-Source": RENDERED}
    return FileResponse(path, media_type="image/jpeg", headers=headers)


def _file(engine: Engine, owner: str, image_id: str, near: bool, side: int) -> Path | None:
    catalogue = engine.catalogue_for(owner)
    record = catalogue.image(image_id)
    if record is None:
        return None
    with _places:
        found = rendered_picture(catalogue, engine.rendered, record, near=near, most_px=side)
    return None if found is None else found.path


def routes() -> list[BaseRoute]:
    """The routes of this module."""
    return [Route("/api/rendered/{image:path}", rendered)]

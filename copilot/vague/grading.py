"""What an expert's result says, in the form of the reference that the reward grades it by."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from copilot.vague.seen import LOOK
from copilot.vague.turn import Told

if TYPE_CHECKING:
    from copilot.session import Session

COVER_OF_CLASS = {
    "water": "water", "vegetation": "vegetation", "land": "bare ground", "bare land": "bare ground",
    "bare": "bare ground", "road": "paved ground", "building": "building", "built-up": "building",
}  # fmt: skip
LEAST_PERCENT = 2.0


def answer_of(session: Session, told: Told) -> Any:
    """Boxes, labels or a number off the last call's result; the look's answer where no expert was called."""
    event = told.calls[-1]
    if told.route is None or not event.ok:
        return None
    if event.tool == LOOK:
        return told.route.direct.value if told.route.direct else None
    if told.route.task in ("detection", "grounding"):
        return boxes_of(session, event.data)
    if told.route.task == "referring":
        return mask_box(session, event.data)
    if told.route.task == "counting":
        return event.data.get("count", event.data.get("answer"))
    if told.route.task == "change":
        return event.data.get("share_percent")
    if told.route.task == "contour":
        return ["contour"]
    shares = event.data.get("by_class") or {}
    return [
        COVER_OF_CLASS.get(name, name)
        for name, facts in shares.items()
        if isinstance(facts, dict) and float(facts.get("share_percent") or 0) >= LEAST_PERCENT
    ] or None  # fmt: skip


def boxes_of(session: Session, data: Any) -> list[list[float]] | None:
    """The boxes of detections, pixels of the image and inside it; None where nothing was found."""
    import geopandas as gpd
    import rasterio
    from shapely.wkt import loads

    from tools.rasters import raster_of

    world = session.world()
    path = world.artifacts.find(str(data.get("detections") or ""))
    if path is None:
        return None
    frame = gpd.read_parquet(path)
    if not len(frame):
        return None
    with rasterio.open(raster_of(session.state, world, str(frame["source"].iloc[0])).path) as source:
        most = (source.width, source.height)
    return [inside(loads(each).bounds, *most) for each in frame["pixels"]]


def inside(box: Sequence[float], width: int, height: int) -> list[float]:
    """The part of a box that lies in the image, to a tenth of a pixel."""
    sides = (width, height, width, height)
    return [round(min(max(float(value), 0.0), side), 1) for value, side in zip(box, sides, strict=True)]


def mask_box(session: Session, data: Any) -> list[list[float]] | None:
    """The box around a mask's pixels; None where it holds none."""
    import rasterio

    path = session.world().artifacts.find(str(data.get("raster") or ""))
    if path is None:
        return None
    with rasterio.open(path) as source:
        rows, columns = np.nonzero(source.read(1) == 1)
    if not len(rows):
        return None
    return [[float(columns.min()), float(rows.min()), float(columns.max()) + 1, float(rows.max()) + 1]]

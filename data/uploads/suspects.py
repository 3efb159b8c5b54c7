"""What in features is often none of what it says: places that stand for a missing one, or are exchanged."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyogrio
import shapely
from numpy.typing import NDArray

_THERE = "exactly 0, 0, a place in the open sea that is often written for a missing one."
_EVERY_NODE = "report_all_nodes=yes\n[points]\nosm_id=yes\n"
"""GDAL's settings for OpenStreetMap: nodes without tags too."""
_NEAR_DEG = 1e-8
"""Less than what OpenStreetMap's coordinates are told in."""
_FEWEST = 5
_WIDER = 1.5
"""How many times its width the middle half is made wider on each side, as Tukey's fences are."""
_FAR_DEG, _FAR_M = 3.0, 300_000.0
"""What lies nearer to the others is not far from them, however close together these lie."""


def at_null_island(shapes: NDArray[np.object_]) -> str | None:
    """A sentence about features in degrees that lie, or have a corner, at exactly 0, 0; None without one.

    A corner is meant where others of its feature lie on the equator or on the meridian of Greenwich, as those
    of a grid's cells do.
    """
    corners, owners = shapely.get_coordinates(shapes, return_index=True)
    nought = corners == 0
    at_origin = owners[nought.all(axis=1)]
    if not len(at_origin):
        return None
    suspects = np.unique(at_origin)
    points = suspects[shapely.get_dimensions(shapes[suspects]) == 0]
    on_an_axis = owners[nought.any(axis=1) & ~nought.all(axis=1)]
    outlines = np.setdiff1d(np.setdiff1d(suspects, points), on_an_axis)
    parts = [f"{len(points):,} of its features {_verb(len(points), 'lies', 'lie')} at"] if len(points) else []
    if len(outlines):
        has = _verb(len(outlines), "has", "have")
        parts.append(f"{len(outlines):,} of its outlines and lines {has} a corner at")
    if not parts:
        return None
    return f"{', and '.join(parts)} {_THERE}"


def exchanged(shapes: NDArray[np.object_], *, in_degrees: bool) -> str | None:
    """A sentence about features far from all others that lie among them once x and y are exchanged.

    Where the others lie is told by the middle half of the places, made wider by `_WIDER` on each side.
    None without such a feature, among fewer than `_FEWEST`, or where these would be over a quarter of all.
    """
    bounds = shapely.bounds(shapes)
    rows = np.flatnonzero(np.isfinite(bounds).all(axis=1))
    if len(rows) < _FEWEST:
        return None
    places = (bounds[rows, :2] + bounds[rows, 2:]) / 2
    low, high = np.quantile(places, [0.25, 0.75], axis=0)
    floor = _FAR_DEG if in_degrees else _FAR_M
    margin = np.maximum(_WIDER * (high - low), floor / 10)
    least, most = low - margin, high + margin
    far = max(floor, float((high - low).max()))
    beside = np.maximum(least - places, places - most).max(axis=1)
    turned = places[:, ::-1]
    suspects = rows[(beside > far) & (least <= turned).all(axis=1) & (turned <= most).all(axis=1)]
    if not len(suspects) or 4 * len(suspects) > len(rows):
        return None
    lies, is_it = ("lies", "it is") if len(suspects) == 1 else ("lie", "the first is")
    return (
        f"{len(suspects):,} of its features {lies} far from all others, and would lie among them with x and "
        f"y exchanged: {is_it} row {suspects[0] + 1:,}."
    )


def lost_nodes(osm: Path) -> str | None:
    """A sentence about an OpenStreetMap file's nodes at exactly 0, 0: GDAL makes its lines without them.

    Raises what pyogrio does.
    """
    settings = osm.with_name("every-node.ini")
    settings.write_text(_EVERY_NODE, encoding="utf-8")
    _, _, points, _ = pyogrio.raw.read(
        osm,
        layer="points",
        columns=[],
        bbox=(-_NEAR_DEG, -_NEAR_DEG, _NEAR_DEG, _NEAR_DEG),
        CONFIG_FILE=str(settings),
    )
    if not len(points):
        return None
    nodes = _verb(len(points), "a node", f"{len(points):,} nodes")
    return f"It has {nodes} at exactly 0, 0, without which its lines and outlines were read."


def _verb(count: int, one: str, more: str) -> str:
    return one if count == 1 else more

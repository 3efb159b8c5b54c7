"""What in features is often none of what it says: places that stand for a missing one."""

from __future__ import annotations

import numpy as np
import shapely
from numpy.typing import NDArray


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
    return (
        f"{', and '.join(parts)} exactly 0, 0, a place in the open sea that is often written for a missing one."
    )


def _verb(count: int, one: str, more: str) -> str:
    return one if count == 1 else more

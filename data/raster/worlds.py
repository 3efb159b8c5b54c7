"""Rasters in degrees that reach beyond ±180: a place lies on them at its longitude, or one turn farther."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import shapely
from numpy.typing import NDArray
from shapely import affinity

from data.raster.windows import Grid

if TYPE_CHECKING:
    import geopandas as gpd

TURN_DEG = 360.0


def turns(grid: Grid) -> tuple[float, ...]:
    """What to add to longitudes within ±180 for each place that they may have on a grid."""
    if grid.crs is None or not grid.crs.is_geographic:
        return (0.0,)
    corners = [grid.transform @ (x, y) for x in (0, grid.width) for y in (0, grid.height)]
    west, east = min(x for x, _ in corners), max(x for x, _ in corners)
    found = [0.0]
    if east > 180:
        found.append(TURN_DEG)
    if west < -180:
        found.append(-TURN_DEG)
    return tuple(found)


def on_grid(shapes: gpd.GeoSeries, grid: Grid) -> NDArray[np.object_]:
    """Shapes in a grid's coordinates, each at all of its places on it."""
    placed = shapes.to_crs(grid.crs).to_numpy()
    others = turns(grid)
    if others == (0.0,):
        return np.asarray(placed, dtype=object)
    found = np.empty(len(placed), dtype=object)
    found[:] = [each if each is None or each.is_empty else _at_all(each, others) for each in placed]
    return found


def _at_all(shape: shapely.Geometry, others: Sequence[float]) -> shapely.Geometry:
    return shapely.union_all([affinity.translate(shape, xoff=each) for each in others])

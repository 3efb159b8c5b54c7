"""Shapes cut into map tiles: Web Mercator, simplified for each zoom, in the units of Mapbox Vector Tiles."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import shapely
from numpy.typing import NDArray

EXTENT = 4096
"""Units across a tile; a tile is drawn 1024 pixels wide, so four of them are a pixel."""
BUFFER = 64
MAX_LATITUDE = 85.0511287798
Tile = tuple[int, int, int]
"""Zoom, column, row."""


@dataclass(frozen=True)
class Shapes:
    """The shapes of one layer: in degrees at first, in the unit square of `projected` later.

    `since` is the zoom of each one's first tile, `facts` what is kept of each.
    """

    geometry: NDArray[np.object_]
    since: NDArray[np.int64]
    facts: dict[str, NDArray[Any]]

    def taken(self, rows: NDArray[Any]) -> Shapes:
        """Some of the shapes."""
        facts = {name: values[rows] for name, values in self.facts.items()}
        return Shapes(self.geometry[rows], self.since[rows], facts)


def projected(shapes: Shapes) -> Shapes:
    """Degrees as Web Mercator with the world as the unit square, y downwards."""

    def mercator(lonlat: NDArray[np.float64]) -> NDArray[np.float64]:
        lat = np.radians(np.clip(lonlat[:, 1], -MAX_LATITUDE, MAX_LATITUDE))
        y = 0.5 - np.arcsinh(np.tan(lat)) / (2 * np.pi)
        return np.column_stack([lonlat[:, 0] / 360 + 0.5, y])

    return Shapes(shapely.transform(shapes.geometry, mercator), shapes.since, shapes.facts)


def simplified(shapes: Shapes, zoom: int, tolerance: float, least_area: float) -> Shapes:
    """What a zoom shows of projected shapes: no detail below `tolerance` units, no area below `least_area` of
    their squares."""
    unit = 1 / (EXTENT * 2**zoom)
    there = shapes.taken(np.flatnonzero(shapes.since <= zoom))
    thin = shapely.simplify(there.geometry, tolerance * unit, preserve_topology=False)
    area = np.isin(shapely.get_type_id(there.geometry), (3, 6))
    thin[area] = shapely.make_valid(thin[area], method="structure", keep_collapsed=False)
    large = np.where(area, shapely.area(thin) > least_area * unit**2, shapely.length(thin) > tolerance * unit)
    kept = np.flatnonzero(~shapely.is_empty(thin) & large)
    found = there.taken(kept)
    return Shapes(thin[kept], found.since, found.facts)


def cut(shapes: Shapes, zoom: int) -> Iterator[tuple[Tile, Shapes]]:
    """Every tile of a zoom that holds some of the shapes, these in its units with a buffer around."""
    yield from _cut(shapes, (0, 0, 0), zoom)


def _cut(shapes: Shapes, tile: Tile, zoom: int) -> Iterator[tuple[Tile, Shapes]]:
    if not len(shapes.geometry):
        return
    z, x, y = tile
    if z == zoom:
        units = shapely.transform(shapes.geometry, lambda xy: (xy * 2**z - (x, y)) * EXTENT)
        yield tile, Shapes(units, shapes.since, shapes.facts)
        return
    for dx, dy in ((0, 0), (1, 0), (0, 1), (1, 1)):
        child = (z + 1, 2 * x + dx, 2 * y + dy)
        yield from _cut(_clipped(shapes, child, zoom), child, zoom)


def _clipped(shapes: Shapes, tile: Tile, zoom: int) -> Shapes:
    z, x, y = tile
    edge, margin = 2.0**-z, BUFFER / EXTENT * 2.0**-zoom
    box = (x * edge - margin, y * edge - margin, (x + 1) * edge + margin, (y + 1) * edge + margin)
    bounds = shapely.bounds(shapes.geometry)
    near = (
        (bounds[:, 0] <= box[2])
        & (bounds[:, 2] >= box[0])
        & (bounds[:, 1] <= box[3])
        & (bounds[:, 3] >= box[1])
    )
    there = shapes.taken(np.flatnonzero(near))
    inside = shapely.clip_by_rect(there.geometry, *box)
    kept = np.flatnonzero(~shapely.is_empty(inside))
    found = there.taken(kept)
    return Shapes(inside[kept], found.since, found.facts)


def on_grid(geometry: NDArray[np.object_]) -> NDArray[np.object_]:
    """Shapes of one tile at whole units, outer rings as the format turns them; None where nothing is left."""
    whole: NDArray[np.object_] = shapely.set_precision(geometry, 1)
    area = np.isin(shapely.get_type_id(geometry), (3, 6))
    # y points downwards in a tile: what is clockwise on the screen is counter-clockwise in numbers.
    whole[area] = shapely.orient_polygons(whole[area], exterior_cw=False)
    whole[shapely.is_empty(whole)] = None
    return whole

"""What is measured on the map by hand: geodesic lengths and areas on WGS 84, in SI units."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from state.model import LonLat
from tools.map.shapes import ellipsoid, path_km

PIECE_M = 100_000.0
"""A leg is drawn in pieces of at most this length, so that its bend on the map shows."""
MOST_PIECES = 200


def measured(points: Sequence[LonLat], *, closed: bool) -> dict[str, Any]:
    """`length_m` of the way, or of the way around; `area_m2` of what it encloses; `line` as it is drawn.

    Positions are longitude and latitude in degrees. The line's longitudes do not jump at 180°.
    """
    way = [*points, points[0]] if closed and len(points) > 2 else list(points)
    length_m = sum(path_km(way)) * 1000 if len(way) > 1 else 0.0
    area_m2 = None
    if closed:
        lons, lats = zip(*points, strict=True)
        area_m2 = abs(ellipsoid().polygon_area_perimeter(lons, lats)[0]) if len(points) > 2 else 0.0
    return {"length_m": length_m, "area_m2": area_m2, "line": _line(way)}


def _line(way: Sequence[LonLat]) -> list[list[float]]:
    """The way along the shortest lines between its points."""
    found = [[*way[0]]]
    for (lon, lat), (to_lon, to_lat) in pairwise(way):
        _, _, metres = ellipsoid().inv(lon, lat, to_lon, to_lat)
        pieces = min(MOST_PIECES, math.ceil(metres / PIECE_M))
        between = ellipsoid().npts(lon, lat, to_lon, to_lat, pieces - 1) if pieces > 1 else []
        for x, y in [*between, (to_lon, to_lat)]:
            found.append([x + 360 * round((found[-1][0] - x) / 360), y])
    return found

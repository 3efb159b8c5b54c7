"""A plane around a shape, in metres, for what has to be done on one: buffers, tolerances, middles."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
import pyproj
import shapely
from numpy.typing import NDArray

from data.vector.globe import (
    EDGE_DEG,
    areas,
    at_seam,
    collected,
    goes_around,
    into_one_world,
    joined,
    middle,
    polygon_of,
    unrolled,
)

_GRID_M = 1e-3
_POLAR_STEPS = 2000
_BEND_M = 10.0
_FAR_FROM_POLES_M = 2_000_000.0


@dataclass(frozen=True)
class Plane:
    """A map of the whole globe around a point: equidistant from it (aeqd), or of equal areas (laea).

    In the first, distances from the centre are geodesic; others are too long by (r/R)²/6 at most,
    r the distance from the centre and R the globe's radius: 0.03 % at 250 km. Snyder 1987, Map
    projections, USGS Professional Paper 1395, sections 24 and 25.
    """

    lon: float
    lat: float
    kind: Literal["aeqd", "laea"] = "aeqd"

    @cached_property
    def projection(self) -> pyproj.Proj:
        """The projection, on WGS84."""
        return pyproj.Proj(f"+proj={self.kind} +lat_0={self.lat!r} +lon_0={self.lon!r} +ellps=WGS84 +units=m")

    def flat(self, geometry: shapely.Geometry, step_deg: float = EDGE_DEG) -> shapely.Geometry:
        """A shape of the globe on the plane, its edges followed in steps, cuts at ±180 closed. Metres."""
        if shapely.get_dimensions(geometry) < 2:
            return shapely.transform(shapely.segmentize(geometry, step_deg), self._forward)
        whole = joined(geometry) if at_seam(geometry) else geometry
        placed = shapely.transform(shapely.segmentize(whole, step_deg), self._forward)
        if goes_around(whole):
            snapped = shapely.transform(placed, _on_grid)
            parts = [areas(each) for each in shapely.get_parts(snapped)]
            return areas(shapely.union_all(parts))
        return placed if shapely.is_valid(placed) else areas(placed)

    def round(self, geometry: shapely.Geometry, *, follow: bool = True) -> shapely.Geometry:
        """A shape of the plane on the globe, in -180..180 and cut there.

        With `follow`, edges are followed in steps where the plane's straight ones are bent on the map.
        """
        return collected([self._round_part(part, follow) for part in shapely.get_parts(geometry)])

    def _round_part(self, part: shapely.Geometry, follow: bool) -> shapely.Geometry:
        if part.is_empty:
            return part
        if part.geom_type == "Polygon":
            return self._round_polygon(part, follow)
        if part.geom_type == "LineString":
            corners = self._back(shapely.get_coordinates(part))
            return into_one_world(shapely.LineString(unrolled(corners)))
        return shapely.transform(part, self._back)

    def _round_polygon(self, polygon: shapely.Geometry, follow: bool) -> shapely.Geometry:
        rings = [polygon.exterior, *polygon.interiors]
        to_pole = self._to_pole_m(polygon)
        if follow and to_pole < _FAR_FROM_POLES_M:
            # Near a pole a short edge spans many degrees: its bend is s²/8D for a length s, a distance D.
            step = math.sqrt(8 * _BEND_M * to_pole)
            rings = [shapely.segmentize(ring, max(step, ring.length / _POLAR_STEPS, 1e-3)) for ring in rings]
        north = shapely.Point(self._poles[0])
        poles = [90.0 if shapely.Polygon(ring).contains(north) else -90.0 for ring in rings]
        return polygon_of([self._back(shapely.get_coordinates(ring)) for ring in rings], poles)

    def _to_pole_m(self, polygon: shapely.Geometry) -> float:
        poles = [shapely.Point(spot) for spot in self._poles if np.isfinite(spot).all()]
        return min((float(polygon.distance(spot)) for spot in poles), default=math.inf)

    @cached_property
    def _poles(self) -> tuple[tuple[float, float], tuple[float, float]]:
        north, south = (self.projection(self.lon, lat) for lat in (90.0, -90.0))
        return north, south

    @property
    def _forward(self) -> Callable[[NDArray[np.float64]], NDArray[np.float64]]:
        return lambda xy: np.column_stack(self.projection(xy[:, 0], xy[:, 1]))

    def _back(self, xy: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.column_stack(self.projection(xy[:, 0], xy[:, 1], inverse=True))


def plane_around(geometry: shapely.Geometry, kind: Literal["aeqd", "laea"] = "aeqd") -> Plane:
    """The plane around a shape's middle; around the pole for one that goes all around the globe.

    There the cut at ±180 degrees is a straight line, whose two sides meet exactly.
    """
    lon, lat = middle(geometry)
    if shapely.get_dimensions(geometry) == 2 and goes_around(geometry):
        return Plane(180.0, 90.0 if lat > 0 else -90.0, kind)
    return Plane(lon, lat, kind)


def _on_grid(xy: NDArray[np.float64]) -> NDArray[np.float64]:
    """Corners on a grid of 1 mm, so that the two sides of a cut are the same line again."""
    return np.round(xy / _GRID_M) * _GRID_M

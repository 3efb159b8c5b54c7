"""A plane around a shape, in metres, for what has to be done on one: buffers, tolerances, middles."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
import pyproj
import shapely
from numpy.typing import NDArray

from data.vector.globe import (
    EDGE_DEG,
    Points,
    areas,
    at_seam,
    collected,
    ellipsoid,
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
_METRES_PER_DEGREE = 111_195.0


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

    def to_plane(self, lonlat: Points) -> Points:
        """Positions on the plane, metres east and north of its centre."""
        lon, lat = lonlat[:, 0], lonlat[:, 1]
        if self.kind == "laea":
            return np.column_stack(self._laea(lon, lat))
        here = np.full(len(lonlat), self.lon), np.full(len(lonlat), self.lat)
        azimuth, _, metres = ellipsoid().inv(*here, lon, lat)
        angle = np.radians(azimuth)
        return np.column_stack([metres * np.sin(angle), metres * np.cos(angle)])

    def to_globe(self, xy: Points) -> Points:
        """Positions of the plane as longitude and latitude."""
        x, y = xy[:, 0], xy[:, 1]
        if self.kind == "laea":
            return np.column_stack(self._laea(x, y, inverse=True))
        here = np.full(len(xy), self.lon), np.full(len(xy), self.lat)
        lon, lat, _ = ellipsoid().fwd(*here, np.degrees(np.arctan2(x, y)), np.hypot(x, y))
        return np.column_stack([lon, lat])

    @cached_property
    def _laea(self) -> pyproj.Proj:
        # Geod lays the equidistant plane out at once; PROJ's takes ten times as long to set up as to use.
        return pyproj.Proj(f"+proj=laea +lat_0={self.lat!r} +lon_0={self.lon!r} +ellps=WGS84 +units=m")

    def flat(self, geometry: shapely.Geometry, step_deg: float = EDGE_DEG) -> shapely.Geometry:
        """A shape of the globe on the plane, its edges followed in steps, cuts at ±180 closed. Metres."""
        if shapely.get_dimensions(geometry) < 2:
            return shapely.transform(shapely.segmentize(geometry, step_deg), self.to_plane)
        whole = joined(geometry) if at_seam(geometry) else geometry
        placed = shapely.transform(shapely.segmentize(whole, step_deg), self.to_plane)
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
            corners = self.to_globe(shapely.get_coordinates(part))
            return into_one_world(shapely.LineString(unrolled(corners)))
        return shapely.transform(part, self.to_globe)

    def _round_polygon(self, polygon: shapely.Geometry, follow: bool) -> shapely.Geometry:
        rings = [polygon.exterior, *polygon.interiors]
        to_pole = self._to_pole_m(polygon)
        if follow and to_pole < _FAR_FROM_POLES_M:
            # Near a pole a short edge spans many degrees: its bend is s²/8D for a length s, a distance D.
            step = math.sqrt(8 * _BEND_M * to_pole)
            rings = [shapely.segmentize(ring, max(step, ring.length / _POLAR_STEPS, 1e-3)) for ring in rings]
        far = math.isinf(to_pole)
        north = [not far and bool(shapely.Polygon(ring).contains(self.poles[0])) for ring in rings]
        poles = [90.0 if held else -90.0 for held in north]
        return polygon_of([self.to_globe(shapely.get_coordinates(ring)) for ring in rings], poles)

    def _to_pole_m(self, polygon: shapely.Geometry) -> float:
        """How far a polygon of the plane is from a pole; infinitely, when it is far from both."""
        farthest = float(np.abs(polygon.bounds).max()) * math.sqrt(2)
        if (90 - abs(self.lat)) * _METRES_PER_DEGREE - farthest > _FAR_FROM_POLES_M:
            return math.inf
        poles = [pole for pole in self.poles if np.isfinite([pole.x, pole.y]).all()]
        return min(float(polygon.distance(pole)) for pole in poles)

    @cached_property
    def poles(self) -> tuple[shapely.Point, shapely.Point]:
        """The north and the south pole on the plane; not finite for the one opposite its centre."""
        spots = self.to_plane(np.array([[self.lon, 90.0], [self.lon, -90.0]]))
        return shapely.Point(spots[0]), shapely.Point(spots[1])


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

"""Shapes as drawings keep them: GeoJSON values, cut in two at the antimeridian (RFC 7946, 3.1.9)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import pairwise

import pyproj
import shapely
from shapely import affinity

from state.model import Bbox, Geometry, LonLat, frozen
from tools.base import ToolError

CIRCLE_VERTICES = 64
EDGE_DEG = 0.25
"""Edges are straight in longitude and latitude; they are measured in geodesic pieces of this length."""
_DECIMALS = 6
_HALF_AROUND_KM = 20_000.0


@cache
def ellipsoid() -> pyproj.Geod:
    """WGS84, for lengths and areas."""
    return pyproj.Geod(ellps="WGS84")


def box_shape(bbox: Bbox) -> shapely.Geometry:
    """A box as one polygon, or as two when it crosses the antimeridian."""
    west, south, east, north = bbox
    if west <= east:
        return shapely.box(west, south, east, north)
    parts = [shapely.box(west, south, 180, north), shapely.box(-180, south, east, north)]
    return shapely.MultiPolygon([each for each in parts if each.area > 0])


def ring_shape(points: Sequence[LonLat]) -> shapely.Geometry:
    """A polygon of corners, by the shorter way from each to the next.

    Raises ToolError when it has no area or crosses itself.
    """
    lons, lats = _unwrapped([lon for lon, _ in points]), [lat for _, lat in points]
    polygon = shapely.Polygon(zip(lons, lats, strict=True))
    if not polygon.convex_hull.area > 0:
        raise ToolError("The polygon has no area; give at least three corners that are not on one line.")
    if not polygon.is_valid:
        raise ToolError("The polygon crosses itself; give its corners in order around it.")
    return into_one_world(polygon)


def circle_shape(center: LonLat, radius_km: float) -> shapely.Geometry:
    """A geodesic circle as a polygon of 64 corners. Raises ToolError for half the globe and more."""
    if radius_km >= _HALF_AROUND_KM / 2:
        raise ToolError(
            f"A circle of {radius_km:g} km covers half the globe; draw one of less than 10,000 km."
        )
    count = CIRCLE_VERTICES
    azimuths = [-360.0 * i / count for i in range(count)]
    lons, lats, _ = ellipsoid().fwd(
        [center[0]] * count, [center[1]] * count, azimuths, [radius_km * 1000] * count
    )
    ring = _unwrapped([center[0], *lons])[1:]
    turn = _unwrapped([*ring, ring[0]])[-1] - ring[0]
    corners = list(zip(ring, lats, strict=True))
    if abs(turn) > 180:
        # The ring winds around a pole: it is closed along the edge of the map.
        pole = 90.0 if center[1] > 0 else -90.0
        corners = [*corners, (ring[0] + turn, lats[0]), (ring[0] + turn, pole), (ring[0], pole)]
    return into_one_world(shapely.Polygon(corners))


def into_one_world(polygon: shapely.Geometry) -> shapely.Geometry:
    """Move what lies beyond ±180 degrees to where it belongs."""
    west, _, east, _ = polygon.bounds
    if west >= -180 and east <= 180:
        return polygon
    pieces: list[shapely.Geometry] = []
    for turn in (-2, -1, 0, 1, 2):
        piece = polygon.intersection(shapely.box(turn * 360 - 180, -90, turn * 360 + 180, 90))
        pieces += [
            affinity.translate(part, -turn * 360)
            for part in shapely.get_parts(piece)
            if part.geom_type == "Polygon" and part.area > 0
        ]
    return pieces[0] if len(pieces) == 1 else shapely.MultiPolygon(pieces)


def geometry_value(shape: shapely.Geometry) -> Geometry:
    """A shape as the state keeps it, rounded to 6 decimals."""
    plain = shapely.geometry.mapping(shapely.transform(shape, lambda xy: xy.round(_DECIMALS) + 0.0))
    return Geometry(plain["type"], frozen(plain["coordinates"]))


def area_km2(shape: shapely.Geometry) -> float:
    """The area on WGS84, square kilometres; 0 for points and lines."""
    total = 0.0
    for part in shapely.get_parts(shape):
        if part.geom_type != "Polygon":
            continue
        for strip in _strips(part):
            total += abs(ellipsoid().geometry_area_perimeter(shapely.segmentize(strip, EDGE_DEG))[0])
    return total / 1e6


def path_km(points: Sequence[LonLat]) -> list[float]:
    """The geodesic length of each leg, kilometres."""
    geod = ellipsoid()
    legs = pairwise(points)
    return [geod.inv(a[0], a[1], b[0], b[1])[2] / 1000 for a, b in legs]


def _strips(part: shapely.Geometry) -> list[shapely.Geometry]:
    """The polygon in pieces of at most 90 degrees of longitude, whose edges go the short way round."""
    west, _, east, _ = part.bounds
    if east - west <= 90:
        return [part]
    found: list[shapely.Geometry] = []
    for start in (-180, -90, 0, 90):
        piece = part.intersection(shapely.box(start, -90, start + 90, 90))
        found += [each for each in shapely.get_parts(piece) if each.geom_type == "Polygon"]
    return found


def _unwrapped(lons: Sequence[float]) -> list[float]:
    """Longitudes without jumps: each is within 180 degrees of the one before."""
    found = [float(lons[0])]
    for lon in lons[1:]:
        found.append(lon + 360 * round((found[-1] - lon) / 360))
    return found

"""Shapes on the globe: what crosses 180 degrees or holds a pole, as plain longitudes and latitudes.

Shapes are kept as RFC 7946 (GeoJSON, 3.1.9) has them: longitudes in -180..180, cut in two where they
cross the antimeridian, edges straight in longitude and latitude. What holds a pole reaches the edge
of the map there. Degrees, WGS84, longitude first.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from functools import cache

import numpy as np
import pyproj
import shapely
from numpy.typing import NDArray
from shapely import affinity

from data.vector.errors import VectorError

EDGE_DEG = 0.05
"""Edges are followed in steps of this length where they are bent by a projection."""
_MIDDLE_STEP_DEG = 0.5
_SEAM_DEG = 1e-9
_SEAM_M = 1e-4
_POLE_DEG = 90 - 1e-9
_WORLD_DEG = 90
_SIMPLE = ("Point", "LineString", "LinearRing", "Polygon")
Points = NDArray[np.float64]
"""Positions, shape (n, 2)."""


@cache
def ellipsoid() -> pyproj.Geod:
    """WGS84, for geodesic lengths and areas (Karney 2013, Algorithms for geodesics)."""
    return pyproj.Geod(ellps="WGS84")


def unit_vectors(lonlat: Points) -> Points:
    """Positions as unit vectors, shape (n, 3); for neighbours and middles, not for lengths."""
    lon, lat = np.radians(lonlat[:, 0]), np.radians(lonlat[:, 1])
    return np.column_stack([np.cos(lat) * np.cos(lon), np.cos(lat) * np.sin(lon), np.sin(lat)])


def middle(geometry: shapely.Geometry) -> tuple[float, float]:
    """The middle of a shape's corners on the sphere, also across the antimeridian and over a pole."""
    corners = shapely.get_coordinates(_along(geometry))
    if not len(corners):
        raise VectorError("An empty shape has no middle.")
    x, y, z = unit_vectors(corners).mean(axis=0)
    if math.hypot(x, y, z) < 1e-12:
        return float(corners[0, 0]), float(corners[0, 1])
    return math.degrees(math.atan2(y, x)), math.degrees(math.atan2(z, math.hypot(x, y)))


def reach_m(geometry: shapely.Geometry, center: tuple[float, float]) -> float:
    """The greatest distance of a shape's corners from a point, metres, to 0.6 % (on the sphere)."""
    corners = shapely.get_coordinates(geometry)
    chords = np.linalg.norm(unit_vectors(corners) - unit_vectors(np.array([center])), axis=1)
    return float(2 * 6_371_008.8 * np.arcsin(min(1.0, float(chords.max()) / 2)))


def into_one_world(geometry: shapely.Geometry, *, geodesic: bool = False) -> shapely.Geometry:
    """Move what lies beyond ±180 degrees to where it belongs, cut at the antimeridian.

    With `geodesic`, lines are cut where the shortest way between two corners crosses it, so that their parts
    are together as long as they were.
    """
    west, _, east, _ = geometry.bounds
    if not (west < -180 or east > 180):  # also for an empty shape, whose bounds are not numbers
        return geometry
    found: list[shapely.Geometry] = []
    for part in shapely.get_parts(geometry):
        if geodesic and part.geom_type == "LineString":
            part = shapely.LineString(_with_seams(shapely.get_coordinates(part)))
        found += _wrapped(part)
    return collected(found)


def _with_seams(corners: Points) -> Points:
    """A line's positions and those where the shortest way between two of them crosses the antimeridian."""
    found = [corners[0]]
    for start, end in itertools.pairwise(corners):
        seam = 180 + 360 * math.floor((min(start[0], end[0]) + 180) / 360)
        if min(start[0], end[0]) < seam < max(start[0], end[0]) and abs(end[0] - start[0]) < 180:
            found.append(np.array([seam, _latitude_at(start, end, seam)]))
        found.append(end)
    return np.array(found)


def _latitude_at(start: Points, end: Points, lon: float) -> float:
    """The latitude at which the geodesic from start to end has that longitude, by halving it."""
    azimuth, _, length = ellipsoid().inv(start[0], start[1], end[0], end[1])
    east = end[0] > start[0]
    low, high, lat = 0.0, length, start[1]
    while high - low > _SEAM_M:
        middle = (low + high) / 2
        at, lat, _ = ellipsoid().fwd(start[0], start[1], azimuth, middle)
        gone = (at - start[0]) % 360 if east else (start[0] - at) % 360
        if gone < abs(lon - start[0]):
            low = middle
        else:
            high = middle
    return float(lat)


def collected(parts: Sequence[shapely.Geometry]) -> shapely.Geometry:
    """The parts as one shape: one of its own kind, a Multi… of equal kinds, else a collection."""
    simple = [each for part in parts for each in simple_parts(part)]
    if len(simple) == 1:
        return simple[0]
    kinds = {each.geom_type for each in simple}
    many = {
        "Polygon": shapely.MultiPolygon,
        "LineString": shapely.MultiLineString,
        "Point": shapely.MultiPoint,
    }
    if len(kinds) != 1:
        return shapely.GeometryCollection(simple)
    return many.get(kinds.pop(), shapely.GeometryCollection)(simple)


def simple_parts(geometry: shapely.Geometry) -> list[shapely.Geometry]:
    """The points, lines and polygons that a shape is made of, collections inside collections too."""
    if geometry.geom_type in _SIMPLE:
        return [] if geometry.is_empty else [geometry]
    found: list[shapely.Geometry] = []
    for part in shapely.get_parts(geometry):
        whole = part.geom_type in _SIMPLE
        found += [part] if whole else simple_parts(part)
    return [each for each in found if not each.is_empty]


def short_way(shape: shapely.Geometry) -> shapely.Geometry:
    """Lines and polygons with edges of over 180 degrees of longitude, taken the shorter way round and cut.

    A polygon's edge along ±180 or a pole is the map's own, and one that is also over 90 degrees high means
    the whole world: both stay.
    """
    if shape.geom_type not in ("LineString", "Polygon"):
        parts = simple_parts(shape)
        if not any(jumps(each) for each in parts):
            return shape
        return collected([short_way(each) for each in parts])
    if not jumps(shape):
        return shape
    if shape.geom_type == "LineString":
        return into_one_world(shapely.LineString(unrolled(shapely.get_coordinates(shape))), geodesic=True)
    rings = [shapely.get_coordinates(each) for each in (shape.exterior, *shape.interiors)]
    return polygon_of(rings, [math.copysign(90, each[:, 1].mean()) for each in rings])


def jumps(shape: shapely.Geometry) -> int:
    """How many rings or lines of a simple shape have an edge of over 180 degrees that goes the short way."""
    west, south, east, north = shape.bounds
    if shape.geom_type not in ("LineString", "Polygon") or not east - west > 180:
        return 0
    if shape.geom_type == "LineString":
        lines = [shape]
    elif north - south > _WORLD_DEG:
        return 0
    else:
        lines = [shape.exterior, *shape.interiors]
    found = 0
    for line in lines:
        lon = shapely.get_coordinates(line)[:, 0]
        far = np.abs(np.diff(lon)) > 180
        if shape.geom_type == "Polygon":
            edge = np.abs(lon) >= 180 - _SEAM_DEG
            far &= ~(edge[:-1] & edge[1:])
        found += bool(far.any())
    return found


def unrolled(corners: Points) -> Points:
    """The positions without jumps: each is within 180 degrees of longitude of the one before."""
    return np.column_stack([np.unwrap(corners[:, 0], period=360), corners[:, 1]])


def at_seam(geometry: shapely.Geometry) -> bool:
    """Whether a shape touches the edge of the map: ±180 degrees, or a pole."""
    west, south, east, north = geometry.bounds
    return bool(
        west <= -180 + _SEAM_DEG or east >= 180 - _SEAM_DEG or south <= -_POLE_DEG or north >= _POLE_DEG
    )


def goes_around(geometry: shapely.Geometry) -> bool:
    """Whether a part of a shape reaches a pole or goes all around the globe, so that it keeps a cut."""
    return any(
        south <= -_POLE_DEG or north >= _POLE_DEG or east - west >= 360 - _SEAM_DEG
        for west, south, east, north in (each.bounds for each in shapely.get_parts(geometry))
    )


def joined(geometry: shapely.Geometry) -> shapely.Geometry:
    """Polygons whose parts meet at ±180 degrees as whole ones again, reaching beyond 180 degrees.

    What goes all around the globe keeps its cut.
    """
    west, _, east, _ = geometry.bounds
    parts = shapely.get_parts(geometry)
    if not (west <= -180 + _SEAM_DEG and east >= 180 - _SEAM_DEG) or any(
        each.bounds[2] - each.bounds[0] >= 360 - _SEAM_DEG for each in parts
    ):
        return geometry
    moved = [affinity.translate(each, 360) if each.bounds[0] < 0 else each for each in parts]
    return shapely.union_all(moved)


def outline(polygon: shapely.Geometry) -> shapely.Geometry:
    """The true edge of a polygon: without the cuts at ±180 that its own other side continues, nor a pole."""
    boundary = polygon.boundary
    if not at_seam(polygon):
        return boundary
    segments = _segments(boundary)
    (x1, y1), (x2, y2) = segments[:, 0].T, segments[:, 1].T
    at_pole = (np.abs(y1) >= _POLE_DEG) & (np.abs(y2) >= _POLE_DEG)
    west = (x1 <= -180 + _SEAM_DEG) & (x2 <= -180 + _SEAM_DEG) & ~at_pole
    east = (x1 >= 180 - _SEAM_DEG) & (x2 >= 180 - _SEAM_DEG) & ~at_pole
    kept = shapely.linestrings(segments[~(at_pole | west | east)])
    # What only one side has is a coast that happens to run along the antimeridian.
    sides = [shapely.union_all(_upright(segments[each])) for each in (west, east)]
    coasts = shapely.symmetric_difference(*sides)
    coast = [
        affinity.translate(each, -360) if bool(sides[0].intersects(each.centroid)) else each
        for each in shapely.get_parts(coasts)
        if each.geom_type == "LineString" and not each.is_empty
    ]
    return shapely.line_merge(shapely.MultiLineString([*kept, *coast]))


def polygon_of(rings: Sequence[Points], poles: Sequence[float]) -> shapely.Geometry:
    """The polygon of an outer ring and its holes, given as closed rings of positions.

    `poles` has for each ring the latitude of the pole that it would hold if it winds around one (±90).
    """
    shapes = [_flat_ring(ring, pole) for ring, pole in zip(rings, poles, strict=True)]
    if len(shapes) == 1:
        return areas(shapes[0])
    return areas(shapely.difference(shapes[0], shapely.union_all(shapes[1:])))


def areas(geometry: shapely.Geometry) -> shapely.Geometry:
    """The polygons of a shape, valid; an empty polygon when it has none."""
    if not shapely.is_valid(geometry):
        geometry = shapely.make_valid(geometry, method="structure", keep_collapsed=False)
    if geometry.geom_type == "Polygon" and geometry.area > 0:
        return geometry
    simple = [each for each in simple_parts(geometry) if each.geom_type == "Polygon" and each.area > 0]
    return collected(simple) if simple else shapely.Polygon()


def _flat_ring(ring: Points, pole: float) -> shapely.Geometry:
    """A ring as a polygon of the map: unrolled, and closed along the map's edge when it holds a pole."""
    corners = unrolled(_around_poles(ring))
    turn = corners[-1, 0] - corners[0, 0]
    if abs(turn) <= 180:
        return into_one_world(areas(shapely.Polygon(corners)))
    # Around the globe several times and closed far outside the map, where it may cross the ring itself.
    start = 360 * round(corners[0, 0] / 360)
    rounds = [corners - [start - turns * turn, 0] for turns in range(-2, 3)]
    edge = [(rounds[-1][-1, 0], pole), (rounds[0][0, 0], pole)]
    around = areas(shapely.Polygon(np.vstack([*(each[:-1] for each in rounds), rounds[-1][-1:], edge])))
    return areas(shapely.intersection(around, shapely.box(-180, -90, 180, 90)))


def _around_poles(ring: Points) -> Points:
    """The ring with each corner that is a pole made two: at the longitudes it is come to and left by."""
    polar = np.abs(ring[:, 1]) >= _POLE_DEG
    if not polar.any() or polar.all():
        return ring
    if polar[0]:
        first = int(np.argmin(polar))
        ring = np.vstack([ring[first:-1], ring[: first + 1]])
    found: list[tuple[float, float]] = []
    for at, (lon, lat) in enumerate(ring):
        if abs(lat) < _POLE_DEG:
            found.append((lon, lat))
        else:
            found += [(found[-1][0], lat), (ring[min(at + 1, len(ring) - 1)][0], lat)]
    return np.array(found)


def _wrapped(part: shapely.Geometry) -> list[shapely.Geometry]:
    west, _, east, _ = part.bounds
    first, last = math.floor((west + 180) / 360), math.ceil((east + 180) / 360) - 1
    if last - first > 4:
        raise VectorError(f"A shape from {west:g} to {east:g} degrees of longitude winds around the globe.")
    found: list[shapely.Geometry] = []
    for turn in range(first, max(first, last) + 1):
        window = shapely.box(turn * 360 - 180, -90, turn * 360 + 180, 90)
        piece = part if first >= last else part.intersection(window)
        found += [
            affinity.translate(each, -360 * turn)
            for each in shapely.get_parts(piece)
            if each.geom_type == part.geom_type and not each.is_empty
        ]
    return found


def _along(geometry: shapely.Geometry) -> shapely.Geometry:
    """The shape with corners in steps along its edges, so that long edges count for their length."""
    return shapely.segmentize(geometry, _MIDDLE_STEP_DEG)


def _segments(lines: shapely.Geometry) -> NDArray[np.float64]:
    """Each edge with its two ends, shape (n, 2, 2)."""
    found = []
    for line in shapely.get_parts(lines):
        corners = shapely.get_coordinates(line)
        found.append(np.stack([corners[:-1], corners[1:]], axis=1))
    return np.concatenate(found) if found else np.empty((0, 2, 2))


def _upright(segments: NDArray[np.float64]) -> list[shapely.Geometry]:
    """Edges along the antimeridian, all written at +180."""
    return [shapely.LineString([(180, y1), (180, y2)]) for (_, y1), (_, y2) in segments]

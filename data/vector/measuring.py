"""Lengths, areas and distances on the WGS84 ellipsoid, of shapes in longitude and latitude.

Edges of polygons are straight in longitude and latitude, as GeoJSON (RFC 7946, 3.1.1) and the map have
them: their areas are integrals of the authalic function (Snyder 1987, Map projections, equation 3-12). The
way from one corner of a line to the next is the geodesic, by Karney's algorithms (2013, J. Geodesy 87,
43-55) through PROJ; outlines are followed in short ones.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import shapely
from numpy.typing import NDArray

from data.vector.globe import ellipsoid, outline, simple_parts

Shapes = Sequence[shapely.Geometry | None] | NDArray[np.object_]
_LINES, _POLYGON = (1, 2), 3
"""Shapely's type ids of lines and rings, and of polygons; those of collections are above."""
_AT_ONCE = 100_000
_STEP_DEG = 0.1
"""Outlines are followed in geodesics of this length: right to a millionth."""
_PIECE_DEG = 1.0
_SEMI_MAJOR_M, _FLATTENING = ellipsoid().a, ellipsoid().f
_NODES, _HALVES = np.polynomial.legendre.leggauss(4)
_PARTS, _WEIGHTS = (_NODES + 1) / 2, _HALVES / 2


def area_m2(geometry: shapely.Geometry) -> float:
    """The area of a shape's polygons, square metres; 0 for points and lines."""
    return float(areas_m2([geometry])[0])


def areas_m2(geometries: Shapes) -> NDArray[np.float64]:
    """The area of each shape's polygons, square metres; 0 for points and lines, not-a-number for None.

    The edges are straight in longitude and latitude: the integral of q dλ around each ring, where q is the
    authalic function of the latitude, and a²/2 q dλ the area between the equator and a piece of the edge. By
    Gauss' rule of four points on pieces of one degree at most, to 10 digits.
    """
    shapes = np.asarray(geometries, dtype=object)
    found = np.zeros(len(shapes))
    for first in range(0, len(shapes), _AT_ONCE):
        found[first : first + _AT_ONCE] = _areas_m2(shapes[first : first + _AT_ONCE])
    return np.where(shapely.is_missing(shapes), np.nan, found)


def lengths_m(geometries: Shapes) -> NDArray[np.float64]:
    """The length of each shape's lines and the perimeter of its polygons, metres; not-a-number for None."""
    shapes = np.asarray(geometries, dtype=object)
    parts, of_shape = _simple(shapes)
    lines = np.flatnonzero(np.isin(shapely.get_type_id(parts), _LINES))
    corners, of_line = shapely.get_coordinates(parts[lines], return_index=True)
    same = np.diff(of_line) == 0
    start, end = corners[:-1][same], corners[1:][same]
    found = np.zeros(len(shapes))
    if len(start):
        ways = ellipsoid().inv(start[:, 0], start[:, 1], end[:, 0], end[:, 1])[2]
        found = np.asarray(np.bincount(of_shape[lines][of_line[1:][same]], ways, len(shapes)), float)
    for at in np.unique(of_shape[shapely.get_type_id(parts) == _POLYGON]):
        found[at] += perimeter_m(shapes[at])
    return np.where(shapely.is_missing(shapes), np.nan, found)


def length_m(geometry: shapely.Geometry) -> float:
    """The length of a shape's lines and the perimeter of its polygons, metres; 0 for points."""
    return line_m(geometry) + perimeter_m(geometry)


def perimeter_m(geometry: shapely.Geometry) -> float:
    """The true outline's length of all polygons of a shape together: cuts at ±180 degrees do not count."""
    polygons = [each for each in simple_parts(geometry) if each.geom_type == "Polygon"]
    if not polygons:
        return 0.0
    edges = shapely.segmentize(outline(shapely.MultiPolygon(polygons)), _STEP_DEG)
    return float(sum(_way_m(each) for each in shapely.get_parts(edges)))


def line_m(geometry: shapely.Geometry) -> float:
    """The length of a shape's lines alone, metres: the geodesics between their corners."""
    lines = [each for each in simple_parts(geometry) if each.geom_type in ("LineString", "LinearRing")]
    return float(sum(_way_m(each) for each in lines))


def geodesic_m(start: tuple[float, float], end: tuple[float, float]) -> tuple[float, float]:
    """The distance between two positions, metres, and the azimuth at the start, degrees from north."""
    azimuth, _, distance = ellipsoid().inv(*start, *end)
    return float(distance), float(azimuth) % 360


def _areas_m2(shapes: Shapes) -> NDArray[np.float64]:
    parts, of_shape = _simple(np.asarray(shapes, dtype=object))
    polygons = np.flatnonzero(shapely.get_type_id(parts) == _POLYGON)
    rings, of_polygon = shapely.get_rings(parts[polygons], return_index=True)
    corners, of_ring = shapely.get_coordinates(shapely.segmentize(rings, _PIECE_DEG), return_index=True)
    same = np.diff(of_ring) == 0
    corners = np.radians(corners)
    lat, (along, up) = corners[:-1, 1][same], np.diff(corners, axis=0)[same].T
    under = sum(weight * _authalic(lat + part * up) for part, weight in zip(_PARTS, _WEIGHTS, strict=True))
    areas = np.abs(np.bincount(of_ring[:-1][same], along * under, len(rings))) * _SEMI_MAJOR_M**2 / 2
    is_hole = np.diff(of_polygon, prepend=-1) == 0  # the outline comes first
    signed = np.where(is_hole, -areas, areas)
    return np.asarray(np.bincount(of_shape[polygons][of_polygon], signed, len(shapes)), float)


def _simple(shapes: NDArray[np.object_]) -> tuple[NDArray[np.object_], NDArray[np.intp]]:
    """(the points, lines and polygons that shapes are made of, of which shape each is)."""
    parts, of_shape = shapely.get_parts(shapes, return_index=True)
    while (shapely.get_type_id(parts) > _POLYGON).any():  # collections inside collections
        parts, inner = shapely.get_parts(parts, return_index=True)
        of_shape = of_shape[inner]
    return parts, of_shape


def _authalic(lat: NDArray[np.float64]) -> NDArray[np.float64]:
    """Snyder 1987, equation 3-12."""
    e2 = _FLATTENING * (2 - _FLATTENING)
    e, sine = math.sqrt(e2), np.sin(lat)
    return (1 - e2) * (sine / (1 - e2 * sine**2) + np.arctanh(e * sine) / e)


def _way_m(line: shapely.Geometry) -> float:
    corners = shapely.get_coordinates(line)
    return float(ellipsoid().line_length(corners[:, 0], corners[:, 1]))

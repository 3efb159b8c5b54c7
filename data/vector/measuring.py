"""Lengths, areas and distances on the WGS84 ellipsoid, of shapes in longitude and latitude.

Edges of polygons are straight in longitude and latitude, as GeoJSON (RFC 7946, 3.1.1) and the map have
them: their areas are integrals of the authalic function (Snyder 1987, Map projections, equation 3-12). The
way from one corner of a line to the next is the geodesic, by Karney's algorithms (2013, J. Geodesy 87,
43-55) through PROJ; outlines are followed in short ones.
"""

from __future__ import annotations

import math

import numpy as np
import shapely
from numpy.typing import NDArray

from data.vector.globe import ellipsoid, outline, simple_parts

_STEP_DEG = 0.1
"""Outlines are followed in geodesics of this length: right to a millionth."""
_PIECE_DEG = 1.0
_SEMI_MAJOR_M, _FLATTENING = ellipsoid().a, ellipsoid().f
_NODES, _HALVES = np.polynomial.legendre.leggauss(4)
_PARTS, _WEIGHTS = (_NODES + 1) / 2, _HALVES / 2


def area_m2(geometry: shapely.Geometry) -> float:
    """The area of a shape's polygons, square metres; 0 for points and lines."""
    polygons = [each for each in simple_parts(geometry) if each.geom_type == "Polygon"]
    return float(sum(_polygon_area_m2(each) for each in polygons))


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


def _polygon_area_m2(polygon: shapely.Geometry) -> float:
    outer, *holes = (_ring_area_m2(ring) for ring in [polygon.exterior, *polygon.interiors])
    return outer - sum(holes)


def _ring_area_m2(ring: shapely.Geometry) -> float:
    """The area of a ring with straight edges in longitude and latitude: the integral of q dλ around it.

    q is the authalic function of the latitude: a²/2 q dλ is the area between the equator and a piece of
    the edge. By Gauss' rule of four points on pieces of one degree at most, to 10 digits.
    """
    corners = np.radians(shapely.get_coordinates(shapely.segmentize(ring, _PIECE_DEG)))
    lat, (along, up) = corners[:-1, 1], np.diff(corners, axis=0).T
    under = sum(weight * _authalic(lat + part * up) for part, weight in zip(_PARTS, _WEIGHTS, strict=True))
    return abs(float(np.sum(along * under))) * _SEMI_MAJOR_M**2 / 2


def _authalic(lat: NDArray[np.float64]) -> NDArray[np.float64]:
    """Snyder 1987, equation 3-12."""
    e2 = _FLATTENING * (2 - _FLATTENING)
    e, sine = math.sqrt(e2), np.sin(lat)
    return (1 - e2) * (sine / (1 - e2 * sine**2) + np.arctanh(e * sine) / e)


def _way_m(line: shapely.Geometry) -> float:
    corners = shapely.get_coordinates(line)
    return float(ellipsoid().line_length(corners[:, 0], corners[:, 1]))

"""Lengths, areas and distances on the WGS84 ellipsoid, of shapes in longitude and latitude.

Edges of polygons are straight in longitude and latitude, as GeoJSON (RFC 7946, 3.1.1) and the map have
them; the way from one corner of a line to the next is the shortest one, the geodesic. Both are measured
with Karney's algorithms (2013, J. Geodesy 87, 43-55) through PROJ.
"""

from __future__ import annotations

import shapely

from data.vector.globe import ellipsoid, outline, simple_parts

_AREA_STEP_DEG = 0.1
"""Pieces of an edge of this length make an area right to one millionth."""


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
    edges = shapely.segmentize(outline(shapely.MultiPolygon(polygons)), _AREA_STEP_DEG)
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
    """The area of one polygon; one that is nearly as wide as the world is measured in two halves."""
    west, south, east, north = polygon.bounds
    if east - west > 300:
        halves = (shapely.box(west, south, 0, north), shapely.box(0, south, east, north))
        return sum(area_m2(shapely.intersection(polygon, half)) for half in halves)
    outer, *holes = (_ring_area_m2(ring) for ring in [polygon.exterior, *polygon.interiors])
    return outer - sum(holes)


def _ring_area_m2(ring: shapely.Geometry) -> float:
    corners = shapely.get_coordinates(shapely.segmentize(ring, _AREA_STEP_DEG))
    area, _ = ellipsoid().polygon_area_perimeter(corners[:, 0], corners[:, 1])
    return abs(float(area))


def _way_m(line: shapely.Geometry) -> float:
    corners = shapely.get_coordinates(line)
    return float(ellipsoid().line_length(corners[:, 0], corners[:, 1]))

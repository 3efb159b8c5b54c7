"""Boxes, circles and polygons on the sphere, as conditions on a row's centre (lon, lat)."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

import shapely
from shapely.geometry import mapping, shape

from data.catalogue.base import Bbox, CatalogueError
from data.catalogue.dialect import Dialect, Params

EARTH_RADIUS_KM = 6371.0088
"""Mean radius (2a + b) / 3 of WGS84, IUGG."""
_MARGIN_DEG = 1e-9


def normal_bbox(bbox: Bbox) -> Bbox:
    """The box with longitudes in -180..180; one that reaches around the world becomes -180..180.

    Raises CatalogueError when a number is not finite, or south is north of north.
    """
    if len(bbox) != 4 or not all(isinstance(v, int | float) and math.isfinite(v) for v in bbox):
        raise CatalogueError(
            f"{bbox!r} is not a box; give four finite numbers: west, south, east, north in degrees."
        )
    west, south, east, north = (float(v) for v in bbox)
    if south > north:
        raise CatalogueError(
            f"The box's south edge {south:g} is north of its north edge {north:g}; swap them."
        )
    if east - west >= 360:
        return (-180.0, south, 180.0, north)
    return (wrapped(west), south, wrapped(east), north)


def bbox_sql(bbox: Bbox, params: Params) -> list[str]:
    """Conditions that the centre lies in the box, borders included."""
    west, south, east, north = normal_bbox(bbox)
    conditions = [f"lat >= {params.add(south)}", f"lat <= {params.add(north)}"]
    if west > east:
        conditions.append(f"(lon >= {params.add(west)} OR lon <= {params.add(east)})")
    elif (west, east) != (-180.0, 180.0):
        conditions += [f"lon >= {params.add(west)}", f"lon <= {params.add(east)}"]
    return conditions


def haversine_sql(lon: float, lat: float, params: Params) -> str:
    """sin² of half the angle between the centre and a point: it grows with the great-circle distance."""
    lon_sql, lat_sql = params.add(lon), params.add(lat)
    cos_lat = params.add(math.cos(math.radians(lat)))
    return (
        f"(sin(radians(lat - {lat_sql}) / 2) * sin(radians(lat - {lat_sql}) / 2) + cos(radians(lat))"
        f" * {cos_lat}"
        f" * sin(radians(lon - {lon_sql}) / 2) * sin(radians(lon - {lon_sql}) / 2))"
    )


def haversine_of_km(distance_km: float) -> float:
    """What `haversine_sql` gives at a distance."""
    return math.sin(min(distance_km / (2 * EARTH_RADIUS_KM), math.pi / 2)) ** 2


def km_of_haversine(value: float) -> float:
    """The distance at which `haversine_sql` gives `value`."""
    return 2 * EARTH_RADIUS_KM * math.asin(min(1.0, math.sqrt(max(0.0, value))))


def circle_sql(center: tuple[float, float], radius_km: float, params: Params) -> list[str]:
    """Conditions that the centre lies within a great-circle distance of a point, its border included.

    Raises CatalogueError for a point off the globe or a radius that is not a positive number.
    """
    lon, lat = center
    if not (math.isfinite(lon) and math.isfinite(lat) and -90 <= lat <= 90):
        raise CatalogueError(
            f"({lon}, {lat}) is not a point; give longitude, then latitude between -90 and 90."
        )
    if not (math.isfinite(radius_km) and radius_km >= 0):
        raise CatalogueError(f"A radius of {radius_km} km is not a distance; give a positive number.")
    if radius_km >= math.pi * EARTH_RADIUS_KM:
        return []
    box = circle_bbox(wrapped(lon), lat, radius_km)
    return [
        *bbox_sql(box, params),
        f"{haversine_sql(lon, lat, params)} <= {params.add(haversine_of_km(radius_km))}",
    ]


def circle_bbox(lon: float, lat: float, radius_km: float) -> Bbox:
    """The smallest box around a circle on the sphere; all longitudes when it holds a pole."""
    angle = radius_km / EARTH_RADIUS_KM
    reach = math.degrees(angle) + _MARGIN_DEG
    south, north = lat - reach, lat + reach
    if south <= -90 or north >= 90:
        return (-180.0, max(south, -90.0), 180.0, min(north, 90.0))
    sine = math.sin(angle) / math.cos(math.radians(lat))
    half_width = math.degrees(math.asin(min(1.0, sine))) + _MARGIN_DEG
    return normal_bbox((lon - half_width, south, lon + half_width, north))


def polygon_sql(geometry: Mapping[str, Any], params: Params, dialect: Dialect) -> list[str]:
    """Conditions that a GeoJSON Polygon or MultiPolygon covers the centre (straight edges in degrees).

    Raises CatalogueError for anything else, and for a polygon without area.
    """
    polygon, box = polygon_in_box(geometry)
    geojson = json.dumps(mapping(polygon))
    return [*bbox_sql(box, params), dialect.covers(params.add(geojson))]


def polygon_in_box(geometry: Mapping[str, Any]) -> tuple[shapely.Geometry, Bbox]:
    """A GeoJSON Polygon or MultiPolygon in longitudes of -180..180, and the box around it.

    Raises CatalogueError for anything else, and for a polygon without area.
    """
    polygon = _polygon(geometry)
    west, south, east, north = polygon.bounds
    if (west, east) == (-180.0, 180.0) and polygon.geom_type == "MultiPolygon":
        return polygon, _bounds_across_antimeridian(polygon)
    return polygon, (west, south, east, north)


def narrowest_bbox(
    plain: tuple[float, float], shifted: tuple[float, float], south: float, north: float
) -> Bbox:
    """The narrower of two spans of the same longitudes, the second measured in 0..360.

    A span across the antimeridian is only taken up to half the world: a worldwide set is not
    better drawn around the Pacific for being a degree narrower there.
    """
    width = shifted[1] - shifted[0]
    if width <= 180 and width < plain[1] - plain[0]:
        return (wrapped(shifted[0]), south, wrapped(shifted[1]), north)
    return (plain[0], south, plain[1], north)


def _polygon(geometry: Mapping[str, Any]) -> shapely.Geometry:
    kind = geometry.get("type") if isinstance(geometry, Mapping) else type(geometry).__name__
    if kind not in ("Polygon", "MultiPolygon"):
        raise CatalogueError(
            f"A geometry of type {kind!r} does not select an area; give a Polygon or MultiPolygon."
        )
    try:
        polygon = shape(geometry)
        finite = bool(polygon.is_empty) or all(math.isfinite(v) for v in polygon.bounds)
    except (
        ValueError,
        TypeError,
        KeyError,
        IndexError,
        AttributeError,
        shapely.errors.ShapelyError,
    ) as error:
        raise CatalogueError(
            f"The {kind} has no readable coordinates ({error}); give rings of [lon, lat]."
        ) from error
    if polygon.is_empty or not finite or polygon.area == 0:
        raise CatalogueError(f"The {kind} has no area; give at least three corners as [lon, lat].")
    if not polygon.is_valid:
        polygon = _areas(shapely.make_valid(polygon))
    if polygon.bounds[0] < -180 or polygon.bounds[2] > 180:
        polygon = _into_one_world(polygon)
    return polygon


def _areas(geometry: shapely.Geometry) -> shapely.Geometry:
    parts = [p for p in shapely.get_parts(geometry) if p.geom_type in ("Polygon", "MultiPolygon")]
    return shapely.union_all(parts)


def _into_one_world(polygon: shapely.Geometry) -> shapely.Geometry:
    """Move what lies beyond ±180 degrees (a shape drawn on a wrapped map) to where it belongs."""
    pieces = []
    for world in range(
        math.floor((polygon.bounds[0] + 180) / 360), math.floor((polygon.bounds[2] + 180) / 360) + 1
    ):
        piece = shapely.intersection(polygon, shapely.box(360 * world - 180, -90, 360 * world + 180, 90))
        if not piece.is_empty:
            pieces.append(shapely.transform(piece, lambda xy, w=world: xy - [360 * w, 0]))
    return _areas(shapely.union_all(pieces))


def _bounds_across_antimeridian(polygon: shapely.Geometry) -> Bbox:
    """Bounds of a shape that RFC 7946 cuts in two at the antimeridian."""
    spans = [p.bounds for p in shapely.get_parts(polygon)]
    _, south, _, north = polygon.bounds
    if any(w < 0 <= e for w, _, e, _ in spans):
        return (-180.0, south, 180.0, north)
    shifted = [(w + 360, e + 360) if w < 0 else (w, e) for w, _, e, _ in spans]
    low, high = min(w for w, _ in shifted), max(e for _, e in shifted)
    return narrowest_bbox((-180.0, 180.0), (low, high), south, north)


def wrapped(longitude: float) -> float:
    """A longitude in -180..180."""
    if -180 <= longitude <= 180:
        return longitude
    return (longitude + 180) % 360 - 180

"""Places as filters keep them: what a name, a box, a circle or a shape becomes."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import shapely
from shapely.geometry import shape

from data.catalogue.geo import EARTH_RADIUS_KM, circle_bbox, normal_bbox
from data.gazetteer import Gazetteer
from data.gazetteer.model import Place
from state.model import Bbox, Geometry, LonLat, frozen
from tools.base import ToolError
from tools.noting import note
from tools.phrases import listed

CITY_RADIUS_KM = 40.0
MAX_VERTICES = 2000
OUTLINE_VERTICES = 200
POINT_KINDS = ("city", "airport", "port", "naval base", "air base", "spaceport", "site", "disaster site")
"""Kinds that are a spot on the map: they are meant with what is around them."""
_DECIMALS = 6


@dataclass(frozen=True)
class Area:
    """The place parts of `state.model.Filters`, all of which are replaced together."""

    bbox: Bbox
    place: str | None = None
    country: str | None = None
    center: LonLat | None = None
    radius_km: float | None = None
    geometry: Geometry | None = None


def place_named(gazetteer: Gazetteer, name: str) -> Place:
    """The one place that a name means. Raises ToolError for none and for several.

    A slip in a well-known name is put right, and noted.
    """
    resolution = gazetteer.resolve(name)
    if resolution.best is None:
        near = listed([repr(each) for each in gazetteer.suggest(name)])
        hint = (
            f"Did you mean {near}?"
            if near
            else "Give a city, a country or a region, or a bbox [west, south, east, north]."
        )
        raise ToolError(f"No place is called {name!r}. {hint}")
    if resolution.ambiguous:
        labels = listed([repr(own_label(gazetteer, each.place)) for each in resolution.candidates[:6]])
        raise ToolError(f"{name!r} may be any of {labels}; give one of these as the place.")
    if resolution.corrected:
        note(f"{name!r} was read as {resolution.best.label}.")
    return resolution.best


def own_label(gazetteer: Gazetteer, place: Place) -> str:
    """What means this place and no other: of a country that shares its name, the name and what it is."""
    resolved = gazetteer.resolve(place.label)
    return f"{place.label} ({place.kind})" if resolved.ambiguous else place.label


def area_of_place(gazetteer: Gazetteer, place: Place, radius_km: float | None) -> Area:
    """The area of a place: a circle for a city, its outline or box for what has an extent.

    With `radius_km`, a circle of that size around a city, and an area's box grown by it.
    """
    if _is_point(place):
        circle = circle_area((place.lon, place.lat), radius_km or CITY_RADIUS_KM)
        return Area(circle.bbox, place.label, center=circle.center, radius_km=circle.radius_km)
    if radius_km is not None:
        return Area(grown(place.bbox, radius_km), place.label)
    if place.kind == "country":
        return Area(box(place.bbox), place.label, country=place.country)
    return Area(box(place.bbox), place.label, geometry=_outline(gazetteer, place))


def circle_area(center: LonLat, radius_km: float) -> Area:
    """A circle on the sphere, with the box around it."""
    lon, lat = (round(float(part), _DECIMALS) for part in center)
    return Area(box(circle_bbox(lon, lat, radius_km)), center=(lon, lat), radius_km=float(radius_km))


def shape_area(geometry: Mapping[str, Any]) -> Area:
    """A GeoJSON Polygon or MultiPolygon (or its feature), with the box around it. Raises ToolError."""
    if geometry.get("type") == "Feature" and isinstance(geometry.get("geometry"), Mapping):
        geometry = geometry["geometry"]
    kind = geometry.get("type")
    if kind not in ("Polygon", "MultiPolygon"):
        raise ToolError(
            f"A geometry of type {kind!r} does not select an area; give a GeoJSON Polygon or MultiPolygon."
        )
    try:
        polygon = shape({"type": kind, "coordinates": _lists(geometry["coordinates"])})
    except (
        KeyError,
        TypeError,
        ValueError,
        IndexError,
        AttributeError,
        shapely.errors.ShapelyError,
    ) as error:
        raise ToolError(f"The {kind} cannot be read ({error}); give rings of [lon, lat].") from error
    if polygon.is_empty or not polygon.area > 0 or not all(map(math.isfinite, polygon.bounds)):
        raise ToolError(f"The {kind} has no area; give at least three corners as [lon, lat].")
    if abs(polygon.bounds[1]) > 90 or abs(polygon.bounds[3]) > 90:
        raise ToolError(
            f"The {kind} has latitudes beyond 90 degrees; each corner is [lon, lat], longitude first."
        )
    if (count := int(shapely.get_num_coordinates(polygon))) > MAX_VERTICES:
        raise ToolError(f"The {kind} has {count:,} corners; simplify it to {MAX_VERTICES:,} at most.")
    return Area(_bounds(polygon), geometry=_value(polygon))


def box(bbox: Sequence[float]) -> Bbox:
    """The box with longitudes in -180..180, rounded to 6 decimals (11 cm). Raises CatalogueError."""
    west, south, east, north = (float(part) for part in bbox)
    return _rounded(normal_bbox((west, south, east, north)))


def grown(bbox: Bbox, distance_km: float) -> Bbox:
    """The box widened on all sides by a distance along the sphere."""
    west, south, east, north = bbox
    reach = math.degrees(distance_km / EARTH_RADIUS_KM)
    low, high = max(-90.0, south - reach), min(90.0, north + reach)
    narrowest = math.cos(math.radians(max(abs(low), abs(high))))
    width = (east - west) % 360 or (360.0 if east != west else 0.0)
    widening = reach / narrowest if narrowest > 1e-9 else 180.0
    if width + 2 * widening >= 360:
        return _rounded((-180.0, low, 180.0, high))
    return _rounded(normal_bbox((west - widening, low, west + width + widening, high)))


def _is_point(place: Place) -> bool:
    west, south, east, north = place.bbox
    return place.kind in POINT_KINDS or (west == east and south == north)


def _outline(gazetteer: Gazetteer, place: Place) -> Geometry | None:
    """The place's outline, coarse enough for the state; None when the gazetteer has none."""
    outline = gazetteer.polygon(place)
    if outline is None:
        return None
    polygon, tolerance_deg = outline, 0.001
    while shapely.get_num_coordinates(polygon) > OUTLINE_VERTICES and tolerance_deg < 5:
        polygon = outline.simplify(tolerance_deg)
        tolerance_deg *= 2
    return _value(polygon) if polygon.area > 0 else None


def _bounds(polygon: shapely.Geometry) -> Bbox:
    """The narrowest box around all parts: parts on both sides of the antimeridian are boxed across it."""
    parts = [part.bounds for part in shapely.get_parts(polygon)]
    south, north = min(part[1] for part in parts), max(part[3] for part in parts)
    if any(part[2] - part[0] >= 360 for part in parts):
        return _rounded((-180.0, south, 180.0, north))
    spans = sorted(((part[0] + 180) % 360 - 180, part[2] - part[0]) for part in parts)
    # Around the world: what reaches beyond the antimeridian covers the beginning.
    reach = max(west + width for west, width in spans) - 360
    widest, start = 0.0, -180.0
    for west, width in spans:
        if west - reach > widest:
            widest, start = west - reach, west
        reach = max(reach, west + width)
    # A gap that rounding would close is none: the box would collapse to its other side.
    if widest <= 10.0 ** (1 - _DECIMALS):
        return _rounded((-180.0, south, 180.0, north))
    return _rounded(normal_bbox((start, south, start + 360 - widest, north)))


def _rounded(bbox: Bbox) -> Bbox:
    west, south, east, north = (round(part, _DECIMALS) + 0.0 for part in bbox)
    return (west, south, east, north)


def _value(polygon: shapely.Geometry) -> Geometry:
    plain = shapely.geometry.mapping(shapely.transform(polygon, lambda xy: xy.round(_DECIMALS)))
    return Geometry(plain["type"], frozen(plain["coordinates"]))


def _lists(value: Any) -> Any:
    return [_lists(each) for each in value] if isinstance(value, (list, tuple)) else value

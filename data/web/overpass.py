"""OpenStreetMap's features through the Overpass API: https://wiki.openstreetmap.org/wiki/Overpass_API.

The data is © OpenStreetMap contributors, under the Open Database License: whoever shows it says so.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

import shapely
from shapely.geometry import LineString, MultiPolygon, Point, Polygon
from shapely.ops import polygonize, unary_union

from data.web.errors import BadStatus, WebError
from data.web.fetch import Fetcher
from data.web.osm_words import AREA_KEYS
from data.web.read import JSON_KINDS, finite, items, line, part
from data.web.services import OVERPASS
from data.web.urls import host_of
from data.web.wire import MIB, Limits

ATTRIBUTION = "© OpenStreetMap contributors, ODbL 1.0"
MAX_AREA_DEG2 = 25.0
_SECONDS = 25
_LIMITS = Limits(most_bytes=32 * MIB, total_seconds=_SECONDS + 10, silent_seconds=_SECONDS + 5)
Bbox = tuple[float, float, float, float]
Tag = tuple[str, str | None]
"""A key and its value; None takes any value."""


@dataclass(frozen=True)
class Feature:
    """One node, way or relation."""

    id: str
    """`node/1`, as in openstreetmap.org/node/1."""
    name: str
    tags: dict[str, str]
    geometry: shapely.Geometry


@dataclass(frozen=True)
class Found:
    """What was found."""

    features: tuple[Feature, ...]
    more: bool
    """Whether there are more than were asked for."""
    dated: str | None
    """When the data was current, ISO 8601."""


def features(tags: tuple[Tag, ...], bbox: Bbox, most: int) -> Found:
    """The features with all of the tags in a box (west > east crosses the antimeridian). Raises WebError."""
    address = str(OVERPASS.address)
    body = urlencode({"data": query(tags, bbox, most + 1)}).encode()
    with Fetcher(_LIMITS) as fetcher:
        try:
            answer = fetcher.post(address, body, "application/x-www-form-urlencoded", kinds=JSON_KINDS)
        except BadStatus as error:
            if error.status in (400, 504):
                raise WebError(f"{host_of(address)} could not do this; ask for a smaller area.") from None
            raise
    found = answer.json()
    if remark := line(part(found, "remark"), 200):
        raise WebError(f"{host_of(address)} gave up ({remark.rstrip('.')}); ask for a smaller area.")
    if not isinstance(part(found, "elements"), list):
        raise WebError(f"{host_of(address)} sent something that is no answer of Overpass.")
    read = [_feature(each) for each in items(found["elements"])]
    kept = [each for each in read if each is not None]
    dated = line(part(found, "osm3s", "timestamp_osm_base"), 40) or None
    return Found(tuple(kept[:most]), len(kept) > most, dated)


def query(tags: tuple[Tag, ...], bbox: Bbox, most: int) -> str:
    """The question in Overpass QL; what came from a user stands in quotes that it cannot leave."""
    west, south, east, north = bbox
    boxes = [(west, east)] if west <= east else [(west, 180.0), (-180.0, east)]
    selector = "".join(
        f"[{_quoted(key)}]" if value is None else f"[{_quoted(key)}={_quoted(value)}]" for key, value in tags
    )
    parts = "".join(
        f"nwr{selector}({south:.6f},{left:.6f},{north:.6f},{right:.6f});" for left, right in boxes
    )
    return f"[out:json][timeout:{_SECONDS}];({parts});out geom {most};"


def _quoted(text: str) -> str:
    escaped = line(text, 200).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _feature(element: dict[str, Any]) -> Feature | None:
    kind, number = element.get("type"), element.get("id")
    if kind not in ("node", "way", "relation") or not isinstance(number, int):
        return None
    raw = element.get("tags")
    tags = {line(key, 100): line(value) for key, value in raw.items()} if isinstance(raw, dict) else {}
    try:
        geometry = _geometry(kind, element, tags)
    except (ValueError, TypeError, shapely.errors.ShapelyError):
        return None
    if geometry is None or geometry.is_empty:
        return None
    return Feature(f"{kind}/{number}", tags.get("name", ""), tags, geometry)


def _geometry(kind: str, element: dict[str, Any], tags: dict[str, str]) -> shapely.Geometry | None:
    if kind == "node":
        points = _points([element])
        return Point(points[0]) if points else None
    if kind == "way":
        return _way(_points(element.get("geometry")), tags)
    outer, inner = _rings(element, "outer"), _rings(element, "inner")
    if outer:
        holes = unary_union(list(polygonize(inner))) if inner else None
        shape = unary_union(list(polygonize(outer)))
        return shape.difference(holes) if holes is not None else shape
    parts = [Point(each) for each in _points(element.get("members"))]
    lines = [LineString(p) for m in items(element.get("members")) if len(p := _points(m.get("geometry"))) > 1]
    return unary_union([*parts, *lines]) if parts or lines else None


def _way(points: list[tuple[float, float]], tags: dict[str, str]) -> shapely.Geometry | None:
    """A closed way is an area when its tags are those of areas, or when it says so itself."""
    if len(points) < 2:
        return Point(points[0]) if points else None
    closed = len(points) > 3 and points[0] == points[-1]
    says = tags.get("area")
    if closed and (says == "yes" or (says != "no" and AREA_KEYS & tags.keys())):
        polygon = Polygon(points)
        fixed = polygon if polygon.is_valid else shapely.make_valid(polygon)
        return fixed if isinstance(fixed, (Polygon, MultiPolygon)) else LineString(points)
    return LineString(points)


def _rings(element: dict[str, Any], role: str) -> list[LineString]:
    members = [each for each in items(element.get("members")) if (each.get("role") or "outer") == role]
    found = [_points(each.get("geometry")) for each in members if each.get("type") == "way"]
    return [LineString(each) for each in found if len(each) > 1]


def _points(value: Any) -> list[tuple[float, float]]:
    """(lon, lat) of each object that has both, on the globe."""
    found = ((finite(each.get("lon")), finite(each.get("lat"))) for each in items(value))
    return [
        (lon, lat)
        for lon, lat in found
        if lon is not None and lat is not None and abs(lon) <= 180 and abs(lat) <= 90
    ]

"""From place phrases to the arguments of filter_coords and of the camera."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import shapely
from shapely import affinity
from shapely.geometry.base import BaseGeometry

from copilot.planner.asking import Ask
from copilot.planner.clauses import Clause
from copilot.planner.situation import Call, Situation
from copilot.planner.spans import Span
from copilot.planner.unknown import unknown_place
from data.gazetteer import Candidate, Place, Resolution

CITY_LIKE = ("city", "airport", "port", "site", "capital", "town", "village")
DEFAULT_RADIUS_KM = 40.0
_NEAR_AREA_KM = 100.0
_OFFSHORE_KM = 200.0
_SMALL_DEGREES = 1.5
"""An area no wider than this is as good as a spot: Malta, Guam, Gibraltar."""
_ISLET_DEGREES2 = 0.02
_KEPT_DETAIL_DEGREES = 0.05
_NEAR = re.compile(
    r"\b(?:near|around|close to|next to|by|surrounding|in the (?:vicinity|neighbou?rhood|area) of|(?<!what )(?<!how )about|round)\s+(?:the )?$",
    re.I,
)
_OFFSHORE = re.compile(
    r"\b(?:off(?: of)?(?: the)?(?: (?:coast|shores?|coasts|coastline))?(?: of)?|offshore(?: of| from)?|in the waters (?:of|off|around)|in waters off)\s+(?:the )?$",
    re.I,
)
_COAST_OF = re.compile(
    r"\b(?:coast|shores?|coastline|coastal waters|waters) (?:of|off|around)\s+(?:the )?$", re.I
)
_BETWEEN = re.compile(r"\bbetween\s+(?:the )?$", re.I)


def place_arguments(clause: Clause, situation: Situation) -> dict[str, Any]:
    """The arguments of filter_coords for the places, points or boxes of a clause. Raises Ask."""
    if (box := clause.first("bbox")) is not None:
        if box.value.error:
            raise Ask(
                f"{box.value.error} Which box do you mean, as west, south, east, north?", (), about=box.text
            )
        return {"bbox": list(box.value.bbox)}
    if (point := clause.first("point")) is not None:
        return point_arguments(point, clause)
    spans = clause.of("place")
    places = list({place.id: place for place in (resolved(span, situation) for span in spans)}.values())
    if len(places) == 1:
        return _one_place(clause, spans[0], places[0], situation)
    if _BETWEEN.search(_before(clause, spans[0])) and len(places) == 2:
        return {"bbox": _hull([place.bbox for place in places])}
    names = [place.label for place in places]
    situation.together = names
    situation.notes.append(f"The area is {', '.join(names[:-1])} and {names[-1]}.")
    return {"geometry": union_of(places, situation)}


def reaches_beyond(clause: Clause) -> bool:
    """Whether a clause means what lies near its places, off their coasts or between them."""
    before = [_before(clause, span) for span in clause.of("place")]
    patterns = (_NEAR, _OFFSHORE, _COAST_OF, _BETWEEN)
    return any(pattern.search(text) for text in before for pattern in patterns)


def countries_of(found: Sequence[Place]) -> list[str]:
    """The codes of places that are countries all, and more than one; else none."""
    codes = [place.country for place in found if place.kind == "country" and place.country]
    return sorted(set(codes)) if len(codes) == len(found) > 1 else []


def countries_there(situation: Situation) -> list[str]:
    """The codes of the countries that are filtered by."""
    limits = situation.filters.get("attributes", [])
    listed = next(
        (each["value"] for each in limits if each["field"] == "country" and each["op"] == "in"), None
    )
    if listed:
        return [str(code) for code in listed]
    place = (
        situation.gazetteer.resolve(situation.filters["place"]).best
        if situation.filters.get("place")
        else None
    )
    whole = place is not None and place.kind == "country" and not situation.filters.get("radius_km")
    return [place.country] if whole and place is not None and place.country else []


def joined_to_the_place_there(found: dict[str, Any], situation: Situation) -> dict[str, Any]:
    """ "In Ireland too": the place there is and the new one as one outline. The new one alone where there is none."""
    old = _area_there(situation)
    place = situation.gazetteer.resolve(found["place"]).best if "place" in found else None
    if old is None or place is None:
        return found
    before = situation.filters.get("place")
    situation.notes.append(f"The area is {before or 'the one there was'} and {place.label}.")
    new = (
        _circle(place.lon, place.lat, found["radius_km"])
        if "radius_km" in found
        else _shape(place, situation)
    )
    return {"geometry": _as_geojson([old, new])}


def _area_there(situation: Situation) -> BaseGeometry | None:
    """The area that is filtered by, as far as the filters say."""
    now = situation.filters
    if now.get("geometry"):
        return shapely.from_geojson(json.dumps(now["geometry"]))
    lon_lat = now.get("center") or ((now["lon"], now["lat"]) if "lon" in now else None)
    if lon_lat is not None:
        return _circle(lon_lat[0], lon_lat[1], now.get("radius_km") or DEFAULT_RADIUS_KM)
    place = situation.gazetteer.resolve(now["place"]).best if now.get("place") else None
    if place is not None:
        return _shape(place, situation)
    return (
        shapely.union_all([shapely.box(*piece) for piece in _cut(tuple(now["bbox"]))])
        if now.get("bbox")
        else None
    )


def point_arguments(span: Span, clause: Clause) -> dict[str, Any]:
    """`lon`, `lat` and, when a distance is said, `radius_km`. Raises Ask for impossible coordinates."""
    if span.value.error:
        raise Ask(f"{span.value.error} Which point do you mean?", (), about=span.text)
    radius = radius_km(clause)
    return {"lon": span.value.lon, "lat": span.value.lat} | ({"radius_km": radius} if radius else {})


def radius_km(clause: Clause) -> float | None:
    """The distance a clause gives for its place."""
    found = next((span for span in clause.of("distance") if not is_a_size(clause, span)), None)
    return round(found.value.value, 3) if found is not None else None


_SIZE = re.compile(
    r"\b(?:longer|larger|bigger|wider|taller|shorter|smaller|narrower|deeper|higher|long|wide|tall)\b", re.I
)


def is_a_size(clause: Clause, span: Span) -> bool:
    """Whether a length is an object's: "longer than 100 m", "200 m long"."""
    after = clause.text[span.end - clause.start :]
    before = _before(clause, span)
    return bool(
        _SIZE.match(span.text)
        or re.search(rf"{_SIZE.pattern} (?:than|as)?\s*(?:about |at least )?$", before, re.I)
        or re.match(r"[ -](?:long|tall)\b", after, re.I)
    )


def shows_a_place(camera: Mapping[str, Any]) -> bool:
    """Whether a map is near enough for "here" to be what it shows: of half the world nobody says so."""
    return bool(camera["zoom"] >= _NEAR_ENOUGH)


_NEAR_ENOUGH = 5


def resolved(span: Span, situation: Situation) -> Place:
    """The place a phrase means, with a label that means nothing else. Raises Ask when that is not clear."""
    place = _resolved(span, situation)
    if place.kind == "country" and situation.gazetteer.resolve(place.label).ambiguous:
        return replace(place, label=f"{place.label} (country)")
    return place


def _resolved(span: Span, situation: Situation) -> Place:
    resolution: Resolution = span.value.resolution
    chosen = situation.choices.get(span.text.lower())
    if chosen is not None:
        resolution = situation.gazetteer.resolve(chosen)
    elif resolution.ambiguous:
        near = _decided_by_context(resolution, situation)
        if near is None:
            raise Ask(
                f"Which {_capital(span.text)} do you mean?", _choices(resolution.candidates), about=span.text
            )
        return near
    if not resolution.candidates:
        raise unknown_place(span.text, situation)
    best = resolution.candidates[0].place
    if resolution.corrected:
        situation.notes.append(f"I read '{span.text}' as {best.label}.")
    return best


def _decided_by_context(resolution: Resolution, situation: Situation) -> Place | None:
    """The candidate the conversation is already about, when there is just one."""
    current = situation.filters.get("place")
    return next((each.place for each in resolution.candidates if each.place.label == current), None)


def _choices(candidates: Sequence[Candidate]) -> list[str]:
    """The candidates' labels; a country among them is called one, so that no two read alike."""
    countries = len({each.place.kind for each in candidates}) > 1
    labels = [
        f"{each.place.label} (country)" if countries and each.place.kind == "country" else each.place.label
        for each in candidates
    ]
    return list(dict.fromkeys(labels))[:6]


def camera_on(filtered: Call, situation: Situation) -> Call:
    """The camera call that shows what a filter_coords call, or a filter by countries, selects."""
    args = filtered.args
    if args.get("field") == "country":
        known = (situation.gazetteer.resolve(code).best for code in args["value"])
        boxes = [place.bbox for place in known if place is not None and place.bbox[0] < place.bbox[2]]
        return (
            Call("fit_bounds", {"bbox": [round(value, 4) for value in _hull(boxes)]})
            if boxes
            else Call("fit_selection")
        )
    if "bbox" in args:
        return Call("fit_bounds", {"bbox": args["bbox"]})
    if "geometry" in args:
        bounds = shapely.from_geojson(json.dumps(args["geometry"])).bounds
        return Call("fit_bounds", {"bbox": [round(value, 4) for value in bounds]})
    if "drawing" in args:
        return Call("fit_layer", {"layer": args["drawing"]})
    if "lon" in args:
        return Call(
            "fit_bounds",
            {"bbox": _around(args["lon"], args["lat"], args.get("radius_km", DEFAULT_RADIUS_KM))},
        )
    place = situation.gazetteer.resolve(args["place"]).candidates[0].place
    if "radius_km" in args and place.kind in CITY_LIKE:
        return Call("fit_bounds", {"bbox": _around(place.lon, place.lat, args["radius_km"])})
    if "radius_km" in args and place.bbox[0] < place.bbox[2]:
        west, south, east, north = place.bbox
        low, high = _around(west, south, args["radius_km"]), _around(east, north, args["radius_km"])
        return Call("fit_bounds", {"bbox": [*low[:2], *high[2:]]})
    return Call("zoom_map", {"place": args["place"]})


def _around(lon: float, lat: float, radius_km: float) -> list[float]:
    """The box around a circle on the sphere, wide enough at its latitude."""
    half_lat = radius_km / 111.2
    half_lon = half_lat / max(0.02, math.cos(math.radians(lat)))
    box = (
        max(-180, lon - half_lon),
        max(-90, lat - half_lat),
        min(180, lon + half_lon),
        min(90, lat + half_lat),
    )
    return [round(value, 4) for value in box]


def _one_place(clause: Clause, span: Span, place: Place, situation: Situation) -> dict[str, Any]:
    before = _before(clause, span)
    found: dict[str, Any] = {"place": place.label}
    radius = radius_km(clause)
    if radius is None and _NEAR.search(before) and place.kind == "country":
        radius = _NEAR_AREA_KM
    if radius is not None and (circle := _circle_of_an_area(place, radius, situation)) is not None:
        return circle
    if radius is not None:
        return found | {"radius_km": radius}
    if _OFFSHORE.search(before) or _COAST_OF.search(before):
        return found | {"radius_km": _OFFSHORE_KM if place.kind not in CITY_LIKE else _NEAR_AREA_KM}
    return found


def _circle_of_an_area(place: Place, radius: float, situation: Situation) -> dict[str, Any] | None:
    """ "Around Singapore" is around the city; around a small island it is around its middle. None for what is large."""
    if place.kind in CITY_LIKE:
        return None
    city = situation.gazetteer.resolve(f"{place.name} (city)").best
    if city is not None and city.country == place.country and city.name == place.name:
        return {"place": city.label, "radius_km": radius}
    west, south, east, north = place.bbox
    if max(east - west, north - south) > _SMALL_DEGREES or east < west:
        return None
    situation.notes.append(f"The circle is around the middle of {place.label}.")
    return {"lon": place.lon, "lat": place.lat, "radius_km": radius}


def _before(clause: Clause, span: Span) -> str:
    return clause.text[: span.start - clause.start]


def _hull(boxes: Sequence[tuple[float, float, float, float]]) -> list[float]:
    wests, souths, easts, norths = zip(*boxes, strict=True)
    return [min(wests), min(souths), max(easts), max(norths)]


def union_of(places: Sequence[Place], situation: Situation) -> dict[str, Any]:
    """The outlines of the places together as GeoJSON: of countries and US states as they are, of cities a circle."""
    return _as_geojson([_shape(place, situation) for place in places])


def _as_geojson(shapes: Sequence[BaseGeometry]) -> dict[str, Any]:
    whole = shapely.union_all(shapes).simplify(_KEPT_DETAIL_DEGREES)
    if isinstance(whole, shapely.MultiPolygon):  # islets would fill the state without changing a count
        whole = shapely.MultiPolygon(
            [each for each in whole.geoms if each.area > _ISLET_DEGREES2] or whole.geoms
        )
    rounded: dict[str, Any] = json.loads(shapely.to_geojson(shapely.set_precision(whole, 0.001)))
    return rounded


def _shape(place: Place, situation: Situation) -> BaseGeometry:
    outline = situation.gazetteer.polygon(place)
    if outline is not None:
        return outline
    if place.kind in CITY_LIKE:
        return _circle(place.lon, place.lat, DEFAULT_RADIUS_KM)
    return shapely.union_all([shapely.box(*piece) for piece in _cut(place.bbox)])


def _circle(lon: float, lat: float, radius_km: float) -> BaseGeometry:
    height = radius_km / 111.32
    width = height / max(0.05, math.cos(math.radians(lat)))
    circle = shapely.Point(0, 0).buffer(1.0, quad_segs=8)
    return affinity.translate(affinity.scale(circle, width, height, origin=(0, 0)), lon, lat)


def _cut(box: tuple[float, float, float, float]) -> list[tuple[float, float, float, float]]:
    west, south, east, north = box
    return [box] if west <= east else [(west, south, 180.0, north), (-180.0, south, east, north)]


def _capital(name: str) -> str:
    return name if name[:1].isupper() else name.title()

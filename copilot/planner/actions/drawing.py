"""Drawing on the map, measuring and reading it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from copilot.planner.actions.references import layer_meant
from copilot.planner.asking import Ask
from copilot.planner.clauses import Clause
from copilot.planner.forms import form_of, forms_said
from copilot.planner.places import radius_km, resolved, shows_a_place
from copilot.planner.situation import Call, Situation
from copilot.planner.spans import Span

_DEFAULT_RADIUS_KM = 40.0
_NAMED = re.compile(
    r"\b(?:called|named|labell?ed|label it|call it|name it|with the (?:label|name|text)|"
    r"saying|titled)\s+([^,.;]+?)\s*$",
    re.I,
)


def bbox(clause: Clause, situation: Situation) -> Iterator[Call]:
    """A box from numbers or around a place."""
    box = clause.first("bbox")
    if box is not None and not box.value.error:
        yield Call("draw_bbox", {"bbox": list(box.value.bbox)} | _name(clause))
    elif (place := clause.first("place")) is not None:
        yield Call("draw_bbox", {"place": resolved(place, situation).label} | _name(clause))
    elif len(points := clause.of("point")) == 2:
        lons = sorted(each.value.lon for each in points)
        lats = sorted(each.value.lat for each in points)
        yield Call("draw_bbox", {"bbox": [lons[0], lats[0], lons[1], lats[1]]} | _name(clause))
    else:
        raise Ask("Where should the box be? Give a place, or west, south, east, north.", ())


def polygon(clause: Clause, situation: Situation) -> Iterator[Call]:
    """A polygon through points, or a place's box."""
    points = clause.of("point")
    if ring := _bare_ring(clause):
        yield Call("draw_polygon", {"points": ring} | _name(clause))
    elif len(points) >= 3:
        ring = [[each.value.lon, each.value.lat] for each in points]
        yield Call("draw_polygon", {"points": ring} | _name(clause))
    elif len(places := clause.of("place")) >= 3:
        ring = [[place.lon, place.lat] for place in (resolved(each, situation) for each in places)]
        yield Call("draw_polygon", {"points": ring} | _name(clause))
    elif clause.of("place", "bbox"):
        yield from bbox(clause, situation)
    else:
        raise Ask("Through which points should the polygon go? Give at least three, as lat, lon.", ())


_PAIRS = re.compile(r"(?<![\w.])(-?\d+(?:\.\d+)?)[\s,]+(-?\d+(?:\.\d+)?)(?![\w])")


def _bare_ring(clause: Clause) -> list[list[float]] | None:
    """Three or more pairs of numbers, longitude first as in GeoJSON and WKT: "(0 0, 10 0, 10 10)"."""
    if not re.search(r"\b(?:polygon|triangle|shape|ring|quadrilateral|corners|area)\b", clause.text, re.I):
        return None
    pairs = [[float(match[1]), float(match[2])] for match in _PAIRS.finditer(clause.text)]
    on_earth = all(abs(lon) <= 180 and abs(lat) <= 90 for lon, lat in pairs)
    return pairs if len(pairs) >= 3 and on_earth else None


def circle(clause: Clause, situation: Situation) -> Iterator[Call]:
    """A circle around a point or a place."""
    radius = radius_km(clause) or _DEFAULT_RADIUS_KM
    yield Call("draw_circle", _where(clause, situation) | {"radius_km": radius} | _name(clause))


def marker(clause: Clause, situation: Situation) -> Iterator[Call]:
    """A pin at each point or place."""
    spots = clause.of("place", "point")
    if len(spots) > 1:
        for span in spots:
            yield Call("draw_marker", _spot(span, situation))
        return
    name = _name(clause)
    label = {"label": name["name"]} if name else {}
    yield Call("draw_marker", _where(clause, situation) | label)


def clear(clause: Clause, situation: Situation) -> Iterator[Call]:
    """The drawings of the form that a clause names, the last ones, or all."""
    meant = _drawings_meant(clause.text, situation)
    if len(meant) == len(situation.drawings):
        yield Call("clear_drawings")
        return
    for layer_id in meant:
        yield Call("remove_layer", {"layer": layer_id})


def _drawings_meant(text: str, situation: Situation) -> list[str]:
    """The ids of the drawings that are to go: one of the form for "the circle", each for "the circles"."""
    drawn = situation.drawings
    forms = forms_said(text)
    found = [each for each in drawn if form_of(each.get("geometry", {})) in forms]
    named = [each for each in drawn if str(each["name"]).lower() in text.lower()]
    if named and len(str(named[-1]["name"])) > _SHORTEST_NAME:
        found = named
    elif not found:
        found = drawn
    single = re.search(r"\b(?:last|latest|newest)\b", text, re.I) or (
        forms and found is not drawn and not _SEVERAL.search(text)
    )
    return [str(each["id"]) for each in (found[-1:] if single else found)]


_SHORTEST_NAME = 2
_SEVERAL = re.compile(
    r"\b(?:all|every|both|circles|rings|boxes|rectangles|markers|pins|flags|needles|polygons|triangles)\b",
    re.I,
)


def distance(clause: Clause, situation: Situation) -> Iterator[Call]:
    """Along a line of places or points."""
    spots = clause.of("place", "point")
    if len(spots) < 2 and (pairs := _bare_pairs(clause)):
        yield _measured(pairs, clause.text)
        return
    if len(spots) == 1 and _FROM_THERE.search(clause.text) and (there := _last_spot(situation)) is not None:
        yield _measured([there, _lonlat(spots[0], situation)], clause.text)
        return
    if len(spots) < 2:
        if len(spots) == 1 and (there := _pointed_at(situation)) is not None:
            yield Call("measure_distance", {"points": [there, _lonlat(spots[0], situation)]})
            return
        raise Ask("Between which places or points should I measure?", ())
    yield _measured([_lonlat(each, situation) for each in spots], clause.text)


_UNITS = (
    ("nmi", r"\b(?:nautical miles?|nmi|nm|sea miles?)\b"),
    ("mi", r"\b(?<!nautical )(?<!sea )miles?\b"),
    ("ft", r"\b(?:feet|foot)\b"),
    ("m", r"\bmet(?:re|er)s\b"),
)


def _measured(points: list[list[float]], text: str) -> Call:
    """The call that measures along points, in the unit that is asked for."""
    unit = next((unit for unit, words in _UNITS if re.search(words, text, re.I)), None)
    if unit is None or len(points) != _ENDS:
        return Call("measure_distance", {"points": points})
    start, end = (f"{lon},{lat}" for lon, lat in points)
    return Call("distance_between", {"start": start, "end": end, "unit": unit})


_FROM_THERE = re.compile(
    r"\b(?:from|to|between|of)\s+(?:it|that|this|there|here|the (?:marker|pin|drawing|circle|box))\b", re.I
)


def _bare_pairs(clause: Clause) -> list[list[float]]:
    """Two pairs of numbers or more, longitude first: "from 10 45 to 12 47"."""
    pairs = [[float(match[1]), float(match[2])] for match in _PAIRS.finditer(clause.text)]
    on_earth = all(abs(lon) <= _MOST_LON and abs(lat) <= _MOST_LAT for lon, lat in pairs)
    return pairs if len(pairs) > 1 and on_earth else []


def _last_spot(situation: Situation) -> list[float] | None:
    """[lon, lat] of what "there" means: the point or place spoken of last, or the marker drawn last."""
    if (spot := _spoken_of(situation.planned, situation)) is not None:
        return spot
    for layer in reversed(situation.drawings):
        geometry = layer.get("geometry") or {}
        if geometry.get("type") == "Point":
            return [float(each) for each in geometry["coordinates"][:2]]
    name = situation.filters.get("place") or situation.focus
    place = situation.gazetteer.resolve(str(name)).best if name else None
    if place is not None:
        return [place.lon, place.lat]
    return _spoken_of([call for turn in situation.past for call in turn.calls], situation)


def _spoken_of(calls: Sequence[Call], situation: Situation) -> list[float] | None:
    """The point or the middle of the place that the last of some calls names."""
    for call in reversed(calls):
        if {"lon", "lat"} <= call.args.keys():
            return [float(call.args["lon"]), float(call.args["lat"])]
        if (name := call.args.get("place")) is not None:
            place = situation.gazetteer.resolve(str(name)).best
            return None if place is None else [place.lon, place.lat]
    return None


_ENDS, _MOST_LON, _MOST_LAT = 2, 180, 90


def area(clause: Clause, situation: Situation) -> Iterator[Call]:
    """Of a drawing, a box or a place."""
    box = clause.first("bbox")
    if ring := _bare_ring(clause):
        yield Call("draw_polygon", {"points": ring} | _name(clause))
        yield Call("measure_area", {"layer": situation.drawings[-1]["id"]})
    elif box is not None and not box.value.error:
        yield Call("measure_area", {"bbox": list(box.value.bbox)})
    elif (place := clause.first("place")) is not None:
        yield Call("measure_area", {"place": resolved(place, situation).label})
    elif situation.drawings or clause.of("layer"):
        yield Call(
            "measure_area",
            {"layer": layer_meant(clause, situation) if clause.of("layer") else situation.drawings[-1]["id"]},
        )
    else:
        raise Ask("Which area should I measure? Draw one, or name a place.", ())


def identify(clause: Clause, situation: Situation) -> Iterator[Call]:
    """What is at a point or at a place."""
    spot = clause.first("point") or clause.first("place")
    lon, lat = _lonlat(spot, situation) if spot else _meant_by_here(situation)
    yield Call("identify_at", {"lon": lon, "lat": lat})


def map_state(clause: Clause, situation: Situation) -> Iterator[Call]:
    """What the map shows."""
    yield Call("map_state")


def _where(clause: Clause, situation: Situation) -> dict[str, Any]:
    span = clause.first("point") or clause.first("place")
    if span is not None:
        return _spot(span, situation)
    lon, lat = _meant_by_here(situation)
    return {"lon": lon, "lat": lat}


def _meant_by_here(situation: Situation) -> list[float]:
    """The point that a clause means which names none. Raises Ask where nothing before says which."""
    if (there := _pointed_at(situation)) is None:
        raise Ask("Which place or point do you mean? Name it, or give lat, lon.", ())
    return there


def _pointed_at(situation: Situation) -> list[float] | None:
    """What was spoken of or drawn last, else the middle of a map that somebody brought to a place."""
    there = _last_spot(situation)
    return there if there is not None or not shows_a_place(situation.state["map"]) else _middle(situation)


def _middle(situation: Situation) -> list[float]:
    lon, lat = situation.state["map"]["center"]
    return [lon, lat]


def _spot(span: Span, situation: Situation) -> dict[str, Any]:
    if span.kind == "place":
        return {"place": resolved(span, situation).label}
    if span.value.error:
        raise Ask(f"{span.value.error} Which point do you mean?", (), about=span.text)
    return {"lon": span.value.lon, "lat": span.value.lat}


def _lonlat(span: Span, situation: Situation) -> list[float]:
    if span.kind == "place":
        place = resolved(span, situation)
        return [place.lon, place.lat]
    if span.value.error:
        raise Ask(f"{span.value.error} Which point do you mean?", (), about=span.text)
    return [span.value.lon, span.value.lat]


def _name(clause: Clause) -> dict[str, str]:
    quoted = clause.first("quoted")
    if quoted is not None:
        return {"name": str(quoted.value)}
    match = _NAMED.search(clause.text)
    return {"name": match[1].strip()} if match else {}


ACTIONS = {
    "draw_bbox": bbox,
    "draw_polygon": polygon,
    "draw_circle": circle,
    "draw_marker": marker,
    "clear_drawings": clear,
    "measure_distance": distance,
    "measure_area": area,
    "identify_at": identify,
    "map_state": map_state,
}

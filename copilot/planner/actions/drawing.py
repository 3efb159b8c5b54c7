"""Drawing on the map, measuring and reading it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from copilot.planner.actions.references import layer_meant
from copilot.planner.asking import Ask
from copilot.planner.clauses import Clause
from copilot.planner.places import radius_km, resolved
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
    """A circle around a point, a place or the map's centre."""
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
    """All drawings away."""
    yield Call("clear_drawings")


def distance(clause: Clause, situation: Situation) -> Iterator[Call]:
    """Along a line of places or points."""
    spots = clause.of("place", "point")
    if len(spots) < 2:
        known = "the map's centre"
        if len(spots) == 1:
            lon, lat = situation.state["map"]["center"]
            yield Call("measure_distance", {"points": [[lon, lat], _lonlat(spots[0], situation)]})
            return
        raise Ask(f"Between which places should I measure? One alone is measured from {known}.", ())
    yield Call("measure_distance", {"points": [_lonlat(each, situation) for each in spots]})


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
    """What is at a point, at a place, or in the middle of the map."""
    spot = clause.first("point") or clause.first("place")
    lon, lat = _lonlat(spot, situation) if spot else situation.state["map"]["center"]
    yield Call("identify_at", {"lon": lon, "lat": lat})


def map_state(clause: Clause, situation: Situation) -> Iterator[Call]:
    """What the map shows."""
    yield Call("map_state")


def _where(clause: Clause, situation: Situation) -> dict[str, Any]:
    span = clause.first("point") or clause.first("place")
    if span is not None:
        return _spot(span, situation)
    lon, lat = situation.state["map"]["center"]
    return {"lon": lon, "lat": lat}


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

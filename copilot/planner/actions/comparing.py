"""Counts side by side: of places, periods, data sets and classes, those of the conversation included.

What is compared is gone through one by one; the selection is then as it was before.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from copilot.planner.actions.grouping import GROUPINGS, any_grouping, group_field, need_data
from copilot.planner.asking import Ask
from copilot.planner.clauses import Clause
from copilot.planner.extremes import EXTREMES, OF_ALL, is_bare_extreme
from copilot.planner.period import date_arguments
from copilot.planner.places import CITY_LIKE, DEFAULT_RADIUS_KM, resolved
from copilot.planner.reading.text import NUMBER_WORDS, one_of, whole_number
from copilot.planner.situation import Call, Situation

_OF_THEM = re.compile(
    rf"^\W*(?:and |so |ok |but )*(?:who|which(?: one)?|what(?: one)?|which of (?:them|those|these|the)(?: (?:last )?(?P<n>\d|{one_of(NUMBER_WORDS)}))?(?: \w+)?)\s+"
    rf"(?:had|has|have|got|holds?|shows?|is|are|was|were)\b.{{0,40}}\b(?:{EXTREMES})\b",
    re.I,
)
_AGAINST = re.compile(
    r"\b(?:vs\.?|versus|compared (?:to|with)|as opposed to|against)\s+(?:the |those (?:in|of|from) )?(?:in )?$",
    re.I,
)
OF_EVENTS = "xview2"
"""The data set whose images belong to disasters."""
_HELD = ("place", "date", "class", "dataset", "event")


def compares_them(clause: Clause, situation: Situation) -> bool:
    """Whether a clause asks which of the things compared before has more: "who has more", "which of those three"."""
    if not is_of_them(clause):
        return False
    return len(_places_before(situation)) > 1 or _alternatives(situation) is not None


def is_of_them(clause: Clause) -> bool:
    """Whether a clause asks which of some things has more, and names none of them itself."""
    asks = bool(_OF_THEM.search(clause.text)) or is_bare_extreme(clause.text)
    return asks and not clause.of("place", "dataset", "date", "field", "event")


def holds_against(clause: Clause) -> bool:
    """Whether a clause holds two phrases of one kind against each other: "dark vessels vs. fishing boats"."""
    for kind in _HELD:
        spans = clause.of(kind)
        if any(_AGAINST.search(clause.text[: span.start - clause.start]) for span in spans[1:]):
            return True
    return has_both_sides(clause)


_BOTH_SIDES = re.compile(
    r"\b(?:before|pre|after|post)\s*(?:and|or|/|&|vs\.?|versus)\s*(?:before|pre|after|post)\b", re.I
)
_DISASTER = re.compile(
    r"\bthe (?:\w+ )?(?:\w*fires?|floods?|flooding|(?:earth)?quake|tsunami|hurricane|storm|tornado|eruption|disasters?|events?)\b",
    re.I,
)
_COUNTED = re.compile(r"\b(?:how many|number of|count|more|fewer|compare)\b", re.I)
SIDES = {"pre_disaster": "before", "post_disaster": "after"}
"""What the names of a disaster's images say of when they were taken."""


def of_both_sides_of_an_event(clause: Clause) -> bool:
    """Whether the images before and after a disaster are counted."""
    disaster = bool(clause.of("event")) or _DISASTER.search(clause.text) is not None
    return disaster and bool(_BOTH_SIDES.search(clause.text) and _COUNTED.search(clause.text))


def in_one_place(clause: Clause) -> bool:
    """Whether periods are compared in a place: "in France before and after June 2018"."""
    return len(clause.of("date")) > 1 and len(clause.of("place")) == 1


def has_both_sides(clause: Clause) -> bool:
    """Whether a clause names two open periods that share no day: only one by one can they be selected."""
    ends = [(span.value.start, span.value.end) for span in clause.of("date")]
    before = [end for start, end in ends if start is None and end is not None]
    after = [start for start, end in ends if start is not None and end is None]
    return len(ends) == 2 and bool(before and after) and before[0] < after[0]


def compare(clause: Clause, situation: Situation) -> Iterator[Call]:
    """Counts side by side: of data sets, classes, periods, or place after place; nothing where the request has them.

    "Airports in Kenya vs Tanzania, who has more?" asks once.
    """
    if is_of_them(clause) and _is_compared(situation.planned):
        return
    yield from need_data(clause, situation)
    before = dict(situation.filters)
    places = [resolved(span, situation).label for span in clause.of("place")]
    dates = clause.of("date")
    if len(places) == 1 and before.get("place") not in (None, places[0]) and not in_one_place(clause):
        places.insert(0, str(before["place"]))
    if len(places) > 1:
        yield from _one_by_one(places, before, situation)
        return
    if of_both_sides_of_an_event(clause):
        if OF_EVENTS not in situation.loaded:
            raise Ask("Which disaster do you mean? Those of xview2 have images from before and after.", ())
        for side in SIDES:
            yield Call("filter_attribute", {"field": "name", "op": "contains", "value": side})
            yield Call("db_count")
        yield Call("filter_clear", {"fields": ["name"]})
        return
    for kind, by in (("dataset", "dataset"), ("event", "event"), ("class", "class")):
        if len(clause.of(kind)) > 1:
            yield Call("group_count", {"by": by} | _unit(clause))
            return
    if len(dates) > 1:
        for span in dates:
            if (when := date_arguments([span], situation)) is not None:
                yield Call("filter_date", when)
                yield Call("db_count")
        yield _as_before(before, ("start", "end"), "filter_date", "date")
        return
    grouped = group_field(clause) or any_grouping(clause)
    if grouped is None:
        grouped = _alternatives(situation)
    if grouped is None and len(known := _places_before(situation)) > 1:
        yield from _one_by_one(_meant_of(known, clause, situation), before, situation)
        return
    if grouped is None:
        raise Ask("What should I compare?", ("the data sets", "the years", "the classes", "the sensors"))
    yield Call("group_count", {"by": grouped} | _unit(clause))


def _is_compared(planned: Sequence[Call]) -> bool:
    tools = [call.tool for call in planned]
    return tools.count("db_count") > 1 or "group_count" in tools


def _unit(clause: Clause) -> dict[str, str]:
    """Objects where "how many" is asked of classes, and not of images with them."""
    images = re.search(r"\b(?:images?|scenes?|pictures?|photos?)\b", clause.text, re.I)
    counted = re.search(r"\b(?:how many|number of|count)\b", clause.text, re.I)
    return {"unit": "detections"} if counted and not images and len(clause.of("class")) > 1 else {}


def _meant_of(known: list[str], clause: Clause, situation: Situation) -> list[str]:
    """Of the places spoken of: as many as are said, two for "more", all of the last turns for "the most"."""
    said = _OF_THEM.search(clause.text)
    number = whole_number(said["n"]) if said and said["n"] else None
    if number is None and not re.search(rf"\b(?:{OF_ALL})\b", clause.text, re.I):
        number = 2
    if number is None:
        last: set[str] = set(situation.together)
        for turn in reversed(situation.past):
            names = {
                str(call.args["place"])
                for call in turn.calls
                if call.tool == "filter_coords" and "place" in call.args
            }
            if not names:
                break
            last |= names
        number = sum(name in last for name in known)
    return known[-max(2, min(number, _MOST_PLACES)) :]


_MOST_PLACES = 6


def _one_by_one(places: list[str], before: Mapping[str, Any], situation: Situation) -> Iterator[Call]:
    """Each place selected and counted, cities within the radius there was; then the place that was selected before."""
    radius = before.get("radius_km")
    for name in places:
        place = situation.gazetteer.resolve(name).best
        wide = radius not in (None, DEFAULT_RADIUS_KM) and place is not None and place.kind in CITY_LIKE
        yield Call("filter_coords", {"place": name} | ({"radius_km": radius} if wide else {}))
        yield Call("db_count")
    yield _as_before(before, ("place", "radius_km"), "filter_coords", "place")


def _as_before(before: Mapping[str, Any], keys: tuple[str, ...], tool: str, part: str) -> Call:
    """The call that puts a part of the filters back as it was; one that clears it where there was none."""
    was = {key: before[key] for key in keys if key in before}
    if part == "place" and "place" not in before:
        was = {key: before[key] for key in ("geometry",) if key in before}
        if not was and "center" in before:
            lon, lat = before["center"]
            was = {"lon": lon, "lat": lat, "radius_km": before["radius_km"]}
        elif not was and "bbox" in before:
            was = {"bbox": before["bbox"]}
    return Call(tool, was) if was else Call("filter_clear", {"fields": [part]})


def _alternatives(situation: Situation) -> str | None:
    """The field that the selection is limited to several values of: two countries, two disasters."""
    limits = situation.filters.get("attributes", [])
    return next(
        (str(each["field"]) for each in limits if each["op"] == "in" and each["field"] in GROUPINGS), None
    )


def _places_before(situation: Situation) -> list[str]:
    """The places that were filtered by or named together, in order, for "compare them"."""
    calls = [call for turn in situation.past for call in turn.calls] + situation.planned
    names = [
        str(call.args["place"]) for call in calls if call.tool == "filter_coords" and "place" in call.args
    ]
    return list(dict.fromkeys(reversed([*names, *situation.together])))[::-1]

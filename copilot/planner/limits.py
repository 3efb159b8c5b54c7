"""Limits of numbers and attributes: what a clause compares, and how it changes a limit that is there."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from copilot.planner.clauses import Clause
from copilot.planner.reading.quantities import COMPARATORS, NUMBER, number
from copilot.planner.reading.text import plain
from copilot.planner.situation import Call, Situation
from copilot.planner.spans import Span

NARROWING = ("dataset", "event", "place", "point", "bbox", "date", "class", "attribute")
"""Kinds of phrases that narrow the selection."""
_BARE_LIMIT = re.compile(
    rf"\b(?P<op>{'|'.join(words for op, words in COMPARATORS if op in ('<', '<=', '>', '>='))}) (?P<n>{NUMBER})\s*(?:%|percent|m)?\W*$",
    re.I,
)
SETS_TO = re.compile(
    rf"^\W*(?:(?:no|and|now|ok|actually|rather|please)\W+)*(?:make|set|change|put) (?:it|that|this)(?: to)? (?P<n>{NUMBER})\W*(?:%|percent)?\W*$",
    re.I,
)
"""Another number for the limit that is there: "make that 200"."""
_OF_THE_LIMIT = {
    "cloud_pct": r"%|percent|clouds?|cloudy",
    "gsd_m": r"m|met(?:er|re)s?|cm",
    "detections": r"objects?|detections?|boxes|targets|them",
}
"""Field: the units that a new limit for it may be said in; a number of rows or of examples is no limit of a field."""


_OBJECTS = r"objects?|detections?|boxes|targets|annotations?|instances"
_OF_SIDES = ("<", "<=", ">", ">=")
_THRESHOLD = re.compile(
    rf"(?P<op>{'|'.join(words for op, words in COMPARATORS if op != '~')}) (?P<n>{NUMBER}) $", re.I
)


def thresholds(clause: Clause, classes: Sequence[Span], situation: Situation) -> Iterator[Call]:
    """ "More than 20 ships": images are kept by how many objects they hold, whatever their class."""
    for span in classes:
        found = _THRESHOLD.search(plain(clause.text[: span.start - clause.start]))
        op = next((op for op, words in COMPARATORS if found and re.fullmatch(words, found["op"])), None)
        if found and op:
            situation.notes.append(
                f"Objects of every class count: an image with {found['op']} {found['n']} of them."
            )
            yield Call("filter_attribute", {"field": "detections", "op": op, "value": number(found["n"])})
    for span in clause.of("count"):
        if span.value.op in _OF_SIDES and re.fullmatch(_OBJECTS, span.value.unit, re.I):
            limit = {"field": "detections", "op": span.value.op, "value": float(span.value.value)}
            yield from in_place_of(Call("filter_attribute", limit), situation)
            yield Call("filter_attribute", limit)


def attribute_calls(clause: Clause, situation: Situation, adding: bool) -> Iterator[Call]:
    """ "Radar and optical": two values of one field are alternatives, as no image has both."""
    for span in dict.fromkeys(clause.of("attribute")):
        values = list(
            dict.fromkeys(
                each.value.value
                for each in clause.of("attribute")
                if each.value.field == span.value.field and each.value.op == "="
            )
        )
        if len(values) < 2 or span.value.op != "=":
            call = Call("filter_attribute", _attribute(span, situation, adding))
            yield from in_place_of(call, situation)
            if call not in situation.planned:
                yield call
        elif span.value.value == values[0]:
            yield Call("filter_attribute", {"field": span.value.field, "op": "in", "value": values})


_DOWN, _UP = ("<", "<="), (">", ">=")


def in_place_of(call: Call, situation: Situation) -> Iterator[Call]:
    """Drop the earlier limit that a new one stands for: "under 5 %", then "at most 10 %"."""
    field, op = call.args["field"], call.args["op"]
    side = next((each for each in (_DOWN, _UP) if op in each), ())
    there = [each for each in situation.filters.get("attributes", []) if each["field"] == field]
    if not any(each["op"] in side and each["op"] != op for each in there):
        return
    yield Call("filter_clear", {"fields": [field]})
    for each in there:
        if each["op"] not in side:
            yield Call("filter_attribute", {"field": field, "op": each["op"], "value": each["value"]})


def _attribute(span: Span, situation: Situation, adding: bool) -> dict[str, Any]:
    """ "And val too" adds a value to those the same field is limited to."""
    found = span.value
    same = next(
        (each for each in situation.filters.get("attributes", []) if each["field"] == found.field), None
    )
    if adding and found.op == "=" and same is not None and same["op"] in ("=", "in"):
        values = same["value"] if isinstance(same["value"], list) else [same["value"]]
        return {"field": found.field, "op": "in", "value": [*values, found.value]}
    return {"field": found.field, "op": found.op, "value": found.value}


def names_a_number_of_objects(clause: Clause) -> bool:
    """Whether a clause limits how many objects an image holds: "at least 100 objects"."""
    return any(
        span.value.op in _OF_SIDES and re.fullmatch(_OBJECTS, span.value.unit, re.I)
        for span in clause.of("count")
    )


def changed_limit(clause: Clause, situation: Situation) -> dict[str, Any] | None:
    """ "Make it under 5": another limit for the field that was limited last."""
    limits = situation.filters.get("attributes", [])
    bare = _BARE_LIMIT.search(clause.text)
    numbers = [
        span
        for span in clause.of("count", "percent")
        if span.value.op != "=" and not re.match(r"\W*limit", span.text, re.I)
    ]
    if not limits or clause.of(*NARROWING):
        return None
    last = _last_limit(situation) or limits[-1]
    if not isinstance(last["value"], int | float):
        return None
    if (plain_number := SETS_TO.match(clause.text)) is not None:
        return {"field": last["field"], "op": last["op"], "value": number(plain_number["n"])}
    if bare and not numbers:
        op = next(op for op, words in COMPARATORS if re.fullmatch(words, bare["op"], re.I))
        return {"field": last["field"], "op": op, "value": number(bare["n"])}
    units = _OF_THE_LIMIT.get(str(last["field"]), "")
    numbers = [span for span in numbers if not span.value.unit or re.fullmatch(units, span.value.unit, re.I)]
    if not numbers:
        return None
    return {"field": last["field"], "op": numbers[0].value.op, "value": float(numbers[0].value.value)}


def sets_the_limit(clause: Clause, situation: Situation) -> bool:
    """Whether a clause gives the last limit another number: "make that 200"."""
    return bool(SETS_TO.match(clause.text)) and changed_limit(clause, situation) is not None


def _last_limit(situation: Situation) -> dict[str, Any] | None:
    """The limit of numbers that was set last and still holds; the only one where no turn tells."""
    there: list[dict[str, Any]] = [
        each
        for each in situation.filters.get("attributes", [])
        if isinstance(each["value"], int | float) and each["field"] in _OF_THE_LIMIT
    ]
    calls = [call for turn in situation.past for call in turn.calls] + situation.planned
    for call in reversed(calls):
        if call.tool == "filter_attribute":
            found = next((each for each in there if each["field"] == call.args["field"]), None)
            if found is not None:
                return found
    return there[-1] if there else None

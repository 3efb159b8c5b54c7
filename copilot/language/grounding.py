"""Grounding: what the words that a frame points at mean as a value of an argument."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol

from copilot.language.frame import Literal, Pointer, Result, Step, Value
from copilot.language.mentions import Number
from copilot.language.mentions.dating import YEARLESS
from copilot.language.schema import Argument
from copilot.language.shown import Shown
from tools.database.attributes import field_named

LAST_DAYS = frozenset({"end", "until", "before", "to", "end_date"})
"""Arguments that take a period's last day."""
ANY_YEAR = frozenset({"date", "until"})
"""Arguments of sums with dates: a day whose year nobody says is one of this year."""
MADE = ("raster", "table", "vector", "detections", "document", "figure", "store", "layer", "artifact", "id")
"""What the data of a step call the handle of what it made."""
DESCENDING = Literal('"-"')
"""Stands before a column that is sorted by from its end."""
_AROUND = " \t\n\"'“”‘’`«».,;:!?"
"""Signs beside what is said that are no part of it."""


def result_reference(step: int) -> str:
    """How a planned call names what the earlier call `step`, counted from 0, makes."""
    return f"@{step + 1}.made"


def made_by(data: Mapping[str, Any]) -> str | None:
    """The handle of what a call made, from what it came back with; None where it made nothing."""
    return next((data[key] for key in MADE if isinstance(data.get(key), str)), None)


class Came(Protocol):
    """A call that was made."""

    @property
    def data(self) -> Mapping[str, Any]:
        """What it came back with."""


def result_of(value: Any, done: Sequence[Came]) -> Any:
    """An argument as it is; "@4.table" as what the fourth call brought under that name."""
    if isinstance(value, list):
        return [result_of(each, done) for each in value]
    match = _RESULT.fullmatch(value) if isinstance(value, str) else None
    if match is None or not 1 <= int(match[1]) <= len(done):
        return value
    found: Any = done[int(match[1]) - 1].data
    if match[2] == "made":
        return made_by(found) or value
    for key in match[2].split("."):
        if isinstance(found, Mapping):
            found = found.get(key)
        else:
            is_place = isinstance(found, list) and key.isdigit() and int(key) < len(found)
            found = found[int(key)] if is_place else None
    return value if found is None else found


_RESULT = re.compile(r"@(\d+)\.([A-Za-z_][\w.]*)")


def grounded(step: Step, arguments: dict[str, Argument], shown: Shown) -> dict[str, Any]:
    """The arguments of a step as values; what means nothing for its argument is left out."""
    found: dict[str, Any] = {}
    for name, values in step.arguments:
        takes = measured_as(arguments[name], found.get("field"))
        meant = [each for value in values if (each := _meant(value, takes.each, shown)) is not None]
        if takes.is_expression and meant:
            found[name] = _expression(meant)
            continue
        meant = _signed(meant)
        if not meant:
            continue
        if takes.is_list and not (len(meant) == 1 and takes.is_single and not isinstance(meant[0], list)):
            found[name] = [one for each in meant for one in (each if isinstance(each, list) else [each])]
        else:
            found[name] = (
                meant
                if takes.is_numbers and not takes.is_single and not isinstance(meant[0], list)
                else meant[0]
            )
    return found


def _expression(pieces: Sequence[Any]) -> str:
    """The pieces of an expression in one line; a function keeps its bracket, a text its quotes."""
    line = " ".join(map(str, pieces)).replace(" (", "(").replace("( ", "(").replace(" )", ")")
    parts = line.split("'")
    return "'".join(part.strip() if n % 2 else part for n, part in enumerate(parts))


def measured_as(takes: Argument, field: Any) -> Argument:
    """What a value takes that is compared with a column: numbers in the unit at the end of its name."""
    if takes.name != "value" or not isinstance(field, str):
        return takes
    column = field_named(field)
    items = None if takes.items is None else replace(takes.items, name=column)
    return replace(takes, name=column, items=items)


def _signed(values: list[Any]) -> list[Any]:
    """The sign of what is sorted by from its end, put before it."""
    sign, signed = json.loads(DESCENDING.json), list[Any]()
    for value in values:
        if signed and signed[-1] == sign:
            signed[-1] = f"{sign}{value}"
        else:
            signed.append(value)
    return [each for each in signed if each != sign]


def _meant(value: Value, takes: Argument, shown: Shown) -> Any:
    match value:
        case Literal():
            return json.loads(value.json)
        case Result():
            return result_reference(value.step)
        case Pointer() if value.first >= len(shown.request):
            item = shown.item(value.first)
            return None if item is None else item.value
        case Pointer() if value.last >= len(shown.request):
            return None  # it runs over the request's end
        case Pointer():
            return next(meanings(shown, value, takes), None)


def meanings(shown: Shown, words: Pointer, takes: Argument) -> Iterator[Any]:
    """What words of the request can mean for an argument, the likeliest first."""
    start, end = shown.request[words.first].start, shown.request[words.last].end
    mentions = shown.mentions
    if "date" in takes.types:
        for day in mentions.dates:
            if _shares(day, start, end) and (day.kind != YEARLESS or takes.name in ANY_YEAR):
                bound = day.end if takes.name in LAST_DAYS else day.start
                if bound is not None:
                    yield bound.isoformat()
        return
    if takes.is_numbers:
        yield from _numbers(shown, start, end, takes)
    if takes.is_expression:
        yield from (_plain(one.value) for one in mentions.numbers if one.start < end and one.end > start)
    if takes.types & {"number", "integer"}:
        for point in mentions.points:
            if takes.name in ("lon", "lat") and _shares(point, start, end):
                yield point.lon if takes.name == "lon" else point.lat
        for one in mentions.numbers:
            within = one.start < end and one.end > start
            if within and ("string" not in takes.types or _is_all_of(one, start, end, shown)):
                yield _in_its_unit(one, takes)
    if "string" in takes.types:
        yield shown.said(words.first, words.last).strip(_AROUND)


def _shares(span: Any, start: int, end: int) -> bool:
    return bool(span.start_index < end and span.end_index > start)


def _numbers(shown: Shown, start: int, end: int, takes: Argument) -> Iterator[list[Any]]:
    nested = takes.items is not None and "array" in takes.items.types
    for box in shown.mentions.boxes if not nested else ():
        if box.bbox is not None and _shares(box, start, end):
            yield list(box.bbox)
    values = [one.value for one in shown.mentions.numbers if one.start >= start and one.end <= end]
    if takes.items is not None and nested:
        size = takes.items.size or 2
        yield [values[n : n + size] for n in range(0, len(values) - size + 1, size)]
    else:
        yield values


def _is_all_of(one: Number, start: int, end: int, shown: Shown) -> bool:
    """Whether words say a number and its unit, and nothing else: "20 %" does, "WorldView-2" does not."""
    text = shown.mentions.text
    before, behind = text[start : max(start, one.start)], text[min(one.end, end) : end]
    return not before.strip(_AROUND) and behind.strip(_AROUND + "-").casefold() in ("", one.unit, "percent")


def _in_its_unit(one: Number, takes: Argument) -> float | int:
    """A number in the unit of its argument: "5 miles" as 8.04672 for `radius_km`, "40 %" as 0.4 of one."""
    value = one.value
    if one.km is not None and takes.name.endswith(("_km", "_m")):
        value = one.km if takes.name.endswith("_km") else one.km * 1000
    elif one.unit == "%" and takes.maximum is not None and takes.maximum <= 1:
        value /= 100
    if "number" not in takes.types:
        return round(value)
    return round(value, 6)


def _plain(value: float) -> str:
    """A number as it is typed."""
    return f"{value:.12g}"


def spelled_numbers(values: Sequence[Any]) -> list[float]:
    """The numbers of a value that is a list of them, or of lists of them."""
    return [one for each in values for one in (each if isinstance(each, list) else [each])]

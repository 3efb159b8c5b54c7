"""Dates that lean on the dates there are: "the following month", "a year earlier", "the same months in 2020"."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date

from copilot.planner.reading import periods
from copilot.planner.reading.date_atoms import EARLIEST_YEAR, LATEST_YEAR, count_of
from copilot.planner.reading.periods import Days, Unit
from copilot.planner.reading.text import NUMBER_WORDS, one_of, plain


@dataclass(frozen=True)
class Shift:
    """text[start:end] moves a period: by `count` units, or into `year`, or one `edge` of it into a year."""

    start: int
    end: int
    unit: Unit | None = None
    count: int = 0
    """Negative for earlier."""
    year: int | None = None
    edge: str = ""
    """"start" or "end", when only that end moves."""


_COUNT = rf"(?:\d{{1,2}}|an?|one|a few|few|several|a couple of|{one_of(NUMBER_WORDS)})"
_UNIT = r"(?P<unit>day|week|month|quarter|year|decade)s?"
_BARE_YEAR = r"(?:19|20)\d\d(?!\d|-\d)"
_YEAR = rf"(?P<year>{_BARE_YEAR})"
_LATER, _EARLIER = (
    r"(?:later|further on|after that|afterwards|forward|ahead)",
    r"(?:earlier|before(?: that)?|prior|back|previously|backwards?)",
)
_NEXT = re.compile(rf"\b(?:the )?(?P<w>following|next|subsequent|previous|preceding|prior) {_UNIT}\b(?! of)")
_BESIDE = re.compile(
    rf"\bthe {_UNIT} (?P<w>after|before|prior|later|earlier)\b(?! (?:the|yesterday|today|\w*\d))"
)
_BY = re.compile(
    rf"\b(?P<n>{_COUNT}) {_UNIT} (?:(?P<later>{_LATER})|(?P<earlier>{_EARLIER}))\b(?! (?:the|yesterday|today|\w*\d))"
)
_SAME = re.compile(
    r"\b(?:the )?same (?:day|week|month|quarter|season|period|time|dates?|range|window|time of (?:the )?year|time span|timeframe)s?,? "
    rf"(?:but )?(?:in |of |for |from )?(?:the year )?(?:{_YEAR}|(?P<w>last|the previous|the next|the following|the) year(?: (?P<b>before|after))?)"
)
_EDGE = re.compile(
    rf"\b(?:(?P<start>start(?:ing)?|beginning|begin|first (?:day|date))|(?P<end>end(?:ing)?|last (?:day|date)))(?: date| year)?"
    rf" (?:back |forward |up )?(?:to|at|in|from) {_BARE_YEAR}"
    rf"|\b(?:extend|stretch|widen|expand)(?:ed)?(?: (?:it|that|this|the (?:period|dates?|range|time range|window|end)))?"
    rf" (?:out |forward |on |back |through |up )?(?:to|until|till|through) {_BARE_YEAR}"
)


def shifts(text: str) -> list[Shift]:
    """The shifts of a text, left to right. Never raises on any text."""
    lowered = plain(text)
    found = [_edge(match) for match in _EDGE.finditer(lowered)]
    found += [_same(match) for match in _SAME.finditer(lowered)]
    found += [_by(match) for match in _BY.finditer(lowered)]
    found += [_step(match) for match in (*_NEXT.finditer(lowered), *_BESIDE.finditer(lowered))]
    kept: list[Shift] = []
    for shift in found:
        if (shift.year is None or EARLIEST_YEAR <= shift.year <= LATEST_YEAR) and not any(
            shift.start < other.end and other.start < shift.end for other in kept
        ):
            kept.append(shift)
    return sorted(kept, key=lambda shift: shift.start)


def shifted(days: Days, shift: Shift) -> Days:
    """The days a shift makes of others. ValueError or OverflowError where the calendar ends."""
    start, end = days
    if shift.edge or (shift.year is not None and shift.unit == "decade"):
        return _stretched(days, shift)
    if shift.year is not None:
        return _whole((shift.year - start.year) * 12, days)
    if shift.unit is None:
        return days
    months = {"month": 1, "quarter": 3, "year": 12, "decade": 120}.get(shift.unit)
    if months is None:
        return periods.shift(start, shift.unit, shift.count), periods.shift(end, shift.unit, shift.count)
    return _whole(months * shift.count, days)


def _whole(months: int, days: Days) -> Days:
    """The days some months on; what ends with a month still does."""
    start, end = days
    first = periods.shift_months(start, months)
    if periods.day_after(end).day == 1:
        return first, periods.day_before(periods.shift_months(periods.day_after(end), months))
    return first, periods.shift_months(end, months)


def _stretched(days: Days, shift: Shift) -> Days:
    start, end = days
    if shift.year is None:
        return days
    first, last = date(shift.year, 1, 1), date(shift.year, 12, 31)
    if shift.edge == "start" or (not shift.edge and first < start):
        return first, max(end, last)
    return min(start, first), last


def _edge(match: re.Match[str]) -> Shift:
    edge = "start" if match["start"] else "end" if match["end"] else ""
    return Shift(
        match.start(), match.end(), "decade" if not edge else None, year=int(match.group(0)[-4:]), edge=edge
    )


def _same(match: re.Match[str]) -> Shift:
    if match["year"]:
        return Shift(match.start(), match.end(), year=int(match["year"]))
    later = (match["w"] or "") in ("the next", "the following") or match["b"] == "after"
    return Shift(match.start(), match.end(), "year", 1 if later else -1)


def _by(match: re.Match[str]) -> Shift:
    count = count_of(match["n"])
    return Shift(match.start(), match.end(), _unit(match["unit"]), count if match["later"] else -count)


def _step(match: re.Match[str]) -> Shift:
    back = match["w"] in ("previous", "preceding", "prior", "before", "earlier")
    return Shift(match.start(), match.end(), _unit(match["unit"]), -1 if back else 1)


def _unit(word: str) -> Unit:
    units: dict[str, Unit] = {
        "day": "day", "week": "week", "month": "month", "quarter": "quarter", "year": "year", "decade": "decade",
    }  # fmt: skip
    return units[word]

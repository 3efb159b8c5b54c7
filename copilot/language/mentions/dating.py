"""The dates of a request, those that leave out their year completed by what else is said.

"Euro 2016: June 10 to July 10" says the year once; "June, July and August 2021" at its end. "The year after"
and "before that" lean on the days that are selected.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import date
from typing import Final

from copilot.planner.reading.dates import DateSpan, dates
from copilot.planner.reading.periods import Days, day_after, day_before, month
from copilot.planner.reading.shifts import shifted, shifts

YEARLESS: Final = "month_only"
"""The kind of a date whose year nothing gives: it gets this year, which only sums with dates take."""
_MORE_DAYS = re.compile(
    r"\s{0,2}(?:-|–|to|till|until|through|and)\s{0,2}\d{1,2}(?:st|nd|rd|th)?\b(?!\s?[a-z%])", re.I
)
_JOINED = re.compile(r"[\s,/&+]{0,3}(?:and|n|or)?\s{0,2}", re.I)
_BESIDE = re.compile(r"\b(?:(after|since)|before|until|till) (?:it|that|then|this)\b", re.I)


def dated(text: str, today: date, selected: Days | None = None) -> tuple[DateSpan, ...]:
    """The dates, left to right; those of no year at all are of the kind YEARLESS, in today's year.

    `selected`: the first and the last day that are selected, which others lean on.
    """
    found = _listed(text, dates(text, today))
    years = {each.start.year for each in found if each.start and each.end and _is_within_a_year(each)}
    if not years and selected is not None:
        years = {each.year for each in selected}
    year = years.pop() if len(years) == 1 else None
    read = [
        one for each in found for one in (_completed(text, each, year, today) if each.months else (each,))
    ]
    leaning = [] if selected is None else list(_leaning(text, selected))
    kept = (each for each in read if not any(_overlap(each, other) for other in leaning))
    return tuple(sorted((*kept, *leaning), key=lambda each: each.start_index))


def _leaning(text: str, selected: Days) -> Iterator[DateSpan]:
    """The days that are said by the selected ones: moved by a time, or all after or before them."""
    moved = shifts(text)
    for shift in moved:
        with suppress(ValueError, OverflowError):  # where the calendar ends
            start, end = shifted(selected, shift)
            said = text[shift.start : shift.end]
            yield DateSpan(shift.start, shift.end, said, start, end, "shift", shift=shift)
    for match in _BESIDE.finditer(text):
        if not any(match.start() < each.end and each.start < match.end() for each in moved):
            first, last = (day_after(selected[1]), None) if match[1] else (None, day_before(selected[0]))
            yield DateSpan(match.start(), match.end(), match[0], first, last, "shift")


def _overlap(one: DateSpan, other: DateSpan) -> bool:
    return one.start_index < other.end_index and other.start_index < one.end_index


def _listed(text: str, found: Sequence[DateSpan]) -> list[DateSpan]:
    """Months before one with a year, with nothing but a joint between, as one period with it."""
    done: list[DateSpan] = []
    for each in reversed(found):
        follows = done[-1] if done else None
        if follows is not None and follows.start is not None and each.months and each.day is None:
            year = follows.start.year - (each.months[0] > follows.start.month)
            joint = text[each.end_index : follows.start_index]
            if follows.kind == "month" and _JOINED.fullmatch(joint):
                start = month(year, each.months[0])[0]
                done[-1] = replace(follows, start_index=each.start_index, start=start)
                continue
        done.append(each)
    return done[::-1]


def _is_within_a_year(span: DateSpan) -> bool:
    return span.start is not None and span.end is not None and span.start.year == span.end.year


def _completed(text: str, span: DateSpan, year: int | None, today: date) -> Iterator[DateSpan]:
    """The date read once more with a year behind it, and what it is then a part of."""
    more = _MORE_DAYS.match(text, span.end_index)
    end = more.end() if more else span.end_index
    said = f" {year or today.year}"
    for each in dates(text[:end] + said, today):
        if each.start is not None and each.end_index > end:
            kind = each.kind if year else YEARLESS
            yield replace(each, end_index=end, text=text[each.start_index : end], kind=kind)

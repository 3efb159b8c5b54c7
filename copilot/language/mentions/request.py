"""Mentions: the dates, quantities, coordinates and names of a request, each with what it means."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import date
from functools import cached_property
from typing import TypeVar

from copilot.language.mentions.dating import dated
from copilot.language.mentions.spoken import written
from copilot.planner.reading.coordinates import CoordSpan, coordinates
from copilot.planner.reading.dates import DateSpan
from copilot.planner.reading.periods import Days
from copilot.planner.reading.quantities import KM2_PER, KM_PER, NUMBER, number
from copilot.planner.reading.text import plain
from copilot.planner.spans import Reader, Span

Found = TypeVar("Found", DateSpan, CoordSpan)
_NUMBER = re.compile(rf"(?<![\w.])-?(?:{NUMBER})")
_UNIT = re.compile(
    r"\s{0,2}-?\s{0,2}(%|percent\b|per cent\b|nautical miles?\b|square [a-z]+|[a-zµ]{1,2}[2²]|[a-zµ²]+)"
)
_WORD = re.compile(r"[a-z]+")
ORDINALS = {
    word: float(n)
    for n, word in enumerate(
        ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"), 1
    )
}
"""Which one of several."""
_PERCENT = frozenset({"%", "percent", "per cent"})


@dataclass(frozen=True)
class Number:
    """A number: text[start:end], with the unit behind it."""

    start: int
    end: int
    value: float
    unit: str = ""
    """As written, in lower case; "%" for per cent."""

    @property
    def km(self) -> float | None:
        """The length that it is, in kilometres."""
        per = KM_PER.get(self.unit)
        return None if per is None else self.value * per

    @property
    def km2(self) -> float | None:
        """The area that it is, in square kilometres."""
        per = KM2_PER.get(self.unit)
        return None if per is None else self.value * per


class Mentions:
    """The mentions of one request. `named` are those of names: data sets, classes, places, layers, events.

    `selected` are the first and the last day that are selected, for dates that lean on them.
    """

    def __init__(
        self, text: str, today: date, named: Iterable[Span] = (), selected: Days | None = None
    ) -> None:
        self.text, self._today, self.named, self._selected = text, today, tuple(named), selected
        self._written = written(text)

    @cached_property
    def dates(self) -> tuple[DateSpan, ...]:
        """Days and periods."""
        found = dated(self._written.text, self._today, self._selected)
        return tuple(self._as_said(each) for each in found if each.start or each.end)

    @cached_property
    def points(self) -> tuple[CoordSpan, ...]:
        """Positions on Earth."""
        return tuple(each for each in self._coordinates if each.kind == "point")

    @cached_property
    def boxes(self) -> tuple[CoordSpan, ...]:
        """Boxes in degrees."""
        return tuple(each for each in self._coordinates if each.bbox is not None)

    @cached_property
    def numbers(self) -> tuple[Number, ...]:
        """Every number, in digits or words, and which one of several."""
        lowered, origin = plain(self._written.text), self._written.origin
        counted = (
            replace(each, start=origin[each.start], end=origin[each.end])
            for each in (_number(lowered, match) for match in _NUMBER.finditer(lowered))
        )
        ordered = (
            Number(origin[match.start()], origin[match.end()], ORDINALS[match[0]])
            for match in _WORD.finditer(lowered)
            if match[0] in ORDINALS
        )
        return tuple(sorted((*counted, *ordered), key=lambda each: each.start))

    @cached_property
    def tagged(self) -> tuple[tuple[str, int, int], ...]:
        """(kind, start, end) of all, names first."""
        names = ((each.kind, each.start, each.end) for each in self.named)
        return (*names, *(("number", each.start, each.end) for each in self.numbers))

    @cached_property
    def _coordinates(self) -> tuple[CoordSpan, ...]:
        found = coordinates(self._written.text)
        return tuple(self._as_said(each) for each in found if each.error is None)

    def _as_said(self, span: Found) -> Found:
        """A span of the written text as the one of what was said."""
        start, end = (self._written.origin[n] for n in (span.start_index, span.end_index))
        return replace(span, start_index=start, end_index=end, text=self.text[start:end])


def names_in(text: str, reader: Reader) -> Iterator[Span]:
    """The names of a request, as `reader` finds them once its spoken numbers are written in digits."""
    whole = written(text)
    for each in reader.read(whole.text):
        start, end = whole.origin[each.start], whole.origin[each.end]
        yield replace(each, start=start, end=end, text=text[start:end])


def _number(lowered: str, match: re.Match[str]) -> Number:
    unit = _UNIT.match(lowered, match.end())
    word = "" if unit is None else unit[1]
    sign = -1 if match[0].startswith("-") else 1
    value = sign * number(match[0].removeprefix("-"))
    return Number(match.start(), match.end(), value, "%" if word in _PERCENT else word)

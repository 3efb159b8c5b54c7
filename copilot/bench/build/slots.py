"""Slots: what a row gives for each kind, as a person says it and as an argument has it."""

from __future__ import annotations

import calendar
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date, timedelta
from functools import cached_property
from random import Random
from typing import Any

from copilot.bench.build.rows import Row
from copilot.bench.build.words import dataset_words, event_words
from data.gazetteer import Gazetteer, Place

KINDS = (
    "dataset", "class", "scene", "city", "country",
    "year", "month", "day", "range", "sensor", "event", "image",
)  # fmt: skip
LITERAL = "literal"
PARTS: Mapping[str, tuple[str, ...]] = {
    "city": ("lon", "lat"),
    "year": ("start", "end"),
    "month": ("start", "end"),
    "day": ("start", "end"),
    "range": ("start", "end"),
}
"""The parts of the kinds that have some."""


class BadSlot(ValueError):
    """A slot's declaration that means nothing, in one sentence."""


@dataclass(frozen=True)
class Value:
    """What a slot is filled with."""

    say: str
    arg: Any
    parts: Mapping[str, Value] = field(default_factory=dict)


@dataclass(frozen=True)
class Slot:
    """A slot as an intent declares it."""

    name: str
    kind: str
    group: int = 1
    """Slots of one group are filled from one row."""
    only: tuple[str, ...] = ()
    """The data sets that a `dataset` may be."""
    choices: tuple[Value, ...] = ()
    """What a literal may be."""

    @classmethod
    def declared(cls, name: str, kind: Any) -> Slot:
        """The slot of an intent's `slots` entry. Raises BadSlot."""
        number = name.partition("@")[2]
        if isinstance(kind, list) and kind:
            return cls(name, LITERAL, choices=tuple(_choice(name, each) for each in kind))
        if not isinstance(kind, str):
            raise BadSlot(
                f"The slot '{name}' is {kind!r}; give a kind such as 'city', or a list of literals."
            )
        base, _, at = kind.partition("@")
        base, _, only = base.partition(":")
        if base not in KINDS:
            raise BadSlot(f"The slot '{name}' has the kind '{base}'; there are {', '.join(KINDS)}.")
        group = at or number or "1"
        if not group.isdigit() or (only and base != "dataset"):
            raise BadSlot(
                f"The slot '{name}' is declared '{kind}'; write it as 'city', 'city@2' or 'dataset:fmow'."
            )
        return cls(name, base, int(group), tuple(each.strip() for each in only.split(",") if each.strip()))


def _choice(name: str, plain: Any) -> Value:
    if isinstance(plain, dict):
        if set(plain) != {"say", "is"}:
            raise BadSlot(f"A literal of the slot '{name}' has {sorted(plain)}; it has 'say' and 'is'.")
        return Value(str(plain["say"]), plain["is"])
    return Value(str(plain), plain)


@dataclass(frozen=True)
class Filler:
    """Fills slots from rows, in the words that people have for them."""

    gazetteer: Gazetteer
    words: Mapping[str, tuple[str, ...]]
    """Class -> the words that mean just this class."""

    def may_fit(self, slot: Slot, row: Row) -> bool:
        """Whether rows of this one's data set and class may have something for the slot."""
        match slot.kind:
            case "dataset":
                return not slot.only or row.dataset in slot.only
            case "class":
                return not row.scene and bool(self.words.get(row.class_name))
            case "scene":
                return row.scene and bool(self.words.get(row.class_name))
        return True

    def fits(self, slot: Slot, row: Row) -> bool:
        """Whether a row that may have something for the slot has it."""
        match slot.kind:
            case "city":
                return row.city is not None
            case "country":
                return row.country in self._countries
            case "sensor":
                return row.sensor is not None
            case "event":
                return row.event is not None
        return True

    def value(self, slot: Slot, row: Row, rng: Random) -> Value:
        """What the row gives for the slot; `rng` chooses among the ways to say it."""
        match slot.kind:
            case "dataset":
                return Value(rng.choice(dataset_words(row.dataset)), row.dataset)
            case "class" | "scene":
                return Value(rng.choice(self.words[row.class_name]), row.class_name)
            case "city":
                return _city(self._city(row.city or ""))
            case "country":
                name = self._countries[row.country or ""]
                return Value(name, name)
            case "sensor":
                return Value(row.sensor or "", row.sensor)
            case "event":
                return Value(rng.choice(event_words(row.event or "")), row.event)
            case "image":
                return Value(row.image, row.image)
        return TIMES[slot.kind](date.fromisoformat(row.day), rng)

    def _city(self, name: str) -> Place:
        best = self.gazetteer.resolve(name).best
        assert best is not None  # rows hold names that the gazetteer gave
        return best

    @cached_property
    def _countries(self) -> dict[str, str]:
        """ISO code -> the country's name, where the name means nothing else."""
        found = {}
        for place in self.gazetteer.places("country"):
            meant = self.gazetteer.resolve(place.name)
            if place.country and meant.best == place and not meant.ambiguous:
                found[place.country] = place.name
        return found


def spoken_day(day: date) -> str:
    """`14 March 2019`."""
    return f"{day.day} {calendar.month_name[day.month]} {day.year}"


def _city(place: Place) -> Value:
    lon, lat = round(place.lon, 4), round(place.lat, 4)
    return Value(place.name, place.name, {"lon": Value(f"{lon:g}", lon), "lat": Value(f"{lat:g}", lat)})


def _span(start: date, end: date) -> dict[str, Value]:
    return {
        "start": Value(spoken_day(start), start.isoformat()),
        "end": Value(spoken_day(end), end.isoformat()),
    }


def _year(day: date, rng: Random) -> Value:
    return Value(str(day.year), day.year, _span(date(day.year, 1, 1), date(day.year, 12, 31)))


def _month(day: date, rng: Random) -> Value:
    last = day.replace(day=calendar.monthrange(day.year, day.month)[1])
    said = f"{calendar.month_name[day.month]} {day.year}"
    return Value(said, f"{day:%Y-%m}", _span(day.replace(day=1), last))


def _day(day: date, rng: Random) -> Value:
    american = f"{calendar.month_name[day.month]} {day.day}, {day.year}"
    said = rng.choice((spoken_day(day), spoken_day(day), american, day.isoformat()))
    return Value(said, day.isoformat(), _span(day, day))


def _range(day: date, rng: Random) -> Value:
    start = day - timedelta(days=rng.randint(20, 400))
    end = day + timedelta(days=rng.randint(20, 400))
    said = rng.choice(("between {} and {}", "from {} to {}", "from {} until {}"))
    return Value(said.format(spoken_day(start), spoken_day(end)), None, _span(start, end))


TIMES: Mapping[str, Callable[[date, Random], Value]] = {
    "year": _year,
    "month": _month,
    "day": _day,
    "range": _range,
}

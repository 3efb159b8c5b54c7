"""Reading a request: every phrase in it that names something, and what it names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import date
from functools import lru_cache
from typing import Any, Literal

from copilot.planner.events import event_mentions
from copilot.planner.everyday import EVERYDAY
from copilot.planner.lexicon import (
    BASEMAPS,
    COLORS,
    CONTROLS,
    DIRECTIONS,
    FIELDS,
    FORMATS,
    PANELS,
    PLOT_KINDS,
)
from copilot.planner.reading.attributes import comparisons
from copilot.planner.reading.coordinates import CoordSpan, coordinates
from copilot.planner.reading.dates import DateSpan, dates
from copilot.planner.reading.periods import Unit, day_after, day_before
from copilot.planner.reading.periods import shift as moved
from copilot.planner.reading.quantities import QuantitySpan, number, quantities
from copilot.planner.reading.shifts import shifts
from copilot.planner.word_phrases import kinds_of_event, phrased, shared_heads, side_by_side
from data.gazetteer import Gazetteer, Mention
from data.gazetteer.landmarks import Landmark, landmarks
from data.schema import IMAGES
from data.vocabulary.datasets import dataset_mentions
from data.vocabulary.thesaurus import mentions as class_mentions


@dataclass(frozen=True)
class Span:
    """One phrase of a request: text == request[start:end]."""

    start: int
    end: int
    text: str
    kind: str
    value: Any

    def overlaps(self, other: Span) -> bool:
        """Whether the two share a character."""
        return self.start < other.end and other.start < self.end


@dataclass(frozen=True)
class Names:
    """What the catalogue and the state call things, so that a request can name them."""

    datasets: tuple[str, ...] = ()
    """The catalogue's data sets, the ingested ones among them."""
    fields: tuple[str, ...] = ()
    """Columns and property names."""
    classes: tuple[str, ...] = ()
    """Class names of ingested data sets."""
    layers: tuple[tuple[str, str], ...] = ()
    """(id, name) of the layers on the map."""
    events: tuple[str, ...] = ()
    """Disasters and other events, as the catalogue spells them: "hurricane-harvey"."""
    images: tuple[str, ...] = ()
    artifacts: tuple[tuple[str, str], ...] = ()
    """(id, name)"""


class Reader:
    """Finds the spans of a request. What is found first keeps its characters."""

    def __init__(self, gazetteer: Gazetteer, today: date, names: Names) -> None:
        self._gazetteer, self._today, self._names = gazetteer, today, names

    def read(self, text: str) -> tuple[Span, ...]:
        """Every span, left to right, none overlapping another."""
        taken: list[Span] = []
        for spans in self._passes(text):
            for span in spans:
                if span.text.strip() and not any(span.overlaps(other) for other in taken):
                    taken.append(span)
        return tuple(sorted(taken, key=lambda span: span.start))

    def _passes(self, text: str) -> Iterator[Iterable[Span]]:
        yield _words(text, "field", _ASKED_FIELDS)
        yield _matches(text, _URL, "url")
        yield _matches(text, _PATH, "path")
        yield self._known(text, "image", ((name, name) for name in self._names.images))
        yield _matches(text, _IMAGE_ID, "image")
        yield self._known(text, "artifact", self._artifact_names())
        yield _quoted(text)
        yield [
            Span(start, end, text[start:end], "event", event)
            for start, end, event in event_mentions(text, self._names.events)
        ]
        yield _corner_boxes(text)
        yield (
            Span(each.start_index, each.end_index, each.text, each.kind, self._likelier(each))
            for each in coordinates(_NUMBERED_NAME.sub(lambda match: " " * len(match[0]), text))
        )
        yield (
            Span(start, end, text[start:end], "event", names)
            for start, end, names in kinds_of_event(text, self._names.events)
        )
        yield (self._bare_point(match) for match in _BARE_PAIR.finditer(text))
        yield (_landmark(text, each) for each in landmarks(text))
        yield _bare_boxes(text)
        yield self._known(text, "dataset", ((name, (name,)) for name in self._dataset_names()))
        yield (
            Span(each.start, each.end, each.text, "dataset", each.names) for each in dataset_mentions(text)
        )
        yield (
            Span(each.start, each.end, each.text, "attribute", each)
            for each in comparisons(text, self._names.fields)
        )
        yield self._dates(text)
        measured = quantities(text)
        yield (_quantity(each) for each in measured if each.kind not in ("count", "population"))
        yield self._known(text, "layer", self._layer_names())
        yield _words(text, "format", FORMATS)
        yield self._places_and_classes(text)
        for kind, words in _WORD_LISTS:
            found = _words(text, kind, words)
            yield (
                found
                if kind != "color"
                else (each for each in found if not _DESCRIBES_A_THING.match(text, each.end))
            )
        yield (_quantity(each) for each in measured)
        own = {name for name in self._names.fields if "_" in name or name not in _COMMON_COLUMNS}
        spoken = {name.replace("_", " ").lower(): name for name in own}
        yield _words(text, "field", spoken | {name.lower(): name for name in own} | FIELDS)

    def _dates(self, text: str) -> list[Span]:
        """The dates, and the phrases that move those there are; what both read keeps what it means by itself."""
        read = dates(text, self._today)
        found = []
        for shift in shifts(text):
            same = next(
                (each for each in read if each.start_index < shift.end and shift.start < each.end_index), None
            )
            start, end = (same.start, same.end) if same else (None, None)
            span = DateSpan(
                shift.start, shift.end, text[shift.start : shift.end], start, end, "shift", shift=shift
            )
            found.append(Span(shift.start, shift.end, span.text, "date", span))
        read = [*read, *self._other_sides(text, read)]
        plain = [_date_span(text, each) for each in read]
        return found + [span for span in plain if not any(span.overlaps(other) for other in found)]

    def _other_sides(self, text: str, read: Iterable[DateSpan]) -> Iterator[DateSpan]:
        """ "Before and after June 2018" names June once: the other side of each date that such words stand before."""
        for each in read:
            joint = _BOTH_SIDES.search(text[: each.start_index])
            side = re.match(r"(?:before|after)\b", each.text, re.I)
            if joint is None or side is None or joint["side"].lower() == side[0].lower():
                continue
            for other in dates(f"{joint['side']}{each.text[side.end() :]}", self._today)[:1]:
                start, end = joint.span()
                yield replace(other, start_index=start, end_index=end, text=text[start:end])

    def _bare_point(self, match: re.Match[str]) -> Span:
        """A pair of decimal numbers with a distance around it: longitude first, unless only the other way lands."""
        lon, lat = float(match[1]), float(match[2])
        error = None if abs(lon) <= 180 and abs(lat) <= 90 else f'"{match[0]}" is nowhere on Earth.'
        point = CoordSpan(
            match.start(), match.end(), match[0], "point", lon, lat, None, "lon,lat", True, error
        )
        return Span(match.start(), match.end(), match[0], "point", point if error else self._likelier(point))

    def _likelier(self, point: CoordSpan) -> CoordSpan:
        """A bare pair of numbers in the order that puts it near people; as read, where that does not tell."""
        if not point.assumed or point.lon is None or point.lat is None or abs(point.lon) > 90:
            return point
        _, as_read_km = self._gazetteer.nearest_city(point.lon, point.lat)
        _, swapped_km = self._gazetteer.nearest_city(point.lat, point.lon)
        if swapped_km > 0.2 * as_read_km:
            return point
        order: Literal["lat,lon", "lon,lat"] = "lon,lat" if point.order == "lat,lon" else "lat,lon"
        return replace(point, lon=point.lat, lat=point.lon, order=order)

    def _places_and_classes(self, text: str) -> list[Span]:
        places = [
            Span(each.start, each.end, each.text, "place", each)
            for each in self._gazetteer.mentions(text)
            if not _is_everyday(each)
        ]
        said = shared_heads(text, class_mentions(text))
        classes = [
            Span(each.start, each.end, each.text, "class", each.terms)
            for each in [*phrased(text), *side_by_side(text, said)]
        ]
        classes += self._known(text, "class", ((name, name) for name in self._names.classes))
        # "Port of Rotterdam" is a place, "golf courses" is a class: the longer phrase knows better.
        return sorted(places + classes, key=lambda span: (span.start - span.end, span.kind))

    def _dataset_names(self) -> Iterator[str]:
        yield from sorted(self._names.datasets, key=len, reverse=True)

    def _artifact_names(self) -> Iterator[tuple[str, str]]:
        for artifact_id, _ in self._names.artifacts:
            yield artifact_id, artifact_id

    def _layer_names(self) -> Iterator[tuple[str, str]]:
        for layer_id, name in self._names.layers:
            yield layer_id, layer_id
            yield name, layer_id

    @staticmethod
    def _known(text: str, kind: str, names: Iterable[tuple[str, Any]]) -> list[Span]:
        found = []
        for name, value in names:
            pattern = r"[\s_-]?".join(re.escape(part) for part in re.split(r"[\s_-]+", name) if part)
            for match in re.finditer(rf"(?<![\w]){pattern}(?![\w])", text, re.IGNORECASE) if pattern else ():
                found.append(Span(match.start(), match.end(), match[0], kind, value))
        return sorted(found, key=lambda span: span.start - span.end)


_ASKED_FIELDS = {
    "how cloudy": "cloud_pct", "how clear": "cloud_pct", "how sharp": "gsd_m", "how fine": "gsd_m",
    "what resolution": "gsd_m", "how detailed": "gsd_m",
}  # fmt: skip
_COMMON_COLUMNS = frozenset(IMAGES.names)
"""Columns whose names are everyday words: the lexicon says when they are meant."""
_QUANTITY_KINDS = {"distance_km": "distance", "zoom_level": "zoom", "zoom_steps": "zoom", "area_km2": "area"}


def _quantity(found: QuantitySpan) -> Span:
    kind = _QUANTITY_KINDS.get(found.kind, found.kind)
    return Span(found.start_index, found.end_index, found.text, kind, found)


_URL = re.compile(r"\bhttps?://[^\s<>\"']+[^\s<>\"'.,;!?)]", re.IGNORECASE)
_PATH = re.compile(r"(?<![\w:/])(?:\.{1,2}/|/|~/)[\w.~/-]*[\w/]")
_FOUR_NUMBERS = re.compile(
    r"(?<![\w.,-])(-?\d+(?:\.\d+)?)(?:\s*,\s*|\s+)(-?\d+(?:\.\d+)?)(?:\s*,\s*|\s+)(-?\d+(?:\.\d+)?)(?:\s*,\s*|\s+)(-?\d+(?:\.\d+)?)(?![\w.,]\d)"
)
_IMAGE_ID = re.compile(r"\b[a-z][a-z0-9_]*:[\w.\-]+\w\b", re.IGNORECASE)
_QUOTES = re.compile(r"[\"“”«]([^\"“”»]{1,200})[\"“”»]|(?<!\w)['‘]((?:[^'’]|['’](?=\w)){1,200})['’](?!\w)")

_GIVES_A_NAME = re.compile(
    r"\b(?:as|to|into|called|call|name|named|label|labell?ed|titled?|rename[ds]?|notify|message|saying|says?|note|text|notice|"
    r"reminder|under|layer|it|session|is|was|because|[=:])\W*(?:the name|the message|the text|of)?\W*$",
    re.I,
)
"""Before a quoted phrase: it is a name or a text, and not to be read further."""

_WORD_LISTS: tuple[tuple[str, dict[str, str]], ...] = (
    ("plot", PLOT_KINDS),
    ("basemap", BASEMAPS),
    ("control", CONTROLS),
    ("panel", PANELS),
    ("color", COLORS),
    ("direction", DIRECTIONS),
)


_DESCRIBES_A_THING = re.compile(
    r"[ -](?:areas?|spaces?|zones?|belts?|roof(?:s|tops?)?|houses?|homes?|buildings?|water|waters|lands?|fields?|cars?|trucks?|"
    r"vehicles?|ships?|boats?|vessels?|planes?|aircraft|spots? of)\b",
    re.I,
)
"""After a colour: it tells what a thing looks like, and styles nothing ("green areas")."""


_BARE_PAIR = re.compile(
    r"(?<![\w.,-])(-?\d{1,3}\.\d+)\s*,\s*(-?\d{1,3}\.\d+)(?=,?\s+(?:within|in a radius|with a radius|radius|\d+ ?km)\b)",
    re.IGNORECASE,
)
_NUMBERED_NAME = re.compile(r"\b(?:x ?-?view ?-?\d|fair ?-?1m|sentinel-?\d|landsat-?\d)\b", re.IGNORECASE)
"""A name's number is no coordinate: "xview3 52.0, 3.5"."""
_PAIR = r"[(\[]?\s*(-?\d+(?:\.\d+)?)\s*,\s*(-?\d+(?:\.\d+)?)\s*[)\]]?"
_TWO_CORNERS = re.compile(
    rf"\b(?:box|rectangle|bbox|corners?|extent)\b[^\d\n]{{0,30}}?(?:from |between )?(?P<pairs>{_PAIR}\s*(?:to|and|-|–|;|,)\s*{_PAIR})(?![\d.,]*\d)",
    re.IGNORECASE,
)


def _corner_boxes(text: str) -> list[Span]:
    """ "A box from 10,54 to 12,56": two corners, longitude first."""
    found = []
    for match in _TWO_CORNERS.finditer(text):
        west, south, east, north = (float(match[group]) for group in range(2, 6))
        west, east, south, north = min(west, east), max(west, east), min(south, north), max(south, north)
        if (
            max(abs(west), abs(east)) <= 180
            and max(abs(south), abs(north)) <= 90
            and west < east
            and south < north
        ):
            start, end = match.span("pairs")
            box = CoordSpan(start, end, text[start:end], "bbox", bbox=(west, south, east, north))
            found.append(Span(start, end, text[start:end], "bbox", box))
    return found


def _landmark(text: str, found: Landmark) -> Span:
    start, end, said = found.start, found.end, text[found.start : found.end]
    return Span(start, end, said, "point", CoordSpan(start, end, said, "point", found.lon, found.lat))


def _bare_boxes(text: str) -> list[Span]:
    """Four numbers that can be west, south, east, north."""
    found = []
    for match in _FOUR_NUMBERS.finditer(text):
        west, south, east, north = (float(match[group]) for group in range(1, 5))
        if max(abs(west), abs(east)) <= 180 and -90 <= south < north <= 90 and west != east:
            box = CoordSpan(match.start(), match.end(), match[0], "bbox", bbox=(west, south, east, north))
            found.append(Span(match.start(), match.end(), match[0], "bbox", box))
    return found


def _matches(text: str, pattern: re.Pattern[str], kind: str) -> list[Span]:
    return [Span(each.start(), each.end(), each[0], kind, each[0]) for each in pattern.finditer(text)]


def _quoted(text: str) -> list[Span]:
    return [
        Span(each.start(), each.end(), each[0], "quoted", (each[1] or each[2]).strip())
        for each in _QUOTES.finditer(text)
        if _GIVES_A_NAME.search(text[: each.start()])
    ]


_LENGTH_BEFORE = re.compile(
    r"\b(?:(?:the|a|in the|within the)\s+)?(?:(?P<n>[\w-]+)\s+)?(?P<unit>day|week|fortnight|month|year)s?\s+(?:immediately\s+|right\s+)?$",
    re.I,
)


_BOTH_SIDES = re.compile(r"\b(?P<side>before|after)\s*(?:and|or|/|&|vs\.?|versus)\s*$", re.I)


def _date_span(text: str, found: DateSpan) -> Span:
    """The span of a date; "the fortnight after 3 June" ends where its length says."""
    length = _LENGTH_BEFORE.search(text[: found.start_index])
    if length is None or found.kind not in ("after", "before"):
        return Span(found.start_index, found.end_index, found.text, "date", found)
    try:
        count = (
            int(number(length["n"]))
            if length["n"] and length["n"].lower() not in ("the", "a", "first")
            else 1
        )
    except (ValueError, KeyError):
        count = 1
    unit: Unit = "week" if length["unit"].lower() == "fortnight" else length["unit"].lower()  # type: ignore[assignment]  # the pattern's own words
    count *= 2 if length["unit"].lower() == "fortnight" else 1
    if found.start is not None:
        found = replace(found, end=day_before(moved(found.start, unit, count)))
    elif found.end is not None:
        found = replace(found, start=day_after(moved(found.end, unit, -count)))
    return Span(length.start(), found.end_index, text[length.start() : found.end_index], "date", found)


def _is_everyday(mention: Mention) -> bool:
    """Whether a misspelling of a place is just plain English ("big is")."""
    words = mention.text.split()
    if "-".join(words).lower().replace("--", "-") in DIRECTIONS:
        return True  # "south-west" is a district of Singapore only to those who live there
    plain = mention.resolution.corrected or (mention.text.islower() and len(words) > 1)
    return plain and all(word.lower() in EVERYDAY for word in words)


def _words(text: str, kind: str, words: dict[str, str]) -> list[Span]:
    pattern = _any_of(tuple(words))
    return [
        Span(each.start(), each.end(), each[0], kind, words[each[0].lower()])
        for each in pattern.finditer(text)
    ]


@lru_cache(maxsize=64)
def _any_of(phrases: tuple[str, ...]) -> re.Pattern[str]:
    longest_first = "|".join(re.escape(each) for each in sorted(phrases, key=len, reverse=True))
    return re.compile(rf"(?<!\w)(?:{longest_first})(?!\w)", re.IGNORECASE)

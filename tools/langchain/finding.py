"""Values in a text: key and value lines, dates, numbers with units, coordinates. Nothing is guessed.

Every find keeps where it stands, so that an answer can quote it.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from typing import Any

from tools.base import ToolError

_MONTHS = "january february march april may june july august september october november december".split()
_MONTH = "|".join([*_MONTHS, *(name[:3] for name in _MONTHS), "sept"])
_DATES = (
    (
        re.compile(
            r"\b(\d{4})-(\d{2})-(\d{2})(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?\b"
        ),
        "ymd",
    ),
    (re.compile(r"\b(\d{4})/(\d{1,2})/(\d{1,2})\b"), "ymd"),
    (
        re.compile(
            rf"\b(\d{{1,2}})(?:st|nd|rd|th)?(?:\s+of)?\s+({_MONTH})\.?,?\s+(\d{{4}})\b", re.IGNORECASE
        ),
        "dmy",
    ),
    (re.compile(rf"\b({_MONTH})\.?\s+(\d{{1,2}})(?:st|nd|rd|th)?,?\s+(\d{{4}})\b", re.IGNORECASE), "mdy"),
    (re.compile(r"\b(\d{1,2})\.(\d{1,2})\.(\d{4})\b"), "dmy"),
    (re.compile(r"\b(\d{1,2})/(\d{1,2})/(\d{4})\b"), "slashed"),
)
_NUMBER = re.compile(
    r"(?<![\w.,-])(?P<number>[-+−]?(?:\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+)(?:[eE][-+]?\d+)?)(?![\d])"
)
_UNIT = re.compile(
    r"\s?(?P<unit>%|‰|°\s?[CFK]?|(?:[A-Za-zµμΩÅ°]+[²³0-9]?(?:\s?[/·*^]\s?-?[A-Za-z0-9²³]+)*)(?:\s[A-Za-z]+[²³]?){0,2})"
)
_BLANK = r"[^\S\n]"
_PAIR = re.compile(
    rf"^[ \t]*+(?:[-*•]{_BLANK}++)?(?:\|{_BLANK}*+)?(?P<key>[^\W\d_][\w ()/%°²³.,-]{{0,60}}?)"
    rf"{_BLANK}*+(?::|=|\|){_BLANK}*+(?P<value>\S(?:[^\n]*[^\s|])?){_BLANK}*+(?:\|{_BLANK}*+)?$",
    re.MULTILINE,
)
_INLINE = re.compile(r"(?:^|[;,(]|\.\s)[^\S\n]*+(?P<key>[^\W\d_][\w ]{0,40}?)[^\S\n]*+[:=][^\S\n]*+(?P<value>[^;\n|]{1,400}?)(?=;|\n|\)|,\s[^\W\d_][\w ]{0,40}[^\S\n]*+[:=]|\.\s|\.?$)", re.MULTILINE)  # fmt: skip  # noqa: E501
_DECIMAL = r"[-+−]?\d{1,3}(?:\.\d+)?"
_LETTERED = re.compile(
    r"(?P<lat>\d{1,2}(?:\.\d+)?)\s*+(?:°\s*+)?(?P<ns>[NS])\b[\s,;]*+"
    r"(?P<lon>\d{1,3}(?:\.\d+)?)\s*+(?:°\s*+)?(?P<ew>[EW])\b"
)
_DMS = re.compile(
    r"(?P<d1>\d{1,2})°\s*(?P<m1>\d{1,2})['′]\s*(?:(?P<s1>\d{1,2}(?:\.\d+)?)[\"″]\s*)?(?P<ns>[NS])[\s,;]*"
    r"(?P<d2>\d{1,3})°\s*(?P<m2>\d{1,2})['′]\s*(?:(?P<s2>\d{1,2}(?:\.\d+)?)[\"″]\s*)?(?P<ew>[EW])"
)
_NAMED = re.compile(
    rf"\b(?P<first>lat|lon)(?:itude|gitude|g)?\b\s*+(?:[:=]\s*+)?(?P<a>{_DECIMAL})\s*+°?[\s,;]*+(?:and\s++)?"
    rf"\b(?P<second>lat|lon)(?:itude|gitude|g)?\b\s*+(?:[:=]\s*+)?(?P<b>{_DECIMAL})",
    re.IGNORECASE,
)
_BARE = re.compile(
    r"(?<![\w.])(?P<lat>[-+−]?\d{1,2}\.\d{3,})\s*[,;]\s*(?P<lon>[-+−]?\d{1,3}\.\d{3,})(?![\w.]*\d)"
)


_ANGLES = {"degree", "radian", "arcminute", "arcsecond"}


@dataclass(frozen=True)
class Found:
    """A value where it stands in the text."""

    value: Any
    start: int
    end: int


@dataclass(frozen=True)
class Measure:
    """A number with the unit that stands behind it, as written; "" where none does."""

    number: float
    unit: str
    """Up to three words, of which the first few may be a unit."""


@dataclass(frozen=True)
class Pair:
    """A key with its value: `Cloud cover: 12 %`."""

    key: str
    value: str
    start: int
    """Where the value begins."""


def folded(text: str) -> str:
    """A name to compare by: small letters without accents, words with one space between."""
    plain = unicodedata.normalize("NFKD", text)
    plain = "".join(each for each in plain if not unicodedata.combining(each))
    return " ".join(re.findall(r"[^\W_]+", plain.casefold()))


def pairs_in(text: str) -> list[Pair]:
    """The key and value pairs: lines, rows of two cells, and parts of a line between semicolons."""
    found: dict[int, Pair] = {}
    for pattern in (_INLINE, _PAIR):
        for match in pattern.finditer(text):
            value = match["value"].strip().strip("|").strip()
            if value and not value.startswith("//"):  # an address is no pair
                found.setdefault(
                    match.start("value"), Pair(match["key"].strip(), value, match.start("value"))
                )
    return [found[start] for start in sorted(found)]


def dates_in(text: str) -> list[Found]:
    """The days that a text names; of 03/04/2019 it cannot be told which is the month, and it is none."""
    taken: list[Found] = []
    for pattern, order in _DATES:
        for match in pattern.finditer(text):
            day = _day(match.groups(), order)
            if day is not None and not any(
                each.start < match.end() and match.start() < each.end for each in taken
            ):
                taken.append(Found(day.isoformat(), match.start(), match.end()))
    return sorted(taken, key=lambda each: each.start)


def measures_in(text: str) -> list[Found]:
    """The numbers of a text with their units, those of its dates and coordinates left out."""
    others = [*dates_in(text), *coordinates_in(text)]
    return [
        Found(measure, start, end)
        for measure, start, end in _measures(text)
        if not any(each.start < end and start < each.end for each in others)
    ]


def coordinates_in(text: str) -> list[Found]:
    """The places that a text gives in degrees, as {"lon", "lat"}; bare pairs are latitude first."""
    taken: list[Found] = []
    for pattern, read in ((_DMS, _of_dms), (_LETTERED, _of_letters), (_NAMED, _of_names), (_BARE, _of_bare)):
        for match in pattern.finditer(text):
            place = read(match)
            if place is None or any(each.start < match.end() and match.start() < each.end for each in taken):
                continue
            lon, lat = place
            if abs(lon) <= 180 and abs(lat) <= 90:
                value = {"lon": round(lon, 7) + 0.0, "lat": round(lat, 7) + 0.0}
                taken.append(Found(value, match.start(), match.end()))
    return sorted(taken, key=lambda each: each.start)


def in_unit(measure: Measure, unit: str | None) -> float | None:
    """The number in that unit; None when what stands behind it is another kind of unit, or none is asked.

    A unit that Pint does not know (NTU) must be written as it is asked for.
    """
    if unit is None:
        return measure.number
    words = measure.unit.split()
    wanted = _spelled(unit)
    for count in range(len(words), 0, -1):
        written = " ".join(words[:count])
        if _spelled(written) == wanted:
            return measure.number
        if (value := _converted(measure.number, written, unit)) is not None:
            return value
    return None


def has_unit(measure: Measure) -> bool:
    """Whether what stands behind the number is a unit that Pint knows."""
    words = measure.unit.split()
    return any(_known(" ".join(words[:count])) is not None for count in range(1, len(words) + 1))


def _measures(text: str) -> Iterator[tuple[Measure, int, int]]:
    for match in _NUMBER.finditer(text):
        number = float(match["number"].replace(",", "").replace("−", "-"))
        behind = _UNIT.match(text, match.end())
        if number not in (float("inf"), float("-inf")):
            yield Measure(number, behind["unit"] if behind else ""), match.start(), match.end()


def _converted(number: float, written: str, unit: str) -> float | None:
    source, target = _known(written), _known(unit)
    if source is None or target is None or source.dimensionality != target.dimensionality:
        return None
    if source.dimensionless and source != target and not {str(source), str(target)} <= _ANGLES:
        return None  # per cent of one thing are no grams in a kilogram of another
    from tools.python.quantities import registry

    exact = registry().Quantity(Fraction(repr(number)), source).to(target).magnitude
    return float(f"{float(exact):.12g}")


def _known(unit: str) -> Any:
    """Pint's unit of that name; None for what is none, and for one letter of a sentence ("a", "I")."""
    from tools.python.quantities import unit_of

    if unit in ("a", "A", "I", "in", "at", "as", "am"):
        return None
    try:
        return unit_of(unit)
    except ToolError:
        return None


def _spelled(unit: str) -> str:
    return unit.replace(" ", "").replace("^", "").replace("²", "2").replace("³", "3").casefold().strip(".")


def _day(parts: tuple[str, ...], order: str) -> date | None:
    numbers = [
        int(part)
        if part.isdecimal()
        else next(n for n, name in enumerate(_MONTHS, 1) if name[:3] == part[:3].lower())
        for part in parts
    ]
    if order == "slashed":
        first, second, year = numbers
        if first != second and max(first, second) <= 12:
            return None  # which of the two is the month?
        order = "mdy" if first <= 12 < second else "dmy"
    year, month, day = (numbers[order.index(letter)] for letter in "ymd")
    try:
        return date(year, month, day)
    except ValueError:
        return None


def _signed(text: str) -> float:
    return float(text.replace("−", "-"))


def _of_dms(match: re.Match[str]) -> tuple[float, float] | None:
    def angle(degrees: str, minutes: str, seconds: str | None) -> float:
        return int(degrees) + int(minutes) / 60 + float(seconds or 0) / 3600

    if max(int(match["m1"]), int(match["m2"])) >= 60:
        return None
    lat = angle(match["d1"], match["m1"], match["s1"]) * (-1 if match["ns"] == "S" else 1)
    lon = angle(match["d2"], match["m2"], match["s2"]) * (-1 if match["ew"] == "W" else 1)
    return lon, lat


def _of_letters(match: re.Match[str]) -> tuple[float, float] | None:
    lat, lon = float(match["lat"]), float(match["lon"])
    return (-lon if match["ew"] == "W" else lon), (-lat if match["ns"] == "S" else lat)


def _of_names(match: re.Match[str]) -> tuple[float, float] | None:
    first, second = match["first"].lower(), match["second"].lower()
    a, b = _signed(match["a"]), _signed(match["b"])
    if first == second:
        return None
    return (a, b) if first == "lon" else (b, a)


def _of_bare(match: re.Match[str]) -> tuple[float, float] | None:
    return _signed(match["lon"]), _signed(match["lat"])

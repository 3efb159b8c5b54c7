"""Numbers with their units in a text, and the one that an argument asks for."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from copilot.planner.declared.signature import Parameter
from copilot.planner.reading.text import NUMBER_WORDS, one_of

_UNIT_WORDS: dict[str, tuple[str, float]] = {
    "m": ("length", 1), "metre": ("length", 1), "metres": ("length", 1), "meter": ("length", 1), "meters": ("length", 1),
    "km": ("length", 1e3), "kilometre": ("length", 1e3), "kilometres": ("length", 1e3), "kilometer": ("length", 1e3),
    "kilometers": ("length", 1e3), "kms": ("length", 1e3), "cm": ("length", 0.01), "mi": ("length", 1609.344),
    "mile": ("length", 1609.344), "miles": ("length", 1609.344), "nm": ("length", 1852), "nmi": ("length", 1852),
    "nautical miles": ("length", 1852), "ft": ("length", 0.3048), "feet": ("length", 0.3048), "yards": ("length", 0.9144),
    "°": ("angle", 1), "deg": ("angle", 1), "degree": ("angle", 1), "degrees": ("angle", 1),
    "px": ("pixels", 1), "pixel": ("pixels", 1), "pixels": ("pixels", 1), "%": ("percent", 1), "percent": ("percent", 1),
    "per cent": ("percent", 1), "ha": ("area", 1e4), "hectare": ("area", 1e4), "hectares": ("area", 1e4),
    "m2": ("area", 1), "m²": ("area", 1), "sq m": ("area", 1), "square metres": ("area", 1), "square meters": ("area", 1),
    "km2": ("area", 1e6), "km²": ("area", 1e6), "square kilometres": ("area", 1e6), "square kilometers": ("area", 1e6),
    "sq km": ("area", 1e6), "db": ("decibel", 1), "s": ("time", 1), "seconds": ("time", 1), "days": ("days", 1), "day": ("days", 1),
    "weeks": ("days", 7), "week": ("days", 7), "years": ("years", 1), "year": ("years", 1),
}  # fmt: skip
_OF_UNIT = {
    "m": ("length", 1), "km": ("length", 1e3), "deg": ("angle", 1), "px": ("pixels", 1), "pct": ("percent", 1),
    "m2": ("area", 1), "ha": ("area", 1e4), "km2": ("area", 1e6), "db": ("decibel", 1), "s": ("time", 1),
    "days": ("days", 1), "years": ("years", 1),
}  # fmt: skip
_UNIT = "|".join(sorted(map(re.escape, _UNIT_WORDS), key=len, reverse=True))
_WORD_NUMBERS = NUMBER_WORDS | {"hundred": 100, "half": 0.5, "twice": 2, "double": 2}
_NUMBER = re.compile(
    rf"(?<![\w.\-/])(?P<sign>[-−]?)(?P<number>\d{{1,3}}(?:,\d{{3}})+(?:\.\d+)?|\d*\.?\d+(?:e-?\d+)?|"
    rf"\b{one_of(_WORD_NUMBERS)}\b)(?:[\s-]?(?P<unit>{_UNIT})(?![\w²]))?(?P<rest>\w*)",
    re.I,
)


@dataclass(frozen=True)
class Quantity:
    """A number of a text with its unit."""

    start: int
    end: int
    value: float
    """In the unit that was said."""
    dimension: str = ""
    """length, angle, area …; nothing for a plain number."""
    scale: float = 1.0
    """Metres, degrees, square metres … to one of the unit."""


def quantities(text: str, taken: Sequence[tuple[int, int]] = ()) -> list[Quantity]:
    """The numbers of a text that stand by themselves, but for the taken stretches."""
    found: list[Quantity] = []
    for match in _NUMBER.finditer(text):
        rest = match["rest"].lower()
        if any(start < match.end() and match.start() < end for start, end in taken):
            continue
        if rest and rest not in ("x", "th", "st", "nd", "rd"):
            continue  # "3d", "b4", "2a": a name
        said = match["number"].replace(",", "").lower()
        value = float(_WORD_NUMBERS[said]) if said in _WORD_NUMBERS else float(said)
        if match["sign"]:
            value = -value
        dimension, scale = _UNIT_WORDS.get((match["unit"] or "").lower(), ("", 1.0))
        found.append(Quantity(match.start(), match.end(), value, dimension, scale))
    return found


def number_for(parameter: Parameter, text: str, numbers: Sequence[Quantity], alone: bool) -> Quantity | None:
    """The number that an argument asks for; None where no number is plainly meant for it.

    By its unit where the argument has one, else by a word of its name that stands beside it. `alone`: it is
    the only argument that is left to take a plain number, so that the only number is its.
    """
    if parameter.unit:
        dimension = _OF_UNIT.get(parameter.unit, ("", 1.0))[0]
        of_it = [each for each in numbers if each.dimension == dimension]
        if of_it:
            return _beside(parameter, text, of_it) or of_it[0]
    plain = [each for each in numbers if not each.dimension or parameter.unit == ""]
    beside = _beside(parameter, text, plain)
    if beside is not None:
        return beside
    bare = [each for each in plain if not each.dimension]
    return bare[0] if alone and bare else None


def converted(parameter: Parameter, found: Quantity) -> float | int:
    """A quantity in the argument's unit."""
    value = found.value
    if parameter.unit in _OF_UNIT and found.dimension == _OF_UNIT[parameter.unit][0]:
        value = found.value * found.scale / _OF_UNIT[parameter.unit][1]
    value = round(float(value), 9)
    return int(value) if value.is_integer() and (parameter.whole or abs(value) < 1e15) else value


def _beside(parameter: Parameter, text: str, numbers: Sequence[Quantity]) -> Quantity | None:
    lowered = text.lower()
    for each in numbers:
        before, after = lowered[: each.start][-24:], lowered[each.end :][:20]
        for word in _names(parameter):
            if re.search(rf"\b{word}s?\W+(?:(?:of|to|is|at|about|=|value|set|size)\W+)*$", before):
                return each
            if re.match(rf"\W*(?:\w+\W+)?{word}s?\b", after):
                return each
    return None


_CALLED = {
    "limit": ("top", "first", "rows", "most", "limit", "least", "best"), "count": ("count", "top"), "clusters": ("cluster", "group"),
    "k": ("k", "cluster", "neighbour", "neighbor", "group"), "n": ("n", "top"), "window": ("window", "kernel"), "size": ("window", "kernel", "size"),
    "interval": ("interval", "every", "equidistance"), "width": ("width", "wide"), "height": ("height", "high", "tall"),
    "azimuth": ("azimuth", "from"), "level": ("level",), "factor": ("factor", "times"), "tolerance": ("tolerance",),
}  # fmt: skip


def _names(parameter: Parameter) -> list[str]:
    found = [*parameter.words, *(name for word in parameter.words for name in _CALLED.get(word, ()))]
    return [re.escape(each) for each in dict.fromkeys(found)]

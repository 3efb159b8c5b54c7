"""Distances, areas, percentages, counts and zoom levels of a sentence, in SI-based units.

Never a quantity: a number that is part of a name ("WorldView-2", "xview3"), a bare year, or a number whose
unit is another's (degrees, dates).
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Literal

from copilot.planner.reading.text import NUMBER_WORDS, one_of, plain

QuantityKind = Literal[
    "distance_km", "area_km2", "percent", "count", "population", "zoom_level", "zoom_steps"
]
Comparator = Literal["=", "<", "<=", ">", ">=", "~"]
Role = Literal["", "radius", "top", "bottom", "limit"]


@dataclass(frozen=True)
class QuantitySpan:
    """One quantity: text[start_index:end_index], its value in the unit of its kind, and how it is compared."""

    start_index: int
    end_index: int
    text: str
    kind: QuantityKind
    value: float
    """km, km², percent, how many, or a zoom level; zoom_steps are relative (+ nearer, - farther)."""
    op: Comparator = "="
    """">" for "over a million people", "<=" for "within 40 km" and "at most 20", "~" for "about"."""
    unit: str = ""
    """As written: "miles", "ships"."""
    role: Role = ""
    """radius: within, around, a … radius; top and bottom: the n first, largest, last, smallest; limit: at most."""
    error: str | None = None


KM_PER: dict[str, float] = {
    **dict.fromkeys(("km", "kms", "kilometer", "kilometers", "kilometre", "kilometres", "klicks"), 1.0),
    **dict.fromkeys(("m", "meter", "meters", "metre", "metres"), 1e-3),
    **dict.fromkeys(("cm", "centimeter", "centimeters", "centimetre", "centimetres"), 1e-5),
    **dict.fromkeys(("mi", "mile", "miles"), 1.609344),
    **dict.fromkeys(("nm", "nmi", "nautical mile", "nautical miles", "sea miles"), 1.852),
    **dict.fromkeys(("ft", "foot", "feet"), 0.0003048),
    **dict.fromkeys(("yd", "yard", "yards"), 0.0009144),
}
KM2_PER: dict[str, float] = {
    **{f"{word} {unit}": km**2 for unit, km in KM_PER.items() for word in ("square", "sq", "sq.")},
    **{f"{unit}{power}": km**2 for unit, km in KM_PER.items() if len(unit) < 3 for power in ("2", "²", "^2")},
    **dict.fromkeys(("ha", "hectare", "hectares"), 0.01),
    **dict.fromkeys(("acre", "acres"), 0.0040468564224),
}
_SCALES = {"hundred": 100, "thousand": 1e3, "k": 1e3, "million": 1e6, "mio": 1e6, "billion": 1e9, "bn": 1e9}
_SCALE_WORD = r"(?:hundred thousand|hundred|thousand|million|mio|billion)"
_WORD = one_of(NUMBER_WORDS)
NUMBER = (
    rf"(?:(?:\d{{1,3}}(?:,\d{{3}})+|\d+)(?:\.\d+)?(?: ?{_SCALE_WORD}\b|(?:k|bn)\b)?|(?<![\d.])\.\d+|"
    rf"(?:half|quarter) an?(?: {_SCALE_WORD})?\b|(?:a )?half\b|(?:an?|several|a few|{_WORD})(?: and a half)? {_SCALE_WORD}\b|"
    rf"(?:{_WORD})(?: and a half)?\b|(?:a |half a )?dozen\b|a couple(?: of)?\b)"
)
"""A number in digits or words, as a regular expression on plain text."""


def number(text: str) -> float:
    """The value of what NUMBER matched: "1,200", "1.2k", "2.5 million", "half a", "twenty", "a dozen"."""
    words = text.strip()
    digits = re.match(r"(?:[\d,]*\.)?[\d,]*\d", words)
    if digits and digits.group(0):
        rest = words[digits.end() :].split() or [""]
        return float(digits.group(0).replace(",", "")) * math.prod(_SCALES.get(word, 1) for word in rest)
    if "dozen" in words:
        return 6 if "half" in words else 12
    scale = math.prod(_SCALES.get(word, 1) for word in words.split())
    if words.startswith(("half", "a half")):
        return 0.5 * scale
    if words.startswith("quarter"):
        return 0.25 * scale
    if words.startswith(("several", "a few")):
        return 3 * scale
    if words.startswith("a couple"):
        return 2 * scale
    base = " ".join(word for word in words.replace("and a half", "").split() if word not in _SCALES)
    return (NUMBER_WORDS.get(base, 1) + (0.5 if "and a half" in words else 0)) * scale


COMPARATORS: tuple[tuple[Comparator, str], ...] = (
    (
        ">=",
        r"at least|no (?:less|fewer) than|not (?:less|fewer) than|a minimum of|minimum|min|>=|≥|from|starting at",
    ),
    (
        "<=",
        r"at most|no more than|not more than|not over|up to|a maximum of|maximum|max|within(?: about)?|inside|<=|≤",
    ),
    (
        ">",
        r"(?:more|greater|higher|larger|bigger|longer) than|(?:greater|higher)|over|above|exceeding|exceeds|beyond|>",
    ),
    ("<", r"(?:less|fewer|lower|smaller|shorter)(?: than)?|under|below|<"),
    ("~", r"about|around|roughly|approximately|approx\.?|nearly|almost|some|circa|ca\.?|~"),
    ("=", r"exactly|equal to|equals|=="),
)
_COMPARED = "|".join(f"(?P<c{index}>{words})" for index, (_, words) in enumerate(COMPARATORS))
_BEFORE = re.compile(rf"(?:(?<=[^\w.])|^)(?:{_COMPARED})(?: (?:a|an|the))? ?$")
_AFTER: tuple[tuple[Comparator, re.Pattern[str]], ...] = (
    (">=", re.compile(r" (?:or|and) (?:more|above|over|larger|greater|higher|up)\b|\+(?!\w)")),
    ("<=", re.compile(r" (?:or|and) (?:less|fewer|under|below|smaller|lower)\b")),
)


def comparator_before(text: str) -> tuple[Comparator, int] | None:
    """The comparison a text ends with ("… more than "), and the index where its words begin."""
    match = _BEFORE.search(text)
    if not match:
        return None
    index = next(index for index in range(len(COMPARATORS)) if match[f"c{index}"])
    return COMPARATORS[index][0], match.start()


_START = r"(?<![\w.,/-])"
_THINGS = (
    r"(?!(?:degrees?|deg|days?|weeks?|months?|years?|decades?|hours?|minutes?|seconds?|times|of|and|or|to|in|from|on|at|"
    r"is|are|was|by|with|within|near|for|the|a|an|per|than|that|which|around|between)\b)"
    r"[a-z][a-z-]+"
)
_PEOPLE = r"(?:people|persons?|inhabitants?|residents?|citizens?)"
_BIGGEST = r"(?:largest|biggest|most \w+|highest|top|longest|newest|latest|most recent|best|nearest|closest|clearest|first)"
_SMALLEST = r"(?:smallest|lowest|shortest|oldest|worst|fewest|last|bottom)"
_RULES: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (name, re.compile(pattern))
    for name, pattern in (
        ("area", rf"{_START}(?P<n>{NUMBER})[ -]?(?P<u>{one_of(KM2_PER)})(?![\w²^])"),
        ("distance", rf"{_START}(?P<n>{NUMBER})[ -]?(?P<u>{one_of(KM_PER)})(?![\w²^])(?P<r>[ -]radius)?"),
        ("distance", rf"{_START}(?P<n>an?) (?P<u>{one_of([unit for unit in KM_PER if len(unit) > 3])})\b(?P<r>[ -]radius)?"),
        ("bare_radius", rf"\bradius(?: of| =)? (?P<n>{NUMBER})(?![\w²^%]| ?(?:%|percent|px|pixels?|degrees?))"),
        ("percent", rf"{_START}(?P<n>{NUMBER}) ?(?P<u>%|percent\b|per cent\b|pct\b)"),
        ("zoom_level", r"\bzoom(?:ed|ing)?(?: (?:in|out|it|the map))*(?: (?:to|at|level|=|of))* ?:?(?P<n>-?\d+(?:\.\d+)?)(?![\w%]| ?(?:times|x|steps?|levels?))"),
        ("zoom_level", rf"\bzoom(?: level)?(?: to| at| of)? (?P<n>{_WORD})(?![\w%]| ?(?:times|x|steps?|levels?))"),
        ("zoom_level", r"\blevel (?P<n>\d+(?:\.\d+)?)(?![\w%])"),
        ("zoom_steps", rf"\bzoom(?:ing)? (?:(?:it|the map|further|a bit|a little|right|way) )*(?P<d>in|out)(?: (?:by )?(?P<n>once|twice|thrice|{_WORD}|\d+)(?: times| steps?| levels?|x)?)?\b"),
        ("top", rf"\b(?:the )?(?P<u>{_BIGGEST}) (?P<n>{NUMBER})(?![\w.%])"),
        ("top", rf"{_START}(?:the )?(?P<n>{NUMBER}) (?P<u>{_BIGGEST})\b"),
        ("bottom", rf"\b(?:the )?(?P<u>{_SMALLEST}) (?P<n>{NUMBER})(?![\w.%]| (?:day|week|month|year|decade|hour)s?\b)"),
        ("bottom", rf"{_START}(?:the )?(?P<n>{NUMBER}) (?P<u>{_SMALLEST})\b"),
        ("limit", rf"\b(?:limit(?:ed)?(?: (?:to|of|it to|this to))?|only show|show only|no more than|at most) ?:?(?P<n>{NUMBER})(?! ?(?:%|percent|km|m|miles)\b)(?: (?P<u>{_THINGS}))?"),
        ("people", rf"{_START}(?P<n>{NUMBER}) (?P<u>{_PEOPLE})\b"),
        ("people", rf"\bpopulations?(?: (?:of|is|was))*(?P<c> \D{{3,22}})? (?P<n>{NUMBER})(?![\w%])"),
        ("count", rf"{_START}(?P<n>{NUMBER}) (?:or more |or fewer |or less |more |random )?(?P<u>{_THINGS})\b"),
    )
)  # fmt: skip


_ROLES: dict[str, Role] = {"top": "top", "bottom": "bottom", "limit": "limit"}


def _value(name: str, match: re.Match[str]) -> tuple[QuantityKind, float]:
    groups = match.groupdict()
    if name == "zoom_steps":
        words = {"once": 1, "twice": 2, "thrice": 3, None: 1}
        steps = words[groups["n"]] if groups["n"] in words else number(groups["n"])
        return "zoom_steps", float(steps if groups["d"] == "in" else -steps)
    if name == "zoom_level":
        return "zoom_level", float(number(groups["n"]) if groups["n"][-1].isalpha() else groups["n"])
    if name == "bare_radius":  # kilometres, as everywhere
        return "distance_km", float(number(groups["n"]))
    value = 1.0 if groups["n"] in ("a", "an") else float(number(groups["n"]))
    if name == "distance":
        return "distance_km", value * KM_PER[groups["u"]]
    if name == "area":
        return "area_km2", value * KM2_PER[groups["u"]]
    return ("percent", value) if name == "percent" else ("population" if name == "people" else "count", value)


def _quantity(name: str, match: re.Match[str], lowered: str, text: str) -> QuantitySpan | None:
    """The quantity of a match with the comparison around it; None when the number is a name's or a year."""
    kind, value = _value(name, match)
    written = match.groupdict().get("n") or ""
    if (
        name == "count"
        and re.fullmatch(r"(?:19[89]|20[0-3])\d", written)
        and lowered[: match.start()].endswith(("in ", "of ", "from ", "the "))
    ):
        return None
    start, end = match.start(), match.end()
    op: Comparator = "="
    inner = (
        comparator_before(f" {match.groupdict().get('c') or ''}".rstrip() + " ")
        if match.groupdict().get("c")
        else None
    )
    if before := comparator_before(lowered[:start]):
        op, start = before
    elif inner:
        op = inner[0]
    elif name == "limit":
        op = "<="
    for other, pattern in _AFTER:
        if after := pattern.match(lowered, end):
            op, end = other, after.end()
        elif pattern.search(lowered, match.start(), end):
            op = other
    role = _ROLES.get(name, "")
    around = re.search(
        r"(?:within|around|radius of|inside|buffer of)(?: (?:a|about|the))* ?$", lowered[: match.start()]
    )
    if name == "distance" and (
        match["r"] or around or re.match(r"s? (?:of|around|from|radius|buffer)\b", lowered[end:])
    ):
        role = "radius"
    unit = (match.groupdict().get("u") or "").strip()
    return QuantitySpan(start, end, text[start:end], kind, value, op, unit, role, _error(kind, value))


def _error(kind: QuantityKind, value: float) -> str | None:
    if kind == "zoom_level" and not 0 <= value <= 24:
        return f"There is no zoom level {value:g}; levels run from 0 (the world) to 24."
    if not math.isfinite(value):
        return "The number is too large to be read; write a smaller one."
    return None


def quantities(text: str) -> list[QuantitySpan]:
    """The quantities of `text`, left to right, never overlapping. Never raises on any text."""
    lowered = plain(text)
    found: list[tuple[int, int, QuantitySpan]] = []
    for rank, (name, pattern) in enumerate(_RULES):
        for match in pattern.finditer(lowered):
            span = _quantity(name, match, lowered, text)
            if span is not None:
                found.append((rank, match.start(), span))
    chosen: list[QuantitySpan] = []
    for _, _, span in sorted(found, key=lambda item: (item[0], item[1])):
        if all(
            span.end_index <= other.start_index or other.end_index <= span.start_index for other in chosen
        ):
            chosen.append(span)
    return sorted(chosen, key=lambda span: span.start_index)

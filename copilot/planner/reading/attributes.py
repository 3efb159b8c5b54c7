"""Comparisons on fields: "cloud cover under 10 %", "sub-metre", "not from WorldView-3", "population over 1 million".

What words mean where people differ: cloud-free, clear and "no clouds" are cloud_pct <= 1, mostly clear and "few
clouds" <= 10, cloudy >= 50; "10 % clouds" without a comparison is <= 10. High resolution is gsd_m <= 1, very high
<= 0.5, low >= 10; a better, finer or higher resolution is a smaller gsd_m, a coarser, worse or lower one a larger.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from copilot.planner.reading.quantities import COMPARATORS, NUMBER, number
from copilot.planner.reading.text import one_of, plain
from data.vocabulary.datasets import SENSOR_WORDS

Op = Literal["=", "!=", "<", "<=", ">", ">=", "in"]
Value = float | str | tuple[str, ...]


@dataclass(frozen=True)
class AttributeSpan:
    """One comparison: text[start:end] says `field` `op` `value`; lengths in metres, clouds in percent."""

    start: int
    end: int
    text: str
    field: str
    op: Op
    value: Value


@dataclass(frozen=True)
class _Hit:
    start: int
    end: int
    field: str
    op: Op
    value: Value


_NEGATED: dict[Op, Op] = {"=": "!=", "!=": "=", "<": ">=", "<=": ">", ">": "<=", ">=": "<", "in": "!="}
_METRES = {
    **dict.fromkeys(
        ("m", "meter", "meters", "metre", "metres", "m/px", "m/pixel", "mpp", "m per pixel"), 1.0
    ),
    **dict.fromkeys(
        ("cm", "centimeter", "centimeters", "centimetre", "centimetres", "cm/px", "cm/pixel"), 0.01
    ),
    **dict.fromkeys(("km", "kilometer", "kilometers", "kilometre", "kilometres"), 1000.0),
    **dict.fromkeys(("mm", "millimetres", "millimeters"), 0.001),
    **dict.fromkeys(("ft", "foot", "feet"), 0.3048),
}
_LENGTH = one_of(_METRES)
_OPS: dict[Op, str] = {
    ">=": next(words for op, words in COMPARATORS if op == ">=").replace("|from", ""),
    "<=": next(words for op, words in COMPARATORS if op == "<=").replace("|inside", ""),
    ">": next(words for op, words in COMPARATORS if op == ">") + "|after|higher|better than",
    "<": next(words for op, words in COMPARATORS if op == "<"),
    "!=": r"!=|<>|≠|is not|isn't|not equal to|not",
    "=": r"==|=|:|equal to|equals|exactly|is|of|about|around",
}
_OP = "(?:" + "|".join(f"(?:{words})" for words in _OPS.values()) + ")"
_NUMBER = rf"(?:-?{NUMBER}|\b(?:an?) (?:million|thousand|hundred|billion)\b)"
_FINER, _COARSER = r"(?:better|finer|sharper|higher)", r"(?:coarser|worse|lower|poorer)"
_NOT = r"(?:(?P<no>\b(?:not|excluding|exclude|except(?: for)?|without|other than|but not|no|non)[ -](?:(?:any|from|by|with|the|in|of|on|taken by|acquired by) )*))?"


def _op(words: str) -> Op:
    """The comparison that words such as "at most" name."""
    for op, pattern in _OPS.items():
        if re.fullmatch(pattern, words.strip()):
            return op
    return "="


def _signed(text: str) -> float:
    digits = text.strip()
    return -number(digits[1:]) if digits.startswith("-") else number(digits)


Reader = Callable[["re.Match[str]"], Iterator[_Hit]]


def _between(match: re.Match[str], field: str, scale: float) -> Iterator[_Hit]:
    """Two hits, for the lower and the upper end; the first ends where the second number's words begin."""
    low, high = sorted((_signed(match["n"]) * scale, _signed(match["n2"]) * scale))
    middle = match.end("n")
    yield _Hit(match.start(), middle, field, ">=", round(low, 9))
    yield _Hit(middle, match.end(), field, "<=", round(high, 9))


def _one(match: re.Match[str], field: str, op: Op, value: Value) -> Iterator[_Hit]:
    negated = match.groupdict().get("no")
    yield _Hit(match.start(), match.end(), field, _NEGATED[op] if negated else op, value)


# Clouds

_CLOUD = r"(?:cloud(?:iness|[ _-]?(?:cover(?:age)?|pct|percentage|percent|fraction))?s?)\b"
_PERCENT = r"(?: ?(?:%|percent|per cent|pct))?"


def _cloud_number(match: re.Match[str]) -> Iterator[_Hit]:
    op = _op(match["op"] or "")
    value = _signed(match["n"])
    return _one(match, "cloud_pct", "<=" if op == "=" and "==" not in (match["op"] or "") else op, value)


_CLOUD_RULES: tuple[tuple[str, Reader], ...] = (
    (rf"\b{_CLOUD}(?: is| at)?(?: between| from| of)? (?P<n>{_NUMBER}){_PERCENT} ?(?:and|to|-) ?(?P<n2>{_NUMBER}){_PERCENT}",
     lambda match: _between(match, "cloud_pct", 1)),
    (rf"(?<![\w.,-])(?:(?:between|from) )?(?P<n>{_NUMBER}){_PERCENT} ?(?:and|to|-) ?(?P<n2>{_NUMBER}){_PERCENT} (?:of )?{_CLOUD}",
     lambda match: _between(match, "cloud_pct", 1)),
    (rf"\b{_CLOUD}(?: is| of| at)? ?(?P<op>{_OP})? ?(?P<n>{_NUMBER}){_PERCENT}(?! ?(?:km|m|images?)\b)", _cloud_number),
    (rf"(?:(?<=\W)|^)(?P<op>{_OP})? ?(?<![\w.-])(?P<n>{_NUMBER}) ?(?:%|percent|per cent|pct) (?:of )?{_CLOUD}", _cloud_number),
    (r"\b(?P<no>not |no longer )?(?:(?:completely|fully|totally) )?(?:cloud[ -]?free|cloudless|free of clouds?|clear[ -]sk(?:y|ies))\b"
     r"|\b(?:no|without(?: any)?|zero) clouds?\b(?! cover)|\b(?:no|without(?: any)?) cloud cover\b",
     lambda match: _one(match, "cloud_pct", "<=", 1.0)),
    (r"\b(?:mostly|almost|nearly|largely) (?:clear|cloud[ -]?free|cloudless)\b|\b(?:few|little|low|hardly any) cloud(?:s| cover)?\b",
     lambda match: _one(match, "cloud_pct", "<=", 10.0)),
    (rf"(?:(?<=\W)|^)(?P<op>{_OP})? ?(?<![\w.-])(?P<n>{_NUMBER}) ?(?:%|percent|per cent|pct) cloudy\b", _cloud_number),
    (r"\b(?P<no>not |non-)?(?<!how )(?<!less )(?<!more )(?<!least )(?<!most )(?:(?:too|very|mostly) )?(?:cloudy|overcast)\b", lambda match: _one(match, "cloud_pct", ">=", 50.0)),
    (r"\bclear (?=images?\b|scenes?\b|imagery\b|ones\b|days?\b)", lambda match: _one(match, "cloud_pct", "<=", 1.0)),
)  # fmt: skip

# Resolution

_GSD = (
    r"(?:spatial |ground )?(?:resolutions?|gsd(?:_m)?|ground sampl(?:e|ing) distance|pixel size|ground pixel)"
)


def _gsd_number(match: re.Match[str]) -> Iterator[_Hit]:
    words = match["op"] or ""
    inverted = re.fullmatch(rf"{_FINER}(?: than)?", words.strip())
    if inverted:
        op: Op = "<"
    elif re.fullmatch(rf"{_COARSER}(?: than)?", words.strip()):
        op = ">"
    else:
        op = _op(words)
    unit = match.groupdict().get("u")
    return _one(match, "gsd_m", op, round(_signed(match["n"]) * _METRES.get(unit or "m", 1.0), 9))


def _gsd_between(match: re.Match[str]) -> Iterator[_Hit]:
    return _between(match, "gsd_m", _METRES[match["u"]])


_GSD_OP = rf"(?:{_FINER} than|{_COARSER} than|{_OP})"
_GSD_RULES: tuple[tuple[str, Reader], ...] = (
    (rf"\b{_GSD}(?: is)? (?:between|from) (?P<n>{_NUMBER})(?: ?{_LENGTH})? ?(?:and|to|-) ?(?P<n2>{_NUMBER}) ?(?P<u>{_LENGTH})\b",
     _gsd_between),
    (rf"\b(?:between |from )?(?P<n>{_NUMBER})(?: ?{_LENGTH})? ?(?:and|to|-) ?(?P<n2>{_NUMBER})[ -]?(?P<u>{_LENGTH}) {_GSD}\b", _gsd_between),
    (rf"\b{_GSD}(?: is| of| at)? ?(?P<op>{_GSD_OP})? ?(?P<n>{_NUMBER})(?:[ -]?(?P<u>{_LENGTH}))?(?![\w/])", _gsd_number),
    (rf"(?:(?<=\W)|^)(?P<op>{_GSD_OP})? ?(?:a )?(?<![\w.-])(?P<n>{_NUMBER})[ -]?(?P<u>{_LENGTH})(?: (?:per|/) ?pixel)?(?: of)? {_GSD}\b", _gsd_number),
    (rf"\b(?P<op>(?:{_FINER}|{_COARSER}) than) (?P<n>{_NUMBER})[ -]?(?P<u>{_LENGTH})(?: {_GSD})?(?![\w/])", _gsd_number),
    (rf"\b(?P<op>at) (?P<n>{_NUMBER})[ -]?(?P<u>cm|centimet(?:re|er)s?|m|m/px|cm/px)(?![\w/])(?! (?:of|from|around|away|radius))", _gsd_number),
    (rf"(?<![\w.-])(?P<op>)(?P<n>{_NUMBER})[ -]?(?P<u>cm/px|m/px|cm/pixel|m/pixel|mpp|cm|m|centimet(?:re|er)|met(?:re|er))"
     r"(?= (?:imagery|images?|scenes?|data|pixels?)\b)", _gsd_number),
    (r"\bsub[ -]?met(?:re|er)s?(?:[ -]resolution)?\b", lambda match: _one(match, "gsd_m", "<", 1.0)),
    (r"\bvery[ -]high[ -]res(?:olution)?\b|\bvhr\b", lambda match: _one(match, "gsd_m", "<=", 0.5)),
    (r"\bhigh[ -]res(?:olution)?\b", lambda match: _one(match, "gsd_m", "<=", 1.0)),
    (r"\b(?:low|coarse)[ -]res(?:olution)?\b", lambda match: _one(match, "gsd_m", ">=", 10.0)),
)  # fmt: skip

# Sensors, modality, split


def _spellings(aliases: Sequence[str]) -> str:
    """A pattern for spoken names, their spaces also as hyphens or left out."""
    return "|".join(re.escape(alias).replace(r"\ ", "[ -]?") for alias in aliases)


SENSORS: dict[str, str] = {
    **{_spellings((*aliases, plain(name).replace("-", " "))): name for name, aliases in SENSOR_WORDS.items()},
    r"world[ -]?view[ -]?1|wv[ -]?1": "WorldView-1",
    r"world[ -]?view[ -]?4|wv[ -]?4": "WorldView-4",
    **{rf"sentinel[ -]?{n}[abc]": f"Sentinel-{n}" for n in (1, 2, 3)},
    r"sentinel[ -]?3": "Sentinel-3",
    r"land[ -]?sat(?![ -]?\d)": "Landsat",
    **{rf"land[ -]?sat[ -]?{n}": f"Landsat-{n}" for n in (5, 7, 8, 9)},
    r"ikonos(?:[ -]?2)?": "IKONOS",
    r"planet[ -]?scope": "PlanetScope",
    r"sky[ -]?sat": "SkySat",
    r"pl[eé]iades": "Pleiades",
    r"terrasar[ -]?x": "TerraSAR-X",
    r"radarsat[ -]?2": "RADARSAT-2",
}
"""Patterns of sensor names and the names the catalogue writes: those of its vocabulary, and others in use."""
_SENSOR = "(?:" + "|".join(SENSORS) + ")"
_SENSOR_GAP = r"(?:,? (?:or|and|and/or)(?: from| by)? |, ?|/| & )"


def _sensor_names(match: re.Match[str]) -> Iterator[_Hit]:
    names = []
    for part in re.finditer(rf"(?<![a-z]){_SENSOR}(?!\w)", match.group(0)):
        names += [name for pattern, name in SENSORS.items() if re.fullmatch(pattern, part.group(0))]
    names = list(dict.fromkeys(names))
    if len(names) == 1:
        yield from _one(match, "sensor", "=", names[0])
    elif not match["no"]:
        yield _Hit(match.start(), match.end(), "sensor", "in", tuple(names))
    else:
        ends = [
            *(part.start() for part in re.finditer(rf"(?<![a-z]){_SENSOR}(?!\w)", match.group(0))),
            len(match.group(0)),
        ]
        starts = [0, *ends[1:-1]]
        for name, start, end in zip(names, starts, ends[1:], strict=False):
            yield _Hit(match.start() + start, match.start() + end, "sensor", "!=", name)


_MODALITY = {"sar": "sar", "radar": "sar", "synthetic aperture radar": "sar", "optical": "optical",
             "multispectral": "multispectral", "multi-spectral": "multispectral", "panchromatic": "panchromatic"}  # fmt: skip
_SPLIT_NOUN = (
    r"(?:[ -](?:set|split|images?|data|samples?|chips?|scenes?|tiles?|part|partition|subset|rows?|ones))"
)
_SPLITS = {
    "training": "train",
    "train": "train",
    "validation": "val",
    "val": "val",
    "testing": "test",
    "test": "test",
}
_WORD_RULES: tuple[tuple[str, Reader], ...] = (
    (r"\b(?:without|with no|having no|that have no|holding no)(?: any)? (?:objects?|detections?|annotations?|boxes|instances|labelled objects)\b|\b(?:hard )?negatives\b"
     r"|\b(?:hard )?negative (?=images\b|samples\b|examples\b|chips\b|scenes\b)|\bempty (?=images\b|scenes\b|chips\b|tiles\b|patches\b)",
     lambda match: _one(match, "detections", "=", 0.0)),
    (rf"{_NOT}(?<![\w-]){_SENSOR}(?!\w)(?:{_SENSOR_GAP}{_SENSOR}(?!\w))*", _sensor_names),
    (rf"{_NOT}(?<![\w-])(?P<v>{one_of(_MODALITY)})\b(?!sat)(?![ -]x\b)", lambda match: _one(match, "modality", "=", _MODALITY[match["v"]])),
    (rf"{_NOT}\b(?P<v>{one_of(_SPLITS)}){_SPLIT_NOUN}\b(?<!training data for)(?! (?:for|to) (?:an? |my |our |the )?(?:model|network|detector|detection|classif|training|train|learn))", lambda match: _one(match, "split", "=", _SPLITS[match["v"]])),
    (rf"{_NOT}\bsplit(?: is|:| =|=)? ?['\"]?(?P<v>{one_of(_SPLITS)})\b['\"]?", lambda match: _one(match, "split", "=", _SPLITS[match["v"]])),
)  # fmt: skip

_FIXED_RULES = tuple(
    (re.compile(pattern), reader) for pattern, reader in (*_CLOUD_RULES, *_GSD_RULES, *_WORD_RULES)
)

# Any field

_UNIT_SUFFIX = re.compile(r"_(?:m|px|pct|km|km2|deg)$")
_PEOPLE = r"(?:people|persons?|inhabitants?|residents?|citizens?)"


def _scaled(field: str, match: re.Match[str]) -> float:
    """The number in the field's unit: a confidence of 80 % is 0.8, a length in metres when the field's is."""
    value, unit = _signed(match["n"]), match.groupdict().get("u") or ""
    if unit in ("%", "percent") and not field.endswith("pct"):
        return round(value / 100, 9)
    if field.endswith("_km") and unit in _METRES:
        return round(value * _METRES[unit] / 1000, 9)
    return round(value * _METRES[unit], 9) if unit in _METRES else value


@lru_cache(maxsize=4096)
def _field_names(field: str) -> frozenset[str]:
    """How a field is written: with underscores or spaces, with or without its unit."""
    names = (plain(field), plain(_UNIT_SUFFIX.sub("", field)))
    return frozenset(form for name in names for form in (name, name.replace("_", " ")) if form.strip())


def _mentioned(field: str, lowered: str) -> bool:
    """Whether a text can speak of a field; compiling rules for those it cannot costs 13 ms each."""
    spoken = {
        "population": ("people", "person", "inhabitant", "resident", "citizen"),
        "length_m": ("longer", "shorter"),
    }
    return any(name in lowered for name in (*_field_names(field), *spoken.get(field, ())))


@lru_cache(maxsize=1024)
def _field_rules(field: str) -> tuple[tuple[re.Pattern[str], Reader], ...]:
    """The rules for a field's own name."""
    names, base = _field_names(field), _UNIT_SUFFIX.sub("", field)
    name = one_of(names) + ("(?:s)?" if len(base) > 3 else "")
    unit = rf"(?: ?(?P<u>%|percent\b|{_LENGTH}(?!\w)))?"
    rules: list[tuple[str, Reader]] = [
        (rf"(?<!\w){name}(?: is)? (?:between|from) (?P<n>{_NUMBER}) (?:and|to|-) (?P<n2>{_NUMBER})", lambda match: _between(match, field, 1)),
        (rf"(?<!\w){name}(?: is| of| at)? ?(?P<op>{_OP}) ?(?P<n>{_NUMBER})(?![\w.-]*[a-z]){unit}",
         lambda match: _one(match, field, _op(match["op"]), _scaled(field, match))),
        (rf"(?<!\w)(?P<op>{_OP}) ?(?<![\w.])(?P<n>{_NUMBER}){unit} {name}(?!\w)",
         lambda match: _one(match, field, _op(match["op"]), _scaled(field, match))),
        (rf"(?<!\w){name} ?(?P<op>!=|==|=) ?(?P<q>['\"]?)(?P<v>[^\s'\",;]+)(?P=q)",
         lambda match: _one(match, field, "!=" if match["op"] == "!=" else "=", match["v"])),
    ]  # fmt: skip
    if field not in ("acquired", "class", "dataset"):
        rules.append(
            (rf"\b(?:whose|where|with) (?:the |its |their )?{name} (?P<op>is not|isn't|is|are|equals|equal to) "
             rf"(?P<q>['\"]?)(?P<v>(?!(?:{_OP}|in|between|better|worse|finer|coarser)\b)[a-z][\w-]*)(?P=q)",
             lambda match: _one(match, field, "!=" if "n" in match["op"] and "t" in match["op"] else "=", match["v"]))
        )  # fmt: skip
    if field == "length_m":
        rules.append(
            (rf"\b(?P<op>longer|shorter) than (?P<n>{_NUMBER}) ?(?P<u>{_LENGTH})(?!\w)",
             lambda match: _one(match, field, ">" if match["op"] == "longer" else "<", _scaled(field, match)))
        )  # fmt: skip
    if field == "population":
        rules.append(
            (rf"(?:(?<=\W)|^)(?P<op>{_OP}) ?(?<![\w.])(?P<n>{_NUMBER}) {_PEOPLE}\b",
             lambda match: _one(match, field, _op(match["op"]), _scaled(field, match)))
        )  # fmt: skip
    return tuple((re.compile(pattern), reader) for pattern, reader in rules)


def _as_written(hit: _Hit, text: str) -> Value:
    """A text value with the capitals the user gave it."""
    if not isinstance(hit.value, str) or hit.field in ("sensor", "modality", "split"):
        return hit.value
    at = plain(text).find(hit.value, hit.start, hit.end)
    return text[at : at + len(hit.value)] if at >= 0 else hit.value


def comparisons(text: str, fields: Sequence[str]) -> list[AttributeSpan]:
    """The comparisons of `text` on `fields`, left to right, never overlapping. Never raises on any text.

    A range gives two spans, for its lower and its upper end. Sensor names joined by "or" give one span with op
    "in"; excluded ones one span each, with "!=". Nothing is given for a field that is not in `fields`.
    """
    lowered = plain(text)
    known = frozenset(fields)
    rules = [
        *_FIXED_RULES,
        *(rule for field in fields if _mentioned(field, lowered) for rule in _field_rules(field)),
    ]
    taken: list[tuple[int, int]] = []
    hits: list[_Hit] = []
    for pattern, reader in rules:
        for match in pattern.finditer(lowered):
            if any(match.start() < end and start < match.end() for start, end in taken):
                continue
            fresh = [hit for hit in reader(match) if hit.field in known]
            if fresh:
                taken.append(match.span())
                hits += fresh
    return [_span(hit, text) for hit in sorted(hits, key=lambda hit: hit.start)]


def _span(hit: _Hit, text: str) -> AttributeSpan:
    blank = len(text[hit.start : hit.end]) - len(text[hit.start : hit.end].lstrip())
    end = hit.start + len(text[hit.start : hit.end].rstrip())
    return AttributeSpan(
        hit.start + blank, end, text[hit.start + blank : end], hit.field, hit.op, _as_written(hit, text)
    )

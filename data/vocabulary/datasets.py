"""What the seven data sets are, and how people name them and their sensors."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from data.vocabulary.words import data_lines, tokens


@dataclass(frozen=True)
class DatasetWords:
    """A data set's title, one sentence about it, and the names people give it."""

    name: str
    title: str
    about: str
    aliases: tuple[str, ...]


@dataclass(frozen=True)
class NameSpan:
    """A data set or sensor named in a sentence: text == sentence[start:end]."""

    start: int
    end: int
    text: str
    names: tuple[str, ...]


def _rows() -> list[list[str]]:
    lines = data_lines(Path(__file__).with_name("datasets.txt"))
    return [[part.strip() for part in line.split("|")] for line in lines]


def _split(text: str, mark: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(mark))


DATASETS: tuple[DatasetWords, ...] = tuple(
    DatasetWords(name, title, about, (name, *_split(aliases, ";")))
    for name, title, about, aliases in _rows()
    if title
)
"""The seven data sets; the table is datasets.txt."""

DATASET_WORDS: MappingProxyType[str, DatasetWords] = MappingProxyType(
    {entry.name: entry for entry in DATASETS}
)

_SEVERAL = {
    alias: _split(names, ",")
    for names, title, _, aliases in _rows()
    if not title
    for alias in _split(aliases, ";")
}

SENSOR_WORDS: MappingProxyType[str, tuple[str, ...]] = MappingProxyType(
    {
        "WorldView-2": ("worldview 2", "worldview2", "wv2", "wv 2", "world view 2"),
        "WorldView-3": ("worldview 3", "worldview3", "wv3", "wv 3", "world view 3"),
        "GeoEye-1": ("geoeye 1", "geoeye1", "geoeye", "geo eye", "geo eye 1"),
        "QuickBird-02": (
            "quickbird 2",
            "quick bird 2",
            "quickbird",
            "quickbird2",
            "quick bird",
            "quickbird 02",
            "qb2",
            "qb02",
        ),
        "Sentinel-1": ("sentinel 1", "sentinel1", "s1"),
        "Sentinel-2": ("sentinel 2", "sentinel2", "s2"),
        "Gaofen-2": ("gaofen 2", "gaofen2", "gaofen", "gf 2", "gf2"),
        "Google Earth": ("google earth",),
    }
)
"""Values of the `sensor` column, each with its spoken names in `words.tokens` spelling."""

MODALITY_WORDS: MappingProxyType[str, tuple[str, ...]] = MappingProxyType(
    {
        "sar": ("sar", "radar", "synthetic aperture radar", "microwave"),
        "optical": ("optical", "rgb", "true color", "true colour", "visible light"),
        "multispectral": ("multispectral", "multi spectral", "multi band"),
        "panchromatic": ("panchromatic", "pan chromatic", "black and white"),
    }
)
"""Values of the `modality` column."""


def _index(table: dict[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
    return {_joined(phrase): names for phrase, names in table.items()}


def _joined(phrase: str) -> str:
    return " ".join(word for _, _, word in tokens(phrase))


_DATASET_INDEX = _index({alias: (entry.name,) for entry in DATASETS for alias in entry.aliases} | _SEVERAL)
_SENSOR_INDEX = _index({alias: (name,) for name, aliases in SENSOR_WORDS.items() for alias in aliases})
_MODALITY_INDEX = _index({alias: (name,) for name, aliases in MODALITY_WORDS.items() for alias in aliases})
# "fair" and "ben" are English; alone they name a data set only with a word like "images" after them.
_NEEDS_NOUN = frozenset({"fair", "ben", "big earth"})
_NOUN = re.compile(r"\s+(data ?sets?|data|images?|imagery|scenes?|set|catalog(ue)?|patches)\b", re.IGNORECASE)


_SET = r"(?:data ?sets?|sets?|collections?|catalog(?:ue)?s?|corpus|archives?)"
_ONE_WITH = re.compile(
    rf"\b(?:(?:the |an? )?{_SET}|(?<=load )the ones?|(?<=open )the ones?|(?<=use )the ones?)"
    r"(?: (?:that|which))?(?: (?:is|are|has|have|shows?|holds?|contains?))?"
    r"(?: (?:with|of|about|for|on|covering|containing|having))?(?: the| all)? (?P<what>[a-z][a-z -]{2,40})",
    re.IGNORECASE,
)
_DESCRIBED = {
    (
        "xview2",
    ): r"(?:building )?damages?(?: grades?| levels?| assessments?)?|disasters?|(?:natural )?catastrophes?|"
    r"damaged buildings|before and after(?: images| pairs)?|disaster response",
    (
        "xview3",
        "sarfish",
    ): r"maritime|vessels?|ships?|ship detection|vessel detection|marine|naval|"
    r"fishing(?: boats| vessels)?|ocean|radar|sar|sentinel-?1|(?:sar|radar) ships?",
    ("bigearthnet",): r"land ?-?cover|corine|vegetation|forests?|agricultural|agriculture|crops?|"
    r"sentinel-?2|multi-?spectral|patches",
    ("fmow",): r"land ?-?use|functional|facilities|places|scene classification",
    ("fair1m",): r"air(?:craft|plane) types?|plane types?|fine-?grained|oriented (?:boxes|objects)|"
    r"gaofen|rotated boxes",
}
"""Data sets by what they are about, for "the maritime data sets" and "the one with building damage"."""


def _described(text: str) -> list[NameSpan]:
    found: list[NameSpan] = []
    for match in _ONE_WITH.finditer(text):
        for names, what in _DESCRIBED.items():
            if said := re.match(rf"(?:{what})(?![\w-])", match["what"], re.IGNORECASE):
                end = match.start("what") + said.end()
                found.append(NameSpan(match.start(), end, text[match.start() : end], names))
                break
    for noun in re.finditer(rf"\b{_SET}\b", text, re.IGNORECASE):
        for names, what in _DESCRIBED.items():
            if said := re.search(
                rf"(?:\b(?:the|both|all) )?(?<![\w-])(?:{what})[ -]$", text[: noun.start()], re.IGNORECASE
            ):
                found.append(NameSpan(said.start(), noun.end(), text[said.start() : noun.end()], names))
                break
    return found


def dataset_mentions(text: str) -> list[NameSpan]:
    """The data sets a sentence names, left to right; "the SAR set" names xview3 and sarfish."""
    named = _scan(text, _DATASET_INDEX)
    found = named + [
        span
        for span in _described(text)
        if not any(span.start < other.end and other.start < span.end for other in named)
    ]
    found.sort(key=lambda span: span.start)
    return [span for span in found if _joined(span.text) not in _NEEDS_NOUN or _NOUN.match(text[span.end :])]


def sensor_mentions(text: str) -> list[NameSpan]:
    """The sensors a sentence names, as values of the `sensor` column."""
    return _scan(text, _SENSOR_INDEX)


def modality_mentions(text: str) -> list[NameSpan]:
    """The modalities a sentence names, as values of the `modality` column."""
    return _scan(text, _MODALITY_INDEX)


def _scan(text: str, index: dict[str, tuple[str, ...]]) -> list[NameSpan]:
    words = tokens(text)
    found: list[NameSpan] = []
    at = 0
    while at < len(words):
        for size in range(min(6, len(words) - at), 0, -1):
            names = index.get(" ".join(word for _, _, word in words[at : at + size]))
            if names:
                start, end = words[at][0], words[at + size - 1][1]
                found.append(NameSpan(start, end, text[start:end], names))
                at += size
                break
        else:
            at += 1
    return found

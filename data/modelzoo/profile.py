"""A record as the selection agent reads it: its free terms as the lexicon's applications, kinds of data,
sensors.

Nothing is added to what the record states, except a sensor's kind of data and scale, what a benchmark's data
set measures and, where the record says nothing of its kinds of data or its scale, what that data set's images
are.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from data.modelzoo.lexicon import Lexicon, lexicon, phrase_key, split
from data.modelzoo.schema import Benchmark, ModelRecord

GLOBAL = "global"


@dataclass(frozen=True)
class Result:
    """One published figure."""

    application: str | None
    kind: str | None
    """The broader kind of task."""
    dataset: str
    metric: str
    """The lexicon's name of it, else the record's."""
    value: float
    less_is_better: bool
    series: tuple[object, ...]
    """What it may be compared within: data set, metric, classes, and the share of labels that was used."""


@dataclass(frozen=True)
class Profile:
    """What the agent knows of a model."""

    record: ModelRecord
    applications: Mapping[str, str]
    """Each application with what tells of it: `benchmark Sen1Floods11`, `made for it`."""
    kinds: frozenset[str]
    modalities: frozenset[str]
    sensors: frozenset[str]
    regions: frozenset[str]
    num_images: int | None
    scale_m: tuple[float, float] | None = None
    """Finest and coarsest ground sampling distance of its images: as stated, else of its sensors, else of its
    benchmarks.
    """
    results: tuple[Result, ...] = field(default=())

    @property
    def id(self) -> str:
        """The record's id."""
        return self.record.model_id

    @property
    def year(self) -> int | None:
        """Of the first publication."""
        return int(self.record.release_date[:4]) if self.record.release_date else None


def profile_of(record: ModelRecord) -> Profile:
    """The profile of one record."""
    words = lexicon()
    results = tuple(result for each in record.benchmarks for result in _results(each, words))
    applications = dict(_applications(record, words))
    stated = {value for term in record.modalities for value in _modalities(term, words)}
    sensors = {value for term in record.supported_sensors for value in words.values(term, "sensor")}
    by_sensor = {words.sensors[each].modality for each in sensors}
    measured = [found for each in record.benchmarks if (found := words.images_of(each.dataset or ""))]
    if not stated and not by_sensor:
        stated = {each.modality for each in measured}
    kinds = {each.kind for each in results if each.kind} | {
        kind for each in record.benchmarks if (kind := _kind(each, words)) is not None
    }
    images = [each.num_images for each in record.pretraining if each.num_images]
    return Profile(
        record=record,
        applications=applications,
        kinds=frozenset(kinds | {words.applications[each].kind for each in applications}),
        modalities=frozenset(stated | by_sensor),
        sensors=frozenset(sensors),
        regions=frozenset(_regions(record, words)),
        num_images=max(images) if images else None,
        scale_m=record.spatial_resolution
        or _span([words.sensors[each].resolution_m for each in sensors])
        or _span([each.resolution_m for each in measured]),
        results=results,
    )


def _span(metres: Sequence[float]) -> tuple[float, float] | None:
    """The finest and the coarsest, where there are some."""
    return (min(metres), max(metres)) if metres else None


def application_of(benchmark: Benchmark, words: Lexicon) -> str | None:
    """What a benchmark measures: by what it says it is for, its data set, else its kind of task."""
    known = (
        *(words.values(benchmark.application or "", "application")),
        words.measured_by(benchmark.dataset or ""),
        *(words.values(benchmark.dataset or "", "application")),
        *(words.values(benchmark.application_type or "", "application")),
    )
    named = [each for each in known if each is not None]
    things = (each for each in named if not words.applications[each].is_general)
    return next(things, named[0] if named else None)


def _kind(benchmark: Benchmark, words: Lexicon) -> str | None:
    """The broader kind of task: as stated, else that of its application."""
    said = words.values(benchmark.application_type or "", "application")
    stated = next(
        (words.applications[each].kind for each in said if words.applications[each].is_general), None
    )
    application = application_of(benchmark, words)
    return stated or (words.applications[application].kind if application is not None else None)


def _results(benchmark: Benchmark, words: Lexicon) -> Iterator[Result]:
    application, kind = application_of(benchmark, words), _kind(benchmark, words)
    dataset = benchmark.dataset or benchmark.application or ""
    for name, value in zip(benchmark.metrics, benchmark.metrics_value, strict=False):
        metric = words.named(name, "metric") or next(iter(words.values(name, "metric")), name)
        less = bool(words.metrics.get(metric, {}).get("less_is_better", False))
        series = (phrase_key(dataset), metric, benchmark.num_classes, benchmark.sampling_percentage)
        yield Result(application, kind, dataset, metric, value, less, series)


def _applications(record: ModelRecord, words: Lexicon) -> Iterator[tuple[str, str]]:
    """Applications with what tells of them; a benchmark tells more than a word of the description."""
    for text in (record.short_description or "", record.model_name):
        yield from ((each, "described for it") for each in words.values(text, "application"))
    for term in record.domain_knowledge:
        yield from ((each, "made for it") for each in words.values(term, "application"))
    for benchmark in record.benchmarks:
        if (application := application_of(benchmark, words)) is not None:
            yield application, f"benchmark {benchmark.dataset or benchmark.application}"


def _modalities(term: str, words: Lexicon) -> Sequence[str]:
    """The kinds of data that a term names; `optical (RGB)` is RGB, and not any optical one."""
    found = words.values(term, "modality")
    sensors = tuple(words.sensors[each].modality for each in words.values(term, "sensor"))
    narrower = [each for each in found if not words.modalities[each].covered]
    return narrower or [*found, *sensors]


def _regions(record: ModelRecord, words: Lexicon) -> Iterator[str]:
    for phase in record.pretraining:
        for term in phase.regions_coverage:
            yield from words.values(term, "region") or (() if not split(term) else (term.casefold(),))

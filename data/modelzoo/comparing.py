"""Two records side by side, and how much of the zoo is known."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from data.modelzoo.schema import BOOKKEEPING, Benchmark, ModelRecord

FIELDS = tuple(name for name in ModelRecord.model_fields if name not in BOOKKEEPING)
"""The fields that tell of a model, in the order of the schema."""


@dataclass(frozen=True)
class Difference:
    """A field that two records state differently; None for unknown."""

    field: str
    left: Any
    right: Any


def diff(left: ModelRecord, right: ModelRecord) -> tuple[Difference, ...]:
    """Where two records differ, in the order of the schema; what both leave open is no difference."""
    found = []
    for name in FIELDS:
        one, two = plain(getattr(left, name)), plain(getattr(right, name))
        if one != two:
            found.append(Difference(name, one, two))
    return tuple(found)


@dataclass(frozen=True)
class Shared:
    """A data set that both models report the same metric on."""

    dataset: str
    metric: str
    sampling_percentage: float | None
    left: float
    right: float


def shared_results(left: ModelRecord, right: ModelRecord) -> tuple[Shared, ...]:
    """Results on one data set by one metric with one share of the labels; the best of several."""
    one, two = _results(left.benchmarks), _results(right.benchmarks)
    return tuple(Shared(*key, one[key], two[key]) for key in one if key in two)


def _results(benchmarks: Iterable[Benchmark]) -> dict[tuple[str, str, float | None], float]:
    best: dict[tuple[str, str, float | None], float] = {}
    for each in benchmarks:
        if each.dataset is None:
            continue
        for metric, value in zip(each.metrics, each.metrics_value, strict=True):
            key = (each.dataset, metric, each.sampling_percentage)
            best[key] = max(best.get(key, value), value)
    return best


@dataclass(frozen=True)
class Filled:
    """How much of the zoo is known."""

    records: int
    by_field: dict[str, int]
    """In how many records a field is stated."""
    values: int
    flagged: int
    """Values under a confidence of 0.75, or without a source."""
    disputed: int
    """Values that another source states otherwise."""
    sources: dict[str, int]
    """Sources by kind, each address once."""


def filled(records: Iterable[ModelRecord]) -> Filled:
    """Counts over all records."""
    everything = tuple(records)
    by_field = Counter(
        name for each in everything for name in FIELDS if plain(getattr(each, name)) is not None
    )
    kinds = {source.url: source.kind for each in everything for source in each.sources.values()}
    return Filled(
        len(everything),
        {name: by_field.get(name, 0) for name in FIELDS},
        sum(1 for each in everything for _ in each.stated()),
        sum(len(each.flagged()) for each in everything),
        sum(bool(known.against) for each in everything for known in each.provenance.values()),
        dict(Counter(kinds.values())),
    )


def plain(value: Any) -> Any:
    """A value as JSON has it: lists for tuples, without what is unknown; None for what is unknown."""
    if value is None or value == ():
        return None
    if isinstance(value, tuple):
        return [plain(each) for each in value]
    if hasattr(value, "model_dump"):
        return {name: plain(inner) for name, inner in value if plain(inner) is not None}
    return value

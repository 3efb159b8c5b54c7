"""Which records fit what is asked, by what they state, and what there is to ask for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from data.modelzoo.schema import ModelRecord


@dataclass(frozen=True)
class Wanted:
    """What a model must be; None or empty asks for nothing. A record that does not say it is left out."""

    words: str = ""
    """Each must stand in the name, the description or the backbone."""
    modalities: tuple[str, ...] = ()
    """All of them."""
    sensor: str | None = None
    application: str | None = None
    """An application or a kind of task."""
    largest: float | None = None
    """Most parameters, millions."""
    weights: bool = False
    """Only those with published weights."""
    loadable: bool = False
    """Only those that a library loads by name."""


def find(records: Iterable[ModelRecord], wanted: Wanted) -> tuple[ModelRecord, ...]:
    """The records that fit, in their order."""
    return tuple(each for each in records if _fits(each, wanted))


def _fits(record: ModelRecord, wanted: Wanted) -> bool:
    text = " ".join(filter(None, (record.model_name, record.short_description, record.backbone))).casefold()
    return (
        all(word in text for word in wanted.words.casefold().split())
        and set(wanted.modalities) <= set(record.modalities)
        and (wanted.sensor is None or wanted.sensor in record.supported_sensors)
        and (wanted.application is None or wanted.application in set(applications_of(record)))
        and (wanted.largest is None or (record.num_parameters or float("inf")) <= wanted.largest)
        and (not wanted.weights or record.weights is not None or bool(record.loading))
        and (not wanted.loadable or bool(record.loading))
    )


def applications_of(record: ModelRecord) -> Iterator[str]:
    """What the model was evaluated for: applications and kinds of task."""
    for each in record.benchmarks:
        yield from (name for name in (each.application, each.application_type) if name is not None)


@dataclass(frozen=True)
class Choices:
    """What there is to filter by, the most frequent first."""

    modalities: tuple[str, ...]
    sensors: tuple[str, ...]
    applications: tuple[str, ...]


def choices(records: Iterable[ModelRecord]) -> Choices:
    """The modalities, sensors and applications that the records state."""
    modalities: Counter[str] = Counter()
    sensors: Counter[str] = Counter()
    applications: Counter[str] = Counter()
    for each in records:
        modalities.update(each.modalities)
        sensors.update(each.supported_sensors)
        applications.update({name for bench in each.benchmarks if (name := bench.application) is not None})
    return Choices(_by_count(modalities), _by_count(sensors), _by_count(applications))


def _by_count(counted: Counter[str]) -> tuple[str, ...]:
    return tuple(name for name, _ in sorted(counted.items(), key=lambda each: (-each[1], each[0])))

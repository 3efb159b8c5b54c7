"""What is wrong with records, beyond what the schema refuses: sources, confidence, words, duplicates."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from urllib.parse import urlsplit

from data.modelzoo.confidence import confidence
from data.modelzoo.schema import ModelRecord
from data.modelzoo.vocabulary import vocabulary

_PER_CENT = re.compile(r"accuracy|mIoU|IoU|F1|mAP|AP50|recall|precision|kappa|score", re.IGNORECASE)
"""Metrics that are shares, and so cannot pass 100."""
_FIRST_YEAR = 2016
"""No model of the kind is older; an earlier date is a slip."""


@dataclass(frozen=True)
class Finding:
    """One thing that is wrong with a record."""

    model_id: str
    path: str
    """Of the value; empty for the record as a whole."""
    says: str
    """One sentence."""

    def __str__(self) -> str:
        where = f"{self.model_id}: {self.path}" if self.path else self.model_id
        return f"{where}: {self.says}"


Rule = Callable[[ModelRecord], Iterator[tuple[str, str]]]


def lint(records: Iterable[ModelRecord]) -> tuple[Finding, ...]:
    """Every finding, by record."""
    everything = tuple(records)
    found = [Finding(each.model_id, *told) for each in everything for rule in RULES for told in rule(each)]
    found += _duplicates(everything)
    return tuple(sorted(found, key=lambda each: (each.model_id, each.path, each.says)))


def _sourced(record: ModelRecord) -> Iterator[tuple[str, str]]:
    for path, _ in record.stated():
        if record.source_of(path) is None:
            yield path, "it is stated without a source."
    for path, known in record.provenance.items():
        for key in (*known.sources, *known.against):
            if key not in record.sources:
                yield path, f"its source {key!r} is not among the record's sources."
        if set(known.sources) & set(known.against):
            yield path, "one source states it and something else."


def _of_something(record: ModelRecord) -> Iterator[tuple[str, str]]:
    """Provenance must belong to a value that is stated: an unknown one has no source."""
    paths = {path for path, _ in record.stated()}
    for path in record.provenance:
        if path not in paths and not any(each.startswith(f"{path}.") for each in paths):
            yield path, "it has a source, but no value is stated."
    used = {key for known in record.provenance.values() for key in (*known.sources, *known.against)}
    for key in record.sources:
        if key not in used:
            yield f"sources.{key}", "nothing is stated from this source."


def _sure(record: ModelRecord) -> Iterator[tuple[str, str]]:
    """The confidence is what the rule makes of the sources, so that nobody sets one by hand."""
    for path, known in record.provenance.items():
        if not all(key in record.sources for key in (*known.sources, *known.against)):
            continue  # told by _sourced
        stating = [record.sources[key] for key in known.sources]
        against = [record.sources[key] for key in known.against]
        if abs(known.confidence - (right := confidence(stating, against))) > 0.005:
            yield path, f"its confidence is {known.confidence:g}, but the sources make {right:g}."


def _linked(record: ModelRecord) -> Iterator[tuple[str, str]]:
    links = {name: getattr(record, name) for name in ("paper_link", "repository", "weights")}
    links |= {f"sources.{key}": source.url for key, source in record.sources.items()}
    for path, link in links.items():
        if link is None:
            continue
        host = urlsplit(link).hostname or ""
        if "." not in host or host.startswith(".") or host.endswith("."):
            yield path, f"{link!r} names no host."
        elif any(mark in link for mark in ("?tab=", "utm_")):
            yield path, f"{link!r} carries a mark that leads nowhere; leave it out."


def _in_range(record: ModelRecord) -> Iterator[tuple[str, str]]:
    for name in ("release_date", "last_updated"):
        value = getattr(record, name)
        if value is not None and int(value[:4]) < _FIRST_YEAR:
            yield name, f"{value} is before there were such models."
    if record.release_date and record.last_updated and record.last_updated[:4] < record.release_date[:4]:
        yield "last_updated", "it was updated before it was released."
    for number, each in enumerate(record.benchmarks):
        for metric, value in zip(each.metrics, each.metrics_value, strict=True):
            if _PER_CENT.search(metric) and not 0 <= value <= 100:
                yield (
                    f"benchmarks.{number}.metrics_value",
                    f"{metric} is {value:g}; a share is 0 to 100 per cent.",
                )


def _worded(record: ModelRecord) -> Iterator[tuple[str, str]]:
    words = vocabulary()
    for modality in record.modalities:
        if modality not in words.modalities:
            yield "modalities", f"{modality!r} is none of the modalities of vocabulary.toml."
    for path, sensors in _sensors(record):
        for sensor in sensors:
            if sensor not in words.sensors:
                yield path, f"{sensor!r} is none of the sensors of vocabulary.toml."
    for number, each in enumerate(record.benchmarks):
        kind, what = each.application_type, each.application
        if kind is not None and kind not in words.applications:
            yield f"benchmarks.{number}.application_type", f"{kind!r} is none of the kinds of task."
        if what is not None and what not in words.applications.get(kind or "", words.every_application):
            yield f"benchmarks.{number}.application", f"{what!r} is no application of the kind {kind!r}."


def _sensors(record: ModelRecord) -> Iterator[tuple[str, tuple[str, ...]]]:
    yield "supported_sensors", record.supported_sensors
    for number, each in enumerate(record.benchmarks):
        yield f"benchmarks.{number}.sensor", each.sensor


def _once(record: ModelRecord) -> Iterator[tuple[str, str]]:
    for path, value in record.stated():
        if isinstance(value, tuple) and path != "spatial_resolution" and not path.endswith("metrics_value"):
            for item, times in Counter(value).items():
                if times > 1:
                    yield path, f"{str(item)[:60]!r} is listed {times} times."
    urls = Counter(source.url for source in record.sources.values())
    for key, source in record.sources.items():
        if urls[source.url] > 1 and source.kind in ("list", "table"):
            yield f"sources.{key}", "another source has the same address."


def _duplicates(records: tuple[ModelRecord, ...]) -> Iterator[Finding]:
    """Two records of one model: the same name, or the same loadable weights."""
    names: dict[str, str] = {}
    loads: dict[tuple[str, str], str] = {}
    for each in records:
        plain = re.sub(r"[^a-z0-9]", "", each.model_name.replace("+", "p").casefold())
        if plain in names:
            yield Finding(each.model_id, "model_name", f"{names[plain]} has the same name.")
        names.setdefault(plain, each.model_id)
        for way in each.loading:
            if (known := loads.setdefault((way.library, way.name), each.model_id)) != each.model_id:
                yield Finding(each.model_id, "loading", f"{known} is loaded as {way.name} too.")


RULES: tuple[Rule, ...] = (_sourced, _of_something, _sure, _linked, _in_range, _worded, _once)

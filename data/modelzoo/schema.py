"""The record of a remote-sensing foundation model: what is known of it, where from, and how surely.

The fields are those of REMSA's model database RS-FMD (Chen et al. 2025, arXiv 2511.17442, Table 4), under
their names; licences, venue, ways of loading, sources and provenance are added. What no source says is None.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterator
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

SourceKind = Literal["paper", "repository", "card", "table", "list"]
"""`paper`, `repository` and `card` are the makers' own, `table` is a library's or benchmark's that holds many
models, `list` is a collection of links."""
Alignment = Literal["full", "partial", "none"]
Library = Literal["torchgeo", "transformers", "terratorch", "timm", "open_clip", "torch.hub", "onnx"]
FLAGGED_BELOW = 0.75
"""A value that is less sure than this is shown as one that a person should look at (REMSA's threshold)."""

Link = Annotated[str, Field(max_length=500, pattern=r"^https?://[^\s<>\"]+$")]
Text = Annotated[str, Field(min_length=1, max_length=600)]
Term = Annotated[str, Field(min_length=1, max_length=120)]
Terms = Annotated[tuple[Term, ...], Field(max_length=60)]
When = Annotated[str, Field(pattern=r"^\d{4}(-\d{2}(-\d{2})?)?$")]
"""A date as exact as it is known: a year, a month or a day, as ISO 8601 writes it."""
Count = Annotated[int, Field(ge=1)]
Share = Annotated[float, Field(ge=0, le=1)]
Metres = Annotated[float, Field(gt=0, le=100_000)]
_MODEL_ID = re.compile(r"[a-z0-9][a-z0-9-]{1,63}")
BOOKKEEPING = frozenset({"model_id", "sources", "provenance"})
"""The fields that say nothing of the model itself, and so need no source."""


class _Frozen(BaseModel):
    model_config = ConfigDict(
        frozen=True, extra="forbid", allow_inf_nan=False, str_strip_whitespace=True, protected_namespaces=()
    )


class Source(_Frozen):
    """Where values were read."""

    title: Text
    url: Link
    kind: SourceKind
    read: datetime.date


class Provenance(_Frozen):
    """Which sources state a value, and how sure it is: `data.modelzoo.reading.confidence` says how."""

    sources: Annotated[tuple[str, ...], Field(min_length=1)]
    """Keys of the record's `sources` that state the value."""
    against: tuple[str, ...] = ()
    """Keys of those that state another one."""
    confidence: Share
    note: str | None = Field(default=None, max_length=400)
    """What the others state, or how a value was come by."""


class Loading(_Frozen):
    """One way to load the model: by which library, under which name there."""

    library: Library
    name: Term


class PretrainingPhase(_Frozen):
    """One phase of pretraining: on which data, how."""

    dataset: Term | None = None
    regions_coverage: Terms = ()
    """`global`, or names of continents and countries."""
    time_range: Term | None = None
    """First and last year of the images, such as 2016/2021."""
    num_images: Count | None = None
    token_size: Annotated[int, Field(ge=1, le=1024)] | None = None
    """Side of a patch that becomes one token, pixels."""
    image_resolution: Annotated[int, Field(ge=1, le=20_000)] | None = None
    """Side of the square that goes in, pixels."""
    epochs: Count | None = None
    batch_size: Count | None = None
    learning_rate: Annotated[float, Field(gt=0, lt=10)] | None = None
    augmentations: Terms = ()
    processing: Terms = ()
    sampling: Term | None = None
    processing_level: Term | None = None
    """Of the product, such as L1C, L2A, GRD."""
    cloud_cover: Term | None = None
    missing_data: Term | None = None
    masking_ratio: Share | None = None


class Benchmark(_Frozen):
    """One evaluation: of which task, on which data, with which result."""

    application_type: Term | None = None
    """The kind of task: classification, segmentation, detection …"""
    application: Term | None = None
    """What it is for: crop type mapping, flood mapping …"""
    dataset: Term | None = None
    metrics: Terms = ()
    metrics_value: Annotated[tuple[float, ...], Field(max_length=60)] = ()
    """One number a metric, as published: shares in per cent, errors in the data's unit."""
    sensor: Terms = ()
    regions: Terms = ()
    original_samples: Count | None = None
    num_samples: Count | None = None
    sampling_percentage: Annotated[float, Field(gt=0, le=100)] | None = None
    """Which part of the labels was used, per cent."""
    num_classes: Count | None = None
    classes: Terms = ()
    image_resolution: Annotated[int, Field(ge=1, le=20_000)] | None = None
    """Side of the square, pixels."""
    spatial_resolution: Metres | None = None
    """Ground sampling distance, metres."""
    bands_used: Terms = ()
    augmentations: Terms = ()
    optimizer: Term | None = None
    batch_size: Count | None = None
    learning_rate: Annotated[float, Field(gt=0, lt=10)] | None = None
    epochs: Count | None = None
    loss_function: Term | None = None
    split_ratio: Term | None = None

    @model_validator(mode="after")
    def _a_value_a_metric(self) -> Benchmark:
        if self.metrics_value and len(self.metrics_value) != len(self.metrics):
            raise ValueError(f"{len(self.metrics)} metrics have {len(self.metrics_value)} values")
        return self


class ModelRecord(_Frozen):
    """A foundation model, as people compare it and the selection agent reads it."""

    model_id: str
    """The name of its file: a-z, 0-9 and hyphens."""
    model_name: Term
    version: Term | None = None
    release_date: When | None = None
    """Of the first publication: the preprint, the paper, or the weights."""
    last_updated: When | None = None
    short_description: Text | None = None
    paper_link: Link | None = None
    publication: Term | None = None
    """The venue and year, such as CVPR 2024."""
    citations: Annotated[int, Field(ge=0)] | None = None
    repository: Link | None = None
    weights: Link | None = None
    licence_code: Term | None = None
    """SPDX identifier, or the licence's own name."""
    licence_weights: Term | None = None
    backbone: Term | None = None
    num_layers: Annotated[int, Field(ge=1, le=1000)] | None = None
    num_parameters: Annotated[float, Field(gt=0, le=1_000_000)] | None = None
    """Millions; of the largest published variant where there are several and the name means all of them."""
    pretext_training_type: Term | None = None
    masking_strategy: Term | None = None
    pretraining: Annotated[tuple[PretrainingPhase, ...], Field(max_length=20)] = ()
    domain_knowledge: Terms = ()
    backbone_modifications: Terms = ()
    supported_sensors: Terms = ()
    modality_integration_type: Term | None = None
    modalities: Terms = ()
    spectral_alignment: Alignment | None = None
    temporal_alignment: Alignment | None = None
    spatial_resolution: tuple[Metres, Metres] | None = None
    """Finest and coarsest ground sampling distance of the pretraining images, metres."""
    temporal_resolution: Term | None = None
    bands: Terms = ()
    benchmarks: Annotated[tuple[Benchmark, ...], Field(max_length=200)] = ()
    loading: Annotated[tuple[Loading, ...], Field(max_length=60)] = ()
    sources: dict[str, Source]
    provenance: dict[str, Provenance]

    @field_validator("model_id")
    @classmethod
    def _plain_id(cls, model_id: str) -> str:
        if not _MODEL_ID.fullmatch(model_id):
            raise ValueError("a model_id is 2 to 64 of a-z, 0-9 and hyphens, a letter or digit first")
        return model_id

    @field_validator("spatial_resolution")
    @classmethod
    def _finest_first(cls, pair: tuple[float, float] | None) -> tuple[float, float] | None:
        if pair is not None and pair[0] > pair[1]:
            raise ValueError("spatial_resolution is two lengths in metres, the finer first")
        return pair

    def stated(self) -> Iterator[tuple[str, Any]]:
        """Every value that is stated, with its path: `num_parameters`, `pretraining.0.dataset` …"""
        for name in type(self).model_fields:
            if name in BOOKKEEPING:
                continue
            value = getattr(self, name)
            if isinstance(value, tuple) and value and isinstance(value[0], PretrainingPhase | Benchmark):
                for number, part in enumerate(value):
                    for inner in type(part).model_fields:
                        if not _unknown(found := getattr(part, inner)):
                            yield f"{name}.{number}.{inner}", found
            elif not _unknown(value):
                yield name, value

    def source_of(self, path: str) -> Provenance | None:
        """The provenance of a value: its own, or else that of the part that holds it; None for none."""
        while path:
            if path in self.provenance:
                return self.provenance[path]
            path = path.rpartition(".")[0]
        return None

    def flagged(self) -> tuple[str, ...]:
        """Paths of the values that a person should look at: less sure than 0.75, or without a source."""
        return tuple(
            path
            for path, _ in self.stated()
            if (known := self.source_of(path)) is None or known.confidence < FLAGGED_BELOW
        )


def _unknown(value: object) -> bool:
    return value is None or value == ()

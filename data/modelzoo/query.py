"""What is asked of a model: REMSA's query schema (arXiv 2511.17442), and how an answer or a follow-up
refines it.

Application and modality are mandatory there, the rest is optional. Ours besides: how fine the task is, a
most number of parameters, weights that can be downloaded, a licence that allows commercial use, and what a
person said does not matter.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

Device = Literal["laptop", "gpu", "cluster", "edge"]
Labels = Literal["none", "few", "enough", "unlabelled"]
Priority = Literal["accuracy", "precision", "recall", "speed"]
Complexity = Literal["simple", "moderate", "fine"]

MANDATORY = ("application", "modalities")
"""What must be known before anything is recommended."""
FEW_LABELS = 500
"""Up to so many labels are few, more are enough."""


class LeastPerformance(BaseModel):
    """The least that a published figure has to be; for an error, the most."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    metric: str
    value: float
    """Per cent for shares, the data's unit for errors."""


class Query(BaseModel):
    """A request for a model, as far as it is known."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    application: str | None = None
    modalities: tuple[str, ...] = ()
    sensors: tuple[str, ...] = ()
    spatial_resolution_m: Annotated[float, Field(gt=0)] | None = None
    temporal_resolution_days: Annotated[float, Field(gt=0)] | None = None
    bands: tuple[str, ...] = ()
    available_data: Labels | None = None
    num_labels: Annotated[int, Field(ge=0)] | None = None
    unusual_data: bool = False
    """Whether the data are unlike what models are usually trained on."""
    deployment_device: Device | None = None
    memory_gb: Annotated[float, Field(gt=0)] | None = None
    """Of that device, where it was said."""
    priority_metrics: tuple[Priority, ...] = ()
    min_performance: LeastPerformance | None = None
    region: str | None = None
    domain_keywords: tuple[str, ...] = ()
    complexity: Complexity | None = None
    image_px: Annotated[int, Field(ge=1)] | None = None
    """Side of the images that go in."""
    max_parameters_m: Annotated[float, Field(gt=0)] | None = None
    open_weights: bool = False
    commercial: bool = False
    declined: tuple[str, ...] = ()
    """Fields of which the person said that they do not matter."""

    def has(self, field: str) -> bool:
        """Whether a field was said, be it that it does not matter."""
        return field in self.declined or bool(getattr(self, field))

    @property
    def missing(self) -> tuple[str, ...]:
        """The mandatory fields that are not known."""
        return tuple(field for field in MANDATORY if not self.has(field))

    def given(self) -> dict[str, Any]:
        """The fields that were said, as plain JSON."""
        return self.model_dump(mode="json", exclude_defaults=True)

    def refined(self, later: Query) -> Query:
        """This query with what a later request says in place of what was said before."""
        said = {name: getattr(later, name) for name in later.model_fields_set if later.has(name)}
        if "modalities" in said and "sensors" not in said:
            said["sensors"] = ()  # a sensor of another kind of data is no longer meant
        if "available_data" in said and "num_labels" not in said:
            said["num_labels"] = None
        if "deployment_device" in said and "memory_gb" not in said:
            said["memory_gb"] = None
        declined = (*(each for each in self.declined if each not in said), *later.declined)
        return self.model_copy(update={**said, "declined": tuple(dict.fromkeys(declined))})


def spoken(modality: str) -> str:
    """A kind of data as people write it."""
    return modality.upper() if modality in ("sar", "rgb") else modality


def in_words(query: Query) -> str:
    """The query as a sentence part: `crop type mapping · multispectral, Sentinel-2 · few labels · laptop`."""
    least = query.min_performance
    parts = [
        query.application or "",
        ", ".join((*map(spoken, query.modalities), *query.sensors)),
        f"{query.spatial_resolution_m:g} m" if query.spatial_resolution_m else "",
        f"every {query.temporal_resolution_days:g} days" if query.temporal_resolution_days else "",
        f"bands {', '.join(query.bands)}" if query.bands else "",
        _labels(query),
        "unusual data" if query.unusual_data else "",
        _device(query),
        ", ".join(f"{each} first" for each in query.priority_metrics),
        f"{least.metric} {least.value:g} or better" if least else "",
        query.region or "",
        f"{query.complexity} classes" if query.complexity else "",
        f"{query.image_px} px" if query.image_px else "",
        f"at most {query.max_parameters_m:g} million parameters" if query.max_parameters_m else "",
        "weights to download" if query.open_weights else "",
        "commercial use" if query.commercial else "",
        ", ".join(query.domain_keywords),
    ]
    return " · ".join(part for part in parts if part)


def _labels(query: Query) -> str:
    if query.num_labels is not None:
        return f"{query.num_labels:,} labels"
    if query.available_data is None:
        return ""
    named = {"unlabelled": "unlabelled images", "none": "no labels"}
    return named.get(query.available_data, f"{query.available_data} labels")


def _device(query: Query) -> str:
    if query.deployment_device is None:
        return ""
    named = {
        "laptop": "laptop without a GPU",
        "gpu": "one GPU",
        "cluster": "GPU cluster",
        "edge": "edge device",
    }
    memory = f" of {query.memory_gb:g} GB" if query.memory_gb else ""
    return f"{named[query.deployment_device]}{memory}"

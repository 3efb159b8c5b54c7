"""Detections that tools make and work on: objects with a class and a score, found in an image by a model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field

from data.vision.detections import is_detections
from state.model import State
from tools.artifacts import Call, Input, newest_named
from tools.base import Step, ToolError, World
from tools.map.files import read_vector
from tools.vectors import vector_step

if TYPE_CHECKING:
    import geopandas as gpd

NEWEST = "newest"
"""The handle of the detections that were made last."""

DetectionsHandle = Annotated[
    str,
    Field(
        min_length=1,
        max_length=200,
        description="Detections: the id of what a detector made, or 'newest' for the last ones.",
        json_schema_extra={"format": "detections"},
    ),
]


@dataclass(frozen=True)
class Detections:
    """Detections that a call works on."""

    handle: str
    frame: gpd.GeoDataFrame
    """The columns of data.vision.detections.COLUMNS, and more that a tool may have added."""
    name: str
    key: str


def detections_of(state: State, world: World, handle: str = NEWEST) -> Detections:
    """The detections of that handle or name. Raises ToolError saying which there are, or what makes some."""
    known = [each for each in state.artifacts if each.kind == "detections"]
    layer = state.layer(handle)
    wanted = layer.artifact if layer is not None and layer.artifact else handle
    found = (
        (known[-1] if known else None)
        if handle == NEWEST
        else next((each for each in known if each.id == wanted), None) or newest_named(known, handle)
    )
    if found is None:
        there = f"There are {', '.join(f'{each.id} ({each.name})' for each in known[-6:])}." if known else (
            "There are none yet; optical_detection or sar_detection finds some in an image."
        )  # fmt: skip
        raise ToolError(f"There are no detections {handle!r}. {there}")
    path = world.artifacts.find(found.id)
    if path is None:
        raise ToolError(f"The file of {found.id} is gone; {found.made_by} makes it again.")
    frame = read_vector(path, keep_empty=True)
    if not is_detections(frame.columns):
        raise ToolError(f"{found.id} holds features without a class and a score, and so no detections.")
    return Detections(found.id, frame, found.name, found.id)


def detections_step(
    state: State,
    world: World,
    call: Call,
    inputs: Sequence[Input],
    frame: gpd.GeoDataFrame,
    *,
    name: str,
    said: str,
    **data: Any,
) -> Step:
    """Keep detections (of data.vision.detections.features) and show those that have a place on the map."""
    return vector_step(
        state, world, call, inputs, frame, name=name, said=said, artifact_kind="detections", **data
    )

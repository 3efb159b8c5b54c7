"""The feature of a layer that is picked: by its number, as its table counts, 1 the first."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

import shapely
from pydantic import Field

from state.model import Bbox, Layer, State
from tools.artifacts import FEATURES
from tools.base import ToolError, World
from tools.map.files import read_vector
from tools.map.geometry import union_box
from tools.phrases import number_of
from tools.places import box

PICKED = "picked"
"""The option of a layer that keeps the number of the feature that is picked."""
RowNumber = Annotated[
    int, Field(ge=1, description="One feature of them, by its number: the first row of its table is 1.")
]


def picked_row(layer: Layer) -> int | None:
    """The number of the layer's feature that is picked; None without one."""
    said = dict(layer.options).get(PICKED)
    return int(said) if isinstance(said, float | int) else None


def without_pick(options: dict[str, str | float | bool]) -> dict[str, str | float | bool]:
    """A layer's options without what is picked of it."""
    return {key: value for key, value in options.items() if key != PICKED}


def with_pick(state: State, artifact: str | None, row: int | None) -> State:
    """The state with that feature picked on each layer that shows the artifact, and no other anywhere."""
    for each in state.map.layers:
        options = without_pick(dict(each.options))
        if row is not None and artifact is not None and each.artifact == artifact:
            options[PICKED] = float(row)
        if options != dict(each.options):
            state = state.with_layer(replace(each, options=tuple(sorted(options.items()))))
    return state


def feature_of(state: State, world: World, layer: Layer, row: int) -> shapely.Geometry:
    """The shape of a layer's feature of that number. Raises ToolError where there is none."""
    artifact = state.artifact(layer.artifact) if layer.artifact else None
    if artifact is None or artifact.kind not in FEATURES:
        raise ToolError(
            f"The layer {layer.name!r} is drawn from a selection, a drawing or pixels, which have no rows of "
            "their own; row picks one of a layer of added or computed features."
        )
    path = world.artifacts.find(artifact.id)
    if path is None:
        raise ToolError(f"The file of {artifact.id} is gone; {artifact.made_by} makes it again.")
    frame = read_vector(path, keep_empty=True)
    checked_row(layer.name, len(frame), row)
    found: shapely.Geometry = frame.geometry.iloc[row - 1]
    if found is None or found.is_empty:
        raise ToolError(f"Row {row:,} of {layer.name!r} has no place, so the map cannot go to it.")
    return found


def checked_row(name: str, count: int, row: int | None) -> None:
    """Raises ToolError where there is no such row."""
    if row is not None and row > count:
        raise ToolError(f"{name!r} has {number_of(count, 'row')}; there is no row {row:,}.")


def box_of(shape: shapely.Geometry) -> Bbox:
    """The narrowest box around a shape, whose parts may lie on both sides of the antimeridian."""
    parts = shapely.bounds(shapely.get_parts(shape)).tolist()
    return box(union_box([(west, south, east, north) for west, south, east, north in parts]))

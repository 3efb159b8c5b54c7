"""Put an artifact on the map: what a call makes is seen at once, and never twice."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from state.model import Bbox, Layer, State
from tools.map.styles import KIND_COLORS, color_of, free_color, free_id, free_name, slug

Options = dict[str, str | float | bool]


def artifact_layer(
    state: State,
    name: str,
    kind: Literal["vector", "raster"],
    bbox: Bbox,
    *,
    options: Options | None = None,
    color: str | None = None,
    artifact: str | None = None,
    count: int = 1,
) -> Layer:
    """The layer of an artifact: the one that shows it already, looked at anew, else a new one."""
    color = color and color_of(color)
    new = new_layer(state, name, kind, bbox, options=options, color=color, artifact=artifact, count=count)
    shown = next(
        (each for each in state.map.layers if artifact is not None and each.artifact == artifact), None
    )
    if shown is None:
        return new
    return replace(
        shown, visible=True, color=color or shown.color, options=new.options, count=count, kind=kind
    )


def new_layer(
    state: State,
    name: str,
    kind: Literal["vector", "raster"],
    bbox: Bbox,
    *,
    options: Options | None = None,
    color: str | None = None,
    artifact: str | None = None,
    count: int = 1,
) -> Layer:
    """A layer beside those that there are; of features in a colour that no other has.

    It remembers its box, so that fitting it reads no file.
    """
    own = free_color(state) if kind == "vector" else KIND_COLORS[kind]
    sides: Options = dict(zip(("west", "south", "east", "north"), bbox, strict=True))
    return Layer(
        id=free_id(state, slug(name)),
        name=free_name(state, name),
        kind=kind,
        color=color_of(color) if color else own,  # which drawings and pages read as #rrggbb
        opacity=1.0 if kind == "raster" else 0.8,
        artifact=artifact,
        options=tuple(sorted({**(options or {}), **sides}.items())),
        count=count,
    )

"""The columns of a layer's features, and their values: of a vector layer, or of a plot of the selection."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from data.profiles import holds_times
from state.model import Layer, State
from tools.artifacts import artifact_file
from tools.base import ToolError, World
from tools.database.attributes import known_field
from tools.map.breaks import number_of_value, numbers_of, repeated
from tools.map.classes import class_text
from tools.map.files import read_vector
from tools.phrases import listed
from tools.selection import selection_of_query

if TYPE_CHECKING:
    import pandas as pd

Kind = Literal["number", "text", "time"]
OF_ROWS = frozenset({"points", "clusters", "footprints", "timeline"})
"""Plots that draw each image by itself, where the map is near enough."""
OF_OBJECTS: dict[str, Kind] = {"class_name": "text", "confidence": "number", "length_m": "number"}
"""What a plotted detection has."""
_IMAGE_FIELDS = ("dataset", "sensor", "modality", "split", "country", "gsd_m", "cloud_pct", "acquired")
_MOST_DISTINCT = 100_000
_MOST_OBJECTS = 20_000


@dataclass(frozen=True)
class Column:
    """A column of a layer."""

    name: str
    kind: Kind


@dataclass(frozen=True)
class Values:
    """What a column holds, over all of the layer's rows."""

    column: Column
    counts: tuple[tuple[str, int], ...]
    """Each value as a class's name and how often it is there, most first, ties by name."""
    numbers: NDArray[np.float64]
    """The finite numbers, ascending; of many, some thousands spread evenly by rank."""
    missing: int
    """Rows without a value."""


def columns_of(state: State, world: World, layer: Layer) -> tuple[Column, ...]:
    """What a layer may be drawn by. Raises ToolError for one whose features have no columns."""
    if layer.kind == "vector" and layer.artifact is not None:
        frame = _frame(state, world, layer)
        return tuple(
            Column(str(name), _kind_of(frame[name])) for name in frame if name != frame.geometry.name
        )
    if layer.kind == "detections" and layer.query is not None:
        return tuple(Column(name, kind) for name, kind in OF_OBJECTS.items())
    if layer.kind in OF_ROWS and layer.query is not None:
        known = ((name, world.catalogue.field_type(name)) for name in _IMAGE_FIELDS)
        return tuple(Column(name, kind) for name, kind in known if kind is not None)
    raise ToolError(
        f"The layer {layer.name!r} ({layer.kind}) has no features of its own to tell apart; vector layers, "
        "scatter_plot, cluster_plot, footprint_plot, time_slider_plot and detection_plot have."
    )


def column_named(state: State, world: World, layer: Layer, name: str) -> Column:
    """The column that a name means, whatever its case. Raises ToolError with the nearest ones."""
    known = columns_of(state, world, layer)
    if layer.kind in OF_ROWS:
        field, kind = known_field(name, world)
        return Column(field, "number" if kind == "number" else "time" if kind == "time" else "text")
    spelled = {_plain(each.name): each for each in known}
    if (found := spelled.get(_plain(name))) is not None:
        return found
    near = [spelled[each].name for each in get_close_matches(_plain(name), spelled, n=2)]
    hint = f"Did you mean {' or '.join(near)}?" if near else f"It has {listed([c.name for c in known], 12)}."
    raise ToolError(f"The layer {layer.name!r} has no column {name!r}. {hint}")


def values_of(state: State, world: World, layer: Layer, column: Column) -> Values:
    """A column's values over all of the layer's rows, as they are now."""
    if layer.query is None:
        return _of_series(column, _frame(state, world, layer)[column.name])
    selection = selection_of_query(layer.query)
    if layer.kind == "detections":
        if column.name == "class_name":
            return _of_counts(column, world.catalogue.count_by(selection, "class", "detections"))
        return _of_series(column, world.catalogue.detections(selection, limit=_MOST_OBJECTS)[column.name])
    by = "day" if column.kind == "time" else column.name
    return _of_counts(column, world.catalogue.count_by(selection, by, limit=_MOST_DISTINCT))


def has_size(state: State, world: World, layer: Layer) -> bool:
    """Whether a layer's features can be drawn larger or smaller: points and lines can, areas cannot."""
    if layer.kind in ("footprints", "detections"):
        return False
    if layer.kind != "vector" or layer.artifact is None:
        return True
    return not _frame(state, world, layer).geom_type.str.endswith("Polygon").all()


def _of_series(column: Column, series: pd.Series) -> Values:
    there = series.dropna()
    counted: Any = there.map(class_text).value_counts() if column.kind != "time" else {}
    pairs = sorted(((str(name), int(n)) for name, n in counted.items()), key=lambda each: (-each[1], each[0]))
    numbers = np.sort(numbers_of(there)) if column.kind != "text" else np.empty(0)
    return Values(column, tuple(pairs), numbers, len(series) - len(there))


def _of_counts(column: Column, counts: list[tuple[str, int]]) -> Values:
    there = [(name, n) for name, n in counts if name != "unknown"]
    if column.kind == "text":
        return Values(column, tuple(there), np.empty(0), sum(n for _, n in counts) - sum(n for _, n in there))
    found = [(number, n) for name, n in there if (number := _number(column, name)) is not None]
    numbers = repeated([each for each, _ in found], [n for _, n in found]) if found else np.empty(0)
    named = tuple((class_text(each), n) for each, n in found) if column.kind == "number" else ()
    return Values(column, named, numbers, sum(n for _, n in counts) - sum(n for _, n in found))


def _number(column: Column, text: str) -> float | None:
    if column.kind == "time":
        try:
            return float(np.datetime64(text, "D").astype(int))
        except ValueError:
            return None
    return number_of_value(text)


def _frame(state: State, world: World, layer: Layer) -> pd.DataFrame:
    assert layer.artifact is not None
    artifact = state.artifact(layer.artifact)
    kind = artifact.kind if artifact else "vector"
    frame: pd.DataFrame = read_vector(artifact_file(state, world, layer.artifact, kind))
    return frame


def _kind_of(series: pd.Series) -> Kind:
    from pandas.api import types

    if holds_times(series):
        return "time"
    return "number" if types.is_numeric_dtype(series) and not types.is_bool_dtype(series) else "text"


def _plain(name: str) -> str:
    return " ".join(name.casefold().replace("_", " ").split())

"""Tables that calls make: Parquet files in the session's artifacts, known to the state by their id."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Sequence
from datetime import date, datetime
from typing import TYPE_CHECKING, Any, TypeGuard

import pandas as pd

from data.profiles import stored_type
from state.model import State
from tools.artifacts import Call, Input, artifacts_taken, write_about
from tools.base import Step, World
from tools.phrases import number_of

if TYPE_CHECKING:
    import geopandas as gpd

OUTLINES = "footprint"
"""The column of outlines on the ground, as WKB: they go into exports, and are no cells that people read."""
MEASURED, RENAMED = "azimuth_measured", "azimuth_renamed"
"""In the `attrs` of features as rows: the columns that were measured and are none of theirs, and those of
theirs that bear another name for it."""
SHOWN_ROWS = 5
"""How many rows go into a call's data, for an answer to quote."""
_MOST_TYPES = 60
_NARROW = 6
"""A table of no more columns than this is read out row by row."""


def save_table(
    state: State,
    world: World,
    frame: pd.DataFrame,
    call: Call,
    name: str,
    inputs: Sequence[Input] | None = None,
) -> State:
    """Write a table and return the state that knows it, with the results panel open on it.

    `inputs` are what it was made of, when that is not the current selection or another table.
    """
    artifact = call.artifact("table", state, name, number_of(len(frame), "row"), inputs)
    frame.to_parquet(world.artifacts.path(artifact.id, ".parquet"), index=False)
    made_of = inputs if inputs is not None else artifacts_taken(state, call)
    if made_of is not None:
        write_about(world, artifact, call, made_of)
    return state.with_artifact(artifact).with_ui(table=artifact.id).with_panel("results")


def table_step(
    state: State, world: World, frame: pd.DataFrame, call: Call, name: str, observation: str, **data: Any
) -> Step:
    """Save rows and say so: data has their id, size, columns and first rows, and what else is given.

    Rows with shapes are kept as features, and shown on the map.
    """
    return table_of_inputs(state, world, None, frame, call, name, observation, **data)


def table_of_inputs(
    state: State,
    world: World,
    inputs: Sequence[Input] | None,
    frame: pd.DataFrame,
    call: Call,
    name: str,
    observation: str,
    **data: Any,
) -> Step:
    """`table_step` for rows that are made of those inputs, and not of the selection or another table."""
    if have_shapes(frame):
        return _features_step(state, world, inputs, frame, call, name, observation, data)
    after = save_table(state, world, frame, call, name, inputs)
    table = after.artifacts[-1].id
    facts = {"table": table, **rows_told(frame), **data}
    return Step(after, f"{observation} The table is {table}.", facts)


def rows_told(frame: pd.DataFrame) -> dict[str, Any]:
    """How many rows, their columns with types, and the first of them: what a model sees of a result."""
    table = without_outlines(frame)
    return {
        "rows": len(frame),
        "columns": [str(column) for column in table.columns],
        "types": {str(name): stored_type(table[name]) for name in table.columns[:_MOST_TYPES]},
        "first": plain_rows(frame.head(SHOWN_ROWS)),
    }


def _features_step(
    state: State,
    world: World,
    inputs: Sequence[Input] | None,
    frame: gpd.GeoDataFrame,
    call: Call,
    name: str,
    observation: str,
    data: dict[str, Any],
) -> Step:
    """`table_step` for rows with shapes: new features, on the map, and open in the results panel."""
    from tools.vectors import inputs_of, vector_step  # which are made of tables too

    made_of = inputs_of(state, world, call) if inputs is None else inputs
    own = own_features(frame)
    step = vector_step(state, world, call, made_of, own, name=name, said=observation, as_made=True)
    features = step.data["vector"]
    after = step.state.with_ui(table=features).with_panel("results")
    return Step(after, step.observation, {**step.data, "table": features, **rows_told(own), **data})


def have_shapes(frame: pd.DataFrame) -> TypeGuard[gpd.GeoDataFrame]:
    """Whether rows are features: with a shape each, as `load_table` gives them."""
    geopandas = sys.modules.get("geopandas")  # which whoever made features has loaded
    return geopandas is not None and isinstance(frame, geopandas.GeoDataFrame)


def own_features(frame: gpd.GeoDataFrame) -> gpd.GeoDataFrame:
    """Features without what was measured when they became rows, and with their own names."""
    measured = [each for each in frame.attrs.get(MEASURED, ()) if each in frame.columns]
    own = frame.drop(columns=measured).rename(columns=frame.attrs.get(RENAMED, {}))
    own.attrs = {}  # which would go into the file
    return own.reset_index(drop=True)


def as_own(frame: pd.DataFrame, column: str) -> pd.DataFrame:
    """The rows with a column that a call has filled counted as their own, whatever was measured before."""
    left = tuple(each for each in frame.attrs.get(MEASURED, ()) if each != column)
    frame.attrs = {**frame.attrs, MEASURED: left}
    return frame


def has_outlines(frame: pd.DataFrame) -> bool:
    """Whether a table has outlines as bytes; a query may give that name to a column of something else."""
    return OUTLINES in frame and all(isinstance(each, bytes) for each in frame[OUTLINES].dropna())


def without_outlines(frame: pd.DataFrame) -> pd.DataFrame:
    """A table as people read it: without outlines and shapes."""
    if have_shapes(frame):
        shapes = [name for name in frame.columns if str(frame[name].dtype) == "geometry"]
        return pd.DataFrame(frame.drop(columns=shapes))
    return frame.drop(columns=OUTLINES) if has_outlines(frame) else frame


def rows_in_words(frame: pd.DataFrame) -> str:
    """The first rows of a narrow table: ` dataset=fair1m, n=5; dataset=xview1, n=7.`, else nothing."""
    if frame.empty or len(without_outlines(frame).columns) > _NARROW:
        return ""
    rows = plain_rows(frame.head(SHOWN_ROWS))
    said = "; ".join(", ".join(f"{key}={str(value)[:60]}" for key, value in row.items()) for row in rows)
    return f" {said}{' …' if len(frame) > SHOWN_ROWS else ''}."


def plain_rows(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """Rows as plain JSON values, without outlines; what is missing is None."""
    rows = without_outlines(frame).to_dict("records")
    return [{str(key): plain_value(value) for key, value in row.items()} for row in rows]


def plain_value(value: Any) -> Any:
    """A cell as a JSON value: times as ISO 8601, bytes as their length, not-a-number as None."""
    if isinstance(value, (bytes, bytearray)):
        return f"{len(value)} bytes"
    if isinstance(value, dict):
        return {str(key): plain_value(each) for key, each in value.items()}
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, (list, tuple)):
        return [plain_value(each) for each in value]
    if value is None or value is pd.NaT or value is pd.NA:
        return None
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, (datetime, date)):
        return value.isoformat()
    return value if isinstance(value, (str, int, bool)) else json.loads(json.dumps(value, default=str))

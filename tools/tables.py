"""Tables that calls make: Parquet files in the session's artifacts, known to the state by their id."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from datetime import date, datetime
from typing import Any

import pandas as pd

from state.model import State
from tools.artifacts import Call, Input
from tools.base import Step, World
from tools.phrases import number_of

OUTLINES = "footprint"
"""The column of outlines on the ground, as WKB: they go into exports, and are no cells that people read."""
SHOWN_ROWS = 5
"""How many rows go into a call's data, for an answer to quote."""
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
    return state.with_artifact(artifact).with_ui(table=artifact.id).with_panel("results")


def table_step(
    state: State, world: World, frame: pd.DataFrame, call: Call, name: str, observation: str, **data: Any
) -> Step:
    """Save a table and say so: data has its id, size, columns and first rows, and what else is given."""
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
    """`table_step` for a table that is made of those inputs, and not of the selection or another table."""
    after = save_table(state, world, frame, call, name, inputs)
    table = after.artifacts[-1].id
    facts = {
        "table": table,
        "rows": len(frame),
        "columns": [str(column) for column in without_outlines(frame).columns],
        "first": plain_rows(frame.head(SHOWN_ROWS)),
        **data,
    }
    return Step(after, f"{observation} The table is {table}.", facts)


def has_outlines(frame: pd.DataFrame) -> bool:
    """Whether a table has outlines; a query may give that name to a column of something else."""
    return OUTLINES in frame and all(isinstance(each, bytes) for each in frame[OUTLINES].dropna())


def without_outlines(frame: pd.DataFrame) -> pd.DataFrame:
    """A table as people read it."""
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

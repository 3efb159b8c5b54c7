"""New columns of a table, computed from the others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import pandas as pd
from pydantic import Field

from data.numbers import EXACT, numbers_of
from state.model import State
from tools.artifacts import Call
from tools.base import Step, World, tool
from tools.data.computed import at_most, rounded_all, rows_of
from tools.data.expressions import MAX_CHARS, evaluated, parsed
from tools.data.source import column_in, source_column
from tools.data.sql import plain_name
from tools.data.summaries import TableOrSelection
from tools.phrases import number, number_of
from tools.tables import as_own, plain_value, rows_in_words, table_step
from tools.units import NewName

MAX_ROWS = 1_000_000


@tool("data", changes_state=True, gives=("table",))
def add_column(
    state: State,
    world: World,
    *,
    name: NewName,
    expression: Annotated[
        str,
        Field(
            min_length=1,
            max_length=MAX_CHARS,
            description="Such as detections / gsd_m, where(cloud_pct > 50, 'high', 'low') or year(acquired).",
            json_schema_extra={"format": "expression"},
        ),
    ],
    table: TableOrSelection = None,
) -> Step:
    """Add a column to a table or to the selection's rows, computed from its other columns by an expression.

    A column of that name is replaced, which is said; features keep their shapes. The expression has numbers,
    texts in quotes, columns (in backticks where the name is no plain word), + - * / // % **, comparisons,
    in, is None, and, or, not, and functions: abs sqrt exp log log10 floor ceil round min max where coalesce
    is_missing text lower upper length year month day and others. What is computed of whole numbers is whole,
    but for a quotient by /. A missing value stays missing; so does a result that is not finite.

    Example: copilot call add_column name=objects_per_m expression="detections / gsd_m"

    Asked as: add a column with the ratio of detections to gsd | compute a new field from two others | new
    column of the cloud fraction | multiply the count by ten in another column | flag the cloudy rows in a
    column | derive the year as its own column
    """
    of = "selection" if table is None else plain_name(table)
    wanted = parsed(expression, f"SELECT *, {{}} AS {plain_name(name)} FROM {of}")
    columns = {each: source_column(state, world, table, each) for each in wanted.columns}
    frame = rows_of(state, world, table, *columns.values())
    at_most(len(frame), MAX_ROWS, "A new column", "narrow the selection")
    named = {written: column_in(frame, found) for written, found in columns.items()}
    values = evaluated(wanted, frame, named)
    floats = pd.api.types.is_float_dtype(values)
    exact = not floats or _are_whole(values, [frame[each] for each in named.values()])
    result = as_own(frame.assign(**{name: values if exact else rounded_all(values)}), name)
    missing = int(values.isna().sum())
    said = (
        f"Added {name} = {wanted.text[:100]} to {number_of(len(frame), 'row')}, {missing:,} without a value"
    )
    facts: dict[str, Any] = {"missing": missing}
    there = pd.Series(result[name]).dropna()
    if pd.api.types.is_numeric_dtype(there) and not pd.api.types.is_bool_dtype(there) and len(there):
        least, most = plain_value(there.min()), plain_value(there.max())
        facts |= {"min": least, "max": most}
        said += f", from {number(least)} to {number(most)}"
    if name in frame.columns:
        said += f", in place of the column {name} that it had"
    call = Call.of(add_column, name=name, expression=expression, table=table)
    said += f".{rows_in_words(result)}"
    return table_step(state, world, result, call, f"With {name}", said, column=name, **facts)


def _are_whole(values: pd.Series[Any], of: Sequence[pd.Series[Any]]) -> bool:
    """Whether a result of whole numbers is whole too, and none is too long for a float."""
    there = values.dropna()
    integers = all(pd.api.types.is_integer_dtype(each) and not numbers_of(each).long for each in of)
    return bool(integers and (there % 1 == 0).all() and (there.abs() < EXACT).all())


TOOLS = (add_column,)

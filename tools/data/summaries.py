"""Sum up a table or the selection: describe, count per group, aggregate, distinct values."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any, Literal

import pandas as pd
from pydantic import BeforeValidator, Field

from data.profiles import holds_times, profiles_of
from state.model import State
from tools.artifacts import Call
from tools.base import Step, World, tool
from tools.data.distributions import counts_by, numbers_of, value_counts
from tools.data.source import (
    NO_VALUE,
    UNKNOWN,
    frame_of,
    key_columns,
    keys_of,
    numbers,
    source_column,
    table_key,
)
from tools.database.reading import ALL_GROUPS, MOST_GROUPS, Unit, grouping_named
from tools.noting import note
from tools.phrases import groups_in_words, listed, number, number_of
from tools.rows import load_table
from tools.selection import current_selection, noun
from tools.tables import plain_value, table_step, without_outlines
from tools.units import TableId
from tools.vectors import SELECTION

Function = Annotated[
    Literal["mean", "sum", "min", "max", "median", "count", "std"],
    Field(description="How values are summed up."),
]
By = Annotated[
    str,
    Field(
        min_length=1, max_length=100, description="class, year, month, season, dataset, sensor … or a column."
    ),
]
Column = Annotated[str, Field(min_length=1, max_length=100, description="A column or property.")]
TableOrSelection = Annotated[
    TableId | None,
    BeforeValidator(lambda value: None if value == SELECTION else value),
    Field(description="A table's or features' id; the current selection when left out."),
]


DESCRIBED = (
    "dataset", "sensor", "modality", "acquired", "gsd_m", "cloud_pct", "split",
    "country", "place", "detections",
)  # fmt: skip
"""The columns of the selection whose values say something of all rows together."""


@tool("data", changes_state=True, gives=("table",))
def describe_table(state: State, world: World, *, table: TableOrSelection = None) -> Step:
    """Describe each column of a table or of the selection: values, missing ones, smallest, largest, mean.

    Example: copilot call describe_table

    Asked as: summary statistics | describe the data | what does the table look like | minimum, maximum and
    mean of each column | overview of the columns | any missing values | profile the table
    """
    if table is not None:
        frame = without_outlines(load_table(state, world, table))
        total, result = (
            len(frame),
            pd.DataFrame([_described(str(name), frame[name]) for name in frame.columns]),
        )
    else:
        total = world.catalogue.count(current_selection(state, world))
        result = pd.DataFrame([_described_selection(state, world, name) for name in DESCRIBED])
    rows = result.to_dict("records")
    columns = listed([_column_said({str(key): value for key, value in row.items()}) for row in rows], 12)
    said = f"{number_of(total, 'row')} and {number_of(len(result), 'column')}: {columns}."
    call = Call.of(describe_table, table=table)
    return table_step(state, world, result, call, "Description of the columns", said, described_rows=total)


@tool("data", changes_state=True, gives=("table",))
def group_count(
    state: State, world: World, *, by: By, unit: Unit = "images", table: TableOrSelection = None
) -> Step:
    """Count the rows of a table or of the selection per group, largest first, into a table.

    Example: copilot call group_count by=class unit=detections

    Asked as: how many per class | break it down by year | count by country | distribution over the sensors |
    number of images for each data set | tally per month | which class is the most frequent | counts per group
    as a table | split by
    """
    key, groups = counted(state, world, by, unit, table)
    things = "row" if table is not None else noun(state, world) if unit == "images" else "detection"
    name = f"{things.capitalize()}s by {key}"
    said = f"{name}: {groups_in_words(groups) or 'none'}."
    result = pd.DataFrame(groups, columns=[key, "count"]).astype({key: str, "count": "int64"})
    call = Call.of(group_count, by=by, unit=unit, table=table)
    facts = [{"key": label, "count": count} for label, count in groups[:MOST_GROUPS]]
    return table_step(state, world, result, call, name, said, by=key, unit=unit, groups=facts)


@tool("data", changes_state=True, gives=("table",))
def aggregate(
    state: State,
    world: World,
    *,
    field: Column,
    function: Function = "mean",
    by: By | None = None,
    table: TableOrSelection = None,
) -> Step:
    """Sum up a column of a table or of the selection by its mean, sum or the like, overall or per group.

    Example: copilot call aggregate field=cloud_pct function=mean by=sensor

    Asked as: average cloud cover | mean resolution per sensor | the largest gsd | total number of objects |
    median by year | sum over the countries | standard deviation of the cloud cover | what is the minimum
    """
    name, key, groups = aggregated(state, world, field, function, by, table)
    title = f"{function} of {name}" + (f" by {key}" if key else "")
    result = pd.DataFrame(groups, columns=[key or "all", function]).astype({key or "all": str})
    values = [value_in_words(k, v) if key else number(v) for k, v in groups]
    said = f"The {title}: {listed(values) or 'no values'}."
    call = Call.of(aggregate, field=field, function=function, by=by, table=table)
    facts: dict[str, Any] = {
        "field": name,
        "function": function,
        "by": key,
        "groups": [{"key": k, "value": plain_value(v)} for k, v in groups[:MOST_GROUPS]],
    }
    if key is None:
        facts["value"] = plain_value(groups[0][1]) if groups else None
    return table_step(state, world, result, call, title.capitalize(), said, **facts)


@tool("data", changes_state=True, gives=("table",))
def distinct_values(state: State, world: World, *, field: Column, table: TableOrSelection = None) -> Step:
    """List the distinct values of a column of a table or of the selection, with how often each comes.

    Example: copilot call distinct_values field=sensor

    Asked as: which sensors occur | what years are covered | list the different countries | unique values of
    split | which classes are in there | what kinds of events are there | possible values
    """
    name, groups = counted(state, world, field, "images", table)
    groups = sorted(groups)
    result = pd.DataFrame(groups, columns=[name, "count"]).astype({name: str, "count": "int64"})
    keys = listed([key for key, _ in groups], 20) or "none"
    said = f"{name} has {number_of(len(groups), 'distinct value')}: {keys}."
    call = Call.of(distinct_values, field=field, table=table)
    values = [{"key": key, "count": count} for key, count in groups[:MOST_GROUPS]]
    return table_step(state, world, result, call, f"Values of {name}", said, field=name, groups=values)


def counted(
    state: State, world: World, by: str, unit: Literal["images", "detections"], table: str | None
) -> tuple[str, list[tuple[str, int]]]:
    """(the grouping's name, (key, count) largest first); of a table, its rows."""
    if table is None:
        selection = current_selection(state, world)
        key = grouping_named(by, world)
        return key, world.catalogue.count_by(selection, key, unit, ALL_GROUPS)
    frame = load_table(state, world, table)
    key = table_key(frame, by)
    counts = keys_of(frame, key).value_counts()
    groups = sorted(((str(k), int(n)) for k, n in counts.items()), key=lambda item: (-item[1], item[0]))
    return key, groups


def aggregated(
    state: State, world: World, field: str, function: str, by: str | None, table: str | None
) -> tuple[str, str | None, list[tuple[str, float]]]:
    """(the column's name, the grouping's name, (key, value) by falling value)."""
    name = source_column(state, world, table, field)
    if by is None:
        column = column_numbers(state, world, name, table)
        return name, None, [("all", _applied(column, function))] if len(column) or function == "count" else []
    key, parts = _parts(state, world, name, by, table)
    found = list(parts)
    groups = [(label, _applied(part, function)) for label, part in found if len(part)]
    if empty := [label for label, part in found if not len(part)]:
        have, are = ("1 group has", "is") if len(empty) == 1 else (f"{len(empty):,} groups have", "are")
        note(f"{have} no value in {name} and {are} left out: {listed(empty)}.")
    return (
        name,
        key,
        sorted(groups, key=lambda item: (-item[1] if item[1] == item[1] else float("inf"), item[0])),
    )


def column_numbers(state: State, world: World, name: str, table: str | None) -> pd.Series[float]:
    """A column's numbers, missing ones left out. Raises ToolError when it holds none."""
    if table is not None:
        return numbers(frame_of(state, world, table, name), name)
    return numbers_of(value_counts(current_selection(state, world), world, name), name)


def _parts(
    state: State, world: World, name: str, by: str, table: str | None
) -> tuple[str, Iterable[tuple[str, pd.Series[float]]]]:
    """(the grouping's name, (key, that group's numbers))."""
    if table is None:
        key = grouping_named(by, world)
        columns = key_columns(key, world)
        counted_parts = counts_by(current_selection(state, world), world, name, key)
        if counted_parts is not None:
            nothing = pd.Series(dtype=float)
            return key, [
                (label, numbers_of(counts, name) if set(counts) - {UNKNOWN} else nothing)
                for label, counts in counted_parts
            ]
        frame = frame_of(state, world, None, name, *columns)
    else:
        frame = frame_of(state, world, table)
        key = table_key(frame, by)
    values = numbers(frame, name)
    keys = keys_of(frame, key, UNKNOWN if table is None else NO_VALUE)
    found = {str(label): part for label, part in values.groupby(keys.loc[values.index])}
    empty = values.iloc[:0]
    return key, [(str(label), found.get(str(label), empty)) for label in keys.drop_duplicates()]


def value_in_words(key: str, value: float) -> str:
    """`Sentinel-2 0.54`."""
    return f"{key} {number(value)}"


def _applied(values: pd.Series[float], function: str) -> float:
    """The sample's standard deviation of one value is missing."""
    return float(getattr(values, function)())


def _described_selection(state: State, world: World, name: str) -> dict[str, Any]:
    """As `_described`, from values counted in SQL; times are days."""
    kind = world.catalogue.field_type(name)
    counts = value_counts(current_selection(state, world), world, "day" if kind == "time" else name)
    missing = counts.pop(UNKNOWN, 0)
    column = numbers_of(counts, name) if kind == "number" and counts else pd.Series(dtype=float)
    values: list[float] | list[str] = column.tolist() if kind == "number" else sorted(counts)
    ordered = len(values) > 0 and kind != "text"
    return {
        "column": name,
        "type": kind,
        "count": sum(counts.values()),
        "missing": missing,
        "distinct": len(counts),
        "min": str(values[0]) if ordered else None,
        "max": str(values[-1]) if ordered else None,
        "mean": float(column.mean()) if ordered and kind == "number" else None,
    }


def _column_said(row: dict[str, Any]) -> str:
    """`surface text (numbers with a decimal comma)`; of the selection's columns the name alone."""
    if "stored" not in row:
        return str(row["column"])
    return f"{row['column']} {row['stored']}" + (
        f" ({row['meant']})" if isinstance(row["meant"], str) else ""
    )


def _described(name: str, column: pd.Series[Any]) -> dict[str, Any]:
    there = column.dropna()
    plain = there.map(
        lambda value: (
            str(plain_value(value))
            if isinstance(value, (list, dict, bytes)) or hasattr(value, "tolist")
            else value
        )
    )
    numeric = pd.api.types.is_numeric_dtype(plain) and not pd.api.types.is_bool_dtype(plain)
    ordered = numeric or holds_times(plain)
    low, high = (plain.min(), plain.max()) if ordered and len(plain) else (None, None)
    (profile,) = profiles_of(column.to_frame(name))
    return {
        "column": name,
        "type": "number" if numeric else "time" if ordered else "text",
        "count": len(there),
        "missing": len(column) - len(there),
        "distinct": int(plain.nunique()),
        "min": None if low is None else str(plain_value(low)),
        "max": None if high is None else str(plain_value(high)),
        "mean": float(plain.mean()) if numeric and len(plain) else None,
        "stored": profile["stored"],
        "meant": profile["meant"],
        "samples": ", ".join(str(each) for each in profile["samples"]),
    }


TOOLS = (describe_table, group_count, aggregate, distinct_values)

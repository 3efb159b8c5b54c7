"""Turn tables round and put them together: pivot, cross tabulation, join."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import numpy as np
import pandas as pd
from pydantic import Field

from data.numbers import numbers_of
from state.model import State
from tools.artifacts import Call
from tools.base import Step, ToolError, World, tool
from tools.data.computed import need_rows, rounded, rounded_all
from tools.data.kinds import differ, how_alike, kind_of, type_said
from tools.data.series import with_times
from tools.data.source import NO_VALUE, UNKNOWN, column_in, frame_of, key_columns, keys_of, numbers, table_key
from tools.data.summaries import Column, Function, TableOrSelection
from tools.database.reading import grouping_named
from tools.noting import note
from tools.phrases import listed, number, number_of
from tools.rows import load_table
from tools.tables import have_shapes, own_features, rows_in_words, table_step, without_outlines
from tools.units import Names, TableId

RowKey = Annotated[
    str, Field(min_length=1, max_length=100, description="What makes the rows: a column, year, month …")
]
ColumnKey = Annotated[
    str, Field(min_length=1, max_length=100, description="What makes the columns: a column, year, month …")
]
MAX_ACROSS = 300
MAX_DOWN = 10_000
MAX_JOINED = 5_000_000


@tool("data", changes_state=True, gives=("table",))
def pivot(
    state: State,
    world: World,
    *,
    rows: RowKey,
    columns: ColumnKey,
    field: Annotated[Column | None, Field(description="Numbers to sum up; rows are counted without.")] = None,
    function: Function = "mean",
    table: TableOrSelection = None,
) -> Step:
    """Pivot a table or the selection: one group down, another across, a count or value in each cell.

    Without a field every cell is a count; cells without rows are 0 in a count and missing otherwise.

    Example: copilot call pivot rows=sensor columns=year field=cloud_pct function=mean

    Asked as: pivot table of sensor and year | years across and sensors down | average cloud per country and
    year as a matrix | spread the months over columns | wide table of counts by dataset and split | turn the
    long table into a wide one
    """
    if field is not None and rows.casefold() == columns.casefold():
        raise ToolError(f"rows and columns are both {rows!r}; choose two different groupings.")
    down, across, frame = _keyed(state, world, table, rows, columns, *([field] if field else []))
    need_rows(len(frame), 1, "to pivot")
    name = None
    if field is None:
        cells = pd.crosstab(frame["down"], frame["across"])
    else:
        name = column_in(frame, field)
        values = numbers(frame, name)
        parts = frame.loc[values.index].assign(value=values)
        cells = parts.pivot_table(index="down", columns="across", values="value", aggfunc=function)
        if cells.empty:  # a standard deviation takes two values, and pandas leaves out what has none
            raise ToolError(
                f"No cell of {down} by {across} has rows enough for the {function} of {name}; "
                "choose groupings with fewer values, or another function."
            )
        cells = cells.apply(lambda column: rounded_all(column))
    _fits(cells)
    result = _as_table(cells, down)
    shown = f"{function} of {name}" if name else "count of rows"
    said = (
        f"Pivot of the {shown}: {number_of(cells.shape[0], 'row')} by {down} and "
        f"{number_of(cells.shape[1], 'column')} by {across}.{rows_in_words(result)}"
    )
    call = Call.of(pivot, rows=rows, columns=columns, field=field, function=function, table=table)
    facts: dict[str, Any] = {"by": [down, across], "field": name, "function": function if name else "count"}
    return table_step(
        state, world, result, call, f"{shown} by {down} and {across}".capitalize(), said, **facts
    )


@tool("data", changes_state=True, gives=("table",))
def crosstab(
    state: State,
    world: World,
    *,
    rows: RowKey,
    columns: ColumnKey,
    share: Annotated[
        Literal["none", "row", "column", "all"],
        Field(description="Counts, or per cent of each row, of each column, or of all."),
    ] = "none",
    table: TableOrSelection = None,
) -> Step:
    """Count how two groupings of a table or of the selection go together, with a test of independence.

    The test is Pearson's chi-squared without correction, of the counts without `unknown`; Cramér's V
    (1946) says from 0 to 1 how strong the association is.

    Example: copilot call crosstab rows=dataset columns=split

    Asked as: cross tabulate sensor and country | contingency table of split against dataset | how do modality
    and year go together | are sensor and season independent | chi-squared test of two columns | what share of
    each country is in which split
    """
    down, across, frame = _keyed(state, world, table, rows, columns)
    need_rows(len(frame), 1, "to tabulate")
    counts = pd.crosstab(frame["down"], frame["across"])
    _fits(counts)
    total = int(counts.to_numpy().sum())
    cells = counts
    if share != "none":
        whole: Any = {"row": counts.sum(axis=1).to_numpy()[:, None], "column": counts.sum(axis=0).to_numpy(),
                 "all": total}[share]  # fmt: skip
        cells = (100 * counts / whole).apply(lambda column: rounded_all(column))
    test = _association(counts)
    result = _as_table(cells, down)
    unit = {"none": "Counts", "row": "Per cent of each row", "column": "Per cent of each column"}.get(
        share, "Per cent of all"
    )
    said = f"{unit} of {number_of(total, 'row')} by {down} and {across}.{rows_in_words(result)}"
    if test["chi2"] is None:
        said += " There is no test: it needs two known values of each."
    else:
        said += (
            f" Chi-squared {number(test['chi2'])} with {number_of(test['degrees'], 'degree')} of freedom, "
            f"p {number(test['p'])}, Cramér's V {number(test['cramers_v'])}."
        )
    call = Call.of(crosstab, rows=rows, columns=columns, share=share, table=table)
    facts = {"by": [down, across], "total": total, **test}
    return table_step(state, world, result, call, f"{unit} by {down} and {across}", said, **facts)


@tool("data", changes_state=True, needs=("table",), gives=("table",))
def join_tables(
    state: State,
    world: World,
    *,
    table: TableId,
    other: Annotated[TableId, Field(description="The id of the table that is joined to it.")],
    on: Annotated[Names, Field(description="The columns that must be equal, as the first table names them.")],
    other_on: Annotated[
        Names | None,
        Field(description="The same columns in the other table, where they are called otherwise."),
    ] = None,
    how: Annotated[
        Literal["inner", "left", "right", "outer"],
        Field(description="Which rows stay that have no partner: none, the first's, the other's, all."),
    ] = "inner",
) -> Step:
    """Join two tables of the session where columns are equal, into a new table.

    Missing values match nothing. Texts are compared to the letter, numbers as numbers; a number column
    against a text column is compared as text, which is said with how to make them alike. A column that both
    tables have gets `_2` in the second.
    Features keep their shapes; of two with shapes the first's stay.

    Example: copilot call join_tables table=table-1a2b3c other=table-1a2b3c on=dataset

    Asked as: join the two tables by dataset | merge these tables on country | combine both results into one
    table | look the values of the other table up | left join on the image id | put the counts next to the
    means
    """
    left, right = _joined_to(load_table(state, world, table), load_table(state, world, other))
    if other_on is not None and len(other_on) != len(on):
        raise ToolError(
            f"on names {number_of(len(on), 'column')} and other_on {len(other_on)}; give as many of each."
        )
    left_on = list(dict.fromkeys(column_in(left, each) for each in on))
    right_on = list(dict.fromkeys(column_in(right, each) for each in (other_on or on)))
    if len(left_on) != len(right_on):
        raise ToolError("on and other_on name different numbers of columns; name each column once.")
    _say_types(left, right, list(zip(left_on, right_on, strict=True)), (table, other))
    first, second, keys = _with_keys(left, right, left_on, right_on)
    _joins_to_few(first, second, keys)
    second = second.rename(columns=_second_names(first, second, keys))
    first, second = _with_gaps(first), _with_gaps(second)
    merged = pd.merge(first, second, on=keys, how=how, sort=False).drop(columns=keys)
    if have_shapes(second):
        import geopandas as gpd

        merged = gpd.GeoDataFrame(merged, geometry=second.geometry.name)
    matched = int(first[keys].apply(tuple, axis=1).isin(set(second[keys].apply(tuple, axis=1))).sum())
    columns = ", ".join(left_on)
    said = (
        f"Joined {number_of(len(left), 'row')} with {number_of(len(right), 'row')} by {columns}: "
        f"{number_of(len(merged), 'row')}; {matched:,} of the first table's rows have a partner."
    )
    call = Call.of(join_tables, table=table, other=other, on=on, other_on=other_on, how=how)
    return table_step(state, world, merged, call, f"Joined by {columns}"[:100], said, matched=matched)


def _joined_to(left: pd.DataFrame, right: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Both tables with at most one column of shapes: the first's, else the second's."""
    left = own_features(left) if have_shapes(left) else left
    if not have_shapes(right):
        return left, right
    right = own_features(right)
    if not have_shapes(left):
        return left, right
    note("The shapes of the first are kept, and those of the other left out.")
    return left, without_outlines(right)


def _with_gaps(frame: pd.DataFrame) -> pd.DataFrame:
    """Long whole numbers as a type that stays whole where a row has no partner."""
    whole = [name for name in frame.columns if pd.api.types.is_integer_dtype(frame[name])]
    long = [name for name in whole if numbers_of(frame[name]).long]
    return frame.astype({name: "UInt64" if frame[name].dtype == "uint64" else "Int64" for name in long})


def _keyed(
    state: State, world: World, table: str | None, rows: str, columns: str, *more: str
) -> tuple[str, str, pd.DataFrame]:
    """(the rows' grouping, the columns', the frame with each row's keys as `down` and `across`)."""
    if table is not None:
        frame = with_times(frame_of(state, world, table))
        down, across = table_key(frame, rows), table_key(frame, columns)
    else:
        down, across = grouping_named(rows, world), grouping_named(columns, world)
        frame = frame_of(state, world, None, *key_columns(down, world), *key_columns(across, world), *more)
    missing = UNKNOWN if table is None else NO_VALUE
    groups = {name: keys_of(frame, key, missing) for name, key in (("down", down), ("across", across))}
    return down, across, frame.assign(**groups)


def _fits(cells: pd.DataFrame) -> None:
    down, across = cells.shape
    if across > MAX_ACROSS or down > MAX_DOWN:
        raise ToolError(
            f"That would be {down:,} rows and {across:,} columns; at most {MAX_DOWN:,} and {MAX_ACROSS} fit, "
            "so choose groupings with fewer values."
        )


def _as_table(cells: pd.DataFrame, down: str) -> pd.DataFrame:
    """The cells with their row keys as the first column, named so that no two columns are the same."""
    result = cells.copy()
    result.columns = pd.Index([f"{name} " if str(name) == down else str(name) for name in result.columns])
    result.insert(0, down, [str(key) for key in result.index])
    return result.reset_index(drop=True)


def _association(counts: pd.DataFrame) -> dict[str, Any]:
    """Pearson's test of the known values, and Cramér's V; None where there is nothing to test."""
    from scipy.stats import chi2_contingency

    missing = [UNKNOWN, NO_VALUE]
    known = counts.drop(index=missing, errors="ignore").drop(columns=missing, errors="ignore")
    known = known.loc[known.sum(axis=1) > 0, known.sum(axis=0) > 0]
    if min(known.shape) < 2:
        return {"chi2": None, "degrees": None, "p": None, "cramers_v": None}
    found = chi2_contingency(known.to_numpy(), correction=False)
    chi2 = float(found.statistic)
    strength = np.sqrt(chi2 / (known.to_numpy().sum() * (min(known.shape) - 1)))
    return {
        "chi2": rounded(chi2),
        "degrees": int(found.dof),
        "p": rounded(float(found.pvalue)),
        "cramers_v": rounded(float(strength)),
    }


def _say_types(
    left: pd.DataFrame, right: pd.DataFrame, pairs: list[tuple[str, str]], tables: tuple[str, str]
) -> None:
    """Say so where columns that are compared are of different types: 1 is not '001'."""
    for one, two in pairs:
        a, b = left[one], right[two]
        if differ(a, b):
            way = "numbers" if {kind_of(a), kind_of(b)} == {"boolean", "number"} else "text"
            note(
                f"{one} of {tables[0]} is {type_said(a)} and {two} of {tables[1]} is {type_said(b)}: "
                f"they were compared as {way}. {how_alike(a, b, tables)}"
            )


def _with_keys(
    left: pd.DataFrame, right: pd.DataFrame, left_on: list[str], right_on: list[str]
) -> tuple[pd.DataFrame, pd.DataFrame, list[str]]:
    """Both tables with the columns that are compared beside their own; what is missing matches nothing."""
    keys = [f"\x00key {number}" for number in range(len(left_on))]
    first, second = left.copy(), right.copy()
    for key, one, two in zip(keys, left_on, right_on, strict=True):
        a, b = left[one], right[two]
        if pd.api.types.is_integer_dtype(a) and pd.api.types.is_integer_dtype(b):
            # As they are: ids of 64 bits share a double with their neighbours.
            first[key], second[key] = a, b
        elif pd.api.types.is_numeric_dtype(a) and pd.api.types.is_numeric_dtype(b):
            first[key], second[key] = a.astype(float), b.astype(float)
        else:
            first[key], second[key] = keys_of(left, one), keys_of(right, two)
        # A row with a missing key gets a key that no other row has.
        first[key] = first[key].astype(object).where(a.notna(), [f"\x00left {n}" for n in range(len(a))])
        second[key] = second[key].astype(object).where(b.notna(), [f"\x00right {n}" for n in range(len(b))])
    return first, second, keys


def _second_names(first: pd.DataFrame, second: pd.DataFrame, keys: list[str]) -> dict[str, str]:
    taken = {str(name) for name in first.columns}
    names: dict[str, str] = {}
    for name in map(str, second.columns):
        if name in keys:
            continue
        new, number_ = name, 2
        while new in taken:
            new, number_ = f"{name}_{number_}", number_ + 1
        taken.add(new)
        names[name] = new
    return names


def _joins_to_few(first: pd.DataFrame, second: pd.DataFrame, keys: list[str]) -> None:
    """Raise ToolError before a join that would fill the memory is made."""
    left, right = first.groupby(keys).size(), second.groupby(keys).size()
    pairs = int((left * right.reindex(left.index).fillna(0)).sum())
    if pairs > MAX_JOINED:
        raise ToolError(
            f"The join would have {pairs:,} rows, because {listed([str(left.idxmax())[:40]])} and other keys "
            f"occur often in both tables; at most {MAX_JOINED:,} fit, so join on more columns."
        )


TOOLS = (pivot, crosstab, join_tables)

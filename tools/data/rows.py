"""Pick and order rows of a table or of the selection."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Annotated, Any, Literal

import numpy as np
import pandas as pd
from pydantic import Field

from data.catalogue.base import Attribute
from data.numbers import numbers_of
from data.profiles import NESTED, holds_times, stored_type
from state.model import State
from tools.artifacts import Call, newest_named
from tools.base import Step, ToolError, World, tool
from tools.data.expressions import MAX_CHARS, evaluated, parsed
from tools.data.feature_rows import measured
from tools.data.kinds import kind_of, number_kind, type_said
from tools.data.series import moments
from tools.data.source import column_in
from tools.data.sql import plain_name
from tools.data.summaries import Column, TableOrSelection
from tools.database.attributes import OPERATORS, Value, exact, field_named, spoken
from tools.database.reading import QUERY_COLUMNS, Direction, ordering
from tools.noting import note
from tools.phrases import listed, number, number_of
from tools.rows import load_table
from tools.selection import current_selection
from tools.tables import have_shapes, own_features, plain_value, table_step, without_outlines
from tools.units import Names, TableId

SortBy = Annotated[
    Names, Field(description="Columns to sort by; a leading - or a trailing desc turns one around.")
]


@tool("data", changes_state=True, gives=("table",))
def sort_table(
    state: State,
    world: World,
    *,
    by: SortBy,
    limit: Annotated[
        int | None,
        Field(
            ge=1,
            le=100_000,
            description="Most rows in the new table: all of a table, 1,000 of the selection when left out.",
        ),
    ] = None,
    table: TableOrSelection = None,
) -> Step:
    """Sort the rows of a table or of the selection by columns, into a new table.

    Example: copilot call sort_table by=-acquired

    Asked as: sort by date | order them by cloud cover | newest first | rank by resolution | ascending by gsd
    | sort the table the other way round
    """
    result, total = _sorted(state, world, by, limit, table)
    said = f"Sorted {number_of(total, 'row')} by {', '.join(by)}; the table holds {len(result):,}."
    call = Call.of(sort_table, by=by, limit=limit, table=table)
    return table_step(state, world, result, call, f"Sorted by {', '.join(by)}", said)


@tool("data", changes_state=True, gives=("table",))
def top_n(
    state: State,
    world: World,
    *,
    by: Column,
    n: Annotated[int, Field(ge=1, le=10_000, description="How many rows.")] = 10,
    order: Annotated[Literal["largest", "smallest"], Field(description="Which end comes first.")] = "largest",
    table: TableOrSelection = None,
) -> Step:
    """Take the n rows of a table or of the selection with the largest or smallest values of a column.

    Example: copilot call top_n by=detections n=5

    Asked as: the ten largest | top five by objects | the 3 least cloudy images | which image has the most
    ships | highest resolution ones | worst ten by cloud cover | best five
    """
    result, total = _sorted(state, world, [f"-{by}" if order == "largest" else by], n, table)
    said = f"The {number_of(len(result), 'row')} of {total:,} with the {order} {by}{_read_out(result, by)}."
    call = Call.of(top_n, by=by, n=n, order=order, table=table)
    return table_step(state, world, result, call, f"{order.capitalize()} {by}", said)


@tool("data", changes_state=True, gives=("table",))
def sample_rows(
    state: State,
    world: World,
    *,
    n: Annotated[int, Field(ge=1, le=10_000, description="How many rows.")] = 10,
    seed: Annotated[int, Field(ge=0, le=2**31, description="Another seed takes other rows.")] = 0,
    table: TableOrSelection = None,
) -> Step:
    """Take n rows of a table or of the selection by chance; the same seed takes the same rows.

    Example: copilot call sample_rows n=20 seed=7

    Asked as: a random sample | pick 20 images by chance | ten random rows | give me some examples at random |
    draw a sample | a few random scenes
    """
    if table is None:
        selection = current_selection(state, world)
        ids = [page["image_id"] for page in world.catalogue.scan(selection, ("image_id",))]
        total = sum(map(len, ids))
        chosen = pd.concat(ids).sample(min(n, total), random_state=seed).tolist() if ids else []
        result = _rows_of_ids(state, world, chosen)
    else:
        frame = load_table(state, world, table)
        total = len(frame)
        result = frame.sample(min(n, total), random_state=seed)
    said = f"{number_of(len(result), 'row')} of {total:,}, taken by chance with seed {seed}."
    call = Call.of(sample_rows, n=n, seed=seed, table=table)
    return table_step(state, world, result, call, f"Sample of {len(result):,} rows", said)


@tool("data", changes_state=True, needs=("table",), gives=("table",))
def filter_rows(
    state: State,
    world: World,
    *,
    table: Annotated[TableId, Field(description="A table's id, or features: those kept go on the map.")],
    field: Annotated[
        Column | None,
        Field(description="A column; of features also area_ha, area_m2, length_km and the like."),
    ] = None,
    op: Annotated[str, Field(max_length=20, description="= != < <= > >= in contains")] = "=",
    value: Annotated[Value | None, Field(description="A value, or a list of them for in.")] = None,
    where: Annotated[
        str | None,
        Field(
            min_length=1,
            max_length=MAX_CHARS,
            description="Or a condition: pop > 5e5 or (kind == 'city' and not is_missing(name)).",
        ),
    ] = None,
) -> Step:
    """Keep the rows of a table that meet one comparison, in a new table; the selection stays.

    Of features (a vector artifact or a layer) those that meet it become new features, on the map. Where they
    have no such column, area_ha, area_m2, length_km and the like are what each shape measures (WGS 84). With
    where, a condition of several comparisons with and, or and not, in the expressions that add_column takes.

    Example: copilot call filter_rows table=table-1a2b3c field=count op=">=" value=10

    Asked as: keep the rows of the table above 100 | from that table only France | drop the small groups from
    the table | where the count is over ten in the table | filter the result table
    """
    frame = load_table(state, world, table)
    kept, name, compared = _kept(frame, field, op, value, where, table)
    call = Call.of(filter_rows, table=table, field=field, op=op, value=value, where=where)
    result = frame[kept]
    said = f"{len(result):,} of {number_of(len(frame), 'row')} have {name} {compared}."
    title = f"Rows with {name} {compared}"
    if have_shapes(frame):
        source = state.artifact(table) or newest_named(state.artifacts, table)
        of = source.name if source is not None else table
        said = f"{len(result):,} of {number_of(len(frame), 'feature')} of {of} have {name} {compared}."
        title = f"{name} {compared} in {of}"  # what it was kept by is not cut off
    said, title = (each.replace("  ", " ").replace(" .", ".") for each in (said, title))
    return table_step(state, world, result, call, title[:100], said, field=name)


@tool("data", changes_state=True, needs=("table",), gives=("table",))
def remove_duplicates(
    state: State,
    world: World,
    *,
    table: TableId,
    columns: Annotated[
        Names | None,
        Field(description="Rows that are equal in these count as the same; in all of them when left out."),
    ] = None,
    shapes: Annotated[
        bool | None,
        Field(description="Whether features must have the same shape too: yes without columns, else no."),
    ] = None,
) -> Step:
    """Remove the rows of a table or of features that come again; the first of each stays.

    Texts are compared to the letter, shapes by their corners wherever their outline begins. Missing values
    are equal to each other.

    Example: copilot call remove_duplicates table=table-1a2b3c

    Asked as: delete duplicate rows | drop the duplicates by id | remove double features | unique rows only |
    delete duplicate geometries | keep the first of each station
    """
    frame = load_table(state, world, table)
    own = own_features(frame) if have_shapes(frame) else frame
    names = [column_in(frame, each) for each in columns or ()]
    keys = frame[names].copy() if names else without_outlines(own).copy()
    keys = keys.apply(lambda column: column.map(_comparable_cell) if column.dtype == object else column)
    with_shapes = have_shapes(own) and (not names if shapes is None else shapes)
    if with_shapes:
        keys["\x00shape"] = own.geometry.normalize().to_wkb()
    if shapes and not have_shapes(own):
        raise ToolError("The rows have no shapes to compare; leave shapes out.")
    again = keys.duplicated(keep="first")
    by = listed(names) if names else "all columns"
    by += " and shapes" if with_shapes else ""
    gone = number_of(int(again.sum()), "row")
    said = f"{gone} of {len(frame):,} came again by {by} and went; {int((~again).sum()):,} stay."
    call = Call.of(remove_duplicates, table=table, columns=columns, shapes=shapes)
    return table_step(state, world, frame[~again], call, "Without duplicates", said, removed=int(again.sum()))


def _comparable_cell(cell: Any) -> Any:
    """A cell that can be looked up: lists and the like by how they are written."""
    return cell if cell is None or isinstance(cell, (str, int, float, bool)) else str(plain_value(cell))


def _kept(
    frame: pd.DataFrame, field: str | None, op: str, value: Value | None, where: str | None, table: str
) -> tuple[pd.Series[bool], str, str]:
    """(which rows are kept, the column, the comparison as it is said). Raises ToolError."""
    if where is not None:
        if field is not None or value is not None:
            raise ToolError("A condition stands alone; leave field and value out, or where.")
        wanted = parsed(where, f"SELECT * FROM {plain_name(table)} WHERE {{}}")
        met = evaluated(wanted, frame, {each: column_in(frame, each) for each in wanted.columns})
        if not pd.api.types.is_bool_dtype(met):
            raise ToolError(f"{where[:60]!r} is no condition; compare something, such as {where[:30]} > 0.")
        return met, "", wanted.text[:80]
    if field is None or value is None:
        raise ToolError("Give field, op and value, or a condition in where.")
    operator = OPERATORS.get(" ".join(op.lower().replace("_", " ").split()))
    if operator is None:
        raise ToolError(f"There is no comparison {op!r}; there are = != < <= > >= in contains.")
    name, values = _field_of(frame, field)
    return _meets(values, operator, value), name, f"{operator} {spoken(value)}"


def _field_of(frame: pd.DataFrame, field: str) -> tuple[str, pd.Series[Any]]:
    """The column, or what shapes measure, that a comparison is of."""
    if have_shapes(frame) and (found := measured(frame, field)) is not None:
        return found
    name = column_in(frame, field)
    return name, frame[name]


def _sorted(
    state: State, world: World, by: list[str], limit: int | None, table: str | None
) -> tuple[pd.DataFrame, int]:
    """The first rows in that order, and how many there are in all. Ties keep the order they had."""
    if table is None:
        order = tuple(ordering(each, world) for each in by)
        columns = tuple(dict.fromkeys((*QUERY_COLUMNS, *(field for field, _ in order))))
        frame = world.catalogue.rows(current_selection(state, world), columns, order, limit or _SELECTED)
        return frame, state.database.count
    frame = load_table(state, world, table)
    keys = [_column_order(frame, each) for each in by]
    result = frame.sort_values(
        [name for name, _ in keys],
        ascending=[way == "asc" for _, way in keys],
        key=in_order,
        kind="stable",
        na_position="last",
    )
    return (result if limit is None else result.head(limit)), len(frame)


def in_order(column: pd.Series[Any]) -> pd.Series[Any]:
    """What a column is sorted by: text that is numbers or times for the most part by these, the rest last."""
    if (stored := stored_type(column)) in NESTED:
        raise ToolError(
            f"{column.name} holds {stored}s, which have no order; sort by a part of them with sql."
        )
    found = numbers_of(column)
    if found.stored or holds_times(column):
        return column
    half = column.notna().sum() / 2
    if np.isfinite(found.values).sum() >= max(half, 1):
        note(found.said(str(column.name)))
        return pd.Series(found.values, index=column.index)
    texts = column.dropna().map(str)
    digits = texts.str.contains(r"\d").sum() >= max(half, 1)
    if digits and moments(column, say=False).notna().sum() >= half:
        return moments(column)
    if digits:
        note(f"{column.name} is text and was put in order by its letters, not by the numbers in it.")
    return column


def _read_out(frame: pd.DataFrame, by: str) -> str:
    """`: a 5, b 3`, the rows' names with their values."""
    column = next(
        (str(each) for each in frame.columns if str(each).casefold() == field_named(by).casefold()), None
    )
    if column is None or frame.empty:
        return ""
    names = frame["image_id" if "image_id" in frame else frame.columns[0]]
    pairs = [
        f"{plain_value(name)} {_value_text(value)}" for name, value in zip(names, frame[column], strict=True)
    ]
    return f": {listed(pairs)}"


def _value_text(value: Any) -> str:
    plain = plain_value(value)
    return number(plain) if isinstance(plain, (int, float)) and not isinstance(plain, bool) else str(plain)


def _column_order(frame: pd.DataFrame, text: str) -> tuple[str, Direction]:
    words = text.strip().split()
    if len(words) > 1 and words[-1].lower() in ("asc", "desc"):
        return column_in(frame, " ".join(words[:-1])), "desc" if words[-1].lower() == "desc" else "asc"
    name = text.strip()
    return (column_in(frame, name[1:]), "desc") if name.startswith("-") else (column_in(frame, name), "asc")


def _rows_of_ids(state: State, world: World, ids: list[str]) -> pd.DataFrame:
    selection = current_selection(state, world)
    if not ids:
        return world.catalogue.rows(selection, QUERY_COLUMNS, (), 0)
    only = type(selection)(datasets=selection.datasets, attributes=(Attribute("image_id", "in", ids),))
    return world.catalogue.rows(only, QUERY_COLUMNS, (), len(ids))


def _meets(column: pd.Series[Any], op: str, value: Value) -> pd.Series[bool]:
    """Which rows meet a comparison; a missing value never does."""
    there = column.notna()
    if op == "contains":
        needle = str(value).casefold()
        return there & column.map(lambda each: needle in str(plain_value(each)).casefold())
    if op == "in":
        return there & _either(column, value if isinstance(value, list) else str(value).split(","))
    if isinstance(value, list):
        raise ToolError(f"{op} takes one value, not {len(value)}; op=in takes a list.")
    if op in ("=", "!="):
        same = _either(column, [value])
        return there & (same if op == "=" else ~same)
    left, right = _comparable(column, value)
    compared = {"<": left < right, "<=": left <= right, ">": left > right, ">=": left >= right}[op]
    return there & compared.fillna(False).astype(bool)


def _either(column: pd.Series[Any], values: Sequence[str | float]) -> pd.Series[bool]:
    if pd.api.types.is_integer_dtype(column):
        # Whole numbers as they are: ids of 64 bits share a double with their neighbours.
        for each in values:
            _say_read(column, each, _number(each))
        whole = [found for each in values if (found := exact(each)) is not None]
        return column.isin(whole)
    if pd.api.types.is_numeric_dtype(column):
        numbers = {_say_read(column, each, _number(each)) for each in values}
        return column.astype(float).isin(numbers)
    if holds_times(column):
        wanted = {_moment(each) for each in values}
        return _comparable(column, values[0])[0].isin(wanted)
    texts = {str(each).strip().casefold() for each in values}
    met = column.map(lambda each: str(plain_value(each)).casefold() in texts).astype(bool)
    _say_read_apart(column, values, met)
    return met


def _say_read(column: pd.Series[Any], asked: str | float, read: float) -> float:
    """Say so where a text is compared with numbers and is not how its number is written: '001' for 1."""
    if isinstance(asked, str) and asked.strip() not in (str(exact(asked)), repr(read), f"{read:g}"):
        note(f"{column.name} is {type_said(column)}; {asked!r} was read as the number {number(read)}.")
    return read


def _say_read_apart(column: pd.Series[Any], values: Sequence[str | float], met: pd.Series[bool]) -> None:
    """Say so where texts mean a number that they are compared with, and are written otherwise: 001 for 1."""
    asked = [each for each in values if isinstance(each, (int, float))]
    if not asked or kind_of(column) != "text":
        return
    apart = column[np.isin(numbers_of(column).values, asked) & ~met]
    of_type = f"{column.name} is {type_said(column)}, and was compared as text with {spoken(asked)}"
    if len(apart):
        one = len(apart) == 1
        types = json.dumps({str(column.name): number_kind(column)}, ensure_ascii=False)
        note(
            f"{of_type}: {number_of(len(apart), 'row')} {'means' if one else 'mean'} it as a number and "
            f"{'was' if one else 'were'} not taken for it, such as {apart.iloc[0]!r}. "
            f"edit_columns types={types} makes numbers of the column."
        )
    elif not met.any():
        note(f"{of_type}.")


_SELECTED = 1000
"""Rows of the selection that are sorted into a table where nothing is said of how many."""
_JUDGED = 100
"""Rows that say quickly that a column holds no times."""
Kind = Literal["numbers", "words"]
"""What a column without times holds."""


def _comparable(column: pd.Series[Any], value: str | float) -> tuple[pd.Series[float], float]:
    """Both sides as numbers: of times, nanoseconds, also of those that a table keeps as text."""
    if holds_times(column) or _written_times(column):
        times = moments(column)
        numbers = times.dt.as_unit("ns").astype("int64").astype(float)
        return numbers.where(times.notna()), _moment(value)
    if pd.api.types.is_integer_dtype(column) and (whole := exact(value)) is not None:
        # As they are: ids of 64 bits share a float with their neighbours.
        _say_read(column, value, float(whole))
        return column, whole
    kind: Kind = "numbers" if pd.api.types.is_numeric_dtype(column) else "words"
    if kind == "numbers":
        return column.astype(float), _say_read(column, value, _number(value, kind))
    found = numbers_of(column)
    if np.isfinite(found.values).any():
        note(found.said(str(column.name)))
        kind = "numbers"
    return pd.Series(found.values, index=column.index), _number(value, kind)


def _moment(value: str | float) -> float:
    """A time as nanoseconds; a number is a year."""
    text = f"{value:.0f}" if isinstance(value, (int, float)) else value
    try:
        return float(pd.to_datetime(text, utc=True).as_unit("ns").value)
    except ValueError:  # no time at all, or none of the years that are told apart
        raise ToolError(f"The column holds times, and {value!r} is none; write 2018-05-31.") from None


def _written_times(column: pd.Series[Any]) -> bool:
    """Whether all that is there are times as text: 2018-05, 2018-05-31T12:00:00Z, or 31/05/2018."""
    there = column.dropna()
    if (
        there.empty
        or pd.api.types.is_numeric_dtype(column)
        or not all(isinstance(each, str) for each in there)
    ):
        return False
    if pd.to_numeric(there, errors="coerce").notna().all():
        return False
    return bool(
        moments(there.head(_JUDGED), say=False).notna().all() and moments(there, say=False).notna().all()
    )


def _number(value: str | float, column: Kind = "numbers") -> float:
    """A value to compare with; where it is no number, what the column holds says what would do."""
    try:
        return float(value)
    except ValueError:
        if column == "numbers":
            raise ToolError(f"The column holds numbers, and {value!r} is none.") from None
        said = f"The column holds words, which {value!r} is not compared with; use = or contains."
        raise ToolError(said) from None


TOOLS = (sort_table, top_n, sample_rows, filter_rows, remove_duplicates)

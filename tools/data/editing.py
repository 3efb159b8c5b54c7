"""Change the columns of a table or of features, several at once: as QGIS's Refactor fields does."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

import pandas as pd
from pydantic import Field

from state.model import State
from tools.artifacts import Call, newest_named
from tools.base import Step, ToolError, World, tool
from tools.data.computed import rounded_all
from tools.data.expressions import evaluated, parsed
from tools.data.retyping import retyped
from tools.data.source import column_in
from tools.data.sql import plain_name
from tools.phrases import listed, number_of
from tools.rows import load_table
from tools.tables import as_own, have_shapes, own_features, plain_value, table_step
from tools.units import Names, NewName, TableId

Kind = Literal["text", "integer", "number", "boolean", "date", "time"]
Value = str | float | int | bool | None
_SHOWN = 20


@tool("data", changes_state=True, needs=("table",), gives=("table",))
def edit_columns(
    state: State,
    world: World,
    *,
    table: TableId,
    trim: Annotated[
        Names | None,
        Field(description="Columns of text that lose blanks at both ends; blank cells become empty."),
    ] = None,
    recode: Annotated[
        dict[str, dict[str, Value]] | None,
        Field(
            description='Values by column: {"class": {"resid.": "Residential"}}; others stay, and are told.'
        ),
    ] = None,
    fill: Annotated[
        dict[str, Value] | None, Field(description='What empty cells get, by column: {"lanes": 1}.')
    ] = None,
    types: Annotated[
        dict[str, Kind] | None,
        Field(description='By column: text, integer, number, boolean, date or time, {"pm25": "number"}.'),
    ] = None,
    compute: Annotated[
        dict[str, str] | None,
        Field(description='Columns by expression, as add_column takes them: {"ha": "area_m2 / 1e4"}.'),
    ] = None,
    rename: Annotated[
        dict[str, NewName] | None, Field(description='New names by old ones: {"NAME_1": "region"}.')
    ] = None,
    drop: Annotated[Names | None, Field(description="Columns that go.")] = None,
    select: Annotated[
        Names | None, Field(description="The columns that stay, in this order, by their new names.")
    ] = None,
    name: Annotated[NewName | None, Field(description="What the result is called.")] = None,
) -> Step:
    """Trim, recode, fill, retype, compute, rename, drop, select and order the columns of a table or features.

    All in one call, in this order. Features keep their shapes, and all rows stay, in their order. A cell that
    cannot be converted becomes empty, is counted and shown; values that a recoding does not name stay as they
    are and are told. The result is new, its source stays.

    Example: copilot call edit_columns table=table-1a2b3c rename='{"count": "images"}'

    Asked as: rename a column | drop columns | keep only these columns | change the type of a column to number
    | reorder the fields | recode the values of a column | fill the empty cells | trim the blanks | refactor
    the fields of the layer
    """
    frame = load_table(state, world, table)
    made: list[str] = []
    frame = _trimmed(frame, trim or [], made)
    frame = _recoded(frame, recode or {}, made)
    frame = _filled(frame, fill or {}, made)
    frame = _retyped(frame, types or {}, made)
    frame = _computed(frame, compute or {}, table, made)
    frame = _renamed(frame, rename or {}, made)
    frame = _chosen(frame, drop or [], select, made)
    frame = own_features(frame) if have_shapes(frame) else frame
    if not made:
        raise ToolError(
            "Nothing is to be done; give trim, recode, fill, types, compute, rename, drop or select."
        )
    source = state.artifact(table) or newest_named(state.artifacts, table)
    title = name or f"{source.name if source is not None else table}, edited"[:100]
    call = Call.of(
        edit_columns, table=table, trim=trim, recode=recode, fill=fill, types=types, compute=compute,
        rename=rename, drop=drop, select=select, name=name,
    )  # fmt: skip
    said = f"{number_of(len(frame), 'row')}: {'; '.join(made)}."
    return table_step(state, world, frame, call, title, said)


def _trimmed(frame: pd.DataFrame, columns: list[str], made: list[str]) -> pd.DataFrame:
    for asked in columns:
        name = column_in(frame, asked)
        before = frame[name]
        after = before.map(lambda each: (each.strip() or None) if isinstance(each, str) else each)
        after = after.astype(object).where(after.notna(), None)
        changed = sum(one != two for one, two in zip(before, after, strict=True) if isinstance(one, str))
        made.append(f"trimmed {name} ({number_of(changed, 'cell')} changed)")
        frame = frame.assign(**{name: after})
    return frame


def _recoded(
    frame: pd.DataFrame, changes: Mapping[str, Mapping[str, Value]], made: list[str]
) -> pd.DataFrame:
    for asked, mapping in changes.items():
        name = column_in(frame, asked)
        cells = frame[name].map(lambda each: str(plain_value(each)), na_action="ignore")
        hit = cells.isin(list(mapping))
        if not hit.any():
            there = listed([repr(each) for each in cells.dropna().drop_duplicates().head(_SHOWN)], _SHOWN)
            raise ToolError(
                f"No cell of {name} is any of {listed([repr(each) for each in mapping])}; it has {there}."
            )
        after = frame[name].astype(object).where(~hit, cells.map(mapping))
        left = cells[~hit].dropna().drop_duplicates()
        told = f"recoded {name} ({number_of(int(hit.sum()), 'cell')}"
        others = [each for each in left if each not in {str(value) for value in mapping.values()}]
        if others:
            told += f"; left as they are: {listed([repr(each) for each in others[:_SHOWN]], _SHOWN)}"
            told += f" and {len(others) - _SHOWN:,} more" if len(others) > _SHOWN else ""
        made.append(f"{told})")
        frame = frame.assign(**{name: after.infer_objects()})
    return frame


def _filled(frame: pd.DataFrame, values: Mapping[str, Value], made: list[str]) -> pd.DataFrame:
    for asked, value in values.items():
        name = column_in(frame, asked)
        empty = frame[name].isna() | (
            frame[name].map(lambda each: isinstance(each, str) and not each.strip())
        )
        empty = empty.fillna(True).astype(bool)
        if pd.api.types.is_numeric_dtype(frame[name]) and isinstance(value, str):
            raise ToolError(f"{name} holds numbers, and {value!r} is none; retype it to text first.")
        column = frame[name].astype(object).where(~empty, value).infer_objects()
        made.append(f"filled {number_of(int(empty.sum()), 'empty cell')} of {name} with {value!r}")
        frame = frame.assign(**{name: column})
    return frame


def _retyped(frame: pd.DataFrame, types: Mapping[str, Kind], made: list[str]) -> pd.DataFrame:
    import pyarrow as pa

    for asked, kind in types.items():
        name = column_in(frame, asked)
        stored = pa.Table.from_pandas(pd.DataFrame(frame[[name]]), preserve_index=False).column(0)
        column, how = retyped(stored, kind, name)
        made.append(f"{name} to {kind}{how or ', all of it'}")
        gaps = {pa.int64(): pd.Int64Dtype(), pa.bool_(): pd.BooleanDtype()}  # which stay whole, and truths
        values = column.to_pandas(types_mapper=gaps.get if column.null_count else None)
        frame = frame.assign(**{name: values.array})
    return frame


def _computed(
    frame: pd.DataFrame, expressions: Mapping[str, str], table: str, made: list[str]
) -> pd.DataFrame:
    for name, text in expressions.items():
        wanted = parsed(text, f"SELECT *, {{}} AS {plain_name(name)} FROM {plain_name(table)}")
        values: pd.Series[Any] = evaluated(
            wanted, frame, {each: column_in(frame, each) for each in wanted.columns}
        )
        if pd.api.types.is_float_dtype(values):
            values = pd.Series(rounded_all(values), index=values.index)
        done = "replaced" if name in frame.columns else "computed"
        missing = int(values.isna().sum())
        made.append(
            f"{done} {name} = {wanted.text[:100]}" + (f" ({missing:,} without a value)" if missing else "")
        )
        frame = as_own(frame.assign(**{name: values}), name)
    return frame


def _renamed(frame: pd.DataFrame, names: Mapping[str, str], made: list[str]) -> pd.DataFrame:
    if not names:
        return frame
    found = {column_in(frame, old): new for old, new in names.items()}
    after = [found.get(str(each), str(each)) for each in frame.columns]
    twice = [each for each in dict.fromkeys(after) if after.count(each) > 1]
    if twice:
        raise ToolError(f"Two columns would be called {listed(twice)}; rename or drop the other first.")
    made.append(f"renamed {listed([f'{old} to {new}' for old, new in found.items()], _SHOWN)}")
    return frame.rename(columns=found)


def _chosen(frame: pd.DataFrame, drop: list[str], select: list[str] | None, made: list[str]) -> pd.DataFrame:
    shapes = [frame.geometry.name] if have_shapes(frame) else []
    if set(drop) & set(shapes):
        raise ToolError("The shapes cannot be dropped here; save_file with geometry=none leaves them out.")
    gone = [column_in(frame, each) for each in drop]
    if gone:
        made.append(f"dropped {listed(gone, _SHOWN)}")
        frame = frame.drop(columns=gone)
    if select is not None:
        kept = list(dict.fromkeys(column_in(frame, each) for each in select if each not in shapes))
        made.append(f"kept {listed(kept, _SHOWN)} of {number_of(len(frame.columns) - len(shapes), 'column')}")
        frame = frame[[*kept, *shapes]]
        for name in kept:
            frame = as_own(frame, name)
    return frame


TOOLS = (edit_columns,)

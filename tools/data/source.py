"""Where a data tool's rows come from: a table of the session, or the current selection."""

from __future__ import annotations

from difflib import get_close_matches

import pandas as pd

from data.catalogue.records import value_text
from data.numbers import numbers_of
from data.profiles import holds_times
from data.vocabulary import words
from state.model import State
from tools.base import ToolError, World
from tools.database.attributes import field_named
from tools.database.reading import column_named
from tools.noting import note
from tools.phrases import listed
from tools.rows import load_table
from tools.selection import current_selection
from tools.tables import without_outlines

MAX_ROWS = 5_000_000
UNKNOWN = "unknown"
"""What the catalogue counts a missing value under."""
NO_VALUE = "no value"
"""What a table's rows without a value are grouped under: its own cells may well say "unknown"."""
MAX_UNIT_CHARS = 3
"""Of the unit that a column's name ends with: m, pct, ntu."""
TIME_KEYS = {"year": "%Y", "month": "%Y-%m", "day": "%Y-%m-%d"}
_SEASONS = ("winter", "spring", "summer", "autumn")


def frame_of(state: State, world: World, table: str | None, *columns: str) -> pd.DataFrame:
    """Those columns of a table, or of the selected rows. Raises ToolError for a name that is not there."""
    if table is not None:
        frame = load_table(state, world, table)
        names = dict.fromkeys(column_in(frame, each) for each in columns)
        return frame[list(names)] if names else frame
    selection = current_selection(state, world)
    chosen = tuple(dict.fromkeys(column_named(each, world) for each in columns))
    return world.catalogue.rows(selection, chosen, (), MAX_ROWS)


def column_in(frame: pd.DataFrame, name: str) -> str:
    """A column of a table, as people say it. Raises ToolError with the nearest.

    Case aside; else the one column that the name says but for the signs between words, the number of its
    nouns or the unit at its end ("depth" of depth_m), or that a column of the catalogue is called by.
    """
    columns = [str(each) for each in without_outlines(frame).columns]
    if name in columns:
        return name
    folded = [each for each in columns if each.casefold() == name.casefold()]
    if len(folded) > 1:
        raise ToolError(f"{name!r} may be the column {' or '.join(folded)}; name it as it is written.")
    if folded:
        return folded[0]
    said, known = words.key(name), field_named(name)
    ways = (
        [each for each in columns if words.key(each) == said],
        [each for each in columns if each == known],
        [each for each in columns if _without_unit(words.key(each)) == said],
    )
    for found in ways:
        if said and len(found) == 1:
            return found[0]
    near = get_close_matches(name, columns, n=2)
    hint = f"Did you mean {listed(near)}?" if near else f"It has {listed(columns, 20)}."
    raise ToolError(f"The table has no column {name!r}. {hint}")


def _without_unit(key: str) -> str:
    """ "depth m" as "depth": the last word, where it is as short as a unit."""
    first, _, last = key.rpartition(" ")
    return first if len(last) <= MAX_UNIT_CHARS else key


def source_column(state: State, world: World, table: str | None, name: str) -> str:
    """A column of the table, or of the catalogue when there is none. Raises ToolError with the nearest."""
    return column_named(name, world) if table is None else column_in(load_table(state, world, table), name)


def numbers(frame: pd.DataFrame, name: str) -> pd.Series[float]:
    """A column as numbers, missing ones left out. Raises ToolError when it holds none."""
    found = numbers_of(frame[name])
    column = pd.Series(found.values, index=frame.index, name=name).dropna()
    note(found.said(name))
    if column.empty and not frame.empty:
        kinds = "nothing but missing values" if frame[name].isna().all() else "no numbers"
        hint = "; sql gives the first and the last of days and times" if holds_times(frame[name]) else ""
        raise ToolError(
            f"{name} holds {kinds}; choose a column of numbers, such as gsd_m or detections{hint}."
        )
    return column


def time_column(frame: pd.DataFrame) -> str | None:
    """The table's column of times: `acquired`, else the first there is."""
    if "acquired" in frame:
        return "acquired"
    return next((str(each) for each in frame.columns if holds_times(frame[each])), None)


def table_key(frame: pd.DataFrame, by: str) -> str:
    """What a table can be grouped by: one of its columns, else year, month, day or season of its times."""
    if by not in frame and words.key(by) in (*TIME_KEYS, "season") and time_column(frame) is not None:
        return words.key(by)
    return column_in(frame, by)


def keys_of(frame: pd.DataFrame, key: str, missing: str = NO_VALUE) -> pd.Series[str]:
    """What each row is grouped under, by what `table_key` gave: the value as people read it, or `missing`."""
    if key in frame:
        return frame[key].map(lambda value: missing if _missing(value) else value_text(value)).astype(str)
    moments = pd.to_datetime(frame[str(time_column(frame))], errors="coerce")
    if key != "season":
        return moments.dt.strftime(TIME_KEYS[key]).fillna(missing).astype(str)
    south = frame["lat"] < 0 if "lat" in frame else pd.Series(False, index=frame.index)
    number = (moments.dt.month % 12 // 3 + 2 * south) % 4
    return number.map(lambda value: missing if pd.isna(value) else _SEASONS[int(value)]).astype(str)


def key_columns(by: str, world: World) -> tuple[str, ...]:
    """The catalogue's columns that grouping by `by` needs. Raises ToolError for an unknown one."""
    if by in TIME_KEYS:
        return ("acquired",)
    if by == "season":
        return ("acquired", "lat")
    if by in ("class", "group", "gsd", "cloud"):
        raise ToolError(f"Values cannot be summed up by {by}; use a column, or year, month, day or season.")
    return (column_named(by, world),)


def _missing(value: object) -> bool:
    return value is None or value is pd.NaT or value is pd.NA or (isinstance(value, float) and value != value)

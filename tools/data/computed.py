"""What the computing tools share: columns as numbers, rounding, and rows that must be there."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from data.numbers import numbers_of
from state.model import State
from tools.base import ToolError, World
from tools.data.source import column_in, frame_of
from tools.database.reading import QUERY_COLUMNS
from tools.noting import note
from tools.phrases import listed, number_of

Floats = NDArray[np.float64]

DIGITS = 12
"""Significant digits that a computed number keeps: what is beyond them differs between machines."""
MEASURED = ("gsd_m", "cloud_pct", "detections")
"""The selection's columns of measured numbers."""
MAX_COLUMNS = 30


def rounded(value: float) -> float:
    """A number at 12 significant digits; minus nought is nought."""
    return float(f"{value:.{DIGITS}g}") + 0.0 if math.isfinite(value) else float(value)


def rounded_all(values: Iterable[float]) -> list[float]:
    """Numbers at 12 significant digits."""
    return [rounded(float(value)) for value in values]


def as_floats(column: pd.Series[Any]) -> Floats:
    """A column as numbers; what is none, or not finite, is not-a-number."""
    found = numbers_of(column)
    note(found.said(str(column.name)))
    return found.values


def rows_of(state: State, world: World, table: str | None, *columns: str) -> pd.DataFrame:
    """Whole rows of a table, or of the selection its usual columns and those named, numbered from 0."""
    if table is not None:
        frame = frame_of(state, world, table)
        for each in columns:
            column_in(frame, each)
        return frame.reset_index(drop=True)
    return frame_of(state, world, None, *QUERY_COLUMNS, *columns).reset_index(drop=True)


def numeric_names(frame: pd.DataFrame) -> list[str]:
    """The columns of a table that hold numbers, and not truth values."""
    return [
        str(name)
        for name in frame.columns
        if pd.api.types.is_numeric_dtype(frame[name]) and not pd.api.types.is_bool_dtype(frame[name])
    ]


def measured(
    state: State, world: World, table: str | None, columns: Sequence[str] | None, least: int
) -> tuple[pd.DataFrame, list[str]]:
    """(rows, the names of at least `least` different columns of numbers). Raises ToolError.

    Without `columns` these are all number columns of a table, or `MEASURED` of the selection.
    """
    wanted = list(columns) if columns is not None else [] if table is not None else list(MEASURED)
    frame = rows_of(state, world, table, *wanted)
    names = list(dict.fromkeys(column_in(frame, each) for each in wanted)) or numeric_names(frame)
    if len(names) < least:
        had = listed(names) or "none"
        raise ToolError(f"This needs {least} different columns of numbers at least, and there are: {had}.")
    if len(names) > MAX_COLUMNS:
        raise ToolError(
            f"This takes {MAX_COLUMNS} columns at most, not {len(names)}; name those that matter."
        )
    need_rows(len(frame), 1, "to compute with")
    for name in names:
        if np.isnan(as_floats(frame[name])).all():
            raise ToolError(f"{name} holds no numbers; choose a column of numbers, such as gsd_m.")
    return frame, names


def matrix(frame: pd.DataFrame, names: Sequence[str]) -> Floats:
    """(rows, columns) numbers; what is missing is not-a-number."""
    return np.column_stack([as_floats(frame[name]) for name in names])


def complete(values: Floats) -> NDArray[np.bool_]:
    """Which rows have every number."""
    return np.asarray(~np.isnan(values).any(axis=1))


def standardised(values: Floats, names: Sequence[str]) -> Floats:
    """Columns with mean 0 and standard deviation 1 (of the population). Raises ToolError for a constant."""
    spread = spread_of(values, names)
    scaled: Floats = (values - values.mean(axis=0)) / spread
    return scaled


def spread_of(values: Floats, names: Sequence[str]) -> Floats:
    """Each column's standard deviation (population). Raises ToolError where it is nought or too large."""
    with np.errstate(over="ignore", invalid="ignore"):
        spread: Floats = values.std(axis=0)
    for name, each, one in zip(names, spread, values.T, strict=True):
        if not np.isfinite(each):
            raise ToolError(f"{name} holds numbers too large to compute with, up to {np.abs(one).max():.3g}.")
        if one.min() == one.max():
            raise ToolError(f"{name} has the one value {one[0]:g} in every row; leave it out.")
    return spread


def need_rows(count: int, least: int, purpose: str) -> None:
    """Raise ToolError unless there are that many rows."""
    if count == 0:
        raise ToolError(f"There is nothing {purpose}: no row is selected or has a value; widen the filters.")
    if count < least:
        raise ToolError(f"There are too few rows {purpose}: {count:,}, and it takes {least:,} at least.")


def at_most(count: int, most: int, what: str, instead: str) -> None:
    """Raise ToolError when there are more rows than `most`."""
    if count > most:
        raise ToolError(f"{what} takes {number_of(most, 'row')} at most, not {count:,}; {instead}.")

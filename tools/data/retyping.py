"""A column as another type, with what could not be converted counted and shown."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pandas as pd

from data.catalogue.records import value_text
from data.numbers import EXACT, numbers_of
from tools.data.series import moments
from tools.phrases import listed, number_of
from tools.tables import plain_value

Kind = Literal["text", "integer", "number", "boolean", "date", "time"]
_WHOLE = re.compile(r"\s*[+-]?\d{1,19}\s*")
_TRUTH = {
    **dict.fromkeys(("true", "t", "yes", "y", "1", "1.0"), True),
    **dict.fromkeys(("false", "f", "no", "n", "0", "0.0"), False),
}
_SHOWN = 3


@dataclass(frozen=True)
class Retyped:
    """A column as another type."""

    column: pd.Series[Any]
    lost: int
    """Cells that had a value and have none now."""
    examples: tuple[str, ...] = ()
    """What some of them were."""
    cut: int = 0
    """Numbers that lost what was behind the point, or times the time of day."""

    def said(self, name: str, kind: Kind) -> str:
        """`pm25 to number (2 cells are none, such as 'n/a')`."""
        parts = []
        if self.lost:
            cells = "1 cell is none" if self.lost == 1 else f"{self.lost:,} cells are none"
            parts.append(f"{cells} and became empty: {listed([repr(each) for each in self.examples])}")
        if self.cut:
            what = "the time of day" if kind == "date" else "what is behind the point"
            parts.append(f"{number_of(self.cut, 'cell')} lost {what}")
        return f"{name} to {kind}" + (f" ({'; '.join(parts)})" if parts else "")


def retyped(column: pd.Series[Any], kind: Kind) -> Retyped:
    """A column as text, whole numbers, numbers, truth values, days or times (UTC)."""
    if kind == "text":
        return Retyped(_as_text(column), 0)
    if kind in ("date", "time"):
        return _as_times(column, kind == "date")
    if kind == "boolean":
        truths = column.map(lambda each: _TRUTH.get(str(each).strip().casefold()), na_action="ignore")
        return _told(column, pd.Series(truths, index=column.index).astype("boolean"))
    if kind == "integer":
        return _as_whole(column)
    found = pd.Series(numbers_of(column).values, index=column.index, name=column.name)
    return _told(column, found)


def _as_text(column: pd.Series[Any]) -> pd.Series[Any]:
    texts = column.map(lambda each: value_text(plain_value(each)), na_action="ignore")
    return texts.astype(object).where(column.notna(), None)


def _as_times(column: pd.Series[Any], days: bool) -> Retyped:
    times = moments(column)
    if not days:
        return _told(column, times)
    cut = int((times.notna() & (times != times.dt.normalize())).sum())
    return _told(column, times.dt.date.astype(object).where(times.notna(), None), cut)


def _as_whole(column: pd.Series[Any]) -> Retyped:
    """Whole numbers, exact however long; what is behind the point is cut off and counted."""
    if pd.api.types.is_integer_dtype(column):
        return Retyped(column, 0)
    exact = column.map(_is_whole, na_action="ignore").fillna(False).astype(bool)
    values = numbers_of(column).values
    fits = np.isfinite(values) & (np.abs(values) < EXACT)
    whole = np.where(fits, np.trunc(np.where(fits, values, 0)), 0).astype("int64")
    found = pd.Series(pd.array(whole, dtype="Int64"), index=column.index, name=column.name).where(fits)
    if exact.any():
        found = found.where(~exact, column[exact].map(int).astype("Int64").reindex(column.index))
    cut = int((fits & ~exact.to_numpy(bool) & (values != np.trunc(values))).sum())
    told = _told(column, found, cut)
    if found.notna().all():  # plain integers, where none is missing
        return Retyped(found.astype("int64"), told.lost, told.examples, cut)
    return told


def _is_whole(cell: Any) -> bool:
    """Whether a text is a whole number that 64 bits hold."""
    return isinstance(cell, str) and _WHOLE.fullmatch(cell) is not None and -(2**63) <= int(cell) < 2**63


def _told(before: pd.Series[Any], after: pd.Series[Any], cut: int = 0) -> Retyped:
    lost = before.notna() & after.isna()
    blank = before.map(lambda each: isinstance(each, str) and not each.strip(), na_action="ignore")
    lost &= ~blank.fillna(False).astype(bool)  # a blank cell says nothing as it is
    shown = [str(plain_value(each))[:40] for each in before[lost].drop_duplicates().head(_SHOWN)]
    return Retyped(after, int(lost.sum()), tuple(shown), cut)

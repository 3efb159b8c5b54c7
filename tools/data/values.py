"""What an expression computes with: a column's values of one kind. Whole numbers stay whole.

Numbers are floats. Whole ones are kept beside them with all their digits, as long as what is computed of them
is whole too and has 64 bits; where it has not, the floats go on alone, which is said.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from data.numbers import EXACT, numbers_of
from data.profiles import holds_times
from tools.base import ToolError
from tools.data.computed import Floats
from tools.noting import note

KINDS = {"number": "a number", "text": "a text", "time": "a time", "truth": "a truth value"}
BEYOND = (
    "The expression gives whole numbers beyond 64 bits; it was computed with floats, which do not hold all "
    "of their digits."
)
LONG = "The expression takes whole numbers over 2^53 as floats; their first 15 digits are computed with."
Whole = NDArray[np.int64]
_MOST = 2**63 - 1

ARITHMETIC: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: np.add, ast.Sub: np.subtract, ast.Mult: np.multiply, ast.Div: np.divide,
    ast.FloorDiv: np.floor_divide, ast.Mod: np.mod, ast.Pow: np.power,
}  # fmt: skip


@dataclass(frozen=True)
class Values:
    """A column of one kind, or one value for all rows (`values` is then of length one)."""

    kind: str
    """number (floats, missing as NaN), truth (bools), time (datetime64[us]), text (missing as None)."""
    values: Any
    whole: Whole | None = None
    """The same numbers with all digits, where all are whole; nought where one is missing."""


def column_values(column: pd.Series[Any]) -> Values:
    """A column of a table."""
    if pd.api.types.is_bool_dtype(column) and not column.isna().any():
        return Values("truth", column.to_numpy(dtype=bool))
    if pd.api.types.is_numeric_dtype(column):
        found = numbers_of(column)
        unsigned = pd.api.types.is_unsigned_integer_dtype(column)
        if pd.api.types.is_integer_dtype(column) and not (unsigned and (found.values >= 2.0**63).any()):
            gaps = column.isna().any()
            return Values("number", found.values, (column.fillna(0) if gaps else column).to_numpy(np.int64))
        note(found.said(str(column.name)))
        return Values("number", found.values)
    if holds_times(column):
        moments = pd.to_datetime(column, utc=True).dt.tz_localize(None)
        return Values("time", moments.to_numpy(dtype="datetime64[us]"))
    there = column.notna().to_numpy()
    texts = [str(value) if known else None for value, known in zip(column, there, strict=True)]
    return Values("text", np.array(texts, dtype=object))


def constant_number(value: float) -> Values:
    """A number that the expression writes. Raises ToolError for one that no float holds."""
    try:
        values = np.array([float(value)])
    except OverflowError:
        raise ToolError("A number in the expression is too large.") from None
    if not isinstance(value, int):
        return Values("number", values)
    if value > _MOST:  # a minus is an operator of its own
        note(BEYOND)
        return Values("number", values)
    return Values("number", values, np.array([value], dtype=np.int64))


def column_of(found: Values, index: pd.Index[Any]) -> pd.Series[Any]:
    """What was computed as a column: whole numbers as such, maybe with gaps; no float that is not finite."""
    rows = len(index)
    values, whole = (
        None if each is None else np.resize(each, rows) if len(each) == 1 else each
        for each in (found.values, found.whole)
    )
    if found.kind != "number":
        return pd.Series(values, index=index, dtype=object if found.kind == "text" else None)
    assert values is not None
    if whole is None:
        return pd.Series(np.where(np.isfinite(values), values, np.nan), index=index)
    gaps = np.isnan(values)
    return pd.Series(pd.arrays.IntegerArray(whole, gaps) if gaps.any() else whole, index=index)


def missing(values: Values) -> Any:
    """Which have no value."""
    if values.kind == "truth":
        return np.zeros(len(values.values), dtype=bool)
    return pd.isna(values.values)


def numbers(values: Values) -> Floats:
    """Values as floats, which is said where digits are lost. Raises ToolError for what is no number."""
    found = _floats(values)
    if values.whole is not None and bool((np.abs(found) >= EXACT).any()):
        note(LONG)
    return found


def _floats(values: Values) -> Floats:
    if values.kind in ("text", "time"):
        hint = "; year(…) or a difference of two times is one" if values.kind == "time" else ""
        raise ToolError(f"The expression computes with {KINDS[values.kind]}, which is no number{hint}.")
    return np.asarray(values.values, dtype=float)


def whole_of(values: Values) -> Whole | None:
    """Values as whole numbers; None where not all are. A truth is 1 or 0."""
    return values.values.astype(np.int64) if values.kind == "truth" else values.whole


def as_whole(values: Floats) -> Values:
    """Floats that a function made whole, as such: where all are exact, and none is infinite."""
    gaps = np.isnan(values)
    if bool((np.abs(values[~gaps]) < EXACT).all()):
        return Values("number", values, np.where(gaps, 0, values).astype(np.int64))
    return Values("number", values)


def all_whole(given: Sequence[Values], compute: Callable[..., Any]) -> Values | None:
    """What is computed of whole numbers, which cannot be too large; None where not all are whole."""
    wholes = [whole_of(each) for each in given]
    if any(each is None for each in wholes):
        return None
    return _with_gaps(compute(*wholes), _any_missing(given))


def arithmetic(operator: type[ast.operator], left: Values, right: Values) -> Values:
    """Two numbers computed with: whole where both are, but for a quotient. Raises ToolError."""
    a, b = _floats(left), _floats(right)
    found = ARITHMETIC[operator](a, b)
    one, other = whole_of(left), whole_of(right)
    if operator is not ast.Div and one is not None and other is not None:
        gaps = _any_missing((left, right))
        if operator in (ast.FloorDiv, ast.Mod):
            gaps, other = gaps | (other == 0), np.where(other == 0, 1, other)
        if operator is not ast.Pow or bool((other >= 0).all()):
            made = ARITHMETIC[operator](one, other)
            # A remainder is never too large; float's own of large numbers is far off.
            if operator is ast.Mod or _fits(made, found, gaps):
                return _with_gaps(made, gaps)
            note(BEYOND)
            return Values("number", found)
    return Values("number", ARITHMETIC[operator](numbers(left), numbers(right)))


def signless(values: Values) -> Values:
    """The size of numbers."""
    return _alone(np.abs, values)


def negative(values: Values) -> Values:
    """Numbers with the other sign."""
    return _alone(np.negative, values)


def _alone(compute: Callable[[Any], Any], values: Values) -> Values:
    found, whole = compute(_floats(values)), whole_of(values)
    if whole is None:
        return Values("number", found)
    made, gaps = compute(whole), missing(values)
    if _fits(made, found, gaps):
        return _with_gaps(made, gaps)
    note(BEYOND)
    return Values("number", found)


def _fits(made: Whole, floats: Floats, gaps: Any) -> bool:
    """Whether no whole number was too large: one that was is 2^64 or more off its float."""
    return bool((gaps | (np.abs(made.astype(float) - floats) < 2.0**62)).all())


def _any_missing(given: Sequence[Values]) -> Any:
    return np.logical_or.reduce(np.broadcast_arrays(*map(missing, given)))


def _with_gaps(made: Any, gaps: Any) -> Values:
    whole = np.where(gaps, 0, made)
    return Values("number", np.where(gaps, np.nan, whole.astype(float)), whole)


def times(values: Values) -> Any:
    """Values as times, also of ISO texts. Raises ToolError."""
    if values.kind == "time":
        return values.values
    if values.kind == "text":
        moments = pd.to_datetime(pd.Series(values.values), errors="coerce", utc=True, format="ISO8601")
        if len(values.values) == 1 and moments.isna().all():
            raise ToolError(f"{str(values.values[0])[:40]!r} is no time; write one such as '2018-05-31'.")
        return moments.dt.tz_localize(None).to_numpy(dtype="datetime64[us]")
    raise ToolError(f"The expression needs a time and got {KINDS[values.kind]}.")


def days(moments: Any) -> Floats:
    """Days since 1970, missing as not-a-number."""
    found = np.asarray(moments, dtype="datetime64[us]").astype("int64") / 86_400e6
    return np.where(np.isnat(moments), np.nan, found)


def texts(values: Values) -> Any:
    """Values as they are written; whole numbers with all their digits."""
    if values.kind == "text":
        return values.values
    if values.kind == "time":
        said = [str(moment) for moment in pd.DatetimeIndex(values.values)]
    elif values.kind == "truth":
        said = ["true" if each else "false" for each in values.values]
    elif values.whole is not None:
        said = [str(each) for each in values.whole]
    else:
        said = [f"{each:.12g}" for each in values.values]
    gone = missing(values)
    return np.array([None if none else text for text, none in zip(said, gone, strict=True)], dtype=object)

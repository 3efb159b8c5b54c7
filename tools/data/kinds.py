"""Columns of two types that are compared or put together: whether they differ, and what is said of it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from tools.tables import plain_value

if TYPE_CHECKING:
    import pandas as pd

_CELL_CHARS = 40


def kind_of(column: pd.Series[Any]) -> str:
    """number, text, boolean, time or another type of its cells; empty where no cell has a value."""
    import pandas as pd

    from data.profiles import stored_type

    if not column.notna().any():
        return ""
    stored = stored_type(column)
    if stored in ("bool", "boolean"):
        return "boolean"
    return "number" if pd.api.types.is_numeric_dtype(column) or stored in _NUMBERS else stored


_NUMBERS = frozenset({"int64", "float64", "decimal", "mixed-integer-float"})
"""What cells without one type of their own may all be."""


def type_said(column: pd.Series[Any]) -> str:
    """A column's type with one of its values: `text (such as '001')`."""
    from data.profiles import stored_type

    value = plain_value(column.dropna().iloc[0])
    shown = repr(value) if isinstance(value, str) else str(value)
    return f"{stored_type(column)} (such as {shown[:_CELL_CHARS]})"


def differ(one: pd.Series[Any], other: pd.Series[Any]) -> bool:
    """Whether two columns hold values of different kinds; one without any value differs from none."""
    kinds = {kind_of(one), kind_of(other)} - {""}
    return len(kinds) > 1


def how_alike(one: pd.Series[Any], other: pd.Series[Any], where: tuple[str, str]) -> str:
    """The sentence about how two columns of different kinds become alike; `where` names their tables."""
    columns = list(zip((one, other), where, strict=True))
    texts = [each for each in columns if kind_of(each[0]) == "text"]
    if not texts:
        column, table = columns[1]
        return f"{_call(column, table, 'text')} and {_call(*columns[0], 'text')} make texts of both."
    (text, table), plain = texts[0], next(each for each in columns if kind_of(each[0]) != "text")
    wanted = kind_of(plain[0])
    if wanted == "number" and (unread := _no_number(text)) is not None:
        said = f"Not all of {text.name} are numbers ({unread[:_CELL_CHARS]!r} is none), so only texts fit all"
        return f"{said}: {_call(*plain, 'text')}."
    if wanted not in _TYPES:
        return f"{_call(*plain, 'text')} makes texts of both."
    kind = number_kind(text) if wanted == "number" else wanted
    return f"{_call(text, table, kind)} makes {_TYPES[wanted]} of both."


_TYPES = {"number": "numbers", "boolean": "truths", "time": "times", "date": "dates"}


def _call(column: pd.Series[Any], table: str, kind: str) -> str:
    types = json.dumps({str(column.name): kind}, ensure_ascii=False)
    named = table if table.replace("-", "_").isidentifier() else json.dumps(table, ensure_ascii=False)
    return f"edit_columns table={named} types={types}"


def _no_number(column: pd.Series[Any]) -> str | None:
    """A cell of a column of texts that is no number; None where all are."""
    from data.numbers import numbers_of

    found = numbers_of(column)
    return found.first_unread if found.unread else None


def number_kind(column: pd.Series[Any]) -> str:
    """The type that numbers which are stored as text fit: integer where all are whole, else number."""
    from data.numbers import numbers_of

    values = numbers_of(column).values
    return "integer" if (values[values == values] % 1 == 0).all() else "number"

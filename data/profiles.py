"""What the columns of a table hold: the type they are stored as, what they mean, and what is in them."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

from data.numbers import numbers_of

if TYPE_CHECKING:
    import pandas as pd

MAX_COLUMNS = 60
"""Of a table with more columns, the first so many are looked into."""
MAX_SAID = 12
_JUDGED = 1_000
"""What a column of text means is judged by so many of its different values."""
_SAMPLES = 3
_CELL_CHARS = 40


def profiles_of(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """A profile of each column, plain JSON: name, stored, meant, nulls, distinct, least, most, samples.

    `meant` is what a column of text means where that is something else: numbers, or times, and how they are
    written; null otherwise.
    """
    return [_profile(str(name), frame[name]) for name in frame.columns[:MAX_COLUMNS]]


def columns_said(profiles: list[dict[str, Any]], count: int) -> str:
    """`Its columns: crop text, surface text (numbers with a decimal comma), n int64 (2 without a value).`"""
    parts = []
    for each in profiles[:MAX_SAID]:
        more = [each["meant"]] if each["meant"] else []
        if each["nulls"]:
            more.append(f"{each['nulls']:,} without a value")
        parts.append(f"{each['name'][:40]} {each['stored']}" + (f" ({'; '.join(more)})" if more else ""))
    left = f" and {count - MAX_SAID} more" if count > MAX_SAID else ""
    return f"Its columns: {', '.join(parts)}{left}." if parts else ""


def _profile(name: str, column: pd.Series[Any]) -> dict[str, Any]:
    there = column.dropna()
    stored = stored_type(column)
    if stored in NESTED:
        there = there.map(nested_text)
    try:
        different = there.drop_duplicates()
    except TypeError:  # cells of several kinds
        different = there.astype(str).drop_duplicates()
    meant = _meant(different) if stored == "text" and len(different) else None
    least, most = (None, None) if stored in NESTED else _ends(different, meant)
    return {
        "name": name,
        "stored": stored,
        "meant": meant,
        "nulls": int(len(column) - len(there)),
        "distinct": len(different),
        "least": least,
        "most": most,
        "samples": [_plain(each) for each in different.head(_SAMPLES)],
    }


def stored_type(column: pd.Series[Any]) -> str:
    """`int64`, `float64`, `bool`, `text`, `date`, `time`, `list`, `object`: members with names, as in JSON.

    The name that pandas has for any other.
    """
    import pandas as pd

    if pd.api.types.is_datetime64_any_dtype(column):
        return "time"
    if pd.api.types.is_object_dtype(column) or pd.api.types.is_string_dtype(column):
        kind = pd.api.types.infer_dtype(column, skipna=True)
        return _OF_CELLS.get(_first_type(column), kind) if kind == "mixed" else _INFERRED.get(kind, kind)
    # Int64 is int64 with gaps.
    return str(column.dtype).lower()


def nested_text(value: Any) -> str:
    """A list or an object as JSON."""
    plain = value.tolist() if hasattr(value, "tolist") else value
    return json.dumps(plain, ensure_ascii=False, default=_in_json)


def _in_json(value: Any) -> Any:
    return value.tolist() if hasattr(value, "tolist") else str(value)


def holds_times(column: pd.Series[Any]) -> bool:
    """Whether a column's cells are days or times, and not texts that mean some."""
    return stored_type(column) in ("date", "time")


_INFERRED = {
    "string": "text", "empty": "text", "integer": "int64", "floating": "float64", "boolean": "bool",
    "datetime": "time",
}  # fmt: skip
"""What pandas finds in a column of objects, by its word."""
_OF_CELLS = {"list": "list", "ndarray": "list", "dict": "object"}
NESTED = frozenset(_OF_CELLS.values())
"""Stored types whose cells have parts of their own, and no order."""


def _first_type(column: pd.Series[Any]) -> str:
    first = column.dropna().iloc[:1].tolist()
    return type(first[0]).__name__ if first else ""


def _meant(different: pd.Series[Any]) -> str | None:
    """What texts mean, all of them; None where they are texts."""
    if all(str(each).lstrip()[:1] in ("{", "[") and _is_json(str(each)) for each in different):
        return "JSON"
    from data.readers.dates import ColumnTimes  # beside the readers, which a list of tools does without

    step = max(1, len(different) // _JUDGED)
    judged = different.iloc[::step].head(_JUDGED)
    numbers = numbers_of(judged)
    if not numbers.unread and not any(math.isnan(each) for each in numbers.values):
        return f"numbers{numbers.how}"
    times = ColumnTimes()
    times.read([str(each) for each in judged])
    return None if times.unread else f"times{times.how}"


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _ends(different: pd.Series[Any], meant: str | None) -> tuple[Any, Any]:
    """The least and the most: of texts that mean numbers by these, as they are written."""
    if meant is not None and meant.startswith("numbers"):
        order = numbers_of(different).values
        ends = different.iloc[[int(order.argmin()), int(order.argmax())]] if len(order) else different
        return str(ends.iloc[0])[:_CELL_CHARS], str(ends.iloc[1])[:_CELL_CHARS]
    try:
        return (_plain(different.min()), _plain(different.max())) if len(different) else (None, None)
    except (TypeError, ValueError):  # cells of several kinds, and lists, have no order
        return None, None


def _plain(value: Any) -> Any:
    if getattr(value, "ndim", None) == 0:
        value = value.item()
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, int):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if hasattr(value, "isoformat"):
        return value.isoformat()
    return str(value)[:_CELL_CHARS]

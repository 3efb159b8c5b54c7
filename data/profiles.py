"""What the columns of a table hold: the type they are stored as, what they mean, and what is in them."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

from data.numbers import numbers_of
from data.written import forms_of, ordered_as_text, written

if TYPE_CHECKING:
    import pandas as pd

MAX_COLUMNS = 60
"""Of a table with more columns, the first so many are looked into."""
MAX_SAID = 12
_JUDGED = 1_000
"""What a column of text means is judged by so many of its different values."""
_MOST_TIMES = 200_000
"""The least and the most time are looked for among so many different texts, at most."""
_SAMPLES = 3
_CELL_CHARS = 40


def profiles_of(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """A profile of each column, plain JSON: name, stored, meant, nulls, blank, distinct, alike, forms, least,
    most, samples.

    `meant` is what a column of text means where that is something else: numbers, or times, and how they are
    written; null otherwise. `blank` counts texts that are empty or white space, which no other member counts.
    `alike` is how many differ without case and blanks, null where these make no difference. `forms` has how
    often each form of writing comes (`data.written.forms_of`).
    """
    return [_profile(str(name), frame[name]) for name in frame.columns[:MAX_COLUMNS]]


def columns_said(profiles: list[dict[str, Any]], count: int) -> str:
    """`Its columns: crop text, surface text (numbers with a decimal comma), n int64 (2 without a value).`"""
    parts = []
    for each in profiles[:MAX_SAID]:
        more = [each["meant"]] if each["meant"] else []
        more += [missing] if (missing := missing_said(each)) else []
        parts.append(f"{each['name'][:40]} {each['stored']}" + (f" ({'; '.join(more)})" if more else ""))
    left = f" and {count - MAX_SAID} more" if count > MAX_SAID else ""
    return f"Its columns: {', '.join(parts)}{left}." if parts else ""


def missing_said(profile: dict[str, Any]) -> str:
    """`3 without a value, 2 blank`; empty where each cell has a value."""
    counted = ((profile["nulls"], "without a value"), (profile["blank"], "blank"))
    return ", ".join(f"{count:,} {words}" for count, words in counted if count)


def _profile(name: str, column: pd.Series[Any]) -> dict[str, Any]:
    there = column.dropna()
    stored = stored_type(column)
    told = {"name": name, "stored": stored, "meant": None, "nulls": int(len(column) - len(there)), "blank": 0}
    if stored == "text":
        return told | _of_texts(there)
    if stored in NESTED:
        there = there.map(nested_text)
    try:
        different = there.drop_duplicates()
    except TypeError:  # cells of several kinds
        different = there.astype(str).drop_duplicates()
    ends = (None, None) if stored in NESTED else _ends(different)
    return (
        told | {"distinct": len(different), "alike": None, "forms": {}} | _ends_and_samples(different, ends)
    )


def _of_texts(there: pd.Series[Any]) -> dict[str, Any]:
    """What is told of a column of text beside its name: blank texts are counted, and left out of the rest."""
    texts = written(there)
    different = texts.different
    meant = _meant(different) if len(different) else None
    numbers = meant is not None and meant.startswith("numbers")
    return {
        "meant": meant,
        "blank": texts.blank,
        "distinct": len(different),
        "alike": texts.alike if texts.alike < len(different) else None,
        "forms": {} if meant == "JSON" else forms_of(texts, numbers=numbers),
    } | _ends_and_samples(different, _ends_of_texts(different, meant))


def _ends_and_samples(different: pd.Series[Any], ends: tuple[Any, Any]) -> dict[str, Any]:
    samples = [_plain(each) for each in different.head(_SAMPLES)]
    return {"least": ends[0], "most": ends[1], "samples": samples}


def stored_type(column: pd.Series[Any]) -> str:
    """`int64`, `float64`, `bool`, `text`, `date`, `time`, `list`, `object`: members with names, as in JSON.

    The name that pandas has for any other.
    """
    import pandas as pd

    if pd.api.types.is_datetime64_any_dtype(column):
        return "time"
    if isinstance(column.dtype, pd.StringDtype):  # without a look at each cell
        return "text"
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


def _ends_of_texts(different: pd.Series[Any], meant: str | None) -> tuple[Any, Any]:
    """The least and the most: of texts that mean numbers or times by these, as they are written."""
    if meant is None or not len(different):
        return _ends(different)
    if meant.startswith("numbers"):
        values = numbers_of(different).values
        ends = different.iloc[[int(values.argmin()), int(values.argmax())]].tolist()
    elif meant.startswith("times"):
        ends = _ends_in_time(different)
    else:  # JSON has no order
        ends = []
    return (str(ends[0])[:_CELL_CHARS], str(ends[1])[:_CELL_CHARS]) if ends else (None, None)


def _ends_in_time(different: pd.Series[Any]) -> list[str]:
    """The texts of the first time and of the last; nothing where too many would have to be read."""
    if ordered_as_text(different):
        return [different.min(), different.max()]
    if len(different) > _MOST_TIMES:
        return []
    from data.readers.dates import ColumnTimes

    texts = [str(each) for each in different]
    read = zip(ColumnTimes().read(texts), texts, strict=True)
    order = sorted((moment, text) for moment, text in read if moment is not None)
    return [order[0][1], order[-1][1]] if order else []


def _ends(different: pd.Series[Any]) -> tuple[Any, Any]:
    """The least and the most."""
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

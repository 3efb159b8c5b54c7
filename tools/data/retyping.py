"""Columns in another type: what cannot be converted has no value, is counted and told."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING, Any

from data.numbers import numbers_of
from tools.phrases import listed, number_of
from tools.tables import plain_value

if TYPE_CHECKING:
    import pyarrow as pa

TYPES = ("text", "integer", "number", "boolean", "date", "time")
_TRUE = frozenset({"true", "t", "yes", "y", "1", "on"})
_FALSE = frozenset({"false", "f", "no", "n", "0", "off"})
_ZONED = re.compile(r"[T ]\d{1,2}:?\d{2}(?:[:.\d]*)\s*(?:Z|[+-]\d{2}(?::?\d{2})?)\s*$", re.IGNORECASE)
"""A time of day with its zone, which readers bring into UTC."""
_SHOWN = 3
_LEAST, _MOST = -(2**63), 2**63 - 1


def type_word(kind: pa.DataType) -> str:
    """What a column's type is called."""
    import pyarrow as pa

    ways: tuple[tuple[Callable[[Any], bool], str], ...] = (
        (pa.types.is_string, "text"),
        (pa.types.is_integer, "integer"),
        (pa.types.is_floating, "number"),
        (pa.types.is_decimal, "number"),
        (pa.types.is_boolean, "boolean"),
        (pa.types.is_date, "date"),
        (pa.types.is_timestamp, "time"),
        (lambda each: pa.types.is_struct(each) or pa.types.is_map(each), "object"),
        (pa.types.is_nested, "list"),
        (pa.types.is_binary, "bytes"),
    )
    return next((word for fits, word in ways if fits(kind)), str(kind))


def retyped(column: pa.ChunkedArray, kind: str, name: str) -> tuple[pa.ChunkedArray, str]:
    """(the column in that type, what to say of what was lost or how it was read; empty for nothing).

    Each different value is looked at once. A type that the column has already leaves it as it is.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    if type_word(column.type) == kind:
        return column, ""
    if pa.types.is_nested(column.type) or pa.types.is_binary(column.type):
        texts = [None if each is None else _nested(each) for each in column.to_pylist()]
        column = pa.chunked_array([pa.array(texts, pa.string())])
        if kind == "text":
            return column, ""
    coded = column.combine_chunks().dictionary_encode()
    coded = coded.combine_chunks() if isinstance(coded, pa.ChunkedArray) else coded
    values = coded.dictionary.to_pylist()
    made, how = _converted(values, kind, name)
    found = pa.array(made, _arrow_type(kind, made)).take(coded.indices)
    lost = int(found.null_count - column.null_count)
    blank = [each for each in values if isinstance(each, str) and not each.strip()]
    wrong = [each for each, new in zip(values, made, strict=True) if new is None and each not in blank]
    if lost:
        empty = int(pc.sum(pc.is_in(column, pa.array(blank, column.type))).as_py() or 0) if blank else 0
        examples = listed([repr(plain_value(each))[:40] for each in wrong[:_SHOWN]])
        count = number_of(lost - empty, "value")
        how += f"; {count} could not be converted and became null, such as {examples}" if wrong else ""
        how += f"; {number_of(empty, 'blank')} became null" if empty else ""
    return pa.chunked_array([found]), how


def _converted(values: Sequence[Any], kind: str, name: str) -> tuple[list[Any], str]:
    if kind == "text":
        whole = all(isinstance(each, float) and each.is_integer() for each in values if each is not None)
        return [_text(each, whole) for each in values], ""
    if kind == "boolean":
        return [_truth(each) for each in values], ""
    if kind in ("date", "time"):
        return _moments(values, kind)
    made, how = _numbers(values)
    return ([_whole(each) for each in made] if kind == "integer" else [_real(each) for each in made]), how


def _arrow_type(kind: str, made: Sequence[Any]) -> pa.DataType:
    import pyarrow as pa

    if kind == "time":
        zoned = any(each is not None and each.tzinfo is not None for each in made)
        return pa.timestamp("us", "UTC") if zoned else pa.timestamp("us")
    return {
        "text": pa.string(),
        "integer": pa.int64(),
        "number": pa.float64(),
        "boolean": pa.bool_(),
        "date": pa.date32(),
    }[kind]


def _text(value: Any, whole: bool) -> str | None:
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return str(int(value)) if whole else repr(value)
    return value.isoformat() if isinstance(value, (date, datetime)) else str(value)


def _truth(value: Any) -> bool | None:
    if value is None or isinstance(value, bool):
        return value
    said = str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)
    said = said.strip().casefold()
    return True if said in _TRUE else False if said in _FALSE else None


def _numbers(values: Sequence[Any]) -> tuple[list[Any], str]:
    """Whole numbers as they are, others as floats; texts as the column writes its numbers."""
    import pandas as pd

    made: list[Any] = [None] * len(values)
    rest: list[int] = []
    for at, each in enumerate(values):
        if isinstance(each, str):
            made[at] = _plain_number(each)
            if made[at] is None and each.strip():
                rest.append(at)
        elif isinstance(each, (bool, int, float)):
            made[at] = each
        elif each is not None and hasattr(each, "as_tuple"):  # a decimal
            made[at] = int(each) if each == int(each) else float(each)
    if not rest:
        return made, ""
    texts = [each for each in values if isinstance(each, str)]
    found = numbers_of(pd.Series([*texts], dtype="str"))
    read = dict(zip(texts, found.values, strict=True))
    for at in rest:
        value = float(read[values[at]])
        made[at] = None if value != value else value
    return made, found.how and f", read{found.how}"


def _plain_number(text: str) -> int | float | None:
    plain = text.strip()
    if not plain.isascii() or "_" in plain:
        return None
    for read in (int, float):
        try:
            value = read(plain)
        except ValueError:
            continue
        return value if isinstance(value, int) or abs(value) < float("inf") else None
    return None


def _whole(value: Any) -> int | None:
    if value is None or (isinstance(value, float) and not value.is_integer()):
        return None
    return int(value) if _LEAST <= int(value) <= _MOST else None


def _real(value: Any) -> float | None:
    try:
        return None if value is None else float(value)
    except OverflowError:
        return None


def _moments(values: Sequence[Any], kind: str) -> tuple[list[Any], str]:
    """Days or times; texts as the column writes them, with times in UTC where one names its zone."""
    from data.readers.dates import ColumnTimes

    reader = ColumnTimes()
    texts = [
        str(each) for each in values if isinstance(each, (str, int, float)) and not isinstance(each, bool)
    ]
    read = {
        text: moment.replace(tzinfo=UTC) if isinstance(moment, datetime) and _ZONED.search(text) else moment
        for text, moment in zip(texts, reader.read(texts), strict=True)
    }
    made = [read.get(str(each)) if isinstance(each, (str, int, float)) else each for each in values]
    made = [each if isinstance(each, (date, datetime)) else None for each in made]
    how = reader.how and f", read{reader.how}"
    if kind == "date":
        return [each.date() if isinstance(each, datetime) else each for each in made], how
    zoned = any(isinstance(each, datetime) and each.tzinfo is not None for each in made)
    return [None if each is None else _moment(each, zoned) for each in made], how


def _moment(value: date | datetime, zoned: bool) -> datetime:
    whole = value if isinstance(value, datetime) else datetime(value.year, value.month, value.day)
    if not zoned:
        return whole
    return whole.astimezone(UTC) if whole.tzinfo else whole.replace(tzinfo=UTC)


def _nested(value: Any) -> str:
    plain = plain_value(value)
    return plain if isinstance(plain, str) else json.dumps(plain, ensure_ascii=False)

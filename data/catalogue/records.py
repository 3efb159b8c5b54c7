"""Values out of an engine as plain Python ones."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any

import pandas as pd

from data.profiles import nested_text


def plain(value: Any) -> Any:
    """A database value as plain data: times as datetime, bytes as bytes."""
    if isinstance(value, pd.Timestamp):
        return value.to_pydatetime()
    if isinstance(value, bytearray | memoryview):
        return bytes(value)
    return value


def properties_of(value: Any) -> dict[str, Any]:
    """The `properties` column as a dict, whether the engine gave text or parsed it."""
    if not value:
        return {}
    parsed = json.loads(value) if isinstance(value, str) else value
    return dict(parsed)


def value_text(value: Any) -> str:
    """A grouping value as the label people read: 3.0 is "3"."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
    if isinstance(value, datetime):
        return value.isoformat(sep=" ")
    return nested_text(value) if isinstance(value, dict | list) or hasattr(value, "tolist") else str(value)

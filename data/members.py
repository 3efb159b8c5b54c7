"""What objects and lists hold, in cells or in a JSON: the path of each member, its types, and a sample."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal
from itertools import islice
from typing import Any

MAX_PATHS = 30
MAX_LOOKED_AT = 1_000
"""So many values are looked into; of a list in one, so many elements."""
_MOST_PATHS = 1_000
"""Beyond so many, no further path is counted."""
_DEEPEST = 12
_SAMPLE_CHARS = 40
_KEY_CHARS = 60
_CONTAINERS = frozenset({"object", "list"})


@dataclass
class _Member:
    types: dict[str, None] = field(default_factory=dict)
    sample: Any = None


@dataclass(frozen=True)
class Members:
    """The members of values."""

    told: list[dict[str, Any]]
    """`{"path": "info.name", "types": ["text"], "sample": "Fonte"}`, `MAX_PATHS` at most.

    `tags[]` is the path of a list's elements.
    """
    left: int
    """Paths that are not told."""


def members_of(values: Iterable[Any]) -> Members:
    """The members of the first `MAX_LOOKED_AT` of objects and lists, by the path that leads to them."""
    found: dict[str, _Member] = {}
    for value in islice(values, MAX_LOOKED_AT):
        _look("", value, found, 0)
    # What has members of its own is told by these, unless it is also something else.
    plain = {path: each for path, each in found.items() if not _is_way(path, each, found)}
    told = [
        {"path": path, "types": list(each.types), "sample": each.sample}
        for path, each in islice(plain.items(), MAX_PATHS)
    ]
    return Members(told, len(plain) - len(told))


def members_said(members: Members) -> str:
    """`info.name text 'Fonte', taps integer or text 2 and 3 more`; empty without any."""
    return said_of(members.told, members.left)


def said_of(told: list[dict[str, Any]], left: int) -> str:
    """The same, of what was told as plain JSON."""
    parts = []
    for each in told:
        words = " or ".join(each["types"])
        sample = "" if each["sample"] is None else f" {each['sample']!r}"
        parts.append(f"{each['path']} {words}{sample}".lstrip())
    return ", ".join(parts) + (f" and {left:,} more" if left else "")


def json_type(value: Any) -> str:
    """`text`, `integer`, `number`, `boolean`, `null`, `object`, `list`; `date` and `time` of typed files."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return "null"
    for kinds, word in _WORDS:
        if isinstance(value, kinds):
            return word
    return type(value).__name__


_WORDS: tuple[tuple[type | tuple[type, ...], str], ...] = (
    (bool, "boolean"), (int, "integer"), ((float, Decimal), "number"), (str, "text"), (dict, "object"),
    ((list, tuple), "list"), (datetime, "time"), (date, "date"), ((bytes, bytearray), "bytes"),
)  # fmt: skip


def _look(path: str, value: Any, found: dict[str, _Member], depth: int) -> None:
    if hasattr(value, "tolist"):  # numpy's
        value = value.tolist()
    if path not in found and len(found) >= _MOST_PATHS:
        return
    word, member = json_type(value), found.setdefault(path, _Member())
    member.types[word] = None
    if word not in _CONTAINERS:
        member.sample = _short(value) if member.sample is None else member.sample
    elif depth < _DEEPEST:
        inner = _inside(path, value) if word == "object" else ((f"{path}[]", each) for each in value)
        for way, each in islice(inner, MAX_LOOKED_AT):
            _look(way, each, found, depth + 1)


def _inside(path: str, value: dict[Any, Any]) -> Iterable[tuple[str, Any]]:
    for key, each in value.items():
        name = " ".join(str(key).split())[:_KEY_CHARS]
        yield f"{path}.{name}" if path else name, each


def _is_way(path: str, member: _Member, found: dict[str, _Member]) -> bool:
    """Whether a path only leads to others."""
    if len(member.types) != 1 or not _CONTAINERS.issuperset(member.types):
        return False
    ahead = "" if not path else f"{path}[]" if "list" in member.types else f"{path}."
    return any(each != path and each.startswith(ahead) for each in found)


def _short(value: Any) -> Any:
    if isinstance(value, (bytes, bytearray)):
        return f"{len(value)} bytes"
    if value is None or isinstance(value, (bool, int, float)):
        return None if isinstance(value, float) and not math.isfinite(value) else value
    text = " ".join(str(value).split())
    return text if len(text) <= _SAMPLE_CHARS else f"{text[:_SAMPLE_CHARS]}…"

"""Taking values out of other people's records: the right type, or a reason why not."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

from data.readers.base import BadRecord, Item, JsonValue, Rejected
from data.readers.files import head, relative, walk


def as_dict(value: Any, what: str) -> dict[str, Any]:
    """`value` as an object; BadRecord names `what` otherwise."""
    if not isinstance(value, dict):
        raise BadRecord(f"{what} is missing or not an object")
    return value


def as_list(value: Any, what: str) -> list[Any]:
    """`value` as a list; BadRecord names `what` otherwise."""
    if not isinstance(value, list):
        raise BadRecord(f"{what} is missing or not a list")
    return value


def number(value: object) -> float | None:
    """A finite number, also when written as text; None otherwise."""
    if isinstance(value, bool) or value is None:
        return None
    try:
        found = float(str(value).strip())
    except ValueError:
        return None
    return found if math.isfinite(found) else None


def whole(value: object) -> int | None:
    """A whole number, also when written as text; None otherwise."""
    found = number(value)
    return int(found) if found is not None and abs(found) < 2**31 else None


def text(value: object) -> str | None:
    """Text without its blank ends; None for nothing."""
    found = "" if value is None else str(value).strip()
    return found or None


def plain(record: Mapping[str, Any], without: Iterable[str] = ()) -> dict[str, JsonValue]:
    """The plain values of a record, for an image's properties."""
    left_out = set(without)
    return {
        key: value
        for key, value in record.items()
        if key not in left_out
        and isinstance(value, str | int | float | bool)
        and not (isinstance(value, float) and not math.isfinite(value))
    }


def each_file(
    source: Path, suffixes: frozenset[str], parse: Callable[[Path, str], Iterable[Item]]
) -> Iterator[Item]:
    """What `parse` makes of every file of these kinds; a file that it cannot use is rejected."""
    for path in walk(source, suffixes if source.is_dir() else None):
        file = relative(path, source)
        try:
            yield from parse(path, file)
        except BadRecord as error:
            yield Rejected(file, None, str(error))


def heads(source: Path, suffixes: frozenset[str], count: int = 5) -> list[str]:
    """The beginnings of the first files of these kinds, for sniffing."""
    if source.is_file():
        return [head(source)] if source.suffix.lower() in suffixes else []
    # A label folder may lie behind tens of thousands of images, but not behind more.
    near = islice(walk(source), 20_000)
    return [head(path) for path in islice((path for path in near if path.suffix.lower() in suffixes), count)]

"""What of a folder is of another format than the one it is read as: said, and not dropped in silence."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from data.readers import detect
from data.readers.base import Reader, Rejected, UnreadableSource
from data.readers.files import VECTOR_SUFFIXES

_MOST = 1000
"""Of a folder with more entries than this, the first are looked at."""
_COMPANIONS = frozenset({"rasters"})
"""Formats that label files refer to: beside labels they are part of the same data."""


def left_out(source: Path, reader: Reader) -> Iterator[Rejected]:
    """The files and subfolders right under `source` that another reader is for."""
    if not source.is_dir():
        return
    for entry in islice(sorted(source.iterdir()), _MOST):
        if entry.name.startswith(".") or entry.is_symlink():
            continue
        if not entry.is_dir() and entry.suffix.lower() not in VECTOR_SUFFIXES:
            continue
        other = _reader_of(entry)
        if other is not None and other.name != reader.name and other.name not in _COMPANIONS:
            reason = f"it is {other.title}, and the folder is read as {reader.title}; ingest it by itself"
            yield Rejected(entry.name, None, reason)


def _reader_of(entry: Path) -> Reader | None:
    try:
        return detect(entry)
    except (UnreadableSource, OSError):
        return None

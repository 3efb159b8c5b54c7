"""The columns of tables and layers, read from the heads of their files."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from state.model import Artifact
from tools.tables import OUTLINES

WITH_ROWS = frozenset({"table", "vector", "detections"})
"""Kinds of artifacts that have rows."""
_UNREAD = frozenset({OUTLINES, "geometry", "bbox"})
"""Shapes: no cells that people read."""


def columns_of(
    artifacts: Iterable[Artifact], find: Callable[[str], Path | None]
) -> Mapping[str, tuple[str, ...]]:
    """The columns of each artifact that has rows, by its id; `find` gives the file of an id.

    One whose file is gone or unreadable has none.
    """
    found = ((each.id, find(each.id)) for each in artifacts if each.kind in WITH_ROWS)
    return {each: _columns(path) for each, path in found if path is not None and path.suffix == ".parquet"}


def _columns(path: Path) -> tuple[str, ...]:
    try:
        names = pq.read_schema(path).names
    except (OSError, pa.ArrowInvalid):
        return ()
    return tuple(name for name in names if name not in _UNREAD)

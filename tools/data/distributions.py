"""The values of a column over the whole selection, counted in SQL: a million rows are a few hundred values.

Sums, means and histograms are made from these counts, so no row leaves the catalogue.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pandas as pd

from data.catalogue.base import Attribute, Selection
from tools.base import ToolError, World
from tools.data.source import MAX_ROWS, UNKNOWN
from tools.database.dates import day_of

MAX_PARTS = 300
"""Of more groups than this, the rows themselves are read."""


def value_counts(selection: Selection, world: World, field: str) -> Counter[str]:
    """How often each value of a field comes; a missing one under "unknown"."""
    return Counter(dict(world.catalogue.count_by(selection, field, "images", MAX_ROWS)))


def numbers_of(counts: Counter[str], field: str) -> pd.Series[float]:
    """Counted values as numbers, rising, missing ones left out. Raises ToolError when they are words."""
    try:
        pairs = sorted(
            (float(value), count) for value, count in counts.items() if value != UNKNOWN and count > 0
        )
    except ValueError:
        message = f"{field} holds no numbers; choose a column of numbers, such as gsd_m or detections."
        raise ToolError(message) from None
    if not pairs and counts:
        raise ToolError(f"{field} holds nothing but missing values in this selection; choose another column.")
    return pd.Series(np.repeat([value for value, _ in pairs], [count for _, count in pairs]), dtype=float)


def counts_by(
    selection: Selection, world: World, field: str, key: str
) -> Iterator[tuple[str, Counter[str]]] | None:
    """(group, counts of the field in it); None when the groups cannot be asked for one by one."""
    labels = [label for label, _ in world.catalogue.count_by(selection, key, "images", MAX_PARTS + 1)]
    if len(labels) > MAX_PARTS or key == "season":
        return None
    return _each(selection, world, field, key, labels)


def _each(
    selection: Selection, world: World, field: str, key: str, labels: list[str]
) -> Iterator[tuple[str, Counter[str]]]:
    seen: Counter[str] = Counter()
    for label in labels:
        if label != UNKNOWN:
            counts = value_counts(_part(selection, key, label), world, field)
            seen += counts
            yield label, counts
    if UNKNOWN in labels:  # no comparison finds a missing value, so its part is what the others leave
        yield UNKNOWN, value_counts(selection, world, field) - seen


def _part(selection: Selection, key: str, label: str) -> Selection:
    if key == "dataset":
        return replace(selection, datasets=(label,))
    if key in ("year", "month", "day"):
        first, last = day_of(label, last=False).isoformat(), day_of(label, last=True).isoformat()
        start, end = max(first, selection.start or first), min(last, selection.end or last)
        return replace(selection, start=start, end=end)
    return replace(selection, attributes=(*selection.attributes, Attribute(key, "=", label)))

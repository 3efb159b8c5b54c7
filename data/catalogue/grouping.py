"""What rows can be counted by: columns and properties, and the keys derived from them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from data.catalogue.base import Bbox, Selection
from data.catalogue.compile import selected_class_ids
from data.catalogue.dialect import Dialect, Params
from data.catalogue.fields import field_expr
from data.catalogue.geo import bbox_sql
from data.catalogue.records import value_text
from data.schema import CLASS_BITS_PER_WORD, DatasetInfo

DERIVED = ("year", "month", "day", "season", "gsd", "cloud")
UNKNOWN = "unknown"
_PATTERNS = {"year": "YYYY", "month": "YYYY-MM", "day": "YYYY-MM-DD", "season": "MM"}
_GSD_EDGES_M = (0.5, 1.0, 5.0, 10.0, 30.0)
_CLOUD_BIN_PCT = 10


def key_sql(info: DatasetInfo, by: str, dialect: Dialect, params: Params) -> str:
    """The SQL of a grouping key; null where the data set has no such field."""
    if by in ("year", "month", "day"):
        return dialect.day_text("acquired", _PATTERNS[by])
    if by == "season":
        quarter = "CAST(floor((CAST(EXTRACT(MONTH FROM acquired) AS INTEGER) % 12) / 3) AS INTEGER)"
        return f"({quarter} + CASE WHEN lat < 0 THEN 2 ELSE 0 END) % 4"
    if by == "gsd":
        steps = "".join(f" WHEN gsd_m < {edge} THEN {i}" for i, edge in enumerate(_GSD_EDGES_M))
        return f"CASE WHEN gsd_m IS NULL THEN NULL{steps} ELSE {len(_GSD_EDGES_M)} END"
    if by == "cloud":
        last = 100 // _CLOUD_BIN_PCT - 1
        return f"CAST(least(floor(cloud_pct / {_CLOUD_BIN_PCT}), {last}) AS INTEGER)"
    expr = field_expr(info, by, dialect, params)
    return dialect.text("NULL") if expr is None else expr.sql


def label(by: str, value: Any) -> str:
    """A key's value as people read it: "summer", "0.5-1 m", "20-30 %"."""
    if value is None:
        return UNKNOWN
    if by == "season":
        return ("winter", "spring", "summer", "autumn")[int(value)]
    if by == "gsd":
        return _gsd_label(int(value))
    if by == "cloud":
        return f"{int(value) * _CLOUD_BIN_PCT}-{(int(value) + 1) * _CLOUD_BIN_PCT} %"
    return value_text(value)


def images_by_class(
    info: DatasetInfo, words: Iterable[tuple[Any, ...]], by: str, wanted: frozenset[int] | None
) -> dict[str, int]:
    """Images per class name or group word; an image counts once per label.

    `words` are rows of (count, word 0, word 1, …).
    """
    masks: dict[str, int] = {}
    for one in info.classes:
        if wanted is None or one.id in wanted:
            for name in (one.name,) if by == "class" else one.groups:
                masks[name] = masks.get(name, 0) | 1 << one.id
    counts = dict.fromkeys(masks, 0)
    for n, *parts in words:
        bits = sum((part or 0) << (i * CLASS_BITS_PER_WORD) for i, part in enumerate(parts))
        for name, mask in masks.items():
            if bits & mask:
                counts[name] += int(n)
    return {name: n for name, n in counts.items() if n}


def by_label(
    info: DatasetInfo, counts: dict[int, int], by: str, wanted: frozenset[int] | None
) -> dict[str, int]:
    """Counts per class id as counts per class name or group word."""
    found: dict[str, int] = {}
    for one in info.classes:
        n = counts.get(one.id, 0)
        if n and (wanted is None or one.id in wanted):
            for name in (one.name,) if by == "class" else one.groups:
                found[name] = found.get(name, 0) + n
    return found


def boxes_where(selection: Selection, info: DatasetInfo, bbox: Bbox | None, params: Params) -> str:
    """Conditions on detections: the selection's classes, and a box around their own centres."""
    found = []
    if selection.classes:
        ids = sorted(selected_class_ids(selection, info))
        found.append(f"class_id IN ({', '.join(params.add(i) for i in ids)})")
    if bbox is not None:
        found += bbox_sql(bbox, params)
    return " AND ".join(found) or "TRUE"


def _gsd_label(step: int) -> str:
    if step == 0:
        return f"under {_GSD_EDGES_M[0]:g} m"
    if step == len(_GSD_EDGES_M):
        return f"{_GSD_EDGES_M[-1]:g} m and more"
    return f"{_GSD_EDGES_M[step - 1]:g}-{_GSD_EDGES_M[step]:g} m"

"""What one layer or table is, as plain JSON: its columns and what is in them, its shapes, its first rows."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from data.members import MAX_LOOKED_AT, members_of
from data.profiles import NESTED, profiles_of
from tools.rows_said import system_said
from tools.tables import have_shapes, plain_rows, without_outlines

if TYPE_CHECKING:
    import geopandas as gpd
    import pandas as pd

SAMPLE_CHARS = 40
_ROWS = 3
_MOST_VALUES = 40
_SHOWN_INVALID = 3
_PLACE = re.compile(r"\[(\S+) (\S+)\]$")
"""Where a shape is invalid, as GEOS writes it behind its reason."""


def frame_told(name: str, handle: str, frame: pd.DataFrame) -> dict[str, Any]:
    """Its rows, columns and first rows, and its shapes where it has them."""
    table = without_outlines(frame)
    columns = [
        each | _values(table[each["name"]], each) | _members(table[each["name"]], each)
        for each in profiles_of(table)
    ]
    told: dict[str, Any] = {
        "id": handle,
        "name": name,
        "rows": len(frame),
        "columns": columns,
        "first": plain_rows(frame.head(_ROWS)),
    }
    if len(table.columns) > len(columns):
        told["columns_not_told"] = len(table.columns) - len(columns)
    return told | _shapes(frame) if have_shapes(frame) else told


def _values(column: pd.Series[Any], profile: dict[str, Any]) -> dict[str, Any]:
    """All values of a column of words with how often each comes, where they are few and come again."""
    few = profile["distinct"] <= _MOST_VALUES and profile["distinct"] < len(column) / 2
    if profile["stored"] != "text" or profile["meant"] or not few:
        return {}
    counts = column.value_counts(sort=True)
    return {"values": {str(value)[:SAMPLE_CHARS]: int(count) for value, count in counts.items()}}


def _members(column: pd.Series[Any], profile: dict[str, Any]) -> dict[str, Any]:
    """What the first objects and lists of a column hold, whether they are stored so or as JSON in texts."""
    if profile["stored"] not in NESTED and profile["meant"] != "JSON":
        return {}
    there = column.dropna()
    texts = (each for each in there if str(each).strip())
    found = members_of(map(json.loads, texts) if profile["meant"] == "JSON" else there)
    looked = {"members_of_the_first": MAX_LOOKED_AT} if len(there) > MAX_LOOKED_AT else {}
    return {"members": found.told, "members_not_told": found.left, **looked}


def _shapes(frame: gpd.GeoDataFrame) -> dict[str, Any]:
    shapes = frame.geometry
    there = shapes[~(shapes.isna() | shapes.is_empty)]
    kinds = there.geom_type.value_counts()
    return {
        "crs": system_said(frame.crs),
        "bounds": [float(each) for each in there.total_bounds] if len(there) else None,
        "geometry_types": {str(kind): int(count) for kind, count in sorted(kinds.items())},
        "without_shape": len(frame) - len(there),
        "with_heights": int(there.has_z.sum()),
    } | _invalid(shapes)


def _invalid(shapes: gpd.GeoSeries) -> dict[str, Any]:
    """How many shapes are invalid, and of the first the row (from 1) and the reason with its place."""
    import numpy as np
    import shapely

    rows = np.flatnonzero(~(shapely.is_valid(shapes.to_numpy()) | shapes.isna().to_numpy()))
    first = rows[:_SHOWN_INVALID]
    reasons = shapely.is_valid_reason(shapes.to_numpy()[first])
    told = [
        {"row": int(row) + 1, "reason": _PLACE.sub(r" at \1, \2", str(reason))}
        for row, reason in zip(first, reasons, strict=True)
    ]
    return {"invalid": len(rows), "invalid_rows": told}

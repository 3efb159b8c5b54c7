"""What the results panel has open: the rows of a table or of features, their columns, what is picked."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd
import pyarrow.parquet as pq
import shapely

from copilot.messages import t
from data.profiles import profiles_of
from state.model import Artifact, Layer, State
from tools.artifacts import FEATURES
from tools.base import ToolError, World
from tools.map.files import read_vector
from tools.map.picked import picked_row
from tools.rows import features_as_rows
from tools.tables import without_outlines

if TYPE_CHECKING:
    import geopandas as gpd

MOST_ROWS = 5000
"""How many rows the panel shows; what is sorted and narrowed are all of them."""
MOST_CHOICES = 50
"""A column of no more different values is narrowed by ticking some of them."""
_KEPT_BYTES = 64 * 1024 * 1024
_OUTLINE_PARTS = 2000
"""What is picked is drawn to a so manieth of its own size."""


@dataclass(frozen=True)
class Opened:
    """A table as the panel shows it; its index counts the rows from 1."""

    artifact: Artifact
    rows: pd.DataFrame
    crs: str = ""
    """The coordinate system of the features' file; empty of a table."""
    layer: Layer | None = None
    """The newest layer that shows the features."""

    @property
    def picked(self) -> int | None:
        return None if self.layer is None else picked_row(self.layer)


def kept_features(path: Path) -> gpd.GeoDataFrame:
    """The features of a file, those without a place too. They are kept for the next look: change nothing."""
    stat = path.stat()
    if stat.st_size > _KEPT_BYTES:
        return read_vector(path, keep_empty=True)
    return _read(path, stat.st_mtime_ns)


@lru_cache(maxsize=4)
def _read(path: Path, _changed: int) -> gpd.GeoDataFrame:
    return read_vector(path, keep_empty=True)


def opened(state: State, world: World, artifact: Artifact) -> Opened | None:
    """The rows of a table or of features; None where their file is gone."""
    path = world.artifacts.find(artifact.id)
    if path is None:
        return None
    if artifact.kind not in FEATURES:
        return Opened(artifact, _numbered(without_outlines(pd.read_parquet(path))))
    shown = [each for each in state.map.layers if each.artifact == artifact.id]
    rows = _attributes(path, path.stat().st_mtime_ns)
    return Opened(artifact, rows, crs_of(path), shown[-1] if shown else None)


@lru_cache(maxsize=4)
def _attributes(path: Path, _changed: int) -> pd.DataFrame:
    """Rows without geometry; of few also where each lies and how large it is."""
    frame = kept_features(path)
    if len(frame) <= MOST_ROWS:
        return _numbered(without_outlines(features_as_rows(frame)))
    return _numbered(pd.DataFrame(frame.drop(columns=frame.geometry.name)).rename(columns=str))


def _numbered(rows: pd.DataFrame) -> pd.DataFrame:
    return rows.set_axis(pd.RangeIndex(1, len(rows) + 1, name="row"), axis=0)


def crs_of(path: Path) -> str:
    """The stored coordinate system: `WGS 84 (EPSG:4326)`; empty where the file says none."""
    if path.suffix not in (".parquet", ".geoparquet"):
        return ""
    geo = json.loads((pq.read_schema(path).metadata or {}).get(b"geo", b"{}"))
    crs = geo.get("columns", {}).get(geo.get("primary_column"), {}).get("crs") or {}
    code = crs.get("id", {})
    named = str(crs.get("name", ""))
    return f"{named} ({code['authority']}:{code['code']})" if named and code else named


@dataclass(frozen=True)
class Narrowing:
    """Which rows are shown, and in what order."""

    column: str | None = None
    values: tuple[Any, ...] = ()
    """Of few different values: those that are kept."""
    least: float | None = None
    most: float | None = None
    words: str = ""
    sort_by: str | None = None
    descending: bool = False


def choices_of(column: pd.Series[Any]) -> list[Any] | tuple[float, float] | None:
    """What a column is narrowed by: its few values, its least and greatest number; None where by words."""
    there = column.dropna()
    try:
        different = there.unique().tolist()
    except TypeError:  # lists and the like
        return None
    if len(different) <= MOST_CHOICES:
        return sorted(different, key=_in_order)
    if pd.api.types.is_numeric_dtype(there) and not pd.api.types.is_bool_dtype(there):
        return float(there.min()), float(there.max())
    return None


def _in_order(value: Any) -> tuple[int, float, str]:
    """Numbers by size, then all else by how it is written."""
    return (0, float(value), "") if isinstance(value, int | float) else (1, 0.0, str(value))


def narrowed(rows: pd.DataFrame, by: Narrowing) -> pd.DataFrame:
    """The rows that are kept, in their order; they keep their numbers."""
    if by.column is not None and by.column in rows:
        column = rows[by.column]
        if by.values:
            rows = rows[column.isin(by.values)]
        elif by.least is not None and by.most is not None:
            rows = rows[column.between(by.least, by.most)]
        elif by.words:
            rows = rows[column.astype(str).str.contains(by.words, case=False, regex=False) & column.notna()]
    if by.sort_by is not None and by.sort_by in rows:
        try:
            rows = rows.sort_values(by.sort_by, ascending=not by.descending, kind="stable")
        except TypeError:  # cells of several kinds have no order
            key = rows[by.sort_by].astype(str)
            rows = rows.loc[key.sort_values(ascending=not by.descending, kind="stable").index]
    return rows


def statistics(rows: pd.DataFrame) -> pd.DataFrame:
    """A row for each column: its type, and how many values, which, from where to where."""
    found = []
    for each in profiles_of(rows):
        column = rows[each["name"]]
        counted = each["stored"] in ("int64", "float64")
        mean = float(pd.to_numeric(column, errors="coerce").mean()) if counted else None
        found.append(
            {
                t("Column"): each["name"],
                t("Type"): each["stored"] + (f" ({each['meant']})" if each["meant"] else ""),
                t("Without a value"): each["nulls"],
                t("Blank"): each["blank"],
                t("Different values"): each["distinct"],
                t("Least"): _cell(each["least"]),
                t("Most"): _cell(each["most"]),
                t("Mean"): mean,
            }
        )
    return pd.DataFrame(found)


def _cell(value: Any) -> str:
    return "" if value is None else f"{value:,.6g}" if isinstance(value, float) else str(value)


def picked_feature(state: State, world: World) -> dict[str, Any] | None:
    """Layer, number and shape of the feature that is picked, for the map to mark; None without one."""
    for layer in reversed(state.map.layers):
        row = picked_row(layer)
        path = world.artifacts.find(layer.artifact) if layer.artifact and layer.visible else None
        if row is None or path is None:
            continue
        try:
            frame = kept_features(path)
        except ToolError:  # the layer itself says so
            return None
        shape = frame.geometry.iloc[row - 1] if row <= len(frame) else None
        if shape is not None and not shape.is_empty:
            west, south, east, north = shape.bounds
            plain = shape.simplify(max(east - west, north - south) / _OUTLINE_PARTS)
            return {"layer": layer.id, "row": row, "geometry": shapely.geometry.mapping(plain)}
    return None

"""The rows that a handle stands for where a table is taken: a table, features as one, or a chart's values."""

from __future__ import annotations

import base64
import html
import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from state.model import Artifact, State
from tools.artifacts import FEATURES, artifact_file, named, newest_named
from tools.base import ToolError, World
from tools.map.files import in_degrees, stored_vector
from tools.noting import note
from tools.tables import MEASURED, RENAMED
from tools.vectors import DRAWINGS, vector_of

if TYPE_CHECKING:
    import geopandas as gpd

_SAME_DEG = 1e-6
LON, LAT, AREA, LENGTH = "lon", "lat", "area_m2", "length_m"
_SHOWN = ("labels", "text", "x", "values", "y", "lowerfence", "q1", "median", "mean", "q3", "upperfence")
"""What of a trace are values that are read off it."""
_TITLES = {"labels": "label", "values": "value", "text": "name", "lowerfence": "low", "upperfence": "high"}
"""What the columns are called; those of axes bear the axes' titles."""


def load_table(state: State, world: World, handle: str) -> pd.DataFrame:
    """The rows of a table, of features or of a chart, by its id or its name. Raises ToolError.

    Features come with their shapes, in the coordinate system that they are kept in, and with `lon` and `lat`
    of a point inside each, `area_m2` of polygons or `length_m` of lines on the WGS84 ellipsoid.
    """
    artifact = named(state, handle, "table", "figure", *FEATURES)
    if artifact is not None and artifact.kind == "table":
        return pd.read_parquet(artifact_file(state, world, artifact.id, "table"))
    if artifact is not None and artifact.kind in FEATURES:
        rows: pd.DataFrame = features_as_rows(_features(state, world, artifact))
        return rows
    if artifact is not None and artifact.kind == "figure":
        return _charted(artifact_file(state, world, artifact.id, "figure"))
    if artifact is None and _is_layer(state, handle):
        drawn: pd.DataFrame = features_as_rows(_of_layer(state, world, handle))
        return drawn
    raise ToolError(_no_table(state, world, handle))


def features_as_rows(frame: gpd.GeoDataFrame) -> gpd.GeoDataFrame:
    """Features as the rows of a table, with their shapes; what has no place has none there either.

    What is measured here is no column of theirs: `own_features` takes it away again.
    """
    from pandas.api.types import is_numeric_dtype  # which lists of tools do without

    from data.vector.measuring import areas_m2, lengths_m

    frame = frame.rename(columns=str).reset_index(drop=True)
    degrees = in_degrees(frame).geometry
    there = ~(degrees.isna() | degrees.is_empty)
    inside = degrees.where(there).representative_point()
    own = {str(name).casefold(): str(name) for name in frame.columns}
    spots = {LON: inside.x.to_numpy(float), LAT: inside.y.to_numpy(float)}
    placed = {LON, LAT} <= set(own) and all(is_numeric_dtype(frame[own[each]]) for each in (LON, LAT))
    if placed and (degrees[there].geom_type == "Point").all():  # signs may stand in a column of E and W
        placed = all(_agree(frame[own[each]], spots[each]) for each in (LON, LAT))
    rows, renamed = (frame.copy(), {}) if placed else _making_room(frame)
    measures: dict[str, Any] = {name: values for name, values in spots.items() if name not in rows}
    kinds = degrees[there].geom_type
    if kinds.str.contains("Polygon").any() and AREA not in own:
        measures[AREA] = np.round(areas_m2(degrees.where(there).to_numpy()), 3)
    elif kinds.str.contains("Line").any() and LENGTH not in own:
        measures[LENGTH] = np.round(lengths_m(degrees.where(there).to_numpy()), 3)
    rows = rows.assign(**measures)
    rows.attrs[MEASURED], rows.attrs[RENAMED] = tuple(measures), renamed
    return rows


def _agree(column: pd.Series[Any], measured: NDArray[np.float64]) -> bool:
    """Whether a column of degrees says where points lie."""
    values = column.to_numpy(float, na_value=np.nan)
    there = np.isfinite(values) & np.isfinite(measured)
    return bool(np.allclose(values[there], measured[there], rtol=0, atol=_SAME_DEG))


def _making_room(rows: gpd.GeoDataFrame) -> tuple[gpd.GeoDataFrame, dict[str, str]]:
    """Own columns called lon or lat under another name, which is said, since these are where a row lies."""
    own = [str(name) for name in rows.columns if str(name).casefold() in (LON, LAT)]
    free = {name: f"{name}_" for name in own}
    while set(free.values()) & set(rows.columns):
        free = {name: f"{other}_" for name, other in free.items()}
    for name, other in free.items():
        note(f"The column {name} is called {other} here, since lon and lat are where each row lies.")
    return rows.rename(columns=free), {other: name for name, other in free.items()}


def _features(state: State, world: World, artifact: Artifact) -> gpd.GeoDataFrame:
    """Features with those that have no place: detections in an image without coordinates have none."""
    path = world.artifacts.find(artifact.id)
    if path is None:
        raise ToolError(f"The file of {artifact.id} is gone; {artifact.made_by} makes it again.")
    return stored_vector(path)


def _is_layer(state: State, handle: str) -> bool:
    layer = state.layer(handle) or newest_named(state.map.layers, handle)
    return handle in (DRAWINGS, "drawing") or (layer is not None and layer.kind != "raster")


def _of_layer(state: State, world: World, handle: str) -> gpd.GeoDataFrame:
    layer = state.layer(handle) or newest_named(state.map.layers, handle)
    artifact = state.artifact(layer.artifact) if layer is not None and layer.artifact else None
    return vector_of(state, world, handle).frame if artifact is None else _features(state, world, artifact)


def _no_table(state: State, world: World, handle: str) -> str:
    """Why a handle is no table: the nearest there are, and for pixels what makes rows of them."""
    try:
        artifact_file(state, world, handle, "table")
    except ToolError as error:
        found = state.artifact(handle) or newest_named(state.artifacts, handle)
        rows = " zonal_stats and raster_sample make a table of pixels." if _is_raster(found) else ""
        return f"{error}{rows}"
    raise AssertionError(f"{handle} is a table")  # which was looked for first


def _is_raster(artifact: Artifact | None) -> bool:
    return artifact is not None and artifact.kind == "raster"


def _charted(path: Path) -> pd.DataFrame:
    """What a chart shows, a row a bar, a slice or a point; of several series with the name of each."""
    figure = json.loads(path.read_text(encoding="utf-8"))
    # What says nothing when it is pointed at is the ground of a map.
    traces = [each for each in figure.get("data", ()) if each.get("hoverinfo") != "skip"]
    parts = [_trace(each, figure.get("layout", {}), several=len(traces) > 1) for each in traces]
    found = [each for each in parts if len(each)]
    if not found:
        raise ToolError("The chart holds no values that could be rows of a table.")
    return pd.concat(found, ignore_index=True)


def _trace(trace: Mapping[str, Any], layout: Mapping[str, Any], *, several: bool) -> pd.DataFrame:
    columns = {key: values for key in _SHOWN if (values := _listed(trace.get(key))) is not None}
    most = max(map(len, columns.values()), default=0)
    rows = pd.DataFrame({_called(key, layout): each for key, each in columns.items() if len(each) == most})
    if several and len(rows):
        rows.insert(0, "series", _plain(trace.get("name")))
    return rows


def _listed(value: Any) -> list[Any] | None:
    """A trace's values, which Plotly may have packed; None where there are none."""
    if isinstance(value, Mapping) and "bdata" in value:
        found: list[Any] = np.frombuffer(base64.b64decode(value["bdata"]), value["dtype"]).tolist()
        return found
    return [_plain(each) for each in value] if isinstance(value, list) else None


def _called(key: str, layout: Mapping[str, Any]) -> str:
    """What a trace's values are called: by the title of their axis, where it has one."""
    title = layout.get(f"{key}axis", {}).get("title", {}) if key in ("x", "y") else {}
    return str(_plain(title.get("text")) or _TITLES.get(key, key))


def _plain(value: Any) -> Any:
    """A name as it was before the chart took it: Plotly reads a little HTML in texts."""
    return html.unescape(value) if isinstance(value, str) else value

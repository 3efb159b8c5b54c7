"""What of Natural Earth goes into the base map's tiles, and from which zoom on."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import geopandas as gpd
import numpy as np
import pandas as pd
import shapely
from numpy.typing import NDArray

from data.basemap.tiling import Shapes
from data.gazetteer import gazetteer

MAX_ZOOM = 6
"""Of the tiles. One is drawn 1024 pixels wide, so they are sharp to the map's zoom 8."""
DRAWN_LATER = 2
"""The map's zoom is this much more than its tiles'."""


def layers(folder: Path) -> dict[str, Shapes]:
    """The layers by name, in degrees. `folder` holds Natural Earth's files as GeoParquet."""

    def read(name: str) -> gpd.GeoDataFrame:
        return gpd.read_parquet(folder / f"ne_{name}.parquet")

    return {
        "land": _land(read),
        "deep": _deep(read),
        "glaciers": _areas([read("10m_glaciated_areas")]),
        "urban": _areas([read("50m_urban_areas")], later=0.5),
        "parks": _shapes(read("10m_parks_and_protected_lands_area"), 3),
        "playas": _areas([read("10m_playas")]),
        "lakes": _areas([read(f"10m_lakes{part}") for part in ("", "_north_america", "_europe")]),
        "rivers": _rivers(read),
        "reefs": _areas([read("10m_reefs")]),
        "rails": _rails(read("10m_railroads_north_america")),
        "states": _states(read("50m_admin_1_states_provinces_lines")),
        "borders": _borders(),
    }


def _shapes(rows: gpd.GeoDataFrame, since: Any, **facts: Any) -> Shapes:
    there = np.asarray(rows.geometry.notna() & ~rows.geometry.is_empty)
    firsts = np.broadcast_to(np.asarray(since), len(rows))[there]
    kept = {name: np.asarray(values)[there] for name, values in facts.items()}
    return Shapes(
        np.asarray(rows.geometry.values)[there], np.clip(firsts, 0, MAX_ZOOM).astype(np.int64), kept
    )


def _first(rows: gpd.GeoDataFrame, later: float = 0) -> NDArray[np.int64]:
    """The zoom of the first tile that shows a row, of Natural Earth's own."""
    zooms: NDArray[np.int64] = np.floor(rows["min_zoom"].fillna(9).to_numpy() + later - DRAWN_LATER).astype(
        np.int64
    )
    return zooms


def _areas(files: list[gpd.GeoDataFrame], later: float = 0) -> Shapes:
    rows = gpd.GeoDataFrame(pd.concat(files, ignore_index=True), crs=files[0].crs)
    return _shapes(rows, _first(rows, later), shown=np.ceil(rows["min_zoom"].fillna(9)).astype(int))


def _land(read: Callable[[str], gpd.GeoDataFrame]) -> Shapes:
    """Land a part each, so that a tile takes what is near only; lakes are drawn upon it."""
    parts = read("10m_land").explode(ignore_index=True)
    islands = read("10m_minor_islands").explode(ignore_index=True)
    since = np.concatenate([np.zeros(len(parts)), np.full(len(islands), 4)])
    return _shapes(gpd.GeoDataFrame(pd.concat([parts, islands], ignore_index=True), crs=parts.crs), since)


def _deep(read: Callable[[str], gpd.GeoDataFrame]) -> Shapes:
    """Where the sea is deeper than 200, 3000 and 5000 m, the shallow first: the deep lies upon it."""
    files = []
    for letter, depth in (("K", 200), ("H", 3000), ("F", 5000)):
        rows = read(f"10m_bathymetry_{letter}_{depth}").explode(ignore_index=True)
        files.append(rows.assign(metres=depth))
    rows = gpd.GeoDataFrame(pd.concat(files, ignore_index=True), crs=files[0].crs)
    return _shapes(rows, 0, metres=rows["metres"])


def _rivers(read: Callable[[str], gpd.GeoDataFrame]) -> Shapes:
    files = [read(f"10m_rivers_{part}") for part in ("lake_centerlines", "north_america", "europe")]
    rows = gpd.GeoDataFrame(pd.concat(files, ignore_index=True), crs=files[0].crs)
    return _shapes(rows, _first(rows), shown=np.ceil(rows["min_zoom"].fillna(9)).astype(int))


def _rails(rows: gpd.GeoDataFrame) -> Shapes:
    return _shapes(rows, np.where(rows["scalerank"] <= 6, 4, 5))


def _states(rows: gpd.GeoDataFrame) -> Shapes:
    """Lines between first-level areas: those of the United States as the gazetteer has them, finer."""
    lines = np.asarray(rows.geometry.values)
    middle = shapely.get_coordinates(shapely.line_interpolate_point(lines, 0.5, normalized=True))
    country = np.array(gazetteer().countries_at(middle[:, 0], middle[:, 1]), dtype=object)
    ours = _shared([shape for each in gazetteer().places("admin1") if (shape := gazetteer().polygon(each))])
    both = np.concatenate([lines[country != "US"], ours])
    return Shapes(both, np.ones(len(both), np.int64), {})


def _borders() -> Shapes:
    """Lines between countries, without the coasts: the same as the gazetteer says who is where."""
    lines = _shared([shape for each in gazetteer().places("country") if (shape := gazetteer().polygon(each))])
    return Shapes(lines, np.zeros(len(lines), np.int64), {})


def _shared(polygons: list[Any]) -> NDArray[np.object_]:
    """The edges that two polygons have in common, joined to lines."""
    rings = shapely.get_parts(shapely.boundary(polygons))
    xy, ring = shapely.get_coordinates(rings, return_index=True)
    xy = np.round(xy, 6)
    inner = np.flatnonzero(ring[:-1] == ring[1:])
    edges = np.stack([xy[inner], xy[inner + 1]], axis=1)
    forward = (edges[:, 0, 0] < edges[:, 1, 0]) | (
        (edges[:, 0, 0] == edges[:, 1, 0]) & (edges[:, 0, 1] <= edges[:, 1, 1])
    )
    edges = np.where(forward[:, None, None], edges, edges[:, ::-1])
    flat, times = np.unique(edges.reshape(-1, 4), axis=0, return_counts=True)
    seam = (np.abs(flat[:, 0]) > 179.99) & (np.abs(flat[:, 2]) > 179.99)
    twice = flat[(times > 1) & ~seam]
    lines = shapely.linestrings(twice.reshape(-1, 2, 2))
    merged: NDArray[np.object_] = shapely.get_parts(shapely.line_merge(shapely.multilinestrings(lines)))
    return merged

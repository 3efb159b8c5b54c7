"""Crowds: many points of one place as one circle with their number, in a grid that stays put on the map."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import shapely

from data.catalogue.base import Cell
from tools.map.geometry import MAX_LATITUDE, latitude_of, mercator_y

if TYPE_CHECKING:
    import geopandas as gpd

_TILE_PX, _CELL_PX = 256, 64


def crowd(cell: Cell, zoom: float) -> dict[str, Any]:
    """A cell as a circle that lies wholly within it: near the mean of its rows, and over no other circle."""
    world_px = _TILE_PX * 2.0 ** math.floor(zoom + 0.5)
    size = _circle_px(cell.count)
    x = _within_cell((cell.lon + 180) / 360 * world_px, size)
    y = _within_cell((0.5 - mercator_y(cell.lat)) * world_px, size)
    found = cell_feature(cell)
    found["geometry"]["coordinates"] = [x / world_px * 360 - 180, latitude_of(0.5 - y / world_px)]
    found["properties"]["size_px"] = size
    return found


def _circle_px(count: int) -> int:
    """How wide a cluster of so many is drawn: by their order of magnitude."""
    return round(min(_CELL_PX - 8, 24 + 6 * math.log10(count)))


def _within_cell(position_px: float, size_px: float) -> float:
    """The nearest middle at which so wide a thing does not reach out of the cell that the position is in."""
    start, reach = position_px // _CELL_PX * _CELL_PX, size_px / 2 + 1
    return min(max(position_px, start + reach), start + _CELL_PX - reach)


def cell_feature(cell: Cell) -> dict[str, Any]:
    """A cell as a point with its count, and the box of its rows."""
    return {
        "type": "Feature",
        "geometry": {"type": "Point", "coordinates": [cell.lon, cell.lat]},
        "properties": {"count": cell.count, "bbox": list(cell.bbox)},
    }


def are_points(frame: gpd.GeoDataFrame) -> bool:
    """Whether all features are single points."""
    return bool((shapely.get_type_id(frame.geometry.array) == shapely.GeometryType.POINT).all())


def crowds_of(points: gpd.GeoDataFrame, zoom: float) -> tuple[list[dict[str, Any]], np.ndarray]:
    """The crowds of points at that zoom, and which of the points are alone in their cell."""
    lon, lat = points.geometry.x.to_numpy(), points.geometry.y.to_numpy()
    across = _TILE_PX // _CELL_PX * 2 ** max(0, min(22, math.floor(zoom + 0.5)))
    north = np.clip(lat, -MAX_LATITUDE, MAX_LATITUDE)
    y = 0.5 - np.log(np.tan(np.pi / 4 + np.radians(north) / 2)) / (2 * np.pi)
    column, row = ((part * across).astype("int64").clip(0, across - 1) for part in ((lon + 180) / 360, y))
    parts = pd.DataFrame({"cell": row * across + column, "lon": lon, "lat": lat}).groupby("cell")
    sides = parts.agg(["count", "mean", "min", "max"])
    several = sides[sides["lon", "count"] > 1]
    cells = [
        Cell(each[1], each[5], int(each[0]), (each[2], each[6], each[3], each[7]))
        for each in several.to_numpy().tolist()
    ]
    alone = parts["lon"].transform("size").to_numpy() == 1
    return [crowd(each, zoom) for each in cells], alone

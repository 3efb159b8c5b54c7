"""The shape that each row of a table has: its own, its outline, its box, or its longitude and latitude."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import shapely
from numpy.typing import NDArray

from tools.base import ToolError
from tools.map.files import in_degrees
from tools.noting import note
from tools.tables import OUTLINES, has_outlines, have_shapes

if TYPE_CHECKING:
    import geopandas as gpd

_SIDES = ("west", "south", "east", "north")


def geometries(frame: pd.DataFrame) -> NDArray[np.object_]:
    """Each row's shape: its footprint, else its box (a point where that has no size), else its lon and lat.

    A row without a place has None. A box across the antimeridian becomes two (RFC 7946, 3.1.9).
    Raises ToolError for a table without places.
    """
    if have_shapes(frame):
        found = in_degrees(frame).geometry
        return np.asarray(found.where(~found.is_empty, None), dtype=object)
    if set(_SIDES) <= set(frame.columns):
        shapes = _boxes(*(frame[side].to_numpy(float) for side in _SIDES))
    elif {"lon", "lat"} <= set(frame.columns):
        shapes = _points(frame["lon"].to_numpy(float), frame["lat"].to_numpy(float))
    else:
        raise ToolError(
            "The table has no places: it needs the columns lon and lat, or west, south, east, north."
        )
    if has_outlines(frame):
        there = frame[OUTLINES].notna().to_numpy()
        shapes[there] = shapely.from_wkb(frame[OUTLINES][there].to_numpy())
    return shapes


def _points(lon: NDArray[np.float64], lat: NDArray[np.float64]) -> NDArray[np.object_]:
    shapes = np.asarray(shapely.points(lon, lat), dtype=object)
    shapes[np.isnan(lon) | np.isnan(lat)] = None
    return shapes


def _boxes(
    west: NDArray[np.float64],
    south: NDArray[np.float64],
    east: NDArray[np.float64],
    north: NDArray[np.float64],
) -> NDArray[np.object_]:
    shapes = np.asarray(shapely.box(west, south, np.maximum(west, east), north), dtype=object)
    points = (west == east) & (south == north)
    shapes[points] = shapely.points(west[points], south[points])
    for i in np.flatnonzero(west > east):
        halves = [
            shapely.box(west[i], south[i], 180, north[i]),
            shapely.box(-180, south[i], east[i], north[i]),
        ]
        shapes[i] = shapely.MultiPolygon(halves)
    return shapes


def with_shapes(
    frame: pd.DataFrame, column: str, system: str, made: str = "", transformed: str = ""
) -> gpd.GeoDataFrame:
    """Rows whose column of WKB becomes their geometry, in a system that is known.

    Where none is, or `made` says that they were made of numbers, they are in the system that they were
    `transformed` into, else in longitude and latitude if they fit. Raises ToolError for others.
    """
    import geopandas as gpd
    import pyproj
    from geopandas.array import from_wkb

    shapes = np.asarray(from_wkb(frame[column].to_numpy()), dtype=object)
    name = column if "geometry" in frame.columns else "geometry"
    rows = frame.assign(**{column: shapes}).rename(columns={column: name})
    sides = shapely.bounds(shapes)
    sides = sides[np.isfinite(sides).all(axis=1)]  # of those that have a place
    fits = len(sides) > 0 and bool((np.abs(sides) <= [180, 90, 180, 90]).all())
    moved = bool(made and transformed) and not (fits and pyproj.CRS.from_user_input(transformed).is_projected)
    if not system and not moved and len(sides) and not fits:
        raise ToolError(
            f"The result's coordinates (such as {sides[0][0]:.6g}, {sides[0][1]:.6g}) are no degrees, and "
            "their system is not known; crs names it, such as crs=EPSG:3035 for shapes that were made of "
            "numbers of that system, which does not move them."
        )
    if empty := int(shapely.is_empty(shapes).sum()):
        note(f"{empty:,} of the result's shapes {'is' if empty == 1 else 'are'} empty, and no NULL.")
    if broken := int((~shapely.is_valid(shapes[~shapely.is_missing(shapes)])).sum()):
        note(f"{broken:,} of the result's shapes cross themselves; ST_MakeValid or make_valid repairs them.")
    if moved:
        found = gpd.GeoDataFrame(rows, geometry=name, crs=transformed)
        return found if not system else found.to_crs(system)
    crs = pyproj.CRS.from_user_input(system or "EPSG:4326")
    if not made or not system:
        return gpd.GeoDataFrame(rows, geometry=name, crs=crs)
    degrees = crs.is_projected and fits
    note(
        f"The shapes were made of numbers, which name no system: they were taken "
        f"{'as longitude and latitude, and brought into' if degrees else 'to be in'} {system}."
    )
    found = gpd.GeoDataFrame(rows, geometry=name, crs="EPSG:4326" if degrees else crs)
    return found.to_crs(crs) if degrees else found

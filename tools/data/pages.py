"""All rows of the selection or of a table, page by page, so that an export needs little memory."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd
import shapely
from numpy.typing import NDArray

from data.catalogue.base import Selection
from state.model import State
from tools.base import ToolError, World
from tools.phrases import number_of
from tools.rows import load_table
from tools.selection import current_selection
from tools.tables import OUTLINES, has_outlines

MAX_EXPORT_ROWS = 5_000_000
_LEFT_OUT = ("image_num", "quicklook")
_SIDES = ("west", "south", "east", "north")


def pages(state: State, world: World, table: str | None) -> tuple[int, Iterator[pd.DataFrame]]:
    """(how many rows, the rows in pages). Raises ToolError when there are none, or too many."""
    if table is not None:
        frame = load_table(state, world, table)
        rows, found = len(frame), iter((frame,))
    else:
        selection = current_selection(state, world)
        rows, found = world.catalogue.count(selection), _selected(selection, world)
    if rows == 0:
        raise ToolError("There is no row to export; widen the filters, or choose a table that has some.")
    if rows > MAX_EXPORT_ROWS:
        most = number_of(MAX_EXPORT_ROWS, "row")
        raise ToolError(
            f"There are {number_of(rows, 'row')}, and an export holds {most} at most; narrow the selection."
        )
    return rows, found


def geometries(frame: pd.DataFrame) -> NDArray[np.object_]:
    """Each row's shape: its footprint, else its box (a point where that has no size), else its lon and lat.

    A row without a place has None. A box across the antimeridian becomes two (RFC 7946, 3.1.9).
    Raises ToolError for a table without places.
    """
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


def _selected(selection: Selection, world: World) -> Iterator[pd.DataFrame]:
    """Pages of the selected rows, by data set and in the order in which they were brought in."""
    columns = tuple(
        name for name in world.catalogue.rows(selection, None, (), 0).columns if name not in _LEFT_OUT
    )
    return world.catalogue.scan(selection, columns)


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

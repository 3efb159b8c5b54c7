"""Contour lines of an elevation model: traced window by window, and joined across the windows' seams."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from rasterio.windows import Window

from data.raster.errors import RasterError
from data.raster.files import opened
from data.raster.ground import height_unit, north_up
from data.raster.windows import Grid, Place, grid_of, read_block, windows

if TYPE_CHECKING:
    import geopandas as gpd

MAX_POINTS = 5_000_000
"""Most points of all lines together: 80 MB, and more than a map can show."""
MAX_LEVELS = 1_000
_WINDOW_PX = 10_000_000
_PIECE_PX = 256
"""Side of what is traced at once: a level costs a walk over all of it, and a small piece holds few levels."""
_SEAM_DIGITS = 6
"""Decimals of a pixel that points are rounded to, so that both sides of a seam end at one point."""

Lines = dict[float, list[NDArray[np.float64]]]


def contours(source: Path, *, interval_m: float, base_m: float = 0.0) -> gpd.GeoDataFrame:
    """The lines of equal height at `base_m` plus every multiple of `interval_m`, in the raster's CRS.

    One row a line, with `elevation_m` and its geodesic `length_m`. Heights belong to the pixels' centres and
    run linearly between them (marching squares, contourpy's serial algorithm); a line ends where a pixel has
    no value. Heights in another unit (`ground.height_unit`) are brought into metres. Raises RasterError when
    there would be over 5 million points or a thousand levels.
    """
    north_up(grid_of(source), "contour_lines")
    metres = height_unit(source).metres
    lines: Lines = defaultdict(list)
    points = 0
    with opened(source) as reader:
        grid = Grid.of(reader)
        for window in windows(grid, _WINDOW_PX):
            block = read_block(reader, (1,), Place(grid, _overlapping(grid, window)))[0]
            block = block if metres == 1.0 else block * metres
            for row, column in _pieces(window):
                piece = block[row : row + _PIECE_PX + 1, column : column + _PIECE_PX + 1]
                corner = (window.row_off + row, window.col_off + column)
                points += _trace(piece, corner, _levels_within(piece, interval_m, base_m), lines)
                if points > MAX_POINTS or len(lines) > MAX_LEVELS:
                    raise RasterError(
                        f"Contours every {interval_m:g} m would have over {MAX_POINTS:,} points or "
                        f"{MAX_LEVELS:,} levels; a larger interval, or a clip of the raster, has fewer."
                    )
    return _frame(lines, grid)


def _overlapping(grid: Grid, window: Window) -> Window:
    """The window with the first row and column of its neighbours, so that no gap is left between them."""
    right = min(grid.width, window.col_off + window.width + 1)
    bottom = min(grid.height, window.row_off + window.height + 1)
    return Window(window.col_off, window.row_off, right - window.col_off, bottom - window.row_off)


def _pieces(window: Window) -> Iterator[tuple[int, int]]:
    """The first row and column of each piece, within the window."""
    for row in range(0, window.height, _PIECE_PX):
        for column in range(0, window.width, _PIECE_PX):
            yield row, column


def _levels_within(block: NDArray[Any], interval: float, base: float) -> NDArray[np.float64]:
    finite = block[np.isfinite(block)]
    if finite.size == 0:
        return np.empty(0)
    first = math.ceil((float(finite.min()) - base) / interval)
    last = math.floor((float(finite.max()) - base) / interval)
    if last - first >= MAX_LEVELS:
        raise RasterError(
            f"An interval of {interval:g} m is too small for heights from {finite.min():g} to "
            f"{finite.max():g} m: at most {MAX_LEVELS:,} levels are drawn."
        )
    return base + interval * np.arange(first, last + 1, dtype=np.float64)


def _trace(block: NDArray[Any], corner: tuple[int, int], levels: NDArray[np.float64], lines: Lines) -> int:
    """Add a piece's lines, in (column, row) of the raster, and say how many points they have."""
    from contourpy import LineType, contour_generator

    if len(levels) == 0 or min(block.shape) < 2:
        return 0
    heights = block.astype(np.float64)
    hole = ~np.isfinite(heights)
    generator = contour_generator(
        x=corner[1] + 0.5 + np.arange(block.shape[1]),
        y=corner[0] + 0.5 + np.arange(block.shape[0]),
        z=np.ma.array(heights, mask=hole) if hole.any() else heights,
        name="serial",
        line_type=LineType.Separate,
    )
    points = 0
    for level in levels.tolist():
        found: list[Any] = list(generator.lines(level))
        points += sum(len(each) for each in found)
        if found:
            lines[level].extend(np.round(each, _SEAM_DIGITS) for each in found)
    return points


def _frame(lines: Lines, grid: Grid) -> gpd.GeoDataFrame:
    import geopandas as gpd
    import shapely
    from pyproj import Geod

    levels: list[float] = []
    joined: list[Any] = []
    for level in sorted(lines):
        pieces = shapely.multilinestrings(
            [shapely.linestrings(each) for each in lines[level] if len(each) > 1]
        )
        whole = shapely.get_parts(shapely.line_merge(pieces))
        whole = whole[shapely.length(whole) > 0]
        levels += [level] * len(whole)
        joined += whole.tolist()
    a, b, c, d, e, f = grid.transform[:6]
    placed = shapely.transform(
        np.array(joined, dtype=object),
        lambda xy: np.column_stack([a * xy[:, 0] + b * xy[:, 1] + c, d * xy[:, 0] + e * xy[:, 1] + f]),
    )
    frame = gpd.GeoDataFrame({"elevation_m": levels}, geometry=placed, crs=grid.crs)
    geod = Geod(ellps="WGS84")
    located = (shapely.get_coordinates(each) for each in frame.geometry.to_crs("EPSG:4326"))
    frame["length_m"] = [round(geod.line_length(lonlat[:, 0], lonlat[:, 1]), 3) for lonlat in located]
    return frame

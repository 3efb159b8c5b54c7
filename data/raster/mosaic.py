"""Join rasters that lie side by side, or over one another, into one."""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Literal

import numpy as np
import rasterio
from affine import Affine
from numpy.typing import NDArray
from rasterio.enums import Resampling
from rasterio.errors import RasterioError
from rasterio.vrt import WarpedVRT
from rasterio.windows import Window

from data.raster.copying import kept_tags
from data.raster.errors import RasterError
from data.raster.files import geotiff_profile, opened
from data.raster.looks import nothing_tag
from data.raster.warp import checked, grid_in, pixel_sizes
from data.raster.windows import Grid, windows

Rule = Literal["first", "last", "min", "max", "mean"]
"""Which value a pixel gets where rasters overlap."""
MOST_RASTERS = 100
_STRIP_PX = 4_000_000


def mosaic(
    paths: Sequence[Path], target: Path, *, rule: Rule = "first", resampling: str = "nearest"
) -> tuple[Grid, int]:
    """Write the rasters as one, over the ground that they cover together; its grid, and how many were moved.

    The coordinate system, pixel size, bands and nodata value are the first raster's; the others are brought
    onto its grid, those that lie on it already bit by bit. Where there are none, float gets not-a-number
    for nodata and whole numbers a mask in the file. Raises RasterError for different numbers of bands.
    """
    with ExitStack() as stack:
        stack.enter_context(rasterio.Env(GDAL_TIFF_INTERNAL_MASK=True))
        sources = [stack.enter_context(opened(path)) for path in paths]
        _check(sources, paths)
        grid = _joined_grid([Grid.of(each) for each in sources])
        readers = [_onto(stack, each, grid, resampling) for each in sources]
        first = sources[0]
        dtype = np.result_type(*(each.dtypes[0] for each in sources)).name
        dtype = "float32" if rule == "mean" and np.dtype(dtype).kind in "iu" else dtype
        nodata = first.nodata
        if nodata is None and np.dtype(dtype).kind in "fc":
            nodata = math.nan
        profile = geotiff_profile(
            grid.width,
            grid.height,
            count=first.count,
            dtype=dtype,
            nodata=nodata,
            crs=grid.crs,
            transform=grid.transform,
        )
        writer = stack.enter_context(rasterio.open(target, "w", **profile))
        for window in windows(grid, _STRIP_PX // first.count):
            values, valid = _merged(readers, window, rule, dtype, first.count)
            fill = 0 if nodata is None else nodata
            writer.write(np.where(valid, values, np.asarray(fill).astype(dtype)), window=window)
            if nodata is None:
                writer.write_mask(valid.any(axis=0), window=window)
        writer.descriptions = tuple(each or "" for each in first.descriptions)
        writer.scales, writer.offsets = first.scales, first.offsets
        writer.update_tags(**kept_tags(first.tags()), **nothing_tag(first, 1))
    return grid, sum(isinstance(each.source, WarpedVRT) for each in readers)


class _Placed:
    """A raster on the mosaic's grid: itself, shifted by whole pixels, or warped onto it."""

    def __init__(self, source: Any, window: Window, masked: bool) -> None:
        self.source, self.window, self.masked = source, window, masked

    def read(self, window: Window) -> tuple[slice, slice, NDArray[Any], NDArray[np.bool_]] | None:
        """Rows and columns of the part of a window that the raster has, its values and which are valid."""
        top = max(window.row_off, self.window.row_off)
        left = max(window.col_off, self.window.col_off)
        bottom = min(window.row_off + window.height, self.window.row_off + self.window.height)
        right = min(window.col_off + window.width, self.window.col_off + self.window.width)
        if bottom <= top or right <= left:
            return None
        shift_row, shift_column = (
            (0, 0) if isinstance(self.source, WarpedVRT) else (self.window.row_off, self.window.col_off)
        )
        own = Window(left - shift_column, top - shift_row, right - left, bottom - top)
        count = self.source.count - (1 if self.masked and isinstance(self.source, WarpedVRT) else 0)
        numbers = list(range(1, count + 1))
        try:
            values = self.source.read(numbers, window=own)
            valid = self.source.read_masks(numbers, window=own) > 0
        except RasterioError as error:
            raise RasterError(
                f"A raster is broken near row {int(own.row_off)}: it cannot be read."
            ) from error
        if values.dtype.kind in "fc":
            valid &= ~np.isnan(values)
        rows = slice(int(top - window.row_off), int(bottom - window.row_off))
        return rows, slice(int(left - window.col_off), int(right - window.col_off)), values, valid


def _merged(
    readers: Sequence[_Placed], window: Window, rule: Rule, dtype: str, count: int
) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    """A window of the mosaic: (bands, rows, columns), and which of it has a value."""
    shape = (count, int(window.height), int(window.width))
    values, valid = np.zeros(shape, np.float64 if rule == "mean" else dtype), np.zeros(shape, bool)
    seen = np.zeros(shape, np.uint8) if rule == "mean" else None
    for each in readers if rule != "last" else reversed(readers):
        part = each.read(window)
        if part is None:
            continue
        rows, columns, new, there = part
        at = (slice(None), rows, columns)
        if seen is not None:
            values[at] += np.where(there, new, 0)
            seen[at] += there
        elif rule in ("first", "last"):
            take = there & ~valid[at]
            values[at] = np.where(take, new, values[at])
        else:
            better = new < values[at] if rule == "min" else new > values[at]
            values[at] = np.where(there & (better | ~valid[at]), new, values[at])
        valid[at] |= there
    if seen is not None:
        values = values / np.maximum(seen, 1)
    return values.astype(dtype, copy=False), valid


def _check(sources: Sequence[rasterio.DatasetReader], paths: Sequence[Path]) -> None:
    for source, path in zip(sources, paths, strict=True):
        if source.crs is None:
            raise RasterError(f"{path.name} has no coordinate system, so it cannot be joined to others.")
        if source.transform.b or source.transform.d:
            raise RasterError(f"{path.name} is rotated; raster_reproject lays it straight first.")
        if source.count != sources[0].count:
            raise RasterError(
                f"The rasters must have as many bands as one another: {paths[0].name} has "
                f"{sources[0].count} and {path.name} {source.count}."
            )


def _joined_grid(grids: Sequence[Grid]) -> Grid:
    """The first grid, stretched by whole pixels to cover the others."""
    first = grids[0]
    across, down = pixel_sizes(first)
    columns, rows = [0, first.width], [0, first.height]
    for each in grids[1:]:
        there = each if each.crs == first.crs else grid_in(each, first.crs)
        west, south, east, north = rasterio.transform.array_bounds(there.height, there.width, there.transform)
        columns += [_near((west - first.transform.c) / across, math.floor)]
        columns += [_near((east - first.transform.c) / across, math.ceil)]
        rows += [_near((first.transform.f - north) / down, math.floor)]
        rows += [_near((first.transform.f - south) / down, math.ceil)]
    transform = first.transform @ Affine.translation(min(columns), min(rows))
    return checked(Grid(first.crs, transform, max(columns) - min(columns), max(rows) - min(rows)))


def _near(value: float, rounded: Any) -> int:
    """A whole number that the value is within a hundredth of, else the one on its outer side."""
    whole = round(value)
    return whole if abs(value - whole) < 0.01 else int(rounded(value))


def _onto(stack: ExitStack, source: rasterio.DatasetReader, grid: Grid, resampling: str) -> _Placed:
    own = Grid.of(source)
    if own.crs == grid.crs and np.allclose(
        [own.transform.a, own.transform.e], [grid.transform.a, grid.transform.e], rtol=1e-9, atol=0
    ):
        column, row = ~grid.transform @ (own.transform.c, own.transform.f)
        if abs(column - round(column)) < 0.01 and abs(row - round(row)) < 0.01:
            return _Placed(source, Window(round(column), round(row), own.width, own.height), False)
    alpha = source.nodata is None and rasterio.enums.ColorInterp.alpha not in source.colorinterp
    warped = stack.enter_context(
        WarpedVRT(
            source,
            crs=grid.crs,
            transform=grid.transform,
            width=grid.width,
            height=grid.height,
            resampling=Resampling[resampling],
            add_alpha=alpha,
        )
    )
    return _Placed(warped, _window_on(own, grid), alpha)


def _window_on(own: Grid, grid: Grid) -> Window:
    """The window of the mosaic that a raster may touch, a few pixels wider than its box."""
    there = own if own.crs == grid.crs else grid_in(own, grid.crs)
    bounds = rasterio.transform.array_bounds(there.height, there.width, there.transform)
    left, top = ~grid.transform @ (bounds[0], bounds[3])
    right, bottom = ~grid.transform @ (bounds[2], bounds[1])
    first_row, first_column = max(0, math.floor(top) - 2), max(0, math.floor(left) - 2)
    last_row, last_column = min(grid.height, math.ceil(bottom) + 2), min(grid.width, math.ceil(right) + 2)
    return Window(first_column, first_row, last_column - first_column, last_row - first_row)

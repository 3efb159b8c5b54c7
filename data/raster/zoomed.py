"""A raster read on a finer grid of the same coordinate system: much quicker than warping it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import rasterio
from numpy.typing import NDArray
from rasterio.enums import MaskFlags, Resampling
from rasterio.windows import Window

if TYPE_CHECKING:
    from data.raster.windows import Grid

_EDGE_PX = 1e-6


class Zoomed:
    """As much of an open raster as reading blocks asks for, on another grid; beside it there is no value."""

    def __init__(self, reader: rasterio.DatasetReader, onto: Grid, resampling: str) -> None:
        self._reader, self._method = reader, Resampling[resampling]
        self.name, self.count, self.dtypes = reader.name, reader.count, reader.dtypes
        self.nodatavals, self.nodata = reader.nodatavals, reader.nodata
        self.crs, self.transform = onto.crs, onto.transform
        self.width, self.height = onto.width, onto.height
        bare = any(each is None for each in reader.nodatavals)
        self.mask_flag_enums = [[MaskFlags.per_dataset]] * reader.count if bare else reader.mask_flag_enums
        step = ~reader.transform @ onto.transform
        self._column, self._row = (step.a, step.c), (step.e, step.f)

    @staticmethod
    def suits(reader: rasterio.DatasetReader, onto: Grid) -> bool:
        """Whether the grid has the raster's coordinate system, its own way up, and pixels no larger."""
        if reader.crs != onto.crs:
            return False
        step = ~reader.transform @ onto.transform
        straight = abs(step.b) < 1e-9 and abs(step.d) < 1e-9
        return bool(straight and 0 < step.a <= 1 + 1e-9 and 0 < step.e <= 1 + 1e-9)

    def read(self, numbers: Sequence[int], window: Window) -> NDArray[Any]:
        """(bands, rows, columns), resampled; nodata, or nought without one, beside the raster."""
        values = self._filled(numbers, window)
        if (part := self._part(window)) is not None:
            rows, columns, source = part
            shape = (len(values), rows.stop - rows.start, columns.stop - columns.start)
            found = self._reader.read(list(numbers), window=source, out_shape=shape, resampling=self._method)
            if self.nodata is not None and self._method != Resampling.nearest:
                # Otherwise the neighbours' values would grow into a missing pixel by its half.
                found[self._nearest_masks(list(numbers), window, rows, columns) == 0] = self.nodata
            values[:, rows, columns] = found
        return values

    def read_masks(self, number: int, window: Window) -> NDArray[np.uint8]:
        """255 where there is a value, the nearest pixel's where the raster has a mask."""
        mask = np.zeros((int(window.height), int(window.width)), np.uint8)
        if (part := self._part(window)) is not None:
            rows, columns, _ = part
            mask[rows, columns] = self._nearest_masks([number], window, rows, columns)[0]
        return mask

    def _nearest_masks(
        self, numbers: list[int], window: Window, rows: slice, columns: slice
    ) -> NDArray[np.uint8]:
        """The masks of the pixels that middles lie in: read whole, as GDAL's zoom of one crawls."""
        at_row = _pixels(int(window.row_off), rows, *self._row, self._reader.height)
        at_column = _pixels(int(window.col_off), columns, *self._column, self._reader.width)
        top, left = int(at_row[0]), int(at_column[0])
        source = Window(left, top, int(at_column[-1]) - left + 1, int(at_row[-1]) - top + 1)
        masks: NDArray[np.uint8] = self._reader.read_masks(numbers, window=source)
        return masks[:, at_row - top][:, :, at_column - left]

    def _filled(self, numbers: Sequence[int], window: Window) -> NDArray[Any]:
        shape = (len(numbers), int(window.height), int(window.width))
        dtype = np.result_type(*(self.dtypes[number - 1] for number in numbers))
        return np.full(shape, 0 if self.nodata is None else self.nodata, dtype)

    def _part(self, window: Window) -> tuple[slice, slice, Window] | None:
        """The rows and columns of a window whose middles lie in the raster, and what they are there."""
        rows = _inside(int(window.row_off), int(window.height), *self._row, self._reader.height)
        columns = _inside(int(window.col_off), int(window.width), *self._column, self._reader.width)
        if rows is None or columns is None:
            return None
        (first_row, last_row, top, tall), (first_column, last_column, left, wide) = rows, columns
        source = Window(left, top, wide, tall)
        return slice(first_row, last_row), slice(first_column, last_column), source


def _pixels(first: int, part: slice, step: float, offset: float, size: int) -> NDArray[np.int64]:
    """The source's pixel that each middle of a part of a window lies in."""
    middles = (np.arange(part.start, part.stop) + first + 0.5) * step + offset
    return np.clip(np.floor(middles + _EDGE_PX), 0, size - 1).astype(np.int64)


def _inside(
    first: int, count: int, step: float, offset: float, size: int
) -> tuple[int, int, float, float] | None:
    """Of pixels `first` and on, those whose middle is within `size` pixels of the source, and where they are.

    Begin and end from `first`, then the offset and the length in the source's own pixels.
    """
    least = math.ceil(-offset / step - 0.5 - _EDGE_PX)
    most = math.ceil((size - offset) / step - 0.5 - _EDGE_PX)
    begin, end = max(first, least), min(first + count, most)
    if begin >= end:
        return None
    low, high = max(0.0, step * begin + offset), min(float(size), step * end + offset)
    return begin - first, end - first, low, high - low

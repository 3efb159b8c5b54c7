"""Read an image that lies on another's grid but for a shift, without warping it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import rasterio
from numba import njit
from numpy.typing import NDArray
from rasterio.enums import MaskFlags, Resampling
from rasterio.windows import Window

from data.raster.windows import Grid, Place, read_block

_TYPES = ("uint8", "int16", "uint16", "int32", "uint32", "float32", "float64")
_PLAIN = ([MaskFlags.all_valid], [MaskFlags.nodata])
_OFF_PX = 1e-3
"""How far pixels may drift apart over the whole image."""


@dataclass(frozen=True)
class Beside:
    """An open image in which pixel (row, column) of a grid lies at (row + `rows`, column + `columns`)."""

    reader: rasterio.DatasetReader
    grid: Grid
    rows: float
    columns: float

    @classmethod
    def of(cls, reader: rasterio.DatasetReader, grid: Grid) -> Beside | None:
        """None where the image has another projection, pixel size, or a mask of its own."""
        plain = all(kind in _TYPES for kind in reader.dtypes) and len(set(reader.dtypes)) == 1
        if reader.crs != grid.crs or not plain or any(each not in _PLAIN for each in reader.mask_flag_enums):
            return None
        step = ~reader.transform @ grid.transform
        drift = max(abs(step.a - 1) + abs(step.d), abs(step.e - 1) + abs(step.b)) * max(
            grid.width, grid.height
        )
        return cls(reader, grid, float(step.f), float(step.c)) if drift <= _OFF_PX else None

    def thinned(self, number: int, shape: tuple[int, int]) -> Any:
        """The grid's whole extent in (rows, columns) averages, masked where the image does not reach."""
        tall, wide = self.grid.height / shape[0], self.grid.width / shape[1]
        rows = _within(self.rows, self.reader.height, tall, shape[0])
        columns = _within(self.columns, self.reader.width, wide, shape[1])
        made: Any = np.ma.array(np.zeros(shape, self.reader.dtypes[number - 1]), mask=True)
        if rows.start < rows.stop and columns.start < columns.stop:
            part = rows.stop - rows.start, columns.stop - columns.start
            window = Window(
                self.columns + columns.start * wide, self.rows + rows.start * tall, part[1] * wide,
                part[0] * tall,
            )  # fmt: skip
            made[rows, columns] = self.reader.read(
                number, window=window, out_shape=part, masked=True, resampling=Resampling.average
            )
        return made

    def moved(self, window: Window, shift: tuple[float, float], nodata: float) -> NDArray[Any]:
        """(bands, rows, columns) of a window of the grid, the image moved by (rows, columns), bilinear.

        As GDAL's warper does a single band: neighbours without a value count for nothing, a pixel whose
        nearest has none gets `nodata`, as what lies beside the image does, and no other becomes equal to it.
        """
        top, left = int(window.row_off) + self.rows - shift[0], int(window.col_off) + self.columns - shift[1]
        row, column = math.floor(top), math.floor(left)
        shape = self.reader.count, int(window.height), int(window.width)
        dtype = np.dtype(self.reader.dtypes[0])
        made = np.full(shape, nodata, dtype)
        # The part of the image that comes to lie there, with one pixel more for the interpolation.
        first, last = max(0, row), min(self.reader.height, row + shape[1] + 1)
        begin, end = max(0, column), min(self.reader.width, column + shape[2] + 1)
        if first < last and begin < end:
            place = Place(Grid.of(self.reader), Window(begin, first, end - begin, last - first))
            source = read_block(self.reader, None, place)
            low, high = (-math.inf, math.inf)
            if dtype.kind in "iu":
                low, high = float(np.iinfo(dtype).min), float(np.iinfo(dtype).max)
            at = (row - first, column - begin, top - row, left - column)
            avoid = self.reader.nodata is not None
            _interpolate(source, made, *at, dtype.kind in "iu", avoid, low, high)
        return made


def _within(offset: float, size: int, step: float, count: int) -> slice:
    """Which of `count` coarse pixels lie wholly in the image."""
    first = max(0, math.ceil(-offset / step - 1e-9))
    return slice(first, min(count, math.floor((size - offset) / step + 1e-9)))


@njit(cache=True, nogil=True, error_model="numpy")
def _interpolate(
    source: Any, made: Any, row: int, column: int, down: float, across: float, whole: bool, avoid: bool,
    low: float, high: float,
) -> None:  # fmt: skip
    """Fill (bands, rows, columns) from the block whose pixel (row, column) lies up and left of the first.

    `made` comes filled with nodata, which stays where there is nothing.
    """
    bands, rows, columns = source.shape
    near_row, near_column = (1 if down >= 0.5 else 0), (1 if across >= 0.5 else 0)
    weights = ((1 - down) * (1 - across), (1 - down) * across, down * (1 - across), down * across)
    for i in range(made.shape[1]):
        r = i + row
        if not 0 <= r + near_row < rows:
            continue
        for j in range(made.shape[2]):
            c = j + column
            if not 0 <= c + near_column < columns:
                continue
            for b in range(bands):
                nearest = source[b, r + near_row, c + near_column]
                if nearest != nearest:
                    continue
                total = weight = 0.0
                for at in range(4):
                    k, m = r + at // 2, c + at % 2
                    if weights[at] > 0.0 and 0 <= k < rows and 0 <= m < columns:
                        value = float(source[b, k, m])
                        if value == value:
                            total += weights[at] * value
                            weight += weights[at]
                total /= weight
                if whole:
                    total = min(max(np.floor(total + 0.5), low), high)
                    if avoid and total == made[b, i, j]:
                        total += 1.0 if total == low else -1.0
                made[b, i, j] = total

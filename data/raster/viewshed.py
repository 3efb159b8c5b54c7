"""What can be seen from a point over an elevation model."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import rasterio
from affine import Affine
from numba import njit
from numpy.typing import NDArray
from rasterio.windows import Window

from data.raster.errors import RasterError
from data.raster.files import geotiff_profile, opened
from data.raster.ground import height_unit, north_up, pixel_m
from data.raster.windows import Grid, Place, read_block

EARTH_DIAMETER_M = 12_741_994.0
"""Twice the mean radius of WGS84."""
HIDDEN, VISIBLE, UNKNOWN = 0, 1, 255
_STRIP_PX = 4_000_000


@dataclass(frozen=True)
class Seen:
    """What a viewshed says in numbers."""

    ground_m: float
    """The height of the ground at the observer."""
    visible_px: int
    known_px: int
    """Pixels within the distance that have a height."""
    pixel_area_m2: float


@dataclass(frozen=True)
class _Eye:
    """The observer on the grid."""

    row: int
    column: int
    height: float
    target_height: float
    pixel: tuple[float, float]
    max_distance: float
    bend: float
    """How far the ground drops below the plane, per square metre of distance."""


def viewshed(
    source: Path,
    target: Path,
    *,
    x: float,
    y: float,
    observer_height_m: float,
    target_height_m: float,
    max_distance_m: float,
    refraction: float = 0.13,
    tags: Mapping[str, str] | None = None,
) -> Seen:
    """Write bytes, 1 seen, 0 hidden, 255 too far or without a height, for the square around the observer.

    `x`, `y` are the observer's place in the raster's CRS. Wang, J., Robinson, G.J. and White, K. (2000),
    Generating viewsheds without using sightlines, PE&RS 66(1), 87-90, with the plane through the two nearer
    pixels on the line's edge, as gdal_viewshed. The ground drops by (1 - refraction) d² / diameter of the
    Earth. A raster in degrees is measured with the pixel size at the observer's latitude. Rows are read a
    strip at a time, outwards from the observer. Heights in another unit than metres (`ground.height_unit`)
    are brought into them. Raises RasterError for a point without a height.
    """
    metres = height_unit(source).metres
    with opened(source) as reader:
        grid = Grid.of(reader)
        north_up(grid, "viewshed")
        eye, ground = _eye(
            reader, grid, x, y, observer_height_m, target_height_m, max_distance_m, refraction, metres
        )
        window = _square(grid, eye)
        profile = geotiff_profile(
            int(window.width), int(window.height), count=1, dtype="uint8", nodata=UNKNOWN, crs=grid.crs,
            transform=grid.transform @ Affine.translation(window.col_off, window.row_off),
        )  # fmt: skip
        counts = np.zeros(2, np.int64)
        with rasterio.open(target, "w", **profile) as writer:
            below = _sweep(reader, grid, window, eye, 1, counts, writer, metres)
            _sweep(reader, grid, window, eye, -1, counts, writer, metres, first=below)
            writer.set_band_description(1, "visible")
            writer.update_tags(**(tags or {}))
    return Seen(ground, int(counts[0]), int(counts[1]), eye.pixel[0] * eye.pixel[1])


def _eye(
    reader: rasterio.DatasetReader,
    grid: Grid,
    x: float,
    y: float,
    height: float,
    target_height: float,
    max_distance: float,
    refraction: float,
    metres: float,
) -> tuple[_Eye, float]:
    row, column = (int(each) for each in rasterio.transform.rowcol(grid.transform, x, y))
    if not (0 <= row < grid.height and 0 <= column < grid.width):
        raise RasterError("The observer stands outside the raster; give a point within its bounds.")
    ground = metres * float(read_block(reader, (1,), Place(grid, Window(column, row, 1, 1)))[0, 0, 0])
    if not np.isfinite(ground):
        raise RasterError("The raster has no height where the observer stands; give a point that has one.")
    width, length = pixel_m(grid, row, 1)
    bend = (1.0 - refraction) / EARTH_DIAMETER_M
    pixel = (float(width[0]), float(length[0]))
    eye = _Eye(row, column, ground + height, float(target_height), pixel, float(max_distance), bend)
    return eye, ground


def _square(grid: Grid, eye: _Eye) -> Window:
    across, down = (int(eye.max_distance / size) for size in eye.pixel)
    left, top = max(0, eye.column - across), max(0, eye.row - down)
    right, bottom = min(grid.width, eye.column + across + 1), min(grid.height, eye.row + down + 1)
    return Window(left, top, right - left, bottom - top)


def _sweep(
    reader: rasterio.DatasetReader,
    grid: Grid,
    window: Window,
    eye: _Eye,
    step: int,
    counts: NDArray[np.int64],
    writer: Any,
    metres: float,
    first: NDArray[np.float64] | None = None,
) -> NDArray[np.float64]:
    """Go down (step 1, with the observer's row) or up (-1) by strips; the observer's row comes back."""
    column = eye.column - int(window.col_off)
    last = np.empty(int(window.width)) if first is None else first.copy()
    own = last
    for strip in _strips(window, eye, step):
        heights = read_block(reader, (1,), Place(grid, strip))[0].astype(np.float64) * metres
        seen = np.full(heights.shape, UNKNOWN, np.uint8)
        offset = abs(int(strip.row_off if step > 0 else strip.row_off + strip.height - 1) - eye.row)
        own_row = _rows(
            heights, seen, last, column, offset, step, eye.height, eye.target_height, eye.pixel[0],
            eye.pixel[1], eye.max_distance, eye.bend,
        )  # fmt: skip
        if offset == 0:
            own = own_row
        counts += (int((seen == VISIBLE).sum()), int((seen != UNKNOWN).sum()))
        place = Window(0, strip.row_off - window.row_off, strip.width, strip.height)
        writer.write(seen, 1, window=place)
    return own


def _strips(window: Window, eye: _Eye, step: int) -> Iterator[Window]:
    """Whole rows of the window, outwards from the observer's row; going up begins above it."""
    rows = max(1, _STRIP_PX // int(window.width))
    top, bottom = int(window.row_off), int(window.row_off + window.height)
    if step > 0:
        for row in range(eye.row, bottom, rows):
            yield Window(window.col_off, row, window.width, min(rows, bottom - row))
    else:
        for row in range(eye.row, top, -rows):
            start = max(top, row - rows)
            yield Window(window.col_off, start, window.width, row - start)


@njit(cache=True, nogil=True, error_model="numpy")
def _rows(
    z: Any, seen: Any, last: Any, at: int, offset: int, step: int, eye: float, target: float, width: float,
    length: float, reach: float, bend: float,
) -> Any:  # fmt: skip
    """Decide the rows of a strip, the nearest first; `last` is the row before and becomes the last one.

    Rows hold the least height that can be seen: the ground's, or that of the plane over what hides it.
    """
    rows, columns = z.shape
    own = last.copy()
    for k in range(rows):
        i = k if step > 0 else rows - 1 - k
        down = offset + k
        line = z[i].copy()
        for side in (1, -1):
            for across in range(0 if side == 1 else 1, columns):
                j = at + side * across
                if j < 0 or j >= columns:
                    break
                square = (across * width) ** 2 + (down * length) ** 2
                if square > reach * reach:
                    break
                ground = line[j] - bend * square
                if across <= 1 and down <= 1:
                    plane = -np.inf  # nothing stands between the observer and the eight neighbours
                elif down == 0:
                    plane = _beyond(across, line[j - side], eye)
                elif across == 0:
                    plane = _beyond(down, last[j], eye)
                elif across >= down:
                    plane = _edge(down, across, last[j - side], line[j - side], eye)
                else:
                    plane = _edge(across, down, last[j - side], last[j], eye)
                line[j] = plane if ground != ground or ground < plane else ground
                if ground == ground:
                    seen[i, j] = 1 if ground + target >= plane else 0
        last[:] = line
        if down == 0:
            own = line.copy()
    return own


@njit(cache=True, nogil=True, error_model="numpy")
def _beyond(steps: int, near: float, eye: float) -> float:
    """The height at `steps` pixels of the line from the eye over the pixel before."""
    return (near - eye) / (steps - 1) + near


@njit(cache=True, nogil=True, error_model="numpy")
def _edge(short: int, long: int, corner: float, side: float, eye: float) -> float:
    """The height of the plane through the eye and the two nearer pixels, at the pixel beyond their edge."""
    if short == long:
        return _beyond(short, corner, eye)
    return ((corner - eye) * short + (side - eye) * (long - short)) / (long - 1) + eye

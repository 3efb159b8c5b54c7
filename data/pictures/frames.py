"""Give a picture another size, another frame or another turn. The transform follows, so its place is kept."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
from affine import Affine
from numpy.typing import NDArray
from rasterio.enums import ColorInterp, Resampling
from rasterio.errors import RasterioError
from rasterio.io import MemoryFile
from rasterio.warp import reproject
from rasterio.windows import Window

from data.raster.clip import read_raw
from data.raster.copying import Copy, copy_of, has_mask
from data.raster.errors import RasterError
from data.raster.files import opened
from data.raster.windows import Grid, windows

MAX_HELD_PX = 64_000_000
"""Most pixels of a band that is held whole: of a resized picture, or one that is turned by any angle."""
MAX_SIDE_PX = 100_000
METHODS = ("auto", "nearest", "bilinear", "cubic", "average", "lanczos")
_NOTHING = float(np.finfo("float32").min)
_PLANE = "EPSG:3857"
_ON_PLANE = Affine(10, 0, 500_000, 0, -10, 5_000_000)
"""Any plane will do for a warp that only turns, and any place on it but pixels that are their own metres:
GDAL takes those for no place at all."""


def resize(source: Path, target: Path, width: int, height: int, method: str = "auto") -> str:
    """Write `source` with width x height pixels over the same ground; the method that was used.

    GDAL's resampling. "auto" averages where the picture shrinks, is bilinear where it grows, and takes the
    nearest pixel of classes (a band with a palette). Raises RasterError for a result that is too large.
    """
    if width * height > MAX_HELD_PX or max(width, height) > MAX_SIDE_PX:
        raise RasterError(
            f"{width:,} x {height:,} pixels are too many for a picture; {MAX_HELD_PX:,} in all are the most."
        )
    with opened(source) as reader:
        if method == "auto":
            palette = ColorInterp.palette in reader.colorinterp
            shrinks = width <= reader.width and height <= reader.height
            method = "nearest" if palette else "average" if shrinks else "bilinear"
        scaled = _moved(reader, Affine.scale(reader.width / width, reader.height / height))
        with copy_of(reader, target, Grid(reader.crs, scaled, width, height), holes=False) as copy:
            for number in range(1, reader.count + 1):
                copy.writer.write(_band(reader, number, (height, width), Resampling[method]), number)
            if copy.masked:
                copy.writer.write_mask(reader.dataset_mask(out_shape=(height, width)) > 0)
    return method


def _band(reader: Any, number: int, shape: tuple[int, int], method: Resampling) -> NDArray[Any]:
    """A band in another size. GDAL leaves a nodata that is a number out of what it mixes, and next to
    not-a-number makes all of it that: for a raster that can be held it is a number meanwhile."""
    nodata = reader.nodata
    if nodata is None or not math.isnan(nodata) or reader.width * reader.height > MAX_HELD_PX:
        return np.asarray(reader.read(number, out_shape=shape, resampling=method))
    whole = reader.read(number)
    whole[np.isnan(whole)] = _NOTHING
    kept = {"driver": "GTiff", "width": reader.width, "height": reader.height, "count": 1}
    with MemoryFile() as memory:
        with memory.open(**kept, dtype=whole.dtype, nodata=_NOTHING) as held:
            held.write(whole, 1)
        with memory.open() as held:
            values = np.asarray(held.read(1, out_shape=shape, resampling=method))
    values[values == _NOTHING] = math.nan
    return values


def crop(
    source: Path, target: Path, left: int, top: int, width: int, height: int
) -> tuple[int, int, int, int]:
    """Write a window of `source`, pixels from its upper left corner; the window that lay on it.

    Raises RasterError where nothing of it does.
    """
    with opened(source) as reader:
        right, bottom = min(left + width, reader.width), min(top + height, reader.height)
        if right <= left or bottom <= top:
            raise RasterError(
                f"The window from column {left:,} and row {top:,} lies beside the picture, which has "
                f"{reader.width:,} x {reader.height:,} pixels."
            )
        moved = _moved(reader, Affine.translation(left, top))
        grid = Grid(reader.crs, moved, right - left, bottom - top)
        with copy_of(reader, target, grid, holes=False) as copy:
            for window in windows(grid):
                there = Window(window.col_off + left, window.row_off + top, window.width, window.height)
                copy.write(read_raw(reader, (), there), window, _mask(reader, there, copy))
    return left, top, right - left, bottom - top


def rotate(source: Path, target: Path, degrees: float) -> None:
    """Write `source` turned clockwise about its middle, the frame widened so that all of it is seen.

    Quarter turns move pixels and change none; other angles are bilinear (nearest for classes), and the
    corners have no value. Raises RasterError for a picture too large to be turned by such an angle.
    """
    turns, over = divmod(degrees % 360, 90)
    with opened(source) as reader:
        if over == 0:
            _quarters(reader, target, int(turns))
        else:
            _any_angle(reader, target, degrees)


def _quarters(reader: Any, target: Path, turns: int) -> None:
    """Strip by strip: each strip of the result is read from where it came."""
    width, height = reader.width, reader.height
    size = (width, height) if turns % 2 == 0 else (height, width)
    back = {
        0: Affine.identity(),
        1: Affine(0, 1, 0, -1, 0, height),
        2: Affine(-1, 0, width, 0, -1, height),
        3: Affine(0, -1, width, 1, 0, 0),
    }[turns]
    grid = Grid(reader.crs, _moved(reader, back), *size)
    with copy_of(reader, target, grid, holes=False) as copy:
        for window in windows(grid):
            ends = (
                back @ (window.col_off, window.row_off),
                back @ (window.col_off + window.width, window.row_off + window.height),
            )
            left, right = sorted(round(x) for x, _ in ends)
            top, bottom = sorted(round(y) for _, y in ends)
            there = Window(left, top, right - left, bottom - top)
            valid = _mask(reader, there, copy)
            values = np.rot90(read_raw(reader, (), there), -turns, axes=(1, 2))
            copy.write(values, window, None if valid is None else np.rot90(valid, -turns))


def _any_angle(reader: Any, target: Path, degrees: float) -> None:
    width, height = reader.width, reader.height
    cosine, sine = abs(math.cos(math.radians(degrees))), abs(math.sin(math.radians(degrees)))
    wide = max(1, math.ceil(width * cosine + height * sine - 1e-9))
    high = max(1, math.ceil(width * sine + height * cosine - 1e-9))
    if wide * high > MAX_HELD_PX:
        raise RasterError(
            f"{width:,} x {height:,} pixels are too many to be turned by {degrees:g} degrees; turn it by a "
            "quarter, or resize it first."
        )
    back = (
        Affine.translation(width / 2, height / 2)
        @ Affine.rotation(-degrees)
        @ Affine.translation(-wide / 2, -high / 2)
    )
    grid = Grid(reader.crs, _moved(reader, back), wide, high)
    nearest = ColorInterp.palette in reader.colorinterp
    with copy_of(reader, target, grid) as copy:
        for number in range(1, reader.count + 1):
            mask = reader.read_masks(number)
            shown = _turned(mask, back, (high, wide), Resampling.nearest, 0) > 0
            method = Resampling.nearest if nearest else Resampling.bilinear
            values = _turned(reader.read(number), back, (high, wide), method, reader.nodata)
            fill = 0 if copy.nodata is None else copy.nodata
            copy.writer.write(np.where(shown, values, np.asarray(fill).astype(values.dtype)), number)
        if copy.masked:
            mask = reader.dataset_mask()
            copy.writer.write_mask(_turned(mask, back, (high, wide), Resampling.nearest, 0) > 0)


def _turned(
    values: NDArray[Any], back: Affine, shape: tuple[int, int], method: Resampling, nodata: float | None
) -> NDArray[Any]:
    """Values as they are seen where `back` leads to their pixels."""
    made = np.zeros(shape, values.dtype)
    try:
        reproject(
            values,
            made,
            src_transform=_ON_PLANE,
            dst_transform=_ON_PLANE @ back,
            src_crs=_PLANE,
            dst_crs=_PLANE,
            src_nodata=nodata,
            resampling=method,
        )
    except (RasterioError, ValueError) as error:
        raise RasterError("The picture is too small to be turned by that angle.") from error
    return made


def _moved(reader: Any, back: Affine) -> Affine:
    """The transform of a picture whose pixels `back` leads to the reader's; none stays none."""
    nowhere = reader.crs is None and reader.transform == Affine.identity()
    moved: Affine = reader.transform if nowhere else reader.transform @ back
    return moved


def _mask(reader: Any, window: Window, copy: Copy) -> NDArray[np.bool_] | None:
    """The file's own mask there, for a copy that has one too."""
    if not (copy.masked and has_mask(reader)):
        return None
    mask: NDArray[np.bool_] = reader.dataset_mask(window=window) > 0
    return mask

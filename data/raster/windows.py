"""Compute on rasters of any size: strip by strip, with a margin where a pixel needs its neighbours."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import rasterio
from affine import Affine
from numpy.typing import NDArray
from rasterio.crs import CRS
from rasterio.errors import RasterioError
from rasterio.windows import Window

from data.raster.errors import RasterError
from data.raster.files import BLOCK_PX, geotiff_profile, opened
from data.raster.zoomed import Zoomed

STRIP_PX = 8_000_000
"""Most pixels of one band in a strip: 32 MB of float32."""
THREADS = max(1, min(4, os.cpu_count() or 1))


@dataclass(frozen=True)
class Grid:
    """Where a raster's pixels lie."""

    crs: CRS | None
    transform: Affine
    width: int
    height: int

    @classmethod
    def of(cls, source: rasterio.DatasetReader) -> Grid:
        """The grid of an open raster."""
        return cls(source.crs, source.transform, source.width, source.height)

    def same_as(self, other: Grid) -> bool:
        """Whether pixel (i, j) lies at one place in both, to a thousandth of a pixel."""
        if (self.crs, self.width, self.height) != (other.crs, other.width, other.height):
            return False
        pixel = max(abs(self.transform.a), abs(self.transform.b))
        return all(
            abs(one - two) <= 1e-3 * pixel for one, two in zip(self.transform, other.transform, strict=True)
        )


@dataclass(frozen=True)
class Band:
    """Some bands of a raster file, numbered from 1; None means all."""

    path: Path
    numbers: tuple[int, ...] | None = None
    onto: Grid | None = None
    """The grid that it is brought onto while it is read; None for its own. Its numbers must be given then."""
    resampling: str = "nearest"
    """How, by the name that rasterio has for it: nearest, bilinear, cubic, average …"""


@dataclass(frozen=True)
class Place:
    """Where a block lies in its raster: the window without the margin, and the margin in pixels."""

    grid: Grid
    window: Window
    halo: int = 0

    @property
    def first_row(self) -> int:
        """The raster row of the block's first row, margin included; negative above the raster."""
        return int(self.window.row_off) - self.halo

    @property
    def first_column(self) -> int:
        """The raster column of the block's first column, margin included."""
        return int(self.window.col_off) - self.halo


Block = NDArray[Any]
"""(bands, rows, columns); floating point, not-a-number where the raster has nodata or ends."""
Function = Callable[[list[Block], Place], NDArray[Any]]
"""From one block of each source to (count, rows, columns) or (rows, columns), margin included."""


def grid_of(path: Path) -> Grid:
    """The grid of a raster file. Raises RasterError when it cannot be read."""
    with opened(path) as source:
        return Grid.of(source)


def windows(grid: Grid, pixels: int = STRIP_PX) -> Iterator[Window]:
    """Windows that cover the grid from the top, at most about `pixels` each: whole rows where they fit."""
    columns = min(grid.width, max(BLOCK_PX, pixels // BLOCK_PX // BLOCK_PX * BLOCK_PX))
    rows = max(1, pixels // columns)
    rows = rows // BLOCK_PX * BLOCK_PX or rows
    for row in range(0, grid.height, rows):
        for column in range(0, grid.width, columns):
            yield Window(column, row, min(columns, grid.width - column), min(rows, grid.height - row))


def compute(
    sources: Sequence[Path | Band],
    target: Path,
    function: Function,
    *,
    halo: int = 0,
    count: int = 1,
    dtype: str = "float32",
    nodata: float | None = float("nan"),
    descriptions: Sequence[str] = (),
    units: Sequence[str] = (),
    tags: Mapping[str, str] | None = None,
    pixels: int = STRIP_PX,
) -> None:
    """Write the GeoTIFF `target` from what `function` makes of the sources' blocks.

    Every source must lie on the grid of the first. The blocks are read and written in order by the caller's
    thread and computed by a few others, so memory does not grow with the raster. Where the result is not a
    number, an integer `dtype` gets `nodata`. Raises RasterError for grids that differ or a broken file.
    """
    bands = [each if isinstance(each, Band) else Band(each) for each in sources]
    with ExitStack() as stack:
        readers = [reader_of(stack, each) for each in bands]
        grid = _common_grid(readers, bands)
        profile = geotiff_profile(
            grid.width,
            grid.height,
            count=count,
            dtype=dtype,
            nodata=nodata,
            crs=grid.crs,
            transform=grid.transform,
        )
        writer = stack.enter_context(rasterio.open(target, "w", **profile))
        pool = stack.enter_context(ThreadPoolExecutor(THREADS, thread_name_prefix="raster"))
        waiting: deque[tuple[Place, Future[NDArray[Any]]]] = deque()
        for window in windows(grid, pixels):
            place = Place(grid, window, halo)
            blocks = [
                read_block(reader, each.numbers, place) for reader, each in zip(readers, bands, strict=True)
            ]
            waiting.append((place, pool.submit(_made, function, blocks, place, dtype, nodata)))
            if len(waiting) > THREADS:
                _write(writer, *waiting.popleft())
        while waiting:
            _write(writer, *waiting.popleft())
        _describe(writer, descriptions, units, tags or {})


def reader_of(stack: ExitStack, band: Band) -> Any:
    """The open file of a band, brought onto another grid where it asks for that."""
    from rasterio.enums import Resampling
    from rasterio.vrt import WarpedVRT

    reader = stack.enter_context(opened(band.path))
    if band.onto is None or band.onto.same_as(Grid.of(reader)):
        return reader
    onto = band.onto
    if reader.crs is not None and Zoomed.suits(reader, onto):
        return Zoomed(reader, onto, band.resampling)
    if reader.crs is None or onto.crs is None:
        raise RasterError(f"{band.path.name} cannot be laid over another raster: one of them has no CRS.")
    # Without a value for it, what lies beside the raster is told by an opacity band behind the others.
    alpha = reader.nodata is None and rasterio.enums.ColorInterp.alpha not in reader.colorinterp
    try:
        warped = WarpedVRT(
            reader,
            crs=onto.crs,
            transform=onto.transform,
            width=onto.width,
            height=onto.height,
            resampling=Resampling[band.resampling],
            add_alpha=alpha,
        )
    except RasterioError as error:
        raise RasterError(f"{band.path.name} cannot be brought onto the other raster's grid.") from error
    return stack.enter_context(warped)


def read_block(reader: rasterio.DatasetReader, numbers: Sequence[int] | None, place: Place) -> Block:
    """A block with its margin as floating point; not-a-number where there is nodata or no raster.

    Bytes and 16-bit integers become float32, which holds them exactly; longer numbers float64; complex ones
    (radar) their amplitude.
    """
    chosen = tuple(numbers or range(1, reader.count + 1))
    wanted, halo = place.window, place.halo
    top, left = min(halo, int(wanted.row_off)), min(halo, int(wanted.col_off))
    bottom = min(halo, reader.height - int(wanted.row_off + wanted.height))
    right = min(halo, reader.width - int(wanted.col_off + wanted.width))
    window = Window(
        wanted.col_off - left, wanted.row_off - top, wanted.width + left + right, wanted.height + top + bottom
    )
    dtype = _working_dtype([reader.dtypes[number - 1] for number in chosen])
    with readable(reader, wanted):
        values = reader.read(chosen, window=window)
        missing = [missing_in(reader, number, window, values[at]) for at, number in enumerate(chosen)]
    values = (np.abs(values) if values.dtype.kind == "c" else values).astype(dtype, copy=False)
    for band, none in zip(values, missing, strict=True):
        if none is not None:
            band[none] = np.nan
    margin = ((0, 0), (halo - top, halo - bottom), (halo - left, halo - right))
    return np.pad(values, margin, constant_values=np.nan) if any(map(any, margin)) else values


@contextmanager
def readable(reader: rasterio.DatasetReader, window: Window) -> Iterator[None]:
    """Raises RasterError, with where that is, for a window whose pixels cannot be read."""
    try:
        yield
    except RasterioError as error:
        raise RasterError(
            f"{Path(reader.name).name} is broken near row {int(window.row_off)}: its pixels cannot be read."
        ) from error


def _working_dtype(dtypes: Sequence[str]) -> str:
    if all(each in ("complex64", "complex_int16") for each in dtypes):
        return "float32"
    return "float32" if all(np.can_cast(each, "float32") for each in dtypes) else "float64"


def missing_in(
    reader: rasterio.DatasetReader, number: int, window: Window, stored: NDArray[Any]
) -> NDArray[np.bool_] | None:
    """Where a band has no value, not-a-number aside; None where it has values everywhere."""
    flags = reader.mask_flag_enums[number - 1]
    if rasterio.enums.MaskFlags.all_valid in flags:
        return None
    nodata = reader.nodatavals[number - 1]
    if nodata is None or rasterio.enums.MaskFlags.nodata not in flags:
        masked: NDArray[np.bool_] = reader.read_masks(number, window=window) == 0
        return masked
    # Told by the value itself: asking for the mask would read, or warp, the block a second time.
    return is_nodata(stored, nodata)


HUGE = 1e30
"""Beyond it, nodata is told with fewer digits than there are: Esri's -3.40282306e38 for the least float."""


def is_nodata(stored: NDArray[Any], nodata: float) -> NDArray[np.bool_] | None:
    """Which stored numbers are the nodata value; None where none can be. Not-a-number is not looked for.

    A float is compared as its type holds it; a huge one with all that lie beyond, or as near as GDAL's masks
    take for the same.
    """
    if np.isnan(nodata):
        return None
    if stored.dtype.kind in "iu":
        info = np.iinfo(stored.dtype)
        held = float(nodata).is_integer() and info.min <= nodata <= info.max
        return stored == int(nodata) if held else None
    if abs(nodata) >= HUGE and stored.dtype.kind == "f":
        near = nodata * (1 - 5e-7)
        return stored <= near if nodata < 0 else stored >= near
    with np.errstate(over="ignore"):
        found: NDArray[np.bool_] = stored == np.asarray(nodata).astype(stored.dtype)
    return found


def _common_grid(readers: Sequence[rasterio.DatasetReader], bands: Sequence[Band]) -> Grid:
    grid = Grid.of(readers[0])
    for reader, band in zip(readers, bands, strict=True):
        if not grid.same_as(Grid.of(reader)):
            raise RasterError(
                f"{bands[0].path.name} and {band.path.name} lie on different grids "
                f"({grid.width} x {grid.height} and {reader.width} x {reader.height} pixels); "
                "bring one onto the other with raster_reproject first."
            )
        if band.numbers and max(band.numbers) > reader.count:
            raise RasterError(f"There is no band {max(band.numbers)}: {band.path.name} has {reader.count}.")
    return grid


def _made(
    function: Function, blocks: list[Block], place: Place, dtype: str, nodata: float | None
) -> NDArray[Any]:
    """What a function makes of blocks as it is written: without the margin, in the target's data type."""
    values = function(blocks, place)
    if values.ndim == 2:
        values = values[np.newaxis]
    if place.halo:
        values = values[
            :, place.halo : values.shape[1] - place.halo, place.halo : values.shape[2] - place.halo
        ]
    kind = np.dtype(dtype)
    if kind.kind in "iu" and values.dtype.kind == "f":
        info = np.iinfo(kind)
        # Float32 cannot hold the ends of longer types: 2**31 - 1 would become 2**31 and wrap around.
        whole = np.rint(values, dtype=np.float64 if kind.itemsize > 2 else None)
        np.clip(whole, info.min, info.max, out=whole)
        missing = np.isnan(whole)
        if missing.any():
            whole[missing] = nodata if nodata is not None else 0
        values = whole
    return values.astype(kind, copy=False)


def _write(writer: Any, place: Place, made: Future[NDArray[Any]]) -> None:
    writer.write(made.result(), window=place.window)


def _describe(
    writer: Any, descriptions: Sequence[str], units: Sequence[str], tags: Mapping[str, str]
) -> None:
    for number, text in enumerate(descriptions, start=1):
        writer.set_band_description(number, text)
    if units:
        writer.units = tuple(units)
    writer.update_tags(**tags)

"""Fill the holes of a raster from what lies around them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import rasterio
from numpy.typing import NDArray
from rasterio.windows import Window

from data.raster.files import geotiff_profile, opened
from data.raster.windows import Grid, Place, missing_in, read_block, readable, windows


@dataclass(frozen=True)
class Filled:
    """How many pixels had no value, and how many still have none."""

    holes_px: int
    left_px: int


def fill_nodata(
    source: Path,
    target: Path,
    *,
    max_distance_px: int = 100,
    smoothing: int = 0,
    tags: Mapping[str, str] | None = None,
) -> Filled:
    """Interpolate pixels without a value from those with one, at most `max_distance_px` away, in all bands.

    Inverse-distance weighting of the nearest values in four directions, then `smoothing` passes of a 3 x 3
    mean over what was filled (GDAL's fillnodata). Parts without holes are left out; each with some sees a
    margin as wide as the search, so that seams do not show. Raises RasterError.
    """
    holes_px = left_px = 0
    with opened(source) as reader:
        grid, dtype = Grid.of(reader), reader.dtypes[0]
        nodata = float("nan") if reader.nodata is None and np.dtype(dtype).kind == "f" else reader.nodata
        profile = geotiff_profile(
            grid.width, grid.height, count=reader.count, dtype=dtype, nodata=nodata, crs=grid.crs,
            transform=grid.transform,
        )  # fmt: skip
        with rasterio.open(target, "w", **profile) as writer:
            for window in windows(grid):
                with readable(reader, window):
                    values = reader.read(window=window, out_dtype=dtype)
                    holes = [_holes(reader, at, window, band) for at, band in enumerate(values, start=1)]
                for number, (band, missing) in enumerate(zip(values, holes, strict=True), start=1):
                    holes_px += int(missing.sum())
                    for part in _parts(missing, max_distance_px):
                        place = Place(grid, _window(window, part), max_distance_px + smoothing + 1)
                        found = _around(reader, number, place, max_distance_px, smoothing)[missing[part]]
                        left_px += int(np.isnan(found).sum())
                        band[part][missing[part]] = _stored(found, band.dtype, nodata)
                writer.write(values, window=window)
            for number, text in enumerate(reader.descriptions, start=1):
                writer.set_band_description(number, text or "")
            writer.update_tags(**(tags or {}))
    return Filled(holes_px, left_px)


def _holes(
    reader: rasterio.DatasetReader, number: int, window: Window, stored: NDArray[Any]
) -> NDArray[np.bool_]:
    """Where a band has no value, or one that is no number."""
    missing = missing_in(reader, number, window, stored)
    none: NDArray[np.bool_] = np.zeros(stored.shape, bool) if missing is None else missing
    return none | ~np.isfinite(stored) if stored.dtype.kind in "fc" else none


def _window(window: Window, part: tuple[slice, slice]) -> Window:
    """Where a part of a window lies in the raster."""
    rows, columns = part
    return Window(
        window.col_off + columns.start, window.row_off + rows.start, columns.stop - columns.start,
        rows.stop - rows.start,
    )  # fmt: skip


def _around(
    reader: rasterio.DatasetReader, number: int, place: Place, max_distance_px: int, smoothing: int
) -> NDArray[Any]:
    """The filled values of a part, which is read with the margin that a search from its edge needs."""
    values = read_block(reader, (number,), place)[0]
    own = _within(place, values.shape)
    values[own] = _filled(values[own], max_distance_px, smoothing)
    inner: NDArray[Any] = values[place.halo : -place.halo, place.halo : -place.halo]
    return inner


def _stored(values: NDArray[Any], dtype: np.dtype[Any], nodata: float | None) -> NDArray[Any]:
    """Values as they are written: whole numbers within their type, and nodata where there is none."""
    missing = np.isnan(values)
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        values = np.clip(np.rint(values, dtype=np.float64), info.min, info.max)
    return np.where(missing, 0.0 if nodata is None else nodata, values).astype(dtype)


_UNREACHED = np.float32(-3.0e38)
"""What pixels to fill come in with: GDAL leaves it where it reaches no value."""


def _filled(values: NDArray[Any], max_distance_px: int, smoothing: int) -> NDArray[Any]:
    from rasterio.fill import fillnodata

    known = np.isfinite(values)
    if not known.any():
        return values
    image = np.where(known, values, _UNREACHED).astype(np.float32)
    made: NDArray[Any] = fillnodata(image, known.astype(np.uint8), max_distance_px, smoothing)
    made[made == _UNREACHED] = np.nan
    return np.where(known, values, made)


def _parts(holes: NDArray[np.bool_], reach: int) -> Iterator[tuple[slice, slice]]:
    """The parts of a window that have holes, those apart whose margins would not meet."""
    with_hole = np.flatnonzero(holes.any(axis=0))
    for columns in np.split(with_hole, np.flatnonzero(np.diff(with_hole) > 2 * reach) + 1):
        if columns.size:
            first, last = int(columns[0]), int(columns[-1]) + 1
            rows = np.flatnonzero(holes[:, first:last].any(axis=1))
            yield slice(int(rows[0]), int(rows[-1]) + 1), slice(first, last)


def _within(place: Place, shape: tuple[int, ...]) -> tuple[slice, slice]:
    """The part of a block that lies on the raster: a margin beyond its edge is none of its holes."""
    rows = slice(max(0, -place.first_row), min(shape[0], place.grid.height - place.first_row))
    columns = slice(max(0, -place.first_column), min(shape[1], place.grid.width - place.first_column))
    return rows, columns

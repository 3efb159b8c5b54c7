"""Bring one image onto another by the shift that their pixels say, to a fraction of a pixel."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import rasterio
from affine import Affine
from numpy.typing import NDArray
from rasterio.enums import Resampling
from rasterio.vrt import WarpedVRT
from rasterio.windows import Window

from data.raster.errors import RasterError
from data.raster.files import geotiff_profile, opened
from data.raster.ground import north_up, pixel_m
from data.raster.shifting import Beside
from data.raster.windows import Grid, windows

_COARSE_PX = 1024
_TILE_PX = 512
_WINDOW_PX = 4_000_000
_TILES = 3
_FINENESS = 100
"""Shifts are found to a hundredth of a pixel."""
_LEAST_SHARE = 0.6
"""Share of a tile that must have values in both images."""


@dataclass(frozen=True)
class Shift:
    """How far the moving image was moved: columns to the right, rows down, metres east and north."""

    columns: float
    rows: float
    east_m: float
    north_m: float
    spread_px: float
    """The median distance of the tiles' own shifts from it; 0 for a single tile."""
    tiles: int
    correlation_before: float
    correlation_after: float


def coregister(
    reference: Path,
    moving: Path,
    target: Path,
    *,
    band: int = 1,
    reference_band: int = 1,
    max_shift_px: float = 256.0,
    tags: Mapping[str, str] | None = None,
) -> Shift:
    """Write `moving` on the grid of `reference`, moved onto it, bilinear, in its own type.

    Phase correlation (Guizar-Sicairos, Thurman and Fienup 2008, Efficient subpixel image registration
    algorithms, Optics Letters 33, 156-158, as in scikit-image): first of both images at up to 1024 pixels
    a side, then of up to nine tiles of 512 pixels, whose median shift is taken. Raises RasterError when the
    images do not overlap, are moved farther than `max_shift_px`, or are no more alike after it.
    """
    with opened(reference) as one, opened(moving) as other:
        grid = Grid.of(one)
        north_up(grid, "coregister")
        if other.crs is None:
            raise RasterError(
                f"{moving.name} has no CRS, so where it should lie is not known; place_raster gives one."
            )
        coarse = _coarse(one, other, grid, (reference_band, band))
        shifts = _fine(one, other, grid, (reference_band, band), coarse)
        rows, columns = (float(each) for each in np.median(shifts, axis=0))
        if np.hypot(rows, columns) > max_shift_px:
            raise RasterError(
                f"The images seem {np.hypot(rows, columns):,.1f} pixels apart, over the {max_shift_px:g} "
                "allowed; they may show different places."
            )
        before, after = (
            _likeness(one, other, grid, (reference_band, band), each)
            for each in ((0.0, 0.0), (rows, columns))
        )
        if not after >= before - 1e-3:
            raise RasterError(
                f"No shift was found that makes the images more alike: their correlation is {before:.3f} as "
                f"they lie and {after:.3f} after the best shift."
            )
        _write(other, grid, target, (rows, columns), tags)
    width, height = (float(each[0]) for each in pixel_m(grid, grid.height // 2, 1))
    spread = float(np.median(np.hypot(shifts[:, 0] - rows, shifts[:, 1] - columns)))
    return Shift(columns, rows, columns * width, -rows * height, spread, len(shifts), before, after)


def _moved(
    other: rasterio.DatasetReader,
    grid: Grid,
    shift: tuple[float, float],
    resampling: Resampling = Resampling.bilinear,
    **more: Any,
) -> WarpedVRT:
    """The moving image on the reference's grid, moved down and right by (rows, columns)."""
    return WarpedVRT(
        other,
        crs=grid.crs,
        transform=grid.transform @ Affine.translation(-shift[1], -shift[0]),
        width=grid.width,
        height=grid.height,
        resampling=resampling,
        **more,
    )


def _coarse(one: Any, other: Any, grid: Grid, bands: tuple[int, int]) -> tuple[float, float]:
    factor = max(1.0, max(grid.width, grid.height) / _COARSE_PX)
    shape = (max(1, round(grid.height / factor)), max(1, round(grid.width / factor)))
    still = one.read(bands[0], out_shape=shape, masked=True, resampling=Resampling.average)
    if (beside := Beside.of(other, grid)) is not None:
        moving = beside.thinned(bands[1], shape)
    else:
        step = Affine.scale(grid.width / shape[1], grid.height / shape[0])
        thin = Grid(grid.crs, grid.transform @ step, shape[1], shape[0])
        how = Resampling.average if factor > 1 else Resampling.bilinear
        with _moved(other, thin, (0.0, 0.0), resampling=how) as warped:
            moving = warped.read(bands[1], masked=True)
    found = _shift_of(still, moving, least=0.05)
    if found is None:
        raise RasterError("The two images do not overlap, or have no values where they do.")
    return found[0] * grid.height / shape[0], found[1] * grid.width / shape[1]


def _fine(
    one: Any, other: Any, grid: Grid, bands: tuple[int, int], coarse: tuple[float, float]
) -> NDArray[np.float64]:
    """(tiles, 2) shifts in rows and columns, each of a tile; the coarse one when no tile will do."""
    whole = (float(round(coarse[0])), float(round(coarse[1])))
    found = []
    with _moved(other, grid, whole) as warped:
        for window in _tiles(grid):
            pair = [
                source.read(number, window=window, masked=True)
                for source, number in zip((one, warped), bands, strict=True)
            ]
            shift = _shift_of(*pair, least=_LEAST_SHARE)
            # A tile without texture says anything; beyond some pixels it contradicts the coarse shift.
            if shift is not None and np.hypot(*shift) <= 0.05 * _TILE_PX:
                found.append((whole[0] + shift[0], whole[1] + shift[1]))
    return np.array(found or [coarse], dtype=np.float64)


def _tiles(grid: Grid) -> list[Window]:
    height, width = min(_TILE_PX, grid.height), min(_TILE_PX, grid.width)
    rows = sorted({round(at) for at in np.linspace(0, grid.height - height, _TILES)})
    columns = sorted({round(at) for at in np.linspace(0, grid.width - width, _TILES)})
    if grid.height < 2 * _TILE_PX:
        rows = rows[:1] if grid.height <= _TILE_PX else rows
    return [Window(column, row, width, height) for row in rows for column in columns]


def _shift_of(one: Any, other: Any, *, least: float) -> tuple[float, float] | None:
    """The (rows, columns) that bring the second image onto the first; None where too little is known."""
    from skimage.registration import phase_cross_correlation

    known = ~np.ma.getmaskarray(one) & ~np.ma.getmaskarray(other)
    values = [np.ma.getdata(each).astype(np.float64) for each in (one, other)]
    known &= np.isfinite(values[0]) & np.isfinite(values[1])
    if known.mean() < least or min(known.shape) < 4:
        return None
    fade = np.outer(np.hanning(known.shape[0] + 2)[1:-1], np.hanning(known.shape[1] + 2)[1:-1])
    faded = [np.where(known, each - each[known].mean(), 0.0) * fade for each in values]
    if any(not each.any() for each in faded):
        return None
    correlate: Any = phase_cross_correlation
    shift, *_ = correlate(*faded, upsample_factor=_FINENESS, normalization=None)
    return float(shift[0]), float(shift[1])


def _likeness(one: Any, other: Any, grid: Grid, bands: tuple[int, int], shift: tuple[float, float]) -> float:
    """Pearson's correlation of both images where both have values, at up to 1024 pixels a side."""
    left, top = max(0, (grid.width - _COARSE_PX) // 2), max(0, (grid.height - _COARSE_PX) // 2)
    window = Window(left, top, min(_COARSE_PX, grid.width), min(_COARSE_PX, grid.height))
    with _moved(other, grid, shift) as warped:
        pair = [
            source.read(number, window=window, masked=True).astype(np.float64).filled(np.nan)
            for source, number in zip((one, warped), bands, strict=True)
        ]
    known = np.isfinite(pair[0]) & np.isfinite(pair[1])
    if known.sum() < 9 or min(each[known].std() for each in pair) == 0:
        return 0.0
    return float(np.corrcoef(pair[0][known], pair[1][known])[0, 1])


def _write(
    other: Any, grid: Grid, target: Path, shift: tuple[float, float], tags: Mapping[str, str] | None
) -> None:
    dtype = other.dtypes[0]
    nodata = other.nodata if other.nodata is not None else (np.nan if np.dtype(dtype).kind == "f" else 0)
    profile = geotiff_profile(
        grid.width,
        grid.height,
        count=other.count,
        dtype=dtype,
        nodata=nodata,
        crs=grid.crs,
        transform=grid.transform,
    )
    beside = Beside.of(other, grid)
    with ExitStack() as stack:
        writer = stack.enter_context(rasterio.open(target, "w", **profile))
        warped: Any = None if beside else stack.enter_context(_moved(other, grid, shift, nodata=nodata))
        for window in windows(grid, _WINDOW_PX):
            made = beside.moved(window, shift, nodata) if beside else warped.read(window=window)
            writer.write(made, window=window)
        for number, text in enumerate(other.descriptions, start=1):
            writer.set_band_description(number, text or "")
        writer.update_tags(**(tags or {}))

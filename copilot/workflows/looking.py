"""Measures what spoils a raster, from its own pixels and from those of another that shows the same ground.

Limits lie far outside of what images in order have, so that an image in order is left as it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

GAPS_PCT, GAPS_REACH_PX = 5.0, 3
"""Gaps are filled from so many per cent on, where nearly all lie so near to a pixel that has a value."""
NOISY = 0.45
"""Noise against the spread of the values. In 32 images of sensors in order it was 0.26 at most."""
FEWEST_LOOKS = 1.5
"""Radar as it is delivered had the evenness of 15 looks and more in its quiet squares."""
CLEAREST_HAZE = 0.55
"""A mean transmission under this is haze that hides colours; of clear images it was 0.61 at least."""
CLOUDED_PCT = 5.0
FLAT = 0.35
"""The spread of one date against the other's, under which its contrast is gone."""
SHIFTED_PX, FARTHEST_PX, MORE_ALIKE = 2.0, 32, 0.15
"""A shift is put right from so far on, and where it makes the dates so much more alike."""
SAME_GROUND = 0.5
"""Correlation from which on two images of one size are taken to show one ground."""
CLEARLY_LESS = 0.5
"""Another order of the bands must leave less than this share of the difference to the other image."""
SCALED = (3_000.0, 30_000.0)
"""How many times the other date's values whole numbers of 1 / 10,000 are."""
_SIDE, _COARSE = 512, 64


@dataclass(frozen=True)
class Grid:
    """Where a raster lies, as its file says."""

    width: int
    height: int
    count: int
    bounds: tuple[float, float, float, float] | None
    """Degrees; None without a place."""
    whole: bool
    """Whether it holds whole numbers."""
    names: tuple[str, ...]
    """By band, its common name; empty where nothing says it."""


@lru_cache(maxsize=256)
def grid_of(path: Path, _changed: int) -> Grid:
    """The grid of a raster."""
    from rasterio.warp import transform_bounds

    from data.raster.bands import band_names
    from data.raster.files import opened

    with opened(path) as source:
        placed = source.crs is not None and not source.transform.is_identity
        bounds = transform_bounds(source.crs, "EPSG:4326", *source.bounds) if placed else None
        whole = np.dtype(source.dtypes[0]).kind in "iu"
        names = tuple(each or "" for each in band_names(source))
        return Grid(source.width, source.height, source.count, bounds, whole, names)


@lru_cache(maxsize=128)
def middle(path: Path, _changed: int, bands: int = 1) -> NDArray[np.float64]:
    """(bands, rows, columns) of the middle of a raster, not-a-number where there is no value."""
    from rasterio.windows import Window

    from data.raster.files import opened

    with opened(path) as source:
        wide, high = min(source.width, _SIDE), min(source.height, _SIDE)
        window = Window((source.width - wide) // 2, (source.height - high) // 2, wide, high)
        read = source.read(list(range(1, min(bands, source.count) + 1)), window=window, masked=True)
    return np.ma.asarray(read, dtype=np.float64).filled(np.nan)


@lru_cache(maxsize=128)
def coarse(path: Path, _changed: int) -> NDArray[np.float64]:
    """(bands, 64, 64) means of every band of a raster; fewer rows and columns where it has fewer."""
    from rasterio.enums import Resampling

    from data.raster.files import opened

    with opened(path) as source:
        shape = (source.count, min(_COARSE, source.height), min(_COARSE, source.width))
        read = source.read(out_shape=shape, masked=True, resampling=Resampling.average)
    return np.ma.asarray(read, dtype=np.float64).filled(np.nan)


# -- one by itself -----------------------------------------------------------------------------------


def gaps_pct(values: NDArray[np.float64]) -> float:
    """Per cent without a value, where nearly all of them lie close to pixels that have one; else 0."""
    from scipy.ndimage import binary_dilation

    empty = ~np.isfinite(values)
    if not empty.any() or empty.all():
        return 0.0
    near = binary_dilation(~empty, iterations=GAPS_REACH_PX) & empty
    return float(100 * empty.mean()) if near.sum() >= 0.9 * empty.sum() else 0.0


def looks(values: NDArray[np.float64]) -> float:
    """Equivalent looks of the evener tenth of squares of 8 x 8 pixels; infinite where nothing can be told."""
    rows, columns = (size // 8 * 8 for size in values.shape)
    blocks = values[:rows, :columns].reshape(rows // 8, 8, columns // 8, 8)
    mean, spread = blocks.mean(axis=(1, 3)), blocks.var(axis=(1, 3))
    with np.errstate(divide="ignore", invalid="ignore"):
        found = np.where(spread > 0, mean**2 / spread, np.nan)
    return float(np.nanquantile(found, 0.9)) if np.isfinite(found).any() else float("inf")


def noise(values: NDArray[np.float64]) -> float:
    """The noise of one band against the spread of its values."""
    from data.vision.noise import sigma_of

    spread = float(np.nanstd(values)) if np.isfinite(values).any() else 0.0
    sigma = sigma_of([values]) if spread > 0 else 0.0
    return sigma / spread if spread > 0 and np.isfinite(sigma) else 0.0


@lru_cache(maxsize=128)
def transmission(path: Path, _changed: int) -> float:
    """The mean share of the light that the air lets through; 1 where it cannot be told."""
    from data.raster.errors import RasterError
    from data.vision.haze import air_of

    try:
        return float(air_of(path).transmission)
    except (RasterError, ValueError, IndexError):
        return 1.0


def white_pct(values: NDArray[np.float64]) -> float:
    """Per cent of pixels that are nearly as bright in each of these bands as the brightest are."""
    if not np.isfinite(values).any(axis=(1, 2)).all():
        return 0.0
    top = np.nanquantile(values, 0.999, axis=(1, 2), keepdims=True)
    low = np.nanquantile(values, 0.02, axis=(1, 2), keepdims=True)
    bright = ((values - low) / np.maximum(top - low, 1e-12) > 0.8).all(axis=0)
    return float(100 * bright.mean())


# -- beside another ----------------------------------------------------------------------------------


def likeness(one: NDArray[np.float64], other: NDArray[np.float64]) -> float:
    """The correlation of two bands of one shape, over the pixels that both have; 0 where there is none."""
    both = np.isfinite(one) & np.isfinite(other)
    if both.sum() < 16:
        return 0.0
    first, second = one[both] - one[both].mean(), other[both] - other[both].mean()
    spread = float(np.sqrt((first**2).sum() * (second**2).sum()))
    return float((first * second).sum() / spread) if spread else 0.0


def same_ground(one: NDArray[np.float64], other: NDArray[np.float64]) -> bool:
    """Whether two rasters (bands, rows, columns) of one shape look like the same ground."""
    if one.shape != other.shape:
        return False
    return float(np.mean([likeness(a, b) for a, b in zip(one, other, strict=True)])) >= SAME_GROUND


def order_of_bands(one: NDArray[np.float64], other: NDArray[np.float64]) -> tuple[int, ...]:
    """For each band of `other` the band of `one` that is it, from 0; as they come where none is clearly it.

    Two dates of one ground differ least where bands of one kind are compared: the order with the least
    median difference is taken where it leaves clearly less of it.
    """
    from scipy.optimize import linear_sum_assignment

    as_they_come = tuple(range(len(other)))
    if one.shape != other.shape or len(one) < 2:
        return as_they_come
    with np.errstate(invalid="ignore"):
        apart = np.array([[float(np.nanmedian(np.abs(a - b))) for a in one] for b in other])
    if not np.isfinite(apart).all():
        return as_they_come
    _, best = linear_sum_assignment(apart)
    moved = [at for at in as_they_come if best[at] != at]
    before = sum(apart[at, at] for at in moved)
    after = sum(apart[at, best[at]] for at in moved)
    alike_before = sum(likeness(one[at], other[at]) for at in moved)
    alike_after = sum(likeness(one[best[at]], other[at]) for at in moved)
    if not moved or after > CLEARLY_LESS * before or alike_after <= alike_before:
        return as_they_come
    return tuple(int(each) for each in best)


def adjacency(values: NDArray[np.float64]) -> float:
    """How alike bands are to their neighbours, on average: least where they do not come by wavelength."""
    return float(np.mean([likeness(*pair) for pair in pairwise(values)])) if len(values) > 1 else 1.0


def times_larger(one: NDArray[np.float64], other: NDArray[np.float64]) -> float:
    """How many times the other's values the one's are, by their bands' medians; 0 where that is unsaid."""
    count = min(len(one), len(other))
    mine, theirs = (np.nanmedian(each[:count], axis=(1, 2)) for each in (one, other))
    if not (np.isfinite(mine).all() and np.isfinite(theirs).all() and (theirs > 0).all()):
        return 0.0
    return float(np.median(mine / theirs))


def shift_px(one: NDArray[np.float64], other: NDArray[np.float64]) -> float | None:
    """How far one lies beside the other, pixels, where moving it makes them clearly more alike."""
    from scipy.ndimage import shift as moved
    from skimage.registration import phase_cross_correlation

    first, second = (_edges(each) for each in (one, other))
    way, _, _ = phase_cross_correlation(first, second, normalization=None)  # type: ignore[no-untyped-call]
    far = float(np.hypot(*way))
    if not SHIFTED_PX <= far <= FARTHEST_PX:
        return None
    inside = _inside(first.shape)
    before = likeness(first[inside], second[inside])
    after = likeness(first[inside], moved(second, way, order=1)[inside])
    return far if after > before + MORE_ALIKE else None


def _edges(values: NDArray[np.float64]) -> NDArray[np.float64]:
    filled = np.nan_to_num(values, nan=float(np.nanmedian(values)) if np.isfinite(values).any() else 0.0)
    rows, columns = np.gradient(filled)
    slopes = np.hypot(rows, columns)
    made: NDArray[np.float64] = slopes - slopes.mean()
    return made


def _inside(shape: Sequence[int]) -> tuple[slice, slice]:
    edge = FARTHEST_PX if min(shape) > 3 * FARTHEST_PX else 0
    return slice(edge, shape[0] - edge), slice(edge, shape[1] - edge)


__all__ = [
    "CLEAREST_HAZE",
    "CLOUDED_PCT",
    "FEWEST_LOOKS",
    "FLAT",
    "GAPS_PCT",
    "NOISY",
    "SCALED",
    "Grid",
    "adjacency",
    "coarse",
    "gaps_pct",
    "grid_of",
    "likeness",
    "looks",
    "middle",
    "noise",
    "order_of_bands",
    "same_ground",
    "shift_px",
    "times_larger",
    "transmission",
    "white_pct",
]

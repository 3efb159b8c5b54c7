"""How much noise an image holds: its standard deviation, and the share of pixels hit by impulses."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from data.raster.files import opened
from data.vision.blocks import samples

_BLOCK = 16
_QUIET = 0.05
"""Which quantile of the blocks' variances stands for even ground: so much of most scenes is even."""
_CLASSES = 8
_WORTH = 0.01
"""Under this share of the range, what looks like noise that grows with the value is the scene itself."""
_FLAT_SHARE = 0.25
"""Blocks with more pixels of one value (saturated, or painted) tell nothing of noise."""


@dataclass(frozen=True)
class Noise:
    """The noise of each band of an image."""

    sigma: tuple[float, ...]
    """Standard deviation in the image's own numbers; not-a-number where it cannot be told."""
    impulse_share: float
    """Share, 0 to 1, of the pixels that are lone extremes (salt and pepper) in some band."""
    shot: tuple[tuple[float, float] | None, ...]
    """Of each band (a, b), where the variance is a times the value plus b; None where it is one all over."""


def noise_of(source: Path) -> Noise:
    """The noise of an image, from up to 16 windows of it. Raises RasterError for a broken file."""
    with opened(source) as reader:
        dtypes = list(reader.dtypes)
    windows = samples(source)
    limits = [extremes([each[band] for each in windows], dtype) for band, dtype in enumerate(dtypes)]
    raw = [_sigma_inside([each[band] for each in windows], limits[band]) for band in range(len(dtypes))]
    hit, count = 0, 0
    repaired: list[NDArray[Any]] = []
    for window in windows:
        found = np.stack(
            [
                impulses(each, limits[band], jump_of(limits[band], raw[band]))
                for band, each in enumerate(window)
            ]
        )
        any_band = found.any(axis=0)
        hit, count = hit + int(any_band.sum()), count + any_band.size
        repaired.append(np.where(found, np.nan, window) if found.any() else window)
    bands = range(len(dtypes))
    sigma = tuple(sigma_of([each[band] for each in repaired]) for band in bands)
    shot = tuple(
        shot_of([each[band] for each in repaired])
        if sigma[band] >= _WORTH * (limits[band][1] - limits[band][0])
        else None
        for band in bands
    )
    return Noise(sigma, hit / max(count, 1), shot)


def jump_of(limits: tuple[float, float], sigma: float, *, sure: bool = True) -> float:
    """How far an impulse lies from its surroundings at least.

    `sure`: so far that other noise alone does not get there, which tells whether there are any; else as near
    as they are worth taking out once that is known.
    """
    return (0.2 if sure else 0.08) * (limits[1] - limits[0]) + 2.0 * (sigma if math.isfinite(sigma) else 0.0)


def _sigma_inside(windows: list[NDArray[Any]], limits: tuple[float, float]) -> float:
    """The noise without the pixels that are extreme."""
    low, high = limits
    return sigma_of([np.where((each <= low) | (each >= high), np.nan, each) for each in windows])


def extremes(windows: list[NDArray[Any]], dtype: str) -> tuple[float, float]:
    """The values that an impulse has: the ends of the data type, or of the values where it has none."""
    kind = np.dtype(dtype)
    if kind.kind in "iu" and kind.itemsize == 1:
        return float(np.iinfo(kind).min), float(np.iinfo(kind).max)
    values = [each[np.isfinite(each)] for each in windows]
    there = [each for each in values if each.size]
    if not there:
        return 0.0, 0.0
    return float(min(each.min() for each in there)), float(max(each.max() for each in there))


def impulses(values: NDArray[Any], limits: tuple[float, float], jump: float) -> NDArray[np.bool_]:
    """Where (rows, columns) holds an extreme that stands alone among its neighbours.

    After Chan, Ho and Nikolova (2005), Salt-and-pepper noise removal by median-type noise detectors and
    detail-preserving regularization, IEEE Transactions on Image Processing 14, 1479-1485: an extreme is noise
    unless its surroundings are as extreme. Here, unless the median of the 5 x 5 pixels without the extremes
    lies within `jump` of it, or three or more of its neighbours share it (the corner of a roof).
    """
    import cv2

    low, high = limits
    if not high > low:
        return np.zeros(values.shape, bool)
    at_low, at_high = values <= low, values >= high
    extreme = at_low | at_high
    if not extreme.any():
        return extreme
    middle = local_median(values, extreme, extreme)
    away = np.abs(np.nan_to_num(values) - middle) > jump
    mean = (3, 3)
    crowd = np.maximum(
        np.where(at_low, cv2.blur(at_low.astype(np.float32), mean), 0),
        np.where(at_high, cv2.blur(at_high.astype(np.float32), mean), 0),
    )
    found: NDArray[np.bool_] = extreme & away & (crowd < 0.4)
    return found


def local_median(
    values: NDArray[Any], at: NDArray[np.bool_], without: NDArray[np.bool_], half: int = 2
) -> NDArray[np.float32]:
    """(rows, columns): the median of the pixels around that are not `without`, where `at`; zero elsewhere.

    Where all of them are, the value itself.
    """
    import warnings

    made = np.zeros(values.shape, np.float32)
    rows, columns = np.nonzero(at)
    kept = np.pad(np.where(without, np.nan, values).astype(np.float32), half, constant_values=np.nan)
    offsets = [(down, across) for down in range(2 * half + 1) for across in range(2 * half + 1)]
    for start in range(0, rows.size, 200_000):
        r, c = rows[start : start + 200_000], columns[start : start + 200_000]
        around = np.stack([kept[r + down, c + across] for down, across in offsets], axis=1)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # all not-a-number: told by the result
            middle = np.nanmedian(around, axis=1)
        made[r, c] = np.where(np.isfinite(middle), middle, values[r, c])
    return made


def sigma_of(windows: list[NDArray[Any]]) -> float:
    """The standard deviation of white noise in windows (rows, columns) of one band.

    The diagonal details of the Haar wavelet hold the noise and, of even ground, nothing else (Donoho and
    Johnstone 1994, Ideal spatial adaptation by wavelet shrinkage, Biometrika 81, 425-455). Their variance is
    taken in 16 x 16 pixels, and the twentieth of the blocks with the least stands for even ground,
    with what chance alone makes such a part smaller put right. Not-a-number where no block is whole.
    """
    found = [_block_variances(values.astype(np.float64))[1] for values in windows]
    every = np.concatenate(found) if found else np.empty(0)
    return math.sqrt(_quiet(every, _QUIET)) if every.size else math.nan


def shot_of(windows: list[NDArray[Any]]) -> tuple[float, float] | None:
    """(a, b) of noise whose variance grows with the value, a x value + b; None for noise that does not.

    The model of Foi, Trimeche, Katkovnik and Egiazarian (2008), Practical Poissonian-Gaussian noise modeling
    and fitting for single-image raw-data, IEEE Transactions on Image Processing 17, 1737-1754, fitted to the
    quietest blocks of eight classes of brightness. Told only where the brightest class is more than twice as
    noisy (in variance) as the darkest and the classes lie on a line.
    """
    pairs = [_block_variances(values.astype(np.float64)) for values in windows]
    means = np.concatenate([each[0] for each in pairs]) if pairs else np.empty(0)
    variances = np.concatenate([each[1] for each in pairs]) if pairs else np.empty(0)
    if means.size < 8 * _CLASSES:
        return None
    order = np.array_split(np.argsort(means, kind="stable"), _CLASSES)
    x = np.array([means[each].mean() for each in order])
    y = np.array([_quiet(variances[each], 0.15) for each in order])
    if not (y > 0).all() or x[-1] <= x[0]:
        return None
    # The spread of a variance is in proportion to it: relative errors count.
    (slope, offset), *_ = np.linalg.lstsq(np.column_stack([x / y, 1 / y]), np.ones(_CLASSES), rcond=None)
    fitted = slope * x + offset
    if slope <= 0 or fitted[0] <= 0 or fitted[-1] < 2 * fitted[0] or np.corrcoef(x, y)[0, 1] < 0.95:
        return None
    return float(slope), float(offset)


def _quiet(variances: NDArray[np.float64], quantile: float) -> float:
    """The variance of even ground: a low quantile, made up for being low."""
    from scipy.stats import chi2

    freedom = (_BLOCK // 2) ** 2
    return float(np.quantile(variances, quantile)) * freedom / float(chi2.ppf(quantile, freedom))


def _block_variances(values: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Mean, and mean square of the diagonal details, of each block without holes or flat areas."""
    rows, columns = (size // _BLOCK * _BLOCK for size in values.shape)
    if not rows or not columns:
        return np.empty(0), np.empty(0)
    part = values[:rows, :columns]
    missing = ~np.isfinite(part)
    detail = (part[::2, ::2] - part[::2, 1::2] - part[1::2, ::2] + part[1::2, 1::2]) / 2.0
    half = _BLOCK // 2

    def blocks(array: NDArray[Any], side: int) -> NDArray[Any]:
        return array.reshape(rows // _BLOCK, side, columns // _BLOCK, side)

    known = np.isfinite(detail)
    counted = blocks(known, half).sum(axis=(1, 3))
    squares = blocks(np.where(known, detail, 0.0) ** 2, half).sum(axis=(1, 3))
    flat = (part[::2, ::2] == part[1::2, ::2]) & (part[::2, ::2] == part[::2, 1::2]) & known
    flat_share = blocks(flat, half).sum(axis=(1, 3)) / np.maximum(counted, 1)
    # Impulses were taken out before, so some holes are expected; half of a block must be there.
    whole = (counted >= half * half / 2) & (flat_share <= _FLAT_SHARE) & (squares > 0)
    whole &= blocks(missing, _BLOCK).mean(axis=(1, 3)) < 0.5
    there = blocks(~missing, _BLOCK).sum(axis=(1, 3))
    means = blocks(np.where(missing, 0.0, part), _BLOCK).sum(axis=(1, 3)) / np.maximum(there, 1)
    return means[whole], (squares / np.maximum(counted, 1))[whole]

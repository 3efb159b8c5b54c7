"""Water in radar: bodies of the darkest class that parts, told from shadow, paved ground and bare soil."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

_COARSE_PX = 4_000_000
_SMOOTH_PX = 5
_TILE_PX = 64
_ROUNDS = 5
_GAP_DB = 3.0
"""Two classes whose medians are closer are one."""
_LEAST_CLASS_PX = 300
_LEAST_BODY_PX = 160
"""Of the image, not of its overview."""
_SHRINKS = 0.4
"""A darker class is taken for the water only while it keeps so much of the bodies of the one before."""
HIGHEST_DB = -19.0
"""Of like-polarised sigma nought: the median of a class that is water. Still water has some -20 to -25 dB,
dry asphalt and sand -16 to -19 dB, so rough water above it is missed rather than a town flooded."""
_CROSS_DB = -6.0
"""How much less the other polarisation gives back."""
_LIKE_DB = 3.5
"""A body so much brighter than the darkest large one is something else: sand beside a lake, a road."""
_LARGE = 0.01
_RIM_PX = (2, 6)
_BRIGHT_RIM, _BRIGHTER_DB = 0.15, 3.0
_SHADOW_RADIUS_M = 15.0
"""A shadow is no wider than its building is high, and has the building on its rim."""
_SHADOW_TIMES = 2.0
"""A shadow is no larger than so many times the bright things beside it: ships lie on more water than that."""
_DARKER_DB, _ISLE_DB, _SHADED, _LEAST_ISLES = 4.0, 8.0, 0.02, 3
"""Ground on which at least so many bright things stand and throw shadows on that share of it is dry: water is
hardly brighter than a shadow, and ships are low."""
_SPREADS, _SPREAD_DB = 2.5, (1.0, 2.0)
"""Water reaches up to so many of its deviations beyond its median."""
_SHIPS_DB = 6.0


@dataclass(frozen=True)
class Dark:
    """What of an image is water, on an overview of it."""

    threshold: float | None
    """Decibels; None where there is none."""
    mask: NDArray[np.bool_]
    factor: int
    """Pixels of the image to one of the mask, along each side."""
    tiles: int
    """How many parts of the image the threshold comes from; 0: from all of it."""


def highest_db(image: Path, decibels: bool) -> float | None:
    """The brightest that water's median may be; None where values are not known to be sigma nought.

    They are taken for it in decibels or floating-point amplitude of a band that a polarisation names.
    """
    from data.raster.bands import band_names
    from data.raster.files import opened

    with opened(image) as reader:
        kind = np.dtype(reader.dtypes[0]).kind
        said = reader.descriptions[0] or (band_names(reader) or (None,))[0] or ""
    words = said.lower().replace("-", " ").replace("_", " ").split()
    like, cross = ({"vv", "hh"} & set(words)), ({"vh", "hv"} & set(words))
    if not (decibels or kind == "f") or not (like or cross):
        return None
    return HIGHEST_DB + (_CROSS_DB if cross else 0.0)


def dark_bodies(level: Path, highest: float | None, pixel_m: float, limit: float | None = None) -> Dark:
    """Water in an image of decibels whose speckle is filtered.

    The decibels are parted by the minimum-error threshold of the tiles that hold two classes (Martinis et
    al. 2009), then what is darker again, while classes part by 3 dB (a hierarchical split, as in Chini et al.
    2017). Bodies under a threshold that lie against bright walls and are narrow are shadows and left out;
    the lowest threshold that leaves most of the bodies of the one before is the water's, where their median
    is at most `highest` (dB). An image that does not part is water where all of it is as dark. `limit`: the
    threshold is this one.
    """
    from data.vision.thresholds import by_tiles

    values, factor = _overview(level)
    known = np.isfinite(values)
    nothing = Dark(None, np.zeros(values.shape, bool), factor, 0)
    if not known.any():
        return nothing
    limits, tiles, within = ([] if limit is None else [limit]), 0, known
    while limit is None and len(limits) < _ROUNDS:
        split = by_tiles([np.where(within, values, np.nan)], _TILE_PX)
        if split is None:
            break
        low, rest = within & (values < split.threshold), within & (values >= split.threshold)
        if min(low.sum(), rest.sum()) < _LEAST_CLASS_PX / factor**2:
            break
        if np.median(values[rest]) - np.median(values[low]) < _GAP_DB:
            break
        limits, tiles, within = [*limits, split.threshold], split.tiles, low
    if not limits:
        middle = float(np.median(values[known]))
        if highest is None or middle > highest:
            return nothing
        return Dark(middle + _SHIPS_DB, known, factor, 0)
    least, best, area = max(9.0, _LEAST_BODY_PX / factor**2), None, 0
    for each in limits:
        bodies = _without_shadows(_of_size(known & (values < each), least), values, pixel_m * factor)
        if bodies.sum() < max(1, _SHRINKS * area):
            break
        if highest is None or np.median(values[bodies]) <= highest:
            best, area = Dark(each, bodies, factor, tiles), int(bodies.sum())
    if best is None:
        return nothing
    top = max(limits) if limit is None else limit
    return _grown(best, values, top, highest, pixel_m * factor)


def _grown(
    dark: Dark, values: NDArray[np.float32], top: float, highest: float | None, pixel_m: float
) -> Dark:
    """The bodies under a limit as far above their median as their own spread goes, at most `top`, and what of
    their holes is not far beyond it: a threshold between the crests and the troughs of waves cuts through
    water."""
    from scipy import ndimage

    if dark.threshold is None or not dark.mask.any():
        return dark
    low, middle = (float(each) for each in np.percentile(values[dark.mask], (16, 50)))
    reach = middle + _SPREADS * float(np.clip(middle - low, *_SPREAD_DB))
    limit = max(dark.threshold, min(top, reach))
    least = max(9.0, _LEAST_BODY_PX / dark.factor**2)
    bodies = _without_shadows(_of_size(values < limit, least), values, pixel_m)
    bodies = _alike(bodies, values, highest)
    holes = ndimage.binary_fill_holes(bodies) & (values < max(limit, reach))
    return Dark(max(limit, reach), bodies | holes, dark.factor, dark.tiles)


def _overview(level: Path) -> tuple[NDArray[np.float32], int]:
    """Mean power in squares of the image and over five of them, as decibels."""
    import cv2

    from data.vision.sea import coarse

    intensity, factor = coarse(level, True, _COARSE_PX)
    known = np.isfinite(intensity)
    size = (_SMOOTH_PX, _SMOOTH_PX)
    share = cv2.blur(known.astype(np.float32), size)
    with np.errstate(divide="ignore", invalid="ignore"):
        made = 10 * np.log10(cv2.blur(np.where(known, intensity, 0).astype(np.float32), size) / share)
    made[~known] = np.nan
    return np.asarray(made, np.float32), factor


def _of_size(low: NDArray[np.bool_], least: float) -> NDArray[np.bool_]:
    from scipy import ndimage

    labels, count = ndimage.label(low)
    kept = np.bincount(labels.ravel(), minlength=count + 1) >= least
    kept[0] = False
    return np.asarray(kept[labels], bool)


def _without_shadows(
    bodies: NDArray[np.bool_], values: NDArray[np.float32], pixel_m: float
) -> NDArray[np.bool_]:
    """The bodies without the narrow ones against something bright, and without those that shadows fall on."""
    import cv2
    from scipy import ndimage

    dry = values[~bodies & np.isfinite(values)]
    if not dry.size:
        return bodies
    bright, made = float(np.median(dry)) + _BRIGHTER_DB, bodies.copy()
    labels, _ = ndimage.label(bodies)
    for number, where in enumerate(ndimage.find_objects(labels), start=1):
        own = labels[where] == number
        radius = float(cv2.distanceTransform(np.pad(own, 1).astype(np.uint8), cv2.DIST_L2, 5).max())
        if _shaded(own, values[where]):
            made[where] &= ~own
            continue
        if radius * pixel_m >= _SHADOW_RADIUS_M:
            continue
        reach = int(np.ceil(radius)) + _RIM_PX[1]
        part = tuple(slice(max(0, each.start - reach), each.stop + reach) for each in where)
        own = labels[part] == number
        away = cv2.distanceTransform((~own).astype(np.uint8), cv2.DIST_L2, 5)
        high = values[part] > bright
        rim = (away > _RIM_PX[0]) & (away <= _RIM_PX[1]) & np.isfinite(values[part])
        beside = int((high & (away <= reach)).sum())
        if rim.any() and high[rim].mean() > _BRIGHT_RIM and own.sum() <= _SHADOW_TIMES * beside:
            made[part] &= ~own
    return made


def _shaded(own: NDArray[np.bool_], values: NDArray[np.float32]) -> bool:
    """Whether bright things stand on a body and throw shadows that are darker than it."""
    from scipy import ndimage

    middle = float(np.median(values[own]))
    isles = ndimage.binary_fill_holes(own) & ~own & (values > middle + _ISLE_DB)
    labels, count = ndimage.label(own & (values < middle - _DARKER_DB))
    if not count or not isles.any():
        return False
    touched = np.unique(labels[ndimage.binary_dilation(isles, iterations=_SMOOTH_PX)])
    touched = touched[touched > 0]
    shade = float(np.isin(labels, touched).sum())
    return len(touched) >= _LEAST_ISLES and shade > _SHADED * float(own.sum())


def _alike(
    bodies: NDArray[np.bool_], values: NDArray[np.float32], highest: float | None
) -> NDArray[np.bool_]:
    """The bodies that are as dark as the darkest large one."""
    from scipy import ndimage

    labels, count = ndimage.label(bodies)
    medians = np.asarray(ndimage.median(values, labels, np.arange(1, count + 1)))
    kept = np.ones(count, bool) if highest is None else medians <= highest + 0.5
    large = np.bincount(labels.ravel(), minlength=count + 1)[1:] >= _LARGE * values.size
    if (large & kept).any():
        kept &= medians <= medians[large & kept].min() + _LIKE_DB
    return np.asarray(np.append(False, kept)[labels], bool)


def marked(level: Path, target: Path, dark: Dark) -> None:
    """Write 1 where a pixel is under the threshold in or beside a body, 0 elsewhere, 255 without a value."""
    import cv2

    from data.raster.windows import Band, Block, Place, compute
    from data.vision.masks import UNKNOWN

    side = np.ones((_SMOOTH_PX, _SMOOTH_PX), np.uint8)
    near = cv2.dilate(dark.mask.astype(np.uint8), side).astype(bool)

    def mark(blocks: list[Block], place: Place) -> NDArray[Any]:
        values, window = blocks[0][0], place.window
        rows = (np.arange(values.shape[0]) + int(window.row_off)) // dark.factor
        columns = (np.arange(values.shape[1]) + int(window.col_off)) // dark.factor
        inside = near[np.ix_(np.clip(rows, 0, near.shape[0] - 1), np.clip(columns, 0, near.shape[1] - 1))]
        limit = -np.inf if dark.threshold is None else dark.threshold
        made = (inside & (values < limit)).astype(np.float32)
        made[~np.isfinite(values)] = np.nan
        return np.asarray(made)

    compute([Band(level, (1,))], target, mark, dtype="uint8", nodata=UNKNOWN)

"""Water in radar by tiles or by one threshold of the whole image: whichever border the image shows."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from data.vision.radar_water import Dark
    from data.vision.whole_split import Whole

RING_PX = 3
"""How far from a border its two sides are looked at: that of a river is still all water."""
LEAST_PX = 50
"""Fewer on a side say nothing of it."""


@dataclass(frozen=True)
class Parted:
    """How water was told from land in one radar image."""

    threshold: float | None
    """Decibels; None where there is no water."""
    whole: bool
    """Whether the threshold is one of the whole image."""
    tiles: int
    why: str
    """Which way was taken and why, a sentence."""


def parted(
    level: Path, plain: Path, mask: Path, highest: float | None, pixel_m: float | None, room: Path
) -> Parted:
    """Write a mask of water (1, 0, or 255 for no value) by the better of two ways, and say which it is.

    `level` are decibels without their speckle, `plain` the same with it. The ways are the tiles of
    `radar_water` and Otsu's threshold of the whole image after a median (`whole_split`). A border of water is
    an edge, and one that cuts through the spread of land is none: so the border across which backscatter
    rises more, in deviations of its two sides, is taken (unsupervised evaluation by the contrast between
    neighbouring regions, Levine and Nazif 1985, IEEE PAMI 7(2), 155-164; Zhang, Fritts and Goldman 2008, CVIU
    110, 260-280). Where tiles find no water or nothing else, Otsu's is taken only if its histogram has two
    humps around it.
    """
    from data.vision.radar_water import dark_bodies, marked
    from data.vision.sea import FINE_M
    from data.vision.whole_split import marked_whole, whole_split

    whole = whole_split(plain, highest, pixel_m)
    dark = dark_bodies(level, highest, pixel_m or FINE_M)
    marked(level, mask, dark)
    if whole.threshold is None:
        return _by_tiles(dark, whole.why)
    other = room / f"whole-{mask.name}"
    marked_whole(plain, other, whole.threshold)
    chosen = _of_both(whole, dark, rise_across(plain, other), rise_across(plain, mask))
    if chosen.whole:
        other.replace(mask)
    else:
        other.unlink()
    return chosen


def _of_both(whole: Whole, dark: Dark, rise: float | None, by_tiles: float | None) -> Parted:
    if by_tiles is None or rise is None:
        if whole.alone and by_tiles is None:
            return Parted(whole.threshold, True, 0, f"Its threshold is {_WHOLE}, since {whole.why}.")
        return _by_tiles(dark, whole.why)
    if rise > by_tiles:
        said = f"across its border backscatter rises by {rise:.1f} deviations, across that of tiles by"
        return Parted(whole.threshold, True, 0, f"Its threshold is {_WHOLE}, since {said} {by_tiles:.1f}.")
    said = f"across their border backscatter rises by {by_tiles:.1f} deviations, across that of"
    return _by_tiles(dark, f"{said} {_WHOLE} by {rise:.1f}")


_WHOLE = "Otsu's of the whole image after a median of 5 pixels"


def _by_tiles(dark: Dark, why: str) -> Parted:
    return Parted(dark.threshold, False, dark.tiles, f"Its threshold comes from tiles of it, since {why}.")


def rise_across(plain: Path, mask: Path) -> float | None:
    """By how many deviations backscatter rises from within a border to beyond it; None without a border.

    The difference of the means of both sides, of decibels after a median, over the root of the mean of their
    variances (the sensitivity index of signal detection). `mask` is 1 for water, on the same grid.
    """
    from scipy.ndimage import binary_dilation, binary_erosion

    from data.raster.windows import Band
    from data.vision.masks import UNKNOWN
    from data.vision.pairs import pair_samples
    from data.vision.whole_split import median_db

    within, beyond = _Side(), _Side()
    for decibels, marks in pair_samples([Band(plain, (1,)), Band(mask, (1,))]):
        values, water = median_db(decibels[0]), marks[0] == 1
        known = np.isfinite(values) & np.isfinite(marks[0]) & (marks[0] != UNKNOWN)
        # What lies beyond a window's end is no border of it.
        within.add(values[known & water & ~binary_erosion(water, iterations=RING_PX, border_value=1)])
        beyond.add(values[known & ~water & binary_dilation(water, iterations=RING_PX)])
    if min(within.count, beyond.count) < LEAST_PX:
        return None
    spread = np.sqrt((within.variance + beyond.variance) / 2)
    return float((beyond.mean - within.mean) / max(spread, 1e-6))


class _Side:
    """Mean and variance of values that come part by part."""

    def __init__(self) -> None:
        self.count, self._sum, self._squares = 0, 0.0, 0.0

    def add(self, values: NDArray[Any]) -> None:
        """Count some more."""
        more = values.astype(np.float64)
        self.count += more.size
        self._sum += float(more.sum())
        self._squares += float((more**2).sum())

    @property
    def mean(self) -> float:
        """The mean of all so far."""
        return self._sum / self.count

    @property
    def variance(self) -> float:
        """The variance of all so far."""
        return max(0.0, self._squares / self.count - self.mean**2)

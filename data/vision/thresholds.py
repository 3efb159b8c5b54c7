"""Thresholds found in the values themselves: Otsu, minimum error, and tiles in which two classes meet."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

BINS = 256
_LEAST_VALUES = 64
_ASHMAN = 2.0
"""Ashman's D from which on two classes are told apart (Ashman, Bird and Zepf 1994)."""
_GAIN = 0.1
"""By how much two classes must say more of the values than one: evenly spread values gain nothing."""
HALVES = 3.6
"""Ashman's D of values spread evenly and cut in the middle is 3.5: under it Otsu's halves say nothing."""


@dataclass(frozen=True)
class Split:
    """Where values part into a lower and an upper class."""

    threshold: float
    low_mean: float
    high_mean: float
    low_std: float
    high_std: float
    low_share: float
    """Of the values, 0 to 1."""

    @property
    def ashman(self) -> float:
        """Ashman's D: how far apart the classes lie in their spread; over 2 they are separate."""
        spread = float(np.hypot(self.low_std, self.high_std))
        gap = abs(self.high_mean - self.low_mean)
        return float(np.sqrt(2.0)) * gap / spread if spread > 0 else float("inf") if gap > 0 else 0.0

    @property
    def separate(self) -> bool:
        """Whether there are two classes at all: apart by Ashman's D, neither of them a mere tail."""
        return self.ashman > _ASHMAN and 0.02 <= self.low_share <= 0.98


def otsu(values: NDArray[Any]) -> Split | None:
    """The split with the greatest variance between classes; None without enough different values.

    Otsu (1979), A threshold selection method from gray-level histograms, IEEE SMC-9(1), 62-66.
    """
    return _best(values, _between)


def kittler_illingworth(values: NDArray[Any]) -> Split | None:
    """The split with the least error for two normal classes; None where no split is better than none.

    Kittler and Illingworth (1986), Minimum error thresholding, Pattern Recognition 19(1), 41-47.
    """
    return _best(values, _minimum_error)


def _best(values: NDArray[Any], gain: Any) -> Split | None:
    known = np.asarray(values, dtype=np.float64).ravel()
    known = known[np.isfinite(known)]
    if known.size < _LEAST_VALUES:
        return None
    # The far ends are left out of the histogram's range, or one stray value would make its bins useless.
    low, high = (float(each) for each in np.percentile(known, (0.05, 99.95)))
    if not high > low:
        return None
    counts, edges = np.histogram(np.clip(known, low, high), bins=BINS, range=(low, high))
    middles = (edges[:-1] + edges[1:]) / 2
    share = counts / counts.sum()
    below = np.cumsum(share)[:-1]
    above = 1.0 - below
    first, square = np.cumsum(share * middles), np.cumsum(share * middles**2)
    with np.errstate(divide="ignore", invalid="ignore"):
        means = first[:-1] / below, (first[-1] - first[:-1]) / above
        variances = (
            np.maximum(square[:-1] / below - means[0] ** 2, 0.0),
            np.maximum((square[-1] - square[:-1]) / above - means[1] ** 2, 0.0),
        )
        score = gain(below, above, means, variances, (edges[1] - edges[0]) ** 2 / 12)
    score = np.where(np.isfinite(score), score, -np.inf)
    best = _peak(score)
    if best is None:
        return None
    return Split(
        float(edges[best + 1]),
        float(means[0][best]),
        float(means[1][best]),
        float(np.sqrt(variances[0][best])),
        float(np.sqrt(variances[1][best])),
        float(below[best]),
    )


def _between(below: Any, above: Any, means: Any, variances: Any, least: float) -> Any:
    return below * above * (means[1] - means[0]) ** 2


def _minimum_error(below: Any, above: Any, means: Any, variances: Any, least: float) -> Any:
    """The criterion with its sign turned; classes narrower than a bin or nearly empty are none."""
    spread = [np.sqrt(np.maximum(each, least)) for each in variances]
    cost = 1 + 2 * (below * np.log(spread[0]) + above * np.log(spread[1]))
    cost -= 2 * (below * np.log(below) + above * np.log(above))
    inside = (below > 1e-3) & (above > 1e-3)
    total = below * variances[0] + above * variances[1] + below * above * (means[1] - means[0]) ** 2
    better = cost < 1 + 2 * np.log(np.sqrt(np.maximum(total, least))) - _GAIN
    # A minimum at an end of the range is no valley between two classes.
    valley = np.zeros(cost.shape, bool)
    valley[1:-1] = (cost[1:-1] <= cost[:-2]) & (cost[1:-1] <= cost[2:])
    return np.where(inside & valley & better, -cost, -np.inf)


def _peak(score: NDArray[np.float64]) -> int | None:
    """The middle of the best stretch: between classes far apart every split is as good."""
    top = float(score.max()) if score.size else -np.inf
    if not np.isfinite(top):
        return None
    same = np.flatnonzero(score >= top - 1e-12 * max(1.0, abs(top)))
    run = same[: 1 + int(np.argmax(np.append(np.diff(same), 2) > 1))]
    return int(run[len(run) // 2])


@dataclass(frozen=True)
class TileSplit:
    """A threshold from the tiles of an image in which both classes are."""

    threshold: float
    tiles: int
    """How many tiles it comes from; 0: from all values at once."""
    ashman: float
    """The median of the tiles' separations."""


def by_tiles(tiles: Sequence[NDArray[Any]], side: int = 64) -> TileSplit | None:
    """The median threshold of the tiles that hold two classes, else of all values; None where none part.

    A class that covers little of an image leaves no mark on its histogram, but does on those of some tiles:
    Martinis, Twele and Voigt (2009), Towards operational near real-time flood detection using a split-based
    automatic thresholding procedure on high resolution TerraSAR-X data, NHESS 9, 303-314; a tile counts when
    its classes are separate by Ashman's D, as in Chini et al. (2017), A hierarchical split-based approach
    for parametric thresholding of SAR images, IEEE TGRS 55(12), 6975-6988.
    """
    found: list[Split] = []
    for tile in tiles:
        for row in range(0, max(1, tile.shape[0] - side // 2), side):
            for column in range(0, max(1, tile.shape[1] - side // 2), side):
                split = kittler_illingworth(tile[row : row + side, column : column + side])
                if split is not None and split.separate and 0.1 <= split.low_share <= 0.9:
                    found.append(split)
    if found:
        thresholds = [each.threshold for each in found]
        return TileSplit(
            float(np.median(thresholds)), len(found), float(np.median([each.ashman for each in found]))
        )
    whole = np.concatenate([tile.ravel() for tile in tiles]) if tiles else np.empty(0)
    split = kittler_illingworth(whole)
    if split is None or not split.separate:
        split = otsu(whole)
        if split is None or split.ashman < HALVES:
            return None
    return TileSplit(split.threshold, 0, split.ashman)

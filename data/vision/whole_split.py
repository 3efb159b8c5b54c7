"""Water in radar by one threshold of the whole image, and whether its histogram has two humps around it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from data.vision.thresholds import kittler_illingworth, otsu

MEDIAN_PX = 5
LEAST_SHARE = 0.1
"""Of the smaller class: Otsu's threshold leans towards the larger class when they differ more."""
VALLEY = 1 / 3
"""How high the histogram may be at the threshold, of its lower hump: a threshold belongs into a valley (Ng
2006, Automatic thresholding for defect detection, Pattern Recognition Letters 27, 1644-1649)."""
_BINS, _SMOOTH_BINS = 64, 1.5
ROUGHER_DB = 3.4
"""How much brighter than the limit for still water its median may be where an image shows water elsewhere:
Sentinel-1's mean over water in VV is -15.6 dB at 29 degrees of incidence, the least it has, and -19 dB in the
middle of its swath (Bauer-Marschallinger et al. 2022, Remote Sensing 14(15), 3673: -0.394 dB a degree)."""
FINE_M = 5.0
"""In finer pixels buildings throw shadows as dark as water, which no threshold tells apart."""


@dataclass(frozen=True)
class Whole:
    """What the histogram of a whole image says."""

    threshold: float | None
    """Decibels: Otsu's; None where no threshold of the whole can be one of water."""
    alone: bool
    """Whether it will do with nothing beside it: the histogram has two humps and it lies between them."""
    why: str
    """Why it will do alone, or will not: what goes on from "since"."""


def whole_split(level: Path, highest: float | None, pixel_m: float | None) -> Whole:
    """One threshold for an image of decibels.

    Otsu's threshold (1979) is the best one of two classes of like size and spread, and none at all of one
    class. The darker class must be as dark as water that wind roughens, where polarisations are named
    (`highest`, dB, is the limit of still water). It will do alone where it is as dark as that, and two normal
    classes describe the histogram of the median-filtered decibels better than one
    (minimum error, Kittler and Illingworth 1986), lie apart by Ashman's D above 2 (Ashman, Bird and Zepf
    1994) with a tenth of the image or more in the smaller one (as Chini et al. 2017, IEEE TGRS 55(12), ask of
    a tile), and hold the threshold in the valley between them (Ng 2006).
    """
    if pixel_m is not None and pixel_m < FINE_M:
        return Whole(None, False, f"pixels of {pixel_m:.3g} m show shadows as dark as water")
    values = _sampled(level)
    split = otsu(values)
    if split is None:
        return Whole(None, False, "its values as a whole do not part")
    if highest is None:
        return Whole(split.threshold, *_alone(values, split.threshold))
    dark = float(np.median(values[values < split.threshold]))
    if dark > highest + ROUGHER_DB:
        over = highest + ROUGHER_DB
        return Whole(None, False, f"the darker class of the whole is no water (over {over:.1f} dB)")
    if dark > highest:
        return Whole(
            split.threshold, False, f"the darker class of the whole is no still water (over {highest:g} dB)"
        )
    return Whole(split.threshold, *_alone(values, split.threshold))


def _alone(values: NDArray[Any], threshold: float) -> tuple[bool, str]:
    two = kittler_illingworth(values)
    if two is None or not two.separate:
        return False, "its histogram as a whole has one hump"
    share = min(two.low_share, 1.0 - two.low_share)
    if share < LEAST_SHARE:
        return (
            False,
            f"the smaller class has {100 * share:.0f} % of it, too little for one threshold alone",
        )
    between = two.low_mean < threshold < two.high_mean
    if not between or valley_at(values, threshold) > VALLEY:
        return False, "one threshold of the whole does not lie in a valley of its histogram"
    humps = f"Ashman's D {two.ashman:.1f}, the smaller with {100 * share:.0f} % of it"
    return True, f"its histogram has two humps ({humps}) and tiles show no border of water"


def valley_at(values: NDArray[Any], threshold: float) -> float:
    """How high the histogram is at a threshold, of the lower of the humps beside it; 1 for no valley."""
    from scipy.ndimage import gaussian_filter1d

    low, high = (float(each) for each in np.percentile(values, (0.05, 99.95)))
    counts, edges = np.histogram(np.clip(values, low, high), bins=_BINS, range=(low, high))
    smooth = gaussian_filter1d(counts.astype(np.float64), _SMOOTH_BINS, mode="constant")
    at = int(np.clip(np.searchsorted(edges, threshold) - 1, 1, _BINS - 2))
    humps = min(smooth[:at].max(), smooth[at + 1 :].max())
    return float(smooth[at] / humps) if humps > 0 else 1.0


def median_db(values: NDArray[Any]) -> NDArray[np.float32]:
    """(rows, columns) of decibels after a median of 5 x 5 pixels; not-a-number stays so."""
    import cv2

    from data.vision.blocks import nearest_filled

    known = np.isfinite(values)
    made = np.asarray(cv2.medianBlur(np.ascontiguousarray(nearest_filled(values)), MEDIAN_PX), np.float32)
    made[~known] = np.nan
    return made


def _sampled(level: Path) -> NDArray[Any]:
    from data.vision.blocks import samples

    made = np.concatenate([median_db(each[0]).ravel() for each in samples(level, most=25, numbers=(1,))])
    return np.asarray(made[np.isfinite(made)])


def marked_whole(level: Path, target: Path, threshold: float) -> None:
    """Write 1 where the median-filtered decibels are under the threshold, 0 elsewhere, 255 for no value."""
    from data.raster.windows import Band, Block, Place, compute
    from data.vision.masks import UNKNOWN

    def mark(blocks: list[Block], _: Place) -> NDArray[Any]:
        values = median_db(blocks[0][0])
        return np.where(np.isfinite(values), (values < threshold).astype(np.float32), np.float32(np.nan))

    compute([Band(level, (1,))], target, mark, dtype="uint8", nodata=UNKNOWN, halo=MEDIAN_PX)

"""The cover of an overview by all that its bands tell: spectral indices, colour, backscatter."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from data.raster.errors import RasterError
from data.vision.cover import CELL_PX, COVERS, Cover, _cell_mean, cover_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from data.vision.overview import Overview

VEGETATED = 0.3
"""NDVI from which a cell counts as vegetation (Sobrino, Jimenez-Munoz and Paolini 2004: sparse from 0.2)."""
_SURE = 0.97


def cover_by_all(overview: Overview, modality: str | None) -> Cover:
    """The cover of an overview's cells. Raises RasterError for an image of no known kind.

    Colour pictures: `data.vision.cover`. Where infrared is told, water by MNDWI (Xu 2006) or NDWI (McFeeters
    1996) above 0 and vegetation by NDVI take precedence, and what is left is shared out by colour. Radar: a
    cell whose mean backscatter is below the minimum-error threshold (Kittler and Illingworth 1986) is water;
    the rest is bare ground for want of a better word, so that only its water may be quoted.
    """
    if modality is None:
        raise RasterError("Land cover is told in images, and this raster holds none.")
    if modality == "sar":
        return _by_backscatter(overview)
    plain = cover_of(overview.rgb, overview.known, overview.scale)
    if not {"green", "red", "nir"} <= set(overview.spectral):
        return plain
    bands = {name: _cell_mean(np.where(overview.known, band, 0)) for name, band in overview.spectral.items()}
    bands = {name: band[: plain.likely.shape[1], : plain.likely.shape[2]] for name, band in bands.items()}
    likely = plain.likely.copy()
    ndvi = _ratio(bands["nir"], bands["red"])
    wet = _ratio(bands["green"], bands.get("swir16", bands["nir"])) > 0
    _settle(likely, "water", wet & (ndvi < 0.2))
    _settle(likely, "vegetation", ndvi >= VEGETATED)
    return Cover(likely, plain.scale)


def _settle(likely: NDArray[Any], name: str, here: NDArray[np.bool_]) -> None:
    """Make one cover sure where it is, and share what it had elsewhere among the others."""
    at = COVERS.index(name)
    others = [each for each in range(len(COVERS)) if each != at]
    likely[at, here], likely[at, ~here] = _SURE, np.minimum(likely[at, ~here], 0.0)
    total = np.maximum(likely[others].sum(axis=0), 1e-9)
    likely[others] *= (1.0 - likely[at]) / total


def _by_backscatter(overview: Overview) -> Cover:
    from scipy.ndimage import median_filter

    from data.vision.blocks import nearest_filled
    from data.vision.thresholds import kittler_illingworth

    if overview.radar is None:
        raise RasterError("The radar image has no backscatter to tell water by.")
    power = np.where(overview.known, 10 ** (np.clip(overview.radar, -80, 80) / 10), np.nan)
    # A cell at the edge of what has values is the mean of those, and not darker for the rest.
    share = _cell_mean(overview.known.astype(np.float32))
    cells = _cell_mean(np.nan_to_num(power)) / np.maximum(share, 1e-6)
    known = share >= 0.5
    decibels = np.where(known, 10 * np.log10(np.maximum(cells, 1e-8)), np.nan)
    level = median_filter(nearest_filled(decibels), 3)
    split = kittler_illingworth(level[known])
    likely = np.zeros((len(COVERS), *level.shape), np.float32)
    parted = split is not None and split.separate
    water = (level < split.threshold) if parted and split is not None else np.zeros(level.shape, bool)
    likely[COVERS.index("water")] = np.where(water, _SURE, 1 - _SURE)
    likely[COVERS.index("bare ground")] = np.where(water, 1 - _SURE, _SURE)
    likely[:, ~known] = np.nan
    return Cover(likely, overview.scale)


def _ratio(one: NDArray[Any], two: NDArray[Any]) -> NDArray[Any]:
    total = one + two
    return np.where(total == 0, 0.0, (one - two) / np.where(total == 0, 1.0, total))


def full_mask(cover: Cover, name: str, overview: Overview) -> NDArray[np.float32]:
    """How likely a cover is at each pixel of the overview, its edges drawn to those of the picture.

    The cells' probabilities, made as large as the picture and filtered with it as the guide (He, Sun and Tang
    2013, Guided image filtering, IEEE Transactions on Pattern Analysis and Machine Intelligence 35).
    """
    import cv2

    rows, columns = overview.rgb.shape[:2]
    likely = np.nan_to_num(cover.likely[COVERS.index(name)])
    cut = (min(columns, likely.shape[1] * CELL_PX), min(rows, likely.shape[0] * CELL_PX))
    large = cv2.resize(likely, cut, interpolation=cv2.INTER_LINEAR)
    large = cv2.copyMakeBorder(large, 0, rows - cut[1], 0, columns - cut[0], cv2.BORDER_REPLICATE)
    guide = cv2.cvtColor(overview.rgb, cv2.COLOR_RGB2GRAY).astype(np.float32) / 255.0
    return np.where(overview.known, _guided(guide, large, 2 * CELL_PX, 1e-3), 0.0).astype(np.float32)


def _guided(guide: NDArray[Any], values: NDArray[Any], radius: int, epsilon: float) -> NDArray[np.float32]:
    import cv2

    box = (2 * radius + 1, 2 * radius + 1)
    mean, of_values = cv2.blur(guide, box), cv2.blur(values, box)
    spread = cv2.blur(guide * guide, box) - mean * mean
    slope = (cv2.blur(guide * values, box) - mean * of_values) / (spread + epsilon)
    offset = of_values - slope * mean
    filtered: NDArray[np.float32] = cv2.blur(slope, box) * guide + cv2.blur(offset, box)
    return filtered

"""Bright things of a size in a radar image, such as planes on an apron, told from the ground around them."""

from __future__ import annotations

from concurrent.futures import Future
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from data.models.card import Input
from data.models.layouts import Found
from data.models.preparing import Preparation
from data.progress import Progress
from data.vision.detect import seen_by
from data.vision.detections import Detection
from data.vision.tiled import Plan, places_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

ABOVE_DB = 3.0
"""A target is at least that much brighter than the ground around it, after smoothing."""
DEVIATIONS = 5.0
"""And at least so many of the ground's own deviations."""
FULLEST = 0.75
"""A plane covers less than this of its box; a building covers nearly all of it."""
_SIDE_PX, _OVERLAP_PX = 1024, 256
_TAKES = Input(modality=("sar",), bands=("sar",), scaling="raw")


def bright_targets(
    progress: Progress,
    image: Path,
    *,
    gsd_m: float,
    least_m: float = 8.0,
    most_m: float = 90.0,
    slenderest: float = 2.4,
    class_name: str = "plane",
) -> list[Detection]:
    """Bright things whose two sides lie between two lengths, metres, and that are not too slender.

    An order-statistic CFAR on decibels (Rohling 1983): the ground is the median of a neighbourhood wider than
    the largest target, which neither a target nor a building beside it moves much. Parts nearer than a few
    metres are one thing; what the image cuts off is left out. The score is 0.5 at twice the contrast asked
    for. Raises RasterError.
    """
    from data.raster.windows import grid_of

    grid = grid_of(image)
    places = places_of(grid.width, grid.height, _SIDE_PX, _OVERLAP_PX)
    prepare = Preparation(_TAKES, (0.0,), (1.0,))
    plan = Plan(image, (1,), prepare, grid.width, grid.height, 1.0, 1.0, _SIDE_PX, places, 1)

    def decode(batch: NDArray[np.float32]) -> list[Found]:
        return [_bright_boxes(window[0], gsd_m, least_m, most_m, slenderest) for window in batch]

    seen = seen_by(progress, plan, _now, decode)
    return [Detection(seen.corners[at], class_name, float(seen.scores[at])) for at in range(len(seen.scores))]


def _now(batch: NDArray[np.float32]) -> Future[Any]:
    answer: Future[Any] = Future()
    answer.set_result(batch)
    return answer


def _bright_boxes(
    window: NDArray[np.float32], gsd_m: float, least_m: float, most_m: float, slenderest: float
) -> Found:
    import cv2

    contrast_db, least_db = _contrast(window, most_m / gsd_m)
    reach = max(3, int(3.0 / gsd_m) | 1)
    kernel = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (reach, reach))
    joined = cv2.morphologyEx((contrast_db > least_db).astype(np.uint8), cv2.MORPH_CLOSE, kernel)
    joined = cv2.morphologyEx(joined, cv2.MORPH_OPEN, cv2.getStructuringElement(cv2.MORPH_CROSS, (3, 3)))
    rings, _ = cv2.findContours(joined, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    corners, scores = [], []
    for ring in rings:
        at = ring[:, 0, :]
        (middle, size, turn), rows, columns = cv2.minAreaRect(ring), *window.shape
        sides = sorted((each + 1) * gsd_m for each in size)
        cut = (at.min() == 0) or (at[:, 0].max() == columns - 1) or (at[:, 1].max() == rows - 1)
        slender = sides[1] > slenderest * sides[0]
        if cut or slender or not (least_m <= sides[0] and sides[1] <= most_m):
            continue
        if (cv2.contourArea(ring) + len(at) / 2) * gsd_m**2 > FULLEST * sides[0] * sides[1]:
            continue
        corners.append(cv2.boxPoints((middle, (size[0] + 1, size[1] + 1), turn)) + 0.5)
        inside = np.zeros(window.shape, dtype=np.uint8)
        cv2.drawContours(inside, [ring], -1, 1, cv2.FILLED)
        scores.append(1 - 0.5 ** (float(contrast_db[inside > 0].mean()) / (2 * least_db)))
    count = len(corners)
    outlines = np.asarray(corners, dtype=np.float64) if count else np.zeros((0, 4, 2))
    return Found(outlines, np.zeros(count, dtype=np.int64), np.asarray(scores, dtype=np.float64))


def _contrast(window: NDArray[np.float32], reach_px: float) -> tuple[NDArray[np.float32], float]:
    """How much brighter than the ground around each pixel is, decibels, and from where on it is a target."""
    import cv2

    smooth = cv2.GaussianBlur(np.maximum(window, 0), (0, 0), 1.2)
    floor = max(float(np.median(smooth)) * 1e-3, 1e-12)
    level = 20 * np.log10(np.maximum(smooth, floor))
    low, high = np.percentile(level, (0.5, 99.5))
    share = 4 if min(window.shape) >= 64 else 1
    bytes_ = np.clip((level - low) / max(high - low, 1e-6) * 255, 0, 255).astype(np.uint8)
    small = bytes_[::share, ::share].copy()
    side = min(int(1.5 * reach_px / share) | 1, (min(small.shape) // 2) | 1, 255)
    ground = cv2.medianBlur(small, max(3, side)).astype(np.float32) / 255 * (high - low) + low
    ground = cv2.resize(ground, window.shape[::-1], interpolation=cv2.INTER_LINEAR)
    contrast = (level - ground).astype(np.float32)
    quiet = contrast[contrast < ABOVE_DB]
    spread = 1.4826 * float(np.median(np.abs(quiet))) if quiet.size else 0.0
    return contrast, max(ABOVE_DB, DEVIATIONS * spread)

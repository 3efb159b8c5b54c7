"""New and lost buildings between two aerial images: a building's shape in one and not in the other."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from data.progress import Progress
from data.vision.masks import UNKNOWN
from data.vision.together import Together

THRESHOLD = 0.05
"""Evidence of a building from which one that was not there is new."""
_LOST = 0.15
"""For one that is gone more is asked: shrubs and bare soil of a dry season look like roofs."""
_FINE_M = 0.5
"""The pixel that sizes are given for; an image without a place is taken to have it."""
_LEAST_PX, _MOST_PX, _NARROW_PX = 150, 5_000, 11
_FULL, _DRAWN_OUT = 0.64, 2.6
_GREEN = 0.04
_ALIKE = 0.4
_LEAST_EVIDENCE = 0.03
_STRIP_PX = 4_000_000
_HALO_PX = 96


@dataclass(frozen=True)
class Part:
    """A patch that may be a building: where, its pixels, and how much speaks for it."""

    where: tuple[slice, slice]
    pixels: NDArray[np.bool_]
    evidence: float


def write_building_change(progress: Progress, pair: Together, later: Path, raw: Path) -> float:
    """Write two float32 bands: 1 where a building was built or lost, and the evidence; the threshold used.

    In each image, patches at rising thresholds of lightness and of colour form trees (Salembier, Oliveras
    and Garrido 1998, Antiextensive connected operators for image and sequence processing, IEEE TIP 7(4),
    555-570); those are building-like that fill a rectangle, are neither green nor shadow, even inside and
    set off from what is around them, more so beside a shadow. One is new when the other image has none
    there and its gradients do not agree. `later` holds the second image's shared bands, matched.
    """
    from data.raster.windows import Band, Block, Place, compute, grid_of
    from data.vision.blocks import followed
    from data.vision.pairs import finite_all
    from data.vision.sea import pixel_m

    grid = grid_of(pair.before)
    gsd = (pixel_m(pair.before) if pair.placed else None) or _FINE_M
    scale = float(np.clip(_FINE_M / gsd, 0.2, 2.0))
    count = len(pair.before_bands)
    colours = _colours(pair)

    def mark(blocks: list[Block], _: Place) -> NDArray[Any]:
        known = finite_all(blocks)
        one, two = (as_picture(block[colours], known) for block in blocks)
        changed, evidence = building_change(one, two, known, scale)
        classes = np.where(known, changed, UNKNOWN).astype(np.float32)
        return np.stack([classes, np.where(known, evidence, UNKNOWN)])

    compute(
        [Band(pair.before, pair.before_bands), Band(later, tuple(range(1, count + 1)))],
        raw,
        followed(progress, "Looking for buildings", grid.width * grid.height, mark, (0.4, 0.9)),
        halo=_HALO_PX,
        count=2,
        nodata=UNKNOWN,
        descriptions=("changed", "evidence of a building"),
        pixels=_STRIP_PX,
    )
    return THRESHOLD


def _colours(pair: Together) -> list[int]:
    """The places of red, green and blue among the shared bands; the first three where they have no names."""
    if all(each in pair.names for each in ("red", "green", "blue")):
        return [pair.names.index(each) for each in ("red", "green", "blue")]
    return [0, 1, 2] if len(pair.names) >= 3 else [0, 0, 0]


def as_picture(block: NDArray[Any], known: NDArray[np.bool_]) -> NDArray[np.uint8]:
    """(rows, columns, 3) bytes; values over 255 are stretched between their 1st and 99th percentile."""
    values = np.where(known, block, 0).astype(np.float32)
    if known.any() and float(values.max()) > 255.0:
        low, high = np.percentile(values[:, known], (1, 99))
        values = 255 * (values - low) / max(float(high - low), 1e-6)
    elif known.any() and float(values.max()) <= 1.0:
        values = 255 * values
    return np.ascontiguousarray(np.clip(values, 0, 255).astype(np.uint8).transpose(1, 2, 0))


def building_change(
    one: NDArray[np.uint8], two: NDArray[np.uint8], known: NDArray[np.bool_], scale: float
) -> tuple[NDArray[np.bool_], NDArray[np.float32]]:
    """(rows, columns): where buildings were built or lost, and the evidence for it, 0 to 1."""
    from scipy import ndimage

    before, after = (building_parts(picture, known, scale) for picture in (one, two))
    alike = _alike(one, two, 5.0 * max(scale, 0.5))
    shape = known.shape
    changed, evidence = np.zeros(shape, bool), np.zeros(shape, np.float32)
    for mine, other, least in ((after, before, THRESHOLD), (before, after, _LOST)):
        there = np.zeros(shape, np.float32)
        for part in other:
            there[part.where][part.pixels] = part.evidence
        for part in mine:
            if part.evidence < least:
                continue
            taken = float((there[part.where][part.pixels] >= THRESHOLD).mean())
            if taken >= 0.3 or float(alike[part.where][part.pixels].mean()) >= _ALIKE:
                continue
            changed[part.where] |= part.pixels
            evidence[part.where][part.pixels] = min(1.0, part.evidence)
    return np.asarray(ndimage.binary_dilation(changed)) & known, evidence


def building_parts(picture: NDArray[np.uint8], known: NDArray[np.bool_], scale: float) -> list[Part]:
    """Building-like patches of a picture (red, green, blue) that do not overlap, the best first."""
    import cv2

    levels = picture.astype(np.float32) / 255
    green = (2 * levels[..., 1] - levels[..., 0] - levels[..., 2]) / (levels.sum(axis=2) + 1e-3)
    limit = max(_GREEN, float(np.median(green)) + 0.03)
    smooth = cv2.bilateralFilter(picture, 9, 30, 5)
    lab = cv2.cvtColor(smooth, cv2.COLOR_RGB2LAB).astype(np.float32)
    lightness = lab[..., 0]
    chroma = np.hypot(lab[..., 1] - 128, lab[..., 2] - 128)
    shadow = lightness < np.percentile(lightness[known], 10) if known.any() else np.zeros(known.shape, bool)
    allowed = (cv2.GaussianBlur(green, (0, 0), 1.5) < limit) & ~shadow & known
    if not allowed.any():
        return []
    parts: list[Part] = []
    for channel in (lightness, -lightness, -chroma, chroma):
        for level in np.unique(np.percentile(channel[allowed], np.arange(4, 97, 4))):
            parts += _rectangles((channel > level) & allowed, lab, shadow, scale)
    taken = np.zeros(known.shape, bool)
    chosen = []
    for part in sorted(parts, key=lambda each: -each.evidence):
        if part.evidence < _LEAST_EVIDENCE:
            break
        if (taken[part.where] & part.pixels).sum() <= 0.2 * part.pixels.sum():
            taken[part.where] |= part.pixels
            chosen.append(part)
    return chosen


def _rectangles(
    mask: NDArray[np.bool_], lab: NDArray[np.float32], shadow: NDArray[np.bool_], scale: float
) -> list[Part]:
    """The patches of a mask that fill a rectangle of a building's size, with the evidence for each."""
    import cv2
    from scipy import ndimage

    side = max(3, round(5 * scale) | 1)
    disk = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (side, side))
    labels, _ = ndimage.label(cv2.morphologyEx(mask.astype(np.uint8), cv2.MORPH_OPEN, disk))
    found = []
    for number, where in enumerate(ndimage.find_objects(labels), start=1):
        tall, wide = (each.stop - each.start for each in where)
        if min(tall, wide) < _NARROW_PX * scale or tall * wide < _LEAST_PX * scale**2:
            continue
        pixels = ndimage.binary_fill_holes(labels[where] == number)
        area = int(pixels.sum())
        if not _LEAST_PX * scale**2 <= area <= _MOST_PX * scale**2:
            continue
        rows, columns = np.nonzero(pixels)
        _, sides, _ = cv2.minAreaRect(np.column_stack([columns, rows]).astype(np.float32))
        short, long = sorted(float(each) + 1 for each in sides)
        full = area / (short * long)
        if full >= _FULL and long <= _DRAWN_OUT * short and short >= _NARROW_PX * scale:
            found.append(Part(where, pixels, _evidence(where, pixels, full, lab, shadow)))
    return found


def _evidence(
    where: tuple[slice, slice],
    pixels: NDArray[np.bool_],
    full: float,
    lab: NDArray[np.float32],
    shadow: NDArray[np.bool_],
) -> float:
    """Fuller, evener, more set off from its surroundings, beside a shadow: the more like a building."""
    from scipy import ndimage

    top, left = max(0, where[0].start - 5), max(0, where[1].start - 5)
    part = np.s_[top : where[0].stop + 5, left : where[1].stop + 5]
    here = np.zeros(shadow[part].shape, bool)
    here[where[0].start - top : where[0].stop - top, where[1].start - left : where[1].stop - left] = pixels
    ring = ndimage.binary_dilation(here, iterations=4) & ~ndimage.binary_dilation(here)
    inside = ndimage.binary_erosion(here, iterations=2)
    if not inside.any() or not ring.any():
        return 0.0
    colours = lab[part]
    apart = float(np.abs(colours[inside].mean(axis=0) - colours[ring].mean(axis=0)).sum())
    uneven = float(colours[..., 0][inside].std())
    beside = float(shadow[part][ring].mean())
    return (full - 0.5) * min(1.0, apart / 20) * float(np.exp(-uneven / 15)) * (0.3 + min(1.0, beside / 0.2))


def _alike(one: NDArray[np.uint8], two: NDArray[np.uint8], sigma: float) -> NDArray[np.float32]:
    """How much the gradients of two pictures point the same way around each pixel, -1 to 1."""
    import cv2

    grey = [
        cv2.GaussianBlur(cv2.cvtColor(each, cv2.COLOR_RGB2GRAY).astype(np.float32), (0, 0), 1.0)
        for each in (one, two)
    ]
    (ax, ay), (bx, by) = (
        (cv2.Sobel(each, cv2.CV_32F, 1, 0), cv2.Sobel(each, cv2.CV_32F, 0, 1)) for each in grey
    )

    def around(values: NDArray[Any]) -> Any:
        return cv2.GaussianBlur(values, (0, 0), sigma)

    both = np.sqrt(around(ax * ax + ay * ay) * around(bx * bx + by * by)) + 1e-3
    return np.asarray(around(ax * bx + ay * by) / both, np.float32)

"""Ships in radar images: what is brighter than the sea around it by more than chance, and shaped as one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from data.progress import Progress
from data.vision.detections import Detection
from data.vision.sea import FINE_M, Sea, power, sea_of
from data.vision.ship_claims import why_not
from data.vision.ship_patches import (
    LEAST_DB,
    LONGEST_M,
    LONGEST_UNPLACED_M,
    Patch,
    Surroundings,
    chosen,
    tree_of,
    whole,
)
from data.vision.ship_scores import likenesses, score_of

MODEL = "ships-cfar"
TILE_PX = 1024
FALSE_ALARM = 1e-6
MIN_SCORE = 0.2
"""On scenes that nothing was fitted to F1 is the same from here to 0.5, within 0.02; what is left out is
lost."""
_GUARD_PX, _RING_PX = 50, 110
_HIGHEST_CLUTTER = 1.6
"""Times the water's median: beside a large ship the ring is full of its own sidelobes."""
_NO_CLUTTER = 4.0
"""Times the water's median."""
_SIGMA_PX = 1.7
LEAST_LIKENESS = 0.2
"""Patches of less are no ships."""


@dataclass(frozen=True)
class Ships:
    """What was looked at and found."""

    found: tuple[Detection, ...]
    contrasts_db: tuple[float, ...]
    land: str
    """How land was told: "given", "brightness", "none", or "no water" where nothing in it is."""
    tiles: int
    water_share: float
    faint: int = 0
    """How many things are shaped as ships, and too faint over what surrounds them."""
    cut_off: int = 0
    """How many the image's border cuts off so that they may as well be a shore or a quay."""
    even: bool = True
    """Whether what was taken for water is even enough to be some."""

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader should know of what was left out: sentences."""
        if self.land == "no water":
            return ("Nothing in it is even enough to be water, so no ship was looked for.",)
        why = [f"{self.faint} too faint"] if self.faint else []
        why += [f"{self.cut_off} cut off by the image's border"] if self.cut_off else []
        return (f"Left out, though shaped as ships: {' and '.join(why)}.",) if why else ()


def find_ships(
    progress: Progress,
    image: Path,
    *,
    false_alarm: float = FALSE_ALARM,
    min_score: float = MIN_SCORE,
    land: Path | None = None,
    anyway: bool = False,
) -> Ships:
    """Ships in the first band of a radar image: amplitude, 8-bit picture, or decibels.

    CFAR on intensity: a pixel is bright when the clutter of the ring of open water around it would be so by
    chance once in 1 / `false_alarm`, the clutter gamma-distributed with the ring's mean and variance, what
    was found taken out of the ring and the test made again (iterative censoring: Cui, Zhou, Yang and Yang
    2011, On the iterative censoring for target detection in SAR images, IEEE GRSL 8(4), 641-645; detectors:
    Crisp 2004, The state-of-the-art in ship detection in SAR imagery, DSTO-RR-0272). Bright pixels are
    joined at rising thresholds into a tree of patches; of each its size, shape, contrast and surroundings
    are measured (`ship_patches.FEATURES`), and gradient-boosted trees say how like a ship it is, whole and
    alone. The likest are taken first, each instead of what it holds and what holds it. The score is
    the share of rendered patches of that likeness that were ships, calibrated on scenes kept out of training;
    on real images it is no probability. What is too faint, or cut off by the image's border along its side,
    is counted and not claimed (`ship_claims`). Where nothing is even enough to be water no ship is looked
    for, unless `anyway`. Raises RasterError.
    """
    from data.raster.files import opened
    from data.raster.windows import Grid
    from data.uploads.gdal import quiet_gdal
    from data.vision.flood import in_decibels

    with quiet_gdal(), opened(image) as reader:
        decibels = in_decibels(image)
        sea = sea_of(progress, image, decibels, land, anyway)
        grid = Grid.of(reader)
        tiles = list(_tiles(grid.width, grid.height))
        patches: list[Patch] = []
        for number, tile in enumerate(tiles):
            progress.tell(0.1 + 0.9 * number / len(tiles), f"Looked at {number} of {len(tiles)} tiles.")
            new = _in_tile(reader, grid, tile, sea, decibels, false_alarm)
            patches.extend(new)
            _show(progress, image, _claimed(new, min_score))
    likely = [each for each in patches if score_of(each.likeness) >= min_score]
    kept = _claimed(patches, min_score)
    return Ships(
        tuple(Detection(each.box, "ship", score_of(each.likeness)) for each in kept),
        tuple(round(each.contrast_db, 2) for each in kept),
        sea.found,
        len(tiles),
        round(float(sea.water.mean()), 4),
        sum(each.left_out == "faint" for each in likely),
        sum(each.left_out == "cut off" for each in likely),
        sea.even,
    )


def _claimed(patches: list[Patch], min_score: float) -> list[Patch]:
    return [each for each in patches if each.left_out is None and score_of(each.likeness) >= min_score]


def _tiles(width: int, height: int) -> Iterator[tuple[int, int, int, int]]:
    """(left, top, width, height) of tiles that cover an image."""
    for top in range(0, height, TILE_PX):
        for left in range(0, width, TILE_PX):
            yield left, top, min(TILE_PX, width - left), min(TILE_PX, height - top)


def _in_tile(
    reader: Any, grid: Any, tile: tuple[int, int, int, int], sea: Sea, decibels: bool, false_alarm: float
) -> list[Patch]:
    """Ships whose middle lies in a tile, seen with a margin as wide as the longest ship."""
    from rasterio.windows import Window

    from data.raster.windows import Place, read_block

    longest = LONGEST_M if sea.placed else LONGEST_UNPLACED_M
    margin = int(np.clip(longest / sea.pixel_m, 64, 512))
    left, top = max(0, tile[0] - margin), max(0, tile[1] - margin)
    right = min(grid.width, tile[0] + tile[2] + margin)
    bottom = min(grid.height, tile[1] + tile[3] + margin)
    window = Window(left, top, right - left, bottom - top)
    water, land = (_cut(mask, sea.factor, left, top, right, bottom) for mask in (sea.open_water, sea.land))
    if not water.any():
        return []
    intensity = power(read_block(reader, (1,), Place(grid, window))[0], decibels)
    edges = (left == 0, top == 0, right == grid.width, bottom == grid.height)
    found = patches_in(intensity, water, land, sea, false_alarm, edges)
    kept = []
    for patch in found:
        patch.box = patch.box + np.array([left, top])
        x, y = patch.box.mean(axis=0)
        if tile[0] <= x < tile[0] + tile[2] and tile[1] <= y < tile[1] + tile[3]:
            kept.append(patch)
    return kept


def _cut(
    mask: NDArray[np.bool_], factor: int, left: int, top: int, right: int, bottom: int
) -> NDArray[np.bool_]:
    """The part of a coarse mask over a window of the image, at the image's pixels."""
    rows = np.minimum(np.arange(top, bottom) // factor, mask.shape[0] - 1)
    columns = np.minimum(np.arange(left, right) // factor, mask.shape[1] - 1)
    return np.asarray(mask[np.ix_(rows, columns)])


def patches_in(
    intensity: NDArray[np.float32],
    water: NDArray[np.bool_],
    land: NDArray[np.bool_],
    sea: Sea,
    false_alarm: float,
    edges: tuple[bool, bool, bool, bool] = (True, True, True, True),
) -> list[Patch]:
    """The patches of a window that are most like ships, and why some are not claimed; boxes in pixels of the
    window."""
    nodes = nodes_in(intensity, water, land, sea, false_alarm, edges)
    for node, likeness in zip(nodes, likenesses(nodes), strict=True):
        node.likeness = likeness
    kept = whole(chosen(nodes, LEAST_LIKENESS))
    for patch in kept:
        patch.left_out = why_not(patch, nodes)
    return kept


def nodes_in(
    intensity: NDArray[np.float32],
    water: NDArray[np.bool_],
    land: NDArray[np.bool_],
    sea: Sea,
    false_alarm: float,
    edges: tuple[bool, bool, bool, bool] = (True, True, True, True),
) -> list[Patch]:
    """The tree of bright patches of a window; boxes in pixels of the window."""
    import cv2

    scale = FINE_M / sea.pixel_m
    known = np.isfinite(intensity)
    filled = np.where(known, intensity, sea.level).astype(np.float32)
    floor = max(1e-3 * float(filled.mean()), 1e-12)
    smooth = cv2.GaussianBlur(filled, (0, 0), max(0.6, _SIGMA_PX * min(1.0, scale))) + floor
    clutter, bright = _clutter(smooth, water & known, ~land & known, false_alarm, scale)
    contrast = 10 * np.log10(smooth / clutter)
    candidates = bright & ~land & known & (contrast > LEAST_DB)
    return tree_of(Surroundings(contrast, candidates, water, sea), edges)


def _clutter(
    smooth: NDArray[np.float32],
    water: NDArray[np.bool_],
    allowed: NDArray[np.bool_],
    false_alarm: float,
    scale: float,
) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
    """The mean clutter around each pixel, and where a pixel is beyond what such clutter gives."""
    import cv2
    from scipy.stats import gamma

    guard, ring = (max(4, round(each * min(1.0, scale))) for each in (_GUARD_PX, _RING_PX))
    ring = max(ring, guard + 6)
    shapes = np.geomspace(0.2, 500, 300)
    quantiles = gamma.isf(false_alarm, shapes) / shapes

    def around(values: NDArray[Any]) -> NDArray[Any]:
        sums = [
            cv2.boxFilter(
                values, cv2.CV_64F, (2 * r + 1, 2 * r + 1), normalize=False, borderType=cv2.BORDER_CONSTANT
            )
            for r in (ring, guard)
        ]
        return np.asarray(sums[0] - sums[1])

    least = 0.05 * ((2 * ring + 1) ** 2 - (2 * guard + 1) ** 2)
    # A ship as long as the ring raises its mean and variance beyond itself: nothing far above is clutter.
    most = _NO_CLUTTER * float(np.median(smooth[water] if water.any() else smooth))
    with np.errstate(divide="ignore", invalid="ignore"):
        level = around(np.where(water, np.minimum(smooth, most), 0).astype(np.float64)) / around(
            water.astype(np.float64)
        )
    sample = water & (smooth < _NO_CLUTTER * level)
    bright = np.zeros(water.shape, bool)
    mean = np.full(smooth.shape, float(smooth.mean()))
    for _ in range(3):
        weight = sample.astype(np.float64)
        count = around(weight)
        inside = smooth[sample] if sample.any() else smooth.ravel()
        few = count < least
        with np.errstate(divide="ignore", invalid="ignore"):
            mean = np.where(few, float(np.median(inside)), around(smooth * weight) / count)
            variance = around(np.square(smooth.astype(np.float64)) * weight) / count - np.square(mean)
        mean = np.minimum(mean, _HIGHEST_CLUTTER * float(np.median(inside)))
        variance = np.where(few, float(inside.var()), np.maximum(variance, 1e-6 * np.square(mean)))
        shape = np.clip(np.square(mean) / np.maximum(variance, 1e-30), 0.2, 500)
        bright = (smooth > mean * np.interp(shape, shapes, quantiles)) & allowed
        near = cv2.dilate(bright.astype(np.uint8), np.ones((5, 5), np.uint8)).astype(bool)
        sample = sample & ~near
    return np.asarray(mean, np.float32), bright


def _show(progress: Progress, image: Path, patches: list[Patch]) -> None:
    """Tell ships as they are found, where the image has a place."""
    from data.vision.ground import ground_of

    ground = ground_of(image) if patches else None
    if ground is None:
        return
    from shapely.geometry import mapping

    progress.found(
        [
            {
                "type": "Feature",
                "geometry": mapping(ground.shape(each.box)),
                "properties": {"class_name": "ship", "score": round(score_of(each.likeness), 4)},
            }
            for each in patches
        ]
    )

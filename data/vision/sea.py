"""Sea and land in a radar image: where open water is, how bright it is, and what is land."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from data.progress import Progress

FINE_M = 1.5
"""The pixel that sizes are given for; an image without a place is taken to have it."""
_COARSE_PX = 4_000_000
_SMOOTH_PX = 9
_WIDE_PX = 40
"""Wider than this, 60 m, is no ship, unless it is far brighter than land and shaped as one."""
_OPEN_LAND_PX = 26
_OPEN_SEA_PX = 12
_BRIGHT_DB = 16.0
_BEAM_M = 60.0
"""The widest ship's."""
_LEAST_SEA = 0.005
_FIRST_GAP_DB, _NEXT_GAP_DB = 6.0, 3.0
"""How far apart the means of two classes are: land of all kinds and water, then paved ground and water."""
_DEEP_SHARE = 0.2
_EVEN_PX, _AROUND_PX, _BLOCK_PX, _AWAY_PX = 9, 65, 48, 5
_LEAST_SURE_PX, _LEAST_BLOCKS = 300, 8
_EVEN_DB, _EVEN_BLOCK_DB, _EVEN_SHARE = 1.5, 1.15, 0.3
"""How far water's means of 9 x 9 pixels spread at most, and within so large a share of its blocks: over 38
real images of sea and ports 0.7 to 1.2 dB, over rendered waves up to 1.4; yards, streets and roofs that were
taken for water have 1.5 to 4."""


@dataclass(frozen=True)
class Sea:
    """What an image's water and land are, on a grid that may be coarser than the image's."""

    open_water: NDArray[np.bool_]
    """(rows, columns): water with room around it, no lane between houses."""
    water: NDArray[np.bool_]
    """All of it."""
    land: NDArray[np.bool_]
    """Where no ship is looked for: land without what sticks out of it as narrowly as a ship."""
    factor: int
    """Pixels of the image to one of these, along each side."""
    level: float
    """Median intensity of the water, in the image's values squared."""
    pixel_m: float
    """Of the image."""
    placed: bool
    """Whether that is known; else it is taken to be FINE_M."""
    found: str
    """How land was told: "given", "brightness", "none" where no two classes part, or "no water" where what is
    darkest is too uneven to be any; there is no water in it then."""
    even: bool = True
    """Whether what was taken for water is even enough to be some."""

    @property
    def water_share(self) -> float:
        """Of the whole image, 0 to 1."""
        return float(self.water.mean())


def pixel_m(image: Path) -> float | None:
    """The side of a pixel in the middle of an image, metres; None without a place."""
    from data.raster.areas import row_areas_m2
    from data.raster.windows import grid_of
    from data.vision.ground import ground_of

    if ground_of(image) is None:
        return None
    areas = row_areas_m2(grid_of(image))
    return float(np.sqrt(areas[len(areas) // 2]))


def sea_of(
    progress: Progress, image: Path, decibels: bool, land: Path | None = None, anyway: bool = False
) -> Sea:
    """Water and land of a radar image (amplitude, or decibels), seen at up to 4 million pixels.

    With `land` (polygons in EPSG:4326, GeoParquet) those are the land. Else water is the darker of two
    classes (Otsu 1979) of the smoothed decibels, where enough of it is as dark as the darkest class of the
    minimum-error threshold, parted again as long as that leaves bodies of a darker class; the rest is land
    where it is wider than a ship, but for what the opening by a disk of 40 m takes off (piers, and ships that
    lie at them), and but for the 60 m next to the water. Where what is darkest is too uneven to be water
    there is none, unless it is taken for it `anyway`. Raises RasterError.
    """
    known, even = pixel_m(image), True
    fine = known or FINE_M
    intensity, factor = coarse(image, decibels)
    progress.tell(0.05, "Telling water from land.")
    pixel = fine * factor
    if not np.isfinite(intensity).any():
        from data.raster.errors import RasterError

        raise RasterError(f"{image.name} has no pixel with a value, so there is nothing to look at.")
    smooth = _smoothed_db(intensity, _scaled(_SMOOTH_PX, pixel, 3))
    if land is not None:
        ground = _burned(image, land, factor, intensity.shape)
        water = ~ground & np.isfinite(intensity)
        found = "given"
    else:
        water, found = _water(smooth, pixel)
        ground = _land(water, smooth, pixel) if found == "brightness" else np.zeros(water.shape, bool)
        even = is_water(intensity, water)
        if not even and not anyway:
            water, ground, found = np.zeros_like(water), np.ones_like(water), "no water"
    level = float(np.nanmedian(intensity[water])) if water.any() else float(np.nanmedian(intensity))
    room = water if land is not None else opened_by(water, _scaled(_OPEN_SEA_PX, pixel, 2))
    return Sea(room, water, ground, factor, max(level, 1e-12), fine, known is not None, found, even)


def power(values: NDArray[Any], decibels: bool) -> NDArray[np.float32]:
    """Intensity of amplitude, or of decibels."""
    with np.errstate(over="ignore", invalid="ignore"):
        made = 10 ** (values / 10) if decibels else np.square(values)
    return np.asarray(made, np.float32)


def opened_by(mask: NDArray[np.bool_], radius: int) -> NDArray[np.bool_]:
    """The mask opened by a disk; what lies beyond the image is as its border is."""
    import cv2

    if radius < 1:
        return mask
    wide = np.pad(mask.astype(np.uint8), radius + 1, mode="edge")
    side = 2 * radius + 1
    disk = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (side, side))
    made = cv2.morphologyEx(wide, cv2.MORPH_OPEN, disk)
    return np.asarray(made[radius + 1 : -radius - 1, radius + 1 : -radius - 1], bool)


def is_water(intensity: NDArray[np.float32], water: NDArray[np.bool_]) -> bool:
    """Whether what was taken for water is even enough to be some, or too little is left to tell.

    Water is speckle of one brightness, which changes over far more than 65 pixels; in streets, yards and
    fields it changes from one to the next. So it is none where the means of 9 x 9 pixels spread too far
    around their neighbourhood, unless they do not within a good share of its blocks: where land was taken for
    water as well. Of a spread the darker sixth under the median counts, as ships have halos.
    """
    import cv2

    inside = cv2.erode(water.astype(np.uint8), np.ones((2 * _AWAY_PX + 1,) * 2, np.uint8), borderValue=1)
    sure = (inside > 0) & np.isfinite(intensity)
    if sure.sum() < _LEAST_SURE_PX:
        return True
    level = _smoothed_db(np.where(water, intensity, np.nan).astype(np.float32), _EVEN_PX)
    share, around = (
        cv2.blur(each.astype(np.float32), (_AROUND_PX,) * 2, borderType=cv2.BORDER_REFLECT)
        for each in (sure, np.where(sure, level, 0))
    )
    above = np.asarray(level[sure] - around[sure] / share[sure], np.float32)
    if _spread_db(above) <= _EVEN_DB:
        return True
    rows, columns = (range(0, max(1, side - _BLOCK_PX // 2), _BLOCK_PX) for side in level.shape)
    places = [np.s_[row : row + _BLOCK_PX, column : column + _BLOCK_PX] for row in rows for column in columns]
    blocks = [level[place][sure[place]] for place in places]
    spreads = [_spread_db(each) for each in blocks if each.size >= _LEAST_SURE_PX]
    even = float(np.mean(np.array(spreads) <= _EVEN_BLOCK_DB)) if len(spreads) >= _LEAST_BLOCKS else 0.0
    return even >= _EVEN_SHARE


def _spread_db(values: NDArray[np.float32]) -> float:
    low, middle = np.percentile(values, (16, 50))
    return float(middle - low)


def _scaled(pixels: float, pixel: float, least: int) -> int:
    return max(least, round(pixels * FINE_M / pixel))


def coarse(image: Path, decibels: bool, most_px: int = _COARSE_PX) -> tuple[NDArray[np.float32], int]:
    """Mean intensity in squares of the image and their side in pixels, at most so many, read in strips."""
    from data.raster.files import opened
    from data.raster.windows import Grid, Place, read_block, windows

    with opened(image) as reader:
        grid = Grid.of(reader)
        factor = max(1, int(np.ceil(np.sqrt(grid.width * grid.height / most_px))))
        rows, columns = -(-grid.height // factor), -(-grid.width // factor)
        total, count = np.zeros((rows, columns)), np.zeros((rows, columns))
        for window in windows(grid, 4_000_000):
            block = power(read_block(reader, (1,), Place(grid, window))[0], decibels)
            known = np.isfinite(block)
            top, left = int(window.row_off), int(window.col_off)
            at_row = (np.arange(block.shape[0]) + top) // factor
            at_column = (np.arange(block.shape[1]) + left) // factor
            first = (at_row[0], at_column[0])
            for add, sums in ((np.where(known, block, 0), total), (known, count)):
                down = np.add.reduceat(
                    add, np.flatnonzero(np.diff(at_row, prepend=-1)), axis=0, dtype=np.float64
                )
                both = np.add.reduceat(down, np.flatnonzero(np.diff(at_column, prepend=-1)), axis=1)
                sums[first[0] : first[0] + both.shape[0], first[1] : first[1] + both.shape[1]] += both
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(total / count, np.float32), factor


def _smoothed_db(intensity: NDArray[np.float32], side: int) -> NDArray[np.float32]:
    import cv2

    known = np.isfinite(intensity)
    ksize = (side | 1, side | 1)
    share = cv2.boxFilter(known.astype(np.float32), -1, ksize, borderType=cv2.BORDER_REFLECT)
    mean = cv2.boxFilter(np.where(known, intensity, 0), -1, ksize, borderType=cv2.BORDER_REFLECT)
    with np.errstate(divide="ignore", invalid="ignore"):
        average = mean / share
        floor = max(1e-12, 1e-3 * float(np.nanmean(intensity)))
        made = 10 * np.log10(average + floor)
    made[~known] = np.nan
    return np.asarray(made, np.float32)


def _water(smooth: NDArray[np.float32], pixel: float) -> tuple[NDArray[np.bool_], str]:
    """The darkest of the classes that part, as far as it comes in bodies: paved ground is dark as well."""
    from data.vision.thresholds import kittler_illingworth, otsu

    known = np.isfinite(smooth)
    water, found = known, "none"
    split, least = otsu(smooth), kittler_illingworth(smooth)
    if split is not None and split.ashman >= 3.0 and split.high_mean - split.low_mean >= _FIRST_GAP_DB:
        deepest = split.threshold if least is None else min(split.threshold, least.threshold)
        bodies = _bodies(known & (smooth < split.threshold), smooth < deepest, known.sum())
        if bodies.any():
            water, found = bodies, "brightness"
    for _ in range(2):
        split = kittler_illingworth(smooth[water])
        if split is None or split.ashman < 2.5 or split.high_mean - split.low_mean < _NEXT_GAP_DB:
            break
        low = water & (smooth < split.threshold)
        bodies, rest = _bodies(low, low, known.sum()), water & ~low
        # What is lost must be a body too: ships have halos, which are narrow, and waves are everywhere.
        wide = opened_by(rest, _scaled(_OPEN_LAND_PX, pixel, 3))
        if bodies.sum() < 0.7 * low.sum() or wide.sum() < max(0.5 * rest.sum(), _LEAST_SEA * known.sum()):
            break
        water, found = bodies, "brightness"
    return water, found


def _bodies(low: NDArray[np.bool_], deep: NDArray[np.bool_], known: int) -> NDArray[np.bool_]:
    """Connected parts that are large and, in a good share, as dark as `deep`."""
    from scipy import ndimage

    labels, count = ndimage.label(low)
    sizes = np.bincount(labels.ravel(), minlength=count + 1)
    darkest = np.bincount(labels.ravel(), weights=(low & deep).ravel(), minlength=count + 1)
    kept = (sizes > _LEAST_SEA * known) & (darkest > _DEEP_SHARE * sizes)
    kept[0] = False
    return np.asarray(kept[labels], bool)


def _land(water: NDArray[np.bool_], smooth: NDArray[np.float32], pixel: float) -> NDArray[np.bool_]:
    """What is not water and too wide for a ship, opened so that ships at the quay are left to be found."""
    from scipy import ndimage

    level = float(np.nanmedian(smooth[water]))
    wide = _scaled(_WIDE_PX, pixel, 6)
    labels, _ = ndimage.label(ndimage.binary_fill_holes(~water & np.isfinite(smooth)))
    land = np.zeros(water.shape, bool)
    for number, where in enumerate(ndimage.find_objects(labels), start=1):
        patch = labels[where] == number
        if patch.sum() >= wide * wide / 4 and not _as_a_ship(patch, where, smooth, level, wide):
            land[where] |= patch
    land = opened_by(land, _scaled(_OPEN_LAND_PX, pixel, 3))
    # A ship alongside a straight quay is of one piece with it: as much as a beam from the water is left open.
    return land & (_from(water, land.shape) > _BEAM_M / pixel)


def _from(water: NDArray[np.bool_], shape: tuple[int, ...]) -> NDArray[np.float32]:
    """Pixels to the nearest water."""
    import cv2

    if not water.any():
        return np.full(shape, np.inf, np.float32)
    return np.asarray(cv2.distanceTransform((~water).astype(np.uint8), cv2.DIST_L2, 5), np.float32)


def _as_a_ship(
    patch: NDArray[np.bool_], where: Any, smooth: NDArray[np.float32], level: float, wide: int
) -> bool:
    """Whether a patch is narrow, or else far brighter than land, drawn out, full and free of the border."""
    import cv2
    from scipy import ndimage

    rows, columns = np.nonzero(patch)
    _, sides, _ = cv2.minAreaRect(np.column_stack([columns, rows]).astype(np.float32))
    short, long = sorted(float(each) + 1 for each in sides)
    if short <= wide:
        return True
    padded = np.pad(patch, 1)
    outline = int((padded & ~ndimage.binary_erosion(padded)).sum())
    height, width = smooth.shape
    ends = (
        (where[0].start == 0, patch[0]),
        (where[0].stop == height, patch[-1]),
        (where[1].start == 0, patch[:, 0]),
        (where[1].stop == width, patch[:, -1]),
    )
    border = sum(int(line.sum()) for touches, line in ends if touches)
    inside = smooth[where][patch]
    above = float(np.median(inside[np.isfinite(inside)])) - level if np.isfinite(inside).any() else 0.0
    return (
        above > _BRIGHT_DB
        and patch.sum() > 0.5 * short * long
        and border < 0.3 * outline
        and long > 1.3 * short
    )


def _burned(image: Path, land: Path, factor: int, shape: tuple[int, int]) -> NDArray[np.bool_]:
    """Polygons as a mask on the coarse grid."""
    from affine import Affine
    from rasterio.features import rasterize

    from data.raster.errors import RasterError
    from data.vector.files import read_geoparquet
    from data.vision.ground import ground_of

    ground = ground_of(image)
    if ground is None:
        raise RasterError(
            f"{image.name} has no place on the ground, so polygons of land cannot be laid on it."
        )
    frame = read_geoparquet(land).to_crs(ground.crs)
    shapes = [each for each in frame.geometry if each is not None and not each.is_empty]
    if not shapes:
        return np.zeros(shape, bool)
    made = rasterize(shapes, shape, transform=ground.transform @ Affine.scale(factor), all_touched=True)
    return np.asarray(made, bool)

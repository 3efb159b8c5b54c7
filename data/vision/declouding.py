"""Clouds taken out of an image: other dates put under them, else filled in, and marked as such."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rasterio.windows import Window

from data.progress import Progress
from data.raster.errors import RasterError
from data.raster.files import opened
from data.raster.windows import STRIP_PX, Band, Block, Grid, Place, compute, grid_of
from data.vision.blocks import followed, kept_type
from data.vision.clouds import CLOUD, SHADOW, UNKNOWN, find_clouds

TAKEN, OTHER, INVENTED = 1, 2, 3
"""Values of the band "invented": as the image has it, from another date, made up from its surroundings."""
SMALL_PX = 12
"""Holes that are narrower are inpainted along their edges; wider ones from patches of the image."""
LARGEST_PX = 400
"""Holes wider or higher than this are filled smoothly: nothing seen could be put there."""
_MARGIN_PX = 80
_GROWN_PX = 5
_LEAST_COMMON = 200
_SMOOTH_REACH_PX = 100


@dataclass(frozen=True)
class Cleared:
    """Where the pixels under the clouds come from, as shares of the pixels with a value, percent."""

    cloud_percent: float
    other_percent: float
    invented_percent: float
    left_percent: float
    """Still without a value: too far from anything clear."""
    method: str
    """How the clouds were found."""
    others_used: int


def remove_clouds(
    progress: Progress,
    source: Path,
    target: Path,
    others: Sequence[Path] = (),
    *,
    tags: Mapping[str, str] | None = None,
) -> Cleared:
    """Write the image's bands without clouds, and behind them a band "invented" of TAKEN, OTHER or INVENTED.

    Clouds are found as data.vision.clouds does, in each image by itself, and grown by 5 pixels. Under them
    goes the median of the other dates that are clear there, each brought onto the image's grid and, band by
    band, to its mean and spread over the ground that is clear in both (relative normalisation, Yuan and
    Elvidge 1996, ISPRS Journal 51, 117-126). What is left is filled in: holes under 12 pixels wide by Telea
    (2004), An image inpainting technique based on the fast marching method, Journal of Graphics Tools 9,
    23-34; up to 400 pixels from the image's own patches, after Criminisi, Perez and Toyama (2004), Region
    filling and object removal by exemplar-based image inpainting, IEEE Transactions on Image Processing 13,
    1200-1212; larger ones by interpolation over 100 pixels. Raises RasterError.
    """
    scratch = target.with_name(f".{target.stem}-{secrets.token_hex(4)}")
    masks = [scratch.with_name(f"{scratch.name}-{at}.tif") for at in range(1 + len(others))]
    try:
        progress.tell(0.0, "Looking for clouds.")
        found = find_clouds(_Part(progress, 0.0, 0.2), source, masks[0])
        for at, other in enumerate(others, start=1):
            _same_bands(source, other)
            find_clouds(_Part(progress, 0.2, 0.35), other, masks[at])
        matches = [
            _match(source, masks[0], other, mask) for other, mask in zip(others, masks[1:], strict=True)
        ]
        _compose(progress, source, target, masks, others, matches, tags)
        progress.tell(0.6, "Filling in what no date shows.")
        lost = _fill(progress, target)
        counts = {0: lost, **_counts(target)}
    finally:
        for mask in masks:
            mask.unlink(missing_ok=True)
    total = max(sum(counts.values()), 1)
    shares = {key: 100.0 * value / total for key, value in counts.items()}
    return Cleared(
        found.cloud_percent,
        shares[OTHER],
        shares[INVENTED],
        shares[0],
        found.method,
        sum(match is not None for match in matches),
    )


class _Part:
    """Progress of a part of the work."""

    def __init__(self, progress: Progress, start: float, end: float) -> None:
        self.progress, self.start, self.end = progress, start, end

    def tell(self, fraction: float, sentence: str) -> None:
        """The part's share of the whole."""
        self.progress.tell(self.start + (self.end - self.start) * fraction, sentence)

    def found(self, features: Sequence[Mapping[str, Any]]) -> None:
        """As the whole has it."""
        self.progress.found(features)


Match = NDArray[np.float64]
"""(bands, 2): gain and offset that bring another date to the image's own numbers."""


def _same_bands(source: Path, other: Path) -> None:
    with opened(source) as one, opened(other) as two:
        if one.count != two.count:
            raise RasterError(
                f"The other dates must have the image's bands: {other.name} has {two.count} and "
                f"{source.name} {one.count}."
            )
        if not Grid.of(one).same_as(Grid.of(two)) and (one.crs is None or two.crs is None):
            raise RasterError(
                f"{other.name} cannot be laid over the image: one has no place, and their sizes differ."
            )


def _onto(path: Path, count: int, grid: Grid, resampling: str) -> Band:
    return Band(path, tuple(range(1, count + 1)), onto=grid, resampling=resampling)


def _match(source: Path, mask: Path, other: Path, other_mask: Path) -> Match | None:
    """Gain and offset per band over what is clear in both; None where that is too little."""
    from contextlib import ExitStack

    from data.raster.windows import read_block, reader_of, windows

    grid = grid_of(source)
    with opened(source) as reader:
        count = reader.count
    totals = np.zeros((count, 5))
    with ExitStack() as stack:
        readers = [
            reader_of(stack, each)
            for each in (
                Band(source),
                Band(mask),
                _onto(other, count, grid, "bilinear"),
                _onto(other_mask, 1, grid, "nearest"),
            )
        ]
        for window in windows(grid, STRIP_PX // 4):
            place = Place(grid, window)
            numbers = (tuple(range(1, count + 1)), (1,))
            own, own_mask, theirs, their_mask = (
                read_block(each, numbers[at % 2], place) for at, each in enumerate(readers)
            )
            clear = (own_mask[0] == 0) & (their_mask[0] == 0)
            for band in range(count):
                x, y = theirs[band][clear].astype(np.float64), own[band][clear].astype(np.float64)
                both = np.isfinite(x) & np.isfinite(y)
                x, y = x[both], y[both]
                totals[band] += (x.size, x.sum(), (x * x).sum(), y.sum(), (y * y).sum())
    if totals[:, 0].min() < _LEAST_COMMON:
        return None
    count_, x_sum, x_squares, y_sum, y_squares = totals.T
    x_mean, y_mean = x_sum / count_, y_sum / count_
    x_spread = np.sqrt(np.maximum(x_squares / count_ - x_mean**2, 1e-12))
    y_spread = np.sqrt(np.maximum(y_squares / count_ - y_mean**2, 0.0))
    gain = np.where(x_spread > 1e-5, y_spread / x_spread, 1.0)
    return np.column_stack([gain, y_mean - gain * x_mean])


def _compose(
    progress: Progress,
    source: Path,
    target: Path,
    masks: Sequence[Path],
    others: Sequence[Path],
    matches: Sequence[Match | None],
    tags: Mapping[str, str] | None,
) -> None:
    """The bands with other dates under the clouds, and the band that says so; INVENTED for holes."""
    with opened(source) as reader:
        count = reader.count
        descriptions = [text or "" for text in reader.descriptions]
    dtype, nodata = kept_type(source)
    grid = grid_of(source)
    used = [at for at, match in enumerate(matches) if match is not None]
    inputs = [Band(source), Band(masks[0])]
    for at in used:
        inputs.append(_onto(others[at], count, grid, "bilinear"))
        inputs.append(_onto(masks[at + 1], 1, grid, "nearest"))

    def compose(blocks: list[Block], _: Place) -> NDArray[Any]:
        own, mask = blocks[0].astype(np.float32), blocks[1][0]
        known = np.isfinite(own).all(axis=0)
        hidden = _grown((mask == CLOUD) | (mask == SHADOW)) & known
        origin = np.where(known, TAKEN, np.nan).astype(np.float32)
        origin[hidden] = INVENTED
        if used and hidden.any():
            under = _clear_median(blocks[2:], [matches[at] for at in used])
            there = hidden & np.isfinite(under).all(axis=0)
            own[:, there] = under[:, there]
            origin[there] = OTHER
        return np.concatenate([own, origin[np.newaxis]])

    doing = "Putting other dates under the clouds" if used else "Marking the clouds"
    # Without a nodata value of its own, whole numbers take 0 where nothing is known.
    compute(
        inputs,
        target,
        followed(progress, doing, grid.width * grid.height, compose, (0.4, 0.6)),
        halo=_GROWN_PX + 1,
        count=count + 1,
        dtype=dtype,
        nodata=nodata,
        descriptions=[*descriptions, "invented"],
        tags=tags,
        pixels=STRIP_PX // 4,
    )


def _clear_median(blocks: Sequence[Block], matches: Sequence[Match | None]) -> NDArray[np.float32]:
    import warnings

    layers = []
    for match, other, mask in zip(matches, blocks[::2], blocks[1::2], strict=True):
        assert match is not None
        hidden = _grown((mask[0] == CLOUD) | (mask[0] == SHADOW)) | (mask[0] == UNKNOWN)
        brought = other * match[:, 0, None, None] + match[:, 1, None, None]
        layers.append(np.where(hidden | ~np.isfinite(mask[0]), np.nan, brought))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # no date is clear: told by not-a-number
        return np.asarray(np.nanmedian(np.stack(layers), axis=0), np.float32)


def _grown(mask: NDArray[np.bool_]) -> NDArray[np.bool_]:
    import cv2

    side = 2 * _GROWN_PX + 1
    disk = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (side, side))
    return np.asarray(cv2.dilate(mask.astype(np.uint8), disk) > 0)


def _fill(progress: Progress, target: Path) -> int:
    """Fill every hole of the file in place, one after the other; how many pixels are left without a value."""
    import rasterio

    from data.uploads.gdal import quiet_gdal
    from data.vision.inpainting import fill_hole

    with quiet_gdal(), rasterio.open(target, "r+") as made:
        holes = _holes(made)
        left = 0
        for at, window in enumerate(holes):
            doing = f"Filling in hole {at + 1} of {len(holes)}."
            tell = partial(progress.tell, 0.6 + 0.38 * at / len(holes), doing)
            tell()
            values = made.read(window=window)
            origin = values[-1]
            hole = origin == INVENTED
            if not hole.any():
                continue
            known = (origin == TAKEN) | (origin == OTHER)
            floats = np.where(known, values[:-1], np.nan).astype(np.float32)
            large = max(window.width, window.height) - 2 * _MARGIN_PX > LARGEST_PX
            filled = fill_hole(floats, hole, SMALL_PX, tell, smooth_px=_SMOOTH_REACH_PX if large else None)
            reached = hole & np.isfinite(filled).all(axis=0)
            if np.dtype(made.dtypes[0]).kind in "iu":
                info = np.iinfo(made.dtypes[0])
                filled = np.clip(
                    np.rint(filled), max(info.min, 1 if made.nodata == 0 else info.min), info.max
                )
            values[:-1, reached] = filled[:, reached].astype(values.dtype)
            lost = hole & ~reached
            left += int(lost.sum())
            nothing = made.nodata if made.nodata is not None else 0
            values[:, lost] = np.asarray(nothing).astype(values.dtype)
            made.write(values, window=window)
    return left


_COARSE_PX = 4


def _holes(made: Any) -> list[Window]:
    """Windows around the holes with a margin of what is clear, holes that lie near together in one.

    Holes are told apart at a quarter of the resolution, which keeps the labels small; what is larger than
    LARGEST_PX is cut into windows of that size.
    """
    from scipy.ndimage import find_objects, label

    rows, columns = -(-made.height // _COARSE_PX), -(-made.width // _COARSE_PX)
    coarse = np.zeros((rows, columns), bool)
    band = 512 * _COARSE_PX
    for top in range(0, made.height, band):
        height = min(band, made.height - top)
        origin = made.read(made.count, window=Window(0, top, made.width, height)) == INVENTED
        padded = np.pad(origin, ((0, -height % _COARSE_PX), (0, -made.width % _COARSE_PX)))
        blocks = padded.reshape(padded.shape[0] // _COARSE_PX, _COARSE_PX, columns, _COARSE_PX)
        coarse[top // _COARSE_PX : top // _COARSE_PX + blocks.shape[0]] = blocks.any(axis=(1, 3))
    labels, _ = label(coarse, structure=np.ones((3, 3)))
    made_windows: list[Window] = []
    for slices in find_objects(labels):
        top, bottom = (each * _COARSE_PX for each in (slices[0].start, slices[0].stop))
        left, right = (each * _COARSE_PX for each in (slices[1].start, slices[1].stop))
        for row in range(top, bottom, 1024):
            for column in range(left, right, 1024):
                made_windows.append(
                    _with_margin(made, row, column, min(row + 1024, bottom), min(column + 1024, right))
                )
    return made_windows


def _with_margin(made: Any, top: int, left: int, bottom: int, right: int) -> Window:
    top, left = max(0, top - _MARGIN_PX), max(0, left - _MARGIN_PX)
    bottom, right = min(made.height, bottom + _MARGIN_PX), min(made.width, right + _MARGIN_PX)
    return Window(left, top, right - left, bottom - top)


def _counts(target: Path) -> dict[int, int]:
    """How many pixels have each origin."""
    found = dict.fromkeys((TAKEN, OTHER, INVENTED), 0)
    with opened(target) as made:
        for _, window in made.block_windows(1):
            values = made.read(made.count, window=window)
            for each in (TAKEN, OTHER, INVENTED):
                found[each] += int((values == each).sum())
    return found

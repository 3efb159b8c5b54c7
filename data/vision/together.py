"""A pair of images made comparable: brought onto one grid, moved onto each other, their values matched."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from data.progress import Progress

_LEAST_SHIFT_PX = 0.2
"""A smaller shift is left: moving an image blurs it."""
_LEAST_GAIN = 0.02
"""By how much moving must raise the correlation: noise agrees a little better with any shift."""
_LEAST_LIKENESS = 0.2
"""And what it must reach: two fields of speckle agree in nothing."""
_MOST_SHIFT_PX = 64.0
_MEAN_PX = 5
_LEAST_PX = 50
_PRETENDED = "EPSG:32631"


@dataclass(frozen=True)
class Together:
    """Two files on one grid, that of the first image, and what was done to the second."""

    before: Path
    after: Path
    before_bands: tuple[int, ...]
    after_bands: tuple[int, ...]
    """Bands that go together, in one order."""
    names: tuple[str, ...]
    """What the bands are, where it is known."""
    shift_px: tuple[float, float] | None
    """(columns, rows) by which the second image was moved; None where no shift was found."""
    correlation: tuple[float, float] | None
    """Before and after moving it."""
    moved: bool
    done: tuple[str, ...]
    """What was done, in sentences."""
    placed: bool
    """Whether the images have a place on the ground."""
    likeness: float | None = None
    """How well both agree as they now lie: `likeness_of`."""


def brought_together(progress: Progress, before: Path, after: Path, folder: Path) -> Together:
    """Bring `after` onto `before` by the shift that their pixels show; files are made in `folder`.

    Images without a place must have as many rows and columns. Raises RasterError for images that have no
    bands in common or do not lie over each other.
    """
    from data.vision.ground import ground_of

    numbers = shared_bands(before, after)
    names = numbers[2]
    grounds = [ground_of(each) is not None for each in (before, after)]
    placed = all(grounds)
    if not placed:
        before, after = _pretend(before, after, folder, any(grounds))
    progress.tell(0.05, "Finding how the images lie to each other.")
    target, done = folder / "moved.tif", []
    shift, likeness, moved = None, None, False
    try:
        found = _registered(before, after, target, numbers)
        shift, likeness = (found.columns, found.rows), (found.correlation_before, found.correlation_after)
        away = float(np.hypot(*shift)) >= _LEAST_SHIFT_PX
        moved = away and likeness[1] >= max(likeness[0] + _LEAST_GAIN, _LEAST_LIKENESS)
        if moved:
            done.append(
                f"The second image was moved {shift[0]:.2f} pixels right and {shift[1]:.2f} down onto the "
                f"first (correlation {likeness[0]:.2f} to {likeness[1]:.2f})."
            )
        elif away:
            done.append("The images were taken as they lie: no shift makes them clearly more alike.")
        else:
            done.append(f"The images lie within {float(np.hypot(*shift)):.2f} pixels of each other.")
    except _errors() as error:
        done.append(f"The images were taken as they lie: {_lower(str(error))}")
    if not moved:
        target = _laid_over(before, after, folder)
    agree = likeness_of(before, target, numbers[0], numbers[1])
    return Together(
        before, target, numbers[0], numbers[1], names, shift, likeness, moved, tuple(done), placed, agree
    )


def likeness_of(before: Path, after: Path, numbers: Sequence[int], others: Sequence[int]) -> float | None:
    """The rank correlation (Spearman 1904) of two images that lie on one grid; None with too few pixels.

    Of the mean of the bands in means of 5 x 5 pixels, so that neither noise and speckle nor a shift of a
    pixel counts; by ranks, so that decibels, a stretch and a gain do not.
    """
    from scipy.ndimage import uniform_filter
    from scipy.stats import spearmanr

    from data.raster.windows import Band
    from data.vision.pairs import finite_all, pair_samples

    both: list[tuple[Any, Any]] = []
    for blocks in pair_samples([Band(before, tuple(numbers)), Band(after, tuple(others))]):
        known = finite_all(blocks)
        share = uniform_filter(known.astype(np.float32), _MEAN_PX)
        one, two = (
            (uniform_filter(np.where(known, each.mean(axis=0), 0), _MEAN_PX) / np.maximum(share, 1e-6))[known]
            for each in blocks
        )
        both.append((one[::_MEAN_PX], two[::_MEAN_PX]))
    if sum(len(one) for one, _ in both) < _LEAST_PX:
        return None
    first, second = (np.concatenate([pair[at] for pair in both]) for at in (0, 1))
    if first.std() == 0 or second.std() == 0:
        return None
    return round(float(spearmanr(first, second).statistic), 4)


def shared_bands(before: Path, after: Path) -> tuple[tuple[int, ...], tuple[int, ...], tuple[str, ...]]:
    """The bands of both that go together, by name, else by number. Raises RasterError where none do."""
    from data.raster.bands import band_names
    from data.raster.errors import RasterError
    from data.raster.files import opened

    with opened(before) as one, opened(after) as other:
        names = [tuple(each for each in band_names(source)) for source in (one, other)]
        counts = one.count, other.count
    common = [each for each in names[0] if each is not None and each in names[1]]
    if common and (len(common) >= 3 or len(common) == min(counts)):
        return (
            tuple(names[0].index(each) + 1 for each in common),
            tuple(names[1].index(each) + 1 for each in common),
            tuple(common),
        )
    if counts[0] == counts[1]:
        every = tuple(range(1, counts[0] + 1))
        return every, every, tuple(each or f"band {at}" for at, each in zip(every, names[0], strict=True))
    raise RasterError(
        f"The images have {counts[0]} and {counts[1]} bands, and their names do not say which go together; "
        "take two images of the same bands."
    )


def matched(pair: Together, folder: Path) -> Path:
    """The shared bands of the second image, each band's histogram brought to the first's."""
    from data.raster.matching import match_histogram

    picked = [
        _picked(path, numbers, folder / f"picked{at}.tif")
        for at, (path, numbers) in enumerate(
            ((pair.before, pair.before_bands), (pair.after, pair.after_bands))
        )
    ]
    target = folder / "matched.tif"
    match_histogram(picked[1], picked[0], target)
    return target


def _picked(path: Path, numbers: tuple[int, ...], target: Path) -> Path:
    from data.raster.windows import Band, Block, Place, compute

    def same(blocks: list[Block], _: Place) -> Any:
        return blocks[0]

    compute([Band(path, numbers)], target, same, count=len(numbers))
    return target


def _registered(before: Path, after: Path, target: Path, numbers: Any) -> Any:
    from data.raster.coregister import coregister

    at = numbers[2].index("red") if "red" in numbers[2] else 0
    return coregister(
        before,
        after,
        target,
        band=numbers[1][at],
        reference_band=numbers[0][at],
        max_shift_px=_MOST_SHIFT_PX,
    )


def _laid_over(before: Path, after: Path, folder: Path) -> Path:
    """The second image on the grid of the first: itself where it lies there already."""
    from data.raster.errors import RasterError
    from data.raster.files import opened
    from data.raster.windows import Band, Block, Grid, Place, compute, grid_of

    grid = grid_of(before)
    with opened(after) as source:
        if grid.same_as(Grid.of(source)):
            return after
        count = source.count
    target, known = folder / "laid.tif", [0]

    def same(blocks: list[Block], _: Place) -> Any:
        known[0] += int(np.isfinite(blocks[0]).sum())
        return blocks[0]

    numbers = tuple(range(1, count + 1))
    sources = [Band(after, numbers, onto=grid, resampling="bilinear")]
    compute(sources, target, same, count=count)
    if not known[0]:
        raise RasterError("The two images do not overlap; take two of one place.")
    return target


def _pretend(before: Path, after: Path, folder: Path, one_placed: bool) -> tuple[Path, Path]:
    """Copies of images without a place that lie somewhere, metre pixels, so that they can be moved."""
    import rasterio
    from affine import Affine

    from data.raster.errors import RasterError
    from data.raster.files import geotiff_profile, opened
    from data.raster.windows import windows

    made, sizes = [], []
    for at, path in enumerate((before, after)):
        with opened(path) as source:
            sizes.append((source.width, source.height))
            if sizes[0] != sizes[-1]:
                what = "one has no place on the ground" if one_placed else "neither has a place on the ground"
                raise RasterError(
                    f"The images are {sizes[0][0]} x {sizes[0][1]} and {sizes[1][0]} x {sizes[1][1]} pixels "
                    f"and {what}, so how they lie to each other is not known; place_raster gives one a place."
                )
            profile = geotiff_profile(
                source.width,
                source.height,
                count=source.count,
                dtype=source.dtypes[0],
                nodata=source.nodata,
                crs=_PRETENDED,
                transform=Affine(1, 0, 500_000, 0, -1, 5_000_000),
            )
            made.append(folder / f"pretended{at}.tif")
            with rasterio.open(made[-1], "w", **profile) as target:
                from data.raster.windows import Grid

                for window in windows(Grid.of(source)):
                    target.write(source.read(window=window), window=window)
                for number, text in enumerate(source.descriptions, start=1):
                    target.set_band_description(number, text or "")
                target.colorinterp = source.colorinterp
    return made[0], made[1]


def _errors() -> Any:
    from data.raster.errors import RasterError

    return RasterError


def _lower(sentence: str) -> str:
    return sentence[:1].lower() + sentence[1:]

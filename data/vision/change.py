"""What changed between two images of one place: where, and by how much."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from data.progress import Progress
from data.vision.guard import pair_checked
from data.vision.masks import UNKNOWN
from data.vision.together import Together, brought_together, matched, shared_bands

Method = Literal["auto", "cva", "irmad", "log_ratio", "buildings"]
CHANGED = {1: "changed"}
_LARGEST = 250.0
"""Magnitudes are cut here: 255 stands for no value."""
_SIGNIFICANCE = 1e-4
_ROUNDS = 30
_SAMPLE_PX = 400_000
_FLOOR = 1e-6


@dataclass(frozen=True)
class Changed:
    """How changes were found."""

    method: str
    threshold: float
    unit: str
    """What the magnitude is measured in."""
    done: tuple[str, ...]
    """What was done to the pair first, in sentences."""
    shift_px: tuple[float, float] | None
    matched: bool
    correlations: tuple[float, ...] = ()
    """IR-MAD: the canonical correlations of the last round, the least first."""
    rounds: int = 0
    likeness: float | None = None
    """The rank correlation of both images as they were compared."""
    said: tuple[str, ...] = ()
    """What goes before the answer, of how the pair fits the method: sentences."""


def map_change(
    progress: Progress,
    before: Path,
    after: Path,
    target: Path,
    method: Method = "auto",
    min_px: int = 8,
    anyway: bool = True,
) -> Changed:
    """Write two float32 bands on the grid of `before`: 0 or 1 changed (255 no value), and the magnitude.

    The images are first brought together by phase correlation (`together.brought_together`). "cva": change
    vector analysis (Malila 1980) after histogram matching: the length of the difference of the bands, each
    in its own robust deviation, over the minimum-error threshold (Bruzzone and Prieto 2000, Automatic
    analysis of the difference image for unsupervised change detection, IEEE TGRS 38(3), 1171-1182).
    "irmad": iteratively reweighted multivariate alteration detection (Nielsen 2007, The regularized
    iteratively reweighted MAD method for change detection in multi- and hyperspectral data, IEEE TIP 16(2),
    463-478): the root of its chi-square statistic, over its 99.99 % quantile. "log_ratio": radar, the
    decibels between both after a 5 x 5 mean (Bazi, Bruzzone and Melgani 2005). "buildings": new and lost
    buildings in aerial images (data.vision.building_change). "auto": log-ratio for radar, IR-MAD for four
    bands or more, buildings for colour images of 2 m or finer (or without a place), else CVA. Patches
    under `min_px` pixels are left out. A pair that agrees less than the method's card asks for is refused
    unless it is to be compared `anyway`. Raises RasterError in one sentence.
    """
    from data.uploads.gdal import quiet_gdal

    with quiet_gdal(), tempfile.TemporaryDirectory(prefix="change-", dir=target.parent) as folder:
        room = Path(folder)
        pair = brought_together(progress, before, after, room)
        chosen = method_for(before, len(pair.before_bands)) if method == "auto" else method
        said = pair_checked(f"change-{chosen.replace('_', '-')}", pair.likeness, anyway)
        progress.tell(0.3, "Comparing the images.")
        raw = room / "raw.tif"
        made = _METHODS[chosen](progress, pair, raw, room)
        progress.tell(0.9, "Leaving small patches out.")
        _finish(before, raw, target, min_px)
    return replace(made, likeness=pair.likeness, said=said)


def method_of(before: Path, after: Path) -> Method:
    """The method that suits two images. Raises RasterError for images without bands in common."""
    return method_for(before, len(shared_bands(before, after)[0]))


def method_for(before: Path, bands: int) -> Method:
    """The method that suits a pair with so many bands in common."""
    from data.vision.ground import ground_of
    from data.vision.modality import modality_of

    if modality_of(before).name == "sar":
        return "log_ratio"
    if bands >= 4:
        return "irmad"
    if bands <= 2:
        return "cva"
    return "buildings" if ground_of(before) is None or _pixel_m(before) <= 2.0 else "cva"


def _pixel_m(path: Path) -> float:
    from data.raster.areas import row_areas_m2
    from data.raster.windows import grid_of

    areas = row_areas_m2(grid_of(path))
    return float(np.sqrt(areas[len(areas) // 2]))


def _cva(progress: Progress, pair: Together, raw: Path, room: Path) -> Changed:
    from data.raster.windows import Band

    later = matched(pair, room)
    count = len(pair.before_bands)
    sources = [Band(pair.before, pair.before_bands), Band(later, tuple(range(1, count + 1)))]
    differences = np.concatenate([(two - one).reshape(count, -1) for one, two in _samples(sources)], axis=1)
    known = np.isfinite(differences).all(axis=0)
    _enough(known)
    spread = 1.4826 * np.median(np.abs(differences[:, known]), axis=1)
    spread = np.where(spread > 0, spread, np.maximum(differences[:, known].std(axis=1), _FLOOR))

    def length(blocks: list[NDArray[Any]]) -> NDArray[Any]:
        steps = (blocks[1] - blocks[0]) / spread[:, None, None].astype(np.float32)
        return np.asarray(np.sqrt(np.square(steps).sum(axis=0)))

    sample = np.sqrt(np.square(differences[:, known] / spread[:, None]).sum(axis=0))
    threshold = _threshold(sample, count)
    _write(progress, sources, raw, length, threshold, "change vector, robust deviations")
    return Changed(
        "cva",
        threshold,
        "robust deviations",
        (*pair.done, "The histograms were matched."),
        pair.shift_px,
        True,
    )


def _log_ratio(progress: Progress, pair: Together, raw: Path, room: Path) -> Changed:
    from scipy.ndimage import uniform_filter

    from data.raster.windows import Band
    from data.vision.flood import in_decibels
    from data.vision.thresholds import kittler_illingworth

    sources = [
        Band(pair.before, pair.before_bands[:1]),
        Band(pair.after, pair.after_bands[:1]),
    ]
    decibels = [in_decibels(each.path) for each in sources]

    def level(values: NDArray[Any], stored: bool) -> NDArray[Any]:
        power = 10 ** (values / 10) if stored else np.square(values)
        known = np.isfinite(power)
        share = uniform_filter(known.astype(np.float32), 5)
        mean = uniform_filter(np.where(known, power, 0).astype(np.float32), 5)
        with np.errstate(divide="ignore", invalid="ignore"):
            made = 10 * np.log10(np.maximum(mean / share, 1e-9))
        made[~known] = np.nan
        return np.asarray(made)

    def ratio(blocks: list[NDArray[Any]]) -> NDArray[Any]:
        one, two = (level(block[0], stored) for block, stored in zip(blocks, decibels, strict=True))
        return np.asarray(np.abs(two - one))

    sample = np.concatenate([ratio(blocks).ravel() for blocks in _samples(sources)])
    sample = sample[np.isfinite(sample)]
    _enough(np.ones(sample.size, bool))
    split = kittler_illingworth(sample)
    quiet = 3.0 * 1.4826 * float(np.median(sample))
    threshold = max(3.0, split.threshold if split is not None and split.separate else quiet)
    _write(progress, sources, raw, ratio, threshold, "change, dB", halo=3)
    return Changed("log_ratio", threshold, "dB", pair.done, pair.shift_px, False)


def _irmad(progress: Progress, pair: Together, raw: Path, room: Path) -> Changed:
    from scipy.stats import chi2

    from data.raster.windows import Band

    sources = [Band(pair.before, pair.before_bands), Band(pair.after, pair.after_bands)]
    count = len(pair.before_bands)
    columns = np.concatenate(
        [np.concatenate(blocks).reshape(2 * count, -1) for blocks in _samples(sources)], axis=1
    )
    known = np.isfinite(columns).all(axis=0)
    _enough(known)
    columns = columns[:, known].astype(np.float64)
    step = max(1, columns.shape[1] // _SAMPLE_PX)
    fitted = fit_irmad(columns[:count, ::step], columns[count:, ::step], progress)
    one, two, variance = fitted.one, fitted.two, fitted.variance
    means = fitted.means

    def statistic(blocks: list[NDArray[Any]]) -> NDArray[Any]:
        shape = blocks[0].shape[1:]
        x = blocks[0].reshape(count, -1).astype(np.float64) - means[:count, None]
        y = blocks[1].reshape(count, -1).astype(np.float64) - means[count:, None]
        variates = one.T @ x - two.T @ y
        return np.asarray(np.sqrt((np.square(variates) / variance[:, None]).sum(axis=0)).reshape(shape))

    threshold = float(np.sqrt(chi2.ppf(1 - _SIGNIFICANCE, count)))
    _write(progress, sources, raw, statistic, threshold, "IR-MAD, root of chi-square")
    return Changed(
        "irmad",
        threshold,
        "root of chi-square",
        pair.done,
        pair.shift_px,
        False,
        tuple(round(float(each), 4) for each in fitted.correlations),
        fitted.rounds,
    )


@dataclass(frozen=True)
class Alteration:
    """The canonical variates of two sets of bands: how each is made and what its difference varies by."""

    one: NDArray[np.float64]
    """(bands, variates) coefficients of the first image."""
    two: NDArray[np.float64]
    variance: NDArray[np.float64]
    """Of each difference of variates where nothing changed: 2 (1 - correlation)."""
    means: NDArray[np.float64]
    """(2 bands,), weighted by how unchanged each pixel is."""
    correlations: NDArray[np.float64]
    rounds: int


def fit_irmad(one: NDArray[np.float64], two: NDArray[np.float64], progress: Progress) -> Alteration:
    """Canonical correlation of (bands, pixels) of both dates, reweighted by the chance of no change."""
    import scipy.linalg
    from scipy.stats import chi2

    bands = one.shape[0]
    both = np.concatenate([one, two])
    weights = np.ones(both.shape[1])
    past = np.zeros(bands)
    for number in range(1, _ROUNDS + 1):
        progress.tell(0.3 + 0.3 * number / _ROUNDS, f"IR-MAD, round {number}.")
        means = (both @ weights) / weights.sum()
        centred = both - means[:, None]
        spread = (centred * weights) @ centred.T / weights.sum()
        # A little of the identity keeps bands that are sums of others, or constant, from breaking it.
        spread += np.eye(2 * bands) * max(float(np.trace(spread)) / (2 * bands) * 1e-7, 1e-12)
        xx, xy, yy = spread[:bands, :bands], spread[:bands, bands:], spread[bands:, bands:]
        squares, first = scipy.linalg.eigh(xy @ np.linalg.solve(yy, xy.T), xx)
        correlations = np.sqrt(np.clip(squares, 1e-12, 1 - 1e-9))
        second = np.linalg.solve(yy, xy.T) @ first / correlations
        variance = 2 * (1 - correlations)
        distance = (
            np.square(first.T @ centred[:bands] - second.T @ centred[bands:]) / variance[:, None]
        ).sum(axis=0)
        weights = np.maximum(1 - chi2.cdf(distance, bands), _FLOOR)
        if np.abs(correlations - past).max() < 1e-3:
            break
        past = correlations
    return Alteration(first, second, variance, means, correlations, number)


def _buildings(progress: Progress, pair: Together, raw: Path, room: Path) -> Changed:
    from data.vision.building_change import write_building_change

    threshold = write_building_change(progress, pair, matched(pair, room), raw)
    done = (*pair.done, "The histograms were matched.")
    return Changed(
        "buildings", threshold, "score of a built or lost building, 0 to 1", done, pair.shift_px, True
    )


def _samples(sources: list[Any]) -> list[list[NDArray[Any]]]:
    from data.vision.pairs import pair_samples

    return list(pair_samples(sources))


def _enough(known: NDArray[np.bool_]) -> None:
    from data.raster.errors import RasterError

    if int(known.sum()) < 16:
        raise RasterError(
            "The two images have hardly a pixel with a value in common; take two of one place that overlap."
        )


def _threshold(sample: NDArray[np.float64], bands: int) -> float:
    """The minimum-error threshold of change vectors, where it lies beyond what no change gives."""
    from scipy.stats import chi2

    from data.vision.thresholds import kittler_illingworth

    least = float(np.sqrt(chi2.ppf(0.99, bands)))
    split = kittler_illingworth(np.minimum(sample, 20 * least))
    return split.threshold if split is not None and split.threshold > least else 1.5 * least


def _write(
    progress: Progress,
    sources: list[Any],
    raw: Path,
    measure: Callable[[list[NDArray[Any]]], NDArray[Any]],
    threshold: float,
    named: str,
    halo: int = 0,
) -> None:
    from data.raster.windows import Block, Place, compute, grid_of
    from data.vision.blocks import followed

    def mark(blocks: list[Block], _: Place) -> NDArray[Any]:
        values = np.asarray(measure(blocks), np.float32)
        known = np.isfinite(values)
        classes = np.where(known, values > threshold, UNKNOWN).astype(np.float32)
        return np.stack([classes, np.where(known, np.minimum(values, _LARGEST), UNKNOWN)])

    grid = grid_of(raw if raw.exists() else sources[0].path)
    compute(
        sources,
        raw,
        followed(progress, "Comparing", grid.width * grid.height, mark, (0.6, 0.9)),
        halo=halo,
        count=2,
        nodata=UNKNOWN,
        descriptions=("changed", named),
    )


def _finish(before: Path, raw: Path, target: Path, min_px: int) -> None:
    """The result in the place of the first image, which may be none, without small patches."""
    import rasterio

    from data.raster.files import geotiff_profile, opened
    from data.raster.patches import sieve
    from data.raster.windows import Band, Block, Grid, Place, compute, windows

    mask = raw.with_name("mask.tif")

    def as_bytes(blocks: list[Block], _: Place) -> Block:
        return blocks[0]

    compute([Band(raw, (1,))], mask, as_bytes, dtype="uint8", nodata=UNKNOWN)
    if min_px > 1:
        sieve(mask, mask.with_name("sieved.tif"), min_px=min_px)
        mask = mask.with_name("sieved.tif")
    with opened(before) as source, opened(raw) as made, opened(mask) as marked:
        profile = geotiff_profile(
            made.width, made.height, count=2, dtype="float32", nodata=UNKNOWN, crs=source.crs,
            transform=source.transform,
        )  # fmt: skip
        with rasterio.open(target, "w", **profile) as writer:
            for window in windows(Grid.of(made)):
                writer.write(marked.read(1, window=window).astype(np.float32), 1, window=window)
                writer.write(made.read(2, window=window), 2, window=window)
            for number, text in enumerate(made.descriptions, start=1):
                writer.set_band_description(number, text or "")


_METHODS: dict[str, Callable[[Progress, Together, Path, Path], Changed]] = {
    "cva": _cva,
    "irmad": _irmad,
    "log_ratio": _log_ratio,
    "buildings": _buildings,
}

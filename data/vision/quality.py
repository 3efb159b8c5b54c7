"""How good an image is: sharpness, noise, range, saturation, haze, clouds, holes and stripes, measured."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from numpy.typing import NDArray

from data.progress import Progress
from data.raster.errors import RasterError
from data.raster.files import opened
from data.raster.scan import scan
from data.raster.windows import STRIP_PX, Block, Grid, Place
from data.vision.blocks import samples, visible_bands
from data.vision.noise import noise_of

_MOST_EDGES = 400
_PROFILE = 8
"""Pixels to each side of an edge that a profile takes in."""


@dataclass(frozen=True)
class Band:
    """One band's values; not-a-number where they cannot be told."""

    name: str
    mean: float
    noise_sigma: float
    """Standard deviation of the noise, in the band's own numbers."""
    snr_db: float
    """20 log10(mean / noise)."""
    low: float
    high: float
    """The 2nd and 98th percentile of the windows looked at."""
    dynamic_range_db: float
    """20 log10((high - low) / noise)."""
    saturated_percent: float
    nodata_percent: float
    stripes: float
    """How much neighbouring columns or rows differ in the mean beyond what their noise explains, in sigma."""


@dataclass(frozen=True)
class Quality:
    """What was measured of an image, and the sentence that sums it up."""

    width_px: int
    height_px: int
    gsd_m: float | None
    bands: tuple[Band, ...]
    laplacian_variance: float
    """Of the grey image brought to a standard deviation of 1, Pech-Pacheco et al. (2000)."""
    edge_width_px: float
    """Median distance from 10 to 90 % of an edge's height; not-a-number without clear edges."""
    mtf_nyquist: float
    """Contrast left at half a cycle a pixel, 0 to 1, for a Gaussian blur of that edge width."""
    edges_measured: int
    speckle_looks: float | None
    """Of radar: the equivalent number of looks; its grain is no noise of the sensor."""
    haze_percent: float | None
    """Share of the ground's light that haze takes, at the most; None for an image without colours."""
    cloud_percent: float | None
    windows: int
    """Windows of up to 512 x 512 pixels that sharpness, noise and haze were measured in."""


def measure_quality(progress: Progress, source: Path, *, radar: bool = False, clouds: bool = True) -> Quality:
    """Measure an image. Raises RasterError for a broken one, or one without any value.

    Noise: data.vision.noise (Donoho and Johnstone 1994). Edges: the 10 to 90 % rise across straight strong
    edges, as Marziliano et al. (2002), A no-reference perceptual blur metric, ICIP, have it; the modulation
    transfer at the Nyquist frequency is that of the Gaussian with this rise (width = 2.563 sigma). Haze: the
    dark channel prior, which takes pale ground for haze. Clouds: data.vision.clouds, unless
    `clouds` leaves them out.
    """
    progress.tell(0.0, "Counting pixels.")
    with opened(source) as reader:
        grid = Grid.of(reader)
        names = [text or f"band {at}" for at, text in enumerate(reader.descriptions, start=1)]
        dtypes = list(reader.dtypes)
    windows = samples(source)
    tops = _tops(windows, dtypes)
    missing, saturated = _counted(progress, source, tops)
    total = grid.width * grid.height
    if int(missing.min()) >= total:
        raise RasterError("The image has no pixel with a value, so there is nothing to measure.")
    progress.tell(0.3, "Measuring noise and sharpness.")
    noise = noise_of(source)
    bands = tuple(
        _band(
            names[at],
            [each[at] for each in windows],
            noise.sigma[at],
            100.0 * int(saturated[at]) / max(total - int(missing[at]), 1),
            100.0 * int(missing[at]) / total,
        )
        for at in range(len(names))
    )
    visible = visible_bands(source)
    chosen = [number - 1 for number in visible] if visible and not radar else [0]
    greys = [np.asarray(each[chosen].mean(axis=0), np.float64) for each in windows]
    width, measured = edge_width(greys)
    progress.tell(0.6, "Looking for haze and clouds.")
    haze, cloud = _weather(progress, source, clouds) if visible and not radar else (None, None)
    looks = _looks(source) if radar else None
    return Quality(
        grid.width,
        grid.height,
        _gsd_m(source),
        bands,
        sharpness(greys),
        width,
        mtf_at_nyquist(width),
        measured,
        looks,
        haze,
        cloud,
        len(windows),
    )


def mtf_at_nyquist(edge_width_px: float) -> float:
    """The contrast that a Gaussian blur of this 10 to 90 % rise leaves at half a cycle a pixel."""
    sigma = edge_width_px / 2.563103
    return math.exp(-2.0 * (math.pi * sigma * 0.5) ** 2)


def sharpness(greys: list[NDArray[np.float64]]) -> float:
    """Variance of the Laplacian of windows brought to a deviation of 1; not-a-number for flat ones."""
    found, weight = 0.0, 0
    for grey in greys:
        known = np.isfinite(grey)
        if known.sum() < 9 or not (spread := float(np.nanstd(grey))) > 0:
            continue
        middle = grey[1:-1, 1:-1]
        laplacian = grey[:-2, 1:-1] + grey[2:, 1:-1] + grey[1:-1, :-2] + grey[1:-1, 2:] - 4 * middle
        values = laplacian[np.isfinite(laplacian)] / spread
        if values.size:
            found += float(values.var()) * values.size
            weight += values.size
    return found / weight if weight else math.nan


def edge_width(greys: list[NDArray[np.float64]]) -> tuple[float, int]:
    """The median 10 to 90 % rise of edges along rows and columns, pixels, and how many there were.

    Only edges that are strong, alone in their profile of 17 pixels and level on both sides count; of a
    slanted one the rise is brought to across it by the direction of its gradient.
    """
    widths: list[float] = []
    for grey in greys:
        for turned in (grey, grey.T):
            widths.extend(_rises(turned, _MOST_EDGES // max(1, 2 * len(greys)) + 1))
    return (float(np.median(widths)), len(widths)) if len(widths) >= 5 else (math.nan, len(widths))


def _rises(grey: NDArray[np.float64], most: int) -> list[float]:
    """Rises across the strongest edges that lie nearly upright, one every few rows."""
    if min(grey.shape) < 2 * _PROFILE + 3:
        return []
    across = np.zeros_like(grey)
    down = np.zeros_like(grey)
    across[:, 1:-1] = (grey[:, 2:] - grey[:, :-2]) / 2
    down[1:-1] = (grey[2:] - grey[:-2]) / 2
    across, down = np.nan_to_num(across), np.nan_to_num(down)
    upright = (np.abs(across) > 2.5 * np.abs(down)) & (np.abs(across) > 0)
    upright[:, :_PROFILE] = upright[:, -_PROFILE:] = False
    strength = np.where(upright, np.abs(across), 0)
    strength[1::2] = 0
    flat = strength.ravel()
    order = np.argsort(-flat, kind="stable")[: most * 6]
    found: list[float] = []
    for at in order:
        if flat[at] <= 0 or len(found) >= most:
            break
        row, column = divmod(int(at), grey.shape[1])
        rise = _rise(grey[row, column - _PROFILE : column + _PROFILE + 1])
        if rise is not None:
            found.append(rise * math.cos(math.atan2(abs(down[row, column]), abs(across[row, column]))))
    return found


def _rise(profile: NDArray[np.float64]) -> float | None:
    """The 10 to 90 % rise of a profile with one edge in its middle; None where it is no such profile."""
    if not np.isfinite(profile).all():
        return None
    left, right = profile[:3].mean(), profile[-3:].mean()
    height = right - left
    if height < 0:
        profile, left, right, height = -profile, -left, -right, -height
    ends = max(float(np.ptp(profile[:4])), float(np.ptp(profile[-4:])))
    if height <= 0 or ends > 0.1 * height:
        return None
    relative = (profile - left) / height
    if relative.min() < -0.15 or relative.max() > 1.15 or (np.diff(relative) < -0.08).any():
        return None
    return _crossing(relative, 0.9) - _crossing(relative, 0.1)


def _crossing(relative: NDArray[np.float64], level: float) -> float:
    at = int(np.argmax(relative >= level))
    if at == 0:
        return 0.0
    before, after = float(relative[at - 1]), float(relative[at])
    return at - 1 + (level - before) / (after - before) if after > before else float(at)


def _band(name: str, windows: list[NDArray[Any]], sigma: float, saturated: float, nodata: float) -> Band:
    values = np.concatenate([each[np.isfinite(each)] for each in windows]).astype(np.float64)
    if values.size == 0:
        nothing = math.nan
        return Band(name, nothing, nothing, nothing, nothing, nothing, nothing, saturated, nodata, nothing)
    low, high = (float(each) for each in np.percentile(values, (2, 98)))
    mean = float(values.mean())
    return Band(
        name,
        mean,
        sigma,
        _decibel(mean, sigma),
        low,
        high,
        _decibel(high - low, sigma),
        saturated,
        nodata,
        stripes(windows),
    )


def _decibel(signal: float, noise: float) -> float:
    return 20.0 * math.log10(signal / noise) if signal > 0 and noise > 0 else math.nan


def stripes(windows: list[NDArray[Any]]) -> float:
    """How far the means of neighbouring columns (or rows, whichever is more) jump beyond chance.

    The median jump between the means of neighbouring lines over the jump that the pixels' own differences
    would give a mean of so many: about 1 without stripes in white noise, more with them.
    """
    worst = 0.0
    for axis in (0, 1):
        found = []
        for each in windows:
            lines = each if axis == 0 else each.T
            steps = np.diff(lines.astype(np.float64), axis=1)
            counts = np.isfinite(steps).sum(axis=0)
            kept = counts >= 16
            if not kept.any():
                continue
            clean = np.where(np.isfinite(steps), steps, 0.0)[:, kept]
            means = clean.sum(axis=0) / counts[kept]
            spread = np.sqrt(np.maximum((clean**2).sum(axis=0) / counts[kept] - means**2, 0.0))
            expected = spread / np.sqrt(counts[kept])
            there = expected > 0
            found.extend((np.abs(means[there]) / expected[there]).tolist())
        if found:
            # Of a normal deviate the median size is 0.6745.
            worst = max(worst, float(np.median(found)) / 0.6745)
    return worst


def _tops(windows: list[NDArray[Any]], dtypes: list[str]) -> list[float]:
    """The value that each band saturates at: the end of bytes, else its greatest if many pixels have it."""
    tops = []
    for at, dtype in enumerate(dtypes):
        if dtype == "uint8":
            tops.append(255.0)
            continue
        values = np.concatenate([each[at][np.isfinite(each[at])] for each in windows])
        top = float(values.max()) if values.size else math.inf
        often = float((values == top).mean()) if values.size else 0.0
        tops.append(top if often > 1e-3 and values.size and values.min() < top else math.inf)
    return tops


def _counted(
    progress: Progress, source: Path, tops: list[float]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Of each band, the pixels without a value and those at its top, over the whole image."""
    limits = np.array(tops)[:, None, None]

    def count(block: Block, place: Place) -> tuple[int, NDArray[np.int64], NDArray[np.int64]]:
        missing = (~np.isfinite(block)).sum(axis=(1, 2))
        return (
            int(place.window.row_off),
            missing.astype(np.int64),
            (block >= limits).sum(axis=(1, 2)).astype(np.int64),
        )

    missing = np.zeros(len(tops), np.int64)
    saturated = np.zeros(len(tops), np.int64)
    with opened(source) as reader:
        height = reader.height
    for row, none, full in scan(source, count, pixels=STRIP_PX // 4):
        progress.tell(0.3 * row / height, f"Counting pixels: row {row:,} of {height:,}.")
        missing += none
        saturated += full
    return missing, saturated


def _weather(progress: Progress, source: Path, clouds: bool) -> tuple[float | None, float | None]:
    from data.vision.clouds import find_clouds
    from data.vision.haze import air_of

    try:
        haze = 100.0 * (1.0 - air_of(source).transmission)
    except RasterError:
        haze = None
    if not clouds:
        return haze, None
    try:
        with TemporaryDirectory(prefix="azimuth-") as folder:
            return haze, find_clouds(progress, source, Path(folder) / "clouds.tif").cloud_percent
    except RasterError:
        return haze, None


def _looks(source: Path) -> float | None:
    from data.raster.speckle import estimate_looks
    from data.vision.denoise import speckle_values

    try:
        return estimate_looks(source, speckle_values(source))
    except RasterError:
        return None


def _gsd_m(source: Path) -> float | None:
    from data.models.choosing import ground_sample_m

    return ground_sample_m(source)


@dataclass(frozen=True)
class Finding:
    """One thing that is wrong with an image."""

    level: int
    """1 to mention, 2 that spoils part of what can be done with it."""
    words: str


def findings(quality: Quality) -> list[Finding]:
    """What is wrong, the worst first; the limits are ours and said in words: rules of thumb, no standard."""
    found: list[Finding] = []

    def note(value: float | None, some: float, much: float, words: str) -> None:
        if value is not None and value == value and value >= some:
            found.append(Finding(2 if value >= much else 1, words))

    snr = [each.snr_db for each in quality.bands if each.snr_db == each.snr_db]
    note(quality.edge_width_px, 3.0, 5.0, "blurred")
    if quality.speckle_looks is None and snr:
        note(60.0 - min(snr), 60.0 - 26.0, 60.0 - 18.0, "noisy")
    if quality.speckle_looks is not None:
        note(10.0 - quality.speckle_looks, 10.0 - 4.0, 10.0 - 1.5, "speckled")
    note(max(each.saturated_percent for each in quality.bands), 1.0, 10.0, "partly saturated")
    note(max(each.nodata_percent for each in quality.bands), 5.0, 50.0, "partly without values")
    note(quality.haze_percent, 35.0, 55.0, "hazy or pale")
    note(quality.cloud_percent, 5.0, 40.0, "cloudy")
    note(max(each.stripes for each in quality.bands), 6.0, 15.0, "striped")
    return sorted(found, key=lambda each: -each.level)


def verdict(quality: Quality) -> str:
    """`good`, `fair` or `poor`."""
    worst = max((each.level for each in findings(quality)), default=0)
    return ("good", "fair", "poor")[worst]

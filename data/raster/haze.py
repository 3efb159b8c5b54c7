"""Take the haze of the air off an image by its darkest pixels (Chavez 1988)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from data.raster.errors import RasterError
from data.raster.files import opened
from data.raster.stats import whole_counts
from data.raster.windows import Band, Block, Grid, Place, compute, read_block, windows

Method = Literal["darkest", "scattering"]
_BINS = 65_536
EXPONENTS = {"very_clear": -4.0, "clear": -2.0, "moderate": -1.0, "hazy": -0.7, "very_hazy": -0.5}
"""Chavez's relative scattering models: how haze falls with the wavelength, from Rayleigh's air to fog's."""
Air = Literal["very_clear", "clear", "moderate", "hazy", "very_hazy"]


@dataclass(frozen=True)
class Haze:
    """What was taken off each band, in the raster's own numbers."""

    values: tuple[float, ...]
    exponent: float | None
    """Of the scattering model; None where each band was looked at by itself."""


def haze_of(
    source: Path,
    *,
    min_px: int,
    method: Method = "darkest",
    air: Air = "clear",
    wavelengths_um: Sequence[float] | None = None,
) -> Haze:
    """The haze of each band.

    "darkest": Chavez (1988), An improved dark-object subtraction technique, Remote Sensing of Environment
    24, 459-479, by histogram: the lowest value that at least `min_px` pixels are at or under. "scattering":
    so for the band of the shortest wavelength only, and for the others that value times
    (wavelength / shortest) ** exponent of the `air`, which suits radiance and reflectance, not digital
    numbers of different gains; never more than a band's own darkest value. Raises RasterError.
    """
    with opened(source) as reader:
        grid = Grid.of(reader)
        darkest = [_darkest(source, reader, grid, band, min_px) for band in range(1, reader.count + 1)]
    if method == "darkest":
        return Haze(tuple(darkest), None)
    if wavelengths_um is None or len(wavelengths_um) != len(darkest):
        raise RasterError(
            f"The scattering method needs the wavelength of each of the {len(darkest)} bands in micrometres; "
            "method=darkest does without."
        )
    shortest = min(wavelengths_um)
    start = max(darkest[list(wavelengths_um).index(shortest)], 0.0)
    values = [
        min(max(own, 0.0), start * (length / shortest) ** EXPONENTS[air])
        for own, length in zip(darkest, wavelengths_um, strict=True)
    ]
    return Haze(tuple(values), EXPONENTS[air])


def without_haze(
    source: Path, target: Path, haze: Haze, *, keep_share: float = 0.0, tags: Mapping[str, str] | None = None
) -> None:
    """Write each band less its haze, float32, nothing below 0. `keep_share` of the haze stays.

    The darkest things on land still reflect about 1 % (Chavez 1996), which is what a share can stand for.
    """
    with opened(source) as reader:
        descriptions = [text or "" for text in reader.descriptions]
    off = np.array(haze.values)[:, None, None] * (1.0 - keep_share)

    def subtract(blocks: list[Block], place: Place) -> NDArray[Any]:
        made: NDArray[Any] = np.maximum(blocks[0] - off, 0.0).astype(np.float32)
        return made

    compute([Band(source)], target, subtract, count=len(haze.values), descriptions=descriptions, tags=tags)


def _darkest(source: Path, reader: Any, grid: Grid, band: int, min_px: int) -> float:
    """The least value v so that at least `min_px` pixels are <= v, to a 65,536th of the band's range."""
    if (counted := whole_counts(source, band)) is not None:
        cumulated = np.cumsum(counted.counts)
        _enough(band, int(cumulated[-1]), min_px)
        return float(counted.low + np.searchsorted(cumulated, min_px))
    low, high, count = np.inf, -np.inf, 0
    for window in windows(grid):
        values = _finite(reader, band, grid, window)
        if values.size:
            low, high = min(low, float(values.min())), max(high, float(values.max()))
            count += values.size
    _enough(band, count, min_px)
    whole = np.dtype(reader.dtypes[band - 1]).kind in "iu" and high - low < _BINS
    bins = int(high - low) + 1 if whole else _BINS
    step = 1.0 if whole else (high - low) / bins or 1.0
    counts = np.zeros(bins, np.int64)
    for window in windows(grid):
        at = ((_finite(reader, band, grid, window) - low) / step).astype(np.int64)
        counts += np.bincount(np.clip(at, 0, bins - 1), minlength=bins)
    first = int(np.searchsorted(np.cumsum(counts), min_px))
    return low + first * step


def _enough(band: int, count: int, min_px: int) -> None:
    if count == 0:
        raise RasterError(f"Band {band} has no pixel with a value.")
    if count < min_px:
        raise RasterError(
            f"Band {band} has {count:,} pixels with a value, fewer than the {min_px:,} asked for."
        )


def _finite(reader: Any, band: int, grid: Grid, window: Any) -> NDArray[np.float64]:
    values = read_block(reader, (band,), Place(grid, window))[0]
    finite: NDArray[np.float64] = values[np.isfinite(values)].astype(np.float64)
    return finite

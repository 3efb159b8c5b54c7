"""From an image's pixels to the numbers that a network was trained on."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from data.models.card import Input

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

LOW_DB, HIGH_DB = -30.0, 5.0
"""What `decibel` takes to 0 and 1: from calm water to bright ships, sigma nought."""
ENDS_PERCENT = (2, 98)
"""Another day's light and haze look alike when what lies between these becomes 0 to 1."""
_LOOKED_AT_PX = 1024
"""The longer side of the reduced image that percentiles are taken of, once for all windows."""
_GREY = 114 / 255
"""What Ultralytics fills up windows with, and so what its networks have seen there."""


@dataclass(frozen=True)
class Preparation:
    """How the bands of one image become a network's input: the same for all its windows."""

    takes: Input
    low: tuple[float, ...]
    """What becomes 0, band by band."""
    high: tuple[float, ...]
    """What becomes 1."""
    amplitude: bool = False
    """Whether radar values are amplitudes, which are squared for decibels."""
    stored_db: bool = False
    """Whether radar values are in decibels already."""

    @property
    def filling(self) -> float:
        """What stands where a window has no image."""
        return _GREY if self.takes.scaling in ("bytes", "percentile") else 0.0

    def __call__(self, values: NDArray[Any], known: NDArray[np.bool_] | None) -> NDArray[np.float32]:
        """(bands, rows, columns) as stored, prepared; `known` (rows, columns) is false where nothing is."""
        scaled = self._scaled(values)
        if known is not None:
            scaled[:, ~known] = 0.0
        if self.takes.mean or self.takes.std:
            scaled -= _column(self.takes.mean or (0.0,))
            scaled /= _column(self.takes.std or (1.0,))
        return scaled

    def _scaled(self, values: NDArray[Any]) -> NDArray[np.float32]:
        if self.takes.scaling == "raw":
            return values.astype(np.float32)
        if self.takes.scaling == "bytes" and values.dtype == np.uint8:
            shares: NDArray[np.float32] = np.multiply(values, np.float32(1 / 255), dtype=np.float32)
            return shares
        kept = values.astype(np.float32)
        if self.takes.scaling == "decibel" and not self.stored_db:
            power = np.square(kept) if self.amplitude else kept
            kept = 10 * np.log10(np.maximum(power, 1e-10))
        low, high = _column(self.low), _column(self.high)
        scaled: NDArray[np.float32] = (kept - low) / np.maximum(high - low, np.float32(1e-12))
        if self.takes.scaling != "reflectance":
            np.clip(scaled, 0, 1, out=scaled)
        return np.nan_to_num(scaled, copy=False)


def preparation(image: Path, bands: Sequence[int], takes: Input) -> Preparation:
    """How these bands (from 1) of an image are prepared for a model. Raises RasterError."""
    count = len(bands)
    if takes.scaling == "raw":
        return Preparation(takes, (0.0,) * count, (1.0,) * count)
    if takes.scaling == "decibel":
        amplitude, stored_db = _radar_values(image, bands)
        return Preparation(takes, (LOW_DB,) * count, (HIGH_DB,) * count, amplitude, stored_db)
    if takes.scaling == "reflectance":
        greatest = float(np.nanmax(_reduced(image, bands), initial=0.0))
        # A reflectance is about 1 at most; Sentinel-2 and others store it x 10,000.
        return Preparation(takes, (0.0,) * count, ((10_000.0 if greatest > 20 else 1.0),) * count)
    if takes.scaling == "bytes" and _is_bytes(image):
        return Preparation(takes, (0.0,) * count, (255.0,) * count)
    low, high = ends_of(_reduced(image, bands))
    return Preparation(takes, tuple(low.tolist()), tuple(high.tolist()))


def ends_of(bands: Iterable[NDArray[Any]]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """(bands,) of what becomes 0, and of what becomes 1: the 2nd and 98th percentile of a band's values.

    Not-a-number is no value. Where a band has one value alone, and bytes less than 1 between the two, what
    becomes 1 is 1 more; a band without any has 0 and 1.
    """
    found = []
    for band in bands:
        some = band[np.isfinite(band)]
        low, high = (float(each) for each in np.percentile(some, ENDS_PERCENT)) if some.size else (0.0, 1.0)
        least = 1.0 if band.dtype == np.uint8 else np.finfo(np.float32).tiny
        found.append((low, high if high - low >= least else low + 1.0))
    low_ends, high_ends = np.array(found, dtype=np.float64).T
    return low_ends, high_ends


def stretched(picture: NDArray[np.uint8]) -> NDArray[np.float64]:
    """(rows, columns, bands) of bytes as 0 to 1, each band between its ends."""
    low, high = ends_of(np.moveaxis(picture, 2, 0))
    return np.clip((picture - low) / (high - low), 0.0, 1.0)


def _column(numbers: Sequence[float]) -> NDArray[np.float32]:
    return np.asarray(numbers, dtype=np.float32)[:, None, None]


def _is_bytes(image: Path) -> bool:
    from data.raster.files import opened

    with opened(image) as source:
        return all(each == "uint8" for each in source.dtypes)


def _reduced(image: Path, bands: Sequence[int]) -> NDArray[np.float32]:
    """The bands at a size that fits, out of the overviews where there are some; nodata not-a-number."""
    from rasterio.errors import RasterioError

    from data.raster.errors import RasterError
    from data.raster.files import opened

    with opened(image) as source:
        share = min(1.0, _LOOKED_AT_PX / max(source.width, source.height))
        size = max(1, round(source.height * share)), max(1, round(source.width * share))
        try:
            values = source.read(list(bands), out_shape=(len(bands), *size), masked=True)
        except RasterioError:
            raise RasterError(f"{image.name} is broken: its pixels cannot be read.") from None
    plain = np.abs(values) if values.dtype.kind == "c" else values
    filled: NDArray[np.float32] = np.ma.filled(plain.astype(np.float32), np.nan)
    return filled


def _radar_values(image: Path, bands: Sequence[int]) -> tuple[bool, bool]:
    """Whether radar values are amplitudes, and whether they are decibels: those alone are negative.

    A calibrated power (sigma nought) is mostly below 1; digital numbers and detected amplitudes are not, and
    complex values are made amplitudes when they are read.
    """
    from data.raster.files import opened

    with opened(image) as source:
        if source.dtypes[bands[0] - 1].startswith("complex"):
            return True, False
    values = _reduced(image, bands)
    some = values[np.isfinite(values)]
    if some.size and float(np.mean(some < 0)) > 0.05:
        return False, True
    return bool(some.size and float(np.median(some)) > 1.0), False

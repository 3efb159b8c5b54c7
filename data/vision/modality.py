"""What kind of sensor an image is from: optical, multispectral, panchromatic or SAR, and what says so."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from data.progress import Progress

if TYPE_CHECKING:
    from numpy.typing import NDArray

MODALITIES = ("optical", "multispectral", "panchromatic", "sar")
METHOD = "modality-evidence"
CELL_PX = 7
SPECKLED = 0.17
"""From this variation on, relative to the mean, the quiet fifth of the cells is grainy like speckle.

Fully developed speckle of L looks has 0.523 / sqrt(L) in amplitude and 1 / sqrt(L) in intensity
(Goodman 1976; Oliver and Quegan 1998): 0.17 are 9 looks of amplitude. Even ground in an
optical image has under 0.15.
"""
_STEP = 0.025
_SMOOTH = 0.5
"""Neighbours that are more alike than this in the quiet cells are relief or blur, not speckle."""
_SHARED = 0.5
"""Bands whose grain is more alike than this see one ground; the grain of two polarisations is their own."""
_CLASSES = 24
_SAR_WORDS = (
    "sentinel-1", "radarsat", "terrasar", "tandem-x", "cosmo-skymed", "iceye", "capella", "alos palsar",
    "polarisation", "polarization", "synthetic aperture",
)  # fmt: skip


@dataclass(frozen=True)
class Modality:
    """What an image is, how sure that is, and what says so."""

    name: str | None
    """One of MODALITIES; None where it is none of them, or cannot be told."""
    confidence: float
    """0 to 1; of evidence in the file's own words near 1."""
    reasons: tuple[str, ...]
    """Sentences with the numbers that decided, the weightiest first."""
    measured: Mapping[str, float | int | None]
    """speckle_cv, grain_likeness, band_likeness, negative_share, distinct_values, bands."""
    instead: str | None = None
    """What an image without a modality looks like: heights or a quantity, classes, nothing."""


def tell_modality(progress: Progress, image: Path) -> Modality:
    """What kind of sensor an image is from, out of its file's words and samples at full resolution.

    The file's words go first: complex samples, polarisations, bands beyond the visible, colours. Without
    them the grain decides (the coefficient of variation of quiet 7 x 7 cells, how alike neighbours are in
    it, and whether bands share it), and the data type. Raises RasterError for a file that is none.
    """
    progress.tell(0.0, "Looking at the bands and their grain.")
    return modality_of(image)


def modality_of(image: Path) -> Modality:
    """As `tell_modality`, remembered for a file as long as it does not change."""
    from data.raster.errors import RasterError

    try:
        changed = image.stat().st_mtime_ns
    except OSError:
        raise RasterError(f"{image.name} cannot be read.") from None
    return _told(image, changed)


@lru_cache(maxsize=256)
def _told(image: Path, _changed: int) -> Modality:
    from data.models.choosing import POLARISATIONS, image_facts
    from data.raster.files import opened
    from data.vision.blocks import samples

    facts = image_facts(image)
    with opened(image) as source:
        colours = [each.name for each in source.colorinterp]
        dtype, units, palette = source.dtypes[0], source.units[0], "palette" in colours
        about = " ".join(f"{key} {value}" for key, value in source.tags().items()).lower()
        polarised = [each for each in facts.bands if each in POLARISATIONS]
        bands = [at for at, each in enumerate(colours) if each != "alpha"] or [0]
        said = " ".join(each or "" for each in source.descriptions).lower()
        word = _word(about, said)
    windows = samples(image, side=256, numbers=[at + 1 for at in bands[:8]])
    names = [facts.bands[at] for at in bands]
    seen = _Seen.of(windows, len(bands), dtype)
    if palette or (seen.few_values and not any(names)):  # a band of a sensor is no mask, however plain
        what = "a colour table" if palette else f"only {seen.distinct} different values"
        return seen.nothing("classes", f"It has {what}: classes or a mask.")
    if not seen.pixels:
        return seen.nothing("nothing", "None of the pixels looked at has a value.")
    if dtype.startswith("complex"):
        return seen.is_a("sar", 0.99, "Its samples are complex numbers, as single-look radar stores them.")
    if polarised:
        return seen.is_a("sar", 0.98, f"Its bands are polarisations: {', '.join(polarised)}.")
    if word:
        return seen.is_a("sar", 0.95, f"Its metadata speaks of {word}.")
    if units and units.lower() in ("m", "metre", "metres", "meter", "meters"):
        return seen.nothing("heights or a quantity", "Its values are metres.")
    return _single(seen, names, dtype) if seen.grey else _several(seen, names, dtype)


def _single(seen: _Seen, names: Sequence[str | None], dtype: str) -> Modality:
    """One band, or bands that are all the same."""
    grey = "Its bands are all the same, a grey picture." if len(names) > 1 else "It has one band."
    if seen.decibel:
        return seen.is_a("sar", seen.speckle, f"{grey} Its values are negative and speckled: decibels.")
    if seen.speckle >= 0.5:
        return seen.is_a("sar", seen.speckle, grey)
    plain = 1.0 - seen.speckle
    if "pan" in names:
        return seen.is_a("panchromatic", 0.97, "Its band is called panchromatic.")
    if dtype.startswith(("float", "int")):
        return seen.nothing(
            "heights or a quantity",
            f"{grey} It is of type {dtype} without speckle, as heights and indices are stored.",
        )
    return seen.is_a("panchromatic", min(0.9 if len(names) == 1 else 0.8, plain), grey)


def _several(seen: _Seen, names: Sequence[str | None], dtype: str) -> Modality:
    """Bands that differ."""
    known = {each for each in names if each}
    if further := [each for each in names if each and each not in ("red", "green", "blue")]:
        return seen.is_a(
            "multispectral", 0.98, f"It has bands beyond red, green and blue: {', '.join(further)}."
        )
    if seen.decibel:
        return seen.is_a("sar", seen.speckle, "Its values are negative and speckled: decibels.")
    own_grain = seen.band_likeness is not None and seen.band_likeness < _SHARED and len(names) <= 4
    if own_grain and seen.speckle >= 0.5:
        return seen.is_a("sar", 0.9 * seen.speckle, "Each band has a grain of its own, as polarisations do.")
    if {"red", "green", "blue"} <= known and len(names) == 3:
        return seen.is_a("optical", 0.97, "Its bands are red, green and blue, and they differ.")
    if len(names) >= 4:
        return seen.is_a("multispectral", 0.85, f"It has {len(names)} bands without names; optical has 3.")
    if len(names) == 3:
        sure = 0.75 if dtype == "uint8" else 0.6
        return seen.is_a("optical", sure, "It has three bands without names, taken as red, green and blue.")
    return seen.is_a("multispectral", 0.5, f"It has {len(names)} bands without names that share their grain.")


@dataclass(frozen=True)
class _Seen:
    """What samples of an image measure."""

    pixels: int
    bands: int
    cv: float | None
    likeness: float | None
    band_likeness: float | None
    negative: float
    distinct: int | None
    grey: bool
    decibel: bool

    @classmethod
    def of(cls, windows: list[NDArray[Any]], bands: int, dtype: str) -> _Seen:
        first = np.concatenate([each[0].ravel() for each in windows])
        first = first[np.isfinite(first)]
        negative = float((first < 0).mean()) if first.size else 0.0
        decibel = bool(
            dtype.startswith("float") and negative > 0.5 and first.size and np.percentile(first, 1) > -80
        )
        looked = [_linear(each) for each in windows] if decibel else windows
        cv, likeness, grain = _grain(looked)
        grey = bands == 1 or all(_same(each) for each in windows)
        distinct = len(np.unique(first)) if "int" in dtype else None
        found = cls(
            int(first.size),
            bands,
            cv,
            likeness,
            None if grey else _shared(grain),
            negative,
            distinct,
            grey,
            False,
        )
        return cls(**{**vars(found), "decibel": decibel and found.speckle >= 0.5})

    @property
    def few_values(self) -> bool:
        """Whether it is one band of a few numbers, many times over."""
        few = self.distinct is not None and self.distinct <= _CLASSES
        return few and self.bands == 1 and self.pixels > 1000

    @property
    def speckle(self) -> float:
        """How sure it is, 0 to 1, that the grain is speckle."""
        if self.cv is None or self.likeness is None:
            return 0.3
        z = (self.cv - SPECKLED) / _STEP - 20.0 * max(0.0, self.likeness - _SMOOTH)
        return 1.0 / (1.0 + math.exp(-max(-30.0, min(30.0, z))))

    def is_a(self, name: str, confidence: float, first: str) -> Modality:
        """That modality, with the grain behind what decided."""
        told = round(min(0.99, max(0.0, confidence)), 3)
        return Modality(name, told, (first, *self._grain_said()), self.measured)

    def nothing(self, instead: str, first: str) -> Modality:
        """No modality."""
        return Modality(None, 0.0, (first, *self._grain_said()), self.measured, instead)

    @property
    def measured(self) -> dict[str, float | int | None]:
        """The numbers, rounded."""
        return {
            "bands": self.bands,
            "speckle_cv": _rounded(self.cv),
            "grain_likeness": _rounded(self.likeness),
            "band_likeness": _rounded(self.band_likeness),
            "negative_share": round(self.negative, 4),
            "distinct_values": self.distinct,
        }

    def _grain_said(self) -> tuple[str, ...]:
        if self.cv is None:
            return ("It has too few even pixels to measure its grain.",)
        like = "like" if self.speckle >= 0.5 else "unlike"
        said = (
            f"Quiet ground varies by {self.cv:.2f} of its mean (speckle: {SPECKLED} or more) and neighbours "
            f"there are alike by {self.likeness:.2f}, {like} speckle."
        )
        if self.band_likeness is None:
            return (said,)
        return (said, f"The grain of its bands is alike by {self.band_likeness:.2f}.")


def _word(about: str, said: str) -> str | None:
    found = next((each for each in _SAR_WORDS if each in about or each in said), None)
    if found is None and any(each in said for each in ("sigma0", "gamma0", "beta0", "backscatter")):
        return "radar backscatter"
    return found


def _linear(window: NDArray[Any]) -> NDArray[Any]:
    """Amplitude of decibels."""
    amplitude: NDArray[Any] = np.power(10.0, np.clip(window, -80.0, 80.0) / 20.0)
    return amplitude


def _same(window: NDArray[Any]) -> bool:
    """Whether all bands hold the same picture, but for a rounding."""
    if window.shape[0] == 1:
        return True
    spread = np.nanmax(window) - np.nanmin(window) if np.isfinite(window).any() else 0.0
    if not spread:
        return False
    apart = np.abs(window[1:] - window[:1])
    apart = apart[np.isfinite(apart)]
    return not apart.size or float(apart.mean()) <= 0.004 * max(float(spread), 1e-12)


def _cells(band: NDArray[Any]) -> NDArray[np.float64]:
    """(n, 49) of the band's cells side by side."""
    rows, columns = band.shape[0] // CELL_PX, band.shape[1] // CELL_PX
    cut = band[: rows * CELL_PX, : columns * CELL_PX].astype(np.float64)
    parted = cut.reshape(rows, CELL_PX, columns, CELL_PX).swapaxes(1, 2)
    return np.asarray(parted.reshape(-1, CELL_PX * CELL_PX))


def _grain(windows: list[NDArray[Any]]) -> tuple[float | None, float | None, NDArray[np.float64]]:
    """The variation of quiet cells, how alike neighbours are there, and each band's grain (bands, n, 49)."""
    every = [np.stack([_cells(band) for band in each]) for each in windows]
    cells = np.concatenate(every, axis=1) if every else np.zeros((1, 0, CELL_PX**2))
    first = cells[0]
    whole = np.isfinite(cells).all(axis=(0, 2))
    # Cells of one value are saturated, empty or painted: no grain to see.
    flat = (first == first[:, :1]).sum(axis=1) >= 0.3 * first.shape[1]
    mean = first.mean(axis=1)
    use = whole & ~flat & (mean > 0)
    if int(use.sum()) < 8:
        return None, None, np.zeros((cells.shape[0], 0, CELL_PX**2))
    kept = cells[:, use]
    apart = kept - kept.mean(axis=2, keepdims=True)
    cv = apart[0].std(axis=1, ddof=1) / mean[use]
    quiet = cv <= np.quantile(cv, 0.3)
    grid = apart[0][quiet].reshape(-1, CELL_PX, CELL_PX)
    beside = (grid[:, :, 1:] * grid[:, :, :-1]).mean((1, 2)) + (grid[:, 1:] * grid[:, :-1]).mean((1, 2))
    likeness = beside / 2 / np.maximum((grid**2).mean((1, 2)), 1e-12)
    return float(np.quantile(cv, 0.2)), float(np.median(likeness)), apart[:, quiet]


def _shared(grain: NDArray[np.float64]) -> float | None:
    """How alike the grain of the bands is: the median correlation of neighbours in the file."""
    if grain.shape[0] < 2 or not grain.shape[1]:
        return None
    size = np.sqrt((grain**2).sum(axis=2))
    both = size[1:] * size[:-1]
    likeness = (grain[1:] * grain[:-1]).sum(axis=2) / np.maximum(both, 1e-12)
    return float(np.median(likeness))


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 4)

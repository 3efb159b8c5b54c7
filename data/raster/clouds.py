"""Masks of clouds, from a product's own quality band or from the brightness and whiteness of its colours."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numba import njit
from numpy.typing import NDArray

from data.raster.bands import band_number
from data.raster.errors import RasterError
from data.raster.files import opened
from data.raster.windows import Band, Block, Place, compute

Method = Literal["auto", "qa_pixel", "scl", "spectral"]
CLEAR, CLOUD, SHADOW, SNOW, UNKNOWN = 0, 1, 2, 3, 255
_QA = re.compile(r"qa[_ ]?pixel", re.IGNORECASE)
_SCL_CLASSES = np.array(
    [UNKNOWN, CLEAR, CLEAR, SHADOW, CLEAR, CLEAR, CLEAR, CLEAR, CLOUD, CLOUD, CLOUD, SNOW], np.uint8
)
"""By the number of a Sentinel-2 scene classification."""
_SCL = re.compile(r"\bscl\b|scene[_ ]classification", re.IGNORECASE)


@dataclass(frozen=True)
class Clouds:
    """What a mask was made of, and its shares of the pixels with a value, percent."""

    method: str
    cloud_pct: float
    shadow_pct: float
    snow_pct: float
    known_px: int


def cloud_mask(
    source: Path,
    target: Path,
    *,
    method: Method = "auto",
    band: int | None = None,
    scale: float = 1.0,
    buffer_px: int = 0,
    tags: Mapping[str, str] | None = None,
) -> Clouds:
    """Write bytes: 0 clear, 1 cloud, 2 cloud shadow, 3 snow, 255 no value.

    "qa_pixel": Landsat Collection 2 bits 1 (dilated cloud), 2 (cirrus), 3 (cloud), 4 (shadow), 5 (snow), USGS
    LSDS-1619; "scl": Sentinel-2 scene classification 8, 9, 10 cloud, 3 shadow, 11 snow; `band` is the band
    that holds them. "spectral": the basic, brightness and whiteness tests of Zhu and Woodcock (2012), Remote
    Sensing of Environment 118, 83-94, without the thermal band, from blue, green, red and near infrared
    times `scale` as reflectance; it finds no shadows. "auto" takes the first for which there is a band.
    Clouds grow by `buffer_px` in all directions. Raises RasterError.
    """
    chosen, numbers = _choice(source, method, band)
    counts: list[NDArray[np.int64]] = []
    halo = buffer_px

    def mask(blocks: list[Block], place: Place) -> NDArray[Any]:
        classes = _CLASSIFY[chosen](blocks[0], scale)
        if buffer_px:
            classes = _grown(classes, buffer_px)
        inner = classes[halo : classes.shape[0] - halo, halo : classes.shape[1] - halo]
        counts.append(_counts(inner))
        return classes

    compute(
        [Band(source, numbers)],
        target,
        mask,
        halo=halo,
        dtype="uint8",
        nodata=UNKNOWN,
        descriptions=["cloud"],
        tags=tags,
    )
    total = np.sum(counts, axis=0)
    known = int(total[:UNKNOWN].sum())
    cloud, shadow, snow = (100.0 * float(total[each]) / max(known, 1) for each in (CLOUD, SHADOW, SNOW))
    return Clouds(chosen, cloud, shadow, snow, known)


def _choice(source: Path, method: Method, band: int | None) -> tuple[str, tuple[int, ...]]:
    """How clouds are found, and in which bands."""
    with opened(source) as reader:
        texts = [text or "" for text in reader.descriptions]
        whole = [np.dtype(each).kind in "iu" for each in reader.dtypes]
        found = {
            "qa_pixel": [at for at, text in enumerate(texts, 1) if _QA.search(text) and whole[at - 1]],
            "scl": [at for at, text in enumerate(texts, 1) if _SCL.search(text) and whole[at - 1]],
        }
        if band is not None and band > reader.count:
            raise RasterError(f"There is no band {band}: the raster has {reader.count}.")
        for name in ("qa_pixel", "scl"):
            if method == name and band is not None:
                return name, (band,)
            if method in ("auto", name) and found[name]:
                return name, (found[name][0],)
        if method in ("qa_pixel", "scl"):
            raise RasterError(f"No band is described as {method.upper()}; say with band which one holds it.")
        try:
            return "spectral", tuple(band_number(reader, each) for each in ("blue", "green", "red", "nir"))
        except RasterError:
            raise RasterError(
                "Clouds are found in a QA_PIXEL or SCL band, or in blue, green, red and near infrared; the "
                "raster has none of the first two and not all of the others by name."
            ) from None


def _from_qa_pixel(block: Block, _: float) -> NDArray[np.uint8]:
    made: NDArray[np.uint8] = _bits(block[0])
    return made


@njit(cache=True, nogil=True)
def _bits(values: Any) -> Any:
    """The classes of Landsat's quality bits; clouds before shadows before snow."""
    made = np.empty(values.shape, np.uint8)
    for i in range(values.shape[0]):
        for j in range(values.shape[1]):
            value = values[i, j]
            bits = np.int64(value) if np.isfinite(value) else 1
            if bits & 1:
                made[i, j] = UNKNOWN
            elif bits & 0b1110:
                made[i, j] = CLOUD
            elif bits & (1 << 4):
                made[i, j] = SHADOW
            else:
                made[i, j] = SNOW if bits & (1 << 5) else CLEAR
    return made


def _from_scl(block: Block, _: float) -> NDArray[np.uint8]:
    made: NDArray[np.uint8] = _looked_up(block[0], _SCL_CLASSES)
    return made


@njit(cache=True, nogil=True)
def _looked_up(values: Any, classes: Any) -> Any:
    """The class of each whole number from 0 on; what is none of them is not known."""
    made = np.full(values.shape, UNKNOWN, np.uint8)
    for i in range(values.shape[0]):
        for j in range(values.shape[1]):
            value = values[i, j]
            if 0 <= value < len(classes):  # not-a-number is not
                made[i, j] = classes[np.int64(value)]
    return made


@njit(cache=True, nogil=True)
def _counts(classes: Any) -> Any:
    """How many pixels have each class."""
    found = np.zeros(256, np.int64)
    for i in range(classes.shape[0]):
        for j in range(classes.shape[1]):
            found[classes[i, j]] += 1
    return found


def _from_colours(block: Block, scale: float) -> NDArray[np.uint8]:
    """The tests of Fmask that need no thermal and no short-wave infrared band.

    Basic (NDVI < 0.8), whiteness < 0.7, haze-optimised (blue - 0.5 red - 0.08 > 0), near infrared over
    red's ratio for rock and sand is not there, so bright sand may pass; the mean of the visible must be
    over 0.11, under which thin haze over dark ground lies.
    """
    blue, green, red, nir = (each.astype(np.float64) * scale for each in block)
    known = np.isfinite(blue + green + red + nir)
    with np.errstate(divide="ignore", invalid="ignore"):
        ndvi = (nir - red) / (nir + red)
        mean = (blue + green + red) / 3
        whiteness = (np.abs(blue - mean) + np.abs(green - mean) + np.abs(red - mean)) / mean
        cloud = (ndvi < 0.8) & (whiteness < 0.7) & (blue - 0.5 * red - 0.08 > 0) & (mean > 0.11)
    made = np.where(cloud & known, CLOUD, CLEAR).astype(np.uint8)
    made[~known] = UNKNOWN
    return made


def _grown(classes: NDArray[np.uint8], by: int) -> NDArray[np.uint8]:
    from scipy.ndimage import maximum_filter

    near = maximum_filter((classes == CLOUD).astype(np.uint8), size=2 * by + 1, mode="constant") > 0
    made: NDArray[np.uint8] = np.where(near & (classes != UNKNOWN), CLOUD, classes).astype(np.uint8)
    return made


_CLASSIFY = {"qa_pixel": _from_qa_pixel, "scl": _from_scl, "spectral": _from_colours}

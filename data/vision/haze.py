"""Haze taken out of an image by the dark channel prior, with one airlight for the whole of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from data.progress import Progress
from data.raster.bands import band_names
from data.raster.errors import RasterError
from data.raster.files import opened
from data.raster.windows import STRIP_PX, Band, Block, Place, compute, grid_of
from data.vision.blocks import followed, kept_type, nearest_filled, samples, visible_bands

PATCH_PX = 61
_AIRLIGHT_PATCH_PX = 15
_BRIGHT = 0.999
RADIUS_PX = 40
_EPSILON = 1e-3
_LEAST_TRANSMISSION = 0.1
_ANGSTROM = 1.3
"""How the optical depth of haze falls with the wavelength: Angstrom's (1964) mean for continental air."""
_MICROMETRES = {
    "coastal": 0.443, "blue": 0.49, "green": 0.56, "yellow": 0.605, "red": 0.665, "rededge071": 0.705,
    "rededge075": 0.74, "rededge078": 0.783, "nir": 0.842, "nir08": 0.865, "nir09": 0.945, "cirrus": 1.375,
    "swir16": 1.61, "swir22": 2.2, "pan": 0.6,
}  # fmt: skip
_VISIBLE_UM = 0.57
"""Where the transmission that the visible bands give belongs."""


@dataclass(frozen=True)
class Air:
    """What the air does to an image, told from the image."""

    airlight: tuple[float, ...]
    """Of each band, in the image's own numbers."""
    transmission: float
    """Mean share of the ground's light that comes through in the visible bands, 0 to 1."""
    least_transmission: float
    """The 1st percentile: where the haze is thickest."""


def air_of(source: Path) -> Air:
    """The airlight and the transmission of an image, from windows of it. Raises RasterError without colours.

    He, Sun and Tang (2011), Single image haze removal using dark channel prior, IEEE PAMI 33, 2341-2353: the
    airlight is the mean of the brightest of the 0.1 % of pixels with the greatest dark channel (over 15 x 15
    pixels), and here at least what 99.9 % of the pixels lie under: from above the haze is seldom thick enough
    to hide the ground, and the haziest pixel is darker than the air.
    """
    visible = _visible(source)
    windows = samples(source)
    dark, colours = [], []
    for window in windows:
        known = np.isfinite(window).all(axis=0)
        channel = _dark_channel(np.stack([window[number - 1] for number in visible]), _AIRLIGHT_PATCH_PX)
        dark.append(channel[known])
        colours.append(window[:, known])
    every, pixels = np.concatenate(dark), np.concatenate(colours, axis=1)
    if every.size == 0:
        raise RasterError("The image has no pixel with a value in all of its bands.")
    few = max(1, every.size // 1000)
    haziest = np.argpartition(every, -few)[-few:]
    light = pixels[[number - 1 for number in visible]][:, haziest].mean(axis=0)
    brightest = haziest[np.argsort(light, kind="stable")[-max(1, few // 10) :]]
    airlight = np.maximum(pixels[:, brightest].mean(axis=1, dtype=np.float64), 1e-6)
    airlight = np.maximum(airlight, np.quantile(pixels, _BRIGHT, axis=1))
    patch = patch_of(source)
    seen = np.concatenate(
        [
            _dark_channel(_relative(each, visible, airlight), patch)[np.isfinite(each).all(axis=0)]
            for each in windows
        ]
    )
    through = np.clip(1.0 - seen, _LEAST_TRANSMISSION, 1.0)
    return Air(
        tuple(float(each) for each in airlight), float(through.mean()), float(np.quantile(through, 0.01))
    )


def patch_of(source: Path) -> int:
    """The side of the dark channel's squares: 61 pixels, less in a small image.

    Larger than the paper's 15: seen from above, a roof or a field is wider than that, and only a larger
    square holds a shadow or something else that is dark.
    """
    grid = grid_of(source)
    return max(15, min(PATCH_PX, min(grid.width, grid.height) // 4 | 1))


def dehaze(
    progress: Progress,
    source: Path,
    target: Path,
    *,
    strength: float = 0.95,
    tags: Mapping[str, str] | None = None,
) -> Air:
    """Write the image without haze, in the data type that it has; what the air was.

    The dark channel prior as in `air_of`, `strength` being He's omega; the transmission is smoothed along the
    image's own edges by the guided filter (He, Sun and Tang 2013, IEEE PAMI 35, 1397-1409). Bands beyond the
    visible ones see less haze: their optical depth falls as the wavelength to the power of -1.3 (Angstrom
    1964, Tellus 16, 64-75). One airlight serves all blocks, and they overlap by what the filters reach, so no
    seam shows. Raises RasterError for an image without red, green and blue.
    """
    progress.tell(0.0, "Looking for the airlight.")
    air = air_of(source)
    visible = _visible(source)
    with opened(source) as reader:
        descriptions = [text or "" for text in reader.descriptions]
        names = band_names(reader)
    powers = _powers(names, visible)
    dtype, nodata = kept_type(source)
    light = np.array(air.airlight, np.float32)
    patch = patch_of(source)
    grid = grid_of(source)

    def clear(blocks: list[Block], place: Place) -> NDArray[Any]:
        values = blocks[0].astype(np.float32)
        through = transmission(values, visible, air, strength, patch)
        made = np.empty_like(values)
        for band, power in enumerate(powers):
            share = np.maximum(through**power, _LEAST_TRANSMISSION)
            made[band] = (values[band] - light[band]) / share + light[band]
        least = 1.0 if nodata == 0.0 else 0.0
        return np.where(np.isfinite(made), np.maximum(made, least if dtype[0] != "f" else 0.0), np.nan)

    compute(
        [Band(source)],
        target,
        followed(progress, "Removing haze", grid.width * grid.height, clear, (0.1, 1.0)),
        halo=patch // 2 + 2 * RADIUS_PX + 1,
        count=len(powers),
        dtype=dtype,
        nodata=nodata,
        descriptions=descriptions,
        tags=tags,
        pixels=STRIP_PX // 4,
    )
    return air


def transmission(
    values: NDArray[Any],
    visible: tuple[int, ...],
    air: Air,
    strength: float,
    patch_px: int = PATCH_PX,
) -> NDArray[np.float32]:
    """(rows, columns), 0.1 to 1: how much of the ground's light comes through, in the visible bands."""
    relative = _relative(values, visible, np.array(air.airlight))
    seen = _dark_channel(relative, patch_px)
    raw = 1.0 - strength * np.clip(seen, 0.0, 1.0)
    filled = np.stack([nearest_filled(each) for each in relative])
    smooth = _guided(filled.mean(axis=0), nearest_filled(raw), RADIUS_PX)
    made: NDArray[np.float32] = np.clip(smooth, _LEAST_TRANSMISSION, 1.0).astype(np.float32)
    return made


def _visible(source: Path) -> tuple[int, ...]:
    found = visible_bands(source)
    if found is None:
        raise RasterError(
            "Haze is told from red, green and blue, and the image does not say which bands these are; "
            "dark_object_subtraction works on any band."
        )
    return found


def _powers(names: tuple[str | None, ...], visible: tuple[int, ...]) -> list[float]:
    """Of each band, the power of the visible transmission that is its own."""
    made = []
    for number, name in enumerate(names, start=1):
        length = _MICROMETRES.get(name or "", _VISIBLE_UM if number in visible else 0.842)
        thermal = bool(name and name.startswith("lwir"))
        # Red, green and blue share one transmission, as in the paper.
        made.append(1.0 if number in visible else 0.0 if thermal else (length / _VISIBLE_UM) ** -_ANGSTROM)
    return made


def _relative(values: NDArray[Any], visible: tuple[int, ...], airlight: NDArray[Any]) -> NDArray[np.float32]:
    chosen = np.stack([values[number - 1] / airlight[number - 1] for number in visible])
    made: NDArray[np.float32] = chosen.astype(np.float32)
    return made


def _dark_channel(values: NDArray[Any], patch_px: int = PATCH_PX) -> NDArray[np.float32]:
    """The least of all (bands, rows, columns) in a square around each pixel; no value counts for none."""
    import cv2

    least = np.nanmin(np.where(np.isfinite(values), values, np.inf), axis=0).astype(np.float32)
    square = np.ones((patch_px, patch_px), np.uint8)
    dark = cv2.erode(least, square, borderType=cv2.BORDER_REPLICATE)
    made: NDArray[np.float32] = np.where(np.isfinite(dark), dark, 0.0).astype(np.float32)
    return made


def _guided(guide: NDArray[Any], values: NDArray[Any], radius: int) -> NDArray[np.float32]:
    """Values smoothed within windows of `radius`, but not across the guide's edges (both rows, columns)."""
    import cv2

    size = (2 * radius + 1, 2 * radius + 1)

    def mean(array: NDArray[Any]) -> NDArray[np.float64]:
        return np.asarray(cv2.blur(array, size, borderType=cv2.BORDER_REFLECT), np.float64)

    guide, values = guide.astype(np.float64), values.astype(np.float64)
    guide_mean, value_mean = mean(guide), mean(values)
    covariance = mean(guide * values) - guide_mean * value_mean
    slope = covariance / (mean(guide * guide) - guide_mean**2 + _EPSILON)
    offset = value_mean - slope * guide_mean
    made: NDArray[np.float32] = (mean(slope) * guide + mean(offset)).astype(np.float32)
    return made

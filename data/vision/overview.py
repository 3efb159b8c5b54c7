"""A small picture of an image of any size, to measure on: at most 1,024 pixels a side, in colours as seen."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from data.raster.errors import RasterError

if TYPE_CHECKING:
    from numpy.typing import NDArray

OVERVIEW_PX = 1024


@dataclass(frozen=True)
class Overview:
    """An image made small, and where it lies."""

    rgb: NDArray[np.uint8]
    """(rows, columns, 3): red, green and blue, or one band three times."""
    known: NDArray[np.bool_]
    """Where every band has a value."""
    spectral: dict[str, NDArray[np.float32]]
    """Bands of a common name as stored: green, red, nir and swir16, where the file says which they are."""
    width: int
    """Of the file, pixels."""
    height: int
    bands: int
    grey: bool
    gsd_m: float | None
    """Side of a pixel of the file, metres."""
    area_m2: float | None
    """Of the whole image, on the ellipsoid; None without a place."""
    lonlat: tuple[float, float] | None
    """Its middle."""
    radar: NDArray[np.float32] | None = None
    """Decibels of the first band's amplitude squared, of a radar image."""

    @property
    def scale(self) -> float:
        """Pixels of the file for one of the overview."""
        return float(self.width / self.rgb.shape[1])


def overview_of(image: Path, modality: str | None, *, most_px: int = OVERVIEW_PX) -> Overview:
    """The overview of an image. Raises RasterError for a file that cannot be read or holds nothing.

    Bytes stay as they are; other numbers go from the darkest 1 % of each band to the brightest 1 % of them
    all. Radar goes by its decibels.
    """
    from rasterio.enums import ColorInterp, Resampling
    from rasterio.errors import RasterioError

    from data.models.choosing import ground_sample_m
    from data.raster.bands import band_names, find_band
    from data.raster.files import opened
    from data.vision.blocks import visible_bands
    from data.vision.ground import ground_of

    told = visible_bands(image)
    with opened(image) as source:
        names = band_names(source)
        plain = [at for at, each in enumerate(source.colorinterp, 1) if each is not ColorInterp.alpha] or [1]
        visible: tuple[int, ...] = told or tuple(plain[:3] if len(plain) >= 3 else plain[:1])
        if modality in ("sar", "panchromatic"):
            visible = visible[:1]
        spectral = {
            each: at for each in ("blue", "green", "red", "nir", "swir16") if (at := find_band(names, each))
        }
        wanted = tuple(dict.fromkeys((*visible, *spectral.values())))
        shrink = min(1.0, most_px / max(source.width, source.height))
        shape = (len(wanted), max(1, round(source.height * shrink)), max(1, round(source.width * shrink)))
        method = Resampling.average if shrink < 1 else Resampling.nearest
        complex_ = source.dtypes[wanted[0] - 1].startswith("complex")
        try:
            values = source.read(
                wanted, out_shape=shape, resampling=Resampling.nearest if complex_ else method
            )
            masks = source.read_masks(wanted, out_shape=shape)
        except RasterioError:
            raise RasterError(f"The pixels of {image.name} cannot be read; is the file whole?") from None
        dtype, count = source.dtypes[wanted[0] - 1], source.count
        width, height = source.width, source.height
    plain_values = (np.abs(values) if complex_ else values).astype(np.float32)
    known = (masks > 0).all(axis=0) & np.isfinite(plain_values).all(axis=0)
    if not known.any():
        raise RasterError(f"{image.name} has no pixel with a value.")
    shown = plain_values[: len(visible)]
    radar = _decibels(shown[0], known) if modality == "sar" else None
    shown = shown if radar is None else radar[None]
    rgb = _bytes(shown, known, as_is=dtype == "uint8" and radar is None)
    placed = ground_of(image) is not None
    return Overview(
        np.ascontiguousarray(np.repeat(rgb, 3, axis=2) if rgb.shape[2] == 1 else rgb),
        known,
        {each: plain_values[wanted.index(at)] for each, at in spectral.items()},
        width,
        height,
        count,
        len(visible) == 1,
        ground_sample_m(image),
        _area_m2(image) if placed else None,
        _middle(image, width, height) if placed else None,
        radar,
    )


def _decibels(amplitude: NDArray[np.float32], known: NDArray[np.bool_]) -> NDArray[np.float32]:
    if (amplitude[known] < 0).mean() > 0.5:
        return amplitude
    low = max(float(np.percentile(amplitude[known], 1)), 1e-6)
    return (20 * np.log10(np.maximum(amplitude, low))).astype(np.float32)


def _bytes(shown: NDArray[np.float32], known: NDArray[np.bool_], *, as_is: bool) -> NDArray[np.uint8]:
    """(rows, columns, bands) of bytes; 0 where nothing is known."""
    if as_is:
        made = shown
    else:
        low = np.array([np.percentile(band[known], 1) for band in shown])[:, None, None]
        high = max(float(np.percentile(band[known], 99)) for band in shown)
        made = 255 * (shown - low) / np.maximum(high - low, 1e-9)
    made = np.where(known, np.clip(np.nan_to_num(made), 0, 255), 0)
    return np.asarray(np.rint(made).astype(np.uint8).transpose(1, 2, 0))


def _area_m2(image: Path) -> float | None:
    from data.raster.areas import row_areas_m2
    from data.raster.windows import grid_of

    grid = grid_of(image)
    total = float(np.nansum(row_areas_m2(grid)) * grid.width)
    return total if np.isfinite(total) and total > 0 else None


def _middle(image: Path, width: int, height: int) -> tuple[float, float] | None:
    from data.vision.ground import ground_of

    ground = ground_of(image)
    if ground is None:
        return None
    lon, lat = ground.lonlat(np.array([[width / 2, height / 2]]))[0]
    return (round(float(lon), 5), round(float(lat), 5)) if np.isfinite([lon, lat]).all() else None


def to_known(values: NDArray[Any], known: NDArray[np.bool_]) -> NDArray[Any]:
    """The values where something is known, flat."""
    return np.asarray(values[known])

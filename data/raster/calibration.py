"""From stored numbers to physical ones: radiance, reflectance, brightness temperature and backscatter."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from data.raster.errors import RasterError
from data.raster.files import opened
from data.raster.metadata import Landsat, Linear, Metadata, Sentinel1, Sentinel2, landsat
from data.raster.tally import Summary, Tally
from data.raster.windows import Band, Block, Place, compute, grid_of

Quantity = Literal["radiance", "brightness_temperature", "sigma0", "beta0", "gamma0"]
Tags = Mapping[str, str]
RADIANCE_UNIT = "W/(m2 sr um)"
_BAND = re.compile(
    r"(?:^|[^a-z0-9])b(?:and)?[ _-]*0*(\d{1,2}a?(?:_vcid_[12])?)(?=$|[^a-z0-9])", re.IGNORECASE
)


def metadata_in_tags(source: Path) -> Metadata | None:
    """The rescaling that a raster carries in its own tags: MTL keys. None when it carries none."""
    with opened(source) as reader:
        tags = {str(key): str(value) for key, value in reader.tags().items()}
    return landsat(tags) if any("_MULT_BAND_" in key for key in tags) else None


def scales_in_file(source: Path) -> list[Linear] | None:
    """The scale and offset of each band, where the file has any that change a value."""
    with opened(source) as reader:
        scales = [Linear(float(a), float(b)) for a, b in zip(reader.scales, reader.offsets, strict=True)]
    return scales if any((each.gain, each.offset) != (1.0, 0.0) for each in scales) else None


def product_bands(source: Path, name: str, asked: Sequence[str] | None, known: Sequence[str]) -> list[str]:
    """Which of the product's bands (`known`) the raster's bands are, in order. Raises RasterError.

    As `asked`, else by the bands' descriptions ("B4", "SR_B4", "band 4"), else by the file's name (…_B4.TIF),
    else in the product's order when both have equally many.
    """
    with opened(source) as reader:
        count, descriptions = reader.count, [text or "" for text in reader.descriptions]
    plain = {_plain(each): each for each in known}
    texts = list(asked) if asked else descriptions
    found = [_named(text, plain) for text in texts]
    if not asked and None in found and count == 1:
        found = [_named(name, plain)]
    if not asked and None in found and count == len(known):
        found = list(known)
    if len(found) != count or None in found:
        raise RasterError(
            f"Which bands of the product the {count} of {name[:60]} are is not clear; "
            f"name them with bands, out of {', '.join(known)}."
        )
    return [each for each in found if each is not None]


def rescale(
    source: Path,
    target: Path,
    scales: Sequence[Linear],
    *,
    quantity: str,
    unit: str,
    zero_is_nodata: bool = True,
    clip: tuple[float, float] | None = None,
    thermal: Sequence[tuple[float, float]] | None = None,
    tags: Tags | None = None,
) -> Summary:
    """Write gain * DN + offset for each band, float32; the summary is of the first band.

    With `thermal` (K1, K2 of each band) the radiance is turned into brightness temperature in kelvin,
    K2 / ln(K1 / L + 1). DN 0 is the fill of Landsat and Sentinel-2 and gets no value.
    """
    tally = Tally()
    gains = np.array([each.gain for each in scales])[:, None, None]
    offsets = np.array([each.offset for each in scales])[:, None, None]

    def convert(blocks: list[Block], place: Place) -> NDArray[Any]:
        stored = blocks[0].astype(np.float64)
        if zero_is_nodata:
            stored[stored == 0] = np.nan
        made = gains * stored + offsets
        if thermal is not None:
            k1 = np.array([each[0] for each in thermal])[:, None, None]
            k2 = np.array([each[1] for each in thermal])[:, None, None]
            made = k2 / np.log1p(k1 / np.where(made > 0, made, np.nan))
        if clip is not None:
            made = np.clip(made, *clip)
        tally.add(place, made[0])
        narrow: NDArray[Any] = made.astype(np.float32)
        return narrow

    with opened(source) as reader:
        descriptions = [text or quantity for text in reader.descriptions]
    count = len(scales)
    compute(
        [Band(source)],
        target,
        convert,
        count=count,
        descriptions=descriptions,
        units=[unit] * count,
        tags=tags,
    )
    return tally.result()


def reflectance_scales(
    metadata: Metadata, bands: Sequence[str], sun_elevation_deg: float | None
) -> list[Linear]:
    """What turns DN into top-of-atmosphere reflectance. Raises RasterError for what has none.

    Landsat: (M * DN + A) / sin(sun elevation), USGS LSDS-1574; Sentinel-2 Level-1C: (DN + offset) / Q.
    """
    if isinstance(metadata, Sentinel1):
        raise RasterError("A radar image has no reflectance; radiometric_calibration gives its sigma0.")
    if metadata.surface:
        raise RasterError(
            "The metadata is of a Level-2 product: its pixels are surface reflectance, not top of atmosphere."
        )
    if isinstance(metadata, Sentinel2):
        q = metadata.quantification
        return [Linear(1 / q, metadata.offsets[band] / q) for band in bands]
    sun = metadata.sun_elevation_deg if sun_elevation_deg is None else sun_elevation_deg
    if sun is None:
        raise RasterError("The metadata does not say how high the sun stood; give sun_elevation_deg.")
    if not 0 < sun <= 90:
        raise RasterError(
            f"The sun stood {sun:g} degrees above the horizon; without sunlight there is no reflectance."
        )
    sine = math.sin(math.radians(sun))
    scales = [metadata.reflectance[band] for band in bands]
    return [Linear(each.gain / sine, each.offset / sine) for each in scales]


def known_bands(metadata: Metadata, quantity: str) -> list[str]:
    """The product's bands that have that quantity. Raises RasterError when there are none."""
    if isinstance(metadata, Sentinel2) and quantity == "reflectance":
        return list(metadata.offsets)
    table: Mapping[str, Any] = {}
    if isinstance(metadata, Landsat):
        table = {
            "reflectance": metadata.reflectance,
            "radiance": metadata.radiance,
            "brightness_temperature": metadata.thermal,
        }.get(quantity, {})
    if not table:
        kind = {Landsat: "Landsat", Sentinel1: "Sentinel-1", Sentinel2: "Sentinel-2"}[type(metadata)]
        raise RasterError(f"The {kind} metadata says nothing of {quantity.replace('_', ' ')}.")
    return list(table)


def backscatter(
    source: Path, target: Path, calibration: Sentinel1, quantity: Quantity, *, tags: Tags | None = None
) -> Summary:
    """Write DN² / A², the linear backscatter coefficient, with A between its vectors bilinear; float32.

    ESA-EOPG-CSCOP-TN-0002, 3.1. The raster must be the product's whole measurement, not a part or a warp of
    it, since the vectors count its rows and columns. Thermal noise is not taken off. DN 0 gets no value.
    """
    table = calibration.tables.get(quantity)
    if table is None:
        raise RasterError(f"The calibration file has no {quantity}; it has {', '.join(calibration.tables)}.")
    grid = grid_of(source)
    columns, rows = int(calibration.pixels[-1]) + 1, int(calibration.lines[-1]) + 1
    # The vectors end at the last column, and at the last row or up to a spacing beyond it.
    spacing = float(np.diff(calibration.lines).max()) if len(calibration.lines) > 1 else 1.0
    if grid.width != columns or not rows - spacing - 1 <= grid.height <= rows + spacing:
        raise RasterError(
            f"The calibration file is for {columns} columns and about {rows} rows, and the raster has "
            f"{grid.width} x {grid.height}; calibrate the whole measurement before it is cut or warped."
        )
    tally = Tally()
    across = np.arange(grid.width)
    along = np.array([np.interp(across, calibration.pixels, line) for line in table])

    def convert(blocks: list[Block], place: Place) -> NDArray[Any]:
        stored = blocks[0][0].astype(np.float64)
        first, left = place.first_row, place.first_column
        factor = _between(calibration.lines, along[:, left : left + stored.shape[1]], first, stored.shape[0])
        made = np.square(np.where(stored == 0, np.nan, stored) / factor)
        tally.add(place, made)
        return made.astype(np.float32)

    name = f"{quantity} {calibration.polarisation}".strip()
    compute([Band(source, (1,))], target, convert, descriptions=[name], units=["1"], tags=tags)
    return tally.result()


def _between(
    lines: NDArray[np.float64], table: NDArray[np.float64], first: int, count: int
) -> NDArray[np.float64]:
    """(count, columns): the table's rows at image rows from `first` on, linear between its lines."""
    wanted = np.clip(np.arange(first, first + count, dtype=np.float64), lines[0], lines[-1])
    if len(lines) == 1:
        return np.repeat(table, count, axis=0)
    at = np.clip(np.searchsorted(lines, wanted, side="right") - 1, 0, len(lines) - 2)
    share = ((wanted - lines[at]) / (lines[at + 1] - lines[at]))[:, None]
    return table[at] * (1 - share) + table[at + 1] * share


def _plain(band: str) -> str:
    return band.upper().removeprefix("B").lstrip("0")


def _named(text: str, known: Mapping[str, str]) -> str | None:
    """The product's band that a text names: "B4", "4", "SR_B04", "…_B10.TIF"."""
    if (whole := known.get(_plain(text.strip()))) is not None:
        return whole
    match = _BAND.search(text)
    return known.get(match[1].upper()) if match else None

"""What a copy of a raster keeps of it: type, nodata, names, units, scales, colours and what the tags tell."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import rasterio
from numpy.typing import NDArray
from rasterio.enums import ColorInterp, MaskFlags
from rasterio.windows import Window

from data.raster.files import geotiff_profile
from data.raster.looks import nothing_tag
from data.raster.windows import Grid

_NOT_KEPT = (
    "AZIMUTH_",
    "STATISTICS_",
    "TIFFTAG_XRES",
    "TIFFTAG_YRES",
    "TIFFTAG_RES",
    "OVR_",
    "AREA_OR_POINT",
)
"""Tags of the file as it was, not of what it shows."""


class Copy:
    """A GeoTIFF in the making, which takes pixels and which of them are valid."""

    def __init__(self, writer: Any, nodata: float | None, masked: bool) -> None:
        self.writer, self.nodata, self.masked = writer, nodata, masked

    def write(self, values: NDArray[Any], window: Window, valid: NDArray[np.bool_] | None = None) -> None:
        """Write (bands, rows, columns); pixels that are not `valid` get nodata, or are masked out."""
        if valid is not None:
            fill = 0 if self.nodata is None else self.nodata
            values = np.where(valid, values, np.asarray(fill).astype(values.dtype))
        self.writer.write(values, window=window)
        if self.masked:
            shown = np.ones(values.shape[1:], bool) if valid is None else valid
            self.writer.write_mask(shown, window=window)


@contextmanager
def copy_of(
    source: rasterio.DatasetReader,
    target: Path,
    grid: Grid,
    numbers: Sequence[int] = (),
    *,
    holes: bool = True,
) -> Iterator[Copy]:
    """A GeoTIFF on `grid` for some bands of an open raster (all where none are named).

    With `holes`, there will be pixels without a value: a raster that has no nodata value gets not-a-number
    where it is floating point, and a mask inside the file where it holds whole numbers: none of them is free.
    """
    chosen = tuple(numbers) or tuple(range(1, source.count + 1))
    nodata = nodata_of(source, holes)
    masked = nodata is None and (has_mask(source) or (holes and not has_alpha(source)))
    profile = geotiff_profile(
        grid.width,
        grid.height,
        count=len(chosen),
        dtype=source.dtypes[chosen[0] - 1],
        nodata=nodata,
        crs=grid.crs,
        transform=grid.transform,
    )
    with (
        rasterio.Env(GDAL_TIFF_INTERNAL_MASK=True),
        rasterio.open(target, "w", **profile) as writer,
    ):
        yield Copy(writer, nodata, masked)
        describe_like(writer, source, chosen)


def nodata_of(source: rasterio.DatasetReader, holes: bool) -> float | None:
    """The nodata value that a copy has; None where it needs none or can have none."""
    if source.nodata is not None or not holes:
        return None if source.nodata is None else float(source.nodata)
    return float("nan") if np.dtype(source.dtypes[0]).kind in "fc" else None


def has_mask(source: rasterio.DatasetReader) -> bool:
    """Whether the file has a mask of its own, beside its bands."""
    return any(flags == [MaskFlags.per_dataset] for flags in source.mask_flag_enums)


def has_alpha(source: rasterio.DatasetReader) -> bool:
    """Whether one of the bands says how opaque the others are."""
    return ColorInterp.alpha in source.colorinterp


def describe_like(writer: Any, source: rasterio.DatasetReader, numbers: Sequence[int]) -> None:
    """Give a copy the names, units, scales, colours and tags of the bands that it has."""
    picked = [number - 1 for number in numbers]
    for at, number in enumerate(numbers, start=1):
        if (text := source.descriptions[number - 1]) is not None:
            writer.set_band_description(at, text)
    writer.units = tuple(source.units[each] or "" for each in picked)
    writer.scales = tuple(source.scales[each] for each in picked)
    writer.offsets = tuple(source.offsets[each] for each in picked)
    if len(picked) == source.count:
        writer.colorinterp = source.colorinterp
    if len(picked) == 1 and source.colorinterp[picked[0]] == ColorInterp.palette:
        writer.write_colormap(1, source.colormap(numbers[0]))
    writer.update_tags(**kept_tags(source.tags()), **nothing_tag(source, numbers[0]))


def kept_tags(tags: dict[str, str]) -> dict[str, str]:
    """The tags that stay true of a copy: the sensor, the time, who made it."""
    return {key: value for key, value in tags.items() if not key.startswith(_NOT_KEPT)}

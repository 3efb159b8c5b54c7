"""Write a raster in another format: cloud-optimised GeoTIFF, JPEG 2000, PNG, NetCDF and others."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import rasterio
from rasterio.enums import ColorInterp
from rasterio.errors import RasterioError

from data.raster.copying import copy_of, describe_like, kept_tags
from data.raster.errors import RasterError
from data.raster.files import BLOCK_PX, CACHE_BYTES, opened
from data.raster.windows import Band, Block, compute


@dataclass(frozen=True)
class Format:
    """A file format that rasters are written in."""

    title: str
    driver: str
    suffix: str
    types: tuple[str, ...]
    """The data types that it holds."""
    most_bands: int
    options: Mapping[str, Any]
    picture: bool = False
    """Whether it is for looking at: what does not fit is stretched into it."""


_ANY = ("uint8", "int16", "uint16", "int32", "uint32", "float32", "float64")
FORMATS: Mapping[str, Format] = {
    "geotiff": Format("GeoTIFF", "GTiff", ".tif", _ANY, 65_535, {}),
    "cog": Format("cloud-optimised GeoTIFF", "COG", ".tif", _ANY, 65_535, {}),
    "jpeg2000": Format("JPEG 2000", "JP2OpenJPEG", ".jp2", ("uint8", "int16", "uint16"), 16_384,
                       {"quality": "100", "reversible": "YES"}),
    "png": Format("PNG", "PNG", ".png", ("uint8", "uint16"), 4, {}, picture=True),
    "jpeg": Format("JPEG", "JPEG", ".jpg", ("uint8",), 3, {"quality": "90"}, picture=True),
    "netcdf": Format("NetCDF", "netCDF", ".nc", _ANY, 1000, {"format": "NC4", "compress": "deflate"}),
    "imagine": Format("Erdas Imagine", "HFA", ".img", _ANY, 1000, {"compressed": "YES"}),
    "ascii": Format("Esri ASCII grid", "AAIGrid", ".asc", _ANY, 1, {}),
}  # fmt: skip


def to_cog(path: Path, target: Path, *, tags: Mapping[str, str], compression: str = "deflate") -> None:
    """Write a cloud-optimised GeoTIFF: tiles of 512 pixels and overviews, each in its place.

    Overviews are averages; of a palette or of one band of bytes, which is most often classes, the nearest.
    The pixels are those of the source. Raises RasterError where it cannot be written.
    """
    with opened(path) as source:
        classes = source.colorinterp[0] == ColorInterp.palette or (
            source.count == 1 and source.dtypes[0] in ("uint8", "int8")
        )
        lossy = compression in ("jpeg", "webp")
        if lossy and (source.dtypes[0] != "uint8" or source.count not in (1, 3, 4)):
            raise RasterError(f"{compression.upper()} compresses 1, 3 or 4 bands of 8 bits; take deflate.")
        options: dict[str, Any] = {
            "compress": compression,
            "blocksize": BLOCK_PX,
            "overview_resampling": "nearest" if classes else "average",
            "bigtiff": "if_safer",
            "num_threads": "all_cpus",
        }
        if not lossy:
            options["level"] = 1 if compression == "deflate" else 3
            options["predictor"] = "YES"
        _copied(source, target, "COG", options, tags)


def convert(
    path: Path,
    target: Path,
    wanted: Format,
    *,
    dtype: str | None = None,
    tags: Mapping[str, str] | None = None,
) -> None:
    """Write a raster in a format that holds its bands and data type, in `dtype` where that is given.

    Values go to whole numbers rounded, and to the nearest one that the type holds. Raises RasterError where
    the format cannot hold it.
    """
    with opened(path) as source:
        kind = dtype or source.dtypes[0]
        if kind not in wanted.types:
            raise RasterError(
                f"{wanted.title} holds {', '.join(wanted.types)}, and this is {kind}; "
                f"dtype={wanted.types[0]} brings it into that."
            )
        if source.count > wanted.most_bands:
            raise RasterError(
                f"{wanted.title} holds {wanted.most_bands} bands, and this has {source.count}; "
                "raster_calc or band_composite makes one of fewer."
            )
    if wanted.driver == "GTiff" and dtype is not None:
        _typed(path, target, dtype, tags or {})
        return
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=".converting-") as folder:
        typed = path
        if dtype is not None:
            typed = Path(folder) / "typed.tif"
            _typed(path, typed, dtype, {})
        with opened(typed) as source:
            if wanted.driver == "GTiff":
                _plain(source, target, tags or {})
            else:
                _copied(source, target, wanted.driver, dict(wanted.options), tags or {})


def _typed(path: Path, target: Path, dtype: str, tags: Mapping[str, str]) -> None:
    """The raster in another data type; what is missing gets the type's least used value, or not-a-number."""
    with opened(path) as source:
        count, own, masks = source.count, source.nodata, source.mask_flag_enums
    whole = np.dtype(dtype).kind in "iu"
    full = all(rasterio.enums.MaskFlags.all_valid in flags for flags in masks)
    info = np.iinfo(dtype) if whole else None
    nodata: float | None = (
        float("nan") if info is None else float(own) if _fits(own, info) else float(info.max)
    )
    compute(
        [Band(path)], target, lambda blocks, _: _clipped(blocks, nodata, info), count=count, dtype=dtype,
        nodata=None if full and whole else nodata,
    )  # fmt: skip
    with opened(path) as source, rasterio.open(target, "r+") as made:
        describe_like(made, source, range(1, count + 1))
        made.update_tags(**tags)


def _clipped(blocks: list[Block], nodata: float | None, info: Any) -> Block:
    return blocks[0] if info is None else np.clip(blocks[0], info.min, info.max)


def _fits(value: float | None, info: Any) -> bool:
    return value is not None and float(value).is_integer() and info.min <= value <= info.max


def _plain(source: rasterio.DatasetReader, target: Path, tags: Mapping[str, str]) -> None:
    from data.raster.clip import read_raw
    from data.raster.copying import has_mask
    from data.raster.windows import Grid, windows

    grid = Grid.of(source)
    with copy_of(source, target, grid, holes=False) as copy:
        for window in windows(grid):
            valid = source.dataset_mask(window=window) > 0 if has_mask(source) else None
            copy.write(read_raw(source, (), window), window, valid)
        copy.writer.update_tags(**tags)


def _copied(
    source: rasterio.DatasetReader,
    target: Path,
    driver: str,
    options: dict[str, Any],
    tags: Mapping[str, str],
) -> None:
    """Have GDAL copy an open raster into a format; the tags go through a VRT, so that none is added later."""
    import rasterio.shutil

    with tempfile.TemporaryDirectory(dir=target.parent, prefix=".copying-") as folder:
        view = Path(folder) / "view.vrt"
        try:
            with rasterio.Env(GDAL_CACHEMAX=CACHE_BYTES, GDAL_PAM_ENABLED="NO", GDAL_NUM_THREADS="ALL_CPUS"):
                rasterio.shutil.copy(source, view, driver="VRT")
                with rasterio.open(view, "r+") as dataset:
                    dataset.update_tags(**{**kept_tags(dataset.tags()), **tags})
                rasterio.shutil.copy(view, target, driver=driver, **options)
        except RasterioError as error:
            raise RasterError(f"{Path(source.name).name} cannot be written as {driver}.") from error

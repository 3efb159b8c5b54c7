"""Orthorectify an image by its rational polynomial coefficients."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import rasterio
from rasterio.enums import Resampling
from rasterio.errors import CRSError, RasterioError
from rasterio.warp import calculate_default_transform, reproject

from data.raster.errors import RasterError
from data.raster.files import geotiff_profile, opened
from data.raster.windows import Grid, windows
from data.readers.sidecars import names_a_file

MAX_PX = 2_000_000_000
_MEMORY_MB = 128


@dataclass(frozen=True)
class Ortho:
    """The grid that an image was brought to."""

    crs: str
    width: int
    height: int
    pixel_size: float
    """In the CRS's unit."""
    filled_px: int


def orthorectify(
    source: Path,
    target: Path,
    *,
    height_m: float = 0.0,
    dem: Path | None = None,
    resolution_m: float | None = None,
    crs: str | None = None,
    tags: Mapping[str, str] | None = None,
) -> Ortho:
    """Write the image in a map projection, by default the UTM zone of its middle; nodata around it.

    The rational functions (RPC00B, NGA STDI-0002) are solved by GDAL at `height_m` above the WGS84 ellipsoid,
    or at the heights of `dem` (above the ellipsoid too), bilinear. Raises RasterError without RPCs.
    """
    with opened(source) as reader:
        rpcs = reader.rpcs
        if rpcs is None:
            raise RasterError(
                f"{source.name} has no rational polynomial coefficients; only images that come with RPCs can "
                "be orthorectified, and raster_reproject is for those that lie on a map already."
            )
        options: dict[str, Any] = (
            {"RPC_DEM": str(dem), "RPC_DEM_MISSING_VALUE": height_m} if dem else {"RPC_HEIGHT": height_m}
        )
        wanted = _crs(crs, rpcs.long_off, rpcs.lat_off)
        nodata = reader.nodata if reader.nodata is not None else 0
        try:
            transform, width, height = calculate_default_transform(
                "EPSG:4326",
                wanted,
                reader.width,
                reader.height,
                rpcs=rpcs,
                resolution=resolution_m,
                **options,
            )
            if width * height > MAX_PX:
                raise RasterError(
                    f"Pixels of {resolution_m:g} m would make {width:,} x {height:,} of them; take larger."
                )
            profile = geotiff_profile(
                width,
                height,
                count=reader.count,
                dtype=reader.dtypes[0],
                nodata=nodata,
                crs=wanted,
                transform=transform,
            )
            with rasterio.open(target, "w", **profile) as writer:
                for number in range(1, reader.count + 1):
                    reproject(
                        rasterio.band(reader, number),
                        rasterio.band(writer, number),
                        src_crs="EPSG:4326",
                        rpcs=rpcs,
                        src_nodata=reader.nodata,
                        dst_nodata=nodata,
                        resampling=Resampling.bilinear,
                        warp_mem_limit=_MEMORY_MB,
                        **options,
                    )
                    writer.set_band_description(number, reader.descriptions[number - 1] or "")
                writer.update_tags(**(tags or {}))
        except RasterioError as error:
            raise RasterError(
                f"{source.name} could not be orthorectified with its RPCs at that height."
            ) from error
    return Ortho(wanted.to_string(), width, height, abs(float(transform.a)), _filled(target, nodata))


def has_rpcs(source: Path) -> bool:
    """Whether an image comes with rational polynomial coefficients. Raises RasterError when it is broken."""
    with opened(source) as reader:
        return reader.rpcs is not None


def _crs(text: str | None, lon: float, lat: float) -> Any:
    from rasterio.crs import CRS

    if text is None:
        zone = min(60, max(1, int((lon + 180) // 6) + 1))
        return CRS.from_epsg((32600 if lat >= 0 else 32700) + zone)
    try:
        if names_a_file(text):
            raise CRSError
        return CRS.from_user_input(text)
    except CRSError:
        raise RasterError(f"{text[:40]!r} is no coordinate system; EPSG:32631 is one.") from None


def _filled(path: Path, nodata: float) -> int:
    with opened(path) as made:
        return sum(int((made.read(1, window=each) != nodata).sum()) for each in windows(Grid.of(made)))

"""Open rasters with the one driver that their bytes call for, and make new GeoTIFFs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import rasterio

from data.raster.errors import RasterError

BLOCK_PX = 512
"""Side of a tile of the GeoTIFFs that are made."""
CACHE_BYTES = 128 << 20
"""GDAL's own cache, in bytes, as rasterio takes it; the default is a share of the machine's memory, which a
few sessions would use up. Without room for a row of tiles, each tile is unpacked once for every line."""


@contextmanager
def opened(path: Path, threads: str = "ALL_CPUS") -> Iterator[rasterio.DatasetReader]:
    """A raster of this machine, read-only. Raises RasterError for a file that is none or is broken.

    With one of `threads` ("1") reading line by line is quicker: several are set to work for each line anew.
    """
    from data.readers.base import BadRecord
    from data.readers.raster_info import open_raster

    with rasterio.Env(GDAL_CACHEMAX=CACHE_BYTES, GDAL_NUM_THREADS=threads):
        try:
            with open_raster(path) as source:
                yield source
        except BadRecord as error:
            raise RasterError(f"{path.name} cannot be used: {error}.") from None


def geotiff_profile(width: int, height: int, **more: Any) -> dict[str, Any]:
    """The creation options of a tiled GeoTIFF that QGIS opens; `more` are band count, dtype, CRS …

    Deflate at its fastest level: about as small as the others on imagery, and read everywhere.
    """
    return {
        "driver": "GTiff",
        "width": width,
        "height": height,
        "tiled": True,
        "blockxsize": BLOCK_PX,
        "blockysize": BLOCK_PX,
        "compress": "deflate",
        "zlevel": 1,
        "bigtiff": "if_safer",
        "num_threads": "all_cpus",
        **more,
    }

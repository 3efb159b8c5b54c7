"""Small rasters for the tests, and what GDAL's own tools make of them."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import rasterio
from affine import Affine
from numpy.typing import NDArray

UTM = "EPSG:32631"


def needs(program: str) -> pytest.MarkDecorator:
    """Skips a test where one of GDAL's programs is not there."""
    return pytest.mark.skipif(
        shutil.which(program) is None, reason=f"{program} (Debian: gdal-bin) is not installed"
    )


def write(
    path: Path,
    values: NDArray[Any],
    *,
    crs: str | None = UTM,
    transform: Affine | None = None,
    pixel: float = 10.0,
    nodata: float | None = None,
    descriptions: tuple[str, ...] = (),
) -> Path:
    """Write (rows, columns) or (bands, rows, columns) as a GeoTIFF, its corner at 500,000 E, 5,700,000 N."""
    bands = values[np.newaxis] if values.ndim == 2 else values
    profile = {
        "driver": "GTiff",
        "count": bands.shape[0],
        "height": bands.shape[1],
        "width": bands.shape[2],
        "dtype": bands.dtype.name,
        "crs": crs,
        "transform": transform or Affine(pixel, 0, 500_000, 0, -pixel, 5_700_000),
        "nodata": nodata,
    }
    with rasterio.open(path, "w", **profile) as target:
        target.write(bands)
        for number, text in enumerate(descriptions, start=1):
            target.set_band_description(number, text)
    return path


def read(path: Path, band: int = 1) -> NDArray[np.float64]:
    """A band with not-a-number where it has no value."""
    with rasterio.open(path) as source:
        return source.read(band, masked=True).astype(np.float64).filled(np.nan)


def gdal(*words: object) -> None:
    """Run one of GDAL's programs; its complaints are part of the failure."""
    ran = subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr

"""What the tests of the readers share: the real files beside the project, and small helpers."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import rasterio
from affine import Affine

from data.readers.base import FeatureBatch, ImageRow, Item, Noted, Reader, Rejected


class Read:
    """Everything a reader yields, by kind."""

    def __init__(self, items: list[Item]) -> None:
        self.images = [item for item in items if isinstance(item, ImageRow)]
        self.features = [
            row for item in items if isinstance(item, FeatureBatch) for row in item.table.to_pylist()
        ]
        self.rejected = [item for item in items if isinstance(item, Rejected)]
        self.noted = [item for item in items if isinstance(item, Noted)]


@pytest.fixture
def read():
    """Reads a path with a reader."""

    def run(reader: Reader, path: Path) -> Read:
        return Read(list(reader.read(path)))

    return run


@pytest.fixture
def geotiff():
    """Writes a 20 × 10 pixel GeoTIFF of 0.01° pixels whose upper left corner is (10° E, 50° N)."""

    def write(path: Path, **changes: object) -> Path:
        profile = {
            "driver": "GTiff",
            "width": 20,
            "height": 10,
            "count": 3,
            "dtype": "uint8",
            "crs": "EPSG:4326",
            "transform": Affine(0.01, 0, 10, 0, -0.01, 50),
            **changes,
        }
        profile = {key: value for key, value in profile.items() if value is not None}
        path.parent.mkdir(parents=True, exist_ok=True)
        with rasterio.open(path, "w", **profile) as target:
            ramp = np.broadcast_to(
                np.arange(profile["width"]), (profile["count"], profile["height"], profile["width"])
            )
            target.write(ramp.astype(profile["dtype"]))
        return path

    return write

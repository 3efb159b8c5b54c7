"""From pixels to the ground: where an outline lies, and how long, wide and turned it is."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from affine import Affine
    from numpy.typing import NDArray
    from pyproj import Transformer
    from shapely.geometry import Polygon


@dataclass(frozen=True)
class Size:
    """An oriented box on the ground."""

    length_m: float
    width_m: float
    heading_deg: float
    """Of the long side, clockwise from north, 0 up to 180."""


@dataclass(frozen=True)
class Ground:
    """How an image lies on the ground: its transform from (column, row), and its CRS."""

    transform: Affine
    crs: Any

    def lonlat(self, outline: NDArray[np.float64]) -> NDArray[np.float64]:
        """(n, 2) of column and row as (n, 2) of longitude and latitude."""
        a, b, c, d, e, f = self.transform[:6]
        x = a * outline[:, 0] + b * outline[:, 1] + c
        y = d * outline[:, 0] + e * outline[:, 1] + f
        lon, lat = _to_degrees(str(self.crs)).transform(x, y)
        return np.column_stack([lon, lat])

    def shape(self, outline: NDArray[np.float64]) -> Polygon:
        """The outline as a polygon in EPSG:4326."""
        from shapely.geometry import Polygon

        return Polygon(self.lonlat(outline))

    def size_m(self, outline: NDArray[np.float64]) -> Size:
        """The least rectangle around the outline, measured on a plane that touches WGS 84 at its centre."""
        from pyproj import Geod
        from shapely.geometry import MultiPoint

        lonlat = self.lonlat(outline)
        centre = lonlat.mean(axis=0)
        azimuth, _, metres = Geod(ellps="WGS84").inv(
            np.full(len(lonlat), centre[0]), np.full(len(lonlat), centre[1]), lonlat[:, 0], lonlat[:, 1]
        )
        angle = np.radians(azimuth)
        plane = np.column_stack([metres * np.sin(angle), metres * np.cos(angle)])
        around = MultiPoint(plane).minimum_rotated_rectangle
        corners = np.asarray(getattr(around, "exterior", around).coords)
        sides = np.diff(corners[:3], axis=0) if len(corners) > 2 else np.zeros((2, 2))
        lengths = np.hypot(sides[:, 0], sides[:, 1])
        along = sides[int(np.argmax(lengths))]
        heading = float(np.degrees(np.arctan2(along[0], along[1])) % 180.0)
        return Size(float(lengths.max()), float(lengths.min()), heading)


@lru_cache(maxsize=32)
def _to_degrees(crs: str) -> Transformer:
    """Made once: it takes as long as placing thousands of outlines."""
    from pyproj import Transformer

    return Transformer.from_crs(crs, "EPSG:4326", always_xy=True)


def ground_of(image: Path) -> Ground | None:
    """How an image lies on the ground; None for one without a place."""
    import rasterio

    from data.uploads.gdal import quiet_gdal

    with quiet_gdal(), rasterio.open(image) as source:
        if source.crs is None or source.transform.is_identity:
            return None
        return Ground(source.transform, source.crs)

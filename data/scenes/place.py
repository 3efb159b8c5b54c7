"""Where a rendered scene lies on the ground: in UTM, in degrees, or turned."""

from __future__ import annotations

import numpy as np
from affine import Affine

from data.scenes.model import Where

METRES_PER_DEGREE = 111_320.0


def placement(rng: np.random.Generator, where: Where, gsd_m: float) -> tuple[Affine, str]:
    """A transform from (column, row) and its CRS, somewhere between 55 degrees south and north."""
    lon, lat = float(rng.uniform(-170, 170)), float(rng.uniform(-55, 55))
    if where == "geographic":
        across = gsd_m / (METRES_PER_DEGREE * np.cos(np.radians(lat)))
        return Affine(float(across), 0.0, lon, 0.0, -gsd_m / 110_950.0, lat), "EPSG:4326"
    zone = int((lon + 180) // 6) + 1
    crs = f"EPSG:{(32600 if lat >= 0 else 32700) + zone}"
    easting = float(np.round(rng.uniform(350_000, 650_000)))
    northing = float(np.round(abs(lat) * 110_600 if lat >= 0 else 10_000_000 - abs(lat) * 110_600))
    upright = Affine(gsd_m, 0.0, easting, 0.0, -gsd_m, northing)
    if where == "rotated":
        return upright @ Affine.rotation(float(rng.uniform(8, 80))), crs
    return upright, crs

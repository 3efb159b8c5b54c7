"""How bright covers are: reflectance by band and season, and backscatter for radar.

Reflectances are round figures in the range of the USGS spectral library, version 7 (Kokaly et al., 2017),
for the bands of Sentinel-2 named below; backscatter is sigma nought at C band, round figures after Ulaby
and Dobson (1989), Handbook of Radar Scattering Statistics for Terrain.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from data.scenes.model import COVERS

BANDS = ("blue", "green", "red", "nir", "swir1", "swir2")
REFLECTANCE: dict[str, tuple[float, ...]] = {
    "water": (0.060, 0.058, 0.038, 0.018, 0.008, 0.005),
    "grass": (0.040, 0.080, 0.060, 0.380, 0.220, 0.120),
    "crops": (0.038, 0.075, 0.050, 0.430, 0.210, 0.105),
    "trees": (0.024, 0.046, 0.030, 0.330, 0.145, 0.065),
    "soil": (0.095, 0.135, 0.180, 0.250, 0.330, 0.300),
    "sand": (0.200, 0.265, 0.320, 0.380, 0.450, 0.420),
    "road": (0.095, 0.103, 0.110, 0.130, 0.155, 0.150),
    "paved": (0.200, 0.220, 0.235, 0.260, 0.290, 0.280),
    "building": (0.170, 0.180, 0.195, 0.230, 0.260, 0.250),
    "burned": (0.040, 0.045, 0.052, 0.085, 0.190, 0.230),
    "snow": (0.820, 0.810, 0.790, 0.720, 0.120, 0.090),
}
DEAD = (0.085, 0.120, 0.160, 0.260, 0.330, 0.240)
"""Dry or leafless plants."""
LEAFLESS = {
    "spring": {"grass": 0.15, "crops": 0.45, "trees": 0.15},
    "summer": {"grass": 0.10, "crops": 0.10, "trees": 0.0},
    "autumn": {"grass": 0.30, "crops": 0.75, "trees": 0.35},
    "winter": {"grass": 0.55, "crops": 0.85, "trees": 0.50},
}
SEASONS = tuple(LEAFLESS)
TEXTURE: dict[str, tuple[float, float]] = {
    "water": (0.10, 0.07),
    "grass": (0.22, 0.14),
    "crops": (0.12, 0.12),
    "trees": (0.20, 0.40),
    "soil": (0.22, 0.13),
    "sand": (0.12, 0.08),
    "road": (0.12, 0.07),
    "paved": (0.12, 0.08),
    "building": (0.05, 0.05),
    "burned": (0.3, 0.2),
    "snow": (0.06, 0.04),
}
"""Relative deviation of the coarse and of the fine noise."""
BACKSCATTER_DB: dict[str, float] = {
    "water": -22.0,
    "grass": -12.5,
    "crops": -11.0,
    "trees": -8.0,
    "soil": -13.5,
    "sand": -18.0,
    "road": -17.5,
    "paved": -16.0,
    "building": -4.0,
    "burned": -13.0,
    "snow": -14.0,
}


def colours(rng: np.random.Generator, season: str, bands: int, variation: float) -> NDArray[np.float32]:
    """(covers, bands) reflectances of one scene: the season's, each cover a little lighter or darker by
    chance."""
    table = np.array([REFLECTANCE[name] for name in COVERS], np.float64)
    for name, share in LEAFLESS[season].items():
        place = COVERS.index(name)
        mixed = float(np.clip(share + variation * rng.normal(0, 0.25), 0, 1))
        table[place] = (1 - mixed) * table[place] + mixed * np.array(DEAD)
    lightness = np.exp(variation * rng.normal(0, 0.3, (len(COVERS), 1)))
    tint = np.exp(variation * rng.normal(0, 0.12, (len(COVERS), table.shape[1])))
    water = COVERS.index("water")
    lightness[water] *= np.exp(variation * rng.normal(0, 0.35))
    tint[water] *= np.exp(variation * rng.normal(0, 0.25, table.shape[1]))
    return np.asarray(np.clip(table * lightness * tint, 0.002, 0.95)[:, :bands], np.float32)


def beyond(rgb: NDArray[np.float64]) -> tuple[float, float, float]:
    """Near and short-wave infrared of a paint or roof that looks so: about as bright, the colour lost."""
    mean = float(np.mean(rgb))
    return (0.9 * mean + 0.03, 0.85 * mean + 0.05, 0.8 * mean + 0.05)

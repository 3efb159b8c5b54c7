"""Published formulas from reflectance and temperature to quantities of the ground: arrays in, arrays out."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Values = NDArray[Any]

WAVELENGTH_UM = 10.895
"""Effective wavelength of Landsat 8's thermal band 10."""
C2_UM_K = 14_387.77
"""h c / k, micrometre kelvin (CODATA 2018)."""
TIRS_K1, TIRS_K2 = 774.8853, 1321.0789
"""Landsat 8 band 10, W/(m² sr µm) and kelvin (USGS LSDS-1574)."""


def ndvi(red: Values, nir: Values) -> Values:
    """Rouse et al. (1974)."""
    with np.errstate(divide="ignore", invalid="ignore"):
        made: Values = (nir - red) / (nir + red)
    return made


def evi(blue: Values, red: Values, nir: Values) -> Values:
    """Huete et al. (2002)."""
    with np.errstate(divide="ignore", invalid="ignore"):
        made: Values = 2.5 * (nir - red) / (nir + 6.0 * red - 7.5 * blue + 1.0)
    return made


def leaf_area_index(blue: Values, red: Values, nir: Values) -> Values:
    """m² of leaves a m² of ground: 3.618 EVI - 0.118.

    Boegh et al. (2002), Airborne multispectral data for quantifying leaf area index, nitrogen concentration,
    and photosynthetic efficiency in agriculture, Remote Sensing of Environment 81, 179-193.
    """
    return 3.618 * evi(blue, red, nir) - 0.118


def water_chlorophyll(red: Values, rededge: Values) -> Values:
    """Chlorophyll-a in turbid water, mg/m³: 14.039 + 86.115 NDCI + 194.325 NDCI².

    Mishra and Mishra (2012), Normalized difference chlorophyll index: a novel model for remote estimation of
    chlorophyll-a concentration in turbid productive waters, Remote Sensing of Environment 117, 394-406.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        ndci = (rededge - red) / (rededge + red)
    made: Values = 14.039 + 86.115 * ndci + 194.325 * ndci**2
    return made


def leaf_chlorophyll_index(rededge: Values, nir: Values) -> Values:
    """R783 / R705 - 1, in proportion to the chlorophyll of leaves and canopies, without a unit.

    Gitelson, Gritz and Merzlyak (2003), Relationships between leaf chlorophyll content and spectral
    reflectance and algorithms for non-destructive chlorophyll assessment, Journal of Plant Physiology 160,
    271-282.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        made: Values = nir / rededge - 1.0
    return made


def turbidity(red: Values, nir: Values) -> Values:
    """FNU, from water reflectance: A rho / (1 - rho / C), at 645 nm, at 859 nm, and between the two mixed.

    Dogliotti et al. (2015), A single algorithm to retrieve turbidity from remotely-sensed data in all coastal
    and estuarine waters, Remote Sensing of Environment 156, 157-168: A = 228.1, C = 0.1641 where red is under
    0.05; A = 3078.9, C = 0.2112 where it is over 0.07; in between weighed by how far red is from the two.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        low = 228.1 * red / (1.0 - red / 0.1641)
        high = 3078.9 * nir / (1.0 - nir / 0.2112)
    share = np.clip((red - 0.05) / 0.02, 0.0, 1.0)
    low, high = np.nan_to_num(low), np.nan_to_num(high)
    unknown = ~(np.isfinite(red) & np.isfinite(nir))
    # Each branch has a pole beyond which it means nothing; where its share is 0 it must not spoil the other.
    made: Values = np.where(share < 1, (1 - share) * low, 0.0) + np.where(share > 0, share * high, 0.0)
    beyond = ((share < 1) & (red >= 0.1641)) | ((share > 0) & (nir >= 0.2112))
    return np.where(unknown, np.nan, np.where(beyond, np.inf, made))


def emissivity(red: Values, nir: Values) -> Values:
    """Of the ground at 11 µm by NDVI thresholds: 0.97 bare, 0.99 covered, 0.004 Pv + 0.986 between.

    Sobrino, Jimenez-Munoz and Paolini (2004), Land surface temperature retrieval from LANDSAT TM 5, Remote
    Sensing of Environment 90, 434-440: bare under 0.2, covered over 0.5, Pv = ((NDVI - 0.2) / 0.3)². Water
    (NDVI under 0) is given 0.991, as it measures.
    """
    index = ndvi(red, nir)
    cover = np.clip((index - 0.2) / 0.3, 0.0, 1.0) ** 2
    made = np.where(index < 0.2, 0.97, np.where(index > 0.5, 0.99, 0.004 * cover + 0.986))
    return np.where(np.isfinite(index), np.where(index < 0, 0.991, made), np.nan)


def brightness_temperature(radiance: Values, k1: float = TIRS_K1, k2: float = TIRS_K2) -> Values:
    """Kelvin, from W/(m² sr µm): K2 / ln(K1 / L + 1), Planck's law turned round (USGS LSDS-1574)."""
    with np.errstate(divide="ignore", invalid="ignore"):
        made: Values = k2 / np.log(k1 / np.where(radiance > 0, radiance, np.nan) + 1.0)
    return made


def surface_temperature(kelvin: Values, emissivity: Values, wavelength_um: float = WAVELENGTH_UM) -> Values:
    """Kelvin: T / (1 + (wavelength T / c2) ln emissivity), for the emissivity alone and no air between.

    Artis and Carnahan (1982), Survey of emissivity variability in thermography of urban areas, Remote Sensing
    of Environment 12, 313-329.
    """
    made: Values = kelvin / (1.0 + wavelength_um * kelvin / C2_UM_K * np.log(emissivity))
    return made


def single_channel(kelvin: Values, emissivity: Values, vapour_g_cm2: float) -> Values:
    """Kelvin, the air's water vapour taken into account, for Landsat 8's band 10.

    Jimenez-Munoz et al. (2014), Land surface temperature retrieval methods from Landsat-8 thermal infrared
    sensor data, IEEE Geoscience and Remote Sensing Letters 11, 1840-1843: gamma ((psi1 L + psi2) / e + psi3)
    + delta, with gamma = T² / (1324 L) and delta = T - T² / 1324; for 0.5 to 3 g/cm² of vapour.
    """
    w = vapour_g_cm2
    psi1 = 0.04019 * w**2 + 0.02916 * w + 1.01523
    psi2 = -0.38333 * w**2 - 1.50294 * w + 0.20324
    psi3 = 0.00918 * w**2 + 1.36072 * w - 0.27514
    radiance = TIRS_K1 / (np.exp(TIRS_K2 / kelvin) - 1.0)
    gamma = kelvin**2 / (1324.0 * radiance)
    delta = kelvin - kelvin**2 / 1324.0
    made: Values = gamma * ((psi1 * radiance + psi2) / emissivity + psi3) + delta
    return made


def transformed_swir(swir: Values) -> Values:
    """(1 - R)² / (2 R), linear in the water of the soil (Sadeghi et al. 2017)."""
    with np.errstate(divide="ignore", invalid="ignore"):
        made: Values = (1.0 - swir) ** 2 / (2.0 * np.where(swir > 0, swir, np.nan))
    return made


def between_edges(
    index: Values, values: Values, dry: tuple[float, float], wet: tuple[float, float]
) -> Values:
    """0 on the dry edge to 1 on the wet one; each edge is intercept and slope over the vegetation index."""
    low, high = dry[0] + dry[1] * index, wet[0] + wet[1] * index
    with np.errstate(divide="ignore", invalid="ignore"):
        made: Values = np.where(np.abs(high - low) > 1e-9, (values - low) / (high - low), np.nan)
    return made

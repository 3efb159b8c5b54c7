"""The one place where ingest asks the gazetteer."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from data.gazetteer import gazetteer

CITY_KM = 20.0
"""Farther from a city's centre than this, a scene does not show the city."""


def countries_of(table: pa.Table) -> pa.Array:
    """The ISO 3166-1 alpha-2 code of the country under each row's centre; null at sea and without a place."""
    lon = table.column("lon").to_numpy()
    lat = table.column("lat").to_numpy()
    known = np.isfinite(lon) & np.isfinite(lat)
    found = np.full(len(lon), None, dtype=object)
    if known.any():
        found[known] = gazetteer().countries_at(lon[known], lat[known])
    return pa.array(found, pa.string())


def city_at(lon: float, lat: float) -> str | None:
    """The city that an image shows, by its centre; None when none is near enough to be in it."""
    city, distance_km = gazetteer().nearest_city(lon, lat)
    return city.name if distance_km <= CITY_KM else None

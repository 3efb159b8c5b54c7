"""The one place where ingest asks the gazetteer."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from data.gazetteer import gazetteer


def countries_of(table: pa.Table) -> pa.Array:
    """The ISO 3166-1 alpha-2 code of the country under each row's centre; null at sea and without a place."""
    lon = table.column("lon").to_numpy()
    lat = table.column("lat").to_numpy()
    known = np.isfinite(lon) & np.isfinite(lat)
    found = np.full(len(lon), None, dtype=object)
    if known.any():
        found[known] = gazetteer().countries_at(lon[known], lat[known])
    return pa.array(found, pa.string())

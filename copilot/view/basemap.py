"""What the gazetteer gives the base map: countries as GeoJSON, and the cities that fit into a view."""

from __future__ import annotations

import json
from functools import cache
from itertools import islice
from typing import Any

import numpy as np
import shapely
from numpy.typing import NDArray

from data.gazetteer import gazetteer

COARSE_DEG = 0.12
"""How much detail is left out; the outlines are good to about 2 km."""


@cache
def countries_geojson() -> bytes:
    """Every country's outline with its ISO code and name; longitude first."""
    features = []
    for place in gazetteer().places("country"):
        shape = gazetteer().polygon(place)
        if shape is None:
            continue
        drawn = shape.simplify(COARSE_DEG)
        if drawn.is_empty:
            drawn = shape
        features.append(_feature(place.id.removeprefix("country:"), place.name, drawn))
    return json.dumps({"type": "FeatureCollection", "features": features}, ensure_ascii=False).encode()


def _feature(code: str, name: str, drawn: Any) -> dict[str, Any]:
    geometry = shapely.geometry.mapping(shapely.transform(drawn, lambda xy: np.round(xy, 3)))
    return {"type": "Feature", "geometry": geometry, "properties": {"code": code, "name": name}}


MAX_CITIES = 40
_KNOWN_CITIES = 40_000


@cache
def _cities() -> tuple[NDArray[np.float64], tuple[str, ...]]:
    """(longitude, latitude) of the largest cities, shape (n, 2), and their names; largest first."""
    found = list(islice(gazetteer().places("city"), _KNOWN_CITIES))
    return np.array([[each.lon, each.lat] for each in found]), tuple(each.name for each in found)


def cities_in(bbox: tuple[float, float, float, float], zoom: float) -> list[dict[str, Any]]:
    """The largest cities in a box that do not crowd each other: [{name, lon, lat, rank}], largest first."""
    positions, names = _cities()
    west, south, east, north = bbox
    lon, lat = positions[:, 0], positions[:, 1]
    across = (lon >= west) & (lon <= east) if west <= east else (lon >= west) | (lon <= east)
    # About 90 screen pixels.
    apart_deg = 360 / (256 * 2**zoom) * 90
    kept: list[dict[str, Any]] = []
    for row in np.flatnonzero(across & (lat >= south) & (lat <= north)).tolist():
        x, y = float(lon[row]), float(lat[row])
        if all(abs(x - each["lon"]) > apart_deg or abs(y - each["lat"]) > apart_deg / 3 for each in kept):
            kept.append({"name": names[row], "lon": x, "lat": y, "rank": row})
        if len(kept) == MAX_CITIES:
            break
    return kept

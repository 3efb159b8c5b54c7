"""The offline base map: land and countries as GeoJSON, from the gazetteer's outlines."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import shapely

from data.gazetteer import gazetteer

COARSE_DEG = 0.12
"""How much detail is left out for the whole world; the full outlines are good to about 2 km."""


@cache
def countries_geojson(coarse: bool) -> bytes:
    """Every country with its ISO code, name and where its name is written; longitude first."""
    features = []
    for place in gazetteer().places("country"):
        shape = gazetteer().polygon(place)
        if shape is None:
            continue
        drawn = shape.simplify(COARSE_DEG) if coarse else shape
        if drawn.is_empty:
            drawn = shape
        features.append(_feature(place.id.removeprefix("country:"), place.name, shape, drawn))
    return json.dumps({"type": "FeatureCollection", "features": features}, ensure_ascii=False).encode()


def _feature(code: str, name: str, shape: Any, drawn: Any) -> dict[str, Any]:
    largest = max(shapely.get_parts(shape), key=lambda part: float(part.area))
    label = shapely.maximum_inscribed_circle(largest, tolerance=0.2).coords[0]
    geometry = shapely.geometry.mapping(shapely.set_precision(drawn, 0.01 if code else 0.001))
    return {
        "type": "Feature",
        "geometry": geometry,
        "properties": {"code": code, "name": name, "label": [round(label[0], 2), round(label[1], 2)], "area": round(float(largest.area), 2)},
    }


@cache
def states_geojson() -> bytes:
    """The states of the United States as outlines."""
    features = [
        {"type": "Feature", "geometry": shapely.geometry.mapping(shape.simplify(0.02)), "properties": {}}
        for place in gazetteer().places("admin1")
        if (shape := gazetteer().polygon(place)) is not None
    ]
    return json.dumps({"type": "FeatureCollection", "features": features}).encode()

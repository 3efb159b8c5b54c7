"""What is written on the base map, and where: Natural Earth's names and the gazetteer's as one JSON file."""

from __future__ import annotations

import gzip
import json
import re
from pathlib import Path
from typing import Any

import geopandas as gpd
import numpy as np
import shapely

from data.gazetteer import gazetteer

Name = list[Any]
"""Text, longitude, latitude, the map's zoom from which on it is written, then what its kind adds:
country and state their room (degrees across), city its rank, river its angle (degrees, clockwise)."""

_LAND = {
    "Range/mtn": "range", "Foothills": "range", "Plateau": "range", "Desert": "region", "Plain": "region",
    "Basin": "region", "Lowland": "region", "Tundra": "region", "Wetlands": "region", "Depression": "region",
    "Pen/cape": "region", "Peninsula": "region", "Delta": "region",
    "Island": "island", "Island group": "island",
}  # fmt: skip
_WITHOUT_LABEL = frozenset({"AQ"})
_SMALL_WORDS = frozenset(
    {"of", "the", "de", "del", "di", "da", "do", "des", "du", "la", "le", "les", "and", "y"}
)
_AIRPORT_ZOOM, _PORT_ZOOM = 8, 9


def write_names(folder: Path, path: Path) -> None:
    """Write all names by kind, gzipped; `folder` holds Natural Earth's files as GeoParquet."""

    def read(name: str) -> gpd.GeoDataFrame:
        return gpd.read_parquet(folder / f"ne_10m_{name}.parquet")

    names = {
        "country": _countries(),
        "state": _states(),
        "city": _cities(read("populated_places_simple")),
        "water": _waters(read("geography_marine_polys")),
        **_regions(read("geography_regions_polys")),
        "lake": [each for part in ("", "_north_america", "_europe") for each in _lakes(read(f"lakes{part}"))],
        "river": _rivers(read("rivers_lake_centerlines")),
        "park": _parks(read("parks_and_protected_lands_area")),
        "airport": _points(read("airports"), _AIRPORT_ZOOM),
        "port": _points(read("ports"), _PORT_ZOOM),
    }
    text = json.dumps(names, ensure_ascii=False, separators=(",", ":"))
    path.write_bytes(gzip.compress(text.encode(), 9, mtime=0))


def _countries() -> list[Name]:
    found = []
    for place in gazetteer().places("country"):
        shape = gazetteer().polygon(place)
        if shape is None or place.country in _WITHOUT_LABEL:
            continue
        largest = max(shapely.get_parts(shape), key=lambda part: float(part.area))
        lon, lat = shapely.maximum_inscribed_circle(largest, tolerance=0.2).coords[0]
        found.append(_name(place.name, lon, lat, 2, round(float(largest.area) ** 0.5, 1)))
    return sorted(found, key=lambda name: -float(name[4]))


def _states() -> list[Name]:
    found = []
    for place in gazetteer().places("admin1"):
        shape = gazetteer().polygon(place)
        lon, lat = place.lon, place.lat
        if shape is not None:
            largest = max(shapely.get_parts(shape), key=lambda part: float(part.area))
            lon, lat = shapely.maximum_inscribed_circle(largest, tolerance=0.1).coords[0]
        west, south, east, north = place.bbox
        wide = (east - west) % 360
        room = min(wide, 2.5 * (north - south))
        found.append(_name(place.name, lon, lat, 4, round(room * (0.7 if shape is not None else 0.5), 1)))
    return sorted((each for each in found if each[4] >= 1), key=lambda name: -float(name[4]))


def _cities(rows: gpd.GeoDataFrame) -> list[Name]:
    """Rank: 0 for a country's capital, 1 to 4 by people."""
    found = []
    for row in rows.sort_values(["min_zoom", "pop_max"], ascending=[True, False]).itertuples():
        capital = row.featurecla == "Admin-0 capital"
        size = 1 + sum(row.pop_max < limit for limit in (3_000_000, 500_000, 50_000))
        found.append(_name(row.name, row.geometry.x, row.geometry.y, row.min_zoom, 0 if capital else size))
    return found


def _waters(rows: gpd.GeoDataFrame) -> list[Name]:
    oceans = {"ocean": 1.5}
    return [
        _name(
            _title(row.name),
            *_inside(row.geometry),
            max(oceans.get(row.featurecla, 2.5), row.min_label),
            row.scalerank,
        )
        for row in rows.sort_values("min_label").itertuples()
        if _is_text(row.name)
    ]


def _regions(rows: gpd.GeoDataFrame) -> dict[str, list[Name]]:
    found: dict[str, list[Name]] = {kind: [] for kind in dict.fromkeys(_LAND.values())}
    for row in rows.sort_values("min_label").itertuples():
        if row.featurecla in _LAND and _is_text(row.name):
            found[_LAND[row.featurecla]].append(
                _name(_title(row.name), *_inside(row.geometry), row.min_label)
            )
    return found


def _lakes(rows: gpd.GeoDataFrame) -> list[Name]:
    known = rows[rows["name"].notna() & (rows["min_label"] <= 8)].sort_values("min_label")
    return [_name(row.name, *_inside(row.geometry), max(4, row.min_label)) for row in known.itertuples()]


def _rivers(rows: gpd.GeoDataFrame) -> list[Name]:
    """One place a river, at the middle of its longest stretch, turned as it flows there."""
    known = rows[rows.geometry.notna() & rows["name"].notna() & (rows["featurecla"] == "River")]
    longest: dict[str, tuple[float, Any, float]] = {}
    for row in known.itertuples():
        line = max(shapely.get_parts(shapely.line_merge(row.geometry)), key=lambda part: float(part.length))
        if line.length > longest.get(row.name, (0.0,))[0]:
            longest[row.name] = (float(line.length), line, float(row.min_label))
    found = []
    for name, (length, line, first) in sorted(longest.items(), key=lambda item: item[1][2]):
        near = min(0.6, length / 4)
        ends = shapely.line_interpolate_point(line, [length / 2 - near, length / 2 + near])
        (x0, y0), (x1, y1) = shapely.get_coordinates(ends)
        angle = -np.degrees(np.arctan2(y1 - y0, (x1 - x0) * np.cos(np.radians((y0 + y1) / 2))))
        upright = (angle + 90) % 180 - 90
        middle = line.interpolate(length / 2)
        found.append(_name(name, middle.x, middle.y, max(4.5, first), round(float(upright))))
    return found


def _parks(rows: gpd.GeoDataFrame) -> list[Name]:
    return [
        _name(row.unit_name, *_inside(row.geometry), 6 if row.scalerank <= 4 else 8)
        for row in rows.sort_values("scalerank").itertuples()
        if _is_text(row.unit_name)
    ]


def _points(rows: gpd.GeoDataFrame, first: int) -> list[Name]:
    """Airports and ports, the large ones a zoom or two before the small."""
    return [
        _name(row.name, row.geometry.x, row.geometry.y, first + (row.scalerank > 3) + (row.scalerank > 5))
        for row in rows.sort_values("scalerank").itertuples()
        if _is_text(row.name)
    ]


def _inside(shape: Any) -> tuple[float, float]:
    """The middle of the widest part of an area."""
    largest = max(shapely.get_parts(shape), key=lambda part: float(part.area)).simplify(0.02)
    if not largest.is_valid or largest.area == 0:
        largest = shapely.convex_hull(largest)
    tolerance = max(0.02, float(largest.area) ** 0.5 / 40)
    point = shapely.maximum_inscribed_circle(largest, tolerance=tolerance).coords[0]
    return float(point[0]), float(point[1])


def _is_text(name: object) -> bool:
    return isinstance(name, str) and bool(name.strip())


def _title(name: str) -> str:
    """Natural Earth writes large features in capitals; here the style says what is large."""
    text = re.sub(r"\s+", " ", name).strip().replace("ISANDS", "ISLANDS").replace("HOKKAIDÖ", "HOKKAIDO")
    if text != text.upper():
        return text
    words = text.lower().split(" ")
    return " ".join(
        word if i and word in _SMALL_WORDS else word[:1].upper() + word[1:] for i, word in enumerate(words)
    )


def _name(text: str, lon: float, lat: float, first: float, *more: Any) -> Name:
    return [text, round(float(lon), 3), round(float(lat), 3), round(float(first), 1), *more]

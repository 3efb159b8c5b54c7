"""What the stand-in computes by plain rules: scenes of a grid, features in a box, heights, weather."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from functools import cache
from typing import Any
from urllib.parse import parse_qs
from zlib import crc32

Json = dict[str, Any]

CELL_DEG = 1.0
EVERY_DAYS = 10
FIRST, LAST = date(2016, 1, 1), date(2024, 6, 1)
COLLECTIONS = {
    "sentinel-2-l2a": ("Sentinel-2 Level-2A", "sentinel-2a", 10.0, "Optical surface reflectance."),
    "landsat-c2-l2": ("Landsat Collection 2 Level-2", "landsat-8", 30.0, "Optical surface reflectance."),
    "sentinel-1-grd": ("Sentinel-1 GRD", "sentinel-1a", 10.0, "Radar amplitudes."),
}
SCENE_BOX = (4.369, 52.0008, 4.384, 52.0097)
"""Where the example scene lies, whose pixels every scene of that cell has."""
_MOST = 500


def height_m(lon: float, lat: float) -> float:
    """A height of gentle waves."""
    return round(100 + 60 * math.sin(math.radians(lon * 7)) + 40 * math.cos(math.radians(lat * 11)), 1)


def weather(lon: float, lat: float, start: str, end: str, names: Sequence[str]) -> Json:
    """Seasons as a sine, and rain on every fifth day."""
    first, last = date.fromisoformat(start), date.fromisoformat(end)
    days = [first + timedelta(each) for each in range((last - first).days + 1)]
    rows = [_day(lat, each) for each in days]
    return {
        "latitude": round(lat, 2),
        "longitude": round(lon, 2),
        "elevation": height_m(lon, lat),
        "daily": {
            "time": [each.isoformat() for each in days],
            **{name: [row.get(name) for row in rows] for name in names},
        },
    }


def _day(lat: float, day: date) -> dict[str, float]:
    season = math.cos(2 * math.pi * (day.timetuple().tm_yday - 200) / 365)
    mean = 25 - 0.4 * abs(lat) + 10 * season * (1 if lat >= 0 else -1)
    wet = day.toordinal() % 5 == 0
    return {
        "temperature_2m_mean": round(mean, 1),
        "temperature_2m_min": round(mean - 4, 1),
        "temperature_2m_max": round(mean + 5, 1),
        "precipitation_sum": 12.5 if wet else 0.0,
        "wind_speed_10m_max": 9.0 if wet else 4.0,
        "cloud_cover_mean": 90.0 if wet else 20.0,
    }


def overpass(form: str) -> Json:
    """Three nodes and a square way in the box, with the tags that were asked for."""
    query = parse_qs(form).get("data", [""])[0]
    elements: list[Json] = []
    for number, found in enumerate(re.finditer(r"nwr((?:\[[^\]]*\])+)\(([-\d.,]+)\);", query), start=1):
        pairs = re.findall(r'\["([^"]*)"(?:="([^"]*)")?\]', found[1])
        tags = {key: value or "yes" for key, value in pairs}
        south, west, north, east = map(float, found[2].split(","))
        elements += _features(number, tags, west, south, east, north)
    most = re.search(r"out geom (\d+)", query)
    kept = elements[: int(most[1])] if most else elements
    return {"version": 0.6, "osm3s": {"timestamp_osm_base": "2024-06-01T00:00:00Z"}, "elements": kept}


def _features(
    number: int, tags: Json, west: float, south: float, east: float, north: float
) -> Iterator[Json]:
    def at(across: float, up: float) -> Json:
        return {"lon": round(west + (east - west) * across, 6), "lat": round(south + (north - south) * up, 6)}

    for i, part in enumerate((0.25, 0.5, 0.75), start=1):
        name = f"Stand-in {next(iter(tags.values()))} {i}"
        yield {"type": "node", "id": number * 100 + i, **at(part, part), "tags": {**tags, "name": name}}
    corners = [at(*each) for each in ((0.4, 0.1), (0.45, 0.1), (0.45, 0.15), (0.4, 0.15), (0.4, 0.1))]
    yield {"type": "way", "id": number * 100 + 9, "geometry": corners, "tags": {**tags, "building": "yes"}}


@cache
def collections() -> tuple[Json, ...]:
    """Three collections, as their STAC records."""
    span = [[f"{FIRST}T00:00:00Z", f"{LAST}T00:00:00Z"]]
    return tuple(
        {
            "type": "Collection",
            "stac_version": "1.0.0",
            "id": name,
            "title": title,
            "description": f"{about} Of a stand-in.",
            "license": "proprietary",
            "extent": {"spatial": {"bbox": [[-180, -90, 180, 90]]}, "temporal": {"interval": span}},
            "links": [],
        }
        for name, (title, _, _, about) in COLLECTIONS.items()
    )


def stac_items(asked: dict[str, str]) -> list[Json]:
    """The newest scenes of the grid's cells that meet the box, the days and the cloud limit."""
    wanted = [each for each in asked.get("collections", "").split(",") if each] or list(COLLECTIONS)
    west, south, east, north = map(float, asked.get("bbox", "4,51,5,52").split(","))
    first, last = _days(asked.get("datetime", ""))
    cloud = json.loads(asked.get("query", "{}")).get("eo:cloud_cover", {}).get("lte", 100)
    most = min(_MOST, int(asked.get("limit", 10)))
    items: list[Json] = []
    step = timedelta(EVERY_DAYS)
    day = FIRST + step * ((min(last, LAST) - FIRST) // step)
    while day >= max(first, FIRST) and len(items) < most:
        for name in wanted:
            if name in COLLECTIONS:
                for x, y in _cells(west, south, east, north):
                    item = _item(name, x, y, day)
                    if item["properties"].get("eo:cloud_cover", 0) <= cloud:
                        items.append(item)
        day -= step
    return items[:most]


def _days(text: str) -> tuple[date, date]:
    start, _, end = text.partition("/")
    first = date.fromisoformat(start[:10]) if start[:4].isdecimal() else FIRST
    last = date.fromisoformat(end[:10]) if end[:4].isdecimal() else (first if not end and start else LAST)
    return first, last


def _cells(west: float, south: float, east: float, north: float) -> Iterator[tuple[int, int]]:
    for x in range(math.floor(west / CELL_DEG), math.ceil(east / CELL_DEG)):
        for y in range(math.floor(south / CELL_DEG), math.ceil(north / CELL_DEG)):
            yield x, y


def _item(collection: str, x: int, y: int, day: date) -> Json:
    title, platform, gsd_m, _ = COLLECTIONS[collection]
    name = f"{platform}-{day:%Y%m%d}-{x:+04d}{y:+03d}"
    west, south = x * CELL_DEG, y * CELL_DEG
    east, north = west + CELL_DEG, south + CELL_DEG
    ring = [[west, south], [east, south], [east, north], [west, north], [west, south]]
    properties: Json = {"datetime": f"{day}T10:30:00Z", "platform": platform, "gsd": gsd_m, "title": title}
    if collection != "sentinel-1-grd":
        properties["eo:cloud_cover"] = crc32(name.encode()) % 101
    own = west <= SCENE_BOX[0] and SCENE_BOX[2] <= east and south <= SCENE_BOX[3] and SCENE_BOX[1] <= north
    files = {"visual": "scene.tif", "scl": "scene.tif"} if own else {}
    kind = "image/tiff; application=geotiff; profile=cloud-optimized"
    return {
        "type": "Feature",
        "stac_version": "1.0.0",
        "id": name,
        "collection": collection,
        "bbox": [west, south, east, north],
        "geometry": {"type": "Polygon", "coordinates": [ring]},
        "properties": properties,
        "assets": {
            key: {"href": f"http://stac.example/files/{file}", "type": kind, "roles": ["data"]}
            for key, file in files.items()
        },
        "links": [{"rel": "self", "href": f"http://stac.example/v1/collections/{collection}/items/{name}"}],
    }

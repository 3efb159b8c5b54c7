"""Places to draw gold workflows on: each a family of files that lie on one another."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Family = Mapping[str, Any]
"""Specifications (`bringing`) by what they are."""

NAIP = "real:naip/m_4709963_se_14_1_{}.tif"
_SIZE = 160


def on(base: Any, *, truth: bool = False, seed: int = 1) -> dict[str, Any]:
    """What is made to lie on a raster: zones, points, lines, heights; with a truth also warmth and covers."""
    made: dict[str, Any] = {
        "zones": {"made": "zones", "on": base, "rows": 3, "columns": 3},
        "lines": {"made": "lines", "on": base, "count": 4},
        "points": {"made": "points", "on": base, "count": 24, "seed": seed},
        "heights": {"made": "heights", "on": base, "seed": seed},
        "heights_now": {"made": "heights", "on": base, "seed": seed, "dig_m": 12},
    }
    if truth:
        made["thermal"] = {"made": "thermal", "on": base, "seed": seed}
        made["classes"] = {"made": "classes", "on": base}
    return made


def rendered(seed: int, kind: str, **said: Any) -> Family:
    """A rendered scene and what lies on it."""
    base = {"scene": kind, "seed": seed, "size": _SIZE, "gsd_m": 10 if kind != "optical" else 1, **said}
    return {"image": base, **on(base, truth=True, seed=seed)}


def of_pair(seed: int, kind: str, sensor: str, **said: Any) -> Family:
    """A rendered place before and after something, and what lies on it."""
    base = {
        "pair": kind,
        "sensor": sensor,
        "seed": seed,
        "size": _SIZE,
        "gsd_m": 10,
        "same_season": True,
        **said,
    }
    if sensor == "optical":
        base["gsd_m"] = 1
    before, after = {**base, "side": "before"}, {**base, "side": "after"}
    more = on(after, truth=True, seed=seed)
    more["classes_before"] = {"made": "classes", "on": before}
    return {"before": before, "after": after, **more}


def real_pair(first: str, second: str, cut: int = 0) -> Family:
    """Two real images of one place, and what lies on them."""
    specs = [{"cut": cut, "cut_of": each} if cut else each for each in (first, second)]
    return {"before": specs[0], "after": specs[1], **on(specs[1])}


def single(spec: Any, **more: Any) -> Family:
    """One real image, and what lies on it."""
    return {"image": spec, **on(spec), **more}


EXAMPLES: Family = {
    name.partition(".")[0]: f"example:{name}"
    for name in (
        "scene.tif", "fields.geojson", "dem.tif", "sar.tif", "radar.tif", "pan.tif", "classes.tif",
        "harbours.geojson", "town_before.tif", "town_after.tif", "samples.csv", "buoys.csv", "stations.csv",
    )
}  # fmt: skip

FAMILIES: Mapping[str, Family] = {
    "multispectral fields": rendered(21, "multispectral", theme="fields", season="summer"),
    "fire": of_pair(5, "fire", "multispectral"),
    "flood": of_pair(4, "flood", "multispectral"),
    "flood by radar": of_pair(6, "flood", "sar"),
    "landsat": real_pair("real:landsat/1990.tif", "real:landsat/2020.tif", 160),
    "naip": real_pair(NAIP.format("20090818"), NAIP.format("20170827"), 160),
    "examples": EXAMPLES,
    "terrain": {
        "terrain": "real:elevation/dtm.tif",
        "surface": "real:elevation/dsm.tif",
        "above": "real:elevation/hag.tif",
        "buildings": "real:elevation/buildings.geojson",
        **{k: v for k, v in on("real:elevation/dtm.tif").items() if "heights" not in k},
    },
    "town change": of_pair(8, "change", "optical"),
    "town damage": of_pair(9, "damage", "optical"),
    "multispectral coast": rendered(33, "multispectral", season="summer"),
    "radar": rendered(12, "sar"),
    "dubai": single("real:dubai_seg/tile_2/images/image_part_001.jpg"),
    "harbour": rendered(14, "optical", theme="harbour"),
    "change by radar": of_pair(15, "change", "sar"),
    "landsat 2": real_pair("real:landsat/1985.tif", "real:landsat/2005.tif", 128),
    "naip 2": real_pair(NAIP.format("20100629"), NAIP.format("20200831"), 128),
    "fire 2": of_pair(17, "fire", "multispectral"),
    "flood 2": of_pair(18, "flood", "multispectral"),
    "multispectral winter": rendered(40, "multispectral", season="winter"),
}

__all__ = ["FAMILIES", "Family", "of_pair", "on", "real_pair", "rendered", "single"]

"""A catalogue of 2,000 rows, and what a selection of it must give, computed row by row in Python."""

from __future__ import annotations

import json
import math
from datetime import date, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
import shapely
from shapely.geometry import shape

from data.catalogue.base import Attribute, Selection
from data.catalogue.classes import class_ids
from data.catalogue.write import InfoParts, write_dataset
from data.schema import CLASS_BITS_PER_WORD, DETECTIONS, IMAGES, ClassInfo, DatasetInfo

ALPHA_CLASSES = (
    ClassInfo(0, "Cargo Truck", ("vehicles", "trucks")),
    ClassInfo(1, "Small Car", ("vehicles",)),
    ClassInfo(2, "Fishing_Vessel", ("vessels",)),
    *(ClassInfo(i, f"Oddity {i}", ("oddities",)) for i in range(3, 69)),
    ClassInfo(69, "Tugboat", ("vessels",)),
)
BETA_CLASSES = (ClassInfo(0, "Small Car", ("vehicles",)), ClassInfo(1, "Port", ("buildings",), scene=True))
WORDS = (
    "Cargo Truck",
    "small car",
    "FISHING VESSEL",
    "oddities",
    "Tugboat",
    "Port",
    "Oddity 5",
    "Oddity 61",
    "no such thing",
)


def write_small_catalogue(root: Path) -> dict[str, DatasetInfo]:
    """Data sets alpha (70 classes, detections), beta (2 classes), gamma (features, no time, no class)."""
    found = {}
    for name, classes, count in (
        ("alpha", ALPHA_CLASSES, 900),
        ("beta", BETA_CLASSES, 800),
        ("gamma", (), 300),
    ):
        rows = image_rows(name, count, len(classes))
        boxes = detection_rows(rows) if name == "alpha" else []
        found[name] = write_dataset(
            root,
            InfoParts(name, name.title(), f"The {name} rows.", "ingested", tuple(classes), source="a test"),
            [pa.RecordBatch.from_pylist(rows, schema=IMAGES)],
            [pa.RecordBatch.from_pylist(boxes, schema=DETECTIONS)] if boxes else [],
        )
    return found


def all_rows() -> list[dict[str, Any]]:
    """Every row of the three data sets, properties parsed."""
    sizes = {"alpha": (900, 70), "beta": (800, 2), "gamma": (300, 0)}
    rows = [row for name, (count, classes) in sizes.items() for row in image_rows(name, count, classes)]
    return [{**row, "properties": json.loads(row["properties"] or "{}")} for row in rows]


def image_rows(dataset: str, count: int, classes: int) -> list[dict[str, Any]]:
    """Rows spread over the world, every third near a pole, the antimeridian or Pittsburgh."""
    random = Random(f"{dataset} of the small catalogue")
    rows = []
    for number in range(count):
        lon, lat = _place(random)
        feature = dataset == "gamma"
        half = random.choice((0.01, 0.5))
        ids = random.sample(range(classes), min(classes, random.choice((0, 1, 1, 2, 3))))
        words = [0] * (max(0, classes - 1) // CLASS_BITS_PER_WORD + 1 if classes else 0)
        for i in ids:
            words[i // CLASS_BITS_PER_WORD] |= 1 << i % CLASS_BITS_PER_WORD
        moment = datetime(2016, 1, 1) + timedelta(seconds=random.randrange(6 * 365 * 86400))
        if random.random() < 0.1:
            moment = datetime(moment.year, moment.month, moment.day)  # midnight, where days meet
        rows.append(
            {
                "image_num": number,
                "image_id": f"{dataset}:{number * 7919 % count:04d}",
                "dataset": dataset,
                "kind": "feature" if feature else "image",
                "name": random.choice(("Évreux", "O'Hare", "Lagos", "tile")) + f" {number}",
                "sensor": random.choice(("WorldView-2", "GeoEye-1", None)),
                "modality": None if feature else "optical",
                "gsd_m": random.choice((0.3, 0.5, 10.0, 30.0, None)),
                "cloud_pct": random.choice((None, 0.0, 100.0, round(random.uniform(0, 100), 1))),
                "acquired": None if feature else moment,
                "split": random.choice(("train", "val", "test", None)),
                "country": random.choice(("US", "FR", "NG", None)),
                "lon": lon,
                "lat": lat,
                "west": (lon - half + 180) % 360 - 180,
                "south": max(-90.0, lat - half),
                "east": (lon + half + 180) % 360 - 180,
                "north": min(90.0, lat + half),
                "footprint": shapely.to_wkb(shapely.Point(lon, lat).buffer(half))
                if number % 50 == 0
                else None,
                "width_px": 512,
                "height_px": 512,
                "detections": len(_boxes_of(number, ids)) if dataset == "alpha" else 0,
                "class_words": words,
                "properties": _properties(dataset, number, random),
            }
        )
    return rows


def detection_rows(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Up to two detections for each class of each image."""
    found = []
    for row in rows:
        ids = [
            k * CLASS_BITS_PER_WORD + b
            for k, word in enumerate(row["class_words"])
            for b in range(62)
            if word >> b & 1
        ]
        for num, class_id in enumerate(_boxes_of(row["image_num"], ids)):
            lon, lat = row["lon"], row["lat"]
            found.append(
                {
                    "image_num": row["image_num"],
                    "num": num,
                    "class_id": class_id,
                    "confidence": None if num % 2 else 0.9,
                    "length_m": 12.5,
                    "lon": lon,
                    "lat": lat,
                    "west": lon,
                    "south": lat,
                    "east": lon,
                    "north": lat,
                    "outline": None,
                }
            )
    return found


def matches(selection: Selection, row: dict[str, Any], info: DatasetInfo) -> bool:
    """Whether a row is selected, by the words of `Selection` and not by SQL."""
    return (
        (not selection.datasets or row["dataset"] in selection.datasets)
        and _date_matches(selection, row)
        and (selection.bbox is None or _in_box(selection.bbox, row))
        and (selection.center is None or distance_km(selection.center, row) <= (selection.radius_km or 0))
        and (
            selection.geometry is None
            or shape(selection.geometry).covers(shapely.Point(row["lon"], row["lat"]))
        )
        and _classes_match(selection, row, info)
        and all(_attribute_matches(a, row) for a in selection.attributes)
    )


def distance_km(center: tuple[float, float], row: dict[str, Any]) -> float:
    """Great-circle distance by the angle between two vectors: another formula than the catalogue's."""

    def vector(lon: float, lat: float) -> tuple[float, float, float]:
        a, b = math.radians(lon), math.radians(lat)
        return (math.cos(b) * math.cos(a), math.cos(b) * math.sin(a), math.sin(b))

    u, v = vector(*center), vector(row["lon"], row["lat"])
    cross = (u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0])
    return 6371.0088 * math.atan2(math.hypot(*cross), sum(a * b for a, b in zip(u, v, strict=True)))


def class_names(row: dict[str, Any], info: DatasetInfo) -> set[str]:
    """The names of the classes whose bits are set."""
    return {c.name for c in info.classes if row["class_words"][c.id // 62] >> c.id % 62 & 1}


def _place(random: Random) -> tuple[float, float]:
    kind = random.randrange(9)
    if kind == 0:
        return ((random.uniform(175, 185) + 180) % 360 - 180, random.uniform(-30, 30))
    if kind == 1:
        return (random.uniform(-180, 180), random.choice((-1, 1)) * random.uniform(85, 90))
    if kind == 2:
        return (random.uniform(-81, -79), random.uniform(40, 41))
    return (random.uniform(-180, 180), random.uniform(-90, 90))


def _boxes_of(number: int, ids: list[int]) -> list[int]:
    return [i for i in sorted(ids) for _ in range(1 + (number + i) % 2)]


def _properties(dataset: str, number: int, random: Random) -> str | None:
    if dataset == "beta":
        return None
    if dataset == "alpha":
        return json.dumps({"tile": number % 13, "status": random.choice(("ok", "bad", "o'k"))})
    mixed = random.choice((5, 7.5, "many"))
    return json.dumps(
        {"population": random.choice((None, number * 1000.5)), "mixed": mixed, "a b/c": f"v{number % 3}"}
    )


def _date_matches(selection: Selection, row: dict[str, Any]) -> bool:
    if selection.start is None and selection.end is None:
        return True
    if row["acquired"] is None:
        return False
    day = row["acquired"].date()
    first = date.fromisoformat(selection.start) if selection.start else date.min
    last = date.fromisoformat(selection.end) if selection.end else date.max
    return first <= day <= last


def _in_box(box: tuple[float, float, float, float], row: dict[str, Any]) -> bool:
    west, south, east, north = box
    lon, lat = row["lon"], row["lat"]
    across = lon >= west or lon <= east
    return south <= lat <= north and (west <= lon <= east if west <= east else across)


def _classes_match(selection: Selection, row: dict[str, Any], info: DatasetInfo) -> bool:
    if not selection.classes:
        return True
    names = class_names(row, info)
    by_id = {c.id: c.name for c in info.classes}
    present = [bool(names & {by_id[i] for i in class_ids(info, word)}) for word in selection.classes]
    return all(present) if selection.match == "all" else any(present)


def _attribute_matches(attribute: Attribute, row: dict[str, Any]) -> bool:
    value = row[attribute.field] if attribute.field in row else row["properties"].get(attribute.field)
    wanted = attribute.value
    if value is None:
        return False
    if attribute.op == "contains":
        return str(wanted).lower() in str(value).lower()
    if attribute.op == "in":
        return value in wanted
    if isinstance(wanted, int | float) and isinstance(value, str):
        return False
    compare = {
        "=": value.__eq__,
        "!=": value.__ne__,
        "<": value.__lt__,
        "<=": value.__le__,
        ">": value.__gt__,
        ">=": value.__ge__,
    }
    if isinstance(wanted, str) and not isinstance(value, str):
        value = str(value)
        compare = {"=": value.__eq__, "!=": value.__ne__}
    return bool(compare[attribute.op](type(value)(wanted)))

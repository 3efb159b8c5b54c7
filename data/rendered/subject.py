"""What a record says that can be drawn: where its objects are in metres, and how it was taken."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from hashlib import sha256
from typing import Any

import numpy as np
import shapely

_PHASES = ("_pre_disaster", "_post_disaster")


@dataclass(frozen=True)
class Item:
    """One listed object, in metres from the middle of the image: x to the east, y to the south."""

    name: str
    x_m: float
    y_m: float
    length_m: float
    width_m: float
    turn_rad: float
    """From the east, clockwise as the image is seen."""


@dataclass(frozen=True)
class Subject:
    """A record as it is drawn."""

    image_id: str
    dataset: str
    modality: str
    sensor: str
    gsd_m: float
    width_px: int
    height_px: int
    box: tuple[float, float, float, float]
    """(west, south, east, north) in degrees; east lies beyond 180 over the antimeridian."""
    taken: date
    clouds: float
    """Share hidden, 0 to 1."""
    classes: tuple[str, ...]
    items: tuple[Item, ...]
    disaster: str
    """What struck before the image was taken; empty where nothing did."""

    @property
    def seed(self) -> int:
        """The same for both images of a pair, so that they show one ground."""
        name = self.image_id.partition(":")[2]
        for phase in _PHASES:
            name = name.replace(phase, "")
        return int.from_bytes(sha256(name.encode()).digest()[:6], "big")

    @property
    def size_m(self) -> tuple[float, float]:
        """Width and height on the ground."""
        return self.width_px * self.gsd_m, self.height_px * self.gsd_m

    @property
    def lat(self) -> float:
        """Of the middle, in degrees."""
        return (self.box[1] + self.box[3]) / 2


def subject_of(record: Mapping[str, Any], detections: Iterable[Mapping[str, Any]]) -> Subject | None:
    """A record of the catalogue, with its detections, as it is drawn; None where it does not say how large
    it is."""
    sides = [record.get(side) for side in ("west", "south", "east", "north")]
    known = [record.get("width_px"), record.get("height_px"), record.get("gsd_m"), *sides]
    if any(each is None for each in known):
        return None
    width, height, gsd = int(record["width_px"]), int(record["height_px"]), float(record["gsd_m"])
    west, south, east, north = (float(each) for each in sides if each is not None)
    east = east + 360 if east < west else east
    if width <= 0 or height <= 0 or gsd <= 0 or east <= west or north <= south:
        return None
    scale = (width * gsd / (east - west), height * gsd / (north - south))
    middle = ((west + east) / 2, (south + north) / 2)
    about = record.get("properties") or {}
    taken = record.get("acquired")
    return Subject(
        image_id=str(record["image_id"]),
        dataset=str(record["dataset"]),
        modality=str(record.get("modality") or "optical"),
        sensor=str(record.get("sensor") or ""),
        gsd_m=gsd,
        width_px=width,
        height_px=height,
        box=(west, south, east, north),
        taken=date(2020, 6, 1) if taken is None else taken.date(),
        clouds=float(record.get("cloud_pct") or 0) / 100,
        classes=tuple(record.get("classes") or ()),
        items=tuple(_item(each, middle, scale) for each in detections),
        disaster=str(about.get("disaster_type") or "") if about.get("phase") == "post" else "",
    )


def _item(row: Mapping[str, Any], middle: tuple[float, float], scale: tuple[float, float]) -> Item:
    """A detection in metres, by its outline where it has one, else by its box; y runs to the south."""
    outline = row.get("outline")
    if isinstance(outline, bytes):
        corners = shapely.get_coordinates(shapely.from_wkb(outline))[:4]
    else:
        west, south, east, north = (float(row[side]) for side in ("west", "south", "east", "north"))
        corners = np.array([[west, south], [east, south], [east, north], [west, north]])
    away = (corners[:, 0] - middle[0] + 540) % 360 - 180
    points = np.column_stack([away * scale[0], (middle[1] - corners[:, 1]) * scale[1]])
    first, second = points[1] - points[0], points[2] - points[1]
    length, width = float(np.hypot(*first)), float(np.hypot(*second))
    along = first
    if width > length:
        length, width, along = width, length, second
    x, y = points.mean(axis=0).tolist()
    turn = float(np.arctan2(along[1], along[0]))
    return Item(str(row["class_name"]), x, y, length, width, turn)

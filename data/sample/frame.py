"""A data set's images and detections as columns of whole numbers, and as the catalogue's tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from data.sample.geometry import (
    MICRO,
    degrees,
    east_micro,
    north_micro,
    polygons_wkb,
    turned_corners,
    wrapped,
)
from data.sample.rng import Ints
from data.sample.sites import Site
from data.schema import DETECTIONS, IMAGES


@dataclass(frozen=True)
class Coded:
    """A text column: positions in a short list of values."""

    codes: Ints
    values: Sequence[str | None]

    def column(self) -> pa.Array:
        """The texts themselves."""
        return pa.array(list(self.values), pa.string()).take(pa.array(self.codes))


@dataclass(frozen=True)
class Boxes:
    """Detections, ordered by image; every array has one entry a detection."""

    image: Ints
    class_id: Ints
    lon: Ints
    lat: Ints
    length: Ints
    """Decimetres along, and across below."""
    width: Ints
    turn: Ints | None = None
    """Direction of each, 0 .. 127, where outlines are kept."""
    reported_length: Ints | None = None
    """Metres, 0 for unknown; where the source reports lengths."""
    confidence: Ints | None = None
    """Hundredths."""


@dataclass(frozen=True)
class Frame:
    """Images in their final order; every array has one entry an image."""

    dataset: str
    sites: Sequence[Site]
    site: Ints
    lon: Ints
    lat: Ints
    seconds: Ints
    """Since 1970, UTC."""
    width_px: Ints
    height_px: Ints
    gsd_cm: Ints
    name: pa.Array
    sensor: Coded
    modality: str
    split: Coded
    bands: str
    cloud: Ints | None = None
    """Hundredths of a per cent."""
    event: Coded | None = None
    properties: Coded | None = None


def images_table(frame: Frame, boxes: Boxes | None, words: Ints) -> pa.Table:
    """The IMAGES table; `words` are the class bits of each image."""
    count = len(frame.site)
    half_east = east_micro(frame.width_px * frame.gsd_cm / 200.0, frame.lat)
    half_north = north_micro(frame.height_px * frame.gsd_cm / 200.0)
    counts = np.zeros(count, np.int64) if boxes is None else np.bincount(boxes.image, minlength=count)
    columns: dict[str, pa.Array] = {
        "image_num": np.arange(count, dtype=np.int32),
        "image_id": pc.binary_join_element_wise(pa.scalar(frame.dataset), frame.name, ":"),
        "dataset": pa.repeat(frame.dataset, count),
        "kind": pa.repeat("image", count),
        "name": frame.name,
        "sensor": frame.sensor.column(),
        "modality": pa.repeat(frame.modality, count),
        "gsd_m": frame.gsd_cm / 100,
        "cloud_pct": _nulls(count, pa.float64()) if frame.cloud is None else frame.cloud / 100,
        "acquired": pa.array(frame.seconds * 1_000_000).cast(pa.timestamp("us")),
        "split": frame.split.column(),
        "country": Coded(frame.site, [site.country for site in frame.sites]).column(),
        "place": Coded(frame.site, [site.name for site in frame.sites]).column(),
        "event": _nulls(count, pa.string()) if frame.event is None else frame.event.column(),
        "lon": degrees(frame.lon),
        "lat": degrees(frame.lat),
        "west": degrees(wrapped(frame.lon - half_east)),
        "south": degrees(frame.lat - half_north),
        "east": degrees(wrapped(frame.lon + half_east)),
        "north": degrees(frame.lat + half_north),
        "footprint": _nulls(count, pa.binary()),
        "width_px": frame.width_px.astype(np.int32),
        "height_px": frame.height_px.astype(np.int32),
        "bands": pa.repeat(frame.bands, count),
        "path": _nulls(count, pa.string()),
        "quicklook": _nulls(count, pa.string()),
        "detections": counts.astype(np.int32),
        "class_words": pa.ListArray.from_arrays(np.arange(count + 1, dtype=np.int32), pa.array(words)),
        "properties": _nulls(count, pa.string()) if frame.properties is None else frame.properties.column(),
    }
    return pa.table([pa.array(columns[name]) for name in IMAGES.names], schema=IMAGES)


def detections_table(boxes: Boxes, images: int) -> pa.Table:
    """The DETECTIONS table."""
    count = len(boxes.image)
    starts = np.searchsorted(boxes.image, np.arange(images))
    lon, lat = boxes.lon, boxes.lat
    turn = np.zeros(count, np.int64) if boxes.turn is None else boxes.turn
    east_m, north_m = turned_corners(boxes.length, boxes.width, turn)
    corner_lon = lon[:, None] + east_micro(east_m, lat[:, None])
    corner_lat = lat[:, None] + north_micro(north_m)
    columns: dict[str, pa.Array] = {
        "image_num": boxes.image.astype(np.int32),
        "num": (np.arange(count) - starts[boxes.image]).astype(np.int32),
        "class_id": boxes.class_id.astype(np.int16),
        "confidence": _nulls(count, pa.float32())
        if boxes.confidence is None
        else (boxes.confidence / 100).astype(np.float32),
        "length_m": _lengths(boxes),
        "lon": degrees(wrapped(lon)),
        "lat": degrees(lat),
        "west": degrees(wrapped(corner_lon.min(axis=1))),
        "south": degrees(corner_lat.min(axis=1)),
        "east": degrees(wrapped(corner_lon.max(axis=1))),
        "north": degrees(corner_lat.max(axis=1)),
        "outline": _nulls(count, pa.binary()) if boxes.turn is None else polygons_wkb(corner_lon, corner_lat),
    }
    return pa.table([pa.array(columns[name]) for name in DETECTIONS.names], schema=DETECTIONS)


def words_of(boxes: Boxes, images: int) -> Ints:
    """The class bits of each image's detections (62 classes fit one word)."""
    words = np.zeros(images, np.int64)
    if len(boxes.image):
        starts = np.flatnonzero(np.diff(boxes.image, prepend=-1))
        words[boxes.image[starts]] = np.bitwise_or.reduceat(np.int64(1) << boxes.class_id, starts)
    return words


def around(lon: Ints, lat: Ints, east_m: Ints, north_m: Ints) -> tuple[Ints, Ints]:
    """Positions moved by metres, on the globe."""
    return wrapped(lon + east_micro(east_m, lat)), np.clip(
        lat + north_micro(north_m), -85 * MICRO, 85 * MICRO
    )


def numbered(prefix: str, numbers: Ints, digits: int, suffix: str) -> pa.Array:
    """Names such as "img_00042.tif"."""
    padded = pc.utf8_lpad(pc.cast(pa.array(numbers), pa.string()), digits, "0")
    return pc.binary_join_element_wise(pa.scalar(prefix), padded, pa.scalar(suffix), "")


def _lengths(boxes: Boxes) -> pa.Array:
    if boxes.reported_length is None:
        return _nulls(len(boxes.image), pa.float32())
    return pa.array(boxes.reported_length.astype(np.float32), mask=boxes.reported_length == 0)


def _nulls(count: int, kind: pa.DataType) -> pa.Array:
    return pa.nulls(count, kind)

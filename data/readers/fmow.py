"""fMoW: a JSON for each image, with its boxes in pixels and its outline in degrees."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import shapely

from data.readers.base import BadRecord, Detection, ImageRow, Item, Noted, Reader, Rejected
from data.readers.files import ImageIndex, load_json
from data.readers.geometry import Extent, extent_of
from data.readers.labels import box_ring, split_of
from data.readers.quicklook import quicklook_png
from data.readers.raster_info import raster_info
from data.readers.records import as_dict, as_list, each_file, heads, number, plain, text, whole
from data.readers.when import parse_time

SUFFIXES = frozenset({".json"})
CONTEXT = -1
"""The box ID of the padded surroundings, which repeats the object."""
_FILLED = (
    "gsd",
    "cloud_cover",
    "timestamp",
    "sensor_platform_name",
    "img_filename",
    "raw_location",
    "img_width",
    "img_height",
)


def sniff(source: Path) -> float:
    """Sure when a JSON has fMoW's boxes and outline."""
    return (
        0.95
        if any('"bounding_boxes"' in start and '"raw_location"' in start for start in heads(source, SUFFIXES))
        else 0.0
    )


def read(source: Path) -> Iterator[Item]:
    """One image for each JSON."""
    index = ImageIndex.of(source)
    yield from each_file(source, SUFFIXES, lambda path, file: _image(path, file, source, index))


def _image(path: Path, file: str, source: Path, index: ImageIndex) -> Iterator[Item]:
    record = as_dict(load_json(path), "the file's content")
    boxes = as_list(record.get("bounding_boxes"), "bounding_boxes")
    name = text(record.get("img_filename")) or f"{path.stem}.jpg"
    row = ImageRow(
        key=file.removesuffix(".json"),
        name=name,
        extent=_outline(record),
        sensor=text(record.get("sensor_platform_name")),
        modality="optical" if "_rgb" in name else "multispectral",
        gsd_m=number(record.get("gsd")),
        cloud_pct=number(record.get("cloud_cover")),
        acquired=parse_time(record.get("timestamp")),
        split=split_of(path, source),
        width_px=whole(record.get("img_width")),
        height_px=whole(record.get("img_height")),
        properties=plain(record, without=_FILLED),
    )
    notes, row = _with_pixels(row, path, file, index)
    yield from notes
    detections, classes = [], []
    for number_, box in enumerate(boxes, start=1):
        try:
            if (found := _detection(box, row)) is not None:
                detections.append(found)
                classes.append(found.class_name)
        except BadRecord as error:
            yield Rejected(file, number_, str(error))
    if row.extent is None:
        yield Noted(file, None, "no place: raw_location is not a polygon in degrees")
    yield replace(row, detections=tuple(detections), classes=tuple(sorted(set(classes))))


def _outline(record: dict[str, Any]) -> Extent | None:
    wkt = record.get("raw_location")
    shape = shapely.from_wkt(wkt, on_invalid="ignore") if isinstance(wkt, str) else None
    if shape is None:
        return None
    try:
        return extent_of(shape)
    except ValueError:
        return None


def _with_pixels(row: ImageRow, label: Path, file: str, index: ImageIndex) -> tuple[list[Item], ImageRow]:
    path = index.beside(label, row.name)
    if path is None:
        return [], row
    try:
        info = raster_info(path)
        row = replace(
            row, width_px=info.width_px, height_px=info.height_px, bands=info.bands, path=path.resolve()
        )
        return [], replace(row, quicklook_png=quicklook_png(path, info.bands))
    except BadRecord as error:
        return [Noted(file, None, f"the image beside the labels cannot be used: {error}")], row


def _detection(box: Any, row: ImageRow) -> Detection | None:
    box = as_dict(box, "the box")
    if whole(box.get("ID")) == CONTEXT:
        return None
    name = text(box.get("category"))
    if name is None:
        raise BadRecord("the box has no category")
    sides = [number(side) for side in as_list(box.get("box"), "the box's [x, y, w, h]")]
    if len(sides) != 4 or None in sides:
        raise BadRecord("the box is not [x, y, w, h]")
    left, top, width, height = (side or 0.0 for side in sides)
    box_ring(left, top, left + width, top + height)
    return Detection(name, _on_ground(left, top, width, height, row))


def _on_ground(left: float, top: float, width: float, height: float, row: ImageRow) -> Extent | None:
    """The box in degrees; fMoW images are north up, so pixels and degrees go in step."""
    image = row.extent
    if image is None or not row.width_px or not row.height_px or image.west > image.east:
        return None
    lon_step = (image.east - image.west) / row.width_px
    lat_step = (image.north - image.south) / row.height_px
    west, north = image.west + left * lon_step, image.north - top * lat_step
    east, south = west + width * lon_step, north - height * lat_step
    return Extent((west + east) / 2, (south + north) / 2, west, south, east, north)


READER = Reader("fmow", "fMoW's JSON", sniff, read)

"""COCO: one JSON with images, annotations and categories."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import shapely
from numpy.typing import NDArray

from data.readers.base import BadRecord, ImageRow, Item, Noted, Reader, Rejected
from data.readers.files import ImageIndex, load_json
from data.readers.geometry import extent_of
from data.readers.labels import PixelObject, box_ring, checked_ring, labelled_image, split_of
from data.readers.records import as_dict, as_list, each_file, heads, number, text, whole
from data.readers.when import parse_time

SUFFIXES = frozenset({".json"})


def sniff(source: Path) -> float:
    """Sure when the three lists are named near the beginning; nearly so for two of them."""
    for start in heads(source, SUFFIXES):
        named = sum(f'"{key}"' in start for key in ("images", "annotations", "categories"))
        if named >= 2 or ('"images"' in start and '"file_name"' in start):
            return 0.9
    return 0.0


def read(source: Path) -> Iterator[Item]:
    """One image for each entry of `images`."""
    index = ImageIndex.of(source)
    yield from each_file(source, SUFFIXES, lambda path, file: _file(path, file, source, index))


def _file(path: Path, file: str, source: Path, index: ImageIndex) -> Iterator[Item]:
    record = as_dict(load_json(path), "the file's content")
    images = as_list(record.get("images"), "images")
    entries = as_list(record.get("categories", []), "categories")
    categories = _categories(entries)
    if len(categories) < sum(1 for each in entries if isinstance(each, dict) and text(each.get("name"))):
        yield Noted(
            file, None, "some categories have the number of another one, whose name the last of them gives"
        )
    objects: dict[object, list[PixelObject]] = {}
    known = {image.get("id") for image in images if isinstance(image, dict)}
    for row, annotation in enumerate(as_list(record.get("annotations", []), "annotations"), start=1):
        try:
            image_id, found = _object(annotation, categories)
            if image_id not in known:
                raise BadRecord(
                    f"the annotation belongs to image {str(image_id)[:40]!r}, which is not in the file"
                )
            objects.setdefault(image_id, []).append(replace(found, row=row))
        except (BadRecord, TypeError) as error:
            yield Rejected(file, row, str(error))
    split = split_of(path, source)
    seen: set[object] = set()
    for row, image in enumerate(images, start=1):
        name = text(image.get("file_name")) if isinstance(image, dict) else None
        if name is None:
            yield Rejected(file, row, "the image has no file_name")
            continue
        # Two images of one number: nobody knows whose the annotations are, and none is counted twice.
        if twice := image.get("id") in seen:
            yield Noted(file, row, f"its number is that of another image, which has the annotations: {name}")
        seen.add(image.get("id"))
        its = [] if twice else objects.get(image.get("id"), [])
        yield from labelled_image(replace(_row(image, name), split=split), its, path, file, index)


def _row(image: dict[str, Any], name: str) -> ImageRow:
    lon, lat = (
        number(image.get("lon", image.get("longitude"))),
        number(image.get("lat", image.get("latitude"))),
    )
    extent = None
    if lon is not None and lat is not None and abs(lon) <= 180 and abs(lat) <= 90:
        extent = extent_of(shapely.Point(lon, lat))
    return ImageRow(
        key=name,
        name=Path(name).name,
        extent=extent,
        acquired=parse_time(image.get("date_captured")),
        width_px=whole(image.get("width")),
        height_px=whole(image.get("height")),
    )


def _categories(entries: list[Any]) -> dict[object, str]:
    found: dict[object, str] = {}
    for entry in entries:
        name = text(entry.get("name")) if isinstance(entry, dict) else None
        if name is not None:
            found[entry.get("id")] = name
    return found


def _object(annotation: Any, categories: dict[object, str]) -> tuple[object, PixelObject]:
    annotation = as_dict(annotation, "the annotation")
    category = annotation.get("category_id")
    # A file without categories still counts its objects, under the numbers it gives.
    name = categories.get(category) if categories else text(category)
    if name is None:
        raise BadRecord(f"the category {str(category)[:40]!r} is not in the file")
    return annotation.get("image_id"), PixelObject(name, _ring(annotation), number(annotation.get("score")))


def _ring(annotation: dict[str, Any]) -> NDArray[np.float64]:
    polygons = annotation.get("segmentation")
    if isinstance(polygons, list) and polygons and isinstance(polygons[0], list):
        rings = [[number(value) for value in as_list(each, "segmentation")] for each in polygons]
        if all(len(each) >= 6 and len(each) % 2 == 0 and None not in each for each in rings):
            return _around([np.array(each, dtype="float64").reshape(-1, 2) for each in rings])
    sides = [number(value) for value in as_list(annotation.get("bbox"), "bbox")]
    if len(sides) != 4 or None in sides:
        raise BadRecord("the bbox is not [x, y, width, height]")
    left, top, width, height = (side or 0.0 for side in sides)
    return box_ring(left, top, left + width, top + height)


def _around(rings: list[NDArray[np.float64]]) -> NDArray[np.float64]:
    """The one outline of an object; of one in several pieces, the hull of them all."""
    if len(rings) == 1:
        return checked_ring(rings[0])
    hull = shapely.MultiPoint(np.concatenate(rings)).convex_hull
    if hull.geom_type != "Polygon":
        raise BadRecord("its pieces enclose no area")
    return np.asarray(hull.exterior.coords)[:-1]


READER = Reader("coco", "COCO's JSON", sniff, read)

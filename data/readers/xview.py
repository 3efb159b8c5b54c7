"""xView: one GeoJSON FeatureCollection of up to 700 MB, with a feature for each object."""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from shapely.geometry import Polygon

from data.readers.base import BadRecord, Detection, ImageRow, Item, Noted, Reader, Rejected
from data.readers.files import ImageIndex, first_file, head, relative, walk
from data.readers.geojson import geometry_of, numbered_chunks, stream_features
from data.readers.geometry import Extent, box_around, extents_of
from data.readers.labels import box_ring, split_of
from data.readers.quicklook import quicklook_png
from data.readers.raster_info import PixelToLonLat, raster_info
from data.readers.records import text, whole
from data.vocabulary.published import XVIEW_TYPE_IDS

SUFFIXES = frozenset({".geojson", ".json"})
KNOWN_ERRORS = frozenset({75, 82})
"""Type ids that are in the published file by mistake and belong to no class."""
_CHUNK = 5000


@dataclass
class _Image:
    """What has been gathered of one image: a class, a pixel box and a box in degrees per object."""

    catalogue_id: str | None
    types: array[int] = field(default_factory=lambda: array("h"))
    pixels: array[float] = field(default_factory=lambda: array("f"))
    degrees: array[float] = field(default_factory=lambda: array("d"))


def sniff(source: Path) -> float:
    """Sure when the first features have xView's own keys."""
    path = first_file(source, SUFFIXES)
    start = head(path) if path else ""
    return 0.95 if '"bounds_imcoords"' in start and '"type_id"' in start else 0.0


def read(source: Path) -> Iterator[Item]:
    """One image for each image id, when all features have been seen: they may come in any order."""
    index = ImageIndex.of(source)
    for path in walk(source, SUFFIXES if source.is_dir() else None):
        file = relative(path, source)
        images: dict[str, _Image] = {}
        try:
            yield from _gather(path, file, images)
        except BadRecord as error:
            yield Rejected(file, None, str(error))
        for name in sorted(images):
            yield from _rows(name, images.pop(name), path, source, index)


def _gather(path: Path, file: str, images: dict[str, _Image]) -> Iterator[Rejected]:
    for chunk in numbered_chunks(stream_features(path), _CHUNK):
        parsed, shapes, rows = [], [], []
        for row, feature in chunk:
            try:
                parsed.append(_parse(feature))
                shapes.append(_shape(feature))
                rows.append(row)
            except BadRecord as error:
                del parsed[len(rows) :]
                yield Rejected(file, row, str(error))
        extents = extents_of(shapes)
        for at, (row, (name, catalogue_id, type_id, pixels)) in enumerate(zip(rows, parsed, strict=True)):
            # Pixel-only features of images without a place have no geometry, which is no fault.
            if shapes[at] is not None and extents.problem[at] is not None:
                yield Rejected(file, row, extents.problem[at])
                continue
            image = images.setdefault(name, _Image(catalogue_id))
            image.types.append(type_id)
            image.pixels.extend(pixels)
            image.degrees.extend(extents.box[at])


def _parse(feature: Any) -> tuple[str, str | None, int, list[float]]:
    properties = feature.get("properties") if isinstance(feature, dict) else None
    if not isinstance(properties, dict):
        raise BadRecord("the feature has no properties")
    type_id, name = whole(properties.get("type_id")), text(properties.get("image_id"))
    if name is None:
        raise BadRecord("the feature has no image_id")
    if type_id in KNOWN_ERRORS:
        raise BadRecord(f"type_id {type_id} is a known error of the published file")
    if type_id is None or type_id not in XVIEW_TYPE_IDS:
        raise BadRecord(f"type_id {properties.get('type_id')!r} is not one of xView's 60 classes")
    pixels = str(properties.get("bounds_imcoords", "")).split(",")
    try:
        left, top, right, bottom = (float(part) for part in pixels)
    except ValueError:
        raise BadRecord("bounds_imcoords is not 'xmin,ymin,xmax,ymax'") from None
    box_ring(left, top, right, bottom)
    return name, text(properties.get("cat_id")), type_id, [left, top, right, bottom]


def _shape(feature: dict[str, Any]) -> Any:
    if feature.get("geometry") is None:
        return None
    shape = geometry_of(feature)
    west, south, east, _ = shape.bounds if not shape.is_empty else (0, 0, 0, 0)
    # Where an image has no place, the published file repeats the pixels as coordinates.
    pixel_like = max(abs(west), abs(east)) > 180 and min(west, south) >= 0
    return None if pixel_like else shape


def _rows(name: str, image: _Image, label: Path, source: Path, index: ImageIndex) -> Iterator[Item]:
    row = ImageRow(key=name, name=name, extent=None, modality="optical", sensor="WorldView-3", gsd_m=0.3)
    row = replace(
        row,
        split=split_of(label, source),
        properties={"catalogue_id": image.catalogue_id} if image.catalogue_id else {},
    )
    to_lonlat: PixelToLonLat | None = None
    path = index.beside(label, name)
    if path is not None:
        try:
            row, to_lonlat = _with_raster(row, path)
        except BadRecord as error:
            yield Noted(name, None, f"the image beside the labels cannot be used: {error}")
    detections = _detections(image, to_lonlat)
    extents = [each.extent for each in detections if each.extent is not None]
    row = replace(row, extent=row.extent or box_around(extents), detections=detections)
    if row.extent is None:
        yield Noted(name, None, "no place: neither the features nor an image beside them say where it is")
    yield row


def _with_raster(row: ImageRow, path: Path) -> tuple[ImageRow, PixelToLonLat | None]:
    info = raster_info(path)
    row = replace(row, extent=info.extent, width_px=info.width_px, height_px=info.height_px, bands=info.bands)
    row = replace(row, gsd_m=info.gsd_m or row.gsd_m, acquired=info.acquired, path=path.resolve())
    return replace(row, quicklook_png=quicklook_png(path, info.bands)), info.pixel_to_lonlat


def _detections(image: _Image, to_lonlat: PixelToLonLat | None) -> tuple[Detection, ...]:
    boxes = np.array(image.degrees).reshape(-1, 4)
    found = []
    for at, type_id in enumerate(image.types):
        west, south, east, north = (float(side) for side in boxes[at])
        extent = None
        if np.isfinite(west):
            extent = Extent((west + east) / 2, (south + north) / 2, west, south, east, north)
        elif to_lonlat is not None:
            left, top, right, bottom = image.pixels[4 * at : 4 * at + 4]
            corners = to_lonlat(np.array([left, right, right, left]), np.array([top, top, bottom, bottom]))
            checked = extents_of([Polygon(corners)])
            if checked.problem[0] is None:
                extent = checked.at(0)
        found.append(Detection(XVIEW_TYPE_IDS[type_id], extent))
    return tuple(found)


READER = Reader("xview", "xView's GeoJSON", sniff, read)

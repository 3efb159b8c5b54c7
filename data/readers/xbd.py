"""xBD (xView2): a JSON for each image, building outlines as WKT in degrees and in pixels."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import shapely
from shapely.geometry.base import BaseGeometry

from data.readers.base import BadRecord, Detection, ImageRow, Item, Noted, Reader, Rejected
from data.readers.files import ImageIndex, load_json
from data.readers.geometry import Extent, box_around, extent_of, extents_of
from data.readers.labels import split_of
from data.readers.quicklook import quicklook_png
from data.readers.raster_info import raster_info
from data.readers.records import as_dict, as_list, each_file, heads, number, plain, text, whole
from data.readers.when import parse_time

SUFFIXES = frozenset({".json"})
WITHOUT_DAMAGE = "no-damage"
"""The class of a building in an image from before the disaster, where the file gives no level.

As in the sample. The images of before and after are told apart by their names and dates."""


def sniff(source: Path) -> float:
    """Sure when a file has both lists of features and names a disaster."""
    for start in heads(source, SUFFIXES):
        if '"lng_lat"' in start or ('"disaster"' in start and '"features"' in start):
            return 0.95
    return 0.0


def read(source: Path) -> Iterator[Item]:
    """One image for each JSON."""
    index = ImageIndex.of(source)
    yield from each_file(source, SUFFIXES, lambda path, file: _image(path, file, source, index))


def _image(path: Path, file: str, source: Path, index: ImageIndex) -> Iterator[Item]:
    record = as_dict(load_json(path), "the file's content")
    about = as_dict(record.get("metadata"), "metadata")
    features = as_dict(record.get("features"), "features")
    name = text(about.get("img_name")) or f"{path.stem}.png"
    outlines = as_list(features.get("lng_lat", []), "features.lng_lat")
    detections: list[Detection] = []
    for number_, (detection, problem) in enumerate(_buildings(outlines), start=1):
        if detection is not None:
            detections.append(detection)
        elif problem:
            yield Rejected(file, number_, problem)
    width, height = whole(about.get("width")), whole(about.get("height"))
    extents = [each.extent for each in detections if each.extent is not None]
    row = ImageRow(
        key=file.removesuffix(".json"),
        name=name,
        extent=_footprint(features, width, height) or box_around(extents),
        sensor=text(about.get("sensor")),
        modality="optical",
        gsd_m=number(about.get("gsd")),
        acquired=parse_time(about.get("capture_date")),
        split=split_of(path, source),
        event=text(about.get("disaster")),
        width_px=width,
        height_px=height,
        bands=("red", "green", "blue"),
        detections=tuple(detections),
        properties=plain(
            about, without=("sensor", "gsd", "capture_date", "disaster", "width", "height", "img_name")
        ),
    )
    yield from _with_pixels(row, path, file, index)


def _with_pixels(row: ImageRow, label: Path, file: str, index: ImageIndex) -> Iterator[Item]:
    path = index.beside(label, row.name)
    if path is not None:
        try:
            info = raster_info(path)
            row = replace(row, extent=info.extent or row.extent, path=path.resolve())
            row = replace(row, quicklook_png=quicklook_png(path, info.bands))
        except BadRecord as error:
            yield Noted(file, None, f"the image beside the labels cannot be used: {error}")
    if row.extent is None:
        yield Noted(file, None, "no place: the image has no buildings that would say where it is")
    yield row


def _buildings(outlines: list[Any]) -> Iterator[tuple[Detection | None, str | None]]:
    """A detection, or the reason why not, for each feature."""
    texts = [each.get("wkt") if isinstance(each, dict) else None for each in outlines]
    shapes = shapely.from_wkt(
        [each if isinstance(each, str) else None for each in texts], on_invalid="ignore"
    )
    extents = extents_of(shapes)
    for at, outline in enumerate(outlines):
        if shapes[at] is None:
            yield None, "the feature has no readable WKT polygon"
        elif extents.problem[at] is not None:
            yield None, extents.problem[at]
        else:
            properties = outline.get("properties")
            properties = properties if isinstance(properties, dict) else {}
            yield Detection(text(properties.get("subtype")) or WITHOUT_DAMAGE, extents.at(at)), None


def _footprint(features: dict[str, Any], width: int | None, height: int | None) -> Extent | None:
    """The image's outline, from the affine map that takes the buildings' pixels to their degrees."""
    pixels, degrees = _centres(features.get("xy")), _centres(features.get("lng_lat"))
    common = sorted(pixels.keys() & degrees.keys())
    if len(common) < 4 or not width or not height:
        return None
    columns_rows = np.array([(*pixels[uid], 1.0) for uid in common])
    lonlat = np.array([degrees[uid] for uid in common])
    fit, _, rank, _ = np.linalg.lstsq(columns_rows, lonlat, rcond=None)
    off = float(np.abs(columns_rows @ fit - lonlat).max())
    # A good fit misses by less than a few pixels; a poor one must not invent a footprint.
    per_pixel = float(np.sqrt(abs(np.linalg.det(fit[:2]))))
    if rank < 3 or per_pixel == 0 or off > 5 * per_pixel:
        return None
    corners = np.array([[0, 0, 1], [width, 0, 1], [width, height, 1], [0, height, 1]]) @ fit
    try:
        return extent_of(shapely.Polygon(corners))
    except ValueError:
        return None


def _centres(outlines: Any) -> dict[str, tuple[float, float]]:
    if not isinstance(outlines, list):
        return {}
    found = {}
    for outline in outlines:
        properties = outline.get("properties") if isinstance(outline, dict) else None
        wkt = outline.get("wkt") if isinstance(outline, dict) else None
        shape: BaseGeometry | None = (
            shapely.from_wkt(wkt, on_invalid="ignore") if isinstance(wkt, str) else None
        )
        if isinstance(properties, dict) and shape is not None and not shape.is_empty:
            found[str(properties.get("uid"))] = (shape.centroid.x, shape.centroid.y)
    return found


READER = Reader("xbd", "xBD (xView2) JSON", sniff, read)

"""FAIR1M: an XML for each image, oriented boxes in pixels; the place comes from the GeoTIFF beside it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from xml.etree.ElementTree import Element

import numpy as np
from numpy.typing import NDArray

from data.readers.base import BadRecord, ImageRow, Item, Reader, Rejected
from data.readers.files import ImageIndex, load_xml
from data.readers.labels import PixelObject, checked_ring, labelled_image, split_of
from data.readers.records import each_file, heads, number, text, whole

SUFFIXES = frozenset({".xml"})


def sniff(source: Path) -> float:
    """Sure when an XML has FAIR1M's possibleresult."""
    return 0.95 if any("<possibleresult" in start for start in heads(source, SUFFIXES)) else 0.0


def read(source: Path) -> Iterator[Item]:
    """One image for each XML."""
    index = ImageIndex.of(source)
    yield from each_file(source, SUFFIXES, lambda path, file: _image(path, file, source, index))


def _image(path: Path, file: str, source: Path, index: ImageIndex) -> Iterator[Item]:
    root = load_xml(path)
    objects = []
    for row, element in enumerate(root.iterfind("objects/object"), start=1):
        try:
            objects.append(replace(_object(element), row=row))
        except BadRecord as error:
            yield Rejected(file, row, str(error))
    row_ = ImageRow(
        key=file.removesuffix(".xml"),
        name=text(root.findtext("source/filename")) or f"{path.stem}.tif",
        extent=None,
        modality="optical",
        split=split_of(path, source),
        width_px=whole(root.findtext("size/width")),
        height_px=whole(root.findtext("size/height")),
    )
    yield from labelled_image(row_, objects, path, file, index)


def _object(element: Element) -> PixelObject:
    name = text(element.findtext("possibleresult/name"))
    if name is None:
        raise BadRecord("the object has no possibleresult/name")
    return PixelObject(name, _ring(element), number(element.findtext("possibleresult/probability")))


def _ring(element: Element) -> NDArray[np.float64]:
    try:
        points = [
            [float(part) for part in (point.text or "").split(",")]
            for point in element.iterfind("points/point")
        ]
        ring = np.array(points, dtype="float64")
    except ValueError:
        raise BadRecord("a point is not written 'x,y'") from None
    if ring.ndim != 2 or ring.shape[0] < 3 or ring.shape[1] != 2 or not np.isfinite(ring).all():
        raise BadRecord("the object's points do not form a polygon")
    return checked_ring(ring)


READER = Reader("fair1m", "FAIR1M's XML", sniff, read)

"""Pascal VOC's XML, as DIOR has it: an XML for each image, upright or oriented boxes in pixels."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from xml.etree.ElementTree import Element

import numpy as np
from numpy.typing import NDArray

from data.readers.base import BadRecord, ImageRow, Item, Reader, Rejected
from data.readers.files import ImageIndex, load_xml
from data.readers.labels import PixelObject, box_ring, checked_ring, labelled_image, split_of
from data.readers.records import each_file, heads, number, text, whole

SUFFIXES = frozenset({".xml"})
_CORNERS = ("left_top", "right_top", "right_bottom", "left_bottom")


def sniff(source: Path) -> float:
    """Sure when an XML has VOC's boxes."""
    return (
        0.9 if any("<bndbox" in start or "<robndbox" in start for start in heads(source, SUFFIXES)) else 0.0
    )


def read(source: Path) -> Iterator[Item]:
    """One image for each XML."""
    index = ImageIndex.of(source)
    yield from each_file(source, SUFFIXES, lambda path, file: _image(path, file, source, index))


def _image(path: Path, file: str, source: Path, index: ImageIndex) -> Iterator[Item]:
    root = load_xml(path)
    if root.tag != "annotation":
        raise BadRecord(f"the XML's root is {root.tag[:40]!r}; 'annotation' would have worked")
    objects = []
    for row, element in enumerate(root.iterfind("object"), start=1):
        try:
            objects.append(replace(_object(element), row=row))
        except BadRecord as error:
            yield Rejected(file, row, str(error))
    row_ = ImageRow(
        key=file.removesuffix(".xml"),
        name=text(root.findtext("filename")) or f"{path.stem}.jpg",
        extent=None,
        modality="optical",
        split=split_of(path, source),
        width_px=whole(root.findtext("size/width")),
        height_px=whole(root.findtext("size/height")),
    )
    yield from labelled_image(row_, objects, path, file, index)


def _object(element: Element) -> PixelObject:
    name = text(element.findtext("name"))
    if name is None:
        raise BadRecord("the object has no name")
    return PixelObject(name, _ring(element))


def _ring(element: Element) -> NDArray[np.float64]:
    upright = [number(element.findtext(f"bndbox/{side}")) for side in ("xmin", "ymin", "xmax", "ymax")]
    if None not in upright:
        left, top, right, bottom = (side or 0.0 for side in upright)
        return box_ring(left, top, right, bottom)
    oriented = [
        number(element.findtext(f"robndbox/{axis}_{corner}")) for corner in _CORNERS for axis in ("x", "y")
    ]
    if None in oriented:
        raise BadRecord("the object has neither a bndbox nor a robndbox of four corners")
    return checked_ring(np.array(oriented, dtype="float64").reshape(4, 2))


READER = Reader("voc", "Pascal VOC or DIOR XML", sniff, read)

"""What the readers of label files in pixels share: the image beside the label, its place, its detections."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from data.readers.base import BadRecord, Detection, ImageRow, Item, Noted, Rejected
from data.readers.files import ImageIndex
from data.readers.geometry import extent_list
from data.readers.quicklook import quicklook_png
from data.readers.raster_info import PixelToLonLat, raster_info
from data.readers.rasters import modality_of

NO_PLACE = (
    "no place: there is no georeferenced image beside the labels, so they are in the table but not on the map"
)

_SPLITS = {
    "train": "train",
    "training": "train",
    "trainval": "train",
    "val": "val",
    "valid": "val",
    "validation": "val",
    "test": "test",
}


@dataclass(frozen=True)
class PixelObject:
    """A labelled object in pixels: (n, 2) of column and row."""

    class_name: str
    ring: NDArray[np.float64]
    confidence: float | None = None
    row: int | None = None
    """Where it stands in its file: the line, or the number of the object."""


def box_ring(left: float, top: float, right: float, bottom: float) -> NDArray[np.float64]:
    """The ring of an upright box. Raises BadRecord for one that is none: inside out, or without an area."""
    values = np.array([left, top, right, bottom], dtype="float64")
    if not np.isfinite(values).all():
        raise BadRecord("a box coordinate is not a number")
    if right < left or bottom < top:
        raise BadRecord(f"the box {left:g},{top:g},{right:g},{bottom:g} is inside out")
    if right == left or bottom == top:
        side = "width" if right == left else "height"
        raise BadRecord(f"the box {left:g},{top:g},{right:g},{bottom:g} has no {side}")
    return np.array([[left, top], [right, top], [right, bottom], [left, bottom]], dtype="float64")


def checked_ring(ring: NDArray[np.float64]) -> NDArray[np.float64]:
    """The corners of an oriented box or outline. Raises BadRecord for one that has no area."""
    if not np.isfinite(ring).all():
        raise BadRecord("a corner is not a number")
    x, y = ring[:, 0] - ring[0, 0], ring[:, 1] - ring[0, 1]
    if not abs(float(np.dot(x, np.roll(y, -1)) - np.dot(y, np.roll(x, -1)))) > 0:
        raise BadRecord("its corners enclose no area")
    return ring


def split_of(label: Path, source: Path) -> str | None:
    """The split that the folders between the source and the label name."""
    parts = (source.name, *label.relative_to(source).parts) if label != source else (label.parent.name,)
    for part in reversed([*parts[:-1], Path(parts[-1]).stem]):
        if part.lower() in _SPLITS:
            return _SPLITS[part.lower()]
    return None


def labelled_image(
    row: ImageRow, objects: list[PixelObject], label: Path, file: str, images: ImageIndex
) -> list[Item]:
    """`row` with its objects on the ground where the image beside it says where that is; notes first."""
    path = images.beside(label, row.key if Path(row.key).name == row.name else row.name)
    notes: list[Item] = []
    to_lonlat = None
    if path is not None:
        try:
            told = (row.width_px, row.height_px)
            row, to_lonlat = _with_raster(row, path)
            if None not in told and told != (row.width_px, row.height_px):
                sizes = f"{told[0]} x {told[1]} pixels, and the image has {row.width_px} x {row.height_px}"
                notes.append(
                    Noted(file, None, f"{row.name}: the labels say {sizes}, in which they were read")
                )
        except BadRecord as error:
            notes.append(Noted(file, None, f"the image beside the labels cannot be used: {error}"))
    if row.extent is None:
        notes.append(Noted(file, None, NO_PLACE))
    size = f"{row.width_px} x {row.height_px} pixels"
    inside = []
    for each in objects:
        if _is_outside(each.ring, row):
            notes.append(Rejected(file, each.row, f"the box lies outside the image of {size}"))
        else:
            inside.append(each)
    return [*notes, replace(row, detections=_detections(inside, to_lonlat))]


def _is_outside(ring: NDArray[np.float64], row: ImageRow) -> bool:
    """Whether no part of a box lies on the image; not known of an image without a size."""
    if not row.width_px or not row.height_px:
        return False
    (left, top), (right, bottom) = ring.min(axis=0), ring.max(axis=0)
    # Corners are counted from 0 or from 1.
    return bool(right < 0 or bottom < 0 or left > row.width_px + 1 or top > row.height_px + 1)


def _with_raster(row: ImageRow, path: Path) -> tuple[ImageRow, PixelToLonLat | None]:
    info = raster_info(path)
    row = replace(
        row,
        extent=row.extent or info.extent,
        sensor=row.sensor or info.sensor,
        modality=row.modality or modality_of(info, path),
        gsd_m=row.gsd_m if row.gsd_m is not None else info.gsd_m,
        acquired=row.acquired or info.acquired,
        width_px=info.width_px,
        height_px=info.height_px,
        bands=info.bands,
        path=path.resolve(),
        quicklook_png=quicklook_png(path, info.bands),
    )
    return row, info.pixel_to_lonlat


def _detections(objects: list[PixelObject], to_lonlat: PixelToLonLat | None) -> tuple[Detection, ...]:
    if not objects:
        return ()
    if to_lonlat is None:
        return tuple(Detection(each.class_name, None, each.confidence) for each in objects)
    try:
        extents = extent_list(to_lonlat.polygons([each.ring for each in objects]))
    except ValueError:
        return tuple(Detection(each.class_name, None, each.confidence) for each in objects)
    return tuple(
        Detection(each.class_name, extent, each.confidence)
        for each, extent in zip(objects, extents, strict=True)
    )

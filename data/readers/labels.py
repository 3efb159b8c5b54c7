"""What the readers of label files in pixels share: the image beside the label, its place, its detections."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from data.readers.base import BadRecord, Detection, ImageRow, Item, Noted
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


def box_ring(left: float, top: float, right: float, bottom: float) -> NDArray[np.float64]:
    """The ring of an upright box. Raises BadRecord when a number is not finite or the box is inside out."""
    values = np.array([left, top, right, bottom], dtype="float64")
    if not np.isfinite(values).all():
        raise BadRecord("a box coordinate is not a number")
    if right < left or bottom < top:
        raise BadRecord(f"the box {left:g},{top:g},{right:g},{bottom:g} is inside out")
    return np.array([[left, top], [right, top], [right, bottom], [left, bottom]], dtype="float64")


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
    path = images.beside(label, row.name)
    notes: list[Item] = []
    to_lonlat = None
    if path is not None:
        try:
            row, to_lonlat = _with_raster(row, path)
        except BadRecord as error:
            notes.append(Noted(file, None, f"the image beside the labels cannot be used: {error}"))
    if row.extent is None:
        notes.append(Noted(file, None, NO_PLACE))
    return [*notes, replace(row, detections=_detections(objects, to_lonlat))]


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

"""xView3: a CSV of vessels in Sentinel-1 scenes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from data.readers.base import BadRecord, ImageRow, Item, Noted, Reader, Rejected
from data.readers.files import relative, walk
from data.readers.geometry import box_around
from data.readers.vessels import EXPECTED, NEEDED, Scene, columns_of, gather, missing, split_of_scene

SUFFIXES = frozenset({".csv"})


def sniff(source: Path) -> float:
    """Sure when a table has xView3's columns, a little less so than SARFish, which has more."""
    return 0.9 if _tables(source) else 0.0


def read(source: Path) -> Iterator[Item]:
    """One image for each scene."""
    scenes: dict[tuple[str, ...], Scene] = {}
    for path in _tables(source):
        file = relative(path, source)
        yield from missing(columns_of(path), file, EXPECTED)
        try:
            yield from gather(path, file, scenes, by=("scene_id",))
        except BadRecord as error:
            yield Rejected(file, None, str(error))
    for key in sorted(scenes):
        yield from _row(scenes.pop(key))


def _tables(source: Path) -> list[Path]:
    found = []
    for path in walk(source, SUFFIXES):
        if set(NEEDED) <= set(columns_of(path)):
            found.append(path)
    return found


def _row(scene: Scene) -> Iterator[Item]:
    name = scene.first["scene_id"]
    extents = [each.extent for each in scene.detections if each.extent is not None]
    extent = box_around(extents)
    if extent is None:
        yield Noted(name, None, "no place: none of the scene's rows says where it is")
    yield ImageRow(
        key=name,
        name=name,
        extent=extent,
        sensor="Sentinel-1",
        modality="sar",
        gsd_m=10.0,  # all xView3 scenes are GRD, resampled to 10 m
        split=split_of_scene(scene.first),
        bands=("vh", "vv"),
        detections=tuple(scene.detections),
    )


READER = Reader("xview3", "xView3's CSV", sniff, read)

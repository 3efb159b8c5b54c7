"""Shapefiles."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from data.readers.base import BadRecord, Item, Noted, Reader, Rejected
from data.readers.features import ROWS_PER_BATCH
from data.readers.files import relative, share_of, walk
from data.readers.vector import layer_items

SUFFIXES = frozenset({".shp"})


def sniff(source: Path) -> float:
    """Sure for a .shp file."""
    if source.is_file():
        return 0.9 if source.suffix.lower() in SUFFIXES else 0.0
    return 0.5 * share_of(source, SUFFIXES)


def read(source: Path) -> Iterator[Item]:
    """One feature for each record."""
    for path in walk(source, SUFFIXES):
        file = relative(path, source)
        if not path.with_suffix(".prj").exists():
            yield Noted(
                file, None, "no .prj beside the shapefile: its coordinates are taken for WGS84 degrees"
            )
        try:
            yield from layer_items(path, "ESRI Shapefile", file, ROWS_PER_BATCH)
        except BadRecord as error:
            yield Rejected(file, None, str(error))


READER = Reader("shapefile", "an ESRI shapefile", sniff, read)

"""GeoPackages: every layer with a geometry."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from data.readers.base import BadRecord, Item, Reader, Rejected
from data.readers.features import ROWS_PER_BATCH
from data.readers.files import relative, share_of, walk
from data.readers.vector import layer_items

SUFFIXES = frozenset({".gpkg"})


def sniff(source: Path) -> float:
    """Sure for a .gpkg file."""
    if source.is_file():
        return 0.9 if source.suffix.lower() in SUFFIXES else 0.0
    return 0.5 * share_of(source, SUFFIXES)


def read(source: Path) -> Iterator[Item]:
    """One feature for each row of each layer."""
    for path in walk(source, SUFFIXES):
        file = relative(path, source)
        try:
            yield from layer_items(path, "GPKG", file, ROWS_PER_BATCH)
        except BadRecord as error:
            yield Rejected(file, None, str(error))


READER = Reader("geopackage", "a GeoPackage", sniff, read)

"""Readers of label, vector and image formats: one format a file, all of them in `READERS`."""

from __future__ import annotations

from collections import Counter
from itertools import islice
from pathlib import Path

from data.readers import (
    bigearthnet,
    coco,
    csv_points,
    dota,
    fair1m,
    fmow,
    geojson,
    geopackage,
    geoparquet,
    rasters,
    sarfish,
    shapefile,
    stac,
    voc,
    xbd,
    xview,
    xview3,
)
from data.readers.base import BadRecord, Reader, UnreadableSource
from data.readers.files import walk

READERS: tuple[Reader, ...] = (
    xview.READER,
    xbd.READER,
    sarfish.READER,
    xview3.READER,
    fair1m.READER,
    fmow.READER,
    bigearthnet.READER,
    stac.READER,
    coco.READER,
    dota.READER,
    voc.READER,
    geoparquet.READER,
    geopackage.READER,
    shapefile.READER,
    geojson.READER,
    csv_points.READER,
    rasters.READER,
)
"""Every format; of two that are equally sure, the one that stands first is taken."""


def reader_named(name: str) -> Reader:
    """The reader of that name. Raises UnreadableSource with the names there are."""
    for reader in READERS:
        if reader.name == name.lower():
            return reader
    raise UnreadableSource(
        f"There is no format {name!r}; the formats are {', '.join(reader.name for reader in READERS)}."
    )


def detect(source: Path) -> Reader:
    """The reader that is surest of `source`.

    Raises UnreadableSource, saying what was seen and which formats there are, when none is.
    """
    if not source.exists():
        raise UnreadableSource(f"There is no file or folder {source.name!r}; check the path.")
    best, sureness = READERS[0], 0.0
    for reader in READERS:
        found = reader.sniff(source)
        if found > sureness:
            best, sureness = reader, found
    if sureness == 0.0:
        titles = ", ".join(reader.title for reader in READERS)
        raise UnreadableSource(
            f"{source.name!r} is of no format that data sets are made of: {_seen(source)}; "
            f"known are {titles}."
        )
    return best


def _called(source: Path) -> str:
    """What a file is by its content, where `add_file` reads it and no reader of data sets does."""
    from data.uploads.errors import UploadError
    from data.uploads.identify import TITLES, identify

    plain = f"a file ending in {source.suffix!r} with {source.stat().st_size:,} bytes"
    try:
        form = identify(source)
    except UploadError:
        return plain
    if form in ("text", "xml", "json", "html", "archive"):
        return plain
    return f"it is {TITLES[form]} file, which add_file brings into a conversation"


def _seen(source: Path) -> str:
    if source.is_file():
        if source.stat().st_size == 0:
            return "it is empty"
        if source.suffix.lower() in csv_points.SUFFIXES:
            try:
                csv_points.look(source)
            except BadRecord as error:
                return str(error)
        return _called(source)
    kinds = Counter(path.suffix.lower() or "no ending" for path in islice(walk(source), 2000))
    if not kinds:
        return "the folder has no files"
    return "a folder with " + ", ".join(f"{count} × {kind}" for kind, count in kinds.most_common(4))

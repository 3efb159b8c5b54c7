"""DOTA's labelTxt: a text for each image, an oriented box in pixels a line."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np

from data.readers.base import BadRecord, ImageRow, Item, Noted, Reader, Rejected
from data.readers.files import MAX_BYTES, ImageIndex, relative, walk
from data.readers.labels import PixelObject, checked_ring, labelled_image, split_of
from data.readers.records import heads, number

SUFFIXES = frozenset({".txt"})
_LINE = re.compile(
    r"^[^\S\n]*+(?:-?\d+(?:\.\d+)?[^\S\n]+){8}(?:\S+[^\S\n]+){1,4}[0-2][^\S\n]*$", re.MULTILINE
)
_VERSION = re.compile(r"^(?:version|v)\d[\d.]*$", re.IGNORECASE)


def sniff(source: Path) -> float:
    """Sure when a line has eight numbers, a class and a difficulty."""
    return 0.95 if any(_LINE.search(start) for start in heads(source, SUFFIXES)) else 0.0


def read(source: Path) -> Iterator[Item]:
    """One image for each text; where an image has several label versions, the newest."""
    index = ImageIndex.of(source)
    newest: dict[tuple[str, ...], Path] = {}
    for path in walk(source, SUFFIXES if source.is_dir() else None):
        parts = Path(relative(path, source)).parts
        newest[tuple(part for part in parts if not _VERSION.match(part))] = path
    chosen, beside = _one_of_each(list(newest.values()))
    for other, taken in beside.items():
        said = f"the labels of {other.name!r} were left out: {taken.name!r} has labels of the same images"
        yield Noted(relative(other, source), None, said)
    for path in chosen:
        file = relative(path, source)
        try:
            yield from _image(path, file, source, index)
        except BadRecord as error:
            yield Rejected(file, None, str(error))


def _one_of_each(paths: list[Path]) -> tuple[list[Path], dict[Path, Path]]:
    """One text for each image where folders of labels lie beside each other (labelTxt, reclabelTxt).

    And the folders that were left out, with the one that was taken: labelTxt, or the first by name.
    """
    found: dict[tuple[Path, str], list[Path]] = {}
    for path in paths:
        folder = path.parent.parent if "label" in path.parent.name.lower() else path.parent
        found.setdefault((folder, path.name), []).append(path)
    chosen: list[Path] = []
    beside: dict[Path, Path] = {}
    for same in found.values():
        first = min(same, key=lambda each: (not each.parent.name.lower().startswith("labeltxt"), each))
        chosen.append(first)
        beside |= {each.parent: first.parent for each in same if each != first}
    return chosen, beside


def _image(path: Path, file: str, source: Path, index: ImageIndex) -> Iterator[Item]:
    if path.stat().st_size > MAX_BYTES:
        raise BadRecord(f"the file is larger than {MAX_BYTES // 2**20} MB")
    about: dict[str, str] = {}
    objects = []
    content = path.read_text(encoding="utf-8-sig", errors="replace")
    if not content.strip():
        raise BadRecord("the file is empty")
    for row, line in enumerate(content.splitlines(), start=1):
        key, colon, value = line.partition(":")
        if colon and key.strip().isalpha():
            about[key.strip().lower()] = value.strip()
        elif line.strip():
            try:
                objects.append(replace(_object(line), row=row))
            except BadRecord as error:
                yield Rejected(file, row, str(error))
    if not objects and not about:
        raise BadRecord("no line has eight coordinates and a class")
    origin = about.get("imagesource")
    row_ = ImageRow(
        key=file.removesuffix(".txt"),
        name=f"{path.stem}.png",
        extent=None,
        modality="optical",
        gsd_m=number(about.get("gsd")),
        split=split_of(path, source),
        properties={"imagesource": origin} if origin else {},
    )
    yield from labelled_image(row_, objects, path, file, index)


def _object(line: str) -> PixelObject:
    parts = line.split()
    # The class may have a space in it ("large vehicle"); a last number of 0 to 2 is the difficulty.
    words = parts[8:-1] if len(parts) > 9 and parts[-1] in ("0", "1", "2") else parts[8:]
    if not words:
        raise BadRecord("the line is not eight coordinates, a class and a difficulty")
    try:
        ring = np.array([float(part) for part in parts[:8]]).reshape(4, 2)
    except ValueError:
        raise BadRecord("one of the eight coordinates is not a number") from None
    return PixelObject(" ".join(words), checked_ring(ring))


READER = Reader("dota", "DOTA's labelTxt", sniff, read)

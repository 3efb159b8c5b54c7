"""Opening users' files: inside the source only, no larger than can be held, no entities, no deep nests."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element, ParseError

from defusedxml import DefusedXmlException
from defusedxml import ElementTree as SafeTree

from data.readers.base import BadRecord

MAX_BYTES = 256 * 2**20
"""Largest JSON or XML file that is read in one piece."""

VECTOR_SUFFIXES = frozenset({".geojson", ".shp", ".gpkg", ".parquet", ".geoparquet", ".csv", ".tsv"})
RASTER_SUFFIXES = frozenset({".tif", ".tiff", ".jp2", ".j2k", ".png", ".jpg", ".jpeg"})
GEOGRAPHIC_SUFFIXES = VECTOR_SUFFIXES | RASTER_SUFFIXES


def walk(source: Path, suffixes: frozenset[str] | None = None) -> Iterator[Path]:
    """The files of `source` (itself, when it is a file), sorted; links that lead out are left out."""
    if source.is_file():
        yield source
        return
    root = source.resolve()
    for folder, subfolders, names in os.walk(source, followlinks=False):
        subfolders.sort()
        for name in sorted(names):
            path = Path(folder, name)
            if name.startswith(".") or (suffixes is not None and path.suffix.lower() not in suffixes):
                continue
            if path.is_symlink() and not path.resolve().is_relative_to(root):
                continue
            if path.is_file():
                yield path


def links_out(source: Path) -> list[Path]:
    """Links inside `source` that lead out of it, and are therefore not followed."""
    if source.is_file():
        return []
    root = source.resolve()
    found = []
    for folder, subfolders, names in os.walk(source, followlinks=False):
        paths = (Path(folder, name) for name in (*subfolders, *names))
        found += [path for path in paths if path.is_symlink() and not path.resolve().is_relative_to(root)]
    return sorted(found)


def closed_folders(source: Path) -> list[Path]:
    """Folders inside `source`, or itself, that may not be looked into."""
    found: list[Path] = []
    if source.is_dir():
        for _ in os.walk(source, followlinks=False, onerror=lambda error: found.append(Path(error.filename))):
            pass
    return sorted(found)


def relative(path: Path, source: Path) -> str:
    """How the report calls a file: its path within the source."""
    return path.name if path == source else path.relative_to(source).as_posix()


def head(path: Path, size: int = 65536) -> str:
    """The first bytes of a file as text, for sniffing; empty when it cannot be read."""
    try:
        with path.open("rb") as stream:
            return stream.read(size).decode("utf-8-sig", errors="replace")
    except OSError:
        return ""


def first_file(source: Path, suffixes: frozenset[str], limit: int = 20_000) -> Path | None:
    """The first file of these kinds among the first `limit` files of a folder; the file itself otherwise."""
    if source.is_file():
        return source if source.suffix.lower() in suffixes else None
    for number, path in enumerate(walk(source)):
        if path.suffix.lower() in suffixes:
            return path
        if number >= limit:
            break
    return None


def share_of(source: Path, suffixes: frozenset[str], limit: int = 20_000) -> float:
    """What share of a folder's vector, table and raster files are of these kinds."""
    kinds = [path.suffix.lower() for path in islice(walk(source), limit)]
    geographic = [kind for kind in kinds if kind in GEOGRAPHIC_SUFFIXES]
    return sum(kind in suffixes for kind in geographic) / len(geographic) if geographic else 0.0


def load_json(path: Path) -> Any:
    """A whole JSON file. Raises BadRecord when it is too large, broken or nested too deep."""
    _check_size(path)
    try:
        return json.loads(path.read_bytes().decode("utf-8-sig"))
    except RecursionError:
        raise BadRecord("the JSON is nested too deep to be a label file") from None
    except UnicodeDecodeError as error:
        raise BadRecord(f"the file is not UTF-8 text (byte {error.start})") from None
    except json.JSONDecodeError as error:
        raise BadRecord(f"the JSON is broken at line {error.lineno}: {error.msg}") from None


def load_xml(path: Path) -> Element:
    """The root of an XML file. Raises BadRecord when it is too large, broken or declares entities."""
    _check_size(path)
    try:
        root: Element = SafeTree.parse(str(path), forbid_dtd=True).getroot()
    except DefusedXmlException:
        raise BadRecord(
            "the XML declares a document type or entities, which label files do not need"
        ) from None
    except (ParseError, ValueError, LookupError) as error:
        raise BadRecord(f"the XML is broken: {error}") from None
    return root


def _check_size(path: Path) -> None:
    size = path.stat().st_size
    if size == 0:
        raise BadRecord("the file is empty")
    if size > MAX_BYTES:
        raise BadRecord(
            f"the file has {size / 2**20:.0f} MB; one label file may have {MAX_BYTES // 2**20} MB"
        )


def _holds_images(folder: Path) -> bool:
    return "image" in folder.name.lower() and folder.is_dir() and not folder.is_symlink()


def _rasters_in(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.iterdir()):
        if path.suffix.lower() in RASTER_SUFFIXES and path.is_file() and not path.is_symlink():
            yield path


@dataclass(frozen=True)
class ImageIndex:
    """The rasters of a source by file name, to find the one that a label file belongs to."""

    by_stem: dict[str, tuple[Path, ...]]

    @classmethod
    def of(cls, source: Path) -> ImageIndex:
        """All rasters of a folder; for a single file, those beside it and in a folder of images beside it.

        A single file may lie in somebody's home folder, which is not to be searched as a whole.
        """
        if source.is_dir():
            paths = walk(source, RASTER_SUFFIXES)
        else:
            near = (source.parent, *(each for each in sorted(source.parent.iterdir()) if _holds_images(each)))
            paths = chain.from_iterable(_rasters_in(folder) for folder in near)
        found: dict[str, tuple[Path, ...]] = {}
        for path in paths:
            found[path.stem] = (*found.get(path.stem, ()), path)
        return cls(found)

    def beside(self, label: Path, name: str) -> Path | None:
        """The raster called `name` (or of the same stem) that lies nearest to `label`.

        Where the name has folders, the one that lies in them.
        """
        parts = Path(name.replace("\\", "/")).parts
        wanted = parts[-1] if parts else ""
        candidates = self.by_stem.get(Path(wanted).stem, ())
        if not candidates:
            return None

        def nearness(path: Path) -> tuple[bool, int, bool, str]:
            shared = os.path.commonpath([path, label])
            in_folders = len(parts) > 1 and path.parts[-len(parts) : -1] == parts[:-1]
            return in_folders, len(Path(shared).parts), path.name == wanted, path.as_posix()

        return max(candidates, key=nearness)

"""A static STAC catalogue on disk: catalogues, collections and items that link to each other."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from data.readers.base import BadRecord, ImageRow, Item, Noted, Reader, Rejected
from data.readers.files import RASTER_SUFFIXES, head, load_json, relative
from data.readers.quicklook import quicklook_png
from data.readers.raster_info import raster_info
from data.readers.rasters import modality_of, stac_facts, with_told
from data.readers.records import as_dict, plain, text

ROOTS = ("catalog.json", "collection.json")
_FILLED = ("datetime", "platform", "gsd", "eo:cloud_cover")
_REMOTE = re.compile(r"^[a-z][a-z0-9+.-]*:", re.IGNORECASE)


def sniff(source: Path) -> float:
    """Sure for a catalogue's JSON, or a folder with one at its top."""
    root = _root(source)
    return 0.97 if root is not None and '"stac_version"' in head(root) else 0.0


def read(source: Path) -> Iterator[Item]:
    """One image for each item that is reachable by local links from the root."""
    root = _root(source)
    if root is None:
        return
    folder = (source if source.is_dir() else source.parent).resolve()
    waiting, seen = [root.resolve()], set[Path]()
    while waiting:
        path = waiting.pop()
        if path in seen:  # catalogues may link in circles
            continue
        seen.add(path)
        file = relative(path, folder)
        try:
            record = as_dict(load_json(path), "the file's content")
        except BadRecord as error:
            yield Rejected(file, None, str(error))
            continue
        except OSError:
            yield Rejected(file, None, "the linked file is not there")
            continue
        if record.get("type") == "Feature":
            yield from _item(record, path, file, folder)
            continue
        if "stac_version" not in record:
            yield Rejected(file, None, "the linked file is not a STAC catalogue, collection or item")
            continue
        found, problems = _links(record, path, file, folder)
        yield from problems
        waiting.extend(reversed(found))


def _root(source: Path) -> Path | None:
    if source.is_file():
        return source if source.suffix.lower() == ".json" and '"stac_version"' in head(source) else None
    return next((source / name for name in ROOTS if (source / name).is_file()), None)


def _links(record: dict[str, Any], path: Path, file: str, folder: Path) -> tuple[list[Path], list[Item]]:
    """Files to read next, and what is wrong with the other links."""
    found: list[Path] = []
    problems: list[Item] = []
    links = record.get("links")
    for row, link in enumerate(links if isinstance(links, list) else [], start=1):
        if not isinstance(link, dict) or link.get("rel") not in ("child", "item"):
            continue
        try:
            found.append(_local(text(link.get("href")) or "", path, folder))
        except BadRecord as error:
            problems.append(Rejected(file, row, str(error)))
    return found, problems


def _local(href: str, path: Path, folder: Path) -> Path:
    """The file that a link means. Raises BadRecord for one outside the catalogue's folder."""
    if _REMOTE.match(href) or href.startswith("//"):
        raise BadRecord(
            f"the link {href[:80]!r} leads to the network; only files beside the catalogue are read"
        )
    if not href or "\0" in href:
        raise BadRecord("the link has no href")
    target = (path.parent / unquote(href)).resolve()
    if not target.is_relative_to(folder):
        raise BadRecord(f"the link {href[:80]!r} leads out of the catalogue's folder")
    return target


def _item(record: dict[str, Any], path: Path, file: str, folder: Path) -> Iterator[Item]:
    properties = record.get("properties")
    properties = properties if isinstance(properties, dict) else {}
    name = text(record.get("id")) or path.stem
    row = ImageRow(
        key=file.removesuffix(".json"),
        name=name,
        extent=None,
        split=None,
        properties=plain(properties, without=_FILLED)
        | ({"collection": str(record["collection"])} if record.get("collection") else {}),
    )
    row = stac_facts(row, record)
    found = _raster(record, path, folder)
    if found is not None:
        asset, raster = found
        try:
            row = with_told(_with_raster(row, raster), record, asset)
        except BadRecord as error:
            yield Noted(file, None, f"the item's raster cannot be used: {error}")
    if row.extent is None:
        yield Noted(file, None, "no place: the item has no geometry in degrees")
    yield row


def _raster(record: dict[str, Any], path: Path, folder: Path) -> tuple[dict[str, Any], Path] | None:
    """The item's first asset that is a local raster, and its file; the roles "data" and "visual" go first."""
    assets = record.get("assets")
    found: list[tuple[bool, dict[str, Any], Path]] = []
    for asset in assets.values() if isinstance(assets, dict) else ():
        if not isinstance(asset, dict):
            continue
        try:
            target = _local(text(asset.get("href")) or "", path, folder)
        except BadRecord:  # remote assets are usual and no fault
            continue
        if target.suffix.lower() in RASTER_SUFFIXES and target.is_file():
            roles = asset.get("roles") or ()
            found.append((not ({"data", "visual"} & set(map(str, roles))), asset, target))
    return min(found, key=lambda each: each[0])[1:] if found else None


def _with_raster(row: ImageRow, path: Path) -> ImageRow:
    info = raster_info(path)
    row = replace(
        row, extent=row.extent or info.extent, gsd_m=row.gsd_m if row.gsd_m is not None else info.gsd_m
    )
    row = replace(
        row,
        sensor=row.sensor or info.sensor,
        acquired=row.acquired or info.acquired,
        modality=modality_of(info, path),
    )
    row = replace(
        row, width_px=info.width_px, height_px=info.height_px, bands=info.bands, path=path.resolve()
    )
    return replace(row, quicklook_png=quicklook_png(path, info.bands))


READER = Reader("stac", "a static STAC catalogue", sniff, read)

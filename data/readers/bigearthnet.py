"""BigEarthNet: v1 has a JSON for each patch, v2 one Parquet table for all.

v2 gives no coordinates, and neither do some files of v1; but a patch's name says its Sentinel-2
tile and its column and row in it, from which the place follows exactly: patches are 1,200 m wide
and tiled from the tile's upper left corner.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import pyarrow as pa
import pyarrow.parquet as pq
import shapely
from pyproj import CRS, Transformer
from pyproj.exceptions import CRSError, ProjError

from data.readers.base import BadRecord, ImageRow, Item, Noted, Reader, Rejected
from data.readers.files import first_file, head, load_json, relative, walk
from data.readers.geometry import Extent, extent_of
from data.readers.mgrs_tile import tile_corner
from data.readers.records import as_dict, as_list, each_file, heads, number, text
from data.readers.vector import parquet_metadata
from data.readers.when import day_in_name, parse_time

PATCH_M = 1200.0
NO_PLACE = "no place: neither the coordinates nor the patch's name say where it is"
_V2_NAME = re.compile(r"_T?(\d{2}[C-HJ-NP-X][A-HJ-NP-Z][A-HJ-NP-V])_(\d{1,3})_(\d{1,3})$")
_SPLITS = {"train": "train", "val": "val", "validation": "val", "test": "test"}


def sniff(source: Path) -> float:
    """Sure for a patch's labels, or a Parquet table of patches."""
    if source.is_file() and source.suffix == ".parquet":
        return 0.97 if _is_v2(source) else 0.0
    for start in heads(source, frozenset({".json"})):
        if '"labels"' in start and ('"tile_source"' in start or '"corresponding_s2_patch"' in start):
            return 0.95
    table = first_file(source, frozenset({".parquet"})) if source.is_dir() else None
    return 0.96 if table is not None and _is_v2(table) else 0.0


def read(source: Path) -> Iterator[Item]:
    """One image for each patch."""
    splits = _split_lists(source)
    for path in walk(source, frozenset({".parquet"})):
        if _is_v2(path):
            yield from _v2(path, relative(path, source))
    if source.is_dir() or source.suffix == ".json":
        yield from each_file(source, frozenset({".json"}), lambda path, file: _v1(path, file, splits))


def _v1(path: Path, file: str, splits: dict[str, str]) -> Iterator[Item]:
    record = as_dict(load_json(path), "the file's content")
    labels = [str(label) for label in as_list(record.get("labels"), "labels")]
    name = path.stem.removesuffix("_labels_metadata")
    extent = _from_coordinates(record) or place_of_patch(name)
    if extent is None:
        yield Noted(file, None, NO_PLACE)
    taken = parse_time(record.get("acquisition_date")) or parse_time(record.get("acquisition_time"))
    extra = {key: text(record.get(key)) for key in ("tile_source", "scene_source", "corresponding_s2_patch")}
    yield _row(
        name,
        extent,
        labels,
        taken or day_in_name(name),
        splits.get(name),
        {k: v for k, v in extra.items() if v},
    )


def _v2(path: Path, file: str) -> Iterator[Item]:
    row = 0
    with pq.ParquetFile(path) as table:
        for batch in table.iter_batches(batch_size=10_000):
            for record in batch.to_pylist():
                row += 1
                name, labels = text(record.get("patch_id")), record.get("labels")
                if name is None or not isinstance(labels, list):
                    yield Rejected(file, row, "the row has no patch_id or no list of labels")
                    continue
                extent = place_of_patch(name)
                if extent is None:
                    yield Noted(file, row, NO_PLACE)
                split = _SPLITS.get(str(record.get("split")).lower())
                extra = {key: value for key in ("s1_name", "country") if (value := text(record.get(key)))}
                yield _row(name, extent, [str(label) for label in labels], day_in_name(name), split, extra)


def _row(
    name: str, extent: Extent | None, labels: list[str], taken: Any, split: str | None, extra: dict[str, str]
) -> ImageRow:
    radar = name.startswith("S1")
    modality: Literal["sar", "multispectral"] = "sar" if radar else "multispectral"
    sensor = "Sentinel-1" if radar else "Sentinel-2"
    return ImageRow(
        key=name, name=name, extent=extent, sensor=sensor, modality=modality, gsd_m=10.0, acquired=taken,
        split=split, width_px=120, height_px=120, classes=tuple(labels), properties={**extra},
    )  # fmt: skip


def place_of_patch(name: str) -> Extent | None:
    """Where a patch lies, from the tile, column and row that end its name; None when they are not there."""
    match = _V2_NAME.search(name)
    if match is None:
        return None
    corner = tile_corner(match[1])
    if corner is None:
        return None
    epsg, ulx, uly = corner
    left, top = ulx + int(match[2]) * PATCH_M, uly - int(match[3]) * PATCH_M
    return _square(CRS.from_epsg(epsg), left, top, left + PATCH_M, top - PATCH_M)


def _from_coordinates(record: dict[str, Any]) -> Extent | None:
    corners = record.get("coordinates")
    if not isinstance(corners, dict) or not record.get("projection"):
        return None
    sides = [number(corners.get(key)) for key in ("ulx", "uly", "lrx", "lry")]
    if None in sides:
        return None
    left, top, right, bottom = (side or 0.0 for side in sides)
    try:
        return _square(CRS.from_user_input(str(record["projection"])), left, top, right, bottom)
    except (CRSError, ProjError):
        raise BadRecord("the projection is not one that PROJ knows") from None


def _square(crs: CRS, left: float, top: float, right: float, bottom: float) -> Extent | None:
    to_lonlat = Transformer.from_crs(crs, 4326, always_xy=True)
    lon, lat = to_lonlat.transform([left, right, right, left], [top, top, bottom, bottom])
    try:
        return extent_of(shapely.Polygon(list(zip(lon, lat, strict=True))))
    except ValueError:
        return None


def _is_v2(path: Path) -> bool:
    try:
        names = set(parquet_metadata(path).schema.to_arrow_schema().names)
    except (BadRecord, pa.ArrowInvalid):
        return False
    return {"patch_id", "labels"} <= names


def _split_lists(source: Path) -> dict[str, str]:
    """v1's own lists of patch names, one file a split."""
    found: dict[str, str] = {}
    for path in walk(source, frozenset({".csv"})) if source.is_dir() else ():
        split = _SPLITS.get(path.stem.lower().rpartition("-")[2])
        if split is None or not head(path, 64).startswith(("S1", "S2")):
            continue
        with path.open(encoding="utf-8", errors="replace") as stream:
            for line in stream:
                found.update(dict.fromkeys(line.strip().split(","), split))
    return found


READER = Reader("bigearthnet", "BigEarthNet (v1 JSON or v2 Parquet)", sniff, read)

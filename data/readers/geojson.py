"""GeoJSON: a FeatureCollection of any size, one feature at a time, in any coordinate system it names."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO

import ijson
import numpy as np
import shapely
from pyproj import CRS, Transformer
from pyproj.exceptions import CRSError
from shapely.errors import ShapelyError
from shapely.geometry import shape
from shapely.geometry.base import BaseGeometry

from data.readers.base import BadRecord, Item, Reader, Rejected
from data.readers.dates import ColumnTimes
from data.readers.features import ROWS_PER_BATCH, OnTheMap, record_batch, times_noted
from data.readers.files import first_file, head, relative, share_of, walk
from data.readers.geometry import extents_of

SUFFIXES = frozenset({".geojson", ".json"})
MAX_DEPTH = 60
"""No GeoJSON is nested deeper; what is, is an attack on whoever walks it."""
_PARSED_BYTES = 4_096
"""How much is parsed before its depth is looked at: the names of what lies deep take the square of that."""


def sniff(source: Path) -> float:
    """Sure when the first lines say FeatureCollection."""
    path = first_file(source, SUFFIXES)
    start = head(path) if path else ""
    if re.search(r'"type"\s*:\s*"FeatureCollection"', start):
        return 0.8 if source.is_file() else max(0.02, 0.5 * share_of(source, SUFFIXES))
    return 0.75 if source.is_file() and source.suffix.lower() == ".geojson" else 0.0


def read(source: Path) -> Iterator[Item]:
    """One feature for each feature with a geometry."""
    for path in walk(source, SUFFIXES if source.is_dir() else None):
        file = relative(path, source)
        try:
            yield from _features(path, file)
        except BadRecord as error:
            yield Rejected(file, None, str(error))


def _features(path: Path, file: str) -> Iterator[Item]:
    transformer = _to_wgs84(head(path))
    for chunk in numbered_chunks(stream_features(path), ROWS_PER_BATCH // 10):
        yield from _batch(chunk, transformer, file)


def _batch(chunk: list[tuple[int, Any]], transformer: Transformer | None, file: str) -> Iterator[Item]:
    shapes: list[BaseGeometry | None] = []
    reasons: list[str | None] = []
    for _, feature in chunk:
        try:
            shapes.append(geometry_of(feature))
            reasons.append(None)
        except BadRecord as error:
            shapes.append(None)
            reasons.append(str(error))
    array = np.empty(len(shapes), dtype=object)
    array[:] = shapes
    if transformer is not None:
        array = shapely.transform(array, transformer.transform, interleaved=False)
    on_map = OnTheMap()
    extents = extents_of(on_map.shapes(array))
    yield from on_map.noted(file)
    good = []
    for index, (row, _) in enumerate(chunk):
        reason = reasons[index] or extents.problem[index]
        if reason is None:
            good.append(index)
        else:
            yield Rejected(file, row, reason)
    if good:
        kept = np.array(good)
        records = [_properties(chunk[index][1]) for index in good]
        ids = [chunk[index][1].get("id") for index in good]
        rows = np.array([chunk[index][0] for index in good])
        times = ColumnTimes()
        yield record_batch(records, ids, extents.take(kept), rows, file, times)
        names = list(dict.fromkeys(name for record in records for name in record))
        yield from times_noted(names, times, file)


def stream_features(path: Path) -> Iterator[Any]:
    """The features of a collection, whatever its size. Raises BadRecord where the JSON breaks off."""
    if path.stat().st_size == 0:
        raise BadRecord("the file is empty")
    count = 0
    broken_block: int | None = None
    try:
        for feature in _features_from(path, None):
            count += 1
            yield feature
    except _Broken as error:
        broken_block = error.block
    if broken_block is not None:
        # The parser drops what it understood of the block that breaks, so go through that one byte by byte.
        try:
            yield from islice(_features_from(path, broken_block), count, None)
        except _Broken as error:
            raise BadRecord(f"the JSON is broken: {error}") from None
    if not count and broken_block is None:
        raise BadRecord(
            "there are no features: a FeatureCollection with a list of features would have worked"
        )


class _Broken(Exception):
    """The parser's complaint, and where the block that it was reading begins."""

    def __init__(self, reason: str, block: int) -> None:
        super().__init__(reason)
        self.block = block


class _Blocks:
    """A file that is handed out in blocks, and byte by byte from `single_from` on."""

    def __init__(self, stream: BinaryIO, single_from: int | None) -> None:
        self._stream = stream
        self._single_from = single_from
        self.block = 0

    def read(self, size: int) -> bytes:
        self.block = self._stream.tell()
        if self._single_from is not None and size:
            size = 1 if self.block >= self._single_from else min(size, self._single_from - self.block)
        return self._stream.read(size)


def _features_from(path: Path, single_from: int | None) -> Iterator[Any]:
    with path.open("rb") as stream:
        if stream.read(3) != b"\xef\xbb\xbf":
            stream.seek(0)
        blocks = _Blocks(stream, single_from)
        try:
            yield from _shallow_items(blocks)
        except (ijson.JSONError, UnicodeDecodeError) as error:
            raise _Broken(str(error).splitlines()[0][:120], blocks.block) from None


def numbered_chunks(features: Iterator[Any], size: int) -> Iterator[list[tuple[int, Any]]]:
    """(number from 1, feature) in lists of `size`; the last list comes even when the file then breaks off."""
    chunk: list[tuple[int, Any]] = []
    try:
        for numbered in enumerate(features, start=1):
            chunk.append(numbered)
            if len(chunk) == size:
                yield chunk
                chunk = []
    except BadRecord:
        if chunk:
            yield chunk
        raise
    if chunk:
        yield chunk


def geometry_of(feature: Any) -> BaseGeometry:
    """The geometry of a feature, in the coordinates it came in. Raises BadRecord when it has none."""
    if not isinstance(feature, dict):
        raise BadRecord("not a GeoJSON feature")
    geometry = feature.get("geometry")
    if geometry is None:
        raise BadRecord("no geometry")
    if not isinstance(geometry, dict):
        raise BadRecord("the geometry is not a GeoJSON object")
    try:
        return shape(geometry)
    except (ShapelyError, ValueError, TypeError, KeyError, AttributeError, IndexError):
        raise BadRecord(f"the coordinates do not form a {str(geometry.get('type'))[:30]}") from None


def _shallow_items(stream: _Blocks) -> Iterator[Any]:
    """`features.item` values, built from parse events so that a deep nest stops at once."""
    builder, depth, building = ijson.ObjectBuilder(), 0, False
    for prefix, event, value in ijson.parse(stream, buf_size=_PARSED_BYTES, use_float=True):
        if event in ("start_map", "start_array"):
            depth += 1
            if depth > MAX_DEPTH:
                raise BadRecord(f"the JSON is nested more than {MAX_DEPTH} levels deep")
        if not building and prefix == "features.item":
            builder, building = ijson.ObjectBuilder(), True
        if building:
            builder.event(event, value)
        if event in ("end_map", "end_array"):
            depth -= 1
        if building and prefix == "features.item" and event not in ("start_map", "start_array", "map_key"):
            yield builder.value
            building = False


def _properties(feature: dict[str, Any]) -> dict[str, Any]:
    properties = feature.get("properties")
    return properties if isinstance(properties, dict) else {}


def _to_wgs84(start: str) -> Transformer | None:
    """A transformer for the old "crs" member, which RFC 7946 dropped and GDAL still writes."""
    match = re.search(r'"crs"\s*:\s*\{[^{}]*\{\s*"name"\s*:\s*("(?:[^"\\]|\\.)*")', start)
    if match is None:
        return None
    name = json.loads(match[1])
    if "CRS84" in name:
        return None
    try:
        crs = CRS.from_user_input(name)
    except CRSError:
        raise BadRecord(
            f"the coordinate system {name[:60]!r} is not known; WGS84 would have worked"
        ) from None
    return None if crs.to_epsg() == 4326 else Transformer.from_crs(crs, CRS.from_epsg(4326), always_xy=True)


READER = Reader("geojson", "GeoJSON", sniff, read)

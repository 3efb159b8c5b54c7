"""GeoJSON: a FeatureCollection of any size, one feature at a time, in any coordinate system it names."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import ijson
import numpy as np
import shapely
from pyproj import CRS, Transformer
from pyproj.exceptions import CRSError
from shapely.errors import ShapelyError
from shapely.geometry import shape
from shapely.geometry.base import BaseGeometry

from data.readers.base import BadRecord, Item, Reader, Rejected
from data.readers.features import ROWS_PER_BATCH, record_batch
from data.readers.files import first_file, head, relative, share_of, walk
from data.readers.geometry import extents_of

SUFFIXES = frozenset({".geojson", ".json"})
MAX_DEPTH = 60
"""No GeoJSON is nested deeper; what is, is an attack on whoever walks it."""


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
    numbered = enumerate(stream_features(path), start=1)
    while chunk := list(islice(numbered, ROWS_PER_BATCH // 10)):
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
    extents = extents_of(array)
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
        yield record_batch(records, ids, extents.take(kept), rows, file)


def stream_features(path: Path) -> Iterator[Any]:
    """The features of a collection, whatever its size. Raises BadRecord where the JSON breaks off."""
    if path.stat().st_size == 0:
        raise BadRecord("the file is empty")
    found = False
    with path.open("rb") as stream:
        if stream.read(3) != b"\xef\xbb\xbf":
            stream.seek(0)
        try:
            for feature in _shallow_items(stream):
                found = True
                yield feature
        except (ijson.JSONError, UnicodeDecodeError) as error:
            raise BadRecord(f"the JSON is broken: {str(error).splitlines()[0][:120]}") from None
    if not found:
        raise BadRecord("there are no features: a FeatureCollection with a list of features would have worked")


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


def _shallow_items(stream: Any) -> Iterator[Any]:
    """`features.item` values, built from parse events so that a deep nest stops at once."""
    builder, depth, building = ijson.ObjectBuilder(), 0, False
    for prefix, event, value in ijson.parse(stream, use_float=True):
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
        raise BadRecord(f"the coordinate system {name[:60]!r} is not known; WGS84 longitude and latitude would have worked") from None
    return None if crs.to_epsg() == 4326 else Transformer.from_crs(crs, CRS.from_epsg(4326), always_xy=True)


READER = Reader("geojson", "GeoJSON", sniff, read)

"""GeoJSON, zipped shapefiles, GeoPackages, GeoParquet and KML as they come in."""

from __future__ import annotations

import json
import re
from typing import Any

import numpy as np
import pandas as pd
from pyproj import CRS

from data.readers.base import BadRecord
from data.readers.files import head
from data.readers.geojson import geometry_of, stream_features
from data.uploads.brought import Brought, Incoming
from data.uploads.errors import UploadError, shown
from data.uploads.frames import MAX_FEATURES, WGS84, features, read_bounded
from data.uploads.placing import crs_named

MAX_GEOJSON_BYTES = 1_000_000_000
MAX_SINGLE_BYTES = 100_000_000
"""A GeoJSON that is one feature or one geometry, or has its features in an odd place, is read at once."""
MAX_DEPTH = 60
_CRS_MEMBER = re.compile(r'"crs"\s*:\s*\{[^{}]*\{\s*"name"\s*:\s*("(?:[^"\\]|\\.)*")')
_DEGREES = ("CRS84", "EPSG::4326", "EPSG:4326")


def bring_geojson(incoming: Incoming) -> Brought:
    """A FeatureCollection of any kind, one feature, or one geometry."""
    no_part(incoming)
    size = incoming.path.stat().st_size
    if size > MAX_GEOJSON_BYTES:
        raise UploadError(
            f"{incoming.shown} has {size / 1e9:.1f} GB, and at most {MAX_GEOJSON_BYTES / 1e9:g} GB are "
            "read as GeoJSON; send it as GeoParquet or GeoPackage."
        )
    start = head(incoming.path)
    crs = _geojson_crs(start)
    shapes: list[Any] = []
    rows: list[dict[str, Any]] = []
    problems: list[str] = []
    try:
        for feature in _geojson_features(incoming, start):
            if len(shapes) > MAX_FEATURES:
                break
            try:
                shapes.append(geometry_of(feature))
            except BadRecord as error:
                problems.append(str(error))
                continue
            rows.append(_properties(feature))
    except BadRecord as error:
        raise UploadError(f"{incoming.shown} cannot be read: {str(error).rstrip('.')}.") from None
    array = np.empty(len(shapes), dtype=object)
    array[:] = shapes
    frame = pd.DataFrame.from_records(rows) if rows else pd.DataFrame()
    if len(frame.columns) == 0:
        frame = pd.DataFrame(index=range(len(shapes)))
    return features(incoming, array, frame, crs, "a GeoJSON", problems, in_degrees_by_rule=True)


def _geojson_features(incoming: Incoming, start: str) -> Any:
    if re.search(r'"features"\s*:', start) or incoming.path.stat().st_size > MAX_SINGLE_BYTES:
        return stream_features(incoming.path)
    text = read_bounded(incoming.path, MAX_SINGLE_BYTES, incoming.shown).decode("utf-8-sig", "replace")
    _check_depth(text, incoming)
    try:
        whole = json.loads(text)
    except (ValueError, RecursionError):
        raise BadRecord("the JSON is broken; export it again") from None
    if isinstance(whole, dict) and whole.get("type") == "FeatureCollection":
        found = whole.get("features")
        if not isinstance(found, list) or not found:
            raise BadRecord("there are no features in it")
        return found
    if isinstance(whole, list):
        return whole
    if isinstance(whole, dict) and whole.get("type") != "Feature":
        return [{"type": "Feature", "geometry": whole, "properties": {}}]
    return [whole]


def _check_depth(text: str, incoming: Incoming) -> None:
    depth = deepest = 0
    for bracket in re.findall(r"[\[\]{}]", text):
        depth += 1 if bracket in "[{" else -1
        deepest = max(deepest, depth)
    if deepest > MAX_DEPTH:
        raise UploadError(
            f"{incoming.shown} is nested {deepest:,} levels deep, and GeoJSON needs fewer than {MAX_DEPTH}; "
            "export it again."
        )


def _geojson_crs(start: str) -> CRS | None:
    """The old "crs" member, which RFC 7946 dropped; without one, coordinates are degrees."""
    match = _CRS_MEMBER.search(start)
    if match is None:
        return None
    name = json.loads(match[1])
    return WGS84 if any(each in name for each in _DEGREES) else crs_named(name)


def _properties(feature: dict[str, Any]) -> dict[str, Any]:
    found = feature.get("properties")
    properties = dict(found) if isinstance(found, dict) else {}
    if "id" not in properties and isinstance(feature.get("id"), (str, int)):
        properties["id"] = feature["id"]
    return properties


def no_part(incoming: Incoming) -> None:
    """Raises UploadError when a part was asked of a file that has none."""
    if incoming.asked.part:
        raise UploadError(f"{incoming.shown} has no part {shown(incoming.asked.part)}; leave the part out.")

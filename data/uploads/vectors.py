"""GeoJSON, zipped shapefiles, GeoPackages, GeoParquet and KML as they come in."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from pyproj import CRS

from data.readers.base import BadRecord
from data.readers.files import head
from data.readers.geojson import geometry_of, stream_features
from data.uploads.brought import Brought, Incoming
from data.uploads.errors import UploadError, shown
from data.uploads.frames import MAX_FEATURES, WGS84, exact_records, features, read_bounded
from data.uploads.identify import MAX_LINE_BYTES
from data.uploads.placing import crs_named
from data.uploads.unsent import members_beside, members_said, unsent_said

MAX_GEOJSON_BYTES = 1_000_000_000
MAX_SINGLE_BYTES = 100_000_000
"""A GeoJSON that is one feature or one geometry, or has its features in an odd place, is read at once."""
MAX_DEPTH = 60
GEOJSON_TYPES = frozenset(
    ("Feature", "Point", "MultiPoint", "LineString", "MultiLineString", "Polygon", "MultiPolygon",
     "GeometryCollection")
)  # fmt: skip
_CRS_MEMBER = re.compile(r'"crs"\s*:\s*\{[^{}]*\{\s*"name"\s*:\s*("(?:[^"\\]|\\.)*")')
_DEGREES = ("CRS84", "EPSG::4326", "EPSG:4326")


def bring_geojson(incoming: Incoming) -> Brought:
    """A FeatureCollection of any kind, one feature, or one geometry."""
    _check_size(incoming)
    start = head(incoming.path)
    return _collected(
        incoming, lambda: _geojson_features(incoming, start), crs_member(start), "a GeoJSON", []
    )


def bring_lines(incoming: Incoming) -> Brought:
    """One JSON object a line (also after a record separator, RFC 8142): features or geometries, else rows."""
    _check_size(incoming)
    broken: list[str] = []
    lines = _objects(incoming.path, broken)
    first = next(lines, None)
    if first is None:
        raise UploadError(f"{incoming.shown} holds no whole object in any line; export it again.")
    whole = itertools.chain([first], lines)
    if first.get("type") in (*GEOJSON_TYPES, "FeatureCollection"):
        crs = crs_member(head(incoming.path))
        return _collected(
            incoming,
            lambda: itertools.chain.from_iterable(map(_as_features, whole)),
            crs,
            "a line-by-line GeoJSON",
            broken,
        )
    rows = list(itertools.islice(whole, MAX_FEATURES + 1))
    if len(rows) > MAX_FEATURES:
        raise UploadError(f"{incoming.shown} has over {MAX_FEATURES:,} rows; send it as Parquet.")
    from data.uploads.rows import bring_frame

    found = bring_frame(incoming, exact_records(rows), "a line-by-line JSON")
    return found.noted(f"{len(broken):,} of its lines were left out: {broken[0]}." if broken else None)


def _check_size(incoming: Incoming) -> None:
    no_part(incoming)
    size = incoming.path.stat().st_size
    if size > MAX_GEOJSON_BYTES:
        raise UploadError(
            f"{incoming.shown} has {size / 1e9:.1f} GB, and at most {MAX_GEOJSON_BYTES / 1e9:g} GB are "
            "read as GeoJSON; send it as GeoParquet or GeoPackage."
        )


def _objects(path: Path, broken: list[str]) -> Iterator[dict[str, Any]]:
    """The object of each line that is not blank; those that are none go to `broken`, by line."""
    with path.open("rb") as file:
        for number in itertools.count(1):
            line = file.readline(MAX_LINE_BYTES)
            if not line:
                return
            text = line.removeprefix(b"\xef\xbb\xbf").strip(b"\x1e \t\r\n")
            if not text:
                continue
            try:
                found = json.loads(text)
            except (ValueError, RecursionError):
                found = None
            if isinstance(found, dict):
                yield found
            else:
                broken.append(f"line {number:,} is no whole object")


def _as_features(found: dict[str, Any]) -> list[Any]:
    """The features of one line: a collection has several, a geometry is one."""
    if found.get("type") == "FeatureCollection" and isinstance(found.get("features"), list):
        return list(found["features"])
    if found.get("type") == "Feature" or found.get("type") not in GEOJSON_TYPES:
        return [found]
    return [{"type": "Feature", "geometry": found, "properties": {}}]


def _collected(
    incoming: Incoming, read: Callable[[], Iterable[Any]], crs: CRS | None, title: str, problems: list[str]
) -> Brought:
    """The features of GeoJSON that `read` gives, those that are none told by `problems`."""
    shapes: list[Any] = []
    rows: list[dict[str, Any]] = []
    ids: list[str | int | float | None] = []
    try:
        for feature in read():
            if len(shapes) > MAX_FEATURES:
                break
            try:
                shapes.append(None if _has_none(feature) else geometry_of(feature))
            except BadRecord as error:
                problems.append(str(error))
                continue
            rows.append(_properties(feature))
            ids.append(_own_id(feature))
    except BadRecord as error:
        raise UploadError(f"{incoming.shown} cannot be read: {str(error).rstrip('.')}.") from None
    array = np.empty(len(shapes), dtype=object)
    array[:] = shapes
    named = _with_ids(rows, ids)
    frame = exact_records(rows)
    if len(frame.columns) == 0:
        frame = pd.DataFrame(index=range(len(shapes)))
    held = len(shapes) + len(problems)
    found = features(incoming, array, frame, crs, title, problems, in_degrees_by_rule=True)
    members = members_beside(incoming.path)
    found = replace(found, facts={**found.facts, **({"members": members} if members else {})})
    return found.noted(unsent_said(incoming.path, held), named, members_said(members))


def _with_ids(rows: list[dict[str, Any]], ids: list[str | int | float | None]) -> str | None:
    """Give the rows the features' own ids as a column, and say so; None where there are none."""
    if all(each is None for each in ids):
        return None
    taken = {name for row in rows for name in row}
    if all(row.get("id") == each for row, each in zip(rows, ids, strict=True)):
        return "Its features' own ids are the same as their column id."
    name = next(each for each in ("id", "feature_id", "geojson_feature_id", "") if each not in taken)
    for row, each in zip(rows, ids, strict=True):
        row[name] = each
    return f"Its features' own ids became the column {name}; save_file writes them back with id={name}."


def _has_none(feature: Any) -> bool:
    """Whether it is a feature that says of itself that it has no place (RFC 7946, 3.2)."""
    return isinstance(feature, dict) and feature.get("type") == "Feature" and feature.get("geometry") is None


def _geojson_features(incoming: Incoming, start: str) -> Any:
    if re.search(r'"features"\s*:', start) or incoming.path.stat().st_size > MAX_SINGLE_BYTES:
        return stream_features(incoming.path)
    text = read_bounded(incoming.path, MAX_SINGLE_BYTES, incoming.shown).decode("utf-8-sig", "replace")
    check_depth(text, incoming)
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


def check_depth(text: str, incoming: Incoming) -> None:
    """Raises UploadError for a JSON that is nested deeper than one of features can be."""
    depth = deepest = 0
    for bracket in re.findall(r"[\[\]{}]", text):
        depth += 1 if bracket in "[{" else -1
        deepest = max(deepest, depth)
    if deepest > MAX_DEPTH:
        raise UploadError(
            f"{incoming.shown} is nested {deepest:,} levels deep, and features need fewer than {MAX_DEPTH}; "
            "export it again."
        )


def crs_member(start: str) -> CRS | None:
    """What the old "crs" member names, which RFC 7946 dropped; None without one: degrees."""
    match = _CRS_MEMBER.search(start)
    if match is None:
        return None
    name = json.loads(match[1])
    return WGS84 if any(each in name for each in _DEGREES) else crs_named(name)


def _properties(feature: dict[str, Any]) -> dict[str, Any]:
    found = feature.get("properties")
    return dict(found) if isinstance(found, dict) else {}


def _own_id(feature: dict[str, Any]) -> str | int | float | None:
    """A feature's own id (RFC 7946, 3.2): a text or a number; None where it has none."""
    found = feature.get("id")
    return found if isinstance(found, str | int | float) and not isinstance(found, bool) else None


def no_part(incoming: Incoming) -> None:
    """Raises UploadError when a part was asked of a file that has none."""
    if incoming.asked.part:
        raise UploadError(f"{incoming.shown} has no part {shown(incoming.asked.part)}; leave the part out.")


def no_crs(incoming: Incoming, title: str) -> None:
    """Raises UploadError when a file that is in degrees by its standard was asked to be in anything else."""
    if incoming.asked.crs and not crs_named(incoming.asked.crs).equals(WGS84, ignore_axis_order=True):
        raise UploadError(
            f"{incoming.shown} is {title} file, which is in degrees by its standard and not in "
            f"{shown(incoming.asked.crs)}; leave crs out."
        )

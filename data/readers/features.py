"""Rows of a vector file or a table: which column means what, and all the others as properties."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from data.readers.base import STAGED, FeatureBatch, Noted
from data.readers.dates import ColumnTimes
from data.readers.geometry import FARTHEST_DEG, Extents

ROWS_PER_BATCH = 50_000
MAX_PROPERTIES = 1000
"""Columns kept as properties; a table with more is a matrix, and its rows would not fit a map's record."""

_NAMES = ("name", "title", "city", "place", "site", "station", "placename", "asciiname", "name_en")
_TIMES = (
    "acquired",
    "datetime",
    "timestamp",
    "date",
    "time",
    "acquisition_date",
    "capture_date",
    "observed",
    "when",
    "year",
)
_CLASSES = ("class", "category", "class_name", "type", "label", "kind")
_IDS = ("id", "fid", "uid", "uuid", "osm_id", "gid", "objectid", "feature_id", "geonameid")


@dataclass(frozen=True)
class Roles:
    """The columns, as spelled in the source, that fill columns of the catalogue."""

    id: str | None
    name: str | None
    time: str | None
    class_: str | None


def roles_of(columns: Sequence[str]) -> Roles:
    """What the columns mean, by their usual names; case does not matter."""
    return Roles(
        id=first_named(columns, _IDS),
        name=first_named(columns, _NAMES) or _ending_in(columns, "name"),
        time=first_named(columns, _TIMES),
        class_=first_named(columns, _CLASSES),
    )


def first_named(columns: Sequence[str], wanted: Sequence[str]) -> str | None:
    """The column whose name, in lower case, stands first in `wanted`."""
    by_name = {column.strip().lower(): column for column in reversed(columns)}
    return next((by_name[name] for name in wanted if name in by_name), None)


def table_batch(
    attributes: pa.Table, extents: Extents, rows: NDArray[np.int64], source_key: str, times: ColumnTimes
) -> FeatureBatch:
    """A batch out of typed columns. `rows` are the 1-based row numbers; every row has a good extent.

    A row's key is its id column, else the file and the row number. `times` is what is known of its column of
    times so far.
    """
    roles = roles_of(attributes.column_names)
    attributes = attributes.select(attributes.column_names[:MAX_PROPERTIES])
    count = len(rows)
    table = _staged(
        count,
        extents,
        key=_keys(attributes, roles, rows, source_key),
        name=_texts(attributes, roles.name, count),
        acquired=_times(attributes, roles.time, count, times),
        classes=_classes(_texts(attributes, roles.class_, count)),
        properties=json_objects(attributes),
    )
    kinds = tuple((name, _kind(attributes.schema.field(name).type)) for name in attributes.column_names)
    return FeatureBatch(table, kinds)


def record_batch(
    records: Sequence[Mapping[str, Any]],
    ids: Sequence[object],
    extents: Extents,
    rows: NDArray[np.int64],
    source_key: str,
    times: ColumnTimes,
) -> FeatureBatch:
    """A batch out of one dictionary of properties per row, as GeoJSON has them."""
    columns: dict[str, str] = {}
    kept = [dict(list(record.items())[:MAX_PROPERTIES]) for record in records]
    for record in kept:
        for name, value in record.items():
            number = isinstance(value, int | float) and not isinstance(value, bool)
            if value is not None and (not number or name not in columns):
                columns[name] = "number" if number else "text"
    roles = roles_of(list(columns))
    own = [
        given if given is not None else record.get(roles.id or "")
        for given, record in zip(ids, kept, strict=True)
    ]
    keys = [
        f"{source_key}/{row}" if value is None else str(value) for value, row in zip(own, rows, strict=True)
    ]
    names = [_plain_text(record.get(roles.name or "")) for record in kept]
    moments = times.read([_plain_text(record.get(roles.time or "")) for record in kept])
    labels = [_plain_text(record.get(roles.class_ or "")) for record in kept]
    texts = [json.dumps(_finite(record), ensure_ascii=False, default=str) for record in kept]
    table = _staged(
        len(rows),
        extents,
        key=pa.array(keys, pa.string()),
        name=pa.array(names, pa.string()),
        acquired=pa.array(moments, pa.timestamp("us")),
        classes=_classes(pa.array(labels, pa.string())),
        properties=pa.array(texts, pa.string()),
    )
    return FeatureBatch(table, tuple(columns.items()))


def json_objects(table: pa.Table) -> pa.Array:
    """Each row as a JSON object without its nulls: numbers stay numbers, all else becomes text."""
    if not table.column_names:
        return pa.array(["{}"] * table.num_rows, pa.string())
    members = []
    for name in table.column_names:
        value = _json_values(table.column(name).combine_chunks())
        members.append(pc.binary_join_element_wise(json.dumps(name, ensure_ascii=False), value, ":"))
    # Arrow leaves a row out altogether when all that it is to join is null; the empty text is never null.
    start = pa.array([""] * table.num_rows, pa.string())
    joined = pc.utf8_ltrim(pc.binary_join_element_wise(start, *members, ",", null_handling="skip"), ",")
    return pc.binary_join_element_wise("{", joined, "}", "")


def _json_values(column: pa.Array) -> pa.Array:
    kind = column.type
    if pa.types.is_floating(kind):
        column = pc.if_else(pc.is_finite(column), column, pa.scalar(None, kind))
        return column.cast(pa.string())
    if pa.types.is_integer(kind) or pa.types.is_boolean(kind):
        return column.cast(pa.string())
    if pa.types.is_temporal(kind) and not pa.types.is_duration(kind):
        column = column.cast(pa.string())
    if not (pa.types.is_string(column.type) or pa.types.is_large_string(column.type)):
        texts = [
            None if value is None else json.dumps(value, ensure_ascii=False, default=str)
            for value in column.to_pylist()
        ]
        return pa.array(texts, pa.string())
    # Each distinct text is escaped once, which for most columns is far less often than once a row.
    encoded = column.dictionary_encode()
    escaped = [json.dumps(text, ensure_ascii=False) for text in encoded.dictionary.to_pylist()]
    return pa.array(escaped, pa.string()).take(encoded.indices)


def _staged(count: int, extents: Extents, **columns: pa.Array) -> pa.Table:
    columns |= {
        "kind": pa.array(["feature"] * count, pa.string()),
        "lon": pa.array(extents.lon),
        "lat": pa.array(extents.lat),
        "footprint": pa.array(extents.outline, pa.binary()),
    }
    for index, side in enumerate(("west", "south", "east", "north")):
        columns[side] = pa.array(extents.box[:, index])
    arrays = [
        columns[field.name] if field.name in columns else pa.nulls(count, field.type) for field in STAGED
    ]
    return pa.table(arrays, schema=STAGED)


def _keys(table: pa.Table, roles: Roles, rows: NDArray[np.int64], source_key: str) -> pa.Array:
    numbers = pc.binary_join_element_wise(source_key, pa.array(rows).cast(pa.string()), "/")
    if roles.id is None:
        return numbers
    ids = _texts(table, roles.id, len(rows))
    return pc.coalesce(ids, numbers)


def _texts(table: pa.Table, column: str | None, count: int) -> pa.Array:
    if column is None or column not in table.column_names:
        return pa.nulls(count, pa.string())
    values = table.column(column).combine_chunks()
    if (
        pa.types.is_nested(values.type)
        or pa.types.is_binary(values.type)
        or pa.types.is_large_binary(values.type)
    ):
        return pa.nulls(count, pa.string())
    return values.cast(pa.string())


def _times(table: pa.Table, column: str | None, count: int, times: ColumnTimes) -> pa.Array:
    if column is None or column not in table.column_names:
        return pa.nulls(count, pa.timestamp("us"))
    values = table.column(column).combine_chunks()
    if pa.types.is_timestamp(values.type) or pa.types.is_date(values.type):
        # Zoned Arrow times are kept in UTC, so dropping the zone is all there is to do.
        return values.cast(pa.timestamp("us", tz=getattr(values.type, "tz", None)), safe=False).cast(
            pa.timestamp("us"), safe=False
        )
    encoded = _texts(table, column, count).dictionary_encode()
    rows = np.bincount(encoded.indices.drop_null().to_numpy(), minlength=len(encoded.dictionary))
    found = times.read(encoded.dictionary.to_pylist(), rows.tolist())
    return pa.array(found, pa.timestamp("us")).take(encoded.indices)


@dataclass
class OnTheMap:
    """Places of one file brought to within ±180 degrees of longitude, as `add_file` does it; and counted."""

    cut: int = 0
    moved: int = 0
    rings: int = 0

    def shapes(self, shapes: NDArray[np.object_]) -> NDArray[np.object_]:
        """Shapes in degrees; edges of over 180 degrees go the shorter way round."""
        from data.vector.cleaning import on_the_map

        placed, done = on_the_map(shapes, FARTHEST_DEG)
        self.cut, self.moved, self.rings = (
            self.cut + done.cut,
            self.moved + done.moved,
            self.rings + done.rings,
        )
        return placed

    def longitudes(self, lon: NDArray[np.float64]) -> NDArray[np.float64]:
        """Longitudes of points."""
        with np.errstate(invalid="ignore"):
            beyond = (np.abs(lon) > 180) & (np.abs(lon) <= FARTHEST_DEG)
        self.moved += int(beyond.sum())
        return np.where(beyond, (lon + 180) % 360 - 180, lon)

    def noted(self, file: str) -> list[Noted]:
        """What is to be said of it."""
        from data.vector.cleaning import Placing

        done = Placing(self.cut, self.moved, self.rings)
        return [Noted(file, None, said) for said in done.said("of its places", "of its places")]


def times_noted(columns: Sequence[str], times: ColumnTimes, file: str) -> list[Noted]:
    """What is to be said of a file's column of times."""
    said = times.said(roles_of(columns).time or "")
    return [] if said is None else [Noted(file, None, said)]


def _classes(labels: pa.Array) -> pa.Array:
    """A list of one class for each row, or of none."""
    labels = pc.if_else(pc.equal(labels, ""), pa.scalar(None, pa.string()), labels)
    present = pc.is_valid(labels).to_numpy(zero_copy_only=False)
    offsets = np.concatenate([[0], np.cumsum(present)]).astype("int32")
    return pa.ListArray.from_arrays(pa.array(offsets), labels.drop_null())


def _kind(kind: pa.DataType) -> str:
    return "number" if pa.types.is_integer(kind) or pa.types.is_floating(kind) else "text"


def _plain_text(value: object) -> str | None:
    return None if value is None or isinstance(value, dict | list) else str(value)


def _finite(record: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: value
        for name, value in record.items()
        if not (isinstance(value, float) and not math.isfinite(value))
    }


def _ending_in(columns: Sequence[str], ending: str) -> str | None:
    return next((column for column in columns if column.strip().lower().endswith(ending)), None)

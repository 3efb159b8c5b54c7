"""Rows as JSON: features of GeoJSON (RFC 7946), lists of records, and objects that hold these."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

import shapely

from tools.base import ToolError
from tools.data.flattening import free_name
from tools.data.to_save import GEOMETRY, Layer, Rows, Shapes
from tools.phrases import listed, number_of
from tools.tables import plain_value

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

Members = Mapping[str, Any]
BATCH_ROWS = 20_000
_POLYGON = 3
"""shapely's type id; those of what is made of several are higher."""


def geojson(path: Path, layers: Sequence[Layer], members: Members) -> list[str]:
    """RFC 7946, a feature a line: shells counter-clockwise, holes clockwise, null for what has no place."""
    rows = layers[0].rows
    said, shapes = _turned(rows.shapes)
    said += without_bytes(rows.table)[1]
    parsed, told = _json_columns(rows)
    said += told
    head = dict(members)
    if rows.shapes is not None and rows.crs is not None and not _is_degrees(rows.crs):
        code = rows.crs.to_authority()
        if code is None:
            raise ToolError("GeoJSON names a coordinate system by its code only, and this one has none.")
        head["crs"] = {"type": "name", "properties": {"name": f"urn:ogc:def:crs:{code[0]}::{code[1]}"}}
        said.append("the old member `crs` names the system, which RFC 7946 no longer has: some read degrees")
    with path.open("w", encoding="utf-8") as file:
        start = "".join(f",{as_json(key)}:{as_json(value)}" for key, value in head.items())
        file.write(f'{{"type":"FeatureCollection"{start},"features":[')
        comma = ""
        for first, batch in _records(without_bytes(rows.table)[0], rows.count, parsed):
            some = None if shapes is None else shapes[first : first + len(batch)]
            for shape, record in zip(_shapes_as_json(some, len(batch)), batch, strict=True):
                own = record.pop(rows.ids) if rows.ids is not None else None
                id_member = "" if own is None else f'"id":{as_json(own)},'
                file.write(f'{comma}\n{{"type":"Feature",{id_member}"properties":{as_json(record)},')
                file.write(f'"geometry":{shape}}}')
                comma = ","
        file.write("\n]}\n")
    return said


def records(path: Path, layers: Sequence[Layer], members: Members) -> list[str]:
    """A list of JSON objects, one a row.

    With members, of several layers, or of one row as an object: a JSON object that has them as its members.
    """
    said: list[str] = []
    merged = len(layers) == 1 and layers[0].as_object
    if taken := [each for each in members if each in {x.name for x in layers} and not merged]:
        raise ToolError(f"{taken[0]!r} is a member and a layer; give one of them another name.")
    with path.open("w", encoding="utf-8") as file:
        if len(layers) == 1 and not members and not merged:
            said += _list_of_records(file, layers[0])
        else:
            said += _object_of_records(file, layers, members, merged=merged)
        file.write("\n")
    return said


def without_bytes(table: pa.Table) -> tuple[pa.Table, list[str]]:
    """(a table without its columns of bytes, which JSON and text have none of; what to say of it)."""
    import pyarrow as pa

    left = [each.name for each in table.schema if pa.types.is_binary(each.type)]
    return (table.drop_columns(left), [f"{listed(left)} left out, as bytes"]) if left else (table, [])


def as_json(value: Any, indent: int | None = None) -> str:
    """A value as JSON: days and times in ISO 8601, not-a-number as null; on one line without an indent."""
    try:
        return json.dumps(value, ensure_ascii=False, allow_nan=False, default=_other, indent=indent)
    except ValueError:  # not-a-number somewhere inside
        plain = plain_value(value)
        return json.dumps(plain, ensure_ascii=False, allow_nan=False, default=_other, indent=indent)


def iso(value: date | datetime) -> str:
    """ISO 8601, with Z for UTC."""
    return value.isoformat().replace("+00:00", "Z")


def _object_of_records(file: TextIO, layers: Sequence[Layer], members: Members, *, merged: bool) -> list[str]:
    """A member a line: the given ones, then each layer under its name, or the one row's columns."""
    said: list[str] = []
    parts: list[tuple[str, Any]] = list(members.items())
    if merged:
        (record,), said = _plain_records(layers[0])
        if taken := [each for each in record if each in members]:
            raise ToolError(f"{taken[0]!r} is a member and a column; give one of them another name.")
        parts += record.items()
    start = "{\n"
    for key, value in parts:
        file.write(f"{start}{as_json(key)}: {as_json(value, 1)}")
        start = ",\n"
    for layer in () if merged else layers:
        file.write(f"{start}{as_json(layer.name)}: ")
        start = ",\n"
        if layer.as_object:
            (record,), told = _plain_records(layer)
            file.write(as_json(record, 1))
            said += told
        else:
            said += _list_of_records(file, layer)
    file.write("\n}" if start != "{\n" else "{}")
    return said


def _list_of_records(file: TextIO, layer: Layer) -> list[str]:
    found, said = _plain_records(layer)
    file.write("[")
    comma = ""
    for record in found:
        file.write(f"{comma}\n{as_json(record)}")
        comma = ","
    file.write("\n]")
    return said


def _plain_records(layer: Layer) -> tuple[Iterator[dict[str, Any]], list[str]]:
    """(the rows of a layer, with their shapes where these were asked for; what is to be said of them)."""
    rows = layer.rows
    plain, said = without_bytes(rows.table)
    parsed, told = _json_columns(rows)
    column = free_name(GEOMETRY, plain.column_names)

    def each_row() -> Iterator[dict[str, Any]]:
        for first, batch in _records(plain, rows.count, parsed):
            for at, record in enumerate(batch, first):
                if layer.as_text and rows.shapes is not None:
                    (shape,) = _shapes_as_json(rows.shapes[at : at + 1], 1)
                    record[column] = json.loads(shape)
                yield record

    return each_row(), [*said, *told]


def _shapes_as_json(shapes: Shapes | None, rows: int) -> Sequence[str]:
    if shapes is None:
        return ["null"] * rows
    # GEOS writes an empty polygon with one ring of nothing, which is none.
    return [_NO_POLYGON if each == _ONE_RING else each or "null" for each in shapely.to_geojson(shapes)]


_ONE_RING = '{"type":"Polygon","coordinates":[[]]}'

_NO_POLYGON = '{"type":"Polygon","coordinates":[]}'


def _json_columns(rows: Rows) -> tuple[list[str], list[str]]:
    """(the columns whose texts are all objects or lists in JSON, and are written as such; what to say of it).

    GDAL writes them so too. A column that was asked for as text stays text.
    """
    import pyarrow as pa

    texts = [each.name for each in rows.table.schema if pa.types.is_string(each.type)]
    names = [each for each in texts if each not in rows.as_text and _holds_json(rows.table.column(each))]
    return names, [f"the JSON of {listed(names)} became objects and lists"] if names else []


def _holds_json(column: pa.ChunkedArray) -> bool:
    """Whether each text of a column is an object or a list in JSON; one that is none ends the search."""
    found = False
    for chunk in column.chunks:
        for each in chunk:
            text = each.as_py()
            if text is None:
                continue
            if text[:1] not in ("{", "["):
                return False
            try:
                json.loads(text)
            except (ValueError, RecursionError):
                return False
            found = True
    return found


def _turned(shapes: Shapes | None) -> tuple[list[str], Shapes | None]:
    """(how many shells and holes were turned, all shells counter-clockwise and all holes clockwise)."""
    if shapes is None:
        return [], None
    turned = shapely.orient_polygons(shapes)
    (shells, holes), (new_shells, new_holes) = _windings(shapes), _windings(turned)
    counted = (
        (int((shells != new_shells).sum()), "shell", "counter-clockwise"),
        (int((holes != new_holes).sum()), "hole", "clockwise"),
    )
    said = [f"{number_of(count, noun)} turned {way}" for count, noun, way in counted if count]
    return [f"{' and '.join(said)} (RFC 7946)"] if said else [], turned


def _windings(shapes: Shapes) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Whether each shell, and each hole, of all polygons runs counter-clockwise."""
    import numpy as np

    parts = shapely.get_parts(shapes)
    while (shapely.get_num_geometries(parts) > 1).any() or (shapely.get_type_id(parts) > _POLYGON).any():
        parts = shapely.get_parts(parts)
    polygons = parts[(shapely.get_type_id(parts) == _POLYGON) & ~shapely.is_empty(parts)]
    rings, owners = shapely.get_rings(polygons, return_index=True)
    first = np.diff(owners, prepend=-1) > 0
    runs = shapely.is_ccw(rings)
    return runs[first], runs[~first]


def _is_degrees(crs: Any) -> bool:
    from pyproj import CRS

    return bool(crs.equals(CRS.from_epsg(4326), ignore_axis_order=True)) or crs.to_authority() == (
        "OGC",
        "CRS84",
    )


def _records(table: pa.Table, rows: int, parsed: Sequence[str]) -> Iterator[tuple[int, list[dict[str, Any]]]]:
    """(the first row's number, rows as dictionaries), some at a time; of `parsed` columns what JSON says."""
    for first in range(0, rows, BATCH_ROWS):
        batch = table.slice(first, BATCH_ROWS)
        some = range(min(BATCH_ROWS, rows - first))
        found = batch.to_pylist() if batch.num_columns else [{} for _ in some]
        for record in found if parsed else ():
            record |= {name: json.loads(record[name]) for name in parsed if record[name] is not None}
        yield first, found


def _other(value: Any) -> Any:
    if isinstance(value, (date, datetime)):
        return iso(value)
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    return plain_value(value)

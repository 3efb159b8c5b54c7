"""Rows as a file of the format that its name ends with: all of them, their columns, and nothing of ours.

A writer is given a path in a folder of its own, and says what the format changed or cannot hold.
"""

from __future__ import annotations

import threading
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import shapely

from tools.base import ToolError
from tools.data.flattening import NAME_BYTES, TEXT_BYTES, cut_bytes, free_name, names_apart, pack
from tools.data.json_files import BATCH_ROWS, Members, as_json, geojson, iso, records, without_bytes
from tools.data.to_save import GEOMETRY, Layer, kinds_of
from tools.phrases import listed, number_of, one_line

if TYPE_CHECKING:
    import pyarrow as pa

_LONGEST_FIELD = 10**17
"""Whole numbers from this on are wider than what a shapefile keeps as a number."""
_MOST_TOLD = 5
_KML_ID = "LIBKML_ID_FIELD"
_kml = threading.Lock()


@dataclass(frozen=True)
class Way:
    """A format: how it is called and written, and what it holds."""

    title: str
    write: Callable[[Path, Sequence[Layer], Members], list[str]]
    many: bool = False
    """Whether it holds several layers."""
    shapes: bool = True
    """Whether rows have their shapes without being asked for."""
    made_of: bool = True
    """Whether a table's lon and lat become shapes: the format is of places."""
    degrees: bool = False
    """Whether its coordinates are degrees unless another system is asked for."""


def csv(path: Path, layers: Sequence[Layer], members: Members) -> list[str]:
    """UTF-8, commas, one header line; times in ISO 8601, shapes as WKT where they are asked for."""
    from tools.data.exports import formula_count, write_csv_tables

    table, said = _texts_only(layers[0])
    if harmless := formula_count(table):
        said.append(f"{number_of(harmless, 'cell')} that a spreadsheet would run got an apostrophe in front")
    write_csv_tables(path, [table])
    return said


def xlsx(path: Path, layers: Sequence[Layer], members: Members) -> list[str]:
    """A sheet a layer, under a header line."""
    from tools.data.spreadsheets import MAX_SHEET_ROWS, sheet_names, write_sheets

    for each in layers:
        if each.rows.count > MAX_SHEET_ROWS:
            raise ToolError(
                f"{each.name} has {each.rows.count:,} rows, and a workbook is written of "
                f"{MAX_SHEET_ROWS:,} at most; take .csv or .parquet."
            )
    names = sheet_names([each.name for each in layers])
    said = [f"the sheet of {old} is called {new}" for old, new in zip([each.name for each in layers], names,
                                                                  strict=True) if old != new]  # fmt: skip
    sheets: list[tuple[str, list[str], Iterator[Sequence[Any]]]] = []
    for name, layer in zip(names, layers, strict=True):
        table, lost = _texts_only(layer, times=False)
        said += lost
        sheets.append((name, table.column_names, _tuples(table)))
    write_sheets(path, sheets)
    return said


def parquet(path: Path, layers: Sequence[Layer], members: Members) -> list[str]:
    """GeoParquet 1.1 with shapes as WKB, and plain Parquet without; types are exact."""
    import pyarrow.parquet as pq

    rows = layers[0].rows
    table = rows.table
    if rows.shapes is not None:
        name = free_name(GEOMETRY, table.column_names)
        column: dict[str, Any] = {"encoding": "WKB", "geometry_types": sorted(kinds_of(rows.shapes))}
        column["crs"] = None if rows.crs is None else rows.crs.to_json_dict()
        if len(rows.shapes) and np.isfinite(bounds := shapely.total_bounds(rows.shapes)).all():
            column["bbox"] = [float(each) for each in bounds]
        geo = {"version": "1.1.0", "primary_column": name, "columns": {name: column}}
        table = rows.with_wkb(name).replace_schema_metadata({"geo": as_json(geo)})
    pq.write_table(table, path)
    return []


def geopackage(path: Path, layers: Sequence[Layer], members: Members) -> list[str]:
    """Each layer with its own system; row numbers and shapes give way to columns of their names."""
    said: list[str] = []
    for each in layers:
        layer, lost = _for_gdal(each, keep_bytes=True)
        said += lost
        taken = {name.casefold() for name in layer.rows.table.column_names}
        options = {"FID": free_name("fid", taken), "GEOMETRY_NAME": free_name("geom", taken)}
        said += _write(path, "GPKG", layer, layer.name, **options)
    return said


def flatgeobuf(path: Path, layers: Sequence[Layer], members: Members) -> list[str]:
    """Without an index, which would change the order of rows."""
    layer, said = _for_gdal(layers[0])
    if any(str(each).startswith(("date", "timestamp")) for each in layer.rows.table.schema.types):
        said.append("FlatGeobuf has one type for days and times, without a zone: times are in UTC")
    return [*said, *_write(path, "FlatGeobuf", layer, layer.name, SPATIAL_INDEX="NO")]


def kml(path: Path, layers: Sequence[Layer], members: Members) -> list[str]:
    """A folder a layer; columns called name, description, begin, end and timestamp become KML's own."""
    import pyogrio

    said: list[str] = []
    with _kml:  # its option is the whole process's
        pyogrio.set_gdal_config_options({_KML_ID: "-"})
        try:
            for each in layers:
                layer, lost = _for_gdal(each)
                said += lost
                said += _write(path, "LIBKML", _without_empty(layer), layer.name)
        finally:
            pyogrio.set_gdal_config_options({_KML_ID: None})
    return said


def shapefile(path: Path, layers: Sequence[Layer], members: Members) -> list[str]:
    """A ZIP of shapefiles: one for each layer, and for each kind of its shapes."""
    folder = path.with_name("parts")
    folder.mkdir()
    said: list[str] = []
    for each in layers:
        layer, lost = _for_gdal(each)
        layer, short = _short_fields(layer)
        said += [*lost, *short]
        parts = _families(layer)
        if len(parts) > 1:
            said.append(f"a shapefile holds one kind of shapes: {listed([name for name, _ in parts])}")
        for name, part in parts:
            said += _write(folder / f"{name}.shp", "ESRI Shapefile", part, name, ENCODING="UTF-8")
    pack(folder, path)
    return said


def _write(path: Path, driver: str, layer: Layer, name: str, **options: str) -> list[str]:
    """Write a layer by GDAL, and say what it warns of."""
    import pyogrio

    rows = layer.rows
    if rows.shapes is None:
        shown: dict[str, Any] = {"geometry_name": None, "geometry_type": None, "crs": None}
        table = rows.table
    else:
        kinds = kinds_of(rows.shapes)
        column = free_name(GEOMETRY, rows.table.column_names)
        table = rows.with_wkb(column)
        kind = kinds[0] if len(kinds) == 1 else "Unknown"
        crs = None if rows.crs is None else _written_crs(rows.crs)
        shown = {"geometry_name": column, "geometry_type": kind, "crs": crs}
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        pyogrio.write_arrow(table, path, layer=name, driver=driver, layer_options=options, **shown)
    return [one_line(str(each.message)).rstrip(".")[:200] for each in told[:_MOST_TOLD]]


def _without_empty(layer: Layer) -> Layer:
    """A layer without shapes that hold nothing, which KML has none of: such a row has no place."""
    if layer.rows.shapes is None:
        return layer
    shapes = layer.rows.shapes.copy()
    shapes[shapely.is_empty(shapes)] = None
    return replace(layer, rows=replace(layer.rows, shapes=shapes))


def _written_crs(crs: Any) -> str:
    code = crs.to_authority(min_confidence=100)
    return ":".join(code) if code else crs.to_wkt()


def _for_gdal(layer: Layer, *, keep_bytes: bool = False) -> tuple[Layer, list[str]]:
    """A layer in what GDAL takes: nested values as JSON, numbers without a sign as signed ones."""
    import pyarrow as pa
    import pyarrow.compute as pc

    table, said = (layer.rows.table, []) if keep_bytes else without_bytes(layer.rows.table)
    table = _nested_as_json(table)
    for at, field in enumerate(table.schema):
        if pa.types.is_uint64(field.type):
            most = pc.max(table.column(at)).as_py()
            kind = pa.int64() if most is None or most < 2**63 else pa.string()
            table = table.set_column(at, field.name, table.column(at).cast(kind))
        elif pa.types.is_decimal(field.type):
            table = table.set_column(at, field.name, table.column(at).cast(pa.float64()))
    names = names_apart(table.column_names)
    changed = [f"{old} is called {new}" for old, new in names.items() if old != new]
    rows = replace(layer.rows, table=table.rename_columns([names[each] for each in table.column_names]))
    return replace(layer, rows=rows), [*said, *changed]


def _short_fields(layer: Layer) -> tuple[Layer, list[str]]:
    """A layer within a shapefile's limits: names of 10 bytes, texts of 254, numbers of 18 digits."""
    import pyarrow as pa
    import pyarrow.compute as pc

    table, said = layer.rows.table, list[str]()
    for at, field in enumerate(table.schema):
        column = table.column(at)
        if pa.types.is_string(field.type):
            long = int(pc.sum(pc.greater(pc.binary_length(column), TEXT_BYTES)).as_py() or 0)
            if long:
                said.append(f"{number_of(long, 'text')} of {field.name} cut to {TEXT_BYTES} bytes")
                cut = [None if each is None else cut_bytes(each, TEXT_BYTES) for each in column.to_pylist()]
                table = table.set_column(at, field.name, pa.array(cut, pa.string()))
        elif pa.types.is_int64(field.type):
            ends = pc.min_max(column).as_py()
            if max((abs(each) for each in ends.values() if each is not None), default=0) >= _LONGEST_FIELD:
                said.append(f"{field.name} is text, as its numbers are too long for a number's field")
                table = table.set_column(at, field.name, column.cast(pa.string()))
    names = names_apart(table.column_names, NAME_BYTES)
    said += [f"{old} is called {new}" for old, new in names.items() if old != new]
    rows = replace(layer.rows, table=table.rename_columns([names[each] for each in table.column_names]))
    return replace(layer, rows=rows), said


def _families(layer: Layer) -> list[tuple[str, Layer]]:
    """A layer apart by kinds of shapes, under file names that any machine takes."""
    from tools.kept import safe_file_name

    name = safe_file_name(layer.name, "layer").replace(".", "-")
    shapes = layer.rows.shapes
    if shapes is None:
        return [(name, replace(layer, rows=replace(layer.rows, shapes=np.full(0, None))))]
    dimension = {
        0: "points",
        4: "multipoints",
        1: "lines",
        2: "lines",
        5: "lines",
        3: "polygons",
        6: "polygons",
    }
    kinds = np.array([dimension.get(int(each), "") for each in shapely.get_type_id(shapes)])
    if (shapely.get_type_id(shapes) == 7).any():
        raise ToolError("A shapefile holds no collections of shapes; geometry=single takes them apart.")
    found = [each for each in dict.fromkeys(kinds) if each]
    if len(found) <= 1:
        return [(name, layer)]
    kinds[kinds == ""] = found[0]
    parts = []
    for each in found:
        at = np.flatnonzero(kinds == each)
        rows = layer.rows.taken(at, shapes[at])
        parts.append((f"{name}_{each}", replace(layer, rows=rows)))
    return parts


def _texts_only(layer: Layer, *, times: bool = True) -> tuple[pa.Table, list[str]]:
    """A layer's columns as a sheet of text takes them; its shapes as WKT where they were asked for."""
    import pyarrow as pa

    table, said = without_bytes(layer.rows.table)
    table = _nested_as_json(table)
    for at, field in enumerate(table.schema if times else ()):
        if pa.types.is_timestamp(field.type):
            texts = [None if each is None else iso(each) for each in table.column(at).to_pylist()]
            table = table.set_column(at, field.name, pa.array(texts, pa.string()))
    if layer.as_text and layer.rows.shapes is not None:
        wkt = pa.array(shapely.to_wkt(layer.rows.shapes, rounding_precision=-1), pa.string())
        table = table.append_column(free_name("wkt", table.column_names), wkt)
    return table, said


def _nested_as_json(table: pa.Table) -> pa.Table:
    import pyarrow as pa

    for at, field in enumerate(table.schema):
        if pa.types.is_nested(field.type):
            texts = [None if each is None else as_json(each) for each in table.column(at).to_pylist()]
            table = table.set_column(at, field.name, pa.array(texts, pa.string()))
    return table


def _tuples(table: pa.Table) -> Iterator[Sequence[Any]]:
    for first in range(0, table.num_rows, BATCH_ROWS):
        batch = table.slice(first, BATCH_ROWS)
        yield from zip(*(batch.column(at).to_pylist() for at in range(batch.num_columns)), strict=True)


WAYS: dict[str, Way] = {
    ".gpkg": Way("GeoPackage", geopackage, many=True),
    ".geojson": Way("GeoJSON", geojson, degrees=True),
    ".parquet": Way("GeoParquet", parquet, made_of=False),
    ".geoparquet": Way("GeoParquet", parquet),
    ".fgb": Way("FlatGeobuf", flatgeobuf),
    ".shp.zip": Way("zipped shapefile", shapefile, many=True),
    ".zip": Way("zipped shapefile", shapefile, many=True),
    ".kml": Way("KML", kml, many=True, degrees=True),
    ".csv": Way("CSV", csv, shapes=False),
    ".xlsx": Way("Excel workbook", xlsx, many=True, shapes=False),
    ".json": Way("JSON", records, many=True, shapes=False),
}
"""The formats by how a file's name ends."""

"""Write rows of the selection or of a table as files that other programs read.

Each says where its rows came from, and of a sample that it is one: a CSV in its column `origin` and
in a `.provenance.json` beside it (a comment line would be a row to spreadsheets, pandas and QGIS), GeoJSON
in a member `provenance` of the collection, GeoParquet in the file's metadata under `azimuth`.
"""

from __future__ import annotations

import contextlib
import csv
import io
import json
import os
import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb
import pandas as pd
import shapely

from data.catalogue.duck_dialect import literal
from data.numbers import EXACT
from data.profiles import holds_times
from data.schema import DatasetInfo
from state.model import State
from tools.artifacts import Call
from tools.base import Step, World, tool
from tools.data.pages import pages
from tools.data.provenance import origin_words, provenance, source_infos
from tools.data.summaries import TableOrSelection
from tools.noting import note
from tools.phrases import number_of
from tools.row_shapes import geometries
from tools.tables import OUTLINES, have_shapes, own_features, plain_value, without_outlines

if TYPE_CHECKING:
    import pyarrow as pa

Pages = Iterable["pd.DataFrame"]
GEOMETRY = "geometry"
"""The column of shapes, as every reader of GeoParquet knows it."""

_FORMULA = r"\A[=+\-@\t\r]"
_RUNS_NOTHING = r"\A[+\-][^(|!=@\[\t\r\n]*\z"
"""What calls nothing, as it has no bracket, no sheet and no program: -12,5, a unit of -, +49 30 123."""
_COORDINATE_DEG = 1e-7
"""About a centimetre: what RFC 7946 calls enough."""


@tool("data", changes_state=True, gives=("document",), long_running=True)
def export_csv(state: State, world: World, *, table: TableOrSelection = None) -> Step:
    """Write all rows of the selection or of a table as a CSV file, with where they came from.

    UTF-8, commas, one header line. The column `origin` says of each row of a data set whether it is of a
    sample; rows of the user's own files have their own columns alone.
    A text that a spreadsheet would run as a formula gets an apostrophe in front.

    Example: copilot call export_csv

    Asked as: export as CSV | download the results | save the table as a file | give me a spreadsheet | csv of
    the selection | export the data | write it to a comma separated file
    """
    call = Call.of(export_csv, table=table)
    rows, found = pages(state, world, table)
    about = provenance(state, world, table, rows, call)
    infos = source_infos(state, world, table)
    marked = with_origin(found, infos)
    step = written(state, world, call, ".csv", "CSV", rows, lambda path: write_csv(path, marked, infos))
    beside = Path(f"{step.data['path']}.provenance.json")
    beside.write_text(json.dumps(about, ensure_ascii=False, indent=1), encoding="utf-8")
    return step


@tool("data", changes_state=True, gives=("document",), long_running=True)
def export_geojson(state: State, world: World, *, table: TableOrSelection = None) -> Step:
    """Write all rows of the selection or of a table as a GeoJSON file, with where they came from.

    Example: copilot call export_geojson

    Asked as: export as GeoJSON | save the footprints as geojson | vector file of the selection | download for
    QGIS | geojson please | write the features to a file
    """
    call = Call.of(export_geojson, table=table)
    rows, found = pages(state, world, table)
    about = provenance(state, world, table, rows, call)
    return written(
        state, world, call, ".geojson", "GeoJSON", rows, lambda path: write_geojson(path, found, about)
    )


@tool("data", changes_state=True, gives=("document",), long_running=True)
def export_geoparquet(state: State, world: World, *, table: TableOrSelection = None) -> Step:
    """Write all rows of the selection or of a table as a GeoParquet 1.1 file, with where they came from.

    Example: copilot call export_geoparquet

    Asked as: export as GeoParquet | parquet file | save it for geopandas | write a .parquet | columnar export
    """
    call = Call.of(export_geoparquet, table=table)
    rows, found = pages(state, world, table)
    about = provenance(state, world, table, rows, call)
    infos = source_infos(state, world, table)
    return written(
        state,
        world,
        call,
        ".parquet",
        "GeoParquet",
        rows,
        lambda path: write_geoparquet(path, found, about, infos),
    )


def write_csv(path: Path, found: Pages, infos: list[DatasetInfo]) -> None:
    """Pages as one CSV file, written by DuckDB: pandas and pyarrow take many times as long, or quote all."""
    write_csv_tables(path, (arrow_columns(page, infos) for page in found))


def write_csv_tables(path: Path, found: Iterable[pa.Table]) -> None:
    """Tables of the same columns as one CSV file, without what a spreadsheet would run as a formula.

    The names stand in it as they are: to DuckDB `Name` and `name` are one, and it would rename the second.
    """
    import pyarrow as pa

    tables = map(_plain_texts, found)
    first = next(tables)
    header = _line(first.column_names)
    while not first.num_rows:
        if (following := next(tables, None)) is None:
            path.write_text(header, encoding="utf-8", newline="")
            return
        first = following.cast(first.schema)
    plain = pa.schema([(f"c{at}", field.type) for at, field in enumerate(first.schema)])
    broken: list[Exception] = []

    def batches() -> Iterator[pa.RecordBatch]:
        try:
            for table in chain((first,), tables):
                yield from table.cast(first.schema).rename_columns(plain.names).to_batches()
        except Exception as error:
            broken.append(error)  # DuckDB tells of it in words of its own
            raise

    # A line of one cell that is empty is none to most readers, unless it is quoted.
    rows = "pages" if len(plain) > 1 else "(SELECT coalesce(CAST(c0 AS VARCHAR), '') FROM pages)"
    with _writer().cursor() as connection:
        connection.register("pages", pa.RecordBatchReader.from_batches(plain, batches()))
        how = f"FORMAT csv, HEADER false, PREFIX {literal(header)}, SUFFIX '\n'"
        try:
            connection.execute(f"COPY {rows} TO {literal(str(path))} ({how})")
        except duckdb.Error:
            if broken:
                raise broken[0] from None
            raise


def _line(names: Iterable[str]) -> str:
    """A line of a CSV."""
    line = io.StringIO()
    csv.writer(line, lineterminator="\r\n").writerow(names)
    return line.getvalue().removesuffix("\r\n") + "\n"


@cache
def _writer() -> duckdb.DuckDBPyConnection:
    """An empty database that writes files, one for all: to open one takes longer than a short file."""
    return duckdb.connect(config={"threads": 1})


def write_geojson(path: Path, found: Pages, about: dict[str, Any]) -> None:
    """Pages as one GeoJSON feature collection, a feature a line."""
    with path.open("w", encoding="utf-8") as file:
        file.write(f'{{"type":"FeatureCollection","provenance":{_json(about)},"features":[')
        comma = ""
        for page in found:
            rounded = shapely.set_precision(geometries(page), _COORDINATE_DEG)
            shapes = shapely.to_geojson(shapely.orient_polygons(rounded))  # RFC 7946, 3.1.6
            for shape, row in zip(shapes, _beside_shapes(page).to_dict("records"), strict=True):
                properties = {str(key): plain_value(value) for key, value in row.items()}
                identity = f'"id":{_json(properties["image_id"])},' if properties.get("image_id") else ""
                file.write(
                    f'{comma}\n{{"type":"Feature",{identity}"geometry":{shape or "null"},'
                    f'"properties":{_json(properties)}}}'
                )
                comma = ","
        file.write("\n]}\n")


def write_geoparquet(path: Path, found: Pages, about: dict[str, Any], infos: list[DatasetInfo]) -> None:
    """Pages as one GeoParquet file (1.1.0, WKB, longitude first), one row group a page."""
    from pyarrow.parquet import ParquetWriter

    writer: ParquetWriter | None = None
    try:
        for page in found:
            batch = _arrow(page, infos)
            if writer is None:
                writer = ParquetWriter(path, batch.schema.with_metadata(_metadata(about)), compression="zstd")
            writer.write_table(batch.cast(writer.schema))
    finally:
        if writer is not None:
            writer.close()


def with_origin(found: Pages, infos: list[DatasetInfo]) -> Iterator[pd.DataFrame]:
    """Pages with the column `origin`: the data set's for rows that name one, else that of all together.

    Rows that came of none, the user's own, stay as they are.
    """
    if not infos:
        yield from found
        return
    words = origin_words(infos)
    overall = " and ".join(sorted(set(words.values()))) or "unknown"
    for page in found:
        column = page["dataset"].map(words).fillna(overall) if "dataset" in page else overall
        name = "origin" if "origin" not in page else "azimuth_origin"
        yield page.assign(**{name: column})


def written(
    state: State, world: World, call: Call, suffix: str, kind: str, rows: int, write: Callable[[Path], None]
) -> Step:
    """Write a document whole or not at all, and say so."""
    artifact = call.artifact("document", state, f"{kind} export", f"{number_of(rows, 'row')} as {kind}")
    path = world.artifacts.path(artifact.id, suffix)
    unfinished = path.with_name(f".{path.name}.writing")
    try:
        write(unfinished)
        os.replace(unfinished, path)
    finally:
        unfinished.unlink(missing_ok=True)
    facts = {"document": artifact.id, "path": str(path), "rows": rows, "bytes": path.stat().st_size}
    said = f"Wrote {number_of(rows, 'row')} as {kind}; the document is {artifact.id}."
    return Step(state.with_artifact(artifact), said, facts)


def _arrow(page: pd.DataFrame, infos: list[DatasetInfo]) -> pa.Table:
    """A page with its geometry as WKB."""
    import pyarrow as pa

    shapes = pa.array(shapely.to_wkb(geometries(page)), pa.binary())
    return arrow_columns(_beside_shapes(page), infos).append_column(GEOMETRY, shapes)


def _beside_shapes(page: pd.DataFrame) -> pd.DataFrame:
    """A page's own columns, none of them with the name of the shapes: `geometry` becomes `geometry_`.

    A query may give that name to what it likes; readers take it for the shapes, or find it twice and give up.
    """
    plain = without_outlines(own_features(page) if have_shapes(page) else page)
    names = {str(name).casefold() for name in plain.columns}
    free = GEOMETRY
    while free in names:
        free += "_"
    return plain.rename(columns={name: free for name in plain.columns if str(name).casefold() == GEOMETRY})


def arrow_columns(page: pd.DataFrame, infos: list[DatasetInfo]) -> pa.Table:
    """A page without its footprints, in types that do not depend on the page's values."""
    import pyarrow as pa

    kinds: dict[str, set[str]] = {}
    for info in infos:
        for name, kind in info.properties:
            kinds.setdefault(name, set()).add(kind)
    found = {
        str(name): _column(page[name], str(name), kinds.get(str(name), set()))
        for name in without_outlines(page).columns
    }
    return pa.table(found)


def _column(values: pd.Series[Any], name: str, kinds: set[str]) -> pa.Array:
    import pyarrow as pa

    from data.schema import IMAGES

    dtype = values.dtype
    numeric = pd.api.types.is_numeric_dtype(dtype)
    known = name in IMAGES.names and name != OUTLINES
    if known and (numeric or not _holds_numbers(IMAGES.field(name).type)):
        # A query may give the name to what is none: acquired to a year, footprint to a word.
        with contextlib.suppress(pa.ArrowInvalid, pa.ArrowTypeError):
            return pa.array(values, IMAGES.field(name).type, from_pandas=True)
    if kinds == {"number"}:
        found = pd.to_numeric(values, errors="coerce").astype(float)
        if (found.abs() >= EXACT).any():
            note(f"{name} holds numbers over 2^53, which a data set keeps with their first 15 digits only.")
        return pa.array(found, pa.float64(), from_pandas=True)
    if not kinds and (numeric or holds_times(values)):
        return pa.array(values, from_pandas=True)
    if isinstance(dtype, pd.StringDtype):
        return pa.array(values, pa.string(), from_pandas=True)
    return pa.array([_text(value) for value in values], pa.string())


def _holds_numbers(kind: pa.DataType) -> bool:
    import pyarrow as pa

    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind))


def _text(value: Any) -> str | None:
    plain = plain_value(value)
    if isinstance(plain, (list, dict)):
        return _json(plain)
    return None if plain is None else str(plain)


def _plain_texts(table: pa.Table) -> pa.Table:
    """Texts, and the header, without what a spreadsheet would run as a formula."""
    import pyarrow as pa
    import pyarrow.compute as pc

    for index, field in enumerate(table.schema):
        if pa.types.is_string(field.type):
            texts = table.column(index)
            harmless = pc.binary_join_element_wise("'", texts, "")
            table = table.set_column(index, field, pc.if_else(_formulas(texts), harmless, texts))
    return table.rename_columns([f"'{name}" if is_formula(name) else name for name in table.column_names])


def _formulas(texts: pa.ChunkedArray) -> pa.ChunkedArray:
    """Which texts a spreadsheet would run as a formula."""
    import pyarrow.compute as pc

    return pc.and_not(
        pc.match_substring_regex(texts, _FORMULA), pc.match_substring_regex(texts, _RUNS_NOTHING)
    )


def is_formula(text: str) -> bool:
    """Whether a spreadsheet would run a text as a formula."""
    return bool(re.match(_FORMULA, text)) and not re.match(_RUNS_NOTHING.replace(r"\z", r"\Z"), text)


def formula_count(table: pa.Table) -> int:
    """How many cells a spreadsheet would run as a formula, which are made harmless in a CSV."""
    import pyarrow as pa
    import pyarrow.compute as pc

    texts = [table.column(at) for at, each in enumerate(table.schema) if pa.types.is_string(each.type)]
    return sum(int(pc.sum(_formulas(each)).as_py() or 0) for each in texts)


def _metadata(about: dict[str, Any]) -> dict[str, str]:
    geo = {
        "version": "1.1.0",
        "primary_column": GEOMETRY,
        "columns": {GEOMETRY: {"encoding": "WKB", "geometry_types": []}},
    }
    return {"geo": _json(geo), "azimuth": _json(about)}


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


TOOLS = (export_csv, export_geojson, export_geoparquet)

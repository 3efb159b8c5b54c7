"""CSV and Parquet as they come in: points where rows have coordinates, else a table."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import shapely
from numpy.typing import NDArray
from pyproj import CRS

from data.readers.base import BadRecord
from data.readers.csv_points import Table, attributes, batches, column_types, layout
from data.readers.geoparquet import not_attributes, said_of
from data.uploads.brought import Brought, Incoming
from data.uploads.encodings import asked_encoding, encoding_said
from data.uploads.errors import UploadError, shown
from data.uploads.frames import MAX_FEATURES, WGS84, exact_frame, features
from data.uploads.gdal import reason_of
from data.uploads.rows import (
    AXES,
    are_degrees,
    as_table,
    bring_frame,
    by_shapes,
    check_columns,
    check_degrees,
    degrees_in,
    hemispheres,
    points,
    system_wanted,
    written_said,
)
from data.uploads.vectors import no_part

MAX_ROWS = 5_000_000
MAX_CSV_BYTES = 1_000_000_000
MAX_UNPACKED_BYTES = 3_000_000_000
MAX_CELL_BYTES = 1_000_000


def bring_csv(incoming: Incoming) -> Brought:
    """Delimited text: points or shapes by its columns of coordinates, else a table."""
    no_part(incoming)
    size = incoming.path.stat().st_size
    if size > MAX_CSV_BYTES:
        raise UploadError(
            f"{incoming.shown} has {size / 1e9:.1f} GB, and at most {MAX_CSV_BYTES / 1e9:g} GB are read; "
            "send it as Parquet, or ingest it as a data set."
        )
    broken: dict[int, str] = {}
    written: Counter[str] = Counter()
    try:
        table = layout(incoming.path, asked_encoding(incoming))
        check_columns(incoming, len(table.columns))
        frame, coordinates = _csv_frame(table, column_types(table), broken, written)
    except BadRecord as error:
        raise UploadError(f"{incoming.shown} cannot be read as a table: {str(error).rstrip('.')}.") from None
    notes = [] if table.encoding in ("utf8", "utf-16") else [encoding_said(incoming, table.encoding)]
    notes += [f"{said[:1].upper()}{said[1:]}." for said in table.said()]
    if broken:
        number, reason = next(iter(sorted(broken.items())))
        notes.append(f"{len(broken):,} of its rows were left out: row {number} has {reason}.")
    if coordinates is None:
        return bring_frame(incoming, frame, "a CSV").noted(*notes)
    if len(coordinates) == 1:
        found = by_shapes(incoming, str(table.wkt), coordinates[0].tolist(), frame, "a CSV")
        return (found or as_table(incoming, frame.assign(**{str(table.wkt): coordinates[0]}), "a CSV")).noted(
            *notes
        )
    lon, lat = hemispheres(frame, coordinates[0], coordinates[1], notes)
    told = "lon" in str(table.lon).lower()
    check_degrees(incoming, str(table.lon), str(table.lat))
    notes += written_said(written)
    if incoming.asked.crs is None and not told and not are_degrees(lon, lat):
        notes.append(system_wanted(frame, str(table.lon), str(table.lat)))
        return as_table(incoming, frame, "a CSV").noted(*notes)
    found = features(
        incoming, points(lon, lat), frame, None, "a CSV", in_degrees_by_rule=told, rows_stay=True
    )
    return found.noted(*notes)


def bring_parquet(incoming: Incoming) -> Brought:
    """GeoParquet as features, other Parquet as a table; never more than fits into memory."""
    no_part(incoming)
    broken = f"{incoming.shown} is cut off or broken and cannot be read as Parquet"
    try:
        with pq.ParquetFile(incoming.path) as file:
            metadata = file.metadata
            groups = (metadata.row_group(number) for number in range(metadata.num_row_groups))
            unpacked = sum(group.total_byte_size for group in groups)
            check_columns(incoming, metadata.num_columns)
            if metadata.num_rows > MAX_ROWS or unpacked > MAX_UNPACKED_BYTES:
                raise UploadError(
                    f"{incoming.shown} claims {metadata.num_rows:,} rows and {unpacked / 1e9:.1f} GB; "
                    f"at most {MAX_ROWS:,} rows and {MAX_UNPACKED_BYTES / 1e9:g} GB are read."
                )
            geo = _geo(metadata.metadata, incoming)
            table = _whole(file, incoming)
    except (pa.ArrowException, OSError, ValueError, KeyError, OverflowError) as error:
        raise UploadError(f"{broken} ({reason_of(error)}); export it again.") from None
    if geo is None:
        return bring_frame(incoming, exact_frame(table), "a Parquet")
    return _geoparquet(incoming, table, geo)


def joined_pieces(incoming: Incoming, folder: Path, target: Path) -> Path:
    """The pieces of a partitioned Parquet data set below `folder` as one file, batch by batch.

    Columns that one piece lacks are empty in it; the folders' names (year=2020) become columns. Raises
    UploadError for pieces that do not fit together.
    """
    import pyarrow.dataset as ds

    try:
        first = ds.dataset(folder, format="parquet", partitioning="hive")
        schema = pa.unify_schemas([each.physical_schema for each in first.get_fragments()])
        for name in first.schema.names:
            if name not in schema.names:
                schema = schema.append(first.schema.field(name))
        whole = ds.dataset(folder, schema=schema, format="parquet", partitioning="hive")
        if whole.count_rows() > MAX_ROWS:
            raise UploadError(f"{incoming.shown} has over {MAX_ROWS:,} rows, the most that is read.")
        with pq.ParquetWriter(target, schema) as writer:
            for batch in whole.to_batches():
                writer.write_batch(batch)
    except (pa.ArrowException, OSError, ValueError, TypeError) as error:
        raise UploadError(
            f"{incoming.shown} holds pieces of Parquet that do not fit together ({reason_of(error)}); "
            "send them one by one."
        ) from None
    return target


def _csv_frame(
    table: Table, types: dict[str, Any], broken: dict[int, str], written: Counter[str]
) -> tuple[pd.DataFrame, list[NDArray[Any]] | None]:
    """The typed columns without the coordinates, and these: (lon, lat) numbers, or (WKT,) texts, or None."""
    named = [table.wkt] if table.wkt else [table.lon, table.lat] if table.lon and table.lat else []
    # Only a pair or a shape places a row; a lone "x" or "lat" stays a column.
    lon, lat, wkt = _roles(table)
    cut = replace(table, lon=lon, lat=lat, wkt=wkt)
    kept: list[pa.Table] = []
    found: list[list[NDArray[Any]]] = [[] for _ in named]
    rows = 0
    for batch in batches(cut, broken):
        rows += batch.num_rows
        if rows > (MAX_FEATURES if named else MAX_ROWS):
            raise BadRecord(f"it has over {rows:,} rows; ingest it as a data set instead")
        _check_cells(batch)
        for place, name in enumerate(named):
            column = batch.column(name)
            found[place].append(
                column.to_numpy(zero_copy_only=False)
                if table.wkt
                else degrees_in(column, AXES[place], written)
            )
        typed = attributes(cut, pa.Table.from_batches([batch]), types)
        if lon is not None and lat is not None:  # they place the rows, and stay columns of theirs
            typed = _in_order(
                table, typed.append_column(lon, batch.column(lon)).append_column(lat, batch.column(lat))
            )
        kept.append(
            typed if typed.num_columns else pa.table({"row": pa.array(range(rows - batch.num_rows, rows))})
        )
    if not kept:
        raise BadRecord("it has a header and no rows")
    whole = pa.concat_tables(kept)
    for each in (lon, lat):
        if each is not None:
            whole = whole.set_column(whole.column_names.index(each), each, _as_numbers(whole.column(each)))
    frame = exact_frame(whole)
    return frame, [np.concatenate(each) for each in found] if named else None


def _in_order(table: Table, typed: pa.Table) -> pa.Table:
    """The columns in the order of the file."""
    return typed.select([each for each in table.columns if each in typed.column_names])


def _as_numbers(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Texts as numbers where each of them is one; else as they are. An empty one is no value."""
    column = pc.if_else(pc.equal(pc.utf8_trim_whitespace(column), ""), None, column)
    for kind in (pa.int64(), pa.float64()):
        try:
            return column.cast(kind)
        except pa.ArrowInvalid:
            continue
    return column


def _check_cells(batch: pa.RecordBatch) -> None:
    for column in batch.columns:
        longest = pc.max(pc.binary_length(column)).as_py() or 0
        if longest > MAX_CELL_BYTES:
            raise BadRecord(f"it has a cell of {longest:,} bytes; at most {MAX_CELL_BYTES:,} are read in one")


def _roles(table: Table) -> tuple[str | None, str | None, str | None]:
    if table.wkt:
        return None, None, table.wkt
    both = table.lon is not None and table.lat is not None
    return (table.lon, table.lat, None) if both else (None, None, None)


def _geo(metadata: dict[bytes, bytes] | None, incoming: Incoming) -> dict[str, Any] | None:
    text = (metadata or {}).get(b"geo")
    if text is None:
        return None
    found = json.loads(text)
    if not isinstance(found, dict) or not isinstance(found.get("columns"), dict):
        raise UploadError(f"{incoming.shown} has GeoParquet metadata that is none; export it again.")
    return found


def _whole(file: pq.ParquetFile, incoming: Incoming) -> pa.Table:
    """All rows, counted as they come: a value that is repeated may be packed into next to nothing."""
    parts, total = [], 0
    for batch in file.iter_batches(batch_size=1_000 if file.metadata.num_rows < 100_000 else 20_000):
        total += batch.nbytes
        if total > MAX_UNPACKED_BYTES:
            raise UploadError(
                f"{incoming.shown} unpacks to over {MAX_UNPACKED_BYTES / 1e9:g} GB, the most that is read; "
                "send less of it."
            )
        parts.append(batch)
    return pa.Table.from_batches(parts, schema=file.schema_arrow)


def _geoparquet(incoming: Incoming, table: pa.Table, geo: dict[str, Any]) -> Brought:
    primary = str(geo.get("primary_column", "geometry"))
    about = geo["columns"].get(primary)
    if not isinstance(about, dict) or primary not in table.column_names:
        raise UploadError(f"{incoming.shown} names no column of geometries that it has; export it again.")
    if about.get("encoding", "WKB") != "WKB":
        raise UploadError(
            f"{incoming.shown} encodes its geometries as {shown(str(about.get('encoding')))}; "
            "export them as WKB."
        )
    column = table.column(primary).combine_chunks()
    if not (pa.types.is_binary(column.type) or pa.types.is_large_binary(column.type)):
        raise UploadError(f"{incoming.shown} has geometries that are no WKB; export it again.")
    with np.errstate(invalid="ignore"):  # coordinates that are not numbers are told further down
        shapes = shapely.from_wkb(column.to_numpy(zero_copy_only=False), on_invalid="ignore")
    dropped = not_attributes(geo, table.schema)
    said = said_of(geo, primary, table.column_names)
    crs: CRS | None = WGS84
    if "crs" in about:
        crs = None if about["crs"] is None else _named(about["crs"], incoming)
    rows = exact_frame(table.drop_columns(list(dict.fromkeys(dropped))))
    found = features(incoming, shapes, rows, crs, "a GeoParquet")
    return found.noted(*(f"{each[:1].upper()}{each[1:]}." for each in said))


def _named(crs: Any, incoming: Incoming) -> CRS:
    from pyproj.exceptions import CRSError

    try:
        return CRS.from_user_input(crs)
    except (CRSError, ValueError, TypeError):
        raise UploadError(
            f"{incoming.shown} names a coordinate system that is not known; name it with crs."
        ) from None

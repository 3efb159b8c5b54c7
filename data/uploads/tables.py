"""CSV, Parquet and Excel as they come in: points where rows have coordinates, else a table."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import date, datetime, time, timedelta
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import shapely
from numpy.typing import NDArray
from pyproj import CRS

from data.profiles import columns_said, profiles_of
from data.readers.base import BadRecord
from data.readers.csv_points import Table, attributes, batches, column_types, coordinate_columns, layout
from data.uploads.archive import listing, read_member
from data.uploads.brought import Brought, Incoming
from data.uploads.encodings import asked_encoding, encoding_said
from data.uploads.errors import BROKEN, UploadError, shown
from data.uploads.frames import MAX_COLUMNS, MAX_FEATURES, WGS84, columns_of, features, plain_columns
from data.uploads.gdal import reason_of
from data.uploads.item import table_parts
from data.uploads.vectors import no_part

MAX_ROWS = 5_000_000
MAX_CSV_BYTES = 1_000_000_000
MAX_UNPACKED_BYTES = 3_000_000_000
MAX_CELL_BYTES = 1_000_000
MAX_CELLS = 20_000_000
_DTD_LOOK_BYTES = 4_096


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
    try:
        table = layout(incoming.path, asked_encoding(incoming))
        _check_columns(incoming, len(table.columns))
        frame, coordinates = _csv_frame(table, column_types(table), broken)
    except BadRecord as error:
        raise UploadError(f"{incoming.shown} cannot be read as a table: {str(error).rstrip('.')}.") from None
    notes = [] if table.encoding in ("utf8", "utf-16") else [encoding_said(incoming, table.encoding)]
    if broken:
        number, reason = next(iter(sorted(broken.items())))
        notes.append(f"{len(broken):,} of its rows were left out: row {number} has {reason}.")
    if coordinates is None:
        return bring_frame(incoming, frame, "a CSV").noted(*notes)
    by_wkt = len(coordinates) == 1
    shapes = shapely.from_wkt(coordinates[0], on_invalid="ignore") if by_wkt else _points(*coordinates)
    told = not by_wkt and "lon" in str(table.lon).lower()
    found = features(incoming, shapes, frame, None, "a CSV", in_degrees_by_rule=told)
    return found.noted(*notes)


def bring_frame(incoming: Incoming, frame: pd.DataFrame, title: str) -> Brought:
    """A table: points when it has columns of longitude and latitude, else as it is."""
    lon, lat, _ = coordinate_columns([str(each) for each in frame.columns])
    if lon is not None and lat is not None:
        plain = plain_columns(frame.reset_index(drop=True))
        x, y = (pd.to_numeric(plain[name], errors="coerce").to_numpy(float) for name in (lon, lat))
        if np.isfinite(x).any():
            return features(incoming, _points(x, y), plain.drop(columns=[lon, lat]), None, title)
    if not len(frame.columns):
        raise UploadError(f"{incoming.shown} holds no columns; send a table with a header.")
    if not len(frame):
        raise UploadError(f"{incoming.shown} holds a header and no rows; send a table with rows.")
    frame = plain_columns(frame.reset_index(drop=True))
    target = incoming.folder / "table.parquet"
    try:
        frame.to_parquet(target, index=False)
    except (pa.ArrowException, ValueError, TypeError, OverflowError) as error:
        raise UploadError(
            f"{incoming.shown} cannot be kept as a table ({reason_of(error)}); send a CSV."
        ) from None
    profiles = profiles_of(frame)
    rows = f"{len(frame):,} row{'' if len(frame) == 1 else 's'}"
    named = [str(each)[:40] for each in frame.columns[:12]]
    more = f" and {len(frame.columns) - 12} more" if len(frame.columns) > 12 else ""
    return Brought(
        kind="table",
        path=target,
        suffix=".parquet",
        summary=rows,
        what=f"{title} table of {rows} with {', '.join(named)}{more}",
        notes=(columns_said(profiles, len(frame.columns)),),
        facts={
            "rows": len(frame),
            "columns": [str(each) for each in frame.columns],
            "profile": profiles,
        },
        item=table_parts(columns_of(frame), len(frame), None, None),
    )


def bring_parquet(incoming: Incoming) -> Brought:
    """GeoParquet as features, other Parquet as a table; never more than fits into memory."""
    no_part(incoming)
    broken = f"{incoming.shown} is cut off or broken and cannot be read as Parquet"
    try:
        with pq.ParquetFile(incoming.path) as file:
            metadata = file.metadata
            groups = (metadata.row_group(number) for number in range(metadata.num_row_groups))
            unpacked = sum(group.total_byte_size for group in groups)
            _check_columns(incoming, metadata.num_columns)
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
        return bring_frame(incoming, table.to_pandas(), "a Parquet")
    return _geoparquet(incoming, table, geo)


def bring_xlsx(incoming: Incoming) -> Brought:
    """One sheet of an Excel workbook: the part that was asked for, else the first."""
    import openpyxl
    from openpyxl.utils.exceptions import InvalidFileException

    check_office(incoming)
    wanted = incoming.asked.part
    try:
        book = openpyxl.load_workbook(incoming.path, read_only=True, data_only=True, keep_links=False)
        try:
            names = [sheet.title for sheet in book.worksheets]
            if wanted is not None and wanted not in names:
                known = ", ".join(shown(each) for each in names[:8])
                raise UploadError(f"{incoming.shown} has no sheet {shown(wanted)}; it has {known}.")
            if not names:
                raise UploadError(f"{incoming.shown} has no sheet of cells; save it with one.")
            sheet = book[wanted or names[0]]
            sheet.reset_dimensions()
            frame = _sheet_frame(sheet.iter_rows(values_only=True), incoming)
        finally:
            book.close()
    except UploadError:
        raise
    except (InvalidFileException, *BROKEN) as error:
        raise UploadError(
            f"{incoming.shown} is broken and no Excel workbook ({reason_of(error)}); save it again."
        ) from None
    notes = []
    if len(names) > 1:
        taken = wanted or names[0]
        others = ", ".join(shown(each) for each in names[:10] if each != taken)
        notes.append(f"Its sheet {shown(taken)} was taken; part names another of them: {others}.")
    return bring_frame(incoming, frame, "an Excel").noted(*notes)


def check_office(incoming: Incoming) -> None:
    """An Office file is a ZIP of XML: held to an archive's limits, and no part may declare entities."""
    for member in listing(incoming.path):
        if member.is_folder or not member.name.endswith((".xml", ".rels")):
            continue
        start = _start_of(incoming, member.name, member.size_bytes)
        if b"<!DOCTYPE" in start or b"<!ENTITY" in start:
            raise UploadError(
                f"{incoming.shown} declares a document type in {shown(member.name)}, as a bomb does; "
                "save it again."
            )


def _start_of(incoming: Incoming, name: str, size: int) -> bytes:
    import zipfile
    import zlib

    if size <= _DTD_LOOK_BYTES:
        return read_member(incoming.path, name, _DTD_LOOK_BYTES).upper()
    try:
        with zipfile.ZipFile(incoming.path) as archive, archive.open(name) as part:
            return part.read(_DTD_LOOK_BYTES).upper()
    except (zipfile.BadZipFile, KeyError, OSError, zlib.error, EOFError, RuntimeError, NotImplementedError):
        raise UploadError(f"{incoming.shown} is cut off or broken; save it again.") from None


def _check_columns(incoming: Incoming, count: int) -> None:
    if count > MAX_COLUMNS:
        raise UploadError(f"{incoming.shown} has {count:,} columns; at most {MAX_COLUMNS:,} are read.")


def _csv_frame(
    table: Table, types: dict[str, Any], broken: dict[int, str]
) -> tuple[pd.DataFrame, list[NDArray[Any]] | None]:
    """The typed columns without the coordinates, and these: (lon, lat) numbers, or (WKT,) texts, or None."""
    from data.readers.csv_points import floats

    named = [table.wkt] if table.wkt else [table.lon, table.lat] if table.lon and table.lat else []
    # Only a pair or a shape places a row; a lone "x" or "lat" stays a column.
    cut = Table(table.path, table.encoding, table.delimiter, table.columns, *_roles(table))
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
            found[place].append(column.to_numpy(zero_copy_only=False) if table.wkt else floats(column))
        typed = attributes(cut, pa.Table.from_batches([batch]), types)
        kept.append(
            typed if typed.num_columns else pa.table({"row": pa.array(range(rows - batch.num_rows, rows))})
        )
    if not kept:
        raise BadRecord("it has a header and no rows")
    frame = pa.concat_tables(kept).to_pandas()
    return frame, [np.concatenate(each) for each in found] if named else None


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


def _points(x: NDArray[np.float64], y: NDArray[np.float64]) -> NDArray[np.object_]:
    found = np.full(len(x), None, dtype=object)
    good = np.isfinite(x) & np.isfinite(y)
    found[good] = shapely.points(x[good], y[good])
    return found


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
    dropped = [name for name in (*geo["columns"], "bbox") if name in table.column_names]
    crs: CRS | None = WGS84
    if "crs" in about:
        crs = None if about["crs"] is None else _named(about["crs"], incoming)
    return features(
        incoming, shapes, table.drop_columns(list(dict.fromkeys(dropped))).to_pandas(), crs, "a GeoParquet"
    )


def _named(crs: Any, incoming: Incoming) -> CRS:
    from pyproj.exceptions import CRSError

    try:
        return CRS.from_user_input(crs)
    except (CRSError, ValueError, TypeError):
        raise UploadError(
            f"{incoming.shown} names a coordinate system that is not known; name it with crs."
        ) from None


def _sheet_frame(rows: Iterator[tuple[Any, ...]], incoming: Incoming) -> pd.DataFrame:
    """The cells below the first row that is not blank, which names the columns."""
    header: tuple[Any, ...] | None = None
    found: list[tuple[Any, ...]] = []
    cells = 0
    for row in rows:
        if all(cell is None for cell in row):
            continue
        if header is None:
            header = row
            _check_columns(incoming, len(row))
            continue
        cells += len(row)
        if cells > MAX_CELLS or len(row) > MAX_COLUMNS:
            raise UploadError(f"{incoming.shown} has over {MAX_CELLS:,} cells; send it as CSV or Parquet.")
        found.append(row)
    if header is None:
        raise UploadError(f"{incoming.shown} holds no cells in that sheet; send one with a table.")
    width = max([len(header), *(len(row) for row in found)])
    names = [
        str(cell).strip() if cell is not None else "" for cell in (*header, *[None] * (width - len(header)))
    ]
    columns = {
        number: [_cell(row[number]) if number < len(row) else None for row in found]
        for number in range(width)
    }
    frame = pd.DataFrame(columns).set_axis(names, axis=1)
    return frame.loc[:, [bool(name) or frame.iloc[:, at].notna().any() for at, name in enumerate(names)]]


def _cell(value: Any) -> Any:
    """A cell as a table holds it: times as text in ISO 8601."""
    if isinstance(value, (datetime, date, time)):
        return value.isoformat()
    return str(value) if isinstance(value, timedelta) else value

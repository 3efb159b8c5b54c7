"""CSV and other delimited text whose rows have coordinates: longitude and latitude, or WKT."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pacsv
import shapely
from numpy.typing import NDArray

from data.readers.base import BadRecord, Item, Noted, Reader, Rejected
from data.readers.coordinates import Axis, degrees_of, shapes_of
from data.readers.dates import ColumnTimes
from data.readers.encodings import encoding_of
from data.readers.features import MAX_PROPERTIES, OnTheMap, first_named, table_batch, times_noted
from data.readers.files import first_file, head, relative, share_of, walk
from data.readers.geometry import Extents, extents_of, point_problems
from data.readers.quotes import ClosedQuotes

SUFFIXES = frozenset({".csv", ".tsv", ".txt"})
_LONS = (
    "lon",
    "longitude",
    "lng",
    "long",
    "decimallongitude",
    "longitude_deg",
    "lon_deg",
    "detect_lon",
    "center_lon",
    "centroid_lon",
    "longitude_wgs84",
    "x",
)
_LATS = (
    "lat",
    "latitude",
    "decimallatitude",
    "latitude_deg",
    "lat_deg",
    "detect_lat",
    "center_lat",
    "centroid_lat",
    "latitude_wgs84",
    "y",
)
_WKTS = ("wkt", "geometry", "geom", "the_geom", "geometry_wkt", "footprint")
_BLOCK_BYTES = 8 * 2**20
_HEAD_CHARS = 65_536
# JSON's own way to write a number; "007" and "+49" are codes, not quantities.
_INTEGER = r"^-?(0|[1-9]\d{0,18})$"
_LONGEST = 19
"""Characters from which a whole number may have over 64 bits."""
_LONG = r"^-?\d{18,}$"
"""Whole numbers with more digits than a float has: ids, which stay text where they are no 64-bit numbers."""
_NUMBER = r"^-?(0|[1-9]\d*)(\.\d+)?([eE][-+]?\d+)?$"
HEADER_OF_VALUES = "the first row looks like values and was taken for the names of the columns"
_SEP = re.compile(r'"?sep=([,;|\t])"?\s*', re.I)
_NOT_A_NUMBER = ("", "NA", "N/A", "NaN", "nan", "null", "NULL", "None")


@dataclass(frozen=True)
class Table:
    """How a file is cut into columns, and what they hold."""

    path: Path
    encoding: str
    delimiter: str
    columns: tuple[str, ...]
    lon: str | None
    lat: str | None
    wkt: str | None
    skipped: int = 0
    """Lines before the header."""
    comments: int = 0
    """How many of these are comments: they begin with #."""
    escaped: bool = False
    """Whether a quote within quotes has a backslash before it, and not another quote."""

    @property
    def header_is_values(self) -> bool:
        """Whether the first row looks like values, and not like names: most of its cells are numbers."""
        numbers = sum(1 for name in self.columns if re.fullmatch(_NUMBER[1:-1], name))
        return numbers * 2 > len(self.columns)

    def said(self) -> list[str]:
        """What is to be said of how it is laid out, without capitals and full stops."""
        found = [HEADER_OF_VALUES] if self.header_is_values else []
        if self.comments:
            are = "line before its header is a comment" if self.comments == 1 else (
                "lines before its header are comments")  # fmt: skip
            found.append(f"{self.comments:,} {are}, and left out")
        return found + (["its quotes are escaped by backslashes, and were read so"] if self.escaped else [])


def sniff(source: Path) -> float:
    """Fairly sure when the header names coordinates."""
    path = first_file(source, SUFFIXES)
    if path is None:
        return 0.0
    try:
        look(path)
    except BadRecord:
        return 0.0
    return 0.7 if source.is_file() else 0.5 * share_of(source, SUFFIXES)


def read(source: Path) -> Iterator[Item]:
    """One feature for each row with coordinates."""
    for path in walk(source, SUFFIXES if source.is_dir() else None):
        try:
            table = look(path)
            yield from _rows(table, relative(path, source))
        except BadRecord as error:
            yield Rejected(relative(path, source), None, str(error))


def look(path: Path) -> Table:
    """How a table is laid out. Raises BadRecord, naming the columns seen, when none are coordinates."""
    table = layout(path)
    if (table.lon is None or table.lat is None) and table.wkt is None:
        seen = ", ".join(repr(column[:40]) for column in table.columns[:6])
        raise BadRecord(
            f"no columns of coordinates: seen {seen}; "
            "'lon' and 'lat' (or 'longitude' and 'latitude', or 'wkt') would have worked"
        )
    return table


def layout(path: Path, encoding: str | None = None) -> Table:
    """How a table is laid out, whether or not it has coordinates. Raises BadRecord for an empty file.

    Without an `encoding`, its letters tell it.
    """
    text = head(path)
    if not text.strip():
        unread = not text and path.stat().st_size > 0
        raise BadRecord("the file may not be read by this user" if unread else "the file is empty")
    encoding = encoding or encoding_of(path)
    if encoding != "utf8":
        with path.open(encoding=encoding, errors="replace") as stream:
            text = stream.read(_HEAD_CHARS)
    lines = text.splitlines()
    skipped = 0
    delimiter = None
    if (told := _SEP.fullmatch(lines[0])) is not None and len(lines) > 1:
        # Excel's own line, which names the sign between columns.
        delimiter, skipped, lines = told[1], 1, lines[1:]
    comments = _comments(lines)
    skipped, lines = skipped + comments, lines[comments:]
    first_line = lines[0]
    if not first_line.strip():
        raise BadRecord("the first line is blank, where the names of the columns would have worked")
    delimiter = delimiter or max(",;\t|", key=first_line.count)
    columns = _unique(
        [cell.strip() for cell in next(csv.reader(io.StringIO(first_line), delimiter=delimiter))]
    )
    lon, lat, wkt = coordinate_columns(columns)
    wkt = None if lon and lat else wkt
    escaped = encoding != "utf-16" and _is_escaped(
        lines if len(text) < _HEAD_CHARS else lines[:-1], delimiter
    )
    return Table(path, encoding, delimiter, tuple(columns), lon, lat, wkt, skipped, comments, escaped)


def _comments(lines: Sequence[str]) -> int:
    """How many lines before the header are comments; a header may itself begin with the sign."""
    count = next((at for at, line in enumerate(lines) if line.strip() and not line.startswith("#")), 0)
    if count and any(lines[count - 1].count(sign) == lines[count].count(sign) > 0 for sign in ",;\t|"):
        count -= 1
    return count


def _is_escaped(lines: Sequence[str], delimiter: str) -> bool:
    """Whether quotes are escaped by backslashes: so read, rows are as wide as the header, and else not."""
    if not any('\\"' in line for line in lines):
        return False
    rows = [list(csv.reader(lines, delimiter=delimiter))]
    told = {"doublequote": False, "escapechar": "\\", "strict": True}
    with suppress(csv.Error):  # of a quote that is never closed
        rows.append(list(csv.reader(lines, delimiter=delimiter, **told)))  # type: ignore[arg-type]
    plain, escaped = ({len(row) for row in each} for each in (rows[0], rows[-1]))
    ends = any(cell.endswith("\\") or '\\"' in cell for row in rows[0] for cell in row)
    # A folder's name may end in a backslash before its quote: so read, rows would run into each other.
    fits = len(rows) == 2 and len(escaped) == 1 and len(rows[1]) >= len(rows[0])
    return fits and (len(plain) > 1 or ends)


def coordinate_columns(columns: Sequence[str]) -> tuple[str | None, str | None, str | None]:
    """The columns that hold longitudes, latitudes and WKT; None for those that are not there."""
    return first_named(columns, _LONS), first_named(columns, _LATS), first_named(columns, _WKTS)


def _rows(table: Table, file: str) -> Iterator[Item]:
    types = column_types(table)
    if table.encoding not in ("utf8", "utf-16"):
        yield Noted(file, None, f"its text was read as {table.encoding}, as its letters tell")
    if len(table.columns) > MAX_PROPERTIES:
        yield Noted(
            file,
            None,
            f"{len(table.columns)} columns: only the first {MAX_PROPERTIES} are kept as properties",
        )
    for said in table.said():
        yield Noted(file, None, said)
    broken: dict[int, str] = {}
    times, on_map = ColumnTimes(), OnTheMap()
    next_row = 1
    for batch in batches(table, broken):
        rows = _row_numbers(next_row, batch.num_rows, broken)
        next_row = int(rows[-1]) + 1 if len(rows) else next_row
        extents = places_of(table, batch, on_map)
        bad = np.flatnonzero(extents.problem != None)  # noqa: E711 - elementwise over an object array
        for index in bad:
            yield Rejected(file, int(rows[index]), extents.problem[index])
        good = np.flatnonzero(extents.problem == None)  # noqa: E711
        if len(good):
            kept = (
                pa.Table.from_batches([batch])
                if len(good) == batch.num_rows
                else pa.Table.from_batches([batch]).take(pa.array(good))
            )
            typed = attributes(table, kept, types)
            yield table_batch(typed, extents.take(good), rows[good], file, times)
    yield from times_noted(list(types), times, file)
    yield from on_map.noted(file)
    for row, reason in sorted(broken.items()):
        yield Rejected(file, row, reason)


def batches(table: Table, broken: dict[int, str]) -> Iterator[pa.RecordBatch]:
    """The file as batches of text columns; rows of the wrong width go to `broken`, by row number."""

    def wrong_width(row: pacsv.InvalidRow) -> str:
        # Arrow counts physical rows from 1, the header included.
        number = (row.number or 0) - 1 - table.skipped
        broken[number] = f"{row.actual_columns} columns where the header has {row.expected_columns}"
        return "skip"

    try:
        reader = pacsv.open_csv(
            _source(table),
            read_options=pacsv.ReadOptions(
                use_threads=False,
                block_size=_BLOCK_BYTES,
                skip_rows=1 + table.skipped,
                column_names=list(table.columns),
                encoding=table.encoding,
            ),
            parse_options=pacsv.ParseOptions(
                delimiter=table.delimiter, newlines_in_values=True, invalid_row_handler=wrong_width
            ),
            convert_options=pacsv.ConvertOptions(
                column_types=dict.fromkeys(table.columns, pa.string()), strings_can_be_null=False
            ),
        )
        yield from reader
    except pa.ArrowInvalid as error:
        if "Empty CSV" in str(error):
            return
        raise BadRecord(f"the table cannot be read on: {str(error).splitlines()[0][:160]}") from None
    except UnicodeDecodeError as error:
        raise BadRecord(
            f"a byte in it ({error.object[error.start]:#x}) is none of {table.encoding}"
        ) from None


def _source(table: Table) -> Path | pa.PythonFile:
    if table.encoding == "utf-16":
        return table.path
    closed = ClosedQuotes(table.path, table.delimiter, len(table.columns), escaped=table.escaped)
    return pa.PythonFile(closed, mode="r")


def column_types(table: Table) -> dict[str, pa.DataType]:
    """int64, float64 or string for each column, from all of its values."""
    types = dict.fromkeys(table.columns[:MAX_PROPERTIES], pa.int64())
    seen: set[str] = set()
    for batch in batches(table, {}):
        for name, kind in types.items():
            if kind == pa.string():
                continue
            column = batch.column(name)
            column = column.filter(pc.invert(pc.is_in(column, pa.array(_NOT_A_NUMBER))))
            if len(column) == 0:
                continue
            seen.add(name)
            if kind == pa.int64() and not _are_whole(column):
                kind = pa.float64()
            if kind == pa.float64() and (
                not pc.all(pc.match_substring_regex(column, _NUMBER)).as_py()
                or pc.any(pc.match_substring_regex(column, _LONG)).as_py()
                or not _are_finite(column)
            ):
                kind = pa.string()
            types[name] = kind
    return {name: kind if name in seen else pa.string() for name, kind in types.items()}


def _are_finite(column: pa.Array) -> bool:
    """Whether no number is too large for a float, as 9e999 is, which is then a code."""
    powers = column.filter(pc.match_substring(column, "e", ignore_case=True))
    return bool(pc.all(pc.is_finite(powers.cast(pa.float64()))).as_py()) if len(powers) else True


def _are_whole(column: pa.Array) -> bool:
    """Whether all are whole numbers of at most 64 bits."""
    if not pc.all(pc.match_substring_regex(column, _INTEGER)).as_py():
        return False
    if pc.max(pc.binary_length(column)).as_py() < _LONGEST:
        return True
    try:
        column.cast(pa.int64())
    except pa.ArrowInvalid:
        return False
    return True


def attributes(table: Table, rows: pa.Table, types: dict[str, pa.DataType]) -> pa.Table:
    """The columns without the coordinates, typed; empty cells are null."""
    columns = {}
    for name, kind in types.items():
        if name in (table.lon, table.lat, table.wkt):
            continue
        column = rows.column(name)
        empty = pc.is_in(column, pa.array(("",) if kind == pa.string() else _NOT_A_NUMBER))
        columns[name] = pc.if_else(empty, pa.scalar(None, pa.string()), column).cast(kind)
    return pa.table(columns) if columns else pa.table({"row": pa.nulls(rows.num_rows)}).select([])


def places_of(table: Table, batch: pa.RecordBatch, on_map: OnTheMap) -> Extents:
    """Where the rows of a batch lie, from the columns of coordinates; `on_map` counts what was moved."""
    if table.wkt is not None:
        try:
            shapes, srid = shapes_of(batch.column(table.wkt).to_pylist())
        except ValueError as error:
            raise BadRecord(str(error)) from None
        return extents_of(on_map.shapes(shapes if srid in (None, 4326) else _in_degrees(shapes, srid)))
    assert table.lon is not None and table.lat is not None
    lon = on_map.longitudes(floats(batch.column(table.lon), "longitude"))
    lat = floats(batch.column(table.lat), "latitude")
    box = np.column_stack([lon, lat, lon, lat])
    return Extents(lon, lat, box, np.full(len(lon), None, dtype=object), point_problems(lon, lat))


def _in_degrees(shapes: NDArray[np.object_], srid: int | None) -> NDArray[np.object_]:
    from data.readers.vector import to_wgs84

    transformer = to_wgs84(f"EPSG:{srid}")
    if transformer is None:
        return shapes
    return np.asarray(shapely.transform(shapes, transformer.transform, interleaved=False), dtype=object)


def floats(column: pa.Array, axis: Axis) -> NDArray[np.float64]:
    """Texts as numbers, also with a decimal comma or in degrees and minutes; else not-a-number."""
    try:
        return np.asarray(column.cast(pa.float64()).to_numpy(zero_copy_only=False))
    except pa.ArrowInvalid:  # some cell is not a number: take it cell by cell
        return np.array([degrees_of(text, axis) for text in column.to_pylist()], dtype="float64")


def _row_numbers(start: int, count: int, broken: dict[int, str]) -> NDArray[np.int64]:
    """The row numbers of the next `count` good rows, stepping over the broken ones."""
    skipped = np.array([row for row in broken if row >= start], dtype="int64")
    numbers = np.arange(start, start + count + len(skipped))
    return numbers[~np.isin(numbers, skipped)][:count]


def _unique(names: list[str]) -> list[str]:
    """Column names without blanks and doubles."""
    found: dict[str, None] = {}
    for number, name in enumerate(names, start=1):
        base = name or f"column_{number}"
        found[base if base not in found else f"{base}_{number}"] = None
    return list(found)


READER = Reader("csv", "a table with coordinates (CSV, TSV)", sniff, read)

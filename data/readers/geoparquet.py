"""GeoParquet: one row group's batches at a time."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from data.readers.base import BadRecord, Item, Noted, Reader, Rejected
from data.readers.features import ROWS_PER_BATCH
from data.readers.files import first_file, relative, share_of, walk
from data.readers.vector import parquet_metadata, shape_items, to_wgs84

SUFFIXES = frozenset({".parquet", ".geoparquet"})


def sniff(source: Path) -> float:
    """Sure when the footer has GeoParquet's "geo" key."""
    path = first_file(source, SUFFIXES)
    if path is None:
        return 0.0
    try:
        _geo(path)
    except BadRecord:
        return 0.0
    return 0.95 if source.is_file() else 0.5 * share_of(source, SUFFIXES)


def read(source: Path) -> Iterator[Item]:
    """One feature for each row."""
    for path in walk(source, SUFFIXES if source.is_dir() else None):
        file = relative(path, source)
        try:
            yield from _rows(path, file)
        except BadRecord as error:
            yield Rejected(file, None, str(error))


def _rows(path: Path, file: str) -> Iterator[Item]:
    geo = _geo(path)
    primary = str(geo.get("primary_column", "geometry"))
    columns = geo.get("columns", {})
    about = columns.get(primary, {}) if isinstance(columns, dict) else {}
    if about.get("encoding", "WKB") != "WKB":
        raise BadRecord(f"the geometry is encoded as {about.get('encoding')!r}; WKB would have worked")
    transformer = to_wgs84(about.get("crs"))
    first_row = 1
    try:
        with pq.ParquetFile(path) as parquet:
            dropped = not_attributes(geo, parquet.schema_arrow)
            if isinstance(columns, dict) and isinstance(about, dict):
                for each in said_of(geo, primary, parquet.schema_arrow.names):
                    yield Noted(file, None, each)
            for batch in parquet.iter_batches(batch_size=ROWS_PER_BATCH):
                table = pa.Table.from_batches([batch])
                wkb = table.column(primary).to_numpy()
                attributes = table.drop_columns(
                    [name for name in {primary, *dropped} if name in table.column_names]
                )
                yield from shape_items(attributes, wkb, transformer, first_row, file)
                first_row += batch.num_rows
    except (pa.ArrowInvalid, OSError, KeyError) as error:
        raise BadRecord(f"the Parquet file is damaged: {str(error).splitlines()[0][:120]}") from None


def said_of(geo: Mapping[str, Any], primary: str, names: Sequence[str]) -> list[str]:
    """What is said of the columns of shapes among `names`, and is not honoured."""
    about, said = geo["columns"].get(primary, {}), []
    if (edges := about.get("edges", "planar")) != "planar":
        said.append(
            f"its edges are {str(edges)[:20]!r}, the shortest way on the globe; they were read as straight "
            "on the map, so long ones lie elsewhere, and areas are others"
        )
    if isinstance(epoch := about.get("epoch"), int | float):
        said.append(
            f"its coordinates are as of {epoch:.7g} (their epoch), and were not moved to another time"
        )
    others = [repr(str(each)[:80]) for each in geo["columns"] if each != primary and each in names]
    if others:
        said.append(f"its other columns of shapes ({', '.join(others[:6])}) were left out")
    return said


def not_attributes(geo: Mapping[str, Any], schema: pa.Schema) -> list[str]:
    """The columns that are no attributes: shapes, and boxes of them as they are stored beside them."""
    columns = geo.get("columns")
    shapes = columns if isinstance(columns, dict) else {}
    boxes = {"bbox"}
    for each in shapes.values():
        covering = each.get("covering") if isinstance(each, dict) else None
        sides = covering.get("bbox") if isinstance(covering, dict) else None
        boxes |= {str(path[0]) for path in (sides.values() if isinstance(sides, dict) else ()) if path}
    return [
        field.name
        for field in schema
        if field.name in shapes or (field.name in boxes and pa.types.is_struct(field.type))
    ]


def _geo(path: Path) -> dict[str, Any]:
    metadata = parquet_metadata(path).metadata or {}
    try:
        geo = json.loads(metadata[b"geo"])
    except (KeyError, ValueError):
        raise BadRecord(
            "the Parquet file has no GeoParquet metadata, so it is not known where its rows lie"
        ) from None
    if not isinstance(geo, dict):
        raise BadRecord("the GeoParquet metadata is not an object")
    return geo


READER = Reader("geoparquet", "GeoParquet", sniff, read)

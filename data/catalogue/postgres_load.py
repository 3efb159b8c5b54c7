"""The catalogue's tables in PostgreSQL, and how a data set's Parquet files are copied into them.

Schema `catalogue` holds `datasets`, and `images` and `detections` with one partition per data set;
schema `catalogue_views` holds what a user's own SELECT may read.
"""

from __future__ import annotations

import hashlib
import io
import json
from pathlib import Path

import psycopg
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq
import sqlalchemy as sa

from data.catalogue.whole import DETECTIONS_FILE, IMAGES_FILE
from data.catalogue.write import check_name, info_to_json
from data.schema import CLASS_BITS_PER_WORD, DETECTIONS, IMAGES, DatasetInfo

SCHEMA = "catalogue"
VIEWS_SCHEMA = "catalogue_views"
READER = "azimuth_catalogue_reader"
_LOCK = 4_027_911_735  # any number: two processes that start at once make the tables one after the other
_TYPES = {
    pa.int16(): "smallint",
    pa.int32(): "integer",
    pa.float32(): "real",
    pa.float64(): "double precision",
    pa.string(): 'text COLLATE "C"',
    pa.timestamp("us"): "timestamp",
    pa.binary(): "bytea",
    pa.list_(pa.int64()): "bigint[]",
}
_ROWS_AT_ONCE = 20_000


def create_tables(connection: sa.Connection) -> bool:
    """Make what is missing; True when user SQL can run as a role that may only read the views."""
    run = connection.exec_driver_sql
    run(f"SELECT pg_advisory_xact_lock({_LOCK})")
    for schema in (SCHEMA, VIEWS_SCHEMA):
        run(f"CREATE SCHEMA IF NOT EXISTS {schema}")
    if not run("SELECT 1 FROM pg_extension WHERE extname = 'postgis'").fetchone():
        run("CREATE EXTENSION postgis SCHEMA public")
    run(f"SET LOCAL search_path = {SCHEMA}, public")
    run(
        "CREATE TABLE IF NOT EXISTS datasets (name text PRIMARY KEY, version text NOT NULL, info"
        " jsonb NOT NULL)"
    )
    images = ", ".join(_column(field) for field in IMAGES)
    centre = (
        "centre geometry(Point, 4326) GENERATED ALWAYS AS (ST_SetSRID(ST_MakePoint(lon, lat), 4326)) STORED"
    )
    run(f"CREATE TABLE IF NOT EXISTS images ({images}, {centre}) PARTITION BY LIST (dataset)")
    boxes = ", ".join(_column(field) for field in DETECTIONS)
    run(
        f'CREATE TABLE IF NOT EXISTS detections (dataset text COLLATE "C", {boxes}) PARTITION BY LIST'
        f" (dataset)"
    )
    _create_views(connection)
    return _create_reader(connection)


def load_dataset(connection: sa.Connection, folder: Path, info: DatasetInfo) -> None:
    """Replace a data set's rows by those of its folder, within the caller's transaction."""
    check_name(info.name)
    drop_dataset(connection, info.name)
    run = connection.exec_driver_sql
    run(f"SET LOCAL search_path = {SCHEMA}, public")
    images, boxes = _partition("images", info.name), _partition("detections", info.name)
    for parent, child in (("images", images), ("detections", boxes)):
        run(f"CREATE TABLE {child} PARTITION OF {parent} FOR VALUES IN ('{info.name}')")
    _copy(connection, folder / IMAGES_FILE, images, IMAGES.names, None)
    if info.detections:
        _copy(connection, folder / DETECTIONS_FILE, boxes, ["dataset", *DETECTIONS.names], info.name)
    run(f"CREATE UNIQUE INDEX ON {images} (image_id)")
    run(f"CREATE UNIQUE INDEX ON {images} (image_num)")
    run(f"CREATE INDEX ON {images} (acquired)")
    run(f"CREATE INDEX ON {images} USING gist (centre)")
    run(f"CREATE INDEX ON {boxes} (image_num)")
    run(f"ANALYZE {images}")
    run(f"ANALYZE {boxes}")
    row = {"name": info.name, "version": info.version, "info": json.dumps(info_to_json(info))}
    connection.execute(sa.text("INSERT INTO datasets VALUES (:name, :version, CAST(:info AS jsonb))"), row)


def drop_dataset(connection: sa.Connection, name: str) -> None:
    """Remove a data set's partitions and its manifest, where there are any."""
    check_name(name)
    for parent in ("images", "detections"):
        connection.exec_driver_sql(f"DROP TABLE IF EXISTS {SCHEMA}.{_partition(parent, name)}")
    connection.execute(sa.text(f"DELETE FROM {SCHEMA}.datasets WHERE name = :name"), {"name": name})


def _partition(parent: str, name: str) -> str:
    """A partition's name: identifiers end at 63 bytes and a data set's name may be as long."""
    return f"{parent}_{hashlib.sha256(name.encode()).hexdigest()[:16]}"


def _column(field: pa.Field) -> str:
    kind = "jsonb" if field.name == "properties" else _TYPES[field.type]
    return f"{field.name} {kind}"


def _create_views(connection: sa.Connection) -> None:
    run = connection.exec_driver_sql
    classes = (
        f"ARRAY(SELECT c ->> 'name' FROM jsonb_array_elements(s.info -> 'classes') AS c"
        f" WHERE (i.class_words[(c ->> 'id')::int / {CLASS_BITS_PER_WORD} + 1]"
        f" >> ((c ->> 'id')::int %% {CLASS_BITS_PER_WORD})) & 1 = 1 ORDER BY (c ->> 'id')::int) AS classes"
    )
    columns = ", ".join(f"i.{name}" for name in IMAGES.names if name != "class_words")
    run(
        f"CREATE OR REPLACE VIEW {VIEWS_SCHEMA}.images AS"
        f" SELECT {columns}, {classes} FROM images AS i JOIN datasets AS s ON s.name = i.dataset"
    )
    run(
        f"CREATE OR REPLACE VIEW {VIEWS_SCHEMA}.detections AS"
        " SELECT i.image_id || '/' || d.num AS detection_id, i.image_id, d.dataset, c.name AS class_name,"
        " d.confidence, d.length_m, d.lon, d.lat, d.west, d.south, d.east, d.north, d.outline"
        " FROM detections AS d JOIN images AS i USING (dataset, image_num)"
        " LEFT JOIN (SELECT s.name AS dataset, (c ->> 'id')::int AS id, c ->> 'name' AS name"
        " FROM datasets AS s, jsonb_array_elements(s.info -> 'classes') AS c) AS c"
        " ON c.dataset = d.dataset AND c.id = d.class_id"
    )
    scalars = ("title", "description", "origin", "source", "licence")
    texts = ", ".join(f"info ->> '{name}' AS {name}" for name in scalars)
    run(
        f"CREATE OR REPLACE VIEW {VIEWS_SCHEMA}.datasets AS SELECT name, {texts}, (info ->>"
        f" 'images')::bigint AS images,"
        " (info ->> 'detections')::bigint AS detections, info ->> 'start' AS first_day, info ->>"
        " 'end' AS last_day"
        " FROM datasets"
    )


def _create_reader(connection: sa.Connection) -> bool:
    """A role that may read the views and nothing else; an account without CREATEROLE does without."""
    run = connection.exec_driver_sql
    try:
        with connection.begin_nested():
            if not run(f"SELECT 1 FROM pg_roles WHERE rolname = '{READER}'").fetchone():
                run(f"CREATE ROLE {READER} NOLOGIN")
                run(f"GRANT {READER} TO CURRENT_USER")
            run(f"GRANT USAGE ON SCHEMA {VIEWS_SCHEMA} TO {READER}")
            run(f"GRANT SELECT ON ALL TABLES IN SCHEMA {VIEWS_SCHEMA} TO {READER}")
    except sa.exc.ProgrammingError as error:
        if isinstance(error.orig, psycopg.errors.InsufficientPrivilege):
            return False
        raise
    return True


def _copy(connection: sa.Connection, path: Path, table: str, columns: list[str], dataset: str | None) -> None:
    """COPY a Parquet file's rows, as CSV: quoted where there is a value, so that empty text is not null."""
    driver = connection.connection.driver_connection
    assert isinstance(driver, psycopg.Connection)
    options = pa_csv.WriteOptions(include_header=False, quoting_style="all_valid")
    statement = f"COPY {SCHEMA}.{table} ({', '.join(columns)}) FROM STDIN (FORMAT csv)"
    with driver.cursor() as cursor, cursor.copy(statement.encode()) as copy, pq.ParquetFile(path) as file:
        for batch in file.iter_batches(_ROWS_AT_ONCE):
            plain = pa.table({name: _as_text(batch.column(name)) for name in batch.schema.names})
            if dataset is not None:
                plain = plain.add_column(0, "dataset", pa.array([dataset] * len(plain), pa.string()))
            buffer = io.BytesIO()
            pa_csv.write_csv(plain.select(columns), buffer, options)
            copy.write(buffer.getvalue())


def _as_text(column: pa.Array) -> pa.Array:
    """Columns as CSV can hold them: bytes in hexadecimal, bit sets as an array literal."""
    if pa.types.is_binary(column.type):
        return pa.array([None if v is None else "\\x" + v.hex() for v in column.to_pylist()], pa.string())
    if pa.types.is_list(column.type):
        joined = pc.binary_join(pc.cast(column, pa.list_(pa.string())), ",")
        return pc.binary_join_element_wise("{", joined, "}", "")
    return column

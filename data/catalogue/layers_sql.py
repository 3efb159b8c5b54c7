"""Where a SELECT over a session's own layers and tables runs, with the catalogue's views beside them.

It is locked down as a SELECT over the catalogue is (data.catalogue.duck_sql): a process of its own, no file
but those that it was given, no network, no settings. Shapes keep the coordinate system that they are stored
in, so that DuckDB refuses to mix two of them; every axis order is longitude first.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import duckdb

from data.apart.limits import Limits
from data.apart.pool import ReadFailed
from data.apart.reader import Reader
from data.apart.reading import name_of, plain
from data.catalogue.base import CatalogueAway, CatalogueError
from data.catalogue.duck_sql import START_S, data_sets, ended, folder_of_set, literal, locked, within
from data.catalogue.guard import bare, check_select, leaves_groups_unordered
from data.schema import DatasetInfo

MEMORY_LIMIT = "1500MB"
PROCESS_BYTES = 6_000_000_000
"""Of address space, which DuckDB's threads and allocator take more of than they use."""
MOST_BYTES = 1_000_000_000
"""The largest file that an answer may be."""
ANSWER = "answer.parquet"
CATALOGUE_VIEWS = ("images", "detections", "datasets")
_SPATIAL = re.compile(r"st_|geometry|in_degrees|in_metres|area_m2|length_m", re.IGNORECASE)
"""A query without any of these, over tables alone, does without the spatial extension (0.15 s)."""
_DECIMAL = re.compile(r"DECIMAL\(\d+,\d+\)")
_UNKEPT = ("UUID", "INTERVAL", "BIT", "TIME WITH TIME ZONE", "UNION")
"""Types that a Parquet file, or pandas, does not keep as they are: they become text."""
_FLOAT_DIGITS = 15
"""A decimal of so many digits is the same again when it comes back from a float."""

Seen = tuple[Path, Sequence[DatasetInfo], bool]
"""The catalogue's part: its folder, the data sets that are seen, and whether paths are."""


def select_layers(
    query: str,
    layers: Mapping[str, Path],
    seen: Seen | None,
    *,
    crs: str | None,
    metres: str | None,
    max_rows: int,
    timeout_s: float,
    reader: Reader,
    folder: Path,
) -> dict[str, str]:
    """Run one SELECT over those Parquet files by their names, and write its answer to `folder`/ANSWER.

    A file with shapes is GeoParquet. `crs` is what the answer's shapes are brought into, and what shapes are
    taken to be in that were made of numbers; `metres` is the system of `in_metres`, None where none fits.
    The answer is {"geometry": the column of shapes, "system": theirs, "made": whether they were made of
    numbers, of no system, "texts": other shapes, now WKT, "long": whole numbers over 64 bits, now text,
    "rounded": decimals that lost digits}, each empty where there is none.
    Raises CatalogueError when it is refused, fails or gives too much; CatalogueAway past time or memory.
    """
    own = [each.lower() for each in layers]
    views = (*own, *(each for each in CATALOGUE_VIEWS if seen is not None and each not in own))
    check_select(query, views)
    root, infos, paths = seen if seen is not None else (None, (), False)
    named = [(info.owner if info.private else None, info.name) for info in infos]
    about = {"crs": crs or "", "metres": metres or ""}
    job = {
        "function": name_of(answer_layers),
        "args": plain((query, dict(layers), root, named, paths, about, max_rows, timeout_s)),
        "kwargs": {},
        "error": CatalogueError.__name__,
        "reads": [
            *(str(each) for each in layers.values()),
            *(str(folder_of_set(root, info)) for info in infos if root is not None),
        ],
        "folder": str(folder),
    }
    limits = Limits(timeout_s + START_S, PROCESS_BYTES, MOST_BYTES)
    try:
        said = reader.pool.run(job, limits, reader.owner, reader.session)
    except ReadFailed as failed:
        raise CatalogueAway(ended(failed.how, timeout_s, MEMORY_LIMIT)) from failed
    if "error" in said:
        raise CatalogueError(str(said["error"]))
    found: dict[str, str] = said["answer"]
    if how := found.get("ended"):
        raise CatalogueAway(ended(how, timeout_s, MEMORY_LIMIT))
    return found


def answer_layers(
    query: str,
    layers: dict[str, Path],
    root: Path | None,
    named: list[tuple[str | None, str]],
    paths: bool,
    about: dict[str, str],
    max_rows: int,
    timeout_s: float,
) -> dict[str, str]:
    """Run a SELECT that was checked and write its answer here, in a process of its own: see `select_layers`.

    Raises CatalogueError, MemoryError.
    """
    infos = () if root is None else data_sets(root, named)
    spatial = any(_has_shapes(path) for path in layers.values()) or _SPATIAL.search(query) is not None

    def prepare(connection: duckdb.DuckDBPyConnection) -> list[str]:
        if spatial:
            connection.execute("SET geometry_always_xy = true")
            _helpers(connection, about["metres"])
        for name, path in layers.items():
            connection.execute(f"CREATE VIEW {_quoted(name)} AS {_source(connection, path)}")
        return [str(each) for each in layers.values()] + [f"{Path.cwd()}/"]

    order = "ORDER BY ALL" if leaves_groups_unordered(query) else ""
    told: dict[str, str] = {}
    with locked(root, infos, 2, spatial, paths, MEMORY_LIMIT, prepare) as connection:

        def write() -> None:
            inner = f"({bare(query)}\n) AS answer"
            described = connection.execute(f"DESCRIBE SELECT * FROM {inner}").fetchall()
            types = [(str(row[0]), str(row[1])) for row in described]
            told.update(_written(connection, inner, types, about["crs"], f"{order} LIMIT {int(max_rows)}"))

        how = within(connection, timeout_s, write)
    return told if how == "done" else {"ended": how}


def _has_shapes(path: Path) -> bool:
    import pyarrow.parquet as pq

    schema = pq.read_schema(path)
    return b"geo" in (schema.metadata or {}) or "footprint" in schema.names


def _source(connection: duckdb.DuckDBPyConnection, path: Path) -> str:
    """A file's rows; outlines that are kept as bytes are shapes in longitude and latitude."""
    read = f"read_parquet({literal(str(path))})"
    types = dict(row[:2] for row in connection.execute(f"DESCRIBE SELECT * FROM {read}").fetchall())
    if types.get("footprint") != "BLOB" or "geometry" in types:
        return f"SELECT * FROM {read}"
    shape = "ST_SetCRS(ST_GeomFromWKB(footprint), 'EPSG:4326') AS geometry"
    return f"SELECT * EXCLUDE (footprint), {shape} FROM {read}"


def _helpers(connection: duckdb.DuckDBPyConnection, metres: str) -> None:
    """`in_degrees`, `in_metres`, `area_m2` and `length_m` of a shape, in whatever system it is stored."""
    for name, crs in (("in_degrees", "EPSG:4326"), ("in_metres", metres)):
        if crs:
            there = "coalesce(ST_CRS(g), 'EPSG:4326')"
            shape = f"ST_SetCRS(ST_Transform(g, {there}, {literal(crs)}), {literal(crs)})"
            connection.execute(f"CREATE MACRO {name}(g) AS {shape}")
    # DuckDB 1.5.5's own give 0 for squares in a row; GEOS is right.
    connection.execute("CREATE MACRO st_distance(a, b) AS ST_Distance_GEOS(a, b)")
    connection.execute("CREATE MACRO st_dwithin(a, b, d) AS ST_DWithin_GEOS(a, b, d)")
    connection.execute("CREATE MACRO area_m2(g) AS ST_Area_Spheroid(in_degrees(g))")
    connection.execute("CREATE MACRO length_m(g) AS ST_Length_Spheroid(in_degrees(g))")


def _written(
    connection: duckdb.DuckDBPyConnection, inner: str, types: list[tuple[str, str]], crs: str, first: str
) -> dict[str, str]:
    """Write an answer's `first` rows to ANSWER; what is told of it.

    Whole numbers are written with 64 bits. Where that is too few for one, its column is written as text.
    """

    def copy(long: Sequence[str]) -> dict[str, str]:
        chosen, told = _kept(types, crs, long)
        limited = f"SELECT {chosen} FROM {inner} {first}"
        connection.execute(f"COPY ({limited}) TO {literal(ANSWER)} (FORMAT parquet)")
        return told

    try:
        told = copy(())
    except duckdb.ConversionException:
        whole = {name: _quoted(name) for name, kind in types if _is_whole(kind)}
        beyond = {
            name: f"{column} IS NOT NULL AND TRY_CAST({column} AS BIGINT) IS NULL"
            for name, column in whole.items()
        }
        long = _where(connection, inner, first, beyond)
        if not long:
            raise
        told = copy(long)
    told["rounded"] = ", ".join(_rounded(connection, inner, first, types))
    return told


def _where(
    connection: duckdb.DuckDBPyConnection, inner: str, first: str, conditions: Mapping[str, str]
) -> list[str]:
    """Those columns of an answer whose condition any of its `first` rows meets."""
    if not conditions:
        return []
    asked = ", ".join(f"bool_or({condition})" for condition in conditions.values())
    row = connection.execute(f"SELECT {asked} FROM (SELECT * FROM {inner} {first})").fetchone()
    return [name for name, met in zip(conditions, row or (), strict=False) if met]


def _rounded(
    connection: duckdb.DuckDBPyConnection, inner: str, first: str, types: list[tuple[str, str]]
) -> list[str]:
    """The columns of decimals that have more digits than the numbers which they were written as."""
    decimals = {name: kind for name, kind in types if _DECIMAL.fullmatch(kind) and not _is_whole(kind)}
    suspects = {}
    for name, kind in decimals.items():
        digits, places = (int(each) for each in kind.removeprefix("DECIMAL(").removesuffix(")").split(","))
        if digits > _FLOAT_DIGITS:
            suspects[name] = f"abs({_quoted(name)}) > {2**53 / 10**places!r}"
    # Of what was written first, which is quick; only what may be rounded is computed again.
    large = _where(connection, f"read_parquet({literal(ANSWER)})", "", suspects)
    lost = {}
    for name in large:
        back = f"TRY_CAST(CAST({_quoted(name)} AS DOUBLE) AS {decimals[name]})"
        lost[name] = f"{back} IS DISTINCT FROM {_quoted(name)}"
    return _where(connection, inner, first, lost)


def _kept(types: list[tuple[str, str]], crs: str, long: Sequence[str]) -> tuple[str, dict[str, str]]:
    """(what is selected of an answer, what is told of its columns): each as a file keeps it.

    The first column of shapes is the answer's geometry, others become WKT. Those named `long` are whole
    numbers of more than 64 bits, and become text.
    """
    shapes = [name for name, kind in types if _is_shape(kind)]
    preferred = [name for name in shapes if name.lower() in ("geometry", "geom")]
    main = (preferred or shapes or [""])[0]
    told = {"geometry": main, "system": crs, "made": ""}
    parts = []
    for name, kind in types:
        column = _quoted(name)
        if name == main:
            typed = kind != "GEOMETRY"
            if typed and not crs:  # GEOMETRY('EPSG:4326')
                told["system"] = kind.removeprefix("GEOMETRY('").removesuffix("')").replace("''", "'")
            if crs and typed:
                column = f"ST_Transform({column}, {literal(crs)}) AS {column}"
            told["made"] = "" if typed else "yes"
        elif _is_shape(kind):
            column = f"ST_AsText({column}) AS {column}"
        elif _is_whole(kind):
            column = f"CAST({column} AS {'VARCHAR' if name in long else 'BIGINT'}) AS {column}"
        elif "MAP(" in kind:  # whose members differ from row to row, as no file of columns has them
            column = f"CAST(to_json({column}) AS VARCHAR) AS {column}"
        elif _DECIMAL.search(kind):
            column = f"CAST({column} AS {_DECIMAL.sub('DOUBLE', kind)}) AS {column}"
        elif kind.startswith(_UNKEPT) or kind == "GEOMETRY_TYPE":
            column = f"CAST({column} AS VARCHAR) AS {column}"
        parts.append(column)
    told["texts"] = ", ".join(name for name in shapes if name != main)
    told["long"] = ", ".join(long)
    return ", ".join(parts), told


def _is_whole(kind: str) -> bool:
    """Whether a type is of whole numbers that may have more than 64 bits."""
    return kind in ("HUGEINT", "UHUGEINT") or (kind.startswith("DECIMAL") and kind.endswith(",0)"))


def _is_shape(kind: str) -> bool:
    """GEOMETRY, or GEOMETRY('EPSG:4326'); GEOMETRY_TYPE is what ST_GeometryType gives, an enumeration."""
    return kind == "GEOMETRY" or kind.startswith("GEOMETRY(")


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'

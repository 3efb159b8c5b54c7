"""The catalogue on PostgreSQL with PostGIS, for a team: the same answers as on DuckDB."""

from __future__ import annotations

import json
import logging
import re
import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pandas as pd
import psycopg
import sqlalchemy as sa

from data.apart.reader import NOBODYS, Reader
from data.catalogue.amount import MOST_BYTES, MOST_VALUE, too_large, too_long
from data.catalogue.base import CatalogueAway, CatalogueError
from data.catalogue.dialect import Params
from data.catalogue.engine import SqlCatalogue
from data.catalogue.guard import bare, check_select, sentence, tables_of
from data.catalogue.postgres_load import READER, VIEWS_SCHEMA, create_tables, drop_dataset, load_dataset
from data.catalogue.write import dataset_folders, info_from_json, read_info
from data.schema import CLASS_BITS_PER_WORD, DatasetInfo

_NUMBER = r"^\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*$"
_MEASURES = 2
"""How many columns stand before those of the query."""
_VIEWS = ("images", "detections", "datasets")
_ANSWER_S = 10
"""How long the server may take to answer at all."""
_SILENT = "The catalogue's PostgreSQL server does not answer; nothing was changed. Try again once it does."
_AWAY_STATES = ("08", "53", "57P", "58")
"""What PostgreSQL's error codes begin with where the server and not the query is at fault."""
_log = logging.getLogger(__name__)


class PostgresDialect:
    """PostgreSQL's side of `Dialect`."""

    prefix = ":"

    def class_word(self, word: int) -> str:
        """Class words are an array, counted from 1."""
        return f"class_words[{word + 1}]"

    def property_text(self, info: DatasetInfo, key: str, params: Params) -> str:
        """A key of the JSON object as text."""
        return f'((properties ->> CAST({params.add(key)} AS TEXT)) COLLATE "C")'

    def property_number(self, info: DatasetInfo, key: str, params: Params) -> str:
        """A key of the JSON object as a double, where it holds a number."""
        name = f"CAST({params.add(key)} AS TEXT)"
        return (
            f"(CASE WHEN jsonb_typeof(properties -> {name}) = 'number'"
            f" THEN CAST(properties ->> {name} AS DOUBLE PRECISION) END)"
        )

    def number_of(self, sql: str) -> str:
        """The number that a text spells, else null."""
        return f"(CASE WHEN {sql} ~ '{_NUMBER}' THEN CAST({sql} AS DOUBLE PRECISION) END)"

    def lower(self, sql: str) -> str:
        """Text in lower case, accents too; the C collation alone knows only ASCII."""
        return f'(lower(({sql}) COLLATE "und-x-icu") COLLATE "C")'

    def text(self, sql: str) -> str:
        """A cast to text that is ordered by code point, as on DuckDB."""
        return f'(CAST({sql} AS TEXT) COLLATE "C")'

    def covers(self, geojson_sql: str) -> str:
        """ST_Covers of PostGIS, on the indexed centre."""
        return f"ST_Covers(ST_GeomFromGeoJSON(CAST({geojson_sql} AS TEXT)), centre)"

    def day_text(self, sql: str, pattern: str) -> str:
        """A timestamp as text."""
        return f"to_char({sql}, '{pattern}')"


class PostgresCatalogue(SqlCatalogue):
    """A catalogue in a PostgreSQL database with the PostGIS extension. Safe to use from several threads."""

    def __init__(self, url: str) -> None:
        """Connect, and make the tables where they are missing.

        `url` is SQLAlchemy's, `postgresql://user:password@host/database`; psycopg 3 is used.
        Raises CatalogueError when the server can't be reached or lacks PostGIS.
        """
        self.dialect = PostgresDialect()
        plain_url = sa.make_url(url.replace("postgres://", "postgresql://", 1))
        self._engine = sa.create_engine(
            plain_url.set(drivername="postgresql+psycopg"),
            pool_pre_ping=True,
            connect_args={"connect_timeout": _ANSWER_S},
        )
        self._lock = threading.Lock()
        self._known: dict[tuple[str, str], DatasetInfo] = {}
        try:
            with self._engine.begin() as connection:
                self._has_reader = create_tables(connection)
        except sa.exc.DBAPIError as error:
            self._engine.dispose()
            shown = plain_url.render_as_string(hide_password=True)
            if _is_away(error):
                _log.warning("the catalogue at %s cannot be opened: %s", shown, error)
                raise CatalogueAway(
                    f"The catalogue at {shown} cannot be opened: its server does not answer. Try again once "
                    "it does."
                ) from error
            raise CatalogueError(f"The catalogue at {shown} cannot be opened: {_cause(error)}") from error

    def close(self) -> None:
        """Close the pool's connections."""
        self._engine.dispose()

    def load(self, root_parquet: Path) -> tuple[str, ...]:
        """Copy a folder's data sets into the database; return the names of those that changed.

        One transaction a data set: readers see the old rows or the new ones. A data set whose version
        is already there is skipped, so loading twice changes nothing.
        """
        present = {info.name: info.version for info in self.datasets()}
        changed = []
        for folder in dataset_folders(root_parquet):
            info = read_info(folder)
            if present.get(info.name) != info.version:
                self._load_one(folder, info)
                changed.append(info.name)
        return tuple(changed)

    def _load_one(self, folder: Path, info: DatasetInfo) -> None:
        try:
            with self._engine.begin() as connection:
                load_dataset(connection, folder, info)
        except (sa.exc.DBAPIError, psycopg.Error) as error:  # COPY goes past SQLAlchemy
            raise CatalogueError(f"The data set {info.name!r} was not loaded: {_cause(error)}") from error

    def remove(self, name: str) -> None:
        """Remove a data set's rows; CatalogueError when there is none of that name."""
        if name not in {info.name for info in self.datasets()}:
            raise CatalogueError(f"There is no data set {name!r} to remove in this catalogue.")
        with self._answering(), self._engine.begin() as connection:
            drop_dataset(connection, name)

    def seen_by(self, owner: str | None, *, paths: bool = True) -> PostgresCatalogue:
        """This one: what is on a server was put there by its keeper, for everybody."""
        return self

    def datasets(self) -> tuple[DatasetInfo, ...]:
        """Every data set, by name."""
        params = Params(":")
        versions = [
            (name, version) for name, version in self._fetch("SELECT name, version FROM datasets", params)
        ]
        with self._lock:
            if set(versions) != set(self._known):
                rows = self._fetch("SELECT info FROM datasets", params)
                infos = [info_from_json(raw if isinstance(raw, dict) else json.loads(raw)) for (raw,) in rows]
                self._known = {(info.name, info.version): info for info in infos}
            return tuple(sorted(self._known.values(), key=lambda info: info.name))

    def sql(
        self, query: str, max_rows: int = 10_000, timeout_s: float = 10.0, reader: Reader = NOBODYS
    ) -> pd.DataFrame:
        """One read-only SELECT over the views images, detections, datasets.

        Raises CatalogueError for anything else, for what PostgreSQL refuses, for an answer that is too large,
        and past the time limit. The memory of a query is the server's own affair.
        """
        check_select(query, _VIEWS)
        if max_rows < 1:
            raise CatalogueError(f"A limit of {max_rows} rows leaves nothing to show; give at least 1.")
        try:
            with self._answering():
                return self._run_as_reader(query, max_rows, timeout_s)
        except sa.exc.DBAPIError as error:
            if getattr(error.orig, "sqlstate", "") == "57014":
                raise CatalogueAway(
                    f"The query took longer than {timeout_s:g} s and was stopped; narrow it or count"
                    f" before listing."
                ) from error
            raise CatalogueError(_cause(error)) from error

    def sql_over(self, query: str, layers: Mapping[str, Path], folder: Path, **limits: Any) -> dict[str, str]:
        """One read-only SELECT over those Parquet files by name; this catalogue's rows are on its server."""
        from data.catalogue.layers_sql import select_layers

        own = {each.lower() for each in layers}
        if any(each.lower() in _VIEWS and each.lower() not in own for each in tables_of(query)):
            raise CatalogueError(
                "This catalogue lies on a PostgreSQL server, which a query over layers cannot read; db_sql "
                "queries it, and its result can be queried beside layers."
            )
        return select_layers(query, layers, None, folder=folder, **limits)

    def _run_as_reader(self, query: str, max_rows: int, timeout_s: float) -> pd.DataFrame:
        with self._engine.connect() as connection, connection.begin() as transaction:
            connection.exec_driver_sql("SET TRANSACTION READ ONLY")
            connection.exec_driver_sql(f"SET LOCAL statement_timeout = {max(1, round(timeout_s * 1000))}")
            connection.exec_driver_sql(f"SET LOCAL search_path = {VIEWS_SCHEMA}, public")
            if self._has_reader:
                connection.exec_driver_sql(f"SET LOCAL ROLE {READER}")
            plain = bare(query).replace("%", "%%")
            answer = connection.exec_driver_sql(_measured(plain, max_rows))
            rows = answer.fetchall()
            transaction.rollback()
        longest, total, *_ = rows[0]
        if (longest or 0) > MOST_VALUE:
            raise too_long("A row of the answer", longest)
        if (total or 0) > MOST_BYTES:
            raise too_large(total)
        found = [row[_MEASURES:] for row in rows if longest is not None]
        return pd.DataFrame(found, columns=_distinct(list(answer.keys())[_MEASURES:]))

    # -- the engine's side ------------------------------------------------------------------------

    @contextmanager
    def _answering(self) -> Iterator[None]:
        """Raise CatalogueAway, in plain words, where the server does not answer; the next call asks anew."""
        try:
            yield
        except (sa.exc.DBAPIError, sa.exc.TimeoutError) as error:
            if isinstance(error, sa.exc.DBAPIError) and not _is_away(error):
                raise
            _log.warning("the catalogue at %s: %s", self._engine.url.render_as_string(), error)
            raise CatalogueAway(_SILENT) from error

    def _fetch(self, sql: str, params: Params) -> list[tuple[Any, ...]]:
        with self._answering(), self._engine.connect() as connection:
            connection.exec_driver_sql("SET LOCAL search_path = catalogue, public")
            return [tuple(row) for row in connection.execute(sa.text(sql), params.values)]

    def _frame(self, sql: str, params: Params) -> pd.DataFrame:
        with self._answering(), self._engine.connect() as connection:
            connection.exec_driver_sql("SET LOCAL search_path = catalogue, public")
            answer = connection.execute(sa.text(sql), params.values)
            return pd.DataFrame(answer.fetchall(), columns=list(answer.keys()))

    def _source(self, info: DatasetInfo, fields: Iterable[str]) -> str:
        return f"(SELECT * FROM images WHERE dataset = '{info.name}')"

    def _records(self, info: DatasetInfo) -> str:
        return self._source(info, ())

    def _boxes(self, info: DatasetInfo) -> str:
        return f"(SELECT * FROM detections WHERE dataset = '{info.name}')"

    def _words(self, info: DatasetInfo) -> str:
        count = max((c.id // CLASS_BITS_PER_WORD + 1 for c in info.classes), default=0)
        return ", ".join(self.dialect.class_word(k) for k in range(count))


def _distinct(names: list[str]) -> list[str]:
    """Names of which each is one column's own, as DuckDB makes them: a, a_1."""
    seen: dict[str, int] = {}
    found: list[str] = []
    for name in names:
        number = seen[name] = seen.get(name, -1) + 1
        found.append(name if not number else f"{name}_{number}")
    return found


def _measured(query: str, max_rows: int) -> str:
    """The query's rows behind two columns: how long the longest row is (null where there is none), and all.

    They are measured on the server, and none is sent where they are too long: what is sent is memory here.
    """
    return (
        f"WITH answer AS MATERIALIZED (SELECT * FROM ({query}\n) AS part"
        f" LIMIT {int(max_rows)}),"
        " lengths AS MATERIALIZED (SELECT octet_length(answer::text) AS length FROM answer),"
        " measured AS (SELECT max(length) AS longest, sum(length) AS total FROM lengths)"
        " SELECT measured.longest, measured.total, answer.* FROM measured LEFT JOIN answer"
        f" ON measured.longest <= {MOST_VALUE} AND measured.total <= {MOST_BYTES}"
    )


def _is_away(error: sa.exc.DBAPIError) -> bool:
    """Whether the server was not reached, went away or refuses everybody, rather than this statement."""
    state = getattr(error.orig, "sqlstate", None)
    if state is None:  # which is what a connection that broke has
        return isinstance(error, (sa.exc.OperationalError, sa.exc.InterfaceError))
    return str(state).startswith(_AWAY_STATES)


def _cause(error: sa.exc.DBAPIError | psycopg.Error) -> str:
    text = str(error.orig if isinstance(error, sa.exc.DBAPIError) else error)
    return sentence(re.split(r"\n(?:DETAIL|CONTEXT):", text)[0])

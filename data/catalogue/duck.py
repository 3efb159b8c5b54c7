"""The catalogue on DuckDB, over a folder of Parquet files.

A data set's columns that filters use are read into an in-memory table the first time a query needs
the data set, ordered by time so that a date range skips whole row groups. Footprints, paths, JSON
and detections stay in Parquet. A changed data set is noticed by its files' times at the next query, and one
that is broken is set aside (`data.catalogue.whole`): the others go on.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import duckdb
import pandas as pd

from data.catalogue.base import Bbox, CatalogueAway, DatasetBroke, Selection
from data.catalogue.columns import MOST_ROWS, Columns, Rows, Unanswered, bounds
from data.catalogue.dialect import Params
from data.catalogue.duck_dialect import DuckDialect, literal, property_sql, word_count
from data.catalogue.engine import SqlCatalogue
from data.catalogue.fields import COLUMN_KINDS, PROPERTY_PREFIX, property_key
from data.catalogue.own_sql import OwnSql
from data.catalogue.spatial import CLOSED, load_spatial
from data.catalogue.whole import (
    DETECTIONS_FILE,
    IMAGES_FILE,
    Broken,
    SetAside,
    Stamp,
    empty_columns,
    every_value,
    look,
    sentences,
    set_aside,
    whole,
)
from data.catalogue.write import folder_of, owners_root
from data.schema import IMAGES, DatasetInfo

if TYPE_CHECKING:
    import pyarrow as pa


_KEPT_AFTER_S = 60.0
"""A replaced table stays this long: a query that was put together before may only now be run."""
_GONE = "The catalogue's folder is gone, with every data set in it; nothing works on them until it is back."
Taken = TypeVar("Taken")
_UNREADABLE = "A file of the catalogue could not be read; it may have just been replaced."


@dataclass(frozen=True)
class _Loaded:
    """A data set as it was last seen on disk."""

    info: DatasetInfo
    stamp: Stamp
    table: str | None = None
    """The in-memory table, once a query needed it."""
    with_properties: bool = False


class DuckCatalogue(OwnSql, SqlCatalogue):
    """A folder of data sets, as data.schema describes it. Safe to use from several threads.

    It sees what everybody sees; `seen_by` is the same catalogue in somebody's eyes.
    """

    _owner: str | None = None
    _paths: bool = True

    def __init__(self, root: Path, threads: int = 2, kept_counts: int = 4096) -> None:
        """Open a catalogue's folder; it may be empty or not there yet.

        Nothing is read before it is asked for. `kept_counts` answers are remembered (0 for benchmarks).
        """
        self.dialect = DuckDialect()
        self._root = root.resolve()
        self._threads = threads
        self._connection = duckdb.connect(":memory:", config={**CLOSED, "threads": threads})
        self._lock = threading.RLock()
        self._loaded: dict[str, _Loaded] = {}
        self._old_tables: list[tuple[str, float]] = []
        self._next_table = 0
        self._spatial = False
        self._local = threading.local()
        self._columns: dict[str, tuple[_Loaded, Columns]] = {}
        self._empty: dict[str, tuple[_Loaded, frozenset[str]]] = {}
        self._indexes: set[str] = set()
        self._aside: dict[str, tuple[SetAside, Stamp]] = {}
        self._counts: OrderedDict[str, int] = OrderedDict()
        self._kept_counts = kept_counts

    def close(self) -> None:
        """Let go of the memory; the catalogue can't be used after."""
        self._connection.close()

    def datasets(self) -> tuple[DatasetInfo, ...]:
        """Every data set, by name; a new, changed or removed folder shows at once."""
        with self._lock:
            # Looked at inside the lock: an older look must not undo what another thread has noticed since.
            seen = self._stamps()
            if self._loaded and not self._root.is_dir():
                raise CatalogueAway(_GONE)
            if seen != self._known_stamps():
                self._notice(seen)
            # What is an owner's own comes last, and so before what everybody has of the same name.
            keys = sorted(self._seen_keys(), key=lambda key: "/" in key)
            named = {self._loaded[key].info.name: self._loaded[key].info for key in keys}
            return tuple(info for _, info in sorted(named.items()))

    def set_aside(self) -> tuple[SetAside, ...]:
        """Those that are there and cannot be used, by name, as they were last looked at."""
        with self._lock:
            self.datasets()
            seen = [each for key, (each, _) in self._aside.items() if self._sees(key)]
            return tuple(sorted(seen, key=lambda each: each.name))

    def _known_stamps(self) -> dict[str, Stamp]:
        aside = {key: stamp for key, (_, stamp) in self._aside.items() if self._sees(key)}
        return {key: self._loaded[key].stamp for key in self._seen_keys()} | aside

    def _stamps(self) -> dict[str, Stamp]:
        """What there is on disk for these eyes, by the keys of `_loaded`."""
        found = look(self._root)
        if self._owner is not None:
            own = look(owners_root(self._root, self._owner))
            found |= {f"{self._owner}/{name}": stamp for name, stamp in own.items()}
        return found

    def _seen_keys(self) -> list[str]:
        return [key for key in self._loaded if self._sees(key)]

    def _sees(self, key: str) -> bool:
        return "/" not in key or key.startswith(f"{self._owner}/")

    def seen_by(self, owner: str | None, *, paths: bool = True) -> DuckCatalogue:
        """The same catalogue in that owner's eyes; it shares tables, connections and memory with this one."""
        return SeenCatalogue(self, owner, paths)

    # -- without SQL ------------------------------------------------------------------------------

    def count(self, selection: Selection) -> int:
        """How many rows of `images` are selected."""
        try:
            return sum(columns.count(rows) for columns, rows in self._taken(selection))
        except Unanswered:
            return super().count(selection)

    def bounds(self, selection: Selection) -> Bbox | None:
        """The smallest box that holds the selected footprints' boxes; None when nothing is selected."""
        try:
            found = [columns.extremes(rows) for columns, rows in self._taken(selection)]
        except Unanswered:
            return super().bounds(selection)
        return bounds([each for each in found if each is not None])

    def _field_counts(
        self, selection: Selection, info: DatasetInfo, by: str, unit: str
    ) -> list[tuple[Any, ...]]:
        if unit != "images" and selection.classes:
            return super()._field_counts(selection, info, by, unit)
        try:
            taken = self._taken(replace(selection, datasets=(info.name,)))
            total = None if unit == "images" else "detections"
            return [group for columns, rows in taken for group in columns.groups(rows, by, total)]
        except Unanswered:
            return super()._field_counts(selection, info, by, unit)

    def _taken(self, selection: Selection) -> list[tuple[Columns, Rows]]:
        """The rows that are selected, of each data set that can have some.

        Raises CatalogueError for what cannot be read, Unanswered where SQL has to tell.
        """
        infos = self._chosen(selection)
        able = [info for info in infos if self._where(selection, info)[0] is not None]
        if any(info.images > MOST_ROWS for info in able):
            raise Unanswered
        return [(columns, columns.chosen(selection)) for columns in map(self._columns_of, able)]

    def _columns_of(self, info: DatasetInfo) -> Columns:
        with self._lock:
            loaded = self._loaded.get(_key(info))
            if loaded is None:
                raise CatalogueAway(f"The data set {info.name!r} has just been removed.")
            known = self._columns.get(_key(info))
            if known is None or known[0].stamp != loaded.stamp:
                known = (loaded, Columns(info, lambda name: self._stored_column(info, name)))
                self._columns[_key(info)] = known
            return known[1]

    def _stored_column(self, info: DatasetInfo, name: str) -> pa.ChunkedArray:
        """A column as it lies in the file: one of images, a word of the classes, or a property."""
        if name in COLUMN_KINDS:
            sql = name
        elif name.startswith(PROPERTY_PREFIX):
            key = property_key(name)
            sql = property_sql(info, key, dict(info.properties)[key])
        else:
            sql = f"class_words[{int(name[1:]) + 1}]"
        query = f"SELECT {sql} FROM {self._records(info)}"
        return self._run(query, Params("$"), lambda found: found.to_arrow_table().column(0))

    # -- the engine's side ------------------------------------------------------------------------

    def values(self, field: str, selection: Selection | None = None, limit: int = 200) -> list[Any]:
        """As of any catalogue; before any query needs the rows, one column is read off the files."""
        infos = self.datasets()
        plain_text = COLUMN_KINDS.get(field) == "text" and field != "dataset"
        if not plain_text or selection not in (None, Selection()) or not infos or self._any_loaded():
            return super().values(field, selection, limit)
        params = Params(self.dialect.prefix)
        parts = " UNION ".join(f"SELECT {field} AS v FROM {self._records(info)}" for info in infos)
        page = f"SELECT v FROM ({parts}) AS parts WHERE v IS NOT NULL ORDER BY v LIMIT {params.add(limit)}"
        return [value for (value,) in self._fetch(page, params)]

    def _any_loaded(self) -> bool:
        with self._lock:
            return any(each.table is not None for each in self._loaded.values())

    def _counted(self, sql: str, params: Params) -> int:
        """A count, remembered: tables never change, a data set that does gets a table of another name."""
        key = f"{sql}{params.values!r}"
        with self._lock:
            if key in self._counts:
                self._counts.move_to_end(key)
                return self._counts[key]
        found = super()._counted(sql, params)
        with self._lock:
            self._counts[key] = found
            while len(self._counts) > self._kept_counts:
                self._counts.popitem(last=False)
        return found

    def _fetch(self, sql: str, params: Params) -> list[tuple[Any, ...]]:
        return self._run(sql, params, lambda found: found.fetchall())

    def _frame(self, sql: str, params: Params) -> pd.DataFrame:
        frame: pd.DataFrame = self._run(sql, params, lambda found: found.to_arrow_table().to_pandas())
        return frame

    def _run(self, sql: str, params: Params, taken: Callable[[duckdb.DuckDBPyConnection], Taken]) -> Taken:
        """What `taken` makes of a statement. Raises DatasetBroke, CatalogueAway."""
        if "ST_Covers(" in sql:
            self._need_spatial()
        try:
            return taken(self._cursor().execute(sql, params.values))
        except duckdb.Error as error:
            if isinstance(error, duckdb.InterruptException):
                raise
            with self._lock:
                here = [each.info for each in self._loaded.values()]
            said = [each for each in here if self._records(each) in sql or self._boxes(each) in sql]
            self._blame(said, error)
            if isinstance(error, duckdb.FatalException | duckdb.InternalException):
                self._reopen()
            if isinstance(error, duckdb.IOException):
                raise CatalogueAway(_UNREADABLE) from error
            raise

    def _reopen(self) -> None:
        """Begin anew with an empty memory: after such an error DuckDB answers nothing more."""
        with self._lock:
            self._connection = duckdb.connect(":memory:", config={**CLOSED, "threads": self._threads})
            self._local, self._spatial = threading.local(), False
            self._loaded = {key: _Loaded(each.info, each.stamp) for key, each in self._loaded.items()}
            self._old_tables.clear()
            self._indexes.clear()
            self._counts.clear()

    def _blame(self, infos: Iterable[DatasetInfo], error: BaseException) -> None:
        """Set aside those of the data sets whose files are broken, after a query that failed on some of them.

        Raises DatasetBroke when there are any.
        """
        found = []
        for info in infos:
            folder, key = folder_of(self._root, info), _key(info)
            try:
                every_value(folder)
            except Broken as broken:
                aside = set_aside(folder, info.name, broken, info.owner if info.private else None)
                found.append(aside)
                with self._lock:
                    loaded = self._loaded.pop(key, None)
                    if loaded is not None:
                        self._aside[key] = (aside, loaded.stamp)
        if found:
            raise DatasetBroke(sentences(found)) from error

    def _source(self, info: DatasetInfo, fields: Iterable[str]) -> str:
        keys = {key for key, _ in info.properties}
        needs_properties = any(f not in COLUMN_KINDS and property_key(f) in keys for f in fields)
        with self._lock:
            loaded = self._loaded.get(_key(info))
            if loaded is None:
                raise CatalogueAway(f"The data set {info.name!r} has just been removed.")
            if loaded.table is None or (needs_properties and not loaded.with_properties):
                loaded = self._load(loaded, needs_properties)
            assert loaded.table is not None
            return loaded.table

    def _records(self, info: DatasetInfo) -> str:
        return f"read_parquet({literal(str(folder_of(self._root, info) / IMAGES_FILE))})"

    def _filled(self, info: DatasetInfo) -> frozenset[str]:
        """What the file's own statistics do not call empty: it need not be read for the rest."""
        with self._lock:
            loaded = self._loaded.get(_key(info))
            if loaded is None:
                raise CatalogueAway(f"The data set {info.name!r} has just been removed.")
            known = self._empty.get(_key(info))
            if known is None or known[0].stamp != loaded.stamp:
                try:
                    empty = empty_columns(folder_of(self._root, info) / IMAGES_FILE)
                except Broken as error:
                    self._blame([info], error)
                    raise CatalogueAway(_UNREADABLE) from error
                known = self._empty[_key(info)] = (loaded, empty)
            return frozenset(IMAGES.names) - known[1]

    def _stored(self, info: DatasetInfo, numbers: list[int], columns: Sequence[str]) -> list[tuple[Any, ...]]:
        """What is in memory from there, by an index, and from the file only what is nowhere else."""
        if info.images > MOST_ROWS:
            return super()._stored(info, numbers, columns)
        filled = self._filled(info)
        kept = [name for name in columns if name in COLUMN_KINDS and name != "dataset"]
        rest = [name for name in columns if name in filled and name not in (*kept, "dataset")]
        found: dict[int, dict[str, Any]] = {number: {} for number in numbers}
        for names, source in ((kept, self._indexed), (rest, self._records)):
            rows = self._numbered(source(info), numbers, names) if names else ()
            for number, *values in rows:
                if number in found:
                    found[number].update(zip(names, values, strict=True))
        known = ((number, {"dataset": info.name, **row}) for number, row in found.items())
        return [(number, *map(row.get, columns)) for number, row in known]

    def _indexed(self, info: DatasetInfo) -> str:
        """The table in memory, where a row is found by its number without looking at the others."""
        source = self._source(info, ())
        with self._lock:
            if source not in self._indexes:
                self._cursor().execute(f"CREATE INDEX {source}_number ON {source} (image_num)")
                self._indexes.add(source)
        return source

    def _boxes(self, info: DatasetInfo) -> str:
        return f"read_parquet({literal(str(folder_of(self._root, info) / DETECTIONS_FILE))})"

    def _words(self, info: DatasetInfo) -> str:
        return ", ".join(f"w{k}" for k in range(word_count(info)))

    def _cursor(self) -> duckdb.DuckDBPyConnection:
        cursor: duckdb.DuckDBPyConnection | None = getattr(self._local, "cursor", None)
        if cursor is None:
            cursor = self._local.cursor = self._connection.cursor()
        return cursor

    def _need_spatial(self) -> None:
        with self._lock:
            if not self._spatial:
                load_spatial(self._connection)
                self._spatial = True

    def _notice(self, seen: dict[str, Stamp]) -> None:
        """Read the manifests that changed. Tables of the last change go now: no query still uses them."""
        cursor = self._cursor()
        now = time.monotonic()
        for retired in [each for each in self._old_tables if now - each[1] > _KEPT_AFTER_S]:
            cursor.execute(f"DROP TABLE {retired[0]}")
            self._indexes.discard(retired[0])
            self._old_tables.remove(retired)
        looked = set(self._seen_keys())
        kept = {key: loaded for key, loaded in self._loaded.items() if key not in looked}
        aside = self._aside.items()
        self._aside = {key: each for key, each in aside if not self._sees(key) or seen.get(key) == each[1]}
        for key, stamp in seen.items():
            known = self._loaded.get(key)
            if known is not None and known.stamp == stamp:
                kept[key] = known
            elif key not in self._aside:
                judged = self._judged(key, stamp)
                if isinstance(judged, SetAside):
                    self._aside[key] = (judged, stamp)
                else:
                    kept[key] = _Loaded(judged, stamp)
        self._columns = {name: each for name, each in self._columns.items() if name in kept}
        gone = [t.table for n, t in self._loaded.items() if t.table and kept.get(n) is not t]
        self._old_tables += [(table, now) for table in gone]
        self._loaded = kept

    def _judged(self, key: str, stamp: Stamp) -> DatasetInfo | SetAside:
        """The manifest behind a key of `_loaded`, or what is wrong; whose it is, is said by where it lies."""
        owner, _, name = key.rpartition("/")
        root = owners_root(self._root, owner or None)
        try:
            info = whole(root / name, name)
        except Broken as broken:
            now = look(root).get(name)
            if now is not None and now != stamp:  # replaced in the middle of the look
                return self._judged(key, now)
            return set_aside(root / name, name, broken, owner or None)
        return replace(info, owner=owner, private=True) if owner else replace(info, private=False)

    def _load(self, loaded: _Loaded, with_properties: bool) -> _Loaded:
        info = loaded.info
        with_properties = with_properties or loaded.with_properties
        table = f"rows_{self._next_table}"
        self._next_table += 1
        columns = [c for c in COLUMN_KINDS if c != "dataset"]
        columns += [f"class_words[{k + 1}] AS w{k}" for k in range(word_count(info))]
        if with_properties:
            columns += [property_sql(info, key, kind) for key, kind in info.properties]
        rows = f"SELECT {', '.join(columns)} FROM {self._records(info)} ORDER BY acquired"
        self._run(f"CREATE TABLE {table} AS {rows}", Params("$"), lambda made: made)
        if loaded.table is not None:
            self._old_tables.append((loaded.table, time.monotonic()))
        self._loaded[_key(info)] = _Loaded(info, loaded.stamp, table, with_properties)
        return self._loaded[_key(info)]


class SeenCatalogue(DuckCatalogue):
    """A catalogue in one owner's eyes. All that it holds is the other's: the two share one dictionary."""

    __slots__ = ("_owner", "_paths")

    def __init__(self, whole: DuckCatalogue, owner: str | None, paths: bool) -> None:
        """See `DuckCatalogue.seen_by`."""
        self.__dict__ = whole.__dict__
        self._owner = owner
        self._paths = paths

    def image(self, image_id: str) -> dict[str, Any] | None:
        """As of any catalogue."""
        record = super().image(image_id)
        if record is not None and not self._paths and record.get("path"):
            record["path"] = Path(str(record["path"])).name
        return record

    def rows(
        self,
        selection: Selection,
        columns: tuple[str, ...] | None = None,
        order_by: tuple[tuple[str, Literal["asc", "desc"]], ...] = (),
        limit: int = 100,
        offset: int = 0,
    ) -> pd.DataFrame:
        """As of any catalogue."""
        return self._shown(super().rows(selection, columns, order_by, limit, offset))

    def scan(self, selection: Selection, columns: tuple[str, ...] | None = None) -> Iterator[pd.DataFrame]:
        """As of any catalogue."""
        return map(self._shown, super().scan(selection, columns))

    def _shown(self, frame: pd.DataFrame) -> pd.DataFrame:
        if not self._paths and "path" in frame:
            frame["path"] = frame["path"].map(lambda path: Path(path).name if isinstance(path, str) else path)
        return frame


def _key(info: DatasetInfo) -> str:
    """Under what a data set is known in memory: two owners may have one of the same name."""
    return f"{info.owner}/{info.name}" if info.private else info.name

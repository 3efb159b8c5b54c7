"""Where a user's own SELECT runs: a locked-down DuckDB that can only see the catalogue's views."""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass
from pathlib import Path

import duckdb
import pandas as pd

from data.catalogue.base import CatalogueAway, CatalogueError
from data.catalogue.guard import bare, check_select, leaves_groups_unordered, sentence
from data.catalogue.spatial import CLOSED, Settings, load_spatial
from data.catalogue.write import DETECTIONS_FILE, IMAGES_FILE, folder_of
from data.schema import CLASS_BITS_PER_WORD, IMAGES, DatasetInfo

_MEMORY_LIMIT = "1GB"
_VIEWS = ("images", "detections", "datasets")
_KEPT_ROOMS = 8
"""Rooms of people who see different data sets, the last used."""


@dataclass(frozen=True)
class _MadeFor:
    """What a room was made for: (name, version, owner where it is private) of its data sets."""

    datasets: tuple[tuple[str, str, str | None], ...]
    spatial: bool
    paths: bool


class SqlRoom:
    """A DuckDB of its own: views over the catalogue's Parquet, no other file, no setting can be changed.

    Which files views may read is fixed when it is locked, so a changed catalogue gets a new one, and so
    does whoever sees other data sets: there is no row, name or file of anybody else's in it.
    """

    def __init__(self, root: Path, threads: int) -> None:
        self._root = root
        self._threads = threads
        self._lock = threading.Lock()
        self._rooms: OrderedDict[_MadeFor, duckdb.DuckDBPyConnection] = OrderedDict()
        self._spatial = False

    def run(
        self,
        infos: tuple[DatasetInfo, ...],
        query: str,
        max_rows: int,
        timeout_s: float,
        *,
        paths: bool = True,
    ) -> pd.DataFrame:
        """Run one SELECT over those data sets, and no others; without `paths`, files have their names only.

        CatalogueError when it is refused, fails or takes longer than `timeout_s`.
        """
        check_select(query, _VIEWS)
        if max_rows < 1:
            raise CatalogueError(f"A limit of {max_rows} rows leaves nothing to show; give at least 1.")
        cursor = self._cursor(infos, "st_" in query.lower(), paths)
        late = threading.Event()

        def stop() -> None:
            late.set()
            cursor.interrupt()

        timer = threading.Timer(timeout_s, stop)
        timer.start()
        try:
            # Threads finish groups in any order; the same query is to give the same table.
            order = "ORDER BY ALL" if leaves_groups_unordered(query) else ""
            frame: pd.DataFrame = cursor.execute(
                f"SELECT * FROM ({bare(query)}\n) AS answer {order} LIMIT {int(max_rows)}"
            ).df()
            return frame
        except (duckdb.Error, MemoryError) as error:
            if late.is_set():
                raise CatalogueAway(
                    f"The query took longer than {timeout_s:g} s and was stopped; narrow it or count"
                    f" before listing."
                ) from error
            raise CatalogueError(sentence(str(error))) from error
        finally:
            timer.cancel()
            cursor.close()

    def close(self) -> None:
        """Let go of the memory."""
        for connection in self._rooms.values():
            connection.close()

    def _cursor(
        self, infos: tuple[DatasetInfo, ...], needs_spatial: bool, paths: bool
    ) -> duckdb.DuckDBPyConnection:
        with self._lock:
            self._spatial = self._spatial or needs_spatial
            wanted = _MadeFor(
                tuple((info.name, info.version, info.owner if info.private else None) for info in infos),
                self._spatial,
                paths,
            )
            if wanted not in self._rooms:
                self._rooms[wanted] = _locked(self._root, infos, self._threads, self._spatial, paths)
            self._rooms.move_to_end(wanted)
            while len(self._rooms) > _KEPT_ROOMS:
                self._rooms.popitem(last=False)  # left to the queries that still run on it
            return self._rooms[wanted].cursor()


def _locked(
    root: Path, infos: tuple[DatasetInfo, ...], threads: int, spatial: bool, paths: bool
) -> duckdb.DuckDBPyConnection:
    config: Settings = {
        **CLOSED,
        "threads": threads,
        "memory_limit": _MEMORY_LIMIT,
        "python_enable_replacements": "false",
    }
    connection = duckdb.connect(":memory:", config=config)
    if spatial:
        load_spatial(connection)
    connection.execute(f"CREATE VIEW images AS {_images_view(root, infos, paths)}")
    connection.execute(f"CREATE VIEW detections AS {_detections_view(root, infos)}")
    connection.register("datasets_frame", _datasets_frame(infos))
    connection.execute("CREATE TABLE datasets AS SELECT * FROM datasets_frame")
    connection.unregister("datasets_frame")
    # A data set's folder may be a link: what is opened is what it leads to.
    folders = ", ".join(_literal(f"{_folder(root, info)}/") for info in infos)
    connection.execute(f"SET allowed_directories = [{folders}]")
    connection.execute("SET temp_directory = ''")
    connection.execute("SET enable_external_access = false")
    connection.execute("SET lock_configuration = true")
    return connection


def _images_view(root: Path, infos: tuple[DatasetInfo, ...], paths: bool) -> str:
    names = [name for name in IMAGES.names if name != "class_words"]
    chosen = ["parse_filename(path) AS path" if name == "path" and not paths else name for name in names]
    parts = [
        f"SELECT {', '.join(chosen)}, {_class_names(info, 'class_words')} AS classes"
        f" FROM read_parquet({_literal(str(_folder(root, info) / IMAGES_FILE))})"
        for info in infos
    ]
    return (
        " UNION ALL ".join(parts)
        or f"SELECT {', '.join(f'NULL AS {n}' for n in (*names, 'classes'))} WHERE FALSE"
    )


def _detections_view(root: Path, infos: tuple[DatasetInfo, ...]) -> str:
    parts = []
    for info in infos:
        if info.detections:
            names = "[" + ", ".join(_literal(name) for name in _names_by_id(info)) + "]"
            folder = _folder(root, info)
            parts.append(
                f"SELECT i.image_id || '/' || d.num AS detection_id, i.image_id,"
                f" {_literal(info.name)} AS dataset,"
                f" {names}[d.class_id + 1] AS class_name, d.confidence, d.length_m, d.lon, d.lat,"
                f" d.west, d.south,"
                f" d.east, d.north, d.outline FROM"
                f" read_parquet({_literal(str(folder / DETECTIONS_FILE))}) AS d"
                f" JOIN read_parquet({_literal(str(folder / IMAGES_FILE))}) AS i USING (image_num)"
            )
    empty = ("detection_id", "image_id", "dataset", "class_name", "confidence", "length_m", "lon", "lat",
             "west", "south", "east", "north", "outline")  # fmt: skip
    return " UNION ALL ".join(parts) or f"SELECT {', '.join(f'NULL AS {n}' for n in empty)} WHERE FALSE"


def _folder(root: Path, info: DatasetInfo) -> Path:
    """Where a data set's files really are."""
    return folder_of(root, info).resolve()


def _class_names(info: DatasetInfo, words: str) -> str:
    """SQL of the list of class names whose bits are set."""
    if not info.classes:
        return "CAST([] AS VARCHAR[])"
    # A CASE a class is worked out column by column; a list of numbers to look up takes five times as long.
    cases = ", ".join(
        f"CASE WHEN ({words}[{c.id // CLASS_BITS_PER_WORD + 1}] & {1 << c.id % CLASS_BITS_PER_WORD}) <> 0"
        f" THEN {_literal(c.name)} END"
        for c in info.classes
    )
    return f"[held FOR held IN [{cases}] IF held IS NOT NULL]"


def _names_by_id(info: DatasetInfo) -> list[str]:
    names = {c.id: c.name for c in info.classes}
    return [names.get(i, "") for i in range(max(names, default=-1) + 1)]


def _datasets_frame(infos: tuple[DatasetInfo, ...]) -> pd.DataFrame:
    columns = [
        "name",
        "title",
        "description",
        "origin",
        "images",
        "detections",
        "start",
        "end",
        "source",
        "licence",
    ]
    rows = [[getattr(info, column) for column in columns] for info in infos]
    frame = pd.DataFrame(rows, columns=columns).rename(columns={"start": "first_day", "end": "last_day"})
    text = [c for c in frame.columns if c not in ("images", "detections")]
    return frame.astype({**dict.fromkeys(text, "string"), "images": "int64", "detections": "int64"})


def _literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"

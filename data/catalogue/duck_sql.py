"""Where a user's own SELECT runs: a locked-down DuckDB that can only see the catalogue's views.

It runs in a process of its own (data.apart) with limits of time and memory: what a query builds on its way
(a text of a gigabyte, a list of a billion numbers) is not counted by DuckDB's own limit, and must not become
memory of the app.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import duckdb
import pandas as pd

from data.apart.limits import Limits
from data.apart.pool import ReadFailed
from data.apart.reader import NOBODYS, Reader
from data.apart.reading import name_of, plain
from data.catalogue.amount import MOST_BYTES, check_amount
from data.catalogue.base import CatalogueAway, CatalogueError
from data.catalogue.guard import bare, check_select, leaves_groups_unordered, sentence, unknown_function
from data.catalogue.spatial import CLOSED, Settings, load_spatial
from data.catalogue.whole import DETECTIONS_FILE, IMAGES_FILE
from data.catalogue.write import folder_of, owners_root, read_info
from data.schema import CLASS_BITS_PER_WORD, IMAGES, DatasetInfo

_MEMORY_LIMIT = "1GB"
_PROCESS_BYTES = 2_000_000_000
"""Of address space, which DuckDB's threads and allocator take more of than they use."""
START_S = 10.0
"""How long the process may take beside the query."""
_VIEWS = ("images", "detections", "datasets")
_ANSWER = "answer.parquet"


def select(
    root: Path,
    infos: Iterable[DatasetInfo],
    query: str,
    max_rows: int,
    timeout_s: float,
    threads: int = 2,
    reader: Reader = NOBODYS,
    *,
    paths: bool = True,
) -> pd.DataFrame:
    """Run one SELECT over those data sets of a catalogue's folder, and no others.

    There is no row, name or file of any other in what it sees; without `paths`, files have their names only.
    Raises CatalogueError when it is refused, fails, or gives too much; CatalogueAway when it takes too long
    or too much memory.
    """
    check_select(query, _VIEWS)
    if max_rows < 1:
        raise CatalogueError(f"A limit of {max_rows} rows leaves nothing to show; give at least 1.")
    chosen = tuple(infos)
    named = [(info.owner if info.private else None, info.name) for info in chosen]
    with TemporaryDirectory(prefix="azimuth-query-") as folder:
        job = {
            "function": name_of(answer),
            "args": plain((root, named, query, max_rows, timeout_s, threads, paths)),
            "kwargs": {},
            "error": CatalogueError.__name__,
            "reads": [str(folder_of_set(root, info)) for info in chosen],
            "folder": folder,
        }
        limits = Limits(timeout_s + START_S, _PROCESS_BYTES, 4 * MOST_BYTES)
        try:
            said = reader.pool.run(job, limits, reader.owner, reader.session)
        except ReadFailed as failed:
            raise CatalogueAway(ended(failed.how, timeout_s)) from failed
        if "error" in said:
            raise CatalogueError(str(said["error"]))
        if said["answer"] != "done":
            raise CatalogueAway(ended(said["answer"], timeout_s))
        return pd.read_parquet(Path(folder) / _ANSWER)


def answer(
    root: Path,
    named: list[tuple[str | None, str]],
    query: str,
    max_rows: int,
    timeout_s: float,
    threads: int,
    paths: bool,
) -> str:
    """Run a SELECT that was checked and write its answer as Parquet here, in a process of its own.

    `named` are the data sets that it sees: (owner where it is private, name). The answer is how it ended:
    "done", "time" or "files". Raises CatalogueError, MemoryError.
    """
    infos = data_sets(root, named)
    found: list[pd.DataFrame] = []
    # Threads finish groups in any order; the same query is to give the same table.
    order = "ORDER BY ALL" if leaves_groups_unordered(query) else ""
    with locked(root, infos, threads, "st_" in query.lower(), paths) as connection:
        limited = f"SELECT * FROM ({bare(query)}\n) AS answer {order} LIMIT {int(max_rows)}"
        how = within(connection, timeout_s, lambda: found.append(connection.execute(limited).df()))
    if how != "done":
        return how
    [frame] = found
    check_amount(frame)
    _write(frame)
    return "done"


def within(connection: duckdb.DuckDBPyConnection, timeout_s: float, work: Callable[[], None]) -> str:
    """Do what asks the connection, for so long at most; how it ended: "done", "time" or "files".

    Raises CatalogueError for what the query does wrong, MemoryError where it needs too much.
    """
    late = threading.Event()

    def stop() -> None:
        late.set()
        connection.interrupt()

    timer = threading.Timer(timeout_s, stop)
    timer.daemon = True
    timer.start()
    try:
        work()
    except duckdb.OutOfMemoryException as error:
        raise MemoryError from error
    except duckdb.IOException:
        return "files"
    except duckdb.Error as error:
        if late.is_set():
            return "time"
        said = str(error)
        raise CatalogueError(_without_function(connection, said) or sentence(said)) from error
    finally:
        timer.cancel()
    return "done"


def _without_function(connection: duckdb.DuckDBPyConnection, said: str) -> str | None:
    """The sentence about a function that is not there; None for any other error."""
    if "does not exist" not in said:
        return None
    rows = connection.execute("SELECT DISTINCT function_name FROM duckdb_functions()").fetchall()
    return unknown_function(said, (str(name) for (name,) in rows))


def data_sets(root: Path, named: list[tuple[str | None, str]]) -> tuple[DatasetInfo, ...]:
    """The data sets of those names, read from their files."""
    return tuple(
        replace(read_info(owners_root(root, owner) / name), owner=owner, private=owner is not None)
        for owner, name in named
    )


def _write(frame: pd.DataFrame) -> None:
    import pyarrow as pa

    try:
        frame.to_parquet(_ANSWER, index=False)
    except (pa.ArrowException, ValueError, TypeError, OverflowError) as error:
        reason = " ".join(str(error).split("\n", 1)[0].split())[:200]
        raise CatalogueError(
            f"The answer has a column that no table can keep ({reason}); give it a name of its own, or cast "
            "it to text."
        ) from error


_BROKEN = "The query broke down what runs it; nothing was changed. Write it in another way."
FILES = "A file of the catalogue could not be read; it may have just been replaced."
_SENTENCES = {
    "time": "The query took longer than {:g} s and was stopped; narrow it or count before listing.",
    "memory": (
        "The query needs more memory than the {} that a query may take, and was ended; narrow it or count "
        "before listing."
    ),
    "files": FILES,
    "stopped": "The query was stopped; nothing was changed.",
}


def ended(how: str, timeout_s: float, memory: str = _MEMORY_LIMIT) -> str:
    """What is said of a query that did not come to its end."""
    return _SENTENCES.get(how, _BROKEN).format(memory if how == "memory" else timeout_s)


def _nothing(connection: duckdb.DuckDBPyConnection) -> list[str]:
    return []


def locked(
    root: Path | None,
    infos: tuple[DatasetInfo, ...],
    threads: int,
    spatial: bool,
    paths: bool,
    memory: str = _MEMORY_LIMIT,
    prepare: Callable[[duckdb.DuckDBPyConnection], list[str]] = _nothing,
) -> duckdb.DuckDBPyConnection:
    """A connection that sees the catalogue's views, where there is one, and what `prepare` makes.

    `prepare` returns the files and folders that the connection may open beside the catalogue's.
    """
    config: Settings = {
        **CLOSED,
        "threads": threads,
        "memory_limit": memory,
        "python_enable_replacements": "false",
    }
    connection = duckdb.connect(":memory:", config=config)
    if spatial:
        load_spatial(connection)
    also = prepare(connection)
    if root is not None:
        _catalogue_views(connection, root, infos, paths)
    # A data set's folder may be a link: what is opened is what it leads to.
    folders = [f"{folder_of_set(root, info)}/" for info in infos if root is not None]
    folders += [each for each in also if each.endswith("/")]
    files = [each for each in also if not each.endswith("/")]
    connection.execute(f"SET allowed_directories = [{', '.join(map(literal, folders))}]")
    connection.execute(f"SET allowed_paths = [{', '.join(map(literal, files))}]")
    connection.execute("SET temp_directory = ''")
    connection.execute("SET enable_external_access = false")
    connection.execute("SET lock_configuration = true")
    return connection


def _catalogue_views(
    connection: duckdb.DuckDBPyConnection, root: Path, infos: tuple[DatasetInfo, ...], paths: bool
) -> None:
    """The views images, detections and datasets; a layer of the session that has the name goes before."""
    connection.execute(f"CREATE VIEW IF NOT EXISTS images AS {_images_view(root, infos, paths)}")
    connection.execute(f"CREATE VIEW IF NOT EXISTS detections AS {_detections_view(root, infos)}")
    there = connection.execute("SELECT view_name FROM duckdb_views() WHERE NOT internal").fetchall()
    if ("datasets",) in there:
        return
    connection.register("datasets_frame", _datasets_frame(infos))
    connection.execute("CREATE TABLE datasets AS SELECT * FROM datasets_frame")
    connection.unregister("datasets_frame")


def _images_view(root: Path, infos: tuple[DatasetInfo, ...], paths: bool) -> str:
    names = [name for name in IMAGES.names if name != "class_words"]
    chosen = ["parse_filename(path) AS path" if name == "path" and not paths else name for name in names]
    parts = [
        f"SELECT {', '.join(chosen)}, {_class_names(info, 'class_words')} AS classes"
        f" FROM read_parquet({literal(str(folder_of_set(root, info) / IMAGES_FILE))})"
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
            names = "[" + ", ".join(literal(name) for name in _names_by_id(info)) + "]"
            folder = folder_of_set(root, info)
            parts.append(
                f"SELECT i.image_id || '/' || d.num AS detection_id, i.image_id,"
                f" {literal(info.name)} AS dataset,"
                f" {names}[d.class_id + 1] AS class_name, d.confidence, d.length_m, d.lon, d.lat,"
                f" d.west, d.south,"
                f" d.east, d.north, d.outline FROM"
                f" read_parquet({literal(str(folder / DETECTIONS_FILE))}) AS d"
                f" JOIN read_parquet({literal(str(folder / IMAGES_FILE))}) AS i USING (image_num)"
            )
    empty = ("detection_id", "image_id", "dataset", "class_name", "confidence", "length_m", "lon", "lat",
             "west", "south", "east", "north", "outline")  # fmt: skip
    return " UNION ALL ".join(parts) or f"SELECT {', '.join(f'NULL AS {n}' for n in empty)} WHERE FALSE"


def folder_of_set(root: Path, info: DatasetInfo) -> Path:
    """Where a data set's files really are."""
    return folder_of(root, info).resolve()


def _class_names(info: DatasetInfo, words: str) -> str:
    """SQL of the list of class names whose bits are set."""
    if not info.classes:
        return "CAST([] AS VARCHAR[])"
    # A CASE a class is worked out column by column; a list of numbers to look up takes five times as long.
    cases = ", ".join(
        f"CASE WHEN ({words}[{c.id // CLASS_BITS_PER_WORD + 1}] & {1 << c.id % CLASS_BITS_PER_WORD}) <> 0"
        f" THEN {literal(c.name)} END"
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


def literal(text: str) -> str:
    """A text as SQL writes it."""
    return "'" + text.replace("'", "''") + "'"

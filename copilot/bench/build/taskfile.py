"""The file of a benchmark: JSON lines, the first with the stamp and the build's report.

They are gzipped where the file's name ends in .gz, and plain otherwise.
"""

from __future__ import annotations

import gzip
import io
import json
import shutil
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any

from copilot.bench.build.stamp import Stamp
from copilot.bench.task import NoTask, Task
from state.codec import canonical

_LEVEL = 6


class UnreadableTasks(Exception):
    """A file that holds no tasks, in one sentence."""


@dataclass(frozen=True)
class Header:
    """What stands before the tasks."""

    stamp: Stamp
    report: dict[str, Any] = field(default_factory=dict)


class TaskWriter:
    """Writes tasks as they come; the header, which sums them up, is put before them at the end.

    Raises ValueError at once where no file can be written.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._body = path.with_name(f".{path.name}.tasks")
        self._head = path.with_name(f".{path.name}.part")
        if path.is_dir():
            raise ValueError(f"'{path}' is a folder; name a file in it, such as '{path / 'tasks.jsonl.gz'}'.")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._raw = self._body.open("wb")
        except OSError as error:
            raise ValueError(f"'{path}' cannot be written: {error.strerror}.") from error
        self._lines = self._into(self._raw)

    def write(self, line: bytes) -> None:
        """Add one task as `task_line` gives it."""
        self._lines.write(line)

    def finish(self, header: Header) -> None:
        """Put the header before the tasks and the file in its place."""
        self._lines.close()
        self._raw.close()
        with self._head.open("wb") as raw:
            first = self._into(raw)
            plain = {"stamp": header.stamp.to_json(), "report": header.report}
            first.write(canonical(plain).encode() + b"\n")
            if first is not raw:
                first.close()
            with self._body.open("rb") as tasks:  # gzip members one after another are one file
                shutil.copyfileobj(tasks, raw)
        self._head.replace(self.path)

    def _into(self, raw: io.BufferedWriter) -> io.BufferedWriter | gzip.GzipFile:
        """What writes lines to an open file; the file itself where it is not gzipped."""
        if self.path.suffix != ".gz":
            return raw
        # Neither the time nor a name goes into the file: the same tasks are the same bytes.
        return gzip.GzipFile(filename="", mode="wb", compresslevel=_LEVEL, fileobj=raw, mtime=0)

    def __enter__(self) -> TaskWriter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._lines.close()
        self._raw.close()
        for left in (self._body, self._head):
            left.unlink(missing_ok=True)


def task_line(task: Task) -> bytes:
    """A task as its line of the file."""
    return canonical(task.to_json()).encode() + b"\n"


def read_header(path: Path) -> Header | None:
    """The header of a file; None for one that has tasks only. Raises UnreadableTasks."""
    first = next(_lines(path), "")
    if not first:
        return None
    plain = _parsed(first, path, 1)
    if "stamp" not in plain:
        return None
    try:
        return Header(Stamp.from_json(plain["stamp"]), dict(plain.get("report", {})))
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise UnreadableTasks(f"The stamp in line 1 of '{path}' is none of this version's.") from error


def read_tasks(path: Path) -> Iterator[Task]:
    """The tasks of a file one by one, gzipped or not, with a header or without. Raises UnreadableTasks."""
    for number, line in enumerate(_lines(path), 1):
        if not line.strip():
            continue
        plain = _parsed(line, path, number)
        if number == 1 and "stamp" in plain:
            continue
        try:
            yield Task.from_json(plain)
        except NoTask as error:
            raise UnreadableTasks(_no_task(path, number, f": {error}")) from error


def write_tasks(path: Path, header: Header, tasks: Iterable[Task]) -> None:
    """Write a whole file."""
    with TaskWriter(path) as writer:
        for task in tasks:
            writer.write(task_line(task))
        writer.finish(header)


def _lines(path: Path) -> Iterator[str]:
    try:
        with path.open("rb") as raw:
            zipped = raw.read(2) == b"\x1f\x8b"
        with (gzip.open if zipped else open)(path, "rt", encoding="utf-8") as lines:
            yield from lines
    except (UnicodeDecodeError, EOFError, gzip.BadGzipFile, zlib.error) as error:
        why = "it is no text" if isinstance(error, UnicodeDecodeError) else "it is damaged"
        raise UnreadableTasks(f"'{path}' cannot be read: {why}.") from error
    except OSError as error:
        raise UnreadableTasks(f"'{path}' cannot be read: {error.strerror}.") from error


def _parsed(line: str, path: Path, number: int) -> dict[str, Any]:
    try:
        plain = json.loads(line, parse_constant=_no_number)
    except (ValueError, RecursionError) as error:
        raise UnreadableTasks(_no_task(path, number)) from error
    if not isinstance(plain, dict):
        raise UnreadableTasks(_no_task(path, number))
    return plain


def _no_number(said: str) -> None:
    raise ValueError(said)  # NaN and infinities are no JSON, though Python reads them


def _no_task(path: Path, number: int, why: str = "") -> str:
    return f"Line {number} of '{path}' is no task of the benchmark{why}."

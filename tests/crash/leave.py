"""A program of test_leaving.py: an app's process in the middle of something that nobody can stop."""

from __future__ import annotations

import re
import sys
import threading
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import duckdb

from copilot import leaving
from copilot.engine import Engine
from copilot.leaving import leave_when_told
from data.apart.reader import Reader
from tests.data.apart.hostile import spin


def hold_the_interpreter() -> None:
    """Backtrack for ever in C, in which no line of Python runs."""
    re.match(r"(a+)+$", "a" * 60 + "b")


def query() -> None:
    """Count for ever in DuckDB."""
    duckdb.sql("SELECT sum(a.range * b.range) FROM range(1000000000) a, range(1000000000) b").fetchall()


def sleep() -> None:
    """Wait for ever, in a thread that Python waits for at its end."""
    threading.Thread(target=time.sleep, args=(10_000,), daemon=False).start()


def read(folder: Path) -> None:
    """Read a file that never ends."""
    Reader().read(partial(spin, folder / "reader"), about="'a'", error=ValueError, reads=[], folder=folder)


def main(home: str, way: str) -> None:
    """Begin, say that it has begun, and wait for ever for the end of what runs, as the server does."""
    ways: dict[str, Callable[[], None]] = {
        "interpreter": hold_the_interpreter,
        "query": query,
        "thread": sleep,
        "read": partial(read, Path(home)),
    }
    leaving.LEAVE_S, leaving.GONE_S = 0.5, 2.0
    engine = Engine(Path(home), background=True)
    engine.desk.place.slots()  # which starts the worker
    leave_when_told(engine)

    def begin() -> None:
        print("begun", flush=True)
        ways[way]()

    threading.Thread(target=begin, daemon=True).start()
    while True:
        time.sleep(0.1)


if __name__ == "__main__":
    main(*sys.argv[1:])

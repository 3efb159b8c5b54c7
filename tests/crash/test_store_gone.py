"""The store's file is opened by others, moved, deleted or replaced under an app that runs: nothing that was
acknowledged is lost, and what is not kept is not acknowledged."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from state.store import Store

ROOT = Path(__file__).resolve().parents[2]


class App:
    """A process that has a home's store open and does what it is told."""

    def __init__(self, home: Path) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.crash.told", str(home)],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.session_id: str = self._answer()

    def tell(self, line: str) -> Any:
        """The answer to a command."""
        assert self._process.stdin is not None
        print(line, file=self._process.stdin, flush=True)
        return self._answer()

    def _answer(self) -> Any:
        assert self._process.stdout is not None
        return json.loads(self._process.stdout.readline())

    def kill(self) -> None:
        """End it as a power cut does."""
        self._process.kill()
        self._process.communicate()


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def store_file(home: Path) -> Path:
    return home / "sessions.db"


@pytest.fixture
def app(home: Path) -> Iterator[App]:
    started = App(home)
    yield started
    started.kill()


def elsewhere(program: str, *args: object) -> str:
    """What a program in another process prints."""
    done = subprocess.run(
        [sys.executable, "-c", program, *map(str, args)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


COUNT = """
import sys
from state.store import Store
store = Store(f"sqlite:///{sys.argv[1]}")
print(len(store.events(sys.argv[2])))
store.close()
"""


def kept(store_file: Path, session_id: str) -> int:
    """How many events another process finds; it closes the store properly, as `copilot session list` does."""
    return int(elsewhere(COUNT, store_file, session_id))


@pytest.mark.parametrize("ending", ["", "-wal", "-shm"])
def test_what_reads_the_stores_file_in_the_process_costs_no_event(
    app: App, store_file: Path, ending: str
) -> None:
    assert app.tell("call 3") == 1
    app.tell(f"read {store_file}{ending}")
    assert kept(store_file, app.session_id) == 1
    assert [app.tell(f"call {level}") for level in (4, 5)] == [2, 3]
    assert kept(store_file, app.session_id) == 3
    assert app.tell("call 6") == 4
    app.kill()
    assert kept(store_file, app.session_id) == 4


def test_a_log_that_was_deleted_by_hand_is_saved_into_the_database(app: App, store_file: Path) -> None:
    assert [app.tell(f"call {level}") for level in (3, 4)] == [1, 2]
    Path(f"{store_file}-wal").unlink()
    assert app.tell("call 5") == 3
    app.kill()
    assert kept(store_file, app.session_id) == 3


def test_nothing_is_acknowledged_that_others_will_not_find(app: App, store_file: Path) -> None:
    """The log is taken away and another process begins one of its own: whoever has the old one is told."""
    assert app.tell("call 3") == 1
    Path(f"{store_file}-wal").unlink()
    Path(f"{store_file}-shm").unlink()
    with closing(sqlite3.connect(store_file)) as other:
        other.execute("CREATE TABLE theirs (a)")
        other.commit()
        said = [app.tell(f"call {level}") for level in (4, 5, 6)]
    app.kill()
    acknowledged = max((each for each in said if isinstance(each, int)), default=0)
    assert acknowledged == kept(store_file, app.session_id)
    with closing(sqlite3.connect(store_file)) as other:
        assert other.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert other.execute("SELECT count(*) FROM theirs").fetchone() == (0,)


def delete(store_file: Path) -> None:
    for ending in ("", "-wal", "-shm"):
        Path(f"{store_file}{ending}").unlink()


def move_away(store_file: Path) -> None:
    store_file.rename(store_file.with_name("moved.db"))


def move_the_home(store_file: Path) -> None:
    store_file.parent.rename(store_file.parent.with_name("moved"))


@pytest.mark.parametrize("go", [delete, move_away, move_the_home])
def test_a_store_that_is_gone_is_said_to_be_and_no_empty_one_takes_its_place(
    app: App, store_file: Path, go: Callable[[Path], None]
) -> None:
    assert app.tell("call 3") == 1
    go(store_file)
    said = app.tell("call 4")
    assert said == (
        "StoreUnavailable: The session store sessions.db is gone: it was moved or deleted. Put it back, or "
        "start Azimuth again to begin with an empty one."
    )
    assert not store_file.exists() and app.tell("count") == 1


def test_a_store_that_is_moved_away_is_whole_and_goes_on_when_it_is_back(app: App, store_file: Path) -> None:
    assert app.tell("call 3") == 1
    away = store_file.with_name("moved.db")
    store_file.rename(away)
    assert app.tell("call 4").startswith("StoreUnavailable: ")
    shutil.copy(away, copy := store_file.with_name("copy.db"))
    assert kept(copy, app.session_id) == 1
    away.rename(store_file)
    assert app.tell("call 4") == 2
    assert kept(store_file, app.session_id) == 2


def test_a_backup_in_the_stores_place_is_taken_as_it_is(app: App, store_file: Path) -> None:
    """What came after the backup is gone, is said to be, once, and does not come back through the old log."""
    assert app.tell("call 3") == 1
    with (
        closing(sqlite3.connect(store_file)) as source,
        closing(sqlite3.connect(f"{store_file}.bak")) as copy,
    ):
        source.backup(copy)
    assert [app.tell(f"call {level}") for level in (4, 5)] == [2, 3]
    os.replace(f"{store_file}.bak", store_file)
    assert app.tell("call 6") == (
        "StoreUnavailable: The session store was replaced while Azimuth ran: it has this session up to "
        "event 1, where 3 had been. The session goes on from there; ask again for what is gone."
    )
    assert app.tell("count") == 1
    assert app.tell("call 7") == 2
    app.kill()
    assert kept(store_file, app.session_id) == 2
    with closing(Store(f"sqlite:///{store_file}")) as store:
        levels = [event.args["level"] for event in store.events(app.session_id)]
    assert levels == [3.0, 7.0]


def test_a_store_without_the_session_leaves_it_unknown(app: App, store_file: Path) -> None:
    assert app.tell("call 3") == 1
    Store(f"sqlite:///{store_file}.other").close()
    os.replace(f"{store_file}.other", store_file)
    assert app.tell("call 4") == f"UnknownSession: There is no session '{app.session_id}'."


@pytest.mark.parametrize("mode", [0o644, 0o666])
def test_nobody_else_can_read_the_store_or_its_log(tmp_path: Path, mode: int) -> None:
    path = tmp_path / "s.db"
    before = os.umask(0)
    try:
        with closing(sqlite3.connect(path)) as old:
            old.execute("CREATE TABLE t (a)")
        path.chmod(mode)
        with closing(Store(f"sqlite:///{path}")) as store:
            store.create("ann", "Ports")
            modes = {each.name: each.stat().st_mode & 0o777 for each in tmp_path.iterdir()}
        new = tmp_path / "new.db"
        with closing(Store(f"sqlite:///{new}")):
            modes[new.name] = new.stat().st_mode & 0o777
    finally:
        os.umask(before)
    assert modes == dict.fromkeys(["s.db", "s.db-wal", "s.db-shm", "new.db"], 0o600)

"""Files are read in processes of their own, and what happens to those does not matter to this one."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import psutil
import pytest

from data.apart import pool as pools
from data.apart.pool import Pool, clean_environment
from data.apart.reader import Reader
from data.apart.shut import can_keep_to_paths
from tests.data.apart import hostile
from tests.data.apart.hostile import FileError
from tests.suite.waiting import wait_until

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def pool() -> Iterator[Pool]:
    found = Pool()
    yield found
    found.stop(None)
    wait_until(lambda: not found._reading)
    found.close()


@pytest.fixture
def honest(tmp_path: Path) -> Path:
    (path := tmp_path / "honest.txt").write_text("four")
    return path


class Spinning:
    """A file that is read for ever, in a thread that waits for it."""

    def __init__(self, reader: Reader, folder: Path, number: int = 0) -> None:
        self.note = folder / f"note-{number}"
        self.said = ""
        folder.mkdir(exist_ok=True)
        self.thread = threading.Thread(target=self._read, args=(reader, folder), daemon=True)
        self.thread.start()

    def _read(self, reader: Reader, folder: Path) -> None:
        try:
            spin = partial(hostile.spin, self.note)
            reader.read(spin, about="'a.gpkg'", error=FileError, reads=[], folder=folder)
        except FileError as error:
            self.said = str(error)

    @property
    def began(self) -> bool:
        return self.note.exists() and self.note.read_text() != ""

    def process(self) -> psutil.Process:
        wait_until(lambda: self.began)
        return psutil.Process(int(self.note.read_text()))


def read(reader: Reader, path: Path) -> int:
    return reader.read(partial(hostile.size, path), about=repr(path.name), error=FileError, reads=[path])


@pytest.mark.skipif(not can_keep_to_paths(), reason="this kernel has no Landlock")
def test_a_reader_reaches_its_file_and_its_folder_and_nothing_else(pool: Pool, tmp_path: Path) -> None:
    for name in ("mine", "others"):
        (tmp_path / name).mkdir()
    (secret := tmp_path / "others" / "secret.txt").write_text("secret")
    with socket.create_server(("127.0.0.1", 0)) as server:
        found = Reader(pool=pool).read(
            partial(
                hostile.tried,
                secret,
                tmp_path / "others" / "new.txt",
                tmp_path / "mine",
                server.getsockname()[1],
                os.getpid(),
            ),
            about="'a.gpkg'",
            error=FileError,
            reads=[],
            folder=tmp_path / "mine",
        )
    may = {"write here": "done", "move here": "done"}
    assert found == dict.fromkeys(found, "refused") | may and len(found) == 10
    assert sorted(each.name for each in tmp_path.rglob("*") if each.is_file()) == ["moved", "secret.txt"]


def test_a_file_that_takes_too_long_is_given_up_and_the_next_one_is_read(
    pool: Pool, tmp_path: Path, honest: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    os.mkfifo(stuck := tmp_path / "stuck.tif")
    monkeypatch.setenv("AZIMUTH_READ_SECONDS", "1")
    with pytest.raises(FileError, match=r"^'stuck.tif' could not be read in 1 seconds; send less of it\.$"):
        read(Reader(pool=pool), stuck)
    monkeypatch.delenv("AZIMUTH_READ_SECONDS")
    assert read(Reader(pool=pool), honest) == 4


def test_a_reader_that_breaks_down_costs_one_file_and_no_more(pool: Pool, honest: Path) -> None:
    with pytest.raises(FileError, match=r"^'a.tif' broke down what reads it, so it is broken or meant to"):
        Reader(pool=pool).read(partial(hostile.die), about="'a.tif'", error=FileError, reads=[])
    assert read(Reader(pool=pool), honest) == 4


def test_the_process_that_readers_come_from_is_started_again_when_it_ends(pool: Pool, honest: Path) -> None:
    assert read(Reader(pool=pool), honest) == 4
    assert pool._process is not None
    pool._process.kill()
    pool._process.wait()
    assert read(Reader(pool=pool), honest) == 4


def test_a_reader_may_not_take_all_memory(pool: Pool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AZIMUTH_READ_MEMORY_GB", "0.2")
    with pytest.raises(FileError, match=r"^'a.csv' needs more memory than one file may take"):
        Reader(pool=pool).read(partial(hostile.fill), about="'a.csv'", error=FileError, reads=[])


def test_what_a_reader_refuses_and_tells_comes_here(pool: Pool) -> None:
    with pytest.raises(FileError, match=r"^It is no file that is known; send another\.$"):
        Reader(pool=pool).read(partial(hostile.refuse), about="'a.csv'", error=FileError, reads=[])
    heard: list[tuple[int, str]] = []
    told = Reader(pool=pool).read(
        partial(hostile.told),
        about="'a.csv'",
        error=FileError,
        reads=[],
        heard=lambda *each: heard.append(each),
    )
    assert (told, heard) == (2, [(1, "reading"), (2, "writing")])


def test_one_owners_files_do_not_hold_up_anothers(pool: Pool, tmp_path: Path, honest: Path) -> None:
    slow = [Spinning(Reader("slow", "s", pool=pool), tmp_path / "slow", number) for number in range(4)]
    wait_until(lambda: sum(each.began for each in slow) == 2)
    assert read(Reader("other", "o", pool=pool), honest) == 4
    assert sum(each.began for each in slow) == 2 and all(each.thread.is_alive() for each in slow)


def test_files_that_take_long_give_their_places_away(
    pool: Pool, tmp_path: Path, honest: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pools, "SLOW_S", 0.2)
    owners = [f"slow {number}" for number in range(pools.AT_ONCE + 2)]
    slow = [Spinning(Reader(each, each, pool=pool), tmp_path / each) for each in owners]
    wait_until(lambda: all(each.began for each in slow))
    assert read(Reader("other", "o", pool=pool), honest) == 4
    wait_until(lambda: all(each.process().nice() == 10 for each in slow))
    assert all(each.thread.is_alive() for each in slow)


def test_a_session_that_is_stopped_ends_what_is_read_for_it(pool: Pool, tmp_path: Path) -> None:
    one, other = (Spinning(Reader(each, each, pool=pool), tmp_path / each) for each in ("one", "other"))
    ended, goes_on = one.process(), other.process()
    assert pool.stop("one") and not pool.stop("nobody")
    wait_until(lambda: not one.thread.is_alive())
    assert one.said == "The reading of 'a.gpkg' was stopped; nothing was changed."
    wait_until(lambda: not ended.is_running())
    assert goes_on.is_running() and other.thread.is_alive()


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_readers_end_with_the_process_that_asked(how: signal.Signals, tmp_path: Path) -> None:
    script = (
        "import sys; from functools import partial; from pathlib import Path;"
        "from data.apart.reader import Reader;"
        "from tests.data.apart.hostile import spin;"
        "folder = Path(sys.argv[1]);"
        "Reader().read(partial(spin, folder / 'note'), about='a', error=ValueError, reads=[], folder=folder)"
    )
    app = subprocess.Popen([sys.executable, "-c", script, str(tmp_path)], cwd=ROOT)
    note = tmp_path / "note"
    wait_until(lambda: note.exists() and note.read_text())
    reader = psutil.Process(int(note.read_text()))
    forker = reader.parent()
    assert forker is not None
    app.send_signal(how)
    app.wait()
    wait_until(lambda: not reader.is_running() and not forker.is_running())


def test_readers_are_told_no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "secret")
    monkeypatch.setenv("HTTPS_PROXY", "http://10.0.0.1")
    assert not {"OPENAI_API_KEY", "HTTPS_PROXY"} & set(clean_environment())

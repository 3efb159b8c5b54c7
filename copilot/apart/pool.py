"""The app's side of copilot/apart: which process reads which request."""

from __future__ import annotations

import logging
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from multiprocessing.connection import Connection
from pathlib import Path
from typing import TYPE_CHECKING, Any

from copilot.apart.process import ASKED, KILL, NEW, WARM, Reading
from copilot.bounds import READING_CPU_S, TooMuch, too_slow
from data.catalogue.base import CatalogueError
from state.codec import to_json
from state.model import State

if TYPE_CHECKING:
    from copilot.planner.plan import Plan
    from copilot.planner.situation import Situation

AT_ONCE = 4
"""Readings at the same time; more wait for their turn."""
KEPT = 2
"""Copies that are kept for the next request."""
WAIT_S = 60.0
"""After so long by the clock a reading is ended too: what computes is ended long before, by its own limit."""
FIRST = "load everything around Paris from 2019 and draw a heat map"
"""What the first process reads, so that its copies have at hand what every reading needs."""
_TRIES = 2
_ROOT = Path(__file__).resolve().parents[2]
_SECRETS = ("KEY", "TOKEN", "SECRET", "PASSWORD")
_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class _First:
    """The process that is only copied."""

    process: subprocess.Popen[bytes]
    socket: socket.socket


@dataclass(frozen=True)
class _Copy:
    """A process that reads."""

    pid: int
    app: Connection


class _Gone(Exception):
    """A process has ended in the middle."""


class _Late(Exception):
    """A process has not answered in time."""


class Readers:
    """Reads requests in processes of its own, as `Planner` does here. Safe to use from several threads."""

    def __init__(self, cpu_s: int = READING_CPU_S) -> None:
        self.cpu_s = cpu_s
        self._lock = threading.Lock()
        """Held while the first process is asked for something."""
        self._first: _First | None = None
        self._idle: list[_Copy] = []
        self._places = threading.BoundedSemaphore(AT_ONCE)

    def plan(self, request: str, situation: Situation) -> Plan:
        """The plan of a request said into a situation. Raises TooMuch where its reading had to be ended."""
        catalogue = situation.catalogue
        past, datasets = tuple(situation.past), catalogue.datasets()
        reading = Reading(
            request,
            situation.state,
            situation.today,
            past,
            datasets,
            id(catalogue),
            self.cpu_s,
            situation.columns,
        )
        with self._places:
            for _ in range(_TRIES):
                copy = self._take(catalogue)
                try:
                    plan = _read(copy.app, reading, catalogue)
                except BaseException as error:
                    ended_by = self._end(copy)
                    if isinstance(error, _Gone) and ended_by != signal.SIGXCPU:
                        continue  # somebody else ended it, or the machine had no memory for it
                    if not isinstance(error, _Gone | _Late | TooMuch):
                        raise
                    break
                self._give(copy)
                return plan
        _log.warning("the reading of a request of %d characters was ended", len(request))
        raise TooMuch(too_slow())

    @property
    def pids(self) -> tuple[int, ...]:
        """The processes that stand: the first, and the copies that wait."""
        first = () if self._first is None else (self._first.process.pid,)
        return (*first, *(copy.pid for copy in self._idle))

    def close(self) -> None:
        """End every process."""
        with self._lock:
            self._close()

    # -- inside, with the lock held where the first process is asked ----------------------------

    def _take(self, catalogue: Any) -> _Copy:
        """A copy that nobody uses, made where there is none."""
        with self._lock:
            while self._idle:
                copy = self._idle.pop()
                if not copy.app.poll():  # what is there to read before a question is its end
                    return copy
                copy.app.close()
                self._ended(copy)
            for _ in range(_TRIES):
                try:
                    return self._made(self._first or self._start(catalogue))
                except (OSError, ValueError):
                    _log.warning("the process that requests are read in was gone; another is started")
                    self._close()
        raise RuntimeError("The process that requests are read in could not be started.")

    def _give(self, copy: _Copy) -> None:
        with self._lock:
            if len(self._idle) < KEPT:
                self._idle.append(copy)
                return
        self._end(copy)

    def _end(self, copy: _Copy) -> int:
        """End a copy: the signal that ended it, 0 where that is not known."""
        copy.app.close()
        with self._lock:
            return self._ended(copy)

    def _ended(self, copy: _Copy) -> int:
        if self._first is None:
            return 0
        with suppress(OSError, ValueError):
            return int(_said(self._first.socket, KILL + str(copy.pid).encode()))
        return 0

    def _made(self, first: _First) -> _Copy:
        mine, other = socket.socketpair()
        try:
            with other:
                pid = int(_said(first.socket, NEW, other))
        except BaseException:
            mine.close()
            raise
        return _Copy(pid, Connection(mine.detach()))

    def _start(self, catalogue: Any) -> _First:
        """Start the first process, and let it read something. Raises OSError where it does not start."""
        mine, other = socket.socketpair()
        with other:
            process = subprocess.Popen(
                [sys.executable, "-m", "copilot.apart.process", str(other.fileno())],
                cwd=_ROOT,
                env=_environment(),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                pass_fds=[other.fileno()],
                start_new_session=True,  # Ctrl-C is for the app, whose end it then sees
            )
        self._first = _First(process, mine)
        if not mine.recv(1):
            raise OSError("it ended at its start")
        today = datetime.now(UTC).date()
        reading = Reading(FIRST, to_json(State()), today, (), catalogue.datasets())
        asking, asked = socket.socketpair()
        with Connection(asking.detach()) as app:
            with asked:
                socket.send_fds(mine, [WARM], [asked.fileno()])
            try:
                with suppress(RuntimeError, TooMuch):
                    _read(app, reading, catalogue)
            except (_Gone, _Late) as error:  # on a machine that is very busy: the next try has what it loaded
                raise OSError("it did not come through its first request") from error
        if not mine.recv(1):
            raise OSError("it ended at its first request")
        return self._first

    def _close(self) -> None:
        first, self._first = self._first, None
        idle, self._idle = self._idle, []
        for copy in idle:
            copy.app.close()
        if first is None:
            return
        first.socket.close()  # which it ends at
        with suppress(subprocess.TimeoutExpired):
            first.process.wait(10)
        first.process.kill()
        first.process.wait()


def _said(first: socket.socket, word: bytes, given: socket.socket | None = None) -> bytes:
    """What the first process answers. Raises OSError where it is gone."""
    if given is None:
        first.sendall(word)
    else:
        socket.send_fds(first, [word], [given.fileno()])
    if not (answer := first.recv(32)):
        raise OSError("it is gone")
    return answer


def _read(app: Connection, reading: Reading, catalogue: Any) -> Plan:
    """What a process makes of a request. Raises _Gone, _Late, TooMuch; RuntimeError for our faults."""
    ends, failed = time.monotonic() + WAIT_S, None
    try:
        app.send(reading)
        while app.poll(max(0.0, ends - time.monotonic())):
            kind, value = app.recv()
            if kind == "plan":
                return value  # type: ignore[no-any-return]
            if kind == "memory":
                raise TooMuch(too_slow())
            if kind == "raised":
                raise failed or RuntimeError(f"the reading failed\n{value}")
            answer = _asked(catalogue, *value)
            failed = answer[1] if not answer[0] and isinstance(answer[1], CatalogueError) else failed
            app.send(answer)
    except (EOFError, OSError) as error:
        raise _Gone from error
    raise _Late


def _asked(catalogue: Any, method: str, args: Any, kwargs: Any) -> tuple[bool, Any]:
    """Whether a question to the catalogue worked, and its answer or what it raised."""
    try:
        if method not in ASKED:
            raise ValueError(f"A reading asks the catalogue no '{method}'.")
        return True, getattr(catalogue, method)(*args, **kwargs)
    except Exception as error:
        return False, error


def _environment() -> dict[str, str]:
    """The app's environment, with one thread for each library, and without what is secret."""
    kept = {
        key: value for key, value in os.environ.items() if not any(word in key.upper() for word in _SECRETS)
    }
    one = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    return {**kept, **one, "TOKENIZERS_PARALLELISM": "false"}

"""The readers of one process: they are started, waited for, and ended, and owners are served in turn.

A file that takes long gives its place to the next one and goes on with a low priority, so that one visitor's
slow files never hold up another's; and of one owner's files, two at most are read at once.
"""

from __future__ import annotations

import atexit
import itertools
import json
import os
import selectors
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from data.apart.limits import Limits
from data.fair import FairQueue

ROOT = Path(__file__).resolve().parents[2]
AT_ONCE_VARIABLE = "AZIMUTH_READ_AT_ONCE"
AT_ONCE = 3
MOST_OF_ONE_OWNER = 2
SLOW_S = 3.0
"""A file that takes longer gives its place away, ..."""
MOST_SLOW = 8
"""... as long as no more than so many have."""
TICK_S = 0.1
_STARTS = 20.0
"""How long the process that readers are forked from may take to take a job, seconds."""
_KEPT_VARIABLES = (
    "PATH",
    "HOME",
    "LANG",
    "TZ",
    "TMPDIR",
    "VIRTUAL_ENV",
    "LD_LIBRARY_PATH",
    "PROJ_DATA",
    "GDAL_DATA",
)
_READ_BYTES = 1 << 16
_ENDINGS = {-24: "time", -6: "aborted"}
"""How a process ends that has used up its processor time (SIGXCPU), and one whose library gave itself up
(SIGABRT), as those of C++ do in a thread that gets no memory."""


class ReadFailed(Exception):
    """A file that was not read to its end: `how` is "time", "memory", "aborted", "broken", "stopped" or
    "bug"."""

    def __init__(self, how: str, said: str = "") -> None:
        super().__init__(said or how)
        self.how = how


@dataclass
class _Reader:
    """One file that is read, or waits for its turn."""

    number: int
    owner: str
    session: str
    stop: threading.Event = field(default_factory=threading.Event)


def at_once() -> int:
    """How many files are read at once: $AZIMUTH_READ_AT_ONCE, else 3; slow ones are not counted."""
    said = os.environ.get(AT_ONCE_VARIABLE, "")
    return int(said) if said.isdigit() and 0 < int(said) <= 64 else AT_ONCE


class Pool:
    """Reads files in processes of their own. Safe to use from several threads."""

    def __init__(self) -> None:
        self._queue = FairQueue(MOST_OF_ONE_OWNER)
        self._lock = threading.Lock()
        self._numbers = itertools.count(1)
        self._reading: dict[int, _Reader] = {}
        self._process: subprocess.Popen[bytes] | None = None
        self._asks: socket.socket | None = None
        self._left = False

    def run(
        self,
        job: Mapping[str, Any],
        limits: Limits,
        owner: str,
        session: str,
        heard: Callable[..., None] | None = None,
    ) -> dict[str, Any]:
        """The answer to a job as JSON: an "answer" or an "error". Raises ReadFailed."""
        reader = _Reader(next(self._numbers), owner, session)
        with self._lock:
            self._reading[reader.number] = reader
        ticket = str(reader.number)
        self._queue.enter(owner, ticket)
        try:
            while self._left or not self._queue.turn(owner, ticket, at_once(), TICK_S):
                self._check(reader)
            return self._read(reader, job, limits, heard)
        finally:
            self._queue.leave(owner, ticket)
            with self._lock:
                del self._reading[reader.number]

    def stop(self, session: str | None) -> bool:
        """End what is read for that session (None: for any), or waits to be; False when nothing is."""
        with self._lock:
            mine = [each for each in self._reading.values() if session in (None, each.session)]
        for each in mine:
            each.stop.set()
        return bool(mine)

    def leave(self) -> None:
        """End every reader because this process ends: whoever waits for one gets no answer any more."""
        self._left = True
        self.close()

    def close(self) -> None:
        """End every reader, and the process that they are forked from; the next file starts it again."""
        with self._lock:
            process, self._process = self._process, None
            asks, self._asks = self._asks, None
        if asks is not None:
            asks.close()
        if process is not None:
            with suppress(subprocess.TimeoutExpired):
                process.wait(2)  # it ends its readers first
            process.kill()
            process.wait()

    # -- one file ------------------------------------------------------------------------------

    def _check(self, reader: _Reader) -> None:
        while self._left:
            time.sleep(1)  # the process ends, and this thread with it
        if reader.stop.is_set():
            raise ReadFailed("stopped")

    def _read(
        self, reader: _Reader, job: Mapping[str, Any], limits: Limits, heard: Callable[..., None] | None
    ) -> dict[str, Any]:
        text = json.dumps({**job, "limits": limits.plain(), "tells": heard is not None}).encode() + b"\n"
        own = self._begin(reader)
        try:
            with suppress(OSError):  # it has ended already, which its last line says
                own.sendall(text)
            return self._answer(reader, own, limits, heard)
        finally:
            self._tell("kill", reader.number)
            own.close()

    def _answer(
        self, reader: _Reader, own: socket.socket, limits: Limits, heard: Callable[..., None] | None
    ) -> dict[str, Any]:
        """What the reader says at last."""
        began, slow, said, ended = time.monotonic(), False, None, None
        lines = _Lines(own)
        while ended is None:
            for line in lines.wait(TICK_S):
                found = json.loads(line)
                if "told" in found and heard is not None:
                    heard(*found["told"])
                elif "ended" in found:
                    ended = int(found["ended"])
                elif "answer" in found or "error" in found or "failed" in found:
                    said = found
            self._check(reader)
            passed = time.monotonic() - began
            if passed > limits.seconds:
                raise ReadFailed("time")
            if lines.closed and ended is None:
                raise ReadFailed("broken")
            if not slow and passed > SLOW_S:
                slow = self._queue.step_aside(str(reader.number), MOST_SLOW)
                if slow:
                    self._tell("slow", reader.number)
        return _meant(said, ended)

    # -- the process that readers are forked from ------------------------------------------------

    def _begin(self, reader: _Reader) -> socket.socket:
        """A reader's socket. Raises ReadFailed where none can be started."""
        for _ in range(2):
            ours, theirs = socket.socketpair()
            with theirs:
                if self._tell("start", reader.number, theirs):
                    return ours
            ours.close()
            self.close()  # it has ended, and is started again
        raise ReadFailed("broken")

    def _tell(self, what: str, number: int, end: socket.socket | None = None) -> bool:
        """Whether a message was taken; one that starts a reader starts the process too."""
        with self._lock:
            if self._asks is None:
                if end is None or self._left:
                    return False
                self._start()
            assert self._asks is not None
            try:
                socket.send_fds(self._asks, [f"{what} {number}".encode()], [end.fileno()] if end else [])
            except OSError:
                return False
            return True

    def _start(self) -> None:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        ours.settimeout(_STARTS)
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-W", "ignore", "-m", "data.apart.forker", str(theirs.fileno())],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                cwd=ROOT,
                env=clean_environment(),
                pass_fds=[theirs.fileno()],
                start_new_session=True,
            )
        self._asks = ours


class _Lines:
    """The lines that come over a socket."""

    def __init__(self, own: socket.socket) -> None:
        self._own, self._rest = own, bytearray()
        self.closed = False

    def wait(self, seconds: float) -> list[bytes]:
        """Those that have come whole within that time."""
        with selectors.DefaultSelector() as waiting:
            waiting.register(self._own, selectors.EVENT_READ)
            if not waiting.select(seconds):
                return []
        try:
            piece = self._own.recv(_READ_BYTES)
        except OSError:
            piece = b""
        self.closed = not piece
        if b"\n" not in piece:
            self._rest += piece
            return []
        *lines, rest = bytes(self._rest + piece).split(b"\n")
        self._rest = bytearray(rest)
        return [line for line in lines if line.strip()]


def _meant(said: dict[str, Any] | None, ended: int) -> dict[str, Any]:
    if said is None:
        raise ReadFailed(_ENDINGS.get(ended, "broken"))
    if "failed" in said:
        raise ReadFailed(said["failed"], said.get("said", ""))
    return said


def clean_environment() -> dict[str, str]:
    """The environment of a process that reads strangers' files: no keys, no addresses, no network."""
    kept = {name: os.environ[name] for name in _KEPT_VARIABLES if name in os.environ}
    threads = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "NUMEXPR_MAX_THREADS"), "1")
    return {**kept, **threads, "PYTHONDONTWRITEBYTECODE": "1", "CPL_CURL_ENABLED": "NO"}


pool = Pool()
"""The readers of this process."""
atexit.register(pool.close)

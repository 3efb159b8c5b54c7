"""Where requests are read: `python -m copilot.apart.process FD`, started by copilot/apart/pool.py.

The process loads the planner, reads one request so that all is warm, and then only makes copies of itself by
`fork`. It has no thread of its own but this one; those that libraries start are of no use to a reading, so
that a copy is whole without them. It ends when the app's end of its socket is closed, and its
copies end with it. What a reading asks of the catalogue it asks the app: it opens no file of anybody's.
"""

from __future__ import annotations

import ctypes
import os
import resource
import signal
import socket
import sys
import traceback
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import date
from multiprocessing.connection import Connection
from typing import TYPE_CHECKING, Any

from copilot.bounds import READING_CPU_S

if TYPE_CHECKING:
    from copilot.planner.situation import PastTurn
    from copilot.readers import Reads
    from data.schema import DatasetInfo

NEW, WARM, KILL = b"n", b"w", b"k"
"""What the app asks for: another copy, a reading in the first process itself, the end of a copy."""
ASKED = frozenset({"image", "values"})
"""What a reading may ask of the catalogue."""
MEMORY_BYTES = 1 << 30
"""How much more than the first process a copy may take."""
_PR_SET_PDEATHSIG = 1


@dataclass(frozen=True)
class Reading:
    """A request, and what it is said into."""

    request: str
    state: dict[str, Any]
    today: date
    past: tuple[PastTurn, ...]
    datasets: tuple[DatasetInfo, ...]
    view: int = 0
    """Which view of the catalogue it is said into: an owner's, or everybody's."""
    cpu_s: int = READING_CPU_S
    """Whole seconds of computing that it may take."""
    columns: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Of the artifacts that have rows, by their ids."""


class AskedCatalogue:
    """The app's catalogue, as far as a reading asks it."""

    def __init__(self, app: Connection) -> None:
        self._app = app
        self.known: tuple[DatasetInfo, ...] = ()

    def datasets(self) -> tuple[DatasetInfo, ...]:
        """What came with the request."""
        return self.known

    def image(self, image_id: str) -> Any:
        """One image's record."""
        return self._ask("image", image_id)

    def values(self, *args: Any, **kwargs: Any) -> Any:
        """Distinct values of a field."""
        return self._ask("values", *args, **kwargs)

    def _ask(self, method: str, *args: Any, **kwargs: Any) -> Any:
        self._app.send(("ask", (method, args, kwargs)))
        worked, value = self._app.recv()
        if not worked:
            raise value
        return value


def main(fd: str) -> None:
    """Do what the app asks for until its end of the socket is closed."""
    from copilot.readers import chosen_reader, reader
    from data.gazetteer import gazetteer

    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    planner = reader(chosen_reader())
    gazetteer()
    app = socket.socket(fileno=int(fd))
    copies: set[int] = set()
    app.sendall(b"!")
    while True:
        word, fds, _, _ = socket.recv_fds(app, 32, 1)
        if not word:
            os._exit(0)
        if word == WARM:
            with Connection(fds[0]) as asking, suppress(EOFError):
                _answer(asking, {}, planner, limited=False)
            app.sendall(b"0")
        elif word == NEW:
            copies.add(pid := _copy(app, fds[0], planner))
            app.sendall(str(pid).encode())
        elif word.startswith(KILL):
            app.sendall(str(_ended(int(word[1:]), copies)).encode())


def _ended(pid: int, copies: set[int]) -> int:
    """End a copy where it has not ended itself, and tell by which signal it did."""
    if pid not in copies:
        return 0
    copies.discard(pid)
    os.kill(pid, signal.SIGKILL)  # nobody else's: one that has ended keeps its number until it is waited for
    return os.WTERMSIG(status) if os.WIFSIGNALED(status := os.waitpid(pid, 0)[1]) else 0


def _copy(app: socket.socket, fd: int, planner: Reads) -> int:
    first = os.getpid()
    if pid := os.fork():
        os.close(fd)
        return pid
    code = 1
    try:
        app.close()
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() == first:
            _serve(Connection(fd), planner)
        code = 0
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(code)


def _serve(app: Connection, planner: Reads) -> None:
    """Read request after request until the app's end is closed."""
    resource.setrlimit(resource.RLIMIT_DATA, (_data_bytes() + MEMORY_BYTES, resource.RLIM_INFINITY))
    seen: dict[int, AskedCatalogue] = {}
    with suppress(EOFError, OSError):
        while True:
            _answer(app, seen, planner, limited=True)


def _answer(app: Connection, seen: dict[int, AskedCatalogue], planner: Reads, *, limited: bool) -> None:
    """Read one request. Raises EOFError when there will be none."""
    from copilot.planner.situation import Situation
    from data.gazetteer import gazetteer

    reading: Reading = app.recv()
    if limited:
        used = resource.getrusage(resource.RUSAGE_SELF)
        ends = int(used.ru_utime + used.ru_stime) + 1 + reading.cpu_s
        resource.setrlimit(resource.RLIMIT_CPU, (ends, resource.RLIM_INFINITY))
    # One for each view: what the planner remembers of one owner's catalogue it takes for no other's.
    catalogue = seen.setdefault(reading.view, AskedCatalogue(app))
    catalogue.known = reading.datasets
    situation: Any = Situation(
        reading.state,
        reading.today,
        catalogue,  # type: ignore[arg-type]
        gazetteer(),
        reading.past,
        columns=reading.columns,
    )
    try:
        app.send(("plan", planner.plan(reading.request, situation)))
    except MemoryError:
        app.send(("memory", None))
    except Exception:
        app.send(("raised", traceback.format_exc()))


def _data_bytes() -> int:
    """What RLIMIT_DATA counts of this process now."""
    with open("/proc/self/status", encoding="ascii") as status:
        return sum(int(line.split()[1]) for line in status if line.startswith("VmData")) * 1024


if __name__ == "__main__":
    with suppress(OSError):  # the app has ended while this was loading, or in the middle of a word
        main(sys.argv[1])

"""The process that readers are forked from: `python -m data.apart.forker FD`, started by `data.apart.pool`.

It loads the libraries while nothing is asked of it and never opens a file of anybody's, so each reader
begins clean. Over its socket come messages: `start NUMBER` with the reader's own socket, `slow NUMBER` and
`kill NUMBER`. When a reader has ended, how is the last line on its socket. All readers end with this process,
and it with its socket.
"""

from __future__ import annotations

import importlib
import os
import selectors
import signal
import socket
import sys
from contextlib import suppress
from dataclasses import dataclass, field

from data.apart import shut
from data.apart.reading import read_for

LIBRARIES = (
    "pydantic",
    "numpy",
    "pyarrow.parquet",
    "pandas",
    "shapely",
    "data.uploads.bring",
    "data.uploads.bundles",
    "data.uploads.vectors",
    "data.uploads.tables",
    "data.uploads.ogr",
    "data.uploads.documents",
    "charset_normalizer",
    "pypdf",
    "data.ingest.making",
    "data.catalogue.duck_sql",
)
"""What most files need: loaded here, one at a time, it is there in every reader."""
NICE = 10
"""The priority of a reader that takes long."""
_MESSAGE_BYTES = 256


@dataclass
class _Forker:
    asked: socket.socket
    seen: selectors.BaseSelector = field(default_factory=selectors.DefaultSelector)
    readers: dict[int, tuple[int, socket.socket]] = field(default_factory=dict)
    """The process of each number, and its socket."""
    to_load: list[str] = field(default_factory=lambda: list(reversed(LIBRARIES)))

    def serve(self) -> None:
        """Until the other end is closed."""
        self.seen.register(self.asked, selectors.EVENT_READ)
        while True:
            idle = not self.readers
            ready = self.seen.select(0 if self.to_load and idle else None)
            if not ready:
                self._load_one()
            for key, _ in ready:
                if key.fileobj is self.asked:
                    if not self._heard():
                        return
                else:
                    self._ended(key.data)

    def end(self) -> None:
        """End every reader."""
        for pid, _ in self.readers.values():
            _kill(pid)

    def _load_one(self) -> None:
        with suppress(ImportError):  # whoever needs it says so
            importlib.import_module(self.to_load.pop())

    def _heard(self) -> bool:
        message, ends, _, _ = socket.recv_fds(self.asked, _MESSAGE_BYTES, 1)
        if not message:
            return False
        what, number = message.decode().split()
        if what == "start":
            self._start(int(number), socket.socket(fileno=ends[0]))
        elif int(number) in self.readers:
            pid = self.readers[int(number)][0]
            if what == "slow":
                os.setpriority(os.PRIO_PROCESS, pid, NICE)
            else:
                _kill(pid)
        return True

    def _start(self, number: int, own: socket.socket) -> None:
        pid = os.fork()
        if pid == 0:
            self._read(own)
        self.readers[number] = (pid, own)
        self.seen.register(os.pidfd_open(pid), selectors.EVENT_READ, number)

    def _read(self, own: socket.socket) -> None:
        """What a reader does, in its own process. Never returns."""
        code = 1
        try:
            shut.end_with_parent()
            os.setsid()
            if os.getppid() == 1:
                os._exit(1)  # it was gone before
            for key in list(self.seen.get_map().values()):
                os.close(key.fd)  # the way to the others, and to who asked
            for _, other in self.readers.values():
                other.close()
            self.seen.close()
            read_for(own)
            code = 0
        finally:
            os._exit(code)

    def _ended(self, number: int) -> None:
        pid, own = self.readers.pop(number)
        _, status = os.waitpid(pid, 0)
        for key in [key for key in self.seen.get_map().values() if key.data == number]:
            self.seen.unregister(key.fileobj)
            os.close(key.fd)
        with suppress(OSError), own:  # whoever asked may be gone
            own.sendall(b'\n{"ended": %d}\n' % os.waitstatus_to_exitcode(status))


def _kill(pid: int) -> None:
    with suppress(ProcessLookupError):
        os.killpg(pid, signal.SIGKILL)
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)  # before it has a group of its own


def main() -> None:
    """Fork readers until the socket of that number is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for whoever started this, who then ends it
    forker = _Forker(socket.socket(fileno=int(sys.argv[1])))
    try:
        forker.serve()
    finally:
        forker.end()
        os._exit(0)


if __name__ == "__main__":
    main()

"""The database file that a store has open: held, so that nobody's log goes away under it, and told apart.

SQLite's own locks are POSIX locks: they are lost when *anything* in this process opens and closes the same
file, and the next process to close the database then deletes the write-ahead log that this one still writes
to. So the file is held by one more lock, which belongs to its descriptor (an open-file-description lock, see
fcntl(2)) and is lost with that only. What no lock can prevent (the file is moved, deleted, replaced) shows in
the numbers of the files.
"""

from __future__ import annotations

import errno
import fcntl
import os
import struct
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

LOG, INDEX = "-wal", "-shm"
"""What SQLite adds to the database's name for the write-ahead log and for its index."""
PRIVATE = 0o600
_SHARED_FIRST, _SHARED_BYTES = 0x40000002, 510
"""Where a connection that reads has its lock: https://www.sqlite.org/src/file/src/os.h, SHARED_FIRST."""
_HOLD_TRIES = 100

Number = tuple[int, int] | None
"""Device and inode of a file; None where there is none."""


def make_private(path: Path) -> None:
    """See to it that only the user can read the database and its log: made where there is none, else changed.

    SQLite gives the log the database's mode. Raises OSError where the file cannot be made.
    """
    with suppress(FileExistsError):
        # A new file only: to close one that SQLite has open would cost it its locks.
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, PRIVATE))
    for each in (path, _beside(path, LOG), _beside(path, INDEX)):
        with suppress(OSError):  # somebody else's file, or none
            if each.stat().st_mode & 0o077:
                each.chmod(PRIVATE)


@dataclass(frozen=True)
class HeldFile:
    """A database file that connections of this process have open."""

    name: str
    """Its path: looked at for each use, hence text."""
    descriptor: int
    """Closed only after every connection: to close it costs SQLite its own locks."""
    database: Number
    log: Number
    index: Number

    @classmethod
    def hold(cls, path: Path) -> HeldFile:
        """Hold the file, of which a connection in write-ahead mode is open that has read from it.

        Raises OSError where it is not there.
        """
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        _hold(descriptor)
        found = os.fstat(descriptor)
        name = os.path.abspath(path)
        log, index = number_of(name + LOG), number_of(name + INDEX)
        return cls(name, descriptor, (found.st_dev, found.st_ino), log, index)

    @property
    def is_the_same(self) -> bool:
        """Whether those who open the database now get these very files."""
        return (
            number_of(self.name) == self.database
            and number_of(self.name + LOG) == self.log
            and number_of(self.name + INDEX) == self.index
        )

    @property
    def can_take_its_log_in(self) -> bool:
        """Whether what is in the log may be written to the database that is open.

        Not where others have begun another log for it: theirs is newer.
        """
        log = number_of(self.name + LOG)
        return number_of(self.name) != self.database or log is None or log == self.log

    @property
    def is_whole_without_its_log(self) -> bool:
        """Whether those who open the database now find in it all that its log was taken in for."""
        return number_of(self.name) == self.database and number_of(self.name + LOG) in (
            None,
            self.log,
        )

    def let_go(self) -> None:
        """Let SQLite take the log in and remove it when its last connection is closed."""
        _lock(self.descriptor, fcntl.F_UNLCK)

    def close(self) -> None:
        """Close the descriptor, after the connections."""
        os.close(self.descriptor)


def number_of(path: str) -> Number:
    """What tells the file at a path from any other; None where there is none, or it cannot be looked at."""
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _beside(path: Path, ending: str) -> Path:
    return path.with_name(path.name + ending)


def _hold(descriptor: int) -> None:
    """Lock the file against those who want it alone; a moment is waited for one who has it so."""
    for _ in range(_HOLD_TRIES):
        try:
            return _lock(descriptor, fcntl.F_RDLCK)
        except OSError as error:
            if error.errno not in (errno.EAGAIN, errno.EACCES):
                return  # a file system without such locks: SQLite's own hold it, its number tells the rest
        time.sleep(0.02)


def _lock(descriptor: int, kind: int) -> None:
    wanted = getattr(fcntl, "F_OFD_SETLK", None)
    if wanted is not None:
        # struct flock of fcntl(2): type, whence, start, length, and a process, which must be 0 here.
        place = struct.pack("hhqqi4x", kind, os.SEEK_SET, _SHARED_FIRST, _SHARED_BYTES, 0)
        fcntl.fcntl(descriptor, wanted, place)

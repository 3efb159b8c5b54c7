"""What a stranger's file could make a library do: run in readers by test_reader.py."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
from collections.abc import Callable
from pathlib import Path


class FileError(Exception):
    """What a reader raises for a file that cannot be used."""


def size(path: Path) -> int:
    """An honest reader: how many bytes the file has."""
    return len(path.read_bytes())


def spin(note: Path) -> int:
    """Never end; the number of the process is in `note`."""
    note.write_text(str(os.getpid()))
    while True:
        pass


def wait(path: Path) -> int:
    """Wait for ever, and use no processor."""
    return len(path.read_bytes())


def die() -> int:
    """Break down."""
    os.kill(os.getpid(), signal.SIGSEGV)
    return 0


def fill() -> int:
    """Take memory for ever."""
    taken = []
    while True:
        taken.append(bytearray(10_000_000))


def refuse() -> int:
    """Say that the file cannot be used."""
    raise FileError("It is no file that is known; send another.")


def told(progress: Callable[[int, str], None]) -> int:
    """Say how far it is."""
    progress(1, "reading")
    progress(2, "writing")
    return 2


def tried(secret: Path, elsewhere: Path, folder: Path, port: int, other: int) -> dict[str, str]:
    """What came of everything that a reader is not to do, and of what it may."""
    ways: dict[str, Callable[[], object]] = {
        "read a file": secret.read_text,
        "list a folder": lambda: list(secret.parent.iterdir()),
        "write elsewhere": lambda: elsewhere.write_text("x"),
        "link": lambda: (folder / "link").symlink_to(secret),
        "connect": lambda: socket.create_connection(("127.0.0.1", port)),
        "send": lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM),
        "run a program": lambda: subprocess.run(["/bin/true"], check=False),
        "end another": lambda: os.kill(other, signal.SIGTERM),
        "write here": lambda: (folder / "made").write_text("x"),
        "move here": lambda: (folder / "made").rename(folder / "moved"),
    }
    found = {}
    for name, way in ways.items():
        try:
            way()
            found[name] = "done"
        except PermissionError:
            found[name] = "refused"
    return found

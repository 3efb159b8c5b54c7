"""What only the user who runs Azimuth can read: the home folder and all that is in it."""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from pathlib import Path

OTHERS = 0o077
"""The rights of the group and of everybody else."""


def private_folder(path: Path) -> None:
    """Make a folder that nobody else can look into, or close the one that is there. Raises OSError."""
    path.mkdir(mode=0o700, parents=True, exist_ok=True)
    close(path)


def private_file(path: Path) -> None:
    """Make an empty file that nobody else can read, or close the one that is there, without opening it.

    A database is not opened here: closing it again would drop the locks that this process has on it.
    """
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    except FileExistsError:
        close(path)


def close(path: Path) -> None:
    """Take everybody else's rights to a file or folder away, where it is ours; links are left alone."""
    with suppress(OSError):
        seen = path.lstat()
        if not stat.S_ISLNK(seen.st_mode) and seen.st_mode & OTHERS and seen.st_uid == os.geteuid():
            path.chmod(stat.S_IMODE(seen.st_mode) & ~OTHERS)


def tighten(home: Path) -> None:
    """Close a home folder, what lies in it, and the folders of owners and sessions below that."""
    close(home)
    for path in (*home.glob("*"), *home.glob("uploads/*"), *home.glob("sessions/*"), *home.glob(".*")):
        close(path)

"""A folder to work in beside the catalogue, and the removal of those that killed processes left there."""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from data.readers.base import UnreadableSource

_SUFFIX = ".staging"
_LOCK = "lock"
_UNLOCKED = (".writing", ".replaced", ".removed")
"""What `data.catalogue.write` works in, for seconds."""
_A_DAY_S = 86_400


@contextmanager
def work_folder(root: Path, dataset: str) -> Iterator[Path]:
    """A new folder on the catalogue's disk, so that what is staged is moved and not copied.

    It goes at the end; those of ingests that were killed go at the start. Raises UnreadableSource
    when the catalogue's folder cannot be written.
    """
    try:
        root.mkdir(parents=True, exist_ok=True)
        folder = Path(tempfile.mkdtemp(prefix=f".{dataset}.", suffix=_SUFFIX, dir=root))
    except OSError as error:
        reason = os.strerror(error.errno or 0).lower()
        raise UnreadableSource(f"The catalogue's folder {root.name!r} cannot be written: {reason}.") from None
    try:
        with (folder / _LOCK).open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            _remove_abandoned(root, folder)
            yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _remove_abandoned(root: Path, mine: Path) -> None:
    """A lock ends with its process, however that ends: whoever gets it may clear up."""
    for folder in root.glob(f".*{_SUFFIX}"):
        if folder == mine:
            continue
        with suppress(OSError), (folder / _LOCK).open("r") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(folder, ignore_errors=True)
    for suffix in _UNLOCKED:
        for folder in root.glob(f".*{suffix}"):
            with suppress(OSError):
                if time.time() - folder.stat().st_mtime > _A_DAY_S:
                    shutil.rmtree(folder, ignore_errors=True)

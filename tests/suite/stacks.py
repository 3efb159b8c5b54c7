"""A pytest plugin: where each process of the suite stands, for scripts/guard.py to show when it hangs."""

from __future__ import annotations

import faulthandler
import os
import signal
from pathlib import Path

import pytest

_STACKS = pytest.StashKey[Path]()


def pytest_configure(config: pytest.Config) -> None:
    """On SIGUSR1 this process writes the stacks of its threads into a file named by its number."""
    folder = os.environ.get("AZIMUTH_STACKS")
    if folder:
        path = Path(folder) / f"{os.getpid()}.txt"
        config.stash[_STACKS] = path
        faulthandler.register(signal.SIGUSR1, path.open("w"), all_threads=True)


def pytest_unconfigure(config: pytest.Config) -> None:
    """A process that has ended has no stacks."""
    if _STACKS in config.stash:
        config.stash[_STACKS].unlink(missing_ok=True)

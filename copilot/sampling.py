"""The sample catalogue, built beside the app by `copilot data sample`, and how far that is."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Collection
from functools import cache
from pathlib import Path

from data.catalogue.base import CatalogueError
from data.catalogue.write import read_info
from data.sample.build import SIZES

ROOT = Path(__file__).resolve().parent.parent


class SampleBuild:
    """The build of one catalogue folder; at most one goes on at a time."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._lock = threading.Lock()
        self._process: subprocess.Popen[str] | None = None

    def start(self) -> bool:
        """Begin; False when it goes on already."""
        with self._lock:
            if self.running:
                return False
            self._process = subprocess.Popen(
                [sys.executable, "-m", "copilot", "data", "sample", "--json"],
                cwd=ROOT,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                text=True,
            )
            threading.Thread(target=self._listen, args=(self._process,), daemon=True).start()
        return True

    def _listen(self, process: subprocess.Popen[str]) -> None:
        """Read what it says, so that it never waits to be heard; the last line says why it failed."""
        self._said = ""
        assert process.stderr is not None
        for line in process.stderr:
            self._said = line.strip() or self._said

    @property
    def running(self) -> bool:
        """Whether it goes on."""
        return self._process is not None and self._process.poll() is None

    @property
    def fraction(self) -> float:
        """How much of the sample is there, from 0 to 1, by rows: whole data sets only."""
        costs = {name: size.images + size.detections for name, size in SIZES.items()}
        return sum(cost for name, cost in costs.items() if _there(self.root / name)) / sum(costs.values())

    @property
    def problem(self) -> str:
        """Why the last build ended without a catalogue; empty when it did not."""
        if self._process is None or self._process.poll() in (None, 0):
            return ""
        return f"The sample could not be built: {getattr(self, '_said', '') or 'it ended without a word'}"


def missing(names: Collection[str]) -> list[str]:
    """The sample's data sets that are not among the catalogue's."""
    return [name for name in SIZES if name not in names]


@cache
def sample_build(root: Path) -> SampleBuild:
    """The one of a catalogue folder in this process."""
    return SampleBuild(root)


def _there(folder: Path) -> bool:
    try:
        read_info(folder)
    except CatalogueError:
        return False
    return True

"""The files through which a job and the process that waits for it speak to each other.

Files, and not messages of the scheduler's: they are there after either side, or the scheduler, was killed.
"""

from __future__ import annotations

import json
import os
import shutil
import socket
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from data.progress import Cancelled

MAX_SHOWN = 5000
"""How many features a job shows while it runs: a map draws no more, and the result has them all."""
_EVERY_S = 0.1
"""How often a job that tells much is written down."""


@dataclass(frozen=True)
class Start:
    """One try of a job."""

    host: str
    pid: int
    worker: str
    """The worker's address at the scheduler; empty in the process itself."""


@dataclass(frozen=True)
class JobFolder:
    """A job's folder, which whoever runs it must see under the same path."""

    path: Path

    def make(self, tries: int) -> None:
        """Begin: the job may be started so many times."""
        self.path.mkdir(parents=True)
        self.allow(tries)

    def remove(self) -> None:
        """Drop it all."""
        shutil.rmtree(self.path, ignore_errors=True)

    # -- what the waiting process says ---------------------------------------------------------

    def allow(self, tries: int) -> None:
        """How many times the job may be started."""
        _write(self.path / "tries", str(tries))

    def stop(self) -> None:
        """Tell the job to stop."""
        if self.path.is_dir():
            (self.path / "stop").touch()

    # -- what the job says ---------------------------------------------------------------------

    def started(self, worker: str) -> bool:
        """Note that the job is started here; False when that was once too often."""
        line = json.dumps([socket.gethostname(), os.getpid(), worker])
        with (self.path / "starts").open("a") as file:
            file.write(line + "\n")
        return len(self.starts()) <= int((self.path / "tries").read_text())

    def end(self, outcome: bytes) -> None:
        """Keep how the job ended: it then stands, also when the worker dies before anybody has asked."""
        part = self.path / ".outcome"
        part.write_bytes(outcome)
        part.replace(self.path / "outcome")

    @property
    def stopping(self) -> bool:
        """Whether the job was told to stop; a folder that is gone says so too."""
        return (self.path / "stop").exists() or not self.path.exists()

    # -- what was said -------------------------------------------------------------------------

    def starts(self) -> list[Start]:
        """The tries so far."""
        return [Start(*json.loads(line)) for line in _lines(self.path / "starts")]

    def ended(self) -> bytes | None:
        """How the job ended; None while it has not."""
        try:
            return (self.path / "outcome").read_bytes()
        except OSError:
            return None

    def told(self) -> tuple[float, str, int] | None:
        """(fraction, sentence, features shown); None before the job first tells."""
        try:
            fraction, sentence, found = json.loads((self.path / "progress").read_text())
        except (OSError, ValueError):
            return None
        return float(fraction), str(sentence), int(found)

    def found(self, after: int = 0) -> list[dict[str, Any]]:
        """The features that the job has shown, without the first `after`."""
        return [json.loads(line) for line in _lines(self.path / "found")[after:]]


class FolderProgress:
    """What a job is given to tell how far it is: a data.progress.Progress that writes into its folder."""

    def __init__(self, folder: JobFolder) -> None:
        self._folder = folder
        self._said: tuple[float, str] = (0.0, "")
        self._count = 0
        self._written = self._looked = -_EVERY_S

    def tell(self, fraction: float, sentence: str) -> None:
        """Write it down, not more often than anybody reads. Raises Cancelled."""
        self._check()
        self._said = (min(1.0, max(0.0, fraction)), sentence)
        if time.monotonic() - self._written >= _EVERY_S:
            self._write()

    def found(self, features: Sequence[Mapping[str, Any]]) -> None:
        """Append them, up to MAX_SHOWN, one a line. Raises Cancelled."""
        self._check()
        shown = features[: max(0, MAX_SHOWN - self._count)]
        self._count += len(features)
        with (self._folder.path / "found").open("a") as file:
            file.write("".join(json.dumps(each, allow_nan=False) + "\n" for each in shown))
        self._write()

    def finish(self) -> None:
        """Write down what was told last."""
        if self._said[1] and self._folder.path.is_dir():
            self._write()

    def restart(self) -> None:
        """Forget what a try that was cut off has shown."""
        (self._folder.path / "found").unlink(missing_ok=True)

    def _check(self) -> None:
        if time.monotonic() - self._looked < _EVERY_S:
            return
        self._looked = time.monotonic()
        if self._folder.stopping:
            raise Cancelled

    def _write(self) -> None:
        self._written = time.monotonic()
        _write(self._folder.path / "progress", json.dumps([*self._said, self._count]))


def _write(path: Path, text: str) -> None:
    """Whole or not at all: a reader never sees half of it."""
    part = path.with_name(f".{path.name}")
    part.write_text(text)
    part.replace(path)


def _lines(path: Path) -> list[str]:
    """The whole lines of a file that may be being written; none when it is not there."""
    try:
        return path.read_text().split("\n")[:-1]
    except OSError:
        return []

"""A run in a process of its own, for the page: it outlives a reload and a restart of the app."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from copilot.bench.run.store import Run, Runs
from copilot.engine import SERVED_VARIABLE

ROOT = Path(__file__).resolve().parents[3]


@dataclass(frozen=True)
class Running:
    """A run that goes on now."""

    pid: int
    run: Run | None
    """None while its tasks are built and its workers start."""

    @property
    def fraction(self) -> float:
        """How far it is, from 0 to 1."""
        total = self.run.settings.total if self.run else 0
        return self.run.progress.done / total if self.run and total else 0.0


def command(tasks: str, agent: str, jobs: int | None = None) -> list[str]:
    """The command that such a run is; also what the page shows to be copied."""
    said = ["bench", "run", "--tasks", tasks, "--agent", agent, "--model", "embedded"]
    return said if jobs is None else [*said, "--jobs", str(jobs)]


class Background:
    """The runs that this machine has going; at most one is started from here at a time."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.log = home / "bench" / "background.log"
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None

    def start(self, tasks: str, agent: str, jobs: int | None = None) -> bool:
        """Begin a run; False when one is going."""
        with self._lock:
            if self.running() is not None:
                return False
            self.log.parent.mkdir(parents=True, exist_ok=True)
            with self.log.open("wb") as log:
                self._process = subprocess.Popen(
                    [sys.executable, "-m", "copilot", *command(tasks, agent, jobs)],
                    cwd=ROOT,
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=log,
                    start_new_session=True,
                    env={**os.environ, SERVED_VARIABLE: "1"},
                )
        return True

    def running(self) -> Running | None:
        """The run that goes on now, whoever began it."""
        if self._process is not None and self._process.poll() is None:
            pid = self._process.pid
            found = next((each for each in Runs(self.home).all() if each.progress.pid == pid), None)
            return Running(pid, found)
        going = ((each.progress.pid, each) for each in Runs(self.home).all())
        return next((Running(pid, each) for pid, each in going if pid), None)

    def stop(self) -> bool:
        """End the run that goes on as Ctrl-C does: what is finished is kept."""
        going = self.running()
        if going is None:
            return False
        try:
            os.kill(going.pid, signal.SIGINT)
        except (ProcessLookupError, PermissionError):
            return False
        return True

    def problem(self) -> str:
        """Why the last run that was started here failed, in its own words; empty when it did not."""
        if self._process is None or self._process.poll() in (None, 0, 130, -signal.SIGINT):
            return ""
        said = self.log.read_text(encoding="utf-8", errors="replace").strip() if self.log.exists() else ""
        return said.splitlines()[-1] if said else "The run ended without a word."


@cache
def background(home: Path) -> Background:
    """The one of a home folder in this process."""
    return Background(home)

"""The app ends when it is told to, whatever runs, and nothing of it stays behind."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

ROOT = Path(__file__).resolve().parents[2]
ENDED_ITSELF, WAS_ENDED = 128 + signal.SIGTERM, -signal.SIGKILL


def wait_for(seen: Callable[[], object]) -> None:
    for _ in range(1200):
        if seen():
            return
        time.sleep(0.05)
    raise AssertionError("it did not come to that")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("way", "how"),
    [("thread", ENDED_ITSELF), ("query", ENDED_ITSELF), ("read", ENDED_ITSELF), ("interpreter", WAS_ENDED)],
)
def test_the_app_ends_with_its_children_whatever_runs(way: str, how: int, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tests.crash.leave", str(tmp_path), way]
    app = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    assert app.stdout is not None
    with app.stdout:
        assert app.stdout.readline() == "begun\n"
    if way == "read":
        wait_for(lambda: (note := tmp_path / "reader").exists() and note.read_text())
    children = psutil.Process(app.pid).children(recursive=True)
    assert {"copilot.worker", "copilot.worker.process"} <= {
        part for each in children for part in each.cmdline()
    }
    app.terminate()
    assert app.wait(60) == how
    wait_for(lambda: not any(each.is_running() for each in children))

"""The app ends when it is told to, whatever runs, and nothing of it stays behind."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from tests.suite.waiting import wait_until
from tests.suite.walking import share

ROOT = Path(__file__).resolve().parents[2]
ENDED_ITSELF, WAS_ENDED = 128 + signal.SIGTERM, -signal.SIGKILL


@pytest.mark.slow
@pytest.mark.parametrize(
    ("way", "how"),
    [
        *((way, ENDED_ITSELF) for way in share(["thread", "query", "read"], 2, of=3)),
        ("interpreter", WAS_ENDED),
    ],
)
def test_the_app_ends_with_its_children_whatever_runs(way: str, how: int, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tests.crash.leave", str(tmp_path), way]
    app = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    assert app.stdout is not None
    with app.stdout:
        assert app.stdout.readline() == "begun\n"
    if way == "read":
        wait_until(lambda: (note := tmp_path / "reader").exists() and note.read_text())
    children = psutil.Process(app.pid).children(recursive=True)
    assert {"copilot.worker", "copilot.worker.process"} <= {
        part for each in children for part in each.cmdline()
    }
    app.terminate()
    assert app.wait(60) == how
    wait_until(lambda: not any(each.is_running() for each in children))

"""The guard of `.ci/run`: what hangs is ended, and it is said where it hung."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import psutil

from tests.suite.waiting import wait_until

ROOT = Path(__file__).resolve().parents[2]
HANGING = """
import subprocess, sys
from pathlib import Path

def test_first(): pass

def test_that_hangs():
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"], start_new_session=True)
    Path("half").write_text(str(child.pid))
    Path("half").rename("child")
    wait_for_ever(child)

def wait_for_ever(child): child.wait()
"""


GUARD = (sys.executable, str(ROOT / "scripts" / "guard.py"))
IN_BACKGROUND = ("sh", "-c", "trap '' INT; exec \"$@\"", "sh")
"""A command so begun ignores SIGINT, as what a shell starts in the background does."""


def test_a_command_that_ends_ends_as_it_does() -> None:
    done = subprocess.run([*GUARD, "600", "sh", "-c", "echo said; exit 3"], capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (3, "said\n", "")


def test_a_command_that_takes_too_long_is_ended() -> None:
    done = subprocess.run([*GUARD, "0.2", "sleep", "600"], capture_output=True, text=True)
    assert (done.returncode, done.stdout.splitlines()[0]) == (
        124, "guard: sleep 600 has not ended within 0.2 s",
    )  # fmt: skip


def test_a_suite_that_hangs_is_ended_with_its_stacks_its_sum_and_all_its_processes(tmp_path: Path) -> None:
    (tmp_path / "pytest.ini").write_text("[pytest]\naddopts = -p tests.suite.stacks -p no:cacheprovider\n")
    (tmp_path / "test_hanging.py").write_text(HANGING)
    guard = subprocess.Popen(
        [*IN_BACKGROUND, *GUARD, "600", sys.executable, "-m", "pytest", "-q", "-s"],
        cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(ROOT)}, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    wait_until((tmp_path / "child").exists)
    guard.terminate()
    said, _ = guard.communicate()
    assert guard.returncode == 124
    assert " in wait_for_ever" in said and " in test_that_hangs" in said
    assert "1 passed" in said
    child = int((tmp_path / "child").read_text())
    assert not psutil.pid_exists(child) or psutil.Process(child).status() == psutil.STATUS_ZOMBIE

"""A whole run leaves a record and says one line last; a part of it leaves none."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.suite.record import RECORD, TIMES, last_line

ROOT = Path(__file__).resolve().parents[2]
SETTINGS = "[pytest]\ntestpaths = .\naddopts = -p tests.suite.record -p no:cacheprovider\nmarkers = e2e\n"
TESTS = """
import pytest

def test_good(): pass
def test_bad(): assert False
def test_left(): pytest.skip("not here")

@pytest.fixture
def broken(): raise OSError("gone")

def test_unmade(broken): pass
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A repository with four tests, all committed."""
    (tmp_path / "pytest.ini").write_text(SETTINGS)
    (tmp_path / "test_four.py").write_text(TESTS)
    (tmp_path / ".gitignore").write_text(".azimuth/\n__pycache__/\n")
    who = ("-c", "user.name=A", "-c", "user.email=a@example.org")
    for command in (("init", "-q"), ("add", "-A"), (*who, "commit", "-q", "-m", "Four tests")):
        subprocess.run(["git", *command], cwd=tmp_path, check=True)
    return tmp_path


def run(project: Path, *more: str) -> str:
    """What a run of the project's tests prints."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "pytest", "-q", *more]
    return subprocess.run(command, cwd=project, env=environment, capture_output=True, text=True).stdout


def read(project: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((project / RECORD).read_text())
    return found


def test_a_whole_run_in_two_processes_is_recorded_with_its_commit_and_its_counts(project: Path) -> None:
    said = run(project, "-n", "2").splitlines()
    record = read(project)
    commit = subprocess.run(["git", "rev-parse", "HEAD"], cwd=project, capture_output=True, text=True).stdout
    assert {key: record[key] for key in ("commit", "dirty", "passed", "failed", "skipped")} == {
        "commit": commit.strip(), "dirty": False, "passed": 1, "failed": 2, "skipped": 1,
    }  # fmt: skip
    assert said[-1] == last_line(record)
    assert sorted(name for name, _, _ in json.loads((project / TIMES).read_text())) == [
        "test_four.py::test_bad", "test_four.py::test_good",
        "test_four.py::test_left", "test_four.py::test_unmade",
    ]  # fmt: skip


def test_a_change_that_is_not_committed_is_told(project: Path) -> None:
    (project / "test_more.py").write_text("def test_more(): pass\n")
    said = run(project)
    assert read(project)["dirty"] is True
    assert "with changes that are not committed: 2 passed, 2 failed, 1 skipped" in said.splitlines()[-1]


@pytest.mark.parametrize(
    "part", [("-k", "good"), ("test_four.py",), ("--deselect", "test_four.py::test_bad")]
)
def test_a_part_of_the_tests_leaves_no_record(project: Path, part: tuple[str, ...]) -> None:
    run(project, *part)
    assert not (project / RECORD).exists()

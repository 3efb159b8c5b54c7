"""A run of the benchmark that is killed or interrupted is gone on with."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from copilot.bench.run.runner import code_stamp
from copilot.bench.run.store import Run, Runs
from copilot.engine import Engine
from tests.copilot.bench.run.hand import hand_tasks, write_tasks
from tests.suite.waiting import wait_until

ROOT = Path(__file__).resolve().parents[4]


@pytest.mark.slow
def test_a_killed_run_is_gone_on_with_by_the_same_command(engine: Engine, tmp_path: Path):
    code = code_stamp.__wrapped__()
    tasks = hand_tasks(engine, 40)
    command, environment = run_of(engine, write_tasks(tmp_path / "tasks.jsonl", tasks))
    with subprocess.Popen(
        command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as first:
        run = waited_for_parts(engine, first, 1)
        first.send_signal(signal.SIGKILL)
    finished = {number: file.stat().st_mtime_ns for number, file in run.parts().items()}
    assert 1 <= len(finished) < 8 and run.progress.pid == 0
    again = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=200)
    if code_stamp.__wrapped__() != code:
        pytest.skip("The code was changed meanwhile: a run of other code is not gone on with.")
    told = json.loads(again.stdout)
    assert f"Going on with {run.id}" in again.stderr
    assert (told["run"], told["tasks"], told["finished"]) == (run.id, 40, True)
    assert [row["id"] for row in run.rows()] == [task.id for task in tasks]
    assert {n: f.stat().st_mtime_ns for n, f in run.parts().items() if n in finished} == finished
    assert [each.id for each in Runs(engine.home).all()] == [run.id]


@pytest.mark.slow
def test_an_interrupted_run_says_how_to_go_on(engine: Engine, tmp_path: Path):
    command, environment = run_of(engine, write_tasks(tmp_path / "tasks.jsonl", hand_tasks(engine, 40)))
    with subprocess.Popen(
        command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        run = waited_for_parts(engine, process, 1)
        process.send_signal(signal.SIGINT)
        out, said = process.communicate(timeout=100)
    assert (process.returncode, out) == (130, "")
    assert said.endswith(f"Interrupted; `copilot bench run --resume {run.id}` goes on.\n")


def run_of(engine: Engine, tasks: Path) -> tuple[list[str], dict[str, str]]:
    """The command that runs those tasks in a process of its own, and its environment."""
    command = [
        sys.executable,
        "-m",
        "copilot",
        "bench",
        "run",
        "--tasks",
        str(tasks),
        "--jobs",
        "1",
        "--json",
    ]
    return command, {
        "PATH": "/usr/bin:/bin",
        "AZIMUTH_HOME": str(engine.home),
        "AZIMUTH_CATALOGUE": engine.catalogue_address,
    }


def waited_for_parts(engine: Engine, process: subprocess.Popen[Any], count: int) -> Run:
    def far_enough() -> Run | None:
        assert process.poll() is None, "the run ended before it could be killed"
        return next((run for run in Runs(engine.home).all() if len(run.parts()) >= count), None)

    found = wait_until(far_enough)
    assert found is not None
    return found

"""A run that the page starts: seen while it goes on, ended as with Ctrl-C, told when it fails."""

from __future__ import annotations

from pathlib import Path

import pytest

from copilot.bench.run.background import Background, Running
from copilot.bench.run.store import Runs
from copilot.engine import Engine
from tests.copilot.bench.run.hand import hand_tasks, write_tasks
from tests.suite.waiting import wait_until


@pytest.fixture
def runner(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> Background:
    monkeypatch.setenv("AZIMUTH_HOME", str(engine.home))
    monkeypatch.setenv("AZIMUTH_CATALOGUE", engine.catalogue_address)
    return Background(engine.home)


@pytest.mark.slow
def test_a_run_is_seen_while_it_goes_on_and_can_be_ended(runner: Background, engine: Engine, tmp_path: Path):
    path = write_tasks(tmp_path / "tasks.jsonl", hand_tasks(engine, 300))
    assert runner.start(str(path), "direct", jobs=1)
    assert not runner.start(str(path), "direct", jobs=1)
    begun = runner.running()
    assert begun is not None and begun.fraction == 0.0

    def some_are_done() -> bool:
        now = runner.running()
        assert now is not None, runner.log.read_text()
        return now.fraction > 0

    wait_until(some_are_done)
    # Another process, such as the app after its restart, sees the same run.
    seen = Background(engine.home).running()
    assert isinstance(seen, Running) and seen.pid == begun.pid
    assert runner.stop()
    wait_until(lambda: runner.running() is None)
    (run,) = Runs(engine.home).all()
    assert (run.progress.pid, run.finished, runner.problem()) == (0, False, "")
    assert run.progress.done == len(run.rows()) > 0
    assert not runner.stop()


@pytest.mark.slow
def test_why_a_run_could_not_begin_is_told(runner: Background):
    assert runner.problem() == ""
    runner.start("mine", "direct", jobs=1)
    wait_until(lambda: runner.running() is None)
    assert runner.problem().startswith("Your own suite is empty; `copilot bench add")

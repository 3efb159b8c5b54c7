"""A batch of a workflow on the command line that is killed is gone on with.

That a batch which was stopped goes on at its last finished step is held by
tests/copilot/workflows/test_batch.py, and that a killed session does by tests/crash/test_kill.py.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from copilot.engine import Engine
from copilot.session import Session
from copilot.workflows.batch_item import read_json
from tests.copilot.cli.conftest import ROOT, Copilot
from tests.copilot.cli.test_workflow import SCENE
from tests.suite.waiting import wait_until


@pytest.mark.slow
def test_a_batch_goes_on_after_a_kill_at_the_last_finished_step(copilot: Copilot, tmp_path: Path) -> None:
    files = [shutil.copy(SCENE, tmp_path / f"{name}.tif") for name in ("a", "b")]
    home = tmp_path / "home"
    settings = copilot.environment(AZIMUTH_HOME=str(home))
    command = [sys.executable, "-m", "copilot", "workflow", "run", "surface_water_extent/ndwi", "--on"]
    running = subprocess.Popen(
        [*command, *map(str, files)], cwd=ROOT, env=settings, stderr=subprocess.DEVNULL
    )

    def begun() -> bool:
        found = next(home.glob("workflows/batches/*/0.json"), None)
        told = read_json(found) if found is not None else None
        return running.poll() is not None or bool(told and told.get("steps_done"))

    wait_until(begun, "a finished step")
    running.kill()
    running.wait()
    batch = next(home.glob("workflows/batches/batch-*"))
    asked = read_json(batch / "batch.json")["session"]
    done = copilot(
        "workflow", "run", "--resume", batch.name, "--session", asked, "--json", AZIMUTH_HOME=str(home)
    )
    assert [each["status"] for each in done.json["items"]] == ["done", "done"]
    engine = Engine(home=home)
    called = [
        each.tool for each in Session.open(read_json(batch / "0.json")["session"], engine=engine).events
    ]
    assert called == ["add_file", "spectral_index", "raster_calc", "polygonize"]

"""An app that is killed in the middle of a job: the job is found again, and nothing half-done stays."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import psutil
import pytest
import rasterio

from copilot.engine import Engine
from copilot.live import Live
from copilot.session import Session
from copilot.worker.recovery import left_behind
from state.codec import digest
from state.jobs import Job
from tests.suite.waiting import wait_until

ROOT = Path(__file__).resolve().parents[2]
CALL = {"image": "noisy", "method": "nlm"}


def noisy(path: Path) -> Path:
    """A raster that takes a moment to work on."""
    values = np.random.default_rng(5).normal(120, 25, (3, 400, 400)).clip(0, 255).astype("uint8")
    shape = {"driver": "GTiff", "count": 3, "height": 400, "width": 400, "dtype": "uint8"}
    place = rasterio.transform.from_origin(600_000, 5_000_000, 10, 10)
    with rasterio.open(path, "w", crs="EPSG:32633", transform=place, **shape) as target:
        target.write(values)
    return path


def session_with_raster(engine: Engine, folder: Path) -> Session:
    session = Session.open(engine=engine)
    assert session.call("add_file", file=str(noisy(folder / "noisy.tif")), name="noisy").ok
    return session


def killed_in_mid_job(engine: Engine, session_id: str) -> tuple[Job, psutil.Process]:
    """Start a call in a process of its own, kill -9 that while its worker works: its job and the worker."""
    command = [sys.executable, "-m", "tests.crash.job", str(engine.home), session_id, "denoising"]
    app = subprocess.Popen([*command, *(f"{key}={value}" for key, value in CALL.items())], cwd=ROOT)
    wait_until(lambda: any(each.tries for each in engine.desk.jobs.live()))
    (job,) = engine.desk.jobs.live()
    folder = engine.home / "jobs" / job.id
    worker = psutil.Process(int((folder / "starts").read_text().split(",")[1]))
    worker.suspend()  # so that it cannot come to its end before the kill
    assert engine.desk.jobs.live()
    app.kill()
    app.wait()
    worker.resume()
    return job, worker


@pytest.mark.slow
def test_the_job_of_a_killed_app_is_found_and_its_turn_is_brought_to_its_end(tmp_path: Path) -> None:
    engine = Engine(tmp_path / "home")
    session = session_with_raster(engine, tmp_path)
    job, worker = killed_in_mid_job(engine, session.id)
    artifacts = engine.artifacts(session.id).folder
    (artifacts / ".raster-000000-1234.part.tif").write_bytes(b"half")

    app = Live(Engine(tmp_path / "home"))
    app.take_up()
    wait_until(lambda: app.running(session.id) is None)

    found = app.session(session.id)
    turn = found.turns[-1]
    assert [(each.tool, each.source, each.ok) for each in turn.calls] == [("denoising", "restart", True)]
    assert turn.reply is not None and turn.reply.outcome == "done" and not turn.interrupted
    assert turn.reply.text.startswith(
        "Azimuth was closed in the middle of this, and has run denoising again. "
    )
    rows = {each.id: each for each in app.engine.desk.jobs.of(session.id)}
    assert (rows.pop(job.id).sentence) == "Azimuth was closed in the middle of it; nothing was changed."
    assert [each.state for each in rows.values()] == ["done"]
    assert [each.name for each in artifacts.glob(".*")] == [] and not list((engine.home / "jobs").iterdir())
    wait_until(lambda: not worker.is_running())

    # The same as if nobody had been killed.
    undisturbed = session_with_raster(engine, tmp_path)
    assert undisturbed.call("denoising", **CALL).ok
    assert digest(undisturbed.state) == digest(found.state)
    made = found.state.artifacts[-1].id
    one, other = (engine.artifacts(each).find(made) for each in (found.id, undisturbed.id))
    assert one is not None and other is not None and one.read_bytes() == other.read_bytes()


def orphan(engine: Engine, session: Session, **changes: object) -> Job:
    """A job whose process is gone."""
    job = Job(
        session.id,
        session.begin("Remove the noise.", "chat").turn,
        len(session.events) + 1,
        session.hash,
        "denoising",
        dict(CALL),
        "chat",
        "Removing noise",
        f"{os.uname().nodename}/999999999/1/gone",
        state="running",
    )
    for name, value in changes.items():
        setattr(job, name, value)
    engine.desk.jobs.add(job)
    return job


def test_a_call_is_not_made_again_where_something_has_happened_since(tmp_path: Path) -> None:
    engine = Engine(tmp_path / "home")
    session = session_with_raster(engine, tmp_path)
    job = orphan(engine, session)
    session.call("zoom_map", level=7)
    app = Live(Engine(tmp_path / "home"))
    app.take_up()
    assert app.running(session.id) is None and len(app.session(session.id).events) == len(session.events)
    kept = engine.desk.jobs.get(job.id)
    assert kept is not None and (kept.state, kept.live) == ("failed", False)


def test_a_call_that_a_command_line_made_is_not_made_again(tmp_path: Path) -> None:
    engine = Engine(tmp_path / "home")
    session = session_with_raster(engine, tmp_path)
    orphan(engine, session, source="cli")
    app = Live(Engine(tmp_path / "home"))
    app.take_up()
    assert app.running(session.id) is None and engine.desk.jobs.live() == []


def test_the_jobs_of_a_living_process_stay_its_own(tmp_path: Path) -> None:
    engine = Engine(tmp_path / "home")
    session = Session.open(engine=engine)
    parent = psutil.Process(os.getppid())
    alive = f"{os.uname().nodename}/{parent.pid}/{round(parent.create_time() * 100)}/x"
    mine = orphan(engine, session, owner=alive)
    elsewhere = orphan(engine, session, owner="another-machine/1/1/x")
    silent = orphan(engine, session, owner="another-machine/1/1/x", beat="2026-01-01T00:00:00.000+00:00")
    assert [each.id for each in left_behind(engine.desk)] == [silent.id]
    assert {each.id for each in engine.desk.jobs.live()} == {mine.id, elsewhere.id}
    assert left_behind(engine.desk) == []

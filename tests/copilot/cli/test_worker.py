"""`copilot worker`: jobs listed and stopped from beside the app."""

from __future__ import annotations

from pathlib import Path

import pytest

from copilot.engine import Engine
from state.jobs import Caller, Job, Jobs
from tests.copilot.cli.conftest import Copilot


@pytest.fixture
def jobs(copilot: Copilot) -> Jobs:
    """The rows of the command line's home."""
    return Engine(Path(copilot.settings["AZIMUTH_HOME"])).desk.jobs


@pytest.fixture
def job(copilot: Copilot, jobs: Jobs) -> Job:
    """A job that another process waits for."""
    session = Engine(Path(copilot.settings["AZIMUTH_HOME"])).store.create("local", "One")
    caller = Caller(session.id, 1, 1, "", "slope", {"raster": "dem"}, "chat")
    made = Job(**vars(caller), title="Measuring slopes", owner="there/1/1/x", state="running", fraction=0.25)
    made.say("Looked at 10 of 40 tiles.")
    jobs.add(made)
    return made


def test_jobs_are_listed_with_how_far_they_are(copilot: Copilot, job: Job) -> None:
    done = copilot("worker", "jobs", "--session", job.session_id)
    at = job.queued_at[:16].replace("T", " ")
    line = f"{job.id}  {at}  25 %         0.0 ms  Measuring slopes: Looked at 10 of 40 tiles.\n"
    assert (done.status, done.out) == (0, line)
    assert copilot("worker", "jobs", "--session", job.session_id, "--json").json == [job.to_json()]
    assert copilot("worker", "jobs", "--session", "another", "--json").json == []


def test_a_job_is_asked_to_stop_while_it_waits_or_runs(copilot: Copilot, job: Job, jobs: Jobs) -> None:
    unknown = copilot("worker", "cancel", "nothing")
    assert (unknown.status, unknown.err) == (
        1,
        "There is no job 'nothing'; `copilot worker jobs` lists them.\n",
    )
    assert copilot("worker", "cancel", job.id).out == "Measuring slopes is being stopped.\n"
    assert not jobs.note(job) and job.stop == 1
    job.state = "cancelled"
    jobs.note(job)
    assert copilot("worker", "cancel", job.id, "--json").json == {
        "error": f"Job '{job.id}' has ended already: cancelled."
    }


def test_the_status_counts_what_runs(copilot: Copilot, job: Job) -> None:
    found = copilot("worker", "status", "--json").json
    assert (found["scheduler"], found["workers"], found["queued"]) == (None, [], 0) and found["running"] >= 1
    assert "COPILOT_SCHEDULER is not set" in copilot("worker", "status").out


def test_a_scheduler_that_does_not_answer_is_told_in_a_sentence(
    copilot: Copilot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("copilot.worker.places.CONNECT_S", 0.5)
    done = copilot("worker", "status", COPILOT_SCHEDULER="tcp://127.0.0.1:1")
    assert done.status == 1
    assert done.err.startswith("No Dask scheduler answers at 'tcp://127.0.0.1:1'; start it again")

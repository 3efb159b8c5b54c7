"""Jobs of one process: their rows, their queue, their end; here they run in this process."""

from __future__ import annotations

from pathlib import Path

import pytest

from copilot.worker.desk import Desk
from state.jobs import Job
from state.store import StoreUnavailable
from tests.copilot.worker import functions
from tests.copilot.worker.conftest import Asked, caller_of
from tools.base import ToolError


def only(desk: Desk) -> Job:
    (job,) = desk.jobs.all()
    return job


def test_a_job_leaves_a_row_that_says_what_it_did(here: Desk) -> None:
    caller = caller_of(here)
    assert here.run(caller, "Adding", functions.add, 2, other=3) == 5
    job = only(here)
    assert (job.session_id, job.tool, job.title) == (caller.session_id, "slope", "Adding")
    assert (job.state, job.fraction, job.tries, job.place) == ("done", 1.0, 1, 0)
    assert [line for _, line in job.log] == ["Starting.", "Half of it.", "Done."]
    assert job.queued_at <= job.began_at <= job.ended_at and job.seconds >= 0


def test_a_broken_raster_is_told_as_it_is(here: Desk, tmp_path: Path) -> None:
    with pytest.raises(Exception, match=r"^The raster cannot be read beyond row 256; copy it again\.$"):
        here.run(caller_of(here), "Reading", functions.break_half_way, tmp_path / "out")
    assert (only(here).state, only(here).sentence.split(";")[0]) == (
        "failed",
        "The raster cannot be read beyond row 256",
    )


def test_a_job_that_asks_for_more_memory_than_there_is_fails_in_a_sentence(here: Desk) -> None:
    with pytest.raises(ToolError, match=r"^Reading needs more memory than the worker has.*\.$"):
        here.run(caller_of(here), "Reading", functions.run_out)


def test_a_job_goes_on_while_the_store_is_away_and_its_row_is_written_when_it_is_back(
    here: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    caller, note = caller_of(here), here.jobs.note

    def refuse(job: Job) -> bool:
        raise StoreUnavailable("The session store sessions.db cannot be used now: its disk is full.")

    monkeypatch.setattr(here.jobs, "note", refuse)
    assert here.run(caller, "Adding", functions.add, 2, other=3) == 5
    assert only(here).live and here.doing() == ()
    monkeypatch.setattr(here.jobs, "note", note)
    assert here.run(caller, "Adding", functions.add, 3, other=3) == 6
    assert [each.state for each in here.jobs.all()] == ["done", "done"]


def test_a_running_job_is_stopped_and_changes_nothing(here: Desk, tmp_path: Path) -> None:
    began = tmp_path / "began"
    heard: list[tuple[str, bool]] = []
    here.listen(lambda job: heard.append((job.state, began.exists())))
    asked = Asked(here, caller_of(here), functions.until, tmp_path / "never", began)
    while not began.exists():
        pass
    assert here.cancel(here.doing()[0].job.id)
    assert str(asked.end()) == "The work was stopped; nothing was changed."
    assert (only(here).state, heard[0][0], heard[-1]) == ("cancelled", "queued", ("cancelled", True))
    assert not here.cancel(only(here).id)


def test_a_queued_job_knows_its_place_and_can_be_stopped_before_it_begins(
    here: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(type(here.place), "slots", lambda self: 1)
    gate, began = tmp_path / "gate", tmp_path / "began"
    caller = caller_of(here)
    first = Asked(here, caller, functions.until, gate, began)
    while not began.exists():
        pass
    second = Asked(here, caller, functions.add, 1)
    while len(here.doing()) < 2:
        pass
    third = Asked(here, caller, functions.add, 1)
    while [each.job.place for each in here.doing()] != [0, 0, 1]:
        pass
    here.cancel(here.doing()[2].job.id)
    assert str(third.end()) == "The work was stopped; nothing was changed."
    gate.write_text("go")
    assert (first.end(), first.value, second.end(), second.value) == (None, "go", None, 1)
    states = {job.queued_at: (job.state, job.tries) for job in here.jobs.all()}
    assert [states[key] for key in sorted(states)] == [("done", 1), ("done", 1), ("cancelled", 0)]


def test_another_process_can_ask_for_a_stop(here: Desk, tmp_path: Path) -> None:
    asked = Asked(here, caller_of(here), functions.until, tmp_path / "never")
    while not here.jobs.live():
        pass
    other = Desk(here.store, here.home, lambda: here.place)
    assert other.cancel(only(here).id)
    assert str(asked.end()) == "The work was stopped; nothing was changed."
    assert only(here).state == "cancelled" and not other.cancel(only(here).id)


def test_a_job_of_a_deleted_session_stops(here: Desk, tmp_path: Path) -> None:
    caller = caller_of(here)
    asked = Asked(here, caller, functions.until, tmp_path / "never")
    while not here.jobs.live():
        pass
    here.store.remove(caller.session_id)
    assert str(asked.end()) == "The work was stopped; nothing was changed."
    assert here.jobs.all() == []


def test_what_a_job_finds_can_be_seen_while_it_runs(here: Desk, tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    gate.touch()
    assert here.run(caller_of(here), "Writing", functions.write_tiles, tmp_path / "out", gate)
    assert only(here).found == 20
    asked = Asked(here, caller_of(here), functions.write_tiles, tmp_path / "other", tmp_path / "shut")
    while not here.doing() or here.doing()[0].job.found < 10:
        pass
    job = here.doing()[0].job
    shown = here.found(job.id, after=9)
    assert shown[0] == {"type": "Feature", "properties": {"tile": 9}, "geometry": None}
    here.cancel(job.id)
    # A thread cannot be ended by force: it is left to itself, and the call goes on without it.
    assert str(asked.end()) == "The work was stopped; nothing was changed."
    assert here.found(job.id) == []

"""Real workers of a real scheduler: killed, filled, deaf, lost. One cluster serves the whole file."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest

from copilot.worker.desk import Desk
from copilot.worker.places import OnDask
from copilot.worker.process import LIBRARIES
from data.raster.errors import RasterError
from state.jobs import Job
from tests.copilot.worker import functions
from tests.copilot.worker.conftest import Asked, caller_of, desk_of
from tests.suite.waiting import wait_until
from tools.base import ToolError

ROOT = Path(__file__).resolve().parents[3]


def newest(desk: Desk) -> Job:
    return desk.jobs.all()[0]


def lines(job: Job) -> list[str]:
    return [line for _, line in job.log]


def test_a_job_runs_in_another_process_and_comes_to_the_same(dask: Desk) -> None:
    assert dask.run(caller_of(dask), "Adding", functions.add, 2, other=3) == 5
    assert dask.run(caller_of(dask), "Looking", functions.where) != os.getpid()
    assert (newest(dask).state, newest(dask).worker[:16]) == ("done", "tcp://127.0.0.1:")


def test_a_job_whose_worker_is_killed_is_run_again_to_the_same_result(dask: Desk, tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    asked = Asked(dask, caller_of(dask), functions.write_tiles, tmp_path / "tiles", gate)
    wait_until(lambda: gate.exists() and gate.read_text())
    os.kill(int(gate.read_text()), signal.SIGKILL)
    assert asked.end() is None
    undisturbed = dask.run(caller_of(dask), "Writing", functions.write_tiles, tmp_path / "other", gate)
    assert asked.value == undisturbed == (tmp_path / "tiles").read_text()
    job = dask.jobs.all()[1]
    assert (job.state, job.tries, job.found) == ("done", 2, 20)
    assert "Its worker died; it is run again from its beginning." in lines(job)


def test_a_job_that_kills_its_worker_twice_is_given_up_in_a_sentence(dask: Desk, tmp_path: Path) -> None:
    with pytest.raises(ToolError) as told:
        dask.run(caller_of(dask), "Dying", functions.die, tmp_path / "log")
    said = "Dying was given up: its worker died twice in the middle of it, and nothing was changed."
    assert str(told.value) == newest(dask).sentence == said
    assert (tmp_path / "log").read_text() == "died\ndied\n"
    assert (newest(dask).state, newest(dask).tries) == ("failed", 2)


@pytest.mark.slow
def test_a_job_that_fills_the_memory_is_tried_twice_and_then_told_so(dask: Desk, tmp_path: Path) -> None:
    with pytest.raises(ToolError, match=r"^Filling needs more memory than the worker has.*MEMORY\.$"):
        dask.run(caller_of(dask), "Filling", functions.swallow_memory, tmp_path / "log")
    assert (tmp_path / "log").read_text() == "began\nbegan\n"
    assert dask.run(caller_of(dask), "Adding", functions.add, 1) == 1


def test_a_raster_that_turns_out_broken_half_way_is_told_as_it_is(dask: Desk, tmp_path: Path) -> None:
    with pytest.raises(RasterError, match=r"^The raster cannot be read beyond row 256; copy it again\.$"):
        dask.run(caller_of(dask), "Reading", functions.break_half_way, tmp_path / "out")
    assert newest(dask).state == "failed"


def test_what_a_function_must_not_return_is_told_to_the_programmer(dask: Desk) -> None:
    with pytest.raises(TypeError, match=r"^give_a_thread returned what cannot be sent back"):
        dask.run(caller_of(dask), "Giving", functions.give_a_thread)


def test_a_job_that_hears_is_stopped_and_its_worker_goes_on(dask: Desk, tmp_path: Path) -> None:
    before = dask.run(caller_of(dask), "Looking", functions.where)
    asked = Asked(dask, caller_of(dask), functions.until, tmp_path / "never", tmp_path / "began")
    wait_until((tmp_path / "began").exists)
    dask.cancel(dask.doing()[0].job.id)
    assert str(asked.end()) == "The work was stopped; nothing was changed."
    assert dask.run(caller_of(dask), "Looking", functions.where) == before


def test_a_deaf_job_is_ended_with_its_worker_and_what_ran_beside_it_is_run_again(
    dask: Desk, tmp_path: Path
) -> None:
    gate, began, beside = tmp_path / "gate", tmp_path / "began", tmp_path / "beside"
    good = Asked(dask, caller_of(dask), functions.until, gate, beside)
    wait_until(beside.exists)
    deaf = Asked(dask, caller_of(dask), functions.deaf, began)
    wait_until(began.exists)
    beside.unlink()
    dask.cancel(dask.doing()[1].job.id)
    told = "The work was stopped; nothing was changed. Its worker had to be ended and is started again."
    assert str(deaf.end()) == told
    wait_until(beside.exists)  # it has begun again, in the new process
    os.kill(dask.run(caller_of(dask), "Looking", functions.where), signal.SIGKILL)
    # That was the worker's first death that counts: the job beside has one try left for it.
    gate.write_text("go")
    assert (good.end(), good.value) == (None, "go")


def test_two_sessions_are_served_in_turn(dask: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(OnDask, "slots", lambda self: 1)
    gate, began, order = tmp_path / "gate", tmp_path / "began", []
    busy, other = caller_of(dask, "busy"), caller_of(dask, "other")
    threads = [Asked(dask, busy, functions.until, gate, began)]
    wait_until(began.exists)
    dask.listen(lambda job: order.append(job.id) if job.state == "running" and job.id not in order else None)
    for caller in (busy, busy, other):
        waiting = len(dask.doing())
        threads.append(Asked(dask, caller, functions.add, 1))
        wait_until(lambda waiting=waiting: len(dask.doing()) > waiting)
    gate.write_text("go")
    assert [each.end() for each in threads] == [None] * 4
    names = {job.id: "busy" if job.session_id == busy.session_id else "other" for job in dask.jobs.all()}
    assert [names[each] for each in order[-3:]] == ["other", "busy", "busy"]


def test_the_cluster_of_this_machine_is_started_again_when_it_is_lost(dask: Desk, tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    asked = Asked(dask, caller_of(dask), functions.write_tiles, tmp_path / "tiles", gate)
    wait_until(lambda: gate.exists() and gate.read_text())
    worker = psutil.Process(int(gate.read_text()))
    place = dask.place
    assert isinstance(place, OnDask) and place._process is not None
    place._process.kill()
    assert asked.end() is None and len(asked.value.split()) == 20
    assert "The background worker was lost; it is started again." in lines(newest(dask))
    wait_until(lambda: not worker.is_running())


@contextmanager
def dask_process(*command: str) -> Iterator[subprocess.Popen[bytes]]:
    """A scheduler or a worker as an operator starts it."""
    arguments = [sys.executable, "-m", "distributed.cli.dask_" + command[0], *command[1:]]
    process = subprocess.Popen(arguments, cwd=ROOT, stderr=subprocess.DEVNULL, start_new_session=True)
    try:
        yield process
    finally:
        for each in (*psutil.Process(process.pid).children(recursive=True), process):
            each.kill()
        process.wait()


def test_an_address_where_no_scheduler_is_is_told_in_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("copilot.worker.places.CONNECT_S", 0.5)
    desk = desk_of(tmp_path, lambda: OnDask("tcp://127.0.0.1:1"))
    with pytest.raises(ToolError, match=r"^No Dask scheduler answers at 'tcp://127.0.0.1:1'; start it"):
        desk.run(caller_of(desk), "Adding", functions.add, 1)
    assert newest(desk).state == "failed"
    desk.close()


@pytest.mark.slow
def test_a_scheduler_by_address_gives_gpu_work_to_gpus_and_its_loss_is_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    note = tmp_path / "scheduler.json"
    plain, gpu = [], []
    desk = desk_of(tmp_path / "home", lambda: OnDask(desk_address(note)))
    options = ["--no-dashboard", "--scheduler-file", str(note)]
    with dask_process("scheduler", "--port", "0", *options) as scheduler:
        wait_until(note.exists)
        options += ["--nthreads", "1"]
        with dask_process("worker", *options), dask_process("worker", *options, "--resources", "GPU=1"):
            place = desk.place
            assert isinstance(place, OnDask)
            wait_until(lambda: len(place.client().nthreads()) == 2)
            caller = caller_of(desk)
            for _ in range(4):
                gpu.append(desk.run(caller, "Looking", functions.where_on_gpu))
                plain.append(desk.run(caller, "Looking", functions.where))
            assert len(set(gpu)) == 1
            asked = Asked(desk, caller, functions.until, tmp_path / "never", tmp_path / "began")
            wait_until((tmp_path / "began").exists)
            scheduler.kill()
            told = "The work was cut off: the Dask scheduler stopped answering; nothing was changed, and "
            assert str(asked.end()) == told + "the call can be made again once it runs."
            monkeypatch.setattr("copilot.worker.places.CONNECT_S", 0.5)  # nobody is there to come late
            with pytest.raises(ToolError, match=r"^No Dask scheduler answers at "):
                desk.run(caller, "Adding", functions.add, 1)
    desk.close()


def desk_address(note: Path) -> str:
    import json

    return str(json.loads(note.read_text())["address"])


def test_nothing_is_left_when_the_desk_closes(tmp_path: Path) -> None:
    desk = desk_of(tmp_path, lambda: OnDask(threads=1, memory="600MB"))
    worker = psutil.Process(desk.run(caller_of(desk), "Looking", functions.where))
    processes = [worker, *worker.parents()[:1]]
    asked = Asked(desk, caller_of(desk), functions.deaf, tmp_path / "began")
    wait_until((tmp_path / "began").exists)
    desk.close()
    assert str(asked.end()).startswith("The work was stopped; nothing was changed.")
    assert [each.is_running() for each in processes] == [False, False]
    assert not [each for each in threading.enumerate() if each.name == "job"]


def test_a_worker_whose_app_was_killed_meanwhile_ends_without_a_traceback() -> None:
    reads, writes = os.pipe()
    os.close(reads)
    done = subprocess.run(
        [sys.executable, "-m", "copilot.worker"], cwd=ROOT, stdout=writes, stderr=subprocess.PIPE, text=True
    )
    os.close(writes)
    assert done.returncode == 0 and "Error" not in done.stderr, done.stderr


# The last one: the worker has been idle for some seconds by now, which is when it loads them.
def test_an_idle_worker_loads_what_the_first_job_of_vision_would_wait_for(dask: Desk) -> None:
    assert dask.run(caller_of(dask), "Looking", functions.loaded, [*LIBRARIES]) == [*LIBRARIES]

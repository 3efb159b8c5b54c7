"""Requests that are read in processes beside the app: the same plans, and an end to what takes too long."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from copilot.apart import pool
from copilot.apart.here import ReadsHere
from copilot.apart.pool import Readers
from copilot.bounds import TooMuch, too_slow
from copilot.engine import Engine
from copilot.models import chat_model
from copilot.planner.head import Head
from copilot.planner.plan import Planner
from copilot.planner.situation import Situation
from copilot.session import Session
from state.codec import to_json
from state.model import State
from tests.suite.waiting import LIMIT_S

ROOT = Path(__file__).resolve().parents[3]
ENDLESS = "1" * 3900
"""Takes today's planner more than an hour; what comes before the planner is not asked here."""
REQUESTS = (
    "Plot the fair1m and xview1 images around Pittsburgh from May 2018 with vehicles",
    "what is 3 km in miles",
    "how many ships are there near Rotterdam?",
    "do the thing with the stuff",
)


def situation(engine: Engine) -> Situation:
    return Situation(to_json(State()), engine.clock(), engine.catalogue, engine.gazetteer)


def ended(pid: int) -> bool:
    return not psutil.pid_exists(pid) or psutil.Process(pid).status() == psutil.STATUS_ZOMBIE


@pytest.fixture(scope="module")
def readers() -> Iterator[Readers]:
    readers = Readers()
    yield readers
    readers.close()


@pytest.mark.slow
def test_a_plan_is_the_same_as_the_one_made_here(readers: Readers, engine: Engine):
    here = Planner(Head.load())
    for request in REQUESTS:
        assert readers.plan(request, situation(engine)) == here.plan(request, situation(engine))


@pytest.mark.slow
def test_a_reading_without_an_end_is_ended_by_its_own_limit_and_holds_up_no_other(
    readers: Readers, engine: Engine, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(pool, "WAIT_S", 10 * LIMIT_S)  # the clock ends nothing here
    monkeypatch.setattr(readers, "cpu_s", 2)
    said: list[str] = []

    def endless() -> None:
        with pytest.raises(TooMuch) as ended:
            readers.plan(ENDLESS, situation(engine))
        said.append(str(ended.value))

    held = threading.Thread(target=endless, daemon=True)
    readers.plan(REQUESTS[1], situation(engine))
    held.start()
    assert readers.plan(REQUESTS[1], situation(engine)).calls[0].tool == "convert_units"
    assert held.is_alive()
    held.join(LIMIT_S)
    assert said == [too_slow()]
    assert readers.plan(REQUESTS[1], situation(engine)).calls[0].tool == "convert_units"


@pytest.mark.slow
@pytest.mark.parametrize("which", [0, -1])
def test_a_process_that_somebody_kills_is_replaced(readers: Readers, engine: Engine, which: int):
    readers.plan(REQUESTS[1], situation(engine))
    stood = readers.pids
    os.kill(stood[which], signal.SIGKILL)
    for pid in stood[which:]:  # the copies of a killed first process end with it
        while not ended(pid):
            time.sleep(0.01)
    assert readers.plan(REQUESTS[1], situation(engine)).calls[0].tool == "convert_units"
    assert stood[which] not in readers.pids


@pytest.mark.slow
def test_the_processes_end_with_a_killed_app():
    said = (
        "import sys; from copilot.engine import Engine; from tests.copilot.apart.test_pool import situation\n"
        "engine = Engine(background=True); engine.readers.plan('zoom in', situation(engine))\n"
        "print(*engine.readers.pids, flush=True); sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", said], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as app:
        assert app.stdout is not None
        started = [psutil.Process(int(pid)) for pid in app.stdout.readline().split()]
        assert len(started) == 2
        app.kill()
    assert psutil.wait_procs(started, timeout=20)[1] == []


@pytest.mark.slow
def test_a_process_whose_app_ends_while_it_loads_ends_without_a_word():
    app, other = socket.socketpair()
    with other:
        command = [sys.executable, "-m", "copilot.apart.process", str(other.fileno())]
        loading = subprocess.Popen(command, cwd=ROOT, pass_fds=[other.fileno()], stderr=subprocess.PIPE)
    app.close()
    assert loading.communicate() == (None, b"")


@pytest.mark.slow
def test_the_app_reads_beside_itself_and_a_command_line_in_its_own_process(engine: Engine, readers: Readers):
    assert isinstance(chat_model("embedded", engine).planner, ReadsHere)  # type: ignore[attr-defined]
    engine.background = True
    engine.__dict__["readers"] = readers
    model = chat_model("embedded", engine)
    answer = Session.open(engine=Engine.in_memory_like(engine)).ask("load fair1m", model=model)
    assert (answer.outcome, [each["tool"] for each in answer.to_json()["calls"]]) == ("done", ["db_load"])


@pytest.mark.slow
def test_a_command_lines_reading_without_an_end_is_ended(engine: Engine, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("copilot.apart.here.READING_CPU_S", 1)
    monkeypatch.setattr("copilot.agents.turn.too_much", lambda request: None)
    session = Session.open(engine=engine)
    answer = session.ask(ENDLESS)
    assert (answer.outcome, answer.reply) == ("rejected", too_slow())
    assert session.ask("load fair1m").outcome == "done"


@pytest.mark.slow
def test_a_machine_too_busy_for_the_first_request_is_told_so_and_serves_the_next(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
):
    readers = Readers()
    monkeypatch.setattr(pool, "WAIT_S", 0.0)
    with pytest.raises(RuntimeError, match="could not be started"):
        readers.plan(REQUESTS[1], situation(engine))
    monkeypatch.undo()
    assert readers.plan(REQUESTS[1], situation(engine)).calls[0].tool == "convert_units"
    readers.close()

"""Calls that the page makes beside itself: in a thread, one at a time, with the same record as any other."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from copilot.engine import Engine
from copilot.live import Live, Refused
from copilot.session import Session
from tests.copilot.test_live import finished


@pytest.fixture
def live(engine: Engine) -> Live:
    return Live(engine)


def test_a_call_of_the_page_runs_beside_it_and_is_on_record(live: Live) -> None:
    session = live.create("o" * 32)
    live.call(session.id, "zoom_map", {"level": 4})
    finished(live, session.id)
    last = session.events[-1]
    assert (last.tool, last.args, last.source, last.ok) == ("zoom_map", {"level": 4.0}, "page", True)


def test_while_a_call_runs_another_is_refused(live: Live, monkeypatch: pytest.MonkeyPatch) -> None:
    go, session = threading.Event(), live.create("o" * 32)

    def held(*_: Any, **__: Any) -> None:
        go.wait(10)

    monkeypatch.setattr(Session, "call_tool", held)
    live.call(session.id, "zoom_map", {"level": 4})
    assert live.running(session.id) == "zoom_map"
    with pytest.raises(Refused, match="still running"):
        live.call(session.id, "zoom_map", {"level": 5})
    with pytest.raises(Refused, match="still running"):
        live.ask(session.id, "zoom in")
    go.set()
    finished(live, session.id)
    assert live.running(session.id) is None and live.problem(session.id) is None


def test_a_call_that_breaks_says_so_and_lets_the_next_one_run(
    live: Live, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    session = live.create("o" * 32)
    with monkeypatch.context() as broken:
        broken.setattr(Session, "call_tool", lambda *_, **__: 1 / 0)
        with caplog.at_level("CRITICAL", logger="copilot.live"):
            live.call(session.id, "zoom_map", {"level": 4})
            finished(live, session.id)
    assert str(live.problem(session.id)).endswith(".")
    live.call(session.id, "zoom_map", {"level": 4})
    finished(live, session.id)
    assert live.problem(session.id) is None and session.state.map.zoom == 4


def test_work_of_several_calls_is_one_running_thing_that_can_be_stopped(live: Live) -> None:
    session = live.create("o" * 32)
    stopped: list[bool] = []
    live.work(session.id, "Several", lambda stop: stopped.append(stop.wait(10)))
    assert live.running(session.id) == "Several"
    with pytest.raises(Refused, match="still running"):
        live.call(session.id, "zoom_map", {"level": 5})
    assert live.stop(session.id)
    finished(live, session.id)
    assert (stopped, live.running(session.id)) == ([True], None)

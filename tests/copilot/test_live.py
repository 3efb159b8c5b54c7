"""Turns that run in the process, whoever looks."""

from __future__ import annotations

import gc
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from copilot.engine import Engine
from copilot.live import Live, Refused
from copilot.session import Session
from copilot.settings import Settings, keep
from state.store import UnknownSession
from tests.openai_server import OpenAIServer, says


@pytest.fixture
def live(engine: Engine) -> Live:
    return Live(engine)


class Held:
    """A turn that stays open until it is let go."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.began, self.go, self.stopped = threading.Event(), threading.Event(), threading.Event()
        monkeypatch.setattr(Session, "stream", self._stream)

    def _stream(self, request: str, *, stop: threading.Event, **_: Any) -> Iterator[None]:
        self.began.set()
        self.go.wait(10)
        if stop.is_set():
            self.stopped.set()
        yield None


def finished(live: Live, session_id: str) -> None:
    done = threading.Event()
    leave = live.subscribe(session_id, done.set)
    while live.running(session_id) is not None:
        done.wait(0.1)
        done.clear()
    leave()


def test_a_request_is_answered_in_the_background_and_its_events_are_stored(live: Live):
    session = live.create("me")
    live.ask(session.id, "load xview1")
    finished(live, session.id)
    assert [each.kind for each in session.events] == ["request", "call", "reply"]
    assert Session.open(session.id, engine=live.engine).state.database.loaded == ("xview1",)


def test_a_request_is_answered_by_the_sessions_agent_with_as_many_examples(
    live: Live, monkeypatch: pytest.MonkeyPatch
):
    asked: list[dict[str, Any]] = []

    def stream(session: Session, request: str, **options: Any) -> Iterator[None]:
        asked.append({"request": request, "agent": options["agent"], "shots": options["shots"]})
        yield None

    monkeypatch.setattr(Session, "stream", stream)
    session = live.create("me")
    live.ask(session.id, "a")
    finished(live, session.id)
    keep(live.engine.store, session.id, Settings("react", 2))
    live.ask(session.id, "b")
    finished(live, session.id)
    assert asked == [
        {"request": "a", "agent": "direct", "shots": 0},
        {"request": "b", "agent": "react", "shots": 2},
    ]


def test_warming_up_for_a_served_model_asks_its_server_nothing(
    live: Live,
    serve: Callable[..., OpenAIServer],
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
):
    monkeypatch.setattr("copilot.live._BROWSER_DRAWS_S", 0.0)
    server = serve(says("never"))
    live.drawn.set()
    live.warm_up()
    assert server.asked == [] and caplog.text == ""


def test_a_session_answers_one_request_at_a_time(live: Live, monkeypatch: pytest.MonkeyPatch):
    held = Held(monkeypatch)
    one, other = live.create("me"), live.create("me")
    live.ask(one.id, "a")
    assert held.began.wait(10)
    with pytest.raises(Refused, match="still running in this session"):
        live.ask(one.id, "b")
    live.ask(other.id, "c")
    assert (live.running(one.id), live.running(other.id)) == ("a", "c")
    held.go.set()
    finished(live, one.id)
    finished(live, other.id)


def test_whoever_sees_a_reply_may_ask_for_the_next_thing_at_once(live: Live):
    session, asked, done = live.create("me"), [], threading.Event()

    def ask_next() -> None:
        replies = [turn.reply for turn in session.turns if turn.reply is not None]
        if len(replies) == 1 and not asked:
            asked.append("load fair1m")
            live.ask(session.id, "load fair1m")
        elif len(replies) == 2:
            done.set()

    leave = live.subscribe(session.id, ask_next)
    live.ask(session.id, "load xview1")
    assert done.wait(30)
    leave()
    assert [each.request for each in session.turns] == ["load xview1", "load fair1m"]


def test_stop_reaches_the_turn(live: Live, monkeypatch: pytest.MonkeyPatch):
    held = Held(monkeypatch)
    session = live.create("me")
    assert live.stop(session.id) is False
    live.ask(session.id, "a")
    assert held.began.wait(10)
    assert live.stop(session.id) is True
    held.go.set()
    assert held.stopped.wait(10)


def test_a_turn_that_is_asked_to_stop_is_told_of_as_stopping_until_it_has_ended(
    live: Live, monkeypatch: pytest.MonkeyPatch
):
    held = Held(monkeypatch)
    session = live.create("me")
    live.ask(session.id, "a")
    assert held.began.wait(10)
    told: list[tuple[str, bool]] = []
    leave = live.subscribe(
        session.id, lambda: told.append((live.version(session.id), live.stopping(session.id)))
    )
    live.stop(session.id)
    held.go.set()
    finished(live, session.id)
    leave()
    assert told == [("0+!", True), ("0", False)]


@pytest.mark.parametrize("text", ["", "  \n ", "load fmow " * 401])
def test_a_request_that_cannot_be_read_is_refused(live: Live, text: str):
    session = live.create("me")
    with pytest.raises(Refused):
        live.ask(session.id, text)
    assert session.events == ()


def test_a_turn_that_cannot_start_says_so_and_frees_the_session(live: Live, monkeypatch: pytest.MonkeyPatch):
    def broken(*_: Any, **__: Any) -> Iterator[None]:
        raise RuntimeError("secret")

    monkeypatch.setattr(Session, "stream", broken)
    session = live.create("me")
    live.ask(session.id, "a")
    finished(live, session.id)
    problem = live.problem(session.id)
    assert problem is not None and "secret" not in problem


def test_a_deleted_session_is_gone(live: Live):
    session = live.create("me")
    live.delete(session.id)
    with pytest.raises(UnknownSession):
        live.session(session.id)


def test_the_version_changes_with_every_event(live: Live):
    session = live.create("me")
    told: list[str] = []
    leave = live.subscribe(session.id, lambda: told.append(live.version(session.id)))
    session.call("db_load", names=["xview1"])
    session.call("cluster_plot")
    leave()
    session.call("undo")
    assert told == ["1", "2"]


def test_the_warm_up_lets_the_first_page_be_drawn_before(live: Live, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("copilot.live._NOBODY_COMES_S", 60)
    monkeypatch.setattr("copilot.live._BROWSER_DRAWS_S", 0)
    warming = threading.Thread(target=live.warm_up)
    warming.start()
    before = "catalogue" in vars(live.engine)
    live.drawn.set()
    warming.join(30)
    assert (before, "catalogue" in vars(live.engine)) == (False, True)


def test_what_was_warmed_up_is_not_looked_through_for_garbage_after_every_run_of_a_page(
    live: Live, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("copilot.live._BROWSER_DRAWS_S", 0)
    live.drawn.set()
    gc.unfreeze()
    looked_at = len(gc.get_objects())
    try:
        live.warm_up()
        assert gc.get_freeze_count() > 0.9 * looked_at and len(gc.get_objects()) < 0.1 * looked_at
    finally:
        gc.unfreeze()

"""A model's server that fails: the user reads why in a sentence, nothing is lost, and the turn ends."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from copilot.agents import NAMES
from copilot.session import Session
from tests.copilot.agents.conftest import check_whole
from tests.copilot.reality.conftest import Turn
from tests.copilot.reality.player import Player, zooming
from tests.openai_server import (
    KEY,
    Asked,
    OpenAIServer,
    Reply,
    Says,
    calls,
    ends,
    fails,
    no_utf8,
    page_instead,
    refuses,
    says,
    too_long,
)
from tests.suite.walking import share

NO_ANSWER = "The model could not be reached or did not answer properly. Nothing was lost; try again."
OUT_OF_TIME = "Stopped after 1 s without an answer; what was done so far stands."
BUSY = "The model's server takes no more requests now (429). Nothing was lost; try again in a while."
PAST = "Sat, 01 Jan 2000 00:00:00 GMT"

FAULTS: dict[str, tuple[Reply, str]] = {
    "429": (fails(429, "Slow down."), BUSY),
    "429 with a time to wait": (
        fails(429, "Slow down.", Retry_After="3600"),
        "The model's server takes no more requests now (429). Nothing was lost; try again in 3600 s.",
    ),
    "429 with a date": (fails(429, "Slow down.", Retry_After=PAST), BUSY),
    "500": (
        fails(500, f"Internal error at 10.0.0.7, key {KEY}"),
        "The model's server failed (500). Nothing was lost; try again.",
    ),
    "503 page": (
        Reply(status=503, body=b"<html>Bad gateway</html>", content_type="text/html"),
        "The model's server failed (503). Nothing was lost; try again.",
    ),
    "401 that repeats the key": (
        fails(401, f"Incorrect API key provided: {KEY}"),
        "The model's server refused the key (401); check OPENAI_API_KEY. Nothing was lost; try again.",
    ),
    "404": (
        fails(404, "The model 'small' does not exist."),
        "The model's server does not know the model or the address (404); check COPILOT_MODEL and "
        "OPENAI_BASE_URL. Nothing was lost; try again.",
    ),
    "context overflow": (
        too_long(),
        "The conversation is longer than the model can read. Nothing was lost; go on in a new session, or "
        "set COPILOT_FALLBACK_MODEL to a model with a longer context.",
    ),
    "400": (
        fails(400, "Unsupported parameter: 'temperature'."),
        "The model's server refused the request (400); the log has its reason. Nothing was lost; try again.",
    ),
    "a page": (page_instead(), NO_ANSWER),
    "no UTF-8": (no_utf8(), NO_ANSWER),
    "JSON of another kind": (Reply(body=b'{"hello": 1}'), NO_ANSWER),
    "no choices": (Reply(body=b'{"id": "1", "object": "chat.completion", "choices": []}'), NO_ANSWER),
    "null": (Reply(body=b"null"), NO_ANSWER),
    "nothing": (Reply(body=b""), NO_ANSWER),
    "an empty answer": (says(""), NO_ANSWER),
    "an answer of blanks": (says(" \n\t"), NO_ANSWER),
    "cut": (ends("cut"), NO_ANSWER),
    "cut in a call": (ends("cut", calls(("clear_layers", {"keep_drawings": False}))), NO_ANSWER),
    "dropped": (ends("dropped"), NO_ANSWER),
}
FOR_ALL = ("500", "an empty answer", "cut", "cut in a call")


@pytest.mark.parametrize(
    ("agent", "fault"),
    [*(("direct", fault) for fault in FAULTS), ("react", "500"), ("react", "429"), ("react", "a page")],
)
def test_a_fault_that_stays_is_told_in_one_sentence(
    turn: Turn, session: Session, streamed: bool, agent: str, fault: str
) -> None:
    reply, said = FAULTS[fault]
    _, answer = turn(reply, agent=agent)
    assert (answer.outcome, answer.reply) == ("failed", said)
    assert session.state.map.zoom == 2.0 and answer.calls == ()


@pytest.mark.parametrize(
    ("agent", "fault"), [(agent, fault) for n, agent in enumerate(NAMES) for fault in share(FOR_ALL, n, of=2)]
)
def test_a_fault_in_the_middle_leaves_what_was_done_before(
    turn: Turn, session: Session, streamed: bool, agent: str, fault: str
) -> None:
    reply, said = FAULTS[fault]
    _, answer = turn(Player(zooming(), after=3, fault=reply), agent=agent)
    assert (answer.outcome, answer.reply) == ("failed", said)
    made = [call.tool for call in answer.calls]
    assert made and set(made) == {"zoom_map"} and session.state.map.zoom == 3 + len(made)


@pytest.mark.parametrize("agent", NAMES)
def test_a_model_that_hangs_is_given_up_when_the_time_of_the_turn_is_over(
    turn: Turn, session: Session, streamed: bool, monkeypatch: pytest.MonkeyPatch, agent: str
) -> None:
    ahead: list[float] = []
    clock = SimpleNamespace(perf_counter=lambda: time.perf_counter() + sum(ahead))
    monkeypatch.setattr("copilot.agents.budget.time", clock)

    def hang(asked: Asked) -> Reply:
        ahead.append(60.0)  # the turn's time is over while the model is waited for
        return ends("hangs")

    _, answer = turn(Player(zooming(), after=3, fault=hang), agent=agent, seconds=60.0)
    said = "Stopped after 60 s without an answer; what was done so far stands."
    assert (answer.outcome, answer.reply) == ("failed", said)
    assert answer.calls and session.state.map.zoom == 3 + len(answer.calls)


@pytest.mark.parametrize("how", ["stalls", "drips"])
def test_an_answer_that_does_not_end_is_given_up_when_the_time_of_the_turn_is_over(
    turn: Turn, session: Session, streamed: bool, how: str
) -> None:
    _, answer = turn(Player(zooming(), after=3, fault=ends(how)), seconds=1.0)
    assert (answer.outcome, answer.reply) == ("failed", OUT_OF_TIME)
    assert answer.calls and session.state.map.zoom == 3 + len(answer.calls)


@pytest.mark.parametrize(
    ("agent", "how"),
    [(agent, how) for n, agent in enumerate(NAMES) for how in share(["hangs", "drips"], n, of=2)],
)
def test_a_stop_ends_the_turn_at_once_while_the_model_hangs(
    session: Session, serve: Callable[..., OpenAIServer], agent: str, how: str
) -> None:
    stop = threading.Event()

    def hang(asked: Any) -> Reply:
        threading.Timer(0.2, stop.set).start()
        return ends(how)

    serve(Player(zooming(), after=3, fault=hang))
    kinds = [event.kind for event in session.stream("Zoom in.", agent=agent, stop=stop)]
    check_whole(session)
    answer = session.answer()
    assert kinds[-1] == "reply"
    assert (answer.outcome, answer.reply) == ("stopped", "Stopped. What was done so far stands.")
    assert answer.calls and session.state.map.zoom == 3 + len(answer.calls)


@pytest.mark.parametrize(
    "passing",
    [
        fails(429, "Slow down.", Retry_After="0.02"),
        fails(429, "Slow down.", Retry_After=PAST),
        fails(500, "Oops."),
        fails(503, "Overloaded."),
        ends("cut"),
        ends("dropped"),
    ],
    ids=["429 seconds", "429 date", "500", "503", "cut", "dropped"],
)
def test_a_fault_that_passes_is_never_seen(
    turn: Turn, session: Session, streamed: bool, passing: Reply
) -> None:
    server, answer = turn(passing, calls(("zoom_map", {"level": 4})), passing, says("Zoomed in to level 4."))
    assert (answer.outcome, answer.reply) == ("done", "Zoomed in to level 4.")
    assert session.state.map.zoom == 4.0 and len(server.asked) == 4
    assert server.asked[0] == server.asked[1] and server.asked[2] == server.asked[3]


def test_a_fault_is_tried_three_times_and_what_cannot_pass_once(turn: Turn, streamed: bool) -> None:
    passing, _ = turn(fails(500, "Oops."))
    for_good, _ = turn(fails(401, "No."))
    assert (len(passing.asked), len(for_good.asked)) == (3, 1)


def test_a_server_that_asks_to_wait_is_left_alone_for_that_long(turn: Turn) -> None:
    came: list[float] = []

    def busy(asked: Any) -> Reply:
        came.append(time.monotonic())
        return fails(429, "Slow down.", Retry_After="0.4") if len(came) == 1 else says("There you are.")

    _, answer = turn(busy)
    assert answer.outcome == "done" and came[1] - came[0] >= 0.4


@pytest.mark.parametrize("agent", NAMES)
def test_a_refusal_is_told_as_the_models_own(
    turn: Turn, session: Session, streamed: bool, agent: str
) -> None:
    _, answer = turn(Player(answer=refuses("I cannot help with that.")), agent=agent)
    assert answer.reply == "The model refuses this request: I cannot help with that."
    assert answer.outcome == "rejected" and answer.calls == ()


@pytest.mark.parametrize("agent", ["direct", "react"])
def test_a_huge_answer_is_cut_to_what_can_be_read(
    turn: Turn, session: Session, streamed: bool, agent: str
) -> None:
    server_says: Says = says("word " * 200_000)
    with pytest.raises(AssertionError):  # it is no sentence or two: only its size is looked at
        turn(server_says, agent=agent)
    answer = session.answer()
    assert answer.outcome == "done" and answer.reply.startswith("word word ")
    assert len(answer.reply) < 20_000 and answer.reply.endswith("… (cut)")


@pytest.mark.parametrize("fault", ["500", "401 that repeats the key", "cut", "context overflow"])
def test_another_model_answers_where_one_is_set(
    turn: Turn, session: Session, monkeypatch: pytest.MonkeyPatch, fault: str
) -> None:
    monkeypatch.setenv("COPILOT_FALLBACK_MODEL", "embedded")
    _, answer = turn(FAULTS[fault][0], request="zoom to level 7")
    assert answer.outcome == "done" and session.state.map.zoom == 7.0

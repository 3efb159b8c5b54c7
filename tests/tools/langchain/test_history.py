"""What a session's record says was done."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from copilot.engine import Engine
from copilot.session import Session
from state.log import Event
from state.model import State
from tests.tools.world import run
from tools.base import World
from tools.langchain.history import summarize_history


def test_a_sessions_turns_are_told_with_their_results(small_catalogue: Path) -> None:
    session = Session.open(engine=Engine.in_memory(str(small_catalogue)))
    session.call_tool("db_load", {"names": ["xview1"]})
    session.call_tool("db_load", {"names": ["xview9"]})
    session.call_tool("db_count", {})
    found = session.call_tool("summarize_history", {})
    assert found.data["turns"] == 3 and (found.data["calls"], found.data["failed"]) == (3, 1)
    assert found.data["tools"] == [{"key": "db_load", "count": 2}, {"key": "db_count", "count": 1}]
    assert [call["ok"] for turn in found.data["history"] for call in turn["calls"]] == [True, False, True]
    assert found.data["history"][2]["calls"][0]["result"] == "The selection has 7 images."
    assert "Turn 2, without a request: db_load (failed): There is no data set 'xview9'" in found.text
    assert found.data["now"]["loaded"] == ["xview1"] and "Now: xview1 with 7 selected" in found.text
    assert session.replay() == session.state


def event(seq: int, turn: int, kind: str, text: str, **more: object) -> Event:
    return Event(seq, turn, kind, "2026-11-20T12:00:00Z", text=text, **more)  # type: ignore[arg-type]


def test_requests_and_replies_are_quoted_and_only_the_last_turns_told(world: World) -> None:
    log = (
        event(1, 1, "request", "how many\nships are there?"),
        event(2, 1, "call", "There are 3.5 ships. All told.", tool="db_count"),
        event(3, 1, "reply", "3.5 ships.", outcome="done"),
        event(4, 2, "request", "hello"),
        event(5, 2, "reply", "Hello. What next?", outcome="done"),
    )
    every = run(replace(world, log=log), State(), summarize_history)
    assert "Turn 1, «how many ships are there?»: db_count: There are 3.5 ships. " in every.observation
    assert "Turn 2, «hello»: answered «Hello.»." in every.observation
    last = run(replace(world, log=log), State(), summarize_history, last=1)
    assert (last.data["turns"], last.data["of"]) == (1, 2)
    assert "how many" not in last.observation


def test_an_empty_session_has_done_nothing(world: World) -> None:
    step = run(world, State(), summarize_history)
    assert step.observation.startswith("Nothing was done in this session yet.")
    assert (step.data["turns"], step.data["history"]) == (0, [])


def test_a_long_record_is_told_in_part_and_counted_whole(world: World) -> None:
    log = tuple(event(n, n, "call", f"Result {n}.", tool="db_count") for n in range(1, 301))
    step = run(replace(world, log=log), State(), summarize_history)
    assert step.data["calls"] == 300 and len(step.data["history"]) == 100
    assert "Result 300" in step.observation and "Result 200" not in step.observation
    assert "The 280 earlier turns are counted and not told." in step.observation

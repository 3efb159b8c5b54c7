"""The log adds up to the state, and undo, redo and replay walk along it: laws, on real sessions."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from copilot.agents.budget import Usage
from copilot.engine import Engine
from copilot.session import Session
from state.codec import digest, from_json, to_json
from state.log import (
    Event,
    Fold,
    History,
    ReplayDiverged,
    Turn,
    UnknownTurn,
    history,
    replay,
    state_after,
    turns,
    until,
)
from state.model import MapState, State

Calls = list[tuple[str, dict[str, Any]]]

changing = st.sampled_from(
    [
        ("db_load", {"names": ["fair1m"]}),
        ("db_load", {"names": ["xview1", "fmow"]}),
        ("filter_date", {"start": "2018-05-01", "end": "2018-12-31"}),
        ("filter_date", {"start": "2019-01-01"}),
        ("filter_coords", {"bbox": [-81.0, 40.0, -79.0, 41.0]}),
        ("set_view", {"lon": 4.5, "lat": 51.9, "zoom": 8}),
        ("set_view", {"lon": 4, "lat": 51, "zoom": 8}),
        ("zoom_map", {"level": 5}),
        ("draw_marker", {"lon": 3, "lat": 6}),
        ("cluster_plot", {}),
        ("open_panel", {"panel": "results"}),
    ]
)
saying = st.sampled_from(
    [
        ("ask_user", {"question": "Which one?", "choices": ["a", "b"]}),
        ("notify", {"text": "Look."}),
        ("reject_task", {"reason": "There is no such thing."}),
        ("map_state", {}),
        ("db_load", {"names": ["atlantis"]}),
        ("no_such_tool", {}),
    ]
)
walking = st.sampled_from(
    [("undo", {}), ("redo", {}), ("goto_turn", {"turn": 0}), ("goto_turn", {"turn": 2})]
)
calls = st.lists(changing | saying | walking, max_size=8)
quick = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


def session_after(engine: Engine, made: Calls) -> Session:
    session = Session.open(engine=engine)
    for tool, args in made:
        session.call_tool(tool, args)
    return session


def silent(state: State) -> State:
    """The state without what was only said: the question that any call closes."""
    return state.with_ui(question=None)


@quick
@given(before=calls, call=changing)
def test_undo_takes_back_exactly_what_a_turn_changed(engine: Engine, before: Calls, call: Any) -> None:
    session = session_after(engine, before)
    found = session.state
    changed = session.call_tool(*call).state is not None and silent(found) != silent(session.state)
    if changed:
        assert session.undo().ok
        assert session.state == silent(found)


@quick
@given(before=calls)
def test_redo_gives_back_exactly_what_undo_took(engine: Engine, before: Calls) -> None:
    session = session_after(engine, before)
    found, way = session.state, session.history
    if session.undo().ok:
        assert session.redo().ok
        assert session.state == silent(found)
        assert [*map(silent, session.history.past)] == [*map(silent, way.past)]


@quick
@given(before=calls, said=st.lists(saying, min_size=1, max_size=3))
def test_what_is_only_said_is_no_step_of_undo(engine: Engine, before: Calls, said: Calls) -> None:
    session = session_after(engine, before)
    way = session.history
    for tool, args in said:
        session.call_tool(tool, args)
    assert (session.history.past, session.history.future) == (way.past, way.future)


@quick
@given(before=calls, turn=st.integers(0, 8))
def test_going_to_a_turn_gives_its_state_and_undo_leads_back(
    engine: Engine, before: Calls, turn: int
) -> None:
    session = session_after(engine, before)
    found = session.state
    wanted = State() if turn == 0 else state_after(session.events, turn)
    went = session.call("goto_turn", turn=turn)
    assert went.ok == (wanted is not None)
    if wanted is not None:
        assert session.state == silent(wanted)
        if silent(wanted.with_ui(notice=None)) != silent(found.with_ui(notice=None)):
            assert session.undo().ok
            assert session.state == silent(found)


@quick
@given(made=calls)
def test_every_event_has_the_hash_of_the_state_that_the_log_adds_up_to(engine: Engine, made: Calls) -> None:
    session = session_after(engine, made)
    fold = Fold()
    for event in session.events:
        fold.take(event)
        assert digest(fold.present) == event.hash
    assert fold.history() == session.history == history(session.events)


@quick
@given(made=calls)
def test_a_replay_reaches_the_same_hash(engine: Engine, made: Calls) -> None:
    session = session_after(engine, made)
    assert digest(session.replay()) == session.hash == digest(session.state)


@quick
@given(made=calls)
def test_the_same_calls_make_the_same_state_in_another_session(engine: Engine, made: Calls) -> None:
    one, other = session_after(engine, made), session_after(engine, made)
    assert [each.hash for each in one.events] == [each.hash for each in other.events]


@quick
@given(made=calls)
def test_a_session_opened_again_is_the_session_that_was_left(engine: Engine, made: Calls) -> None:
    session = session_after(engine, made)
    again = Session.open(session.id, engine=engine)
    assert (again.state, again.history, again.hash) == (session.state, session.history, session.hash)
    assert again.events == session.events


@quick
@given(made=calls)
def test_a_failed_call_changes_nothing(engine: Engine, made: Calls) -> None:
    session = session_after(engine, made)
    found, way = session.state, session.history
    event = session.call("zoom_map", level="near")
    assert not event.ok and event.state is None and (session.state, session.history) == (found, way)


def test_a_turn_of_many_calls_is_one_step_of_undo(engine: Engine) -> None:
    session = Session.open(engine=engine)
    turn = session.begin("Show it.", "chat").turn
    for tool, args in (("db_load", {"names": ["fair1m"]}), ("zoom_map", {"level": 6}), ("cluster_plot", {})):
        assert session.call_tool(tool, args, turn=turn).ok
    session.end(turn, "Done.", "done", 0.1)
    session.undo()
    assert session.state == State()


def test_undo_within_a_turn_takes_back_what_the_turn_did_so_far(engine: Engine) -> None:
    session = Session.open(engine=engine)
    session.call("zoom_map", level=4)
    turn = session.begin("Go there and back again.", "chat").turn
    for tool, args in (("zoom_map", {"level": 9}), ("undo", {}), ("db_load", {"names": ["fmow"]})):
        session.call_tool(tool, args, turn=turn)
    assert session.state.map == MapState(zoom=4.0) and session.state.database.loaded == ("fmow",)
    session.undo()
    assert session.state == State(map=MapState(zoom=4.0))


def test_a_new_change_ends_what_could_be_redone(engine: Engine) -> None:
    session = session_after(engine, [("zoom_map", {"level": 4}), ("undo", {}), ("zoom_map", {"level": 7})])
    assert session.history == History(State(map=MapState(zoom=7.0)), (State(),), ())
    assert not session.redo().ok


def test_undo_with_nothing_to_take_back_says_so(engine: Engine) -> None:
    event = Session.open(engine=engine).undo()
    assert (event.ok, event.text) == (
        False,
        "There is nothing to undo: nothing has changed since the session began.",
    )


def turn_with(session: Session, thinking: bool) -> State:
    """A turn of two calls, with thoughts between them or without; then an undo and a redo."""
    number = session.begin("Show it.", "chat").turn
    for tool, args in (("db_load", {"names": ["fmow"]}), ("zoom_map", {"level": 5})):
        if thinking:
            session.think(number, f"Next comes {tool}.", Usage(100, 20, 0.001))
        assert session.call_tool(tool, args, turn=number).ok
    if thinking:
        session.think(number, "That was all.", Usage(200, 40, 0.002))
    session.end(number, "There.", "done", 0.1)
    session.undo()
    session.redo()
    return session.state


def test_thoughts_change_no_state_no_undo_no_replay_and_no_export(engine: Engine) -> None:
    plain, thinking = Session.open(engine=engine), Session.open(engine=engine)
    assert turn_with(plain, False) == turn_with(thinking, True) == thinking.replay()
    assert thinking.history == plain.history and thinking.hash == plain.hash
    assert Session.open(thinking.id, engine=engine).events == thinking.events
    scripts = [each.call("export_script").data["path"] for each in (plain, thinking)]
    one, other = (Path(path).read_text(encoding="utf-8") for path in scripts)
    assert one == other


def test_a_turn_keeps_its_thoughts_in_order_with_what_it_cost_so_far(engine: Engine) -> None:
    session = Session.open(engine=engine)
    turn_with(session, True)
    (asked, *_) = session.turns
    assert [(each.text, each.tokens) for each in asked.thoughts] == [
        ("Next comes db_load.", 120),
        ("Next comes zoom_map.", 120),
        ("That was all.", 240),
    ]
    assert asked.thoughts[-1].data == {"prompt_tokens": 200, "completion_tokens": 40, "cost_usd": 0.002}
    assert all(each.state is None for each in asked.thoughts)


def event(seq: int, turn: int, kind: Any, text: str = "", **rest: Any) -> Event:
    return Event(seq, turn, kind, "2026-11-20T12:00:00.000+00:00", text=text, **rest)


def test_turns_gather_request_calls_and_reply_also_when_two_were_interleaved() -> None:
    log = [
        event(1, 1, "request", "Show ships."),
        event(2, 1, "call", tool="db_load"),
        event(3, 2, "call", tool="zoom_map"),
        event(4, 1, "call", tool="filter_class"),
        event(5, 1, "reply", "Done.", outcome="done"),
        event(6, 3, "request", "And now?"),
    ]
    assert turns(log) == (
        Turn(1, "Show ships.", (log[1], log[3]), log[4]),
        Turn(2, None, (log[2],), None),
        Turn(3, "And now?", (), None),
    )
    assert [turn.interrupted for turn in turns(log)] == [False, False, True]


def test_the_log_up_to_a_turn_ends_with_its_last_event() -> None:
    log = [event(1, 1, "request"), event(2, 2, "call"), event(3, 1, "reply"), event(4, 3, "call")]
    assert until(log, 1) == tuple(log[:3])
    assert until(log, 2) == tuple(log[:2])
    assert until(log, 0) == ()
    with pytest.raises(UnknownTurn, match=r"The session has no turn 9; there are 0 \(its start\) to 3\."):
        until(log, 9)


def test_a_tampered_record_is_named_by_its_call(engine: Engine) -> None:
    session = session_after(engine, [("zoom_map", {"level": 4}), ("zoom_map", {"level": 5})])
    first, second = session.events
    log = [first, replace(second, args={"level": 6}), event(3, 3, "call", tool="undo", hash="0" * 64)]

    def run(state: State, each: Event, before: Any) -> State:
        return state.with_map(zoom=float(each.args["level"]))

    with pytest.raises(
        ReplayDiverged, match=r"^Call 2 \(zoom_map\) ended in state [0-9a-f]{12}, on record is"
    ) as met:
        replay(State(), log, run)
    assert met.value.event == log[1]


def test_a_replay_shows_each_call_the_events_before_it(engine: Engine) -> None:
    session = session_after(engine, [("zoom_map", {"level": 4}), ("notify", {"text": "x"}), ("undo", {})])
    seen: list[tuple[str, tuple[int, ...]]] = []

    def run(state: State, each: Event, before: Any) -> State:
        seen.append((each.tool, tuple(one.seq for one in before)))
        return state if each.state is None else from_json(each.state)

    assert to_json(replay(State(), session.events, run)) == to_json(session.state)
    assert seen == [("zoom_map", ()), ("notify", (1,)), ("undo", (1, 2))]

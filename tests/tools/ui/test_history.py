"""Undo, redo and going to a turn, through a real session."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from copilot.engine import Engine
from copilot.session import Session
from state.codec import digest
from state.model import State
from tests.tools.world import TODAY

Call = tuple[str, dict[str, Any]]

CALLS: list[Call] = [
    ("db_load", {"names": ["xview1"]}), ("db_load", {"names": ["fair1m", "fmow"]}),
    ("db_unload", {"names": ["xview1"]}),
    ("filter_date", {"start": "2018-05-01", "end": "2018-05-31"}), ("filter_clear", {}),
    ("filter_coords", {"place": "Pittsburgh"}), ("cluster_plot", {}), ("scatter_plot", {"name": "Ships"}),
    ("heatmap_plot", {"color": "red"}), ("zoom_map", {"place": "Lyon"}), ("pan_map", {"direction": "west"}),
    ("zoom_map", {"delta": 2}), ("fit_selection", {}), ("draw_circle", {"place": "Lagos", "radius_km": 20}),
    ("clear_drawings", {}), ("reorder_layer", {"layer": "clusters", "position": "top"}), ("clear_layers", {}),
    ("hide_layer", {"layer": "ships"}), ("style_layer", {"layer": "Heatmap", "opacity": 0.3}),
    ("swipe_layers", {"left": "clusters", "right": "heatmap"}), ("select_image", {"rank": "newest"}),
    ("show_image", {}),
    ("open_tab", {"url": "https://example.org"}), ("close_tab", {}), ("open_panel", {"name": "jobs"}),
    ("notify", {"text": "hi"}),
    ("ask_user", {"question": "Which?"}), ("toggle_control", {"control": "minimap"}),
    ("set_basemap", {"name": "dark"}),
]  # fmt: skip
HISTORY: list[Call] = [("undo", {}), ("redo", {}), ("goto_turn", {"turn": 0}), ("goto_turn", {"turn": 2})]


@pytest.fixture(scope="module")
def engine(small_catalogue: Path) -> Iterator[Engine]:
    """An engine whose sessions are gone with the process."""
    yield Engine.in_memory(str(small_catalogue), today=TODAY)


def made(engine: Engine, calls: list[Call]) -> Session:
    session = Session.open(engine=engine)
    for tool, args in calls:
        session.call_tool(tool, args)
    return session


def lasting(state: State) -> State:
    """The state without what was only said, which nobody means by "undo"."""
    return state.with_ui(question=None, notice=None)


slow = settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@slow
@given(before=st.lists(st.sampled_from(CALLS), max_size=6), last=st.sampled_from(CALLS))
def test_undo_takes_back_and_redo_brings_back_what_was_done(
    engine: Engine, before: list[Call], last: Call
) -> None:
    session = made(engine, before)
    was = lasting(session.state)
    session.call_tool(*last)
    became = lasting(session.state)
    if became == was:
        return
    assert session.undo().ok
    assert lasting(session.state) == was
    assert session.redo().ok
    assert lasting(session.state) == became


@slow
@given(calls=st.lists(st.sampled_from([*CALLS, *HISTORY]), max_size=15))
def test_a_replay_reaches_the_same_state(engine: Engine, calls: list[Call]) -> None:
    session = made(engine, calls)
    assert digest(session.replay()) == session.hash
    assert made(engine, calls).hash == session.hash


@slow
@given(calls=st.lists(st.sampled_from(CALLS), max_size=8))
def test_undoing_everything_ends_at_the_start_and_redoing_everything_at_the_end(
    engine: Engine, calls: list[Call]
) -> None:
    session = made(engine, calls)
    end = lasting(session.state)
    steps = len(session.history.past)
    assert all(session.undo().ok for _ in range(steps))
    assert lasting(session.state) == State()
    refused = session.undo()
    assert not refused.ok
    assert refused.text == "There is nothing to undo: nothing has changed since the session began."
    assert all(session.redo().ok for _ in range(steps))
    assert lasting(session.state) == end


def test_a_new_change_leaves_nothing_to_redo(engine: Engine) -> None:
    session = made(engine, [*CALLS[:2], ("undo", {}), CALLS[6]])
    event = session.redo()
    assert (event.ok, event.text) == (
        False,
        "There is nothing to redo: nothing was undone since the last change.",
    )


def test_going_to_a_turn_is_undone_like_anything_else(engine: Engine) -> None:
    session = made(engine, [CALLS[0], CALLS[6], CALLS[9]])
    end = session.state
    event = session.call("goto_turn", turn=1)
    assert event.data == {"turn": 1, "count": 7, "layers": 0}
    assert session.state.map.layers == ()
    session.undo()
    assert session.state == end
    missing = session.call("goto_turn", turn=77)
    assert missing.text == "The session has no turn 77; there are 0 (its start) to 5."

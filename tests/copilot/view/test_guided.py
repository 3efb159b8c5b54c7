"""The steps with a real scene: each is asked once, in order, and only while a real scene is looked at."""

from __future__ import annotations

from copilot.view.guided import STEPS, next_request
from state.log import Event
from state.model import State


def called(number: int, tool: str, ok: bool = True) -> Event:
    return Event(number, number, "call", "2026-11-28T12:00:00+00:00", tool=tool, ok=ok)


def test_each_step_follows_the_one_before():
    state = State().with_ui(selected_image="landsat:pucallpa_2020.tif")
    events: list[Event] = []
    asked = []
    for number, (tools, _) in enumerate(STEPS, start=1):
        asked.append(next_request(state, events))
        events.append(called(number, tools[-1]))
    assert asked == [request for _, request in STEPS]
    assert next_request(state, events) is None


def test_what_failed_is_still_to_do():
    state = State().with_ui(selected_image="naip:prairie_lakes_2020.tif")
    assert next_request(state, [called(1, STEPS[0][0][0], ok=False)]) == STEPS[0][1]


def test_nothing_is_proposed_for_other_images():
    assert next_request(State(), []) is None
    assert next_request(State().with_ui(selected_image="fair1m:1.tif"), []) is None

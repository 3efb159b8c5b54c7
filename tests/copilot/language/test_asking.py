"""What is asked where a request is not understood surely enough."""

from __future__ import annotations

from collections.abc import Sequence

from copilot.engine import Engine
from copilot.language.asking import MAX_CHARS, NOT_SURE, WHICH_OF_THESE, in_words, question
from copilot.language.interpreter import Interpreter, Reading
from copilot.planner.situation import Call, PastTurn, Situation
from state.codec import to_json
from state.model import State
from tests.copilot.language.said import TODAY
from tools.toolbox import toolbox

LOAD = (Call("db_load", {"names": ["fmow", "xview1"]}), Call("hide_layer", {"layer": "@1.made"}))
NARROWED = (
    Call("db_load", {"names": ["fmow"]}),
    Call("filter_coords", {"place": "Kenya", "radius_km": 20.0}),
    Call("filter_attribute", {"field": "cloud_pct", "op": "<", "value": 10}),
    Call("db_count", {"by": "month"}),
)
CENTRE = (Call("set_view", {"lon": 4.5, "lat": 52.0, "zoom": 7}),)


def test_calls_are_said_by_what_their_tools_do_and_their_values() -> None:
    assert in_words(LOAD, toolbox()) == ("Images of fmow and xview1, then hide a layer without removing it")
    assert in_words(CENTRE, toolbox()) == "Centre the map on coordinates (lon 4.5, lat 52, zoom 7)"
    assert in_words(NARROWED, toolbox()) == (
        "Images of fmow, Kenya, radius km 20, cloud_pct < 10, then count the images or detections of the"
        " current selection (month)"
    )
    assert len(in_words(LOAD * 9, toolbox())) <= MAX_CHARS


def test_readings_that_do_something_are_offered() -> None:
    refused = (Call("reject_task", {"reason": "no"}),)
    choices = [in_words(CENTRE, toolbox()), in_words(LOAD, toolbox())]
    assert question([CENTRE, refused, (), LOAD, CENTRE], toolbox()) == Call(
        "ask_user", {"question": WHICH_OF_THESE, "choices": choices}
    )
    assert question([refused, ()], toolbox()) == Call("ask_user", {"question": NOT_SURE.format(why="")})
    why = "No place is called 'Qwertyville'."
    assert question((), toolbox(), why).args == {"question": NOT_SURE.format(why=f"{why} ")}


class _Reads(Interpreter):
    """Reads everything in the same two ways."""

    def __init__(self) -> None:
        self._toolbox = toolbox()
        self.asked: list[tuple[str, object]] = []

    def readings(self, request: str, situation: Situation) -> tuple[Reading, ...]:
        self.asked.append((request, situation.state["ui"]["question"]))
        return tuple(Reading((), calls, 1.0, ()) for calls in (LOAD, CENTRE))


def _after(asked: Call, engine: Engine) -> Situation:
    state = to_json(State())
    state["ui"]["question"] = {"text": "?", "choices": []}
    past: Sequence[PastTurn] = (PastTurn("do it", (asked,), ""),)
    return Situation(state, TODAY, engine.catalogue, engine.gazetteer, past)


def test_a_choice_is_the_reading_of_the_request_that_was_asked_about(engine: Engine) -> None:
    reader, asked = _Reads(), question([LOAD, CENTRE], toolbox())
    plan = reader.plan(in_words(CENTRE, toolbox()), _after(asked, engine))
    assert plan.calls == CENTRE
    assert reader.asked == [("do it", None)]

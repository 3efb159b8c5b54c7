"""A place that may be any of several is asked about, and the answer does what was asked there."""

from __future__ import annotations

from copilot.engine import Engine
from copilot.language.ambiguity import several_places, with_choice
from copilot.planner.situation import Call, Situation
from copilot.session import Session
from state.codec import to_json
from state.model import State
from tests.tools.world import TODAY

ASKED = "show the fair1m images around Springfield"
ILLINOIS = "Springfield, Illinois, United States"


def beginning(engine: Engine) -> Situation:
    return Situation(to_json(State()), TODAY, engine.catalogue, engine.gazetteer)


def test_a_name_that_several_places_have_is_found_with_a_name_of_its_own_for_each(engine: Engine) -> None:
    several = several_places(ASKED, beginning(engine))
    assert several is not None
    assert (ASKED[several.start : several.end], ILLINOIS in several.choices) == ("Springfield", True)
    assert several.is_meant_by(Call("filter_coords", {"place": "springfield"}))
    assert not several.is_meant_by(Call("filter_coords", {"place": ILLINOIS, "radius_km": 5}))
    assert several_places("zoom to Tokyo", beginning(engine)) is None
    assert several_places(f"zoom to {ILLINOIS}", beginning(engine)) is None


def test_the_choice_takes_the_names_place_in_the_request(engine: Engine) -> None:
    assert with_choice(ASKED, ILLINOIS, beginning(engine)) == f"show the fair1m images around {ILLINOIS}"
    assert with_choice(ASKED, "Paris, France", beginning(engine)) is None


def test_the_place_is_asked_about_with_choices_and_the_choice_is_done(engine: Engine) -> None:
    session = Session.open(engine=engine)
    asked = session.ask(ASKED)
    assert (asked.outcome, asked.calls[-1].args["question"]) == ("asked", "Which Springfield do you mean?")
    assert ILLINOIS in asked.calls[-1].args["choices"]
    answer = session.ask(ILLINOIS)
    assert (answer.outcome, session.state.database.loaded) == ("done", ("fair1m",))
    assert session.state.database.filters.place == ILLINOIS

"""Questions of what things are, answered without changing anything."""

from __future__ import annotations

import pytest

from copilot.engine import Engine
from copilot.planner.knowledge import known
from copilot.session import Session
from state.codec import to_json
from tests.copilot.planner.asked import planned, situation


@pytest.mark.parametrize(
    "request_",
    [
        "what does cloud_pct mean?",
        "what's meant by cloud cover",
        "meaning of the field cloud_pct",
        "define cloud_pct",
    ],
)
def test_a_field_is_explained_however_it_is_asked_for(request_: str, engine: Engine) -> None:
    assert known(request_, situation(engine)) == [
        "cloud_pct is the share of an image that lies under cloud, 0 to 100 %; radar images have none."
    ]


def test_the_projection_is_that_of_the_map(engine: Engine) -> None:
    assert known("which projection does the map use?", situation(engine)) == [
        "The map is drawn in Web Mercator (EPSG:3857). Coordinates that you give, and all that is exported, are "
        "longitude and latitude in WGS 84 (EPSG:4326)."
    ]


@pytest.mark.parametrize(
    "request_",
    [
        "what is the newest image?",
        "how many images differ from 2019?",
        "which fields do planes land on",
        "show the class Bus",
        "what is it?",
        "read the licence plates",
        "who owns the boat in this image?",
    ],
)
def test_other_questions_are_left_to_the_rest(request_: str, engine: Engine) -> None:
    assert known(request_, situation(engine)) is None


def test_a_question_of_meaning_plans_no_call(engine: Engine) -> None:
    plan = planned("what does gsd mean?", engine)
    assert (plan.calls, plan.labels) == ((), ("knowledge",))


def test_the_difference_between_data_sets_leaves_what_is_loaded(session: Session) -> None:
    session.ask("load fmow")
    before = to_json(session.state)
    answer = session.ask("how do fmow and fair1m differ?")
    assert to_json(session.state)["database"] == before["database"]
    assert [sentence.split(" ")[0] for sentence in answer.reply.split(". ")] == ["fair1m", "fmow"]

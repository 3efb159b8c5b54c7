"""Comparisons leave the selection as it was."""

from __future__ import annotations

import pytest

from copilot.engine import Engine
from copilot.session import Session
from tests.copilot.planner.asked import last_calls
from tests.copilot.planner.test_going_on import database


@pytest.mark.parametrize(
    "question",
    [
        "compare w Kenya",
        "how does that compare with Kenya?",
        "is there more in Kenya?",
        "Uganda versus Kenya",
        "are there fewer in Kenya?",
    ],
)
def test_one_more_place_is_held_against_the_one_there_is(question: str, engine: Engine) -> None:
    assert last_calls(["fmow in Uganda", question], engine) == [
        ("filter_coords", {"place": "Uganda"}),
        ("db_count", {}),
        ("filter_coords", {"place": "Kenya"}),
        ("db_count", {}),
        ("filter_coords", {"place": "Uganda"}),
    ]


@pytest.mark.parametrize("question", ["which has more?", "who has more images?"])
def test_what_a_request_has_compared_is_not_compared_again(question: str, engine: Engine) -> None:
    places = [("filter_coords", {"place": "Uganda"}), ("db_count", {}), ("filter_coords", {"place": "Kenya"})]
    assert last_calls(["load fmow", f"fmow in Uganda vs Kenya, {question}"], engine) == [
        *places, ("db_count", {}), ("filter_clear", {"fields": ["place"]}),
    ]  # fmt: skip
    assert last_calls(["load fmow and xview1", f"xview1 vs fmow, {question}"], engine)[-1] == (
        "group_count",
        {"by": "dataset"},
    )


def test_more_is_of_two_and_most_of_all_that_were_spoken_of(engine: Engine) -> None:
    turns = ["fmow in Uganda", "and Kenya?", "what about Nepal"]
    places = [call[1].get("place") for call in last_calls([*turns, "which has more?"], engine)]
    assert places == ["Kenya", None, "Nepal", None, "Nepal"]
    places = [call[1].get("place") for call in last_calls([*turns, "which of those has the most?"], engine)]
    assert places == ["Uganda", None, "Kenya", None, "Nepal", None, "Nepal"]


def test_countries_together_are_counted_by_country(engine: Engine) -> None:
    calls = last_calls(["fmow in Kenya and Uganda", "who has more?"], engine)
    assert calls == [("group_count", {"by": "country"})]


def test_periods_are_compared_and_then_let_go(engine: Engine) -> None:
    assert last_calls(["load fmow", "how many in 2018 vs 2019?"], engine) == [
        ("filter_date", {"start": "2018-01-01", "end": "2018-12-31"}),
        ("db_count", {}),
        ("filter_date", {"start": "2019-01-01", "end": "2019-12-31"}),
        ("db_count", {}),
        ("filter_clear", {"fields": ["date"]}),
    ]


def test_the_radius_there_is_holds_for_each_city(session: Session) -> None:
    before = database(session, "fmow within 90 km of Nairobi")["filters"]
    after = database(session, "how does Kampala compare?")["filters"]
    assert (after, after["radius_km"]) == (before, 90)


def test_which_country_has_most_asks_beyond_the_one_selected(engine: Engine) -> None:
    assert last_calls(["fmow in Kenya", "which country has the most images?"], engine) == [
        ("filter_clear", {"fields": ["place"]}),
        ("group_count", {"by": "country"}),
    ]


def test_a_date_splits_the_images_of_a_place_in_two(engine: Engine) -> None:
    assert last_calls(["how many fmow images before and after 12 March 2017 in Kenya?"], engine) == [
        ("db_load", {"names": ["fmow"]}),
        ("filter_coords", {"place": "Kenya"}),
        ("filter_date", {"end": "2017-03-11"}),
        ("db_count", {}),
        ("filter_date", {"start": "2017-03-13"}),
        ("db_count", {}),
        ("filter_clear", {"fields": ["date"]}),
    ]

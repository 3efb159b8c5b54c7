"""What a follow-up does to the selection there is, asked of a real session."""

from __future__ import annotations

from typing import Any

import pytest

from copilot.session import Session
from state.codec import to_json


def database(session: Session, *turns: str) -> dict[str, Any]:
    for turn in turns:
        session.ask(turn)
    found: dict[str, Any] = to_json(session.state)["database"]
    return found


@pytest.mark.parametrize(
    ("turns", "start", "end"),
    [
        (("fmow in Kenya in May 2018", "the following month"), "2018-06-01", "2018-06-30"),
        (("fmow in Kenya in 2018", "a year earlier"), "2017-01-01", "2017-12-31"),
        (("fmow in Kenya from 2018 to 2020", "shift the start to 2019"), "2019-01-01", "2020-12-31"),
    ],
)
def test_dates_move_with_the_dates_there_are(
    session: Session, turns: tuple[str, ...], start: str, end: str
) -> None:
    filters = database(session, *turns)["filters"]
    assert (filters["start"], filters["end"]) == (start, end)


def test_a_country_too_is_added_by_its_code(session: Session) -> None:
    filters = database(session, "fmow in Kenya", "and Uganda too")["filters"]
    assert filters["attributes"] == [{"field": "country", "op": "in", "value": ["KE", "UG"]}]
    assert "place" not in filters


def test_another_place_afterwards_lets_the_countries_go(session: Session) -> None:
    filters = database(session, "fmow in Kenya and Uganda", "in Nepal")["filters"]
    assert (filters["place"], filters.get("attributes", [])) == ("Nepal", [])


def test_not_this_but_that_changes_the_class(session: Session) -> None:
    assert database(session, "fair1m planes", "not planes but ships")["filters"]["classes"] == ["vessels"]


def test_an_answer_about_dates_completes_the_request(session: Session) -> None:
    found = database(session, "fmow in Kenya between 2022 and 2019", "2019 to 2022")
    assert (found["loaded"], found["filters"]["place"]) == (["fmow"], "Kenya")
    assert (found["filters"]["start"], found["filters"]["end"]) == ("2019-01-01", "2022-12-31")


def test_a_place_named_instead_of_a_choice_goes_into_the_request(session: Session) -> None:
    found = database(session, "fmow near Victoria", "none of these, I meant Lake Victoria")
    assert (found["loaded"], found["filters"]["place"]) == (["fmow"], "Lake Victoria")

"""Limits that are changed, loosened and dropped."""

from __future__ import annotations

from typing import Any

import pytest

from copilot.session import Session
from tests.copilot.planner.test_going_on import database


def attributes(session: Session, *turns: str) -> list[tuple[Any, ...]]:
    """The comparisons after some turns: field, operator and value."""
    found = database(session, *turns)["filters"].get("attributes", [])
    return [(each["field"], each["op"], each["value"]) for each in found]


@pytest.mark.parametrize(
    ("change", "limit"),
    [
        ("at most 10% clouds", ("<=", 10)),
        ("make it under twenty", ("<", 20)),
        ("no more than fifteen percent", ("<=", 15)),
        ("set it to 30", ("<", 30)),
        ("make that 2", ("<", 2)),
        ("cap at 40 percent cloud", ("<=", 40)),
    ],
)
def test_a_new_limit_stands_in_place_of_the_old_one(
    session: Session, change: str, limit: tuple[str, int]
) -> None:
    assert attributes(session, "fmow under 5% clouds", change) == [("cloud_pct", *limit)]


def test_the_other_end_of_a_range_stays(session: Session) -> None:
    turns = ("fmow with cloud cover between 5 and 20 %", "at least 10% clouds", "less than 15% clouds")
    assert sorted(attributes(session, *turns)) == [("cloud_pct", "<", 15), ("cloud_pct", ">=", 10)]


@pytest.mark.parametrize(
    "question",
    [
        "count by class having more than 3 rows",
        "order by date limit 5",
        "classes with less than 20 examples?",
    ],
)
def test_a_number_of_rows_is_no_limit_of_a_field(session: Session, question: str) -> None:
    assert attributes(session, "fmow with gsd at most 0.5", question) == [("gsd_m", "<=", 0.5)]


def test_the_limit_set_last_is_meant(session: Session) -> None:
    turns = ("fmow under 10% clouds with gsd under 1 m", "at least 3 objects", "make that 5")
    assert ("detections", ">=", 5) in attributes(session, *turns)


def test_dropping_that_limit_leaves_the_rest(session: Session) -> None:
    found = database(session, "fmow in Kenya in 2019", "under 10% clouds", "forget that limit")["filters"]
    assert (found["place"], found["start"], found.get("attributes", [])) == ("Kenya", "2019-01-01", [])


@pytest.mark.parametrize(
    "wanted",
    ["only ascending passes", "only HH", "just summer images", "only night time", "only recent ones"],
)
def test_what_cannot_be_selected_by_is_said_and_changes_nothing(session: Session, wanted: str) -> None:
    before = database(session, "fmow in Kenya")
    answer = session.ask(wanted)
    assert answer.outcome in ("rejected", "asked")
    assert database(session)["filters"] == before["filters"]

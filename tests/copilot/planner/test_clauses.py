"""Requests cut into wants."""

from __future__ import annotations

import pytest

from copilot.planner.clauses import Clause, clauses, without_numbering, without_openers


def test_then_and_a_verb_after_and_begin_a_new_want() -> None:
    found = clauses("load fmow, then count it and export it", ())
    assert [clause.text for clause in found] == ["load fmow", "count it", "export it"]


def test_and_between_nouns_joins_them() -> None:
    assert [clause.text for clause in clauses("show cars and trucks", ())] == ["show cars and trucks"]


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("1) count 2) plot", "count ; plot"),
        ("fmow: a) count b) plot", "fmow: ; count ; plot"),
        ("within 5) km", "within 5) km"),
        ("the year 2018. Then 2019.", "the year 2018. Then 2019."),
    ],
)
def test_the_numbers_of_a_list_become_joints(text: str, plain: str) -> None:
    assert without_numbering(text) == plain


def test_politeness_is_no_part_of_a_want() -> None:
    assert without_openers("could you please zoom in") == "zoom in"


def test_only_and_without_choose_phrases_by_their_kind() -> None:
    clause = Clause("a b", 0, ())
    assert (clause.only("place"), clause.without("place")) == (clause, clause)

"""Which words of a request its steps account for."""

from __future__ import annotations

import pytest

from copilot.language.coverage import (
    NO_COVERAGE,
    Coverage,
    learned_coverage,
    names_passed_over,
    not_accounted_for,
    tokens_of,
    unread,
)
from copilot.language.frame import Frame, Literal, Pointer, Step
from copilot.language.view import Item
from tests.copilot.language.said import shown

PAIRS = [
    (("the", "median", "depth"), ("describe_table", 'function "median"')),
    (("the", "mean", "depth"), ("describe_table", 'function "mean"')),
    (("draw", "the", "slope"), ("slope",)),
    (("the", "steep", "slope"), ("slope",)),
    (("the", "median", "slope"), ("slope", 'function "median"')),
    (("draw", "the", "depth"), ("describe_table",)),
    (("the", "mean"), ('function "mean"',)),
]


def test_a_word_stands_for_what_is_done_wherever_it_is_said() -> None:
    learned = learned_coverage(PAIRS, rounds=20)
    assert max(learned.shares["median"], key=learned.shares["median"].__getitem__) == 'function "median"'
    assert max(learned.shares["slope"], key=learned.shares["slope"].__getitem__) == "slope"
    for shares in learned.shares.values():
        assert sum(shares.values()) == pytest.approx(1)


def test_what_was_said_once_is_not_known() -> None:
    learned = learned_coverage(PAIRS)
    assert ("slope" in learned.shares, "steep" in learned.shares) == (True, False)
    assert dict(learned.left(shown("steep Slopes"), (Step("slope"),)))["steep"] == 1
    assert dict(learned.left(shown("steep Slopes"), (Step("slope"),)))["Slopes"] < 1


def test_a_word_is_left_by_a_frame_that_does_not_do_what_it_stands_for() -> None:
    coverage = Coverage({"median": {'function "median"': 0.9, "": 0.1}, "of": {"": 1.0}})
    said = shown("median of depth by site")
    mean: Frame = (Step("aggregate", (("function", (Literal('"mean"'),)), ("column", (Pointer(2, 2),)))),)
    median: Frame = (Step("aggregate", (("function", (Literal('"median"'),)), ("column", (Pointer(2, 2),)))),)
    assert dict(coverage.left(said, mean)) == {"median": 0.9, "of": 0.0, "by": 1.0, "site": 1.0}
    assert dict(coverage.left(said, median))["median"] == pytest.approx(0)
    assert dict(NO_COVERAGE.left(said, median))["of"] == 1


def test_a_step_that_no_word_speaks_for_is_unsaid() -> None:
    coverage = Coverage(
        {"slope": {"slope": 0.8, "": 0.2}, "by": {"": 1.0}, "median": {'function "median"': 0.9}}
    )
    aggregate: Frame = (Step("aggregate", (("function", (Literal('"median"'),)),)),)
    assert coverage.unsaid(shown("slope by site"), (Step("slope"),)) == pytest.approx(0.2)
    assert coverage.unsaid(shown("slope by site"), (Step("slope"), Step("undo"))) == pytest.approx(1.2)
    assert coverage.unsaid(shown("the median by site"), aggregate) == pytest.approx(0.1)
    assert coverage.unsaid(shown("by site"), ()) == 0


def test_a_value_that_is_named_and_read_by_no_step_is_unread() -> None:
    said = shown("ships off Norway, May 2019, in red", Item("layer"), Item("ships", "ships"))
    nothing: Frame = (Step("db_count"),)
    assert unread(said, nothing) == ("ships", "Norway", "May 2019", "red")
    place = ("place", (Pointer(2, 2),))
    layer = ("layer", (Pointer(len(said.words) - 1, len(said.words) - 1),))
    read: Frame = (
        Step("filter_coords", (place,)),
        Step("style_layer", (layer, ("color", (Literal('"#f00"'),)))),
    )
    assert unread(said, read) == ("May 2019",)


def test_that_there_are_several_steps_is_something_that_words_can_say() -> None:
    assert tokens_of((Step("undo"),)) == ("undo",)
    assert tokens_of((Step("undo"), Step("redo", (("n", (Literal("2"),)),)))) == (
        "undo",
        "redo",
        "redo.n",
        "n 2",
        "steps",
    )


def test_a_named_value_is_left_out_unless_its_words_are_accounted_for() -> None:
    left = [("water", 0.1), ("Rotterdam", 0.9)]
    assert not_accounted_for(["water", "Rotterdam", "May 2018"], left) == ("Rotterdam", "May 2018")


def test_a_column_that_is_said_by_its_name_is_passed_over_where_no_call_has_it() -> None:
    said = shown("only those with yield_t over 7", Item("owner", "owner"), Item("yield_t", "yield_t"))
    assert names_passed_over(said, [{"field": "owner", "op": ">", "value": 7}]) == {"yield_t"}
    assert names_passed_over(said, [{"field": "yield_t", "op": ">", "value": 7}]) == frozenset()
    other = shown("only those over 7", Item("yield_t", "yield_t"))
    assert names_passed_over(other, [{"field": "owner"}]) == frozenset()

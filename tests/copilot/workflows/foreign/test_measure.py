"""How plans are measured."""

from __future__ import annotations

from difflib import SequenceMatcher

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from copilot.workflows.foreign.measure import folds, order_similarity, set_f1

Tools = st.lists(st.integers(0, 6), max_size=9)


def test_f1_counts_sets_and_order_counts_the_longest_common_subsequence() -> None:
    assert set_f1((1, 2, 3), (3, 2, 4)) == 2 / 3
    assert order_similarity((1, 2, 3), (3, 2, 4)) == 1 / 3
    assert order_similarity((1, 2, 3, 4), (1, 3, 4)) == 6 / 7


def test_nothing_planned_is_right_only_when_nothing_is_wanted() -> None:
    assert set_f1((), ()) == order_similarity((), ()) == 1.0
    assert set_f1((), (1,)) == order_similarity((), (1,)) == 0.0


@given(Tools, Tools)
def test_order_is_symmetric_and_no_less_than_the_longest_common_run(
    first: list[int], second: list[int]
) -> None:
    found = order_similarity(first, second)
    run = SequenceMatcher(None, first, second, autojunk=False).find_longest_match().size
    assert found == order_similarity(second, first) <= 1
    assert found * (len(first) + len(second)) >= 2 * run - 1e-9


@given(st.sets(st.integers(0, 9)), st.sets(st.integers(0, 9)))
def test_order_of_tools_that_come_once_is_never_above_f1(first: set[int], second: set[int]) -> None:
    assert order_similarity(sorted(first), sorted(second)[::-1]) <= set_f1(list(first), list(second))


def test_every_task_is_left_out_once() -> None:
    parts = folds(248, 8, seed=1)
    assert sorted(np.concatenate(parts)) == list(range(248)) and {len(part) for part in parts} == {31}

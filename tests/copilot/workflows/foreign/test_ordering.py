"""The order of tools, from what came before what."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from copilot.workflows.foreign.ordering import in_order, learn_places, spread_places


def ordered(chosen: Sequence[int], sequences: Sequence[Sequence[int]], tools: int = 6) -> tuple[int, ...]:
    places = learn_places(sequences, tools)
    return in_order(chosen, places, np.ones(len(sequences)))


@given(st.permutations(range(6)), st.sets(st.integers(0, 5), min_size=1))
def test_tools_stand_as_they_stood_in_the_only_known_task(known: list[int], chosen: set[int]) -> None:
    assert ordered(sorted(chosen), [known]) == tuple(tool for tool in known if tool in chosen)


@given(
    st.lists(st.permutations(range(6)), min_size=1, max_size=4),
    st.lists(st.integers(0, 5), min_size=1, max_size=9),
)
def test_each_chosen_tool_stands_once_whatever_the_order_it_was_chosen_in(
    known: list[list[int]], chosen: list[int]
) -> None:
    found = ordered(chosen, known)
    assert sorted(found) == sorted(set(chosen))
    assert found == ordered(chosen[::-1], known)


def test_the_nearer_task_decides_where_two_disagree() -> None:
    places = learn_places([(0, 1), (1, 0)], 2)
    assert in_order((0, 1), places, np.array([1.0, 0.1])) == (0, 1)
    assert in_order((0, 1), places, np.array([0.1, 1.0])) == (1, 0)


def test_tools_never_together_stand_by_where_they_stand_in_general() -> None:
    assert ordered((4, 1), [(1, 0, 2), (0, 2, 4), (1, 2), (2, 4)]) == (1, 4)


def test_a_tool_that_comes_twice_stands_where_it_came_first() -> None:
    assert learn_places([(0, 1, 0)], 2).places.tolist() == [[0.0, 1.0]]


def test_a_tool_of_another_list_stands_where_what_it_is_alike_to_stands() -> None:
    known = learn_places([(0, 1, 2), (0, 1, 2)], 3)
    lent = np.array([[0.0, 0.0, 1.0], [0.5, 0.2, 0.0]])
    there = spread_places(known, lent)
    assert there.places[:, 0].tolist() == [2.0, 2.0] and np.isnan(there.places[:, 1]).all()
    assert there.general[0] == pytest.approx(known.general[2], abs=0.01)
    assert in_order((0, 1), there, np.ones(2)) == (1, 0)

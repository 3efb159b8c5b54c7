"""The set whose expected F1 is highest."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from copilot.workflows.foreign.choosing import best_set

Chances = st.lists(st.floats(0.01, 0.99), min_size=1, max_size=7).map(np.array)


def expected_f1(chosen: tuple[int, ...], chances: np.ndarray) -> float:
    """Over all sets that could be wanted, by how likely each is."""
    total = 0.0
    for wanted in product((0, 1), repeat=len(chances)):
        likely = np.prod(np.where(wanted, chances, 1 - chances))
        total += likely * 2 * sum(wanted[tool] for tool in chosen) / (len(chosen) + sum(wanted))
    return float(total)


@given(Chances)
def test_the_set_is_made_of_the_likeliest(chances: np.ndarray) -> None:
    chosen = best_set(chances)
    left = [chance for tool, chance in enumerate(chances) if tool not in chosen]
    assert len(set(chosen)) == len(chosen) > 0
    assert not left or max(left) <= min(chances[list(chosen)])


@given(Chances)
def test_no_number_of_likeliest_tools_is_expected_to_do_much_better(chances: np.ndarray) -> None:
    order = np.argsort(-chances, kind="stable")
    best = max(expected_f1(tuple(order[:size]), chances) for size in range(1, len(chances) + 1))
    assert expected_f1(best_set(chances), chances) == pytest.approx(best, abs=0.1)


def test_certain_tools_are_chosen_and_no_other() -> None:
    assert best_set(np.array([0.0, 1.0, 0.01, 0.99])) == (1, 3)

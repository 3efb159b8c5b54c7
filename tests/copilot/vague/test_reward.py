"""The unified reward, as published."""

from __future__ import annotations

import math

import pytest

from copilot.vague.reward import NoForm, reward


@pytest.mark.parametrize(
    ("answer", "reference", "earned"),
    [
        (4, 4, 1.0),
        (0, 0, 1.0),
        (5, 4, math.exp(-0.75)),
        (6, 4, math.exp(-1.5)),
        (7, 4, 0.0),
        (0, 4, 0.0),
        (1, 0, 0.0),
        (None, 4, 0.0),
        (["4"], 4, 0.0),
    ],
)
def test_a_number_earns_by_its_relative_error(answer, reference, earned):
    assert reward(answer, reference) == pytest.approx(earned)


@pytest.mark.parametrize(
    ("answer", "earned"),
    [(["Water", "ship"], 1.0), (["ship", "plane"], 0.5), (["plane"], 0.0), ([], 0.0), (3, 0.0)],
)
def test_labels_earn_by_how_many_were_named(answer, earned):
    assert reward(answer, ["water", "ship"]) == earned


def test_boxes_earn_by_the_best_matching_over_the_number_of_references():
    right = [[0, 0, 10, 10], [20, 0, 30, 10]]
    assert reward(right[::-1], right) == pytest.approx(1.0)
    assert reward([[0, 0, 10, 5]], right) == pytest.approx(0.25)
    assert reward([[0, 0, 10, 10], [0, 0, 10, 10]], right) == pytest.approx(0.5)
    assert reward([[40, 40, 50, 50]], right) == 0.0


def test_a_reference_of_no_form_is_a_sentence():
    with pytest.raises(NoForm, match="has no form to grade by"):
        reward(1, {"a": 1})

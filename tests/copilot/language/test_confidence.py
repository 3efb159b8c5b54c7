"""How probable it is that a reading is right."""

from __future__ import annotations

import math

import pytest

from copilot.language.confidence import FEATURES, UNFITTED, Confidence, features_of
from copilot.language.decoding import Scored
from copilot.language.frame import Step
from copilot.language.learning.confidence import Turned, curve, fitted
from copilot.language.view import Item
from tests.copilot.language.said import shown

SCORED = (Scored((Step("undo"),), -0.5, -0.4), Scored((Step("undo"), Step("redo")), -2.0, -1.5))


def test_the_features_are_those_of_one_of_the_frames() -> None:
    said = shown("take that back", Item("before: zoom"))
    found = dict(
        zip(FEATURES, features_of(said, SCORED, 1, [("take", 0.2), ("back", 0.7)], ["x"]), strict=True)
    )
    assert found == {
        "log_probability": -2.0,
        "least": -1.5,
        "margin": -1.5,
        "rank": 1.0,
        "steps": 2.0,
        "words": 3.0,
        "left": pytest.approx(0.9),
        "most_left": 0.7,
        "alone": 0.0,
        "unread": 1.0,
    }
    only = dict(zip(FEATURES, features_of(shown("undo"), SCORED[:1], 0, [], []), strict=True))
    assert (only["margin"], only["most_left"], only["alone"]) == (5.0, 0.0, 1.0)


def test_a_probability_is_between_nothing_and_one_whatever_the_features() -> None:
    assert UNFITTED.of((0.0,) * len(FEATURES)) == 0.5
    assert 0 < UNFITTED.of((-1e9,) * len(FEATURES)) < 1e-12
    assert UNFITTED.least == 0


def test_what_is_fitted_tells_right_turns_from_wrong_ones_and_does_those_that_pay() -> None:
    def turned(likely: float, *, right: bool) -> Turned:
        return Turned((likely, *(0.0,) * (len(FEATURES) - 1)), right, not right)

    seen = [turned(-n / 20, right=n < 25) for n in range(40)]
    confidence = fitted(seen)
    assert confidence.of(seen[0].features) > 0.9 > 0.1 > confidence.of(seen[-1].features)
    assert [each.right for each in seen if confidence.of(each.features) >= confidence.least] == [True] * 25
    *_, last = curve(seen, confidence)
    assert last.startswith("100% done: 62.5% right, 37.5% silently wrong")


def test_the_logistic_function_is_that_of_the_weights() -> None:
    one = Confidence((2.0, *(0.0,) * (len(FEATURES) - 1)), -1.0)
    assert one.of((0.75, *(0.0,) * (len(FEATURES) - 1))) == pytest.approx(1 / (1 + math.exp(-0.5)))

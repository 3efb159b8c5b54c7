"""How probable it is that a reading is right."""

from __future__ import annotations

import math

import pytest

from copilot.language.confidence import FEATURES, UNFITTED, Confidence, features_of
from copilot.language.decoding import Scored
from copilot.language.frame import Step
from copilot.language.learning.confidence import ALL, LIKELIHOOD, Judged, curve, fitted, surest, validated
from copilot.language.view import Item
from tests.copilot.language.said import shown

SCORED = (Scored((Step("undo"),), -0.5, -0.4), Scored((Step("undo"), Step("redo")), -2.0, -1.5, 0.5, 0.8))


def test_the_features_are_those_of_one_of_the_frames() -> None:
    said = shown("take that back", Item("before: zoom"))
    found = dict(
        zip(FEATURES, features_of(said, SCORED, 1, [("take", 0.2), ("back", 0.7)], ["x"], 0.5), strict=True)
    )
    assert found == {
        "log_probability": -2.0,
        "probability": pytest.approx(0.1353, abs=1e-4),
        "least": -1.5,
        "margin": -1.5,
        "rank": 1.0,
        "steps": 2.0,
        "words": 3.0,
        "left": pytest.approx(0.9),
        "most_left": 0.7,
        "alone": 0.0,
        "unread": 1.0,
        "agreement": 0.5,
        "nearest": 0.8,
        "unsaid": 0.5,
    }
    only = dict(zip(FEATURES, features_of(shown("undo"), SCORED[:1], 0, [], [], 0.0), strict=True))
    assert (only["margin"], only["most_left"], only["alone"]) == (5.0, 0.0, 1.0)


def test_a_probability_is_between_nothing_and_one_whatever_the_features() -> None:
    assert UNFITTED.of((0.0,) * len(FEATURES)) == 0.5
    assert 0 < UNFITTED.of((-1e9,) * len(FEATURES)) < 1e-12
    assert UNFITTED.least == 0


def reading(likely: float, *, right: bool, left: float = 0.0) -> Judged:
    known = {"log_probability": likely, "probability": math.exp(likely), "left": left}
    return Judged(tuple(known.get(name, 0.0) for name in FEATURES), right, not right)


def test_what_is_fitted_tells_right_readings_from_wrong_ones_and_does_those_that_pay() -> None:
    turns = [(reading(-n / 20, right=n < 25),) for n in range(40)]
    confidence = fitted(turns)
    (first,), (last,) = turns[0], turns[-1]
    assert confidence.of(first.features) > 0.9 > 0.1 > confidence.of(last.features)
    done = surest(turns, confidence)
    assert [each.right for sure, each in done if sure >= confidence.least] == [True] * 25
    *_, whole = curve(done, len(turns))
    assert whole.startswith("100% done: 62.5% right, 37.5% silently wrong")


def test_a_reading_that_leaves_words_over_loses_to_one_that_leaves_none() -> None:
    turns = [
        (reading(-n / 20, right=False, left=1.0), reading(-n / 20 - 0.3, right=True), *rest)
        for n, rest in enumerate([()] * 30 + [(reading(-3.0, right=False, left=0.5),)] * 10)
    ]
    assert [each.right for _, each in surest(turns, UNFITTED)] == [False] * 40
    assert [each.right for _, each in surest(turns, fitted(turns))] == [True] * 40
    assert [each.right for _, each in validated(turns, ALL)] == [True] * 40
    assert not all(each.right for _, each in validated(turns, LIKELIHOOD))


def test_the_logistic_function_is_that_of_the_weights() -> None:
    one = Confidence((2.0, *(0.0,) * (len(FEATURES) - 1)), -1.0)
    assert one.of((0.75, *(0.0,) * (len(FEATURES) - 1))) == pytest.approx(1 / (1 + math.exp(-0.5)))

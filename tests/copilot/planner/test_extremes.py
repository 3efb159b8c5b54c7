"""Which end of a comparison is asked for."""

from __future__ import annotations

import pytest

from copilot.planner.extremes import extreme_asked


@pytest.mark.parametrize(
    ("said", "asked"),
    [
        ("ships in Malta and Singapore, which has fewer?", "fewest"),
        ("who has the least images", "fewest"),
        ("which data set is the smallest?", "fewest"),
        ("which year has the lowest count", "fewest"),
        ("and the fewest?", "fewest"),
        ("what is the rarest class", "fewest"),
        ("which of them is bigger?", "most"),
        ("the most?", "most"),
        ("most common class", "most"),
        ("which images have more than 10 ships?", None),
        ("which is the most recent image?", None),
        ("less than 10 % cloud", None),
        ("at least 5 ships in Malta", None),
    ],
)
def test_a_question_asks_for_the_most_or_the_fewest(said: str, asked: str | None) -> None:
    assert extreme_asked(said) == asked

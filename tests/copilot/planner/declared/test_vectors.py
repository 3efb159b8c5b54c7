"""What is said of features names its tool, and the tool's arguments."""

from datetime import date

import pytest

from copilot.planner.declared.idioms.vectors import IDIOMS, told, unfolded
from copilot.planner.declared.things import Thing

DAY = date(2024, 6, 15)
HERE = [
    Thing("vector", "vector-1a2b3c", "harbours", frozenset({"harbour"})),
    Thing("vector", "drawing-1", "Alpha", frozenset({"alpha"}), drawn=True, shape="polygon"),
    Thing("vector", "drawing-2", "Bravo", frozenset({"bravo"}), drawn=True, shape="polygon"),
]


@pytest.mark.parametrize(
    ("text", "tool"),
    [
        ("what do Alpha and Bravo have in common", "intersection"),
        ("cut Bravo off from Alpha", "difference"),
        ("make Alpha and Bravo one shape", "union"),
        ("which harbours lie in Alpha", "spatial_join"),
        ("which harbour is closest to Alpha", "nearest"),
        ("show Alpha on the map", None),
    ],
)
def test_a_geometric_word_about_features_that_are_here_tells_the_tool(text: str, tool: str | None) -> None:
    assert told(text, HERE) == tool


def test_smaller_is_a_negative_distance() -> None:
    assert IDIOMS["buffer"]("shrink the box by 2 km", DAY) == {"distance_m": -2000.0}


def test_a_zone_that_is_said_within_a_step_is_made_first() -> None:
    assert unfolded(["clip the fields to a 50 m belt around the river"]) == [
        "buffer the river by 50 m",
        "clip the fields to the buffer",
    ]

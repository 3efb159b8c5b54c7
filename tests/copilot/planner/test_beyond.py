"""What no tool does is said."""

from __future__ import annotations

import pytest

from copilot.engine import Engine
from copilot.planner.beyond import is_all_of_it, missing_source, undoable
from copilot.planner.clauses import Clause
from tests.copilot.planner.asked import situation


def clause(text: str) -> Clause:
    """A clause in which nothing is named."""
    return Clause(text, 0, ())


@pytest.mark.parametrize(
    "text", ["predict tomorrow's fires", "delete all images of Berlin", "detect ships in it"]
)
def test_a_clause_with_an_impossible_verb_is_undoable_as_a_whole(text: str) -> None:
    assert undoable(clause(text)) is not None
    assert is_all_of_it(clause(text))


@pytest.mark.parametrize("text", ["delete the layer", "show ships near Rome", "clear the filters"])
def test_what_a_tool_does_is_not_refused(text: str) -> None:
    assert undoable(clause(text)) is None


def test_a_video_is_only_a_part_of_what_is_wanted() -> None:
    assert undoable(clause("show it as a video")) is not None
    assert not is_all_of_it(clause("show it as a video"))


def test_a_sensor_that_the_catalogue_lacks_is_named_with_those_it_has(engine: Engine) -> None:
    reason = missing_source(clause("thermal images of Kenya"), situation(engine))
    assert reason is not None and reason.startswith("The catalogue holds no thermal images.")

"""A term of the field names its tool."""

import pytest

from copilot.planner.declared.idioms.statistics import told, with_its_term


@pytest.mark.parametrize(
    ("text", "tool"),
    [
        ("a box plot of gsd by sensor", "box_figure"),
        ("is there a trend in the ship counts", "trend"),
        ("spearman for gsd and cloud", "correlation"),
        ("the table as an excel file", "export_xlsx"),
        ("open the excel file", None),
        ("how many ships are there", None),
    ],
)
def test_a_term_of_the_field_tells_the_tool(text: str, tool: str | None) -> None:
    assert told(text) == tool


def test_a_bare_term_belongs_to_the_question_before_it() -> None:
    assert with_its_term(["are near scenes alike", "moran please"]) == ["are near scenes alike, moran please"]
    assert with_its_term(["show the ships", "moran please"]) == ["show the ships", "moran please"]

"""Of several tables or charts that are here, a request brings back the one that it names."""

from __future__ import annotations

import pytest

from copilot.engine import Engine
from copilot.session import Session


@pytest.mark.parametrize(
    ("request_", "tool", "number"),
    [
        ("Go back to the bar chart, please, not the pie", "show_figure", 0),
        ("figure panel: bars instead of the pie", "show_figure", 0),
        ("put the first of the two charts back into the figure panel", "show_figure", 0),
        ("show the pie again", "show_figure", 1),
        ("Show the first of the two tables again, the count by sensor", "show_table", 2),
        ("bring the earlier table back", "show_table", 2),
        ("the table by year again, please", "show_table", 3),
    ],
)
def test_the_one_that_is_named_is_shown(request_: str, tool: str, number: int, engine: Engine) -> None:
    session = _with_two_of_each(engine)
    wanted = session.state.artifacts[number].id
    calls = [(call.tool, dict(call.args)) for call in session.ask(request_).calls]
    assert calls == [(tool, {tool.removeprefix("show_"): wanted})]


def test_a_chart_of_another_selection_is_made_anew(engine: Engine) -> None:
    session = _with_two_of_each(engine)
    assert "bar_figure" in [
        call.tool for call in session.ask("only 2019, and the bar chart by year again").calls
    ]


def _with_two_of_each(engine: Engine) -> Session:
    session = Session.open(engine=engine)
    for tool, args in (
        ("db_load", {"names": ["fmow"]}),
        ("bar_figure", {"by": "year"}),
        ("pie_figure", {"by": "sensor"}),
        ("group_count", {"by": "sensor"}),
        ("group_count", {"by": "year"}),
    ):
        assert session.call_tool(tool, args).ok
    return session

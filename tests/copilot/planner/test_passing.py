"""What a request says in passing is done too, and one selection is plotted once."""

from __future__ import annotations

import pytest

from copilot.engine import Engine
from copilot.planner.cases import known_cases
from copilot.planner.head import Head
from copilot.planner.plan import Planner
from tests.copilot.planner.asked import situation


def tools(engine: Engine, request: str) -> list[str]:
    """The calls that the rules plan, without the worked cases."""
    rules = Planner(Head.load(), known_cases().without(intents=known_cases().intents))
    return [call.tool for call in rules.plan(request, situation(engine)).calls]


@pytest.mark.parametrize(
    ("request_", "wanted"),
    [
        ("Show fair1m ships near Lisbon as points on a dark base", {"scatter_plot", "set_basemap"}),
        ("Plot fair1m ships as clusters with a graticule", {"cluster_plot", "toggle_control"}),
        (
            "Show fair1m ships as points with the view fitted to the selection",
            {"scatter_plot", "fit_selection"},
        ),
    ],
)
def test_a_base_map_a_control_and_the_camera_said_in_passing_are_done(
    engine: Engine, request_: str, wanted: set[str]
):
    assert wanted <= set(tools(engine, request_))


def test_the_default_clusters_give_way_to_the_kind_that_is_named(engine: Engine):
    planned = tools(engine, "Show fair1m ships near Lisbon. Plot the detection boxes.")
    assert ("cluster_plot" in planned, "detection_plot" in planned) == (False, True)


def test_a_second_kind_that_is_wanted_as_well_comes_beside_the_first(engine: Engine):
    planned = tools(engine, "Show fair1m ships near Lisbon; a heat map as well")
    assert {"cluster_plot", "heatmap_plot"} <= set(planned)

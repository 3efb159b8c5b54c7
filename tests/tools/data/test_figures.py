"""Figures as Plotly JSON."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import plotly.io
import pytest

from state.model import State
from tests.tools.world import after, run
from tools.base import World
from tools.data.figures import bar_figure, histogram_figure, line_figure, pie_figure, scatter_figure
from tools.data.summaries import group_count
from tools.database.dates import filter_date
from tools.database.reading import db_count, db_sql


def drawn(world: World, figure_id: str) -> dict[str, Any]:
    path = world.artifacts.find(figure_id)
    assert isinstance(path, Path)
    plotly.io.from_json(path.read_text())  # a figure that Plotly accepts
    found: dict[str, Any] = json.loads(path.read_text())
    return found


def test_bars_show_the_counts_and_say_that_the_data_is_a_sample(world: World, full: State) -> None:
    step = run(world, full, bar_figure, by="dataset", top=2)
    figure = drawn(world, step.data["figure"])
    assert (figure["data"][0]["x"], figure["data"][0]["y"]) == (["xview1", "bigearthnet"], [7, 5])
    assert figure["layout"]["title"] == {
        "text": "Images by dataset",
        "subtitle": {
            "text": "bigearthnet, fair1m, fmow, xview1 and xview3"
            " · Sample data: generated positions and labels · The bars are the 2 largest of 5"
        },
    }
    assert (step.state.ui.figure, step.state.ui.panels) == (step.data["figure"], ("figure",))
    assert step.data["groups"] == [{"key": "xview1", "count": 7}, {"key": "bigearthnet", "count": 5}]
    assert step.state.artifacts[0].made_by == "bar_figure(by=dataset, top=2)"


def test_words_bars_pie_and_count_leave_as_many_groups_unnamed(world: World, full: State) -> None:
    count = run(world, full, db_count, by="class", unit="detections")
    there = len(count.data["groups"])
    bars = run(world, full, bar_figure, by="class", unit="detections", top=10)
    pie = run(world, full, pie_figure, by="class", unit="detections", top=9)
    more = f" and {there - 8} more."
    assert there > 10 and more in count.observation
    assert f"{more} The bars are the 10 largest of {there}." in bars.observation
    assert f"{more} The slices beside other are the 9 largest of {there}." in pie.observation


def test_bars_of_a_mean_name_its_unit(world: World, full: State) -> None:
    step = run(world, full, bar_figure, by="sensor", field="cloud_pct", function="mean")
    figure = drawn(world, step.data["figure"])
    assert figure["layout"]["yaxis"]["title"]["text"] == "mean of cloud cover (%)"
    assert figure["data"][0]["x"][0] == "WorldView-3"


def test_bars_of_a_table_of_counts_show_its_counts(world: World, full: State) -> None:
    state = run(world, full, group_count, by="class", unit="detections").state
    step = run(world, state, bar_figure, by="class", table=state.artifacts[0].id)
    assert step.data["groups"][:2] == [{"key": "Building", "count": 16}, {"key": "Small Car", "count": 16}]


def test_a_line_over_months_has_no_gaps(world: World, full: State) -> None:
    state = after(world, full, (filter_date, {"start": "2019-06", "end": "2020-03"}))
    step = run(world, state, line_figure)
    figure = drawn(world, step.data["figure"])
    assert figure["data"][0]["x"] == [
        "2019-08", "2019-09", "2019-10", "2019-11", "2019-12", "2020-01", "2020-02", "2020-03",
    ]  # fmt: skip
    assert figure["data"][0]["y"] == [1, 0, 0, 1, 0, 1, 0, 1]


def test_a_pie_gathers_what_is_beyond_its_slices(world: World, full: State) -> None:
    step = run(world, full, pie_figure, by="dataset", top=2)
    assert step.data["groups"] == [
        {"key": "xview1", "count": 7},
        {"key": "bigearthnet", "count": 5},
        {"key": "other", "count": 14},
    ]


def test_a_histogram_counts_every_value_once(world: World, full: State) -> None:
    step = run(world, full, histogram_figure, field="cloud_pct", bins=7)
    assert sum(each["count"] for each in step.data["bins"]) == 22
    assert (step.data["bins"][0]["from"], step.data["bins"][-1]["to"]) == (0.0, 70.0)
    assert step.observation.startswith(
        "Histogram of cloud_pct: 22 values from 0 to 70, mean 17.28, in 7 bins."
    )


def test_a_scatter_pairs_what_both_columns_have(world: World, full: State) -> None:
    step = run(world, full, scatter_figure, x="cloud_pct", y="detections")
    assert (step.data["pairs"], step.data["shown"]) == (22, 22)
    assert len(drawn(world, step.data["figure"])["data"][0]["x"]) == 22


def test_names_are_text_and_never_markup(world: World) -> None:
    sql = "SELECT '<b onclick=x>&' AS label, 3 AS count FROM images LIMIT 1"
    state = run(world, State(), db_sql, sql=sql).state
    step = run(world, state, bar_figure, by="label", table=state.artifacts[0].id)
    assert drawn(world, step.data["figure"])["data"][0]["x"] == ["&lt;b onclick=x&gt;&amp;"]
    assert step.data["groups"] == [{"key": "<b onclick=x>&", "count": 3}]


@pytest.mark.parametrize(
    ("args", "words"),
    [
        ({"by": "colour"}, "No column or property is called 'colour'."),
        ({"by": "sensor", "function": "mean"}, "needs a field of numbers"),
    ],
)
def test_what_cannot_be_drawn_is_one_sentence(
    world: World, full: State, args: dict[str, str], words: str
) -> None:
    step = run(world, full, bar_figure, **args)
    assert step.failed and step.state == full and words in step.observation


def test_an_empty_selection_draws_nothing(world: World, full: State) -> None:
    state = after(world, full, (filter_date, {"start": "1999", "end": "1999"}))
    for tool, args in (
        (bar_figure, {"by": "class"}),
        (histogram_figure, {"field": "gsd_m"}),
        (line_figure, {}),
    ):
        step = run(world, state, tool, **args)
        assert step.failed and step.observation.startswith("There is nothing to draw")

"""Box plots."""

from __future__ import annotations

import numpy as np
import pytest

from state.model import State
from tests.tools.data.made import TABLE, columns, having
from tests.tools.data.test_figures import drawn
from tests.tools.world import after, run
from tools.base import World
from tools.data.boxes import box_figure
from tools.database.dates import filter_date


def test_a_box_has_numpys_quartiles_and_tukeys_whiskers(world: World) -> None:
    values = [1.0, 2, 3, 4, 4, 5, 7, 30]
    frame = columns(kind=["a"] * 8 + ["b", None], v=[*values, 5.0, 9.0])
    step = run(world, having(world, frame), box_figure, field="v", by="kind", table=TABLE)
    [box] = drawn(world, step.data["figure"])["data"]
    assert box["x"] == ["a", "b", "no value"]
    assert [box["q1"][0], box["median"][0], box["q3"][0]] == np.percentile(values, [25, 50, 75]).tolist()
    assert (box["lowerfence"][0], box["upperfence"][0]) == (1.0, 7.0)
    assert step.data["boxes"][0] == {
        "key": "a", "count": 8, "low": 1.0, "q1": 2.75, "median": 4.0, "q3": 5.5, "high": 7.0, "mean": 7.0,
        "outside": 1,
    }  # fmt: skip


def test_the_selections_boxes_are_drawn_by_year_and_named_with_their_unit(world: World, full: State) -> None:
    step = run(world, full, box_figure, field="cloud_pct", by="dataset")
    figure = drawn(world, step.data["figure"])
    assert figure["layout"]["yaxis"]["title"]["text"] == "cloud cover (%)"
    assert sorted(figure["data"][0]["x"]) == ["bigearthnet", "fair1m", "fmow", "xview1"]  # SAR has no clouds
    assert step.state.ui.figure == step.data["figure"]


@pytest.mark.parametrize("by", [None, "year"])
def test_nothing_to_draw_is_told(world: World, full: State, by: str | None) -> None:
    state = after(world, full, (filter_date, {"start": "1990-01-01", "end": "1990-12-31"}))
    assert "There is nothing to draw" in run(world, state, box_figure, field="cloud_pct", by=by).observation

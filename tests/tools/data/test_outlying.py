"""Outliers by quartiles, mean and median."""

from __future__ import annotations

import pandas as pd
import pytest

from state.model import State
from tests.tools.data.made import TABLE, columns, having
from tests.tools.data.test_summaries import read
from tests.tools.world import run
from tools.base import World
from tools.data.outlying import outliers

VALUES = columns(name=list("abcdefgh"), v=[1.0, 2, 3, 4, 4, 5, 7, 30])


def test_tukeys_fences_are_those_worked_by_hand(world: World) -> None:
    step = run(world, having(world, VALUES), outliers, field="v", table=TABLE)
    first, third = 2.75, 5.5  # linear between the second and third, and the sixth and seventh value
    assert (step.data["low"], step.data["high"]) == (first - 1.5 * 2.75, third + 1.5 * 2.75)
    assert read(world, step.data["table"]).values.tolist() == [["h", 30.0, pytest.approx((30 - 5.5) / 2.75)]]
    assert "1 outlier of 8 values of v" in step.observation and "h 30" in step.observation


def test_two_outliers_that_hide_each_other_from_the_mean_are_found_by_the_median(world: World) -> None:
    frame = columns(v=[2.1, 2.6, 2.4, 2.5, 2.3, 2.1, 2.3, 2.6, 8.2, 8.3])
    step = run(world, having(world, frame), outliers, field="v", method="mad", table=TABLE)
    # Median 2.45, deviations' median 0.15: scores 0.6745 (8.2 - 2.45) / 0.15 and of 8.3.
    assert read(world, step.data["table"]).values.tolist() == [
        [8.3, pytest.approx(0.6745 * 5.85 / 0.15)], [8.2, pytest.approx(0.6745 * 5.75 / 0.15)],
    ]  # fmt: skip


def test_standard_deviations_are_of_the_sample(world: World) -> None:
    step = run(world, having(world, VALUES), outliers, field="v", method="zscore", limit=2, table=TABLE)
    spread, mean = VALUES["v"].std(), VALUES["v"].mean()
    assert read(world, step.data["table"])["score"].tolist() == [pytest.approx((30 - mean) / spread)]
    assert step.data["high"] == pytest.approx(mean + 2 * spread)


def test_where_all_but_one_are_the_same_the_one_is_found(world: World) -> None:
    frame = columns(v=[3.0, 3, 3, 3, None, 4])
    for method in ("iqr", "mad"):
        step = run(world, having(world, frame), outliers, field="v", method=method, table=TABLE)
        assert (read(world, step.data["table"])["v"].tolist(), step.data["values"]) == ([4.0], 5)


def test_the_selections_rows_keep_their_columns(world: World, full: State) -> None:
    step = run(world, full, outliers, field="gsd_m", method="zscore", limit=1.2)
    assert set(read(world, step.data["table"])["dataset"]) == {"bigearthnet", "xview3"}


@pytest.mark.parametrize(
    ("frame", "said"),
    [(columns(v=pd.Series([], dtype=float)), "nothing to look at"), (columns(v=[1.0]), "too few rows"),
     (columns(v=["a", "b"]), "no numbers"), (columns(v=[1e308, -1e308, 0, 0, 1e307]), "too large")],
)  # fmt: skip
def test_too_little_or_too_large_is_told(world: World, frame: pd.DataFrame, said: str) -> None:
    step = run(world, having(world, frame), outliers, field="v", table=TABLE)
    assert step.failed and said in step.observation, step.observation

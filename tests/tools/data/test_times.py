"""Regular steps, trends and seasons, against closed forms and other libraries."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from state.model import State
from tests.tools.data.made import TABLE, columns, having
from tests.tools.data.test_summaries import read
from tests.tools.world import after, run
from tools.base import World
from tools.data.summaries import group_count
from tools.data.times import resample_time, seasonality, trend
from tools.database.dates import filter_date

DAYS = columns(
    when=pd.to_datetime(["2020-01-30", "2020-02-02", "2020-02-03", "2020-05-01", None]),
    cloud=[10.0, 20, 40, None, 99],
)


@pytest.mark.parametrize(
    ("args", "expected"),
    [
        ({}, [["2020-01", 1, 1], ["2020-02", 2, 2], ["2020-03", 0, 0], ["2020-04", 0, 0], ["2020-05", 1, 1]]),
        ({"by": "year"}, [["2020", 4, 4]]),
        ({"by": "quarter"}, [["2020-Q1", 3, 3], ["2020-Q2", 1, 1]]),
        ({"field": "cloud"}, [["2020-01", 10, 1], ["2020-02", 30, 2]]),
        ({"field": "cloud", "function": "max", "by": "week"}, [["2020-01-27", 20, 2], ["2020-02-03", 40, 1]]),
    ],
)
def test_times_come_to_regular_steps(world: World, args: dict[str, Any], expected: list[list[Any]]) -> None:
    step = run(world, having(world, DAYS), resample_time, table=TABLE, **args)
    assert not step.failed, step.observation
    assert read(world, step.data["table"]).iloc[:, 1:].values.tolist() == expected


@pytest.mark.parametrize(
    ("gaps", "expected"), [("missing", [1, None, 4]), ("zero", [1, 0, 4]), ("interpolate", [1, 2.5, 4])]
)
def test_a_step_without_rows_is_filled_as_asked(
    world: World, gaps: str, expected: list[float | None]
) -> None:
    frame = columns(month=["2020-01", "2020-03"], v=[1.0, 4.0])
    step = run(world, having(world, frame), resample_time, field="v", gaps=gaps, table=TABLE)
    found = [None if pd.isna(each) else each for each in read(world, step.data["table"])["value"]]
    assert (found, step.data["empty"]) == (expected, 1)


def test_the_selections_months_are_those_that_counting_gives(world: World, full: State) -> None:
    counted = run(world, full, group_count, by="month").data["groups"]
    step = run(world, full, resample_time)
    table = read(world, step.data["table"])
    assert {row["key"]: row["count"] for row in counted} == {
        month: n for month, n in zip(table["month"], table["value"], strict=True) if n
    }


def test_a_table_of_counts_is_followed_and_not_counted_again(world: World, full: State) -> None:
    state = run(world, full, group_count, by="year").state
    step = run(world, state, trend, table=state.artifacts[0].id)
    direct = run(world, full, trend, by="year")
    assert {key: step.data[key] for key in ("p", "tau", "sen_slope", "ols_slope")} == {
        key: direct.data[key] for key in ("p", "tau", "sen_slope", "ols_slope")
    }


def test_mann_kendall_and_sens_slope_are_those_worked_by_hand(world: World) -> None:
    frame = columns(year=[2001, 2002, 2003, 2004], v=[10.0, 15, 14, 20])
    step = run(world, having(world, frame), trend, field="v", table=TABLE)
    # S = 4, Var(S) = 4·3·13/18, z = (S − 1)/sqrt(Var), tau = S/6; the slopes 5, 2, 10/3, −1, 2.5 and 6 have
    # the median 35/12.
    z = 3 / np.sqrt(4 * 3 * 13 / 18)
    assert step.data["tau"] == pytest.approx(4 / 6)
    assert step.data["z"] == pytest.approx(z)
    assert step.data["p"] == pytest.approx(2 * stats.norm.sf(z))
    assert step.data["sen_slope"] == pytest.approx(35 / 12)
    assert (step.data["by"], step.data["direction"]) == ("year", "no trend")


def test_slopes_with_gaps_in_time_are_those_of_scipy_on_the_true_times(world: World) -> None:
    random = np.random.default_rng(7)
    months = np.sort(random.choice(60, 30, replace=False))
    values = 0.3 * months + random.normal(0, 2, 30)
    times = pd.period_range("2015-01", periods=60, freq="M")[months].to_timestamp()
    step = run(world, having(world, columns(when=times, v=values)), trend, field="v", table=TABLE)
    steps = months - months[0]
    slope, _, _, _ = stats.theilslopes(values, steps)
    line = np.polyfit(steps, values, 1)
    assert step.data["sen_slope"] == pytest.approx(slope, rel=1e-9)
    assert step.data["sen_slope_per_year"] == pytest.approx(12 * slope, rel=1e-9)
    assert [step.data["ols_slope"], step.data["ols_intercept"]] == pytest.approx(line.tolist(), rel=1e-9)
    tau = stats.kendalltau(steps, values)
    assert step.data["tau"] == pytest.approx(tau.statistic, rel=1e-9)
    assert step.data["direction"] == "increasing" and "rises" in step.observation
    table = read(world, step.data["table"])
    assert table["ols_line"].iloc[0] == pytest.approx(line[1], rel=1e-9)


def test_a_constant_course_has_no_trend_and_no_season(world: World) -> None:
    times = pd.date_range("2015-01-01", periods=36, freq="MS")
    state = having(world, columns(when=times, v=[5.0] * 36))
    flat = run(world, state, trend, field="v", table=TABLE)
    assert (flat.data["direction"], flat.data["p"], flat.data["sen_slope"]) == ("no trend", 1.0, 0.0)
    still = run(world, state, seasonality, field="v", table=TABLE)
    assert (still.data["seasonal_strength"], still.data["trend_strength"]) == (0.0, 0.0)


def test_a_pure_season_on_a_line_is_found_whole(world: World) -> None:
    times = pd.date_range("2015-01-01", periods=72, freq="MS")
    wave = 10 * np.sin(2 * np.pi * (np.arange(72) % 12) / 12)
    state = having(world, columns(when=times, v=100 + 0.5 * np.arange(72) + wave))
    step = run(world, state, seasonality, field="v", table=TABLE)
    assert step.data["seasonal_strength"] > 0.999 and step.data["trend_strength"] > 0.999
    assert (step.data["highest"], step.data["lowest"]) == ("April", "October")
    assert [each["value"] for each in step.data["effects"]] == pytest.approx(wave[:12].tolist(), abs=0.35)
    table = read(world, step.data["table"])
    whole = table["trend"] + table["season"] + table["remainder"]
    assert whole.tolist() == pytest.approx(table["value"].tolist())


def test_noise_has_hardly_a_season(world: World) -> None:
    times = pd.date_range("2000-01-01", periods=240, freq="MS")
    noise = np.random.default_rng(1).normal(size=240)
    step = run(world, having(world, columns(when=times, v=noise)), seasonality, field="v", table=TABLE)
    assert step.data["seasonal_strength"] < 0.5


@pytest.mark.parametrize(
    ("frame", "args", "said"),
    [
        (columns(month=["2020-01"], v=[1.0]), {"field": "v"}, "too few rows to find a trend in: 1"),
        (columns(a=[1, 2]), {}, "no column of times"),
        (columns(time=["soon", "later"]), {}, "holds no times"),
        (columns(time=pd.to_datetime([])), {}, "nothing to follow over time"),
        (columns(time=["2020", "2021"], v=["x", "y"]), {"field": "v"}, "no numbers"),
    ],
)
def test_what_has_no_course_is_told_so(
    world: World, frame: pd.DataFrame, args: dict[str, Any], said: str
) -> None:
    step = run(world, having(world, frame), trend, table=TABLE, **args)
    assert step.failed and said in step.observation, step.observation


def test_an_empty_selection_has_no_course(world: World, full: State) -> None:
    state = after(world, full, (filter_date, {"start": "1990-01-01", "end": "1990-12-31"}))
    assert "nothing to follow over time" in run(world, state, trend).observation

"""Statistics over time: regular steps, the trend, the season."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np
import pandas as pd
from pydantic import Field

from state.model import State
from tools.artifacts import Call
from tools.base import Step, ToolError, World, tool
from tools.data.computed import need_rows, rounded, rounded_all
from tools.data.series import (
    STEPS_A_YEAR,
    Course,
    Every,
    Gaps,
    Reduction,
    TimeColumn,
    Value,
    course_of,
    label_of,
)  # fmt: skip
from tools.data.summaries import TableOrSelection
from tools.phrases import number, number_of
from tools.tables import plain_value, rows_in_words, table_step

SEASON_STEPS = {"day": 7, "week": 52, "month": 12, "quarter": 4}
SIGNIFICANT = 0.05


@tool("data", changes_state=True, gives=("table",))
def resample_time(
    state: State,
    world: World,
    *,
    by: Every = None,
    field: Value = None,
    function: Reduction = "mean",
    gaps: Annotated[
        Gaps | None,
        Field(description="Steps without rows: zero, missing, or interpolated between neighbours."),
    ] = None,
    time: TimeColumn = None,
    table: TableOrSelection = None,
) -> Step:
    """Bring a table or the selection to regular steps in time: a value for each day, week, month and so on.

    Times are UTC; a week begins on Monday. A step without rows is 0 in a count or a sum and missing
    otherwise, unless `gaps` says another.

    Example: copilot call resample_time by=quarter field=cloud_pct function=mean

    Asked as: monthly averages of the cloud cover | turn the dates into weekly counts | resample to quarters |
    one value per year | make a regular time series | daily totals without gaps | aggregate the times by month
    """
    course = course_of(state, world, table, by, field, function, time, gaps)
    result = course.table()
    empty = int((course.rows == 0).sum())
    labels = course.labels()
    said = (
        f"The {course.name} per {course.by} from {labels[0]} to {labels[-1]}: "
        f"{number_of(len(result), 'step')}, {empty:,} of them without rows."
        f"{rows_in_words(result.drop(columns='time'))}"
    )
    call = Call.of(resample_time, by=by, field=field, function=function, gaps=gaps, time=time, table=table)
    title = f"{course.name} per {course.by}".capitalize()
    return table_step(state, world, result, call, title, said, by=course.by, steps=len(result), empty=empty)


@tool("data", changes_state=True, gives=("table",))
def trend(
    state: State,
    world: World,
    *,
    by: Every = None,
    field: Value = None,
    function: Reduction = "mean",
    time: TimeColumn = None,
    table: TableOrSelection = None,
) -> Step:
    """Test whether counts or values rise or fall over time and how fast: Mann-Kendall, Sen's slope, a line.

    Mann-Kendall (Mann 1945, Kendall 1975; pymannkendall) with the correction for ties; Sen's slope (1968) is
    the median of the slopes between all pairs of steps; the line is fitted by least squares. Slopes are in
    the field's unit a step. The test takes steps as independent: a season or a memory makes p too small.

    Example: copilot call trend by=year

    Asked as: is there a trend | are the counts rising over the years | does cloud cover go down with time |
    how fast does it increase | Mann-Kendall test | Sen's slope of the monthly values | has the number of
    images grown significantly
    """
    import pymannkendall
    from scipy.stats import linregress

    course = course_of(state, world, table, by, field, function, time)
    values = course.values.to_numpy(dtype=float)
    there = np.isfinite(values)
    need_rows(int(there.sum()), 4, "to find a trend in")
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        kendall = pymannkendall.original_test(values, alpha=SIGNIFICANT)
        steps = np.arange(len(values), dtype=float)
        line = linregress(steps[there], values[there])
    facts: dict[str, Any] = {
        "by": course.by,
        "steps": len(values),
        "direction": str(kendall.trend),
        "p": _plain(kendall.p),
        "tau": _plain(kendall.Tau),
        "z": _plain(kendall.z),
        "sen_slope": _plain(kendall.slope),
        "sen_slope_per_year": _plain(kendall.slope * STEPS_A_YEAR[course.by]),
        "sen_intercept": _plain(kendall.intercept),
        "ols_slope": _plain(line.slope),
        "ols_intercept": _plain(line.intercept),
        "ols_r2": _plain(line.rvalue**2),
        "ols_p": _plain(line.pvalue),
    }
    result = course.table()
    result["sen_line"] = rounded_all(kendall.intercept + kendall.slope * steps)
    result["ols_line"] = rounded_all(line.intercept + line.slope * steps)
    call = Call.of(trend, by=by, field=field, function=function, time=time, table=table)
    return table_step(
        state, world, result, call, f"Trend of the {course.name}", _trend_in_words(course, facts), **facts
    )


@tool("data", changes_state=True, gives=("table",))
def seasonality(
    state: State,
    world: World,
    *,
    by: Every = None,
    field: Value = None,
    function: Reduction = "mean",
    season: Annotated[
        int | None,
        Field(ge=2, le=400, description="Steps in one season: 12 for months, 4 quarters, 52 weeks, 7 days."),
    ] = None,
    time: TimeColumn = None,
    table: TableOrSelection = None,
) -> Step:
    """Split counts or values over time into trend, season and remainder, and say how strong the season is.

    STL (Cleveland et al. 1990, statsmodels); the strengths are those of Wang, Smith and Hyndman (2006): 1 −
    Var(remainder) / Var(season + remainder), from 0 to 1. Missing steps inside are interpolated.

    Example: copilot call seasonality by=month season=2

    Asked as: is there a season in the counts | seasonal pattern of the cloud cover | decompose the time
    series | which month is the cloudiest every year | STL decomposition | how strong is the yearly cycle |
    does it repeat over the year
    """
    from statsmodels.tsa.seasonal import STL

    course = course_of(state, world, table, by, field, function, time)
    length = season or SEASON_STEPS.get(course.by)
    if length is None:
        raise ToolError("A year has no season in steps of a year; choose by=month, or give season.")
    values = course.values.interpolate(limit_area="inside")
    need_rows(len(values), 2 * length + 1, f"to find a season of {length} steps in")
    if not np.isfinite(values.to_numpy()).all() or np.abs(values.to_numpy()).max() > 1e150:
        raise ToolError(f"The {course.name} holds values too large to split into trend and season.")
    found = STL(values.to_numpy(dtype=float), period=length).fit()
    scale = float(np.abs(values.to_numpy()).max())
    seasonal_strength = _strength(found.resid, found.seasonal, scale)
    trend_strength = _strength(found.resid, found.trend, scale)
    phases = _phases(course, np.asarray(found.seasonal), length)
    high, low = max(phases, key=lambda each: each[1]), min(phases, key=lambda each: each[1])
    result = course.table()
    for name, part in (("trend", found.trend), ("season", found.seasonal), ("remainder", found.resid)):
        result[name] = rounded_all(part)
    said = (
        f"The {course.name} over {number_of(len(values), course.by)}: seasonal strength "
        f"{number(seasonal_strength)} and trend strength {number(trend_strength)}, of 1; "
        f"highest in {high[0]} ({high[1]:+.4g}), lowest in {low[0]} ({low[1]:+.4g})."
    )
    facts: dict[str, Any] = {
        "by": course.by,
        "season": length,
        "seasonal_strength": seasonal_strength,
        "trend_strength": trend_strength,
        "highest": high[0],
        "lowest": low[0],
        "interpolated": int(course.values.isna().sum()),
        "effects": [{"key": key, "value": rounded(value)} for key, value in phases],
    }
    call = Call.of(seasonality, by=by, field=field, function=function, season=season, time=time, table=table)
    return table_step(state, world, result, call, f"Season of the {course.name}", said, **facts)


def _trend_in_words(course: Course, facts: dict[str, Any]) -> str:
    labels = course.labels()
    found = {"increasing": "rises", "decreasing": "falls"}.get(facts["direction"], "has no significant trend")
    return (
        f"The {course.name} per {course.by} {found} from {labels[0]} to {labels[-1]} "
        f"({number_of(facts['steps'], 'step')}): Mann-Kendall p {_said(facts['p'])}, "
        f"tau {_said(facts['tau'])}; Sen's slope {_said(facts['sen_slope'])} a {course.by} "
        f"({_said(facts['sen_slope_per_year'])} a year); "
        f"least squares {_said(facts['ols_slope'])} a {course.by}, R² {_said(facts['ols_r2'])}, "
        f"p {_said(facts['ols_p'])}."
    )


def _said(value: float | None) -> str:
    return "none" if value is None else number(value)


def _plain(value: float) -> float | None:
    plain = plain_value(rounded(float(value)))
    return None if plain is None else float(plain)


def _strength(remainder: Any, part: Any, scale: float) -> float:
    """Wang, Smith and Hyndman (2006); 0 where nothing but rounding varies in values of that size."""
    whole = float(np.var(np.asarray(part) + np.asarray(remainder)))
    if whole <= (1e-12 * scale) ** 2:
        return 0.0
    return rounded(max(0.0, 1 - float(np.var(np.asarray(remainder))) / whole))


def _phases(course: Course, seasonal: Any, length: int) -> list[tuple[str, float]]:
    """The mean effect of each step of the season, in its order, by the name people give it."""
    index = course.values.index
    names = [_phase(each, course, number, length) for number, each in enumerate(index)]
    means = pd.Series(seasonal).groupby(pd.Series(names)).mean()
    order = sorted(set(names), key=lambda name: _MONTHS.index(name) if name in _MONTHS else names.index(name))
    return [(name, float(means[name])) for name in order]


def _phase(period: Any, course: Course, step: int, length: int) -> str:
    if course.by == "month" and length == 12:
        return _MONTHS[period.month - 1]
    if course.by == "quarter" and length == 4:
        return f"Q{period.quarter}"
    if course.by == "day" and length == 7:
        return str(period.day_name()) if hasattr(period, "day_name") else str(period.start_time.day_name())
    return f"step {step % length + 1} (as {label_of(course.values.index[step % length], course.by)})"


_MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
    "November", "December",
)  # fmt: skip

TOOLS = (resample_time, trend, seasonality)

"""A table or the selection as a course over time: one value a day, week, month, quarter or year."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Literal

import pandas as pd
from pydantic import Field

from data.profiles import holds_times
from state.model import State
from tools.base import ToolError, World
from tools.data.computed import need_rows, rounded_all
from tools.data.source import column_in, frame_of, numbers, source_column, time_column
from tools.data.summaries import Column
from tools.noting import note
from tools.rows import load_table

By = Literal["day", "week", "month", "quarter", "year"]
Every = Annotated[By | None, Field(description="How long a step is; a month, or as the table has it.")]
Value = Annotated[
    Column | None, Field(description="A column of numbers to follow; without one the rows are counted.")
]
Reduction = Annotated[
    Literal["mean", "sum", "min", "max", "median", "count", "std"],
    Field(description="How the field's values of one step are summed up."),
]
TimeColumn = Annotated[Column | None, Field(description="The table's column of times, where it has several.")]
Gaps = Literal["zero", "missing", "interpolate"]

FREQUENCY = {"day": "D", "week": "W-SUN", "month": "M", "quarter": "Q", "year": "Y"}
STEPS_A_YEAR = {"day": 365.2425, "week": 365.2425 / 7, "month": 12.0, "quarter": 4.0, "year": 1.0}
_TIMES = ("time", "date", "day", "month", "year", "period", "week", "quarter")
_MAX_STEPS = 200_000


@dataclass(frozen=True)
class Course:
    """A value for every step from the first to the last; missing where there is none."""

    name: str
    """What is followed: "count", "mean of cloud_pct"."""
    by: By
    values: pd.Series[float]
    """By period, without gaps in the index."""
    rows: pd.Series[int]
    """How many rows each step has."""

    def table(self) -> pd.DataFrame:
        """The course as a table: each step's first moment, its value and its rows."""
        times = self.values.index.to_timestamp()  # type: ignore[attr-defined]
        return pd.DataFrame(
            {
                "time": times,
                self.by if self.by != "week" else "week_from": self.labels(),
                "value": rounded_all(self.values),
                "rows": self.rows.to_numpy(),
            }
        )

    def labels(self) -> list[str]:
        """Each step as people write it: 2019-03, 2019-Q1, a week by its Monday."""
        return [label_of(each, self.by) for each in self.values.index]


def label_of(period: Any, by: By) -> str:
    """A step as people write it."""
    if by == "week":
        return str(period.start_time.date())
    return f"{period.year}-Q{period.quarter}" if by == "quarter" else str(period)


def course_of(
    state: State,
    world: World,
    table: str | None,
    by: By | None,
    field: str | None,
    function: str,
    time: str | None = None,
    gaps: Gaps | None = None,
) -> Course:
    """The course of a field's values, or of the counts. Raises ToolError when no row has a time.

    A step without rows is 0 in a count or a sum and missing otherwise, unless `gaps` says another.
    """
    frame, moment, by, followed = _dated(state, world, table, by, field, time)
    if field is None and followed is not None:
        function = "sum"  # the counts of a table that already has some
    field = followed
    if field is None:
        name, function = "count", "count"
        periods = _periods(moment, by)
        grouped = pd.Series(1.0, index=periods.index).groupby(periods)
    else:
        values = numbers(frame, field)
        name = "count" if (field, function) == ("count", "sum") else f"{function} of {field}"
        periods = _periods(moment.loc[values.index], by)
        grouped = values.loc[periods.index].groupby(periods)
    need_rows(len(periods), 1, "to follow over time")
    first, last = periods.min(), periods.max()
    if (last - first).n >= _MAX_STEPS:
        raise ToolError(f"From {first} to {last} are more than {_MAX_STEPS:,} steps; choose longer ones.")
    every = pd.period_range(first, last, freq=FREQUENCY[by])
    course = getattr(grouped, function)().astype(float).reindex(every)
    rows = grouped.size().reindex(every).fillna(0).astype("int64")
    gaps = gaps or ("zero" if function in ("count", "sum") else "missing")
    if gaps == "zero":
        course = course.where(rows > 0, 0.0)
    elif gaps == "interpolate":
        course = course.interpolate(limit_area="inside")
    else:
        course = course.where(rows > 0)
    return Course(name, by, course, rows)


def _dated(
    state: State, world: World, table: str | None, by: By | None, field: str | None, time: str | None
) -> tuple[pd.DataFrame, pd.Series[Any], By, str | None]:
    """(rows, their times, the step, the field that is followed as the source names it)."""
    if table is None:
        if time is not None and time.casefold() != "acquired":
            raise ToolError(f"The selection's times are in acquired, not in {time!r}; leave time out.")
        if field is not None:
            field = source_column(state, world, None, field)
        frame = frame_of(state, world, None, "acquired", *([field] if field else []))
        return frame, moments(frame["acquired"]), by or "month", field
    frame = load_table(state, world, table).reset_index(drop=True)
    name = column_in(frame, time) if time is not None else time_column(frame) or _named_time(frame)
    moment = moments(frame[name])
    need_rows(len(frame), 1, "to follow over time")
    if moment.isna().all():
        raise ToolError(f"{name} holds no times; choose a column of dates in time.")
    if field is not None:
        field = column_in(frame, field)
    elif "count" in frame and name != "count" and frame[name].is_unique:
        field = "count"  # a table of counts per step is followed as it is, not counted again
    steps: dict[str, By] = {"day": "day", "month": "month", "year": "year", "quarter": "quarter"}
    return frame, moment, by or steps.get(name.casefold(), "month"), field


def _named_time(frame: pd.DataFrame) -> str:
    found = {str(name).casefold(): str(name) for name in frame.columns}
    name = next((found[each] for each in _TIMES if each in found), None)
    if name is None:
        raise ToolError("The table has no column of times; name one in time, or use a table that has dates.")
    return name


def with_times(frame: pd.DataFrame) -> pd.DataFrame:
    """A table whose dates are texts, with them as times too, so that it can be grouped by year or month."""
    if time_column(frame) is not None:
        return frame
    found = {str(name).casefold(): str(name) for name in frame.columns}
    name = next((found[each] for each in _TIMES if each in found), None)
    if name is None or (moment := moments(frame[name])).isna().all():
        return frame
    return frame.assign(**{f"{name} as a time": moment})


def moments(column: pd.Series[Any], *, say: bool = True) -> pd.Series[Any]:
    """A column as times in UTC without a zone; what is none is missing. A whole number is a year.

    How texts were read is said, unless it is only looked whether they are times.
    """
    texts: Any
    if pd.api.types.is_numeric_dtype(column):
        texts = column.map(lambda value: f"{int(value):04d}" if _is_year(value) else None)
    elif holds_times(column):
        return without_zone(pd.to_datetime(column, utc=True))
    else:
        return _written(column, say)
    return without_zone(pd.to_datetime(texts, errors="coerce", utc=True, format="ISO8601"))


def _written(column: pd.Series[Any], say: bool) -> pd.Series[Any]:
    """Texts as times: ISO 8601, else in the one way to write them that the column tells; which is said."""
    from data.readers.dates import ColumnTimes  # beside the readers, which a list of tools does without

    there = column.notna()
    texts = column.where(there).map(_iso, na_action="ignore")
    found = without_zone(pd.to_datetime(texts, errors="coerce", utc=True, format="ISO8601"))
    if not (lost := there & found.isna()).any():
        return found
    times = ColumnTimes()
    # All of the column, since the others may tell the way; each different text once.
    counts = column[there].map(str).value_counts(sort=False)
    known = dict(zip(counts.index, times.read(list(counts.index), counts.tolist()), strict=True))
    read = pd.to_datetime(column[lost].map(lambda each: known.get(str(each))), errors="coerce")
    if say and (read.notna().any() or found.notna().any()):
        said = times.said(str(column.name))
        note(f"{said[:1].upper()}{said[1:]}." if said else None)
    return found.where(~lost, read)


def without_zone(column: Any) -> pd.Series[Any]:
    """Times in UTC as the rest of Azimuth has them: without saying so."""
    plain: pd.Series[Any] = column.dt.tz_localize(None)
    return plain


def _is_year(value: Any) -> bool:
    return bool(value == value and float(value).is_integer() and 1000 <= value <= 9999)


def _iso(text: str) -> str:
    """A quarter as its first month; any other text as it is."""
    year, mark, quarter = text.strip().partition("-Q")
    return f"{year}-{int(quarter) * 3 - 2:02d}" if mark and quarter in "1234" and quarter else text.strip()


def _periods(moment: pd.Series[Any], by: By) -> pd.Series[Any]:
    periods: pd.Series[Any] = moment.dropna().dt.to_period(FREQUENCY[by])
    return periods

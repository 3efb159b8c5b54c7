"""Sums with dates, against dateutil and published day numbers."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest
from dateutil.relativedelta import relativedelta
from hypothesis import given, settings
from hypothesis import strategies as st

from state.model import State
from tests.tools.world import TODAY, run
from tools.base import World
from tools.python.dates import _between, _moment, date_arithmetic

DAYS = st.dates(date(1900, 1, 1), date(2100, 12, 31))


@pytest.mark.parametrize(
    ("args", "said"),
    [
        ({}, "2026-11-20 is a Friday, day 324 of 2026 and in ISO week 2026-W47."),
        (
            {"date": "2020-02-28", "days": 2},
            "2020-02-28 + 2 days is 2020-03-01, a Sunday, day 61 of 2020 and in ISO week 2020-W09.",
        ),
        (
            {"date": "31 January 2021", "months": 1},
            "2021-01-31 + 1 month is 2021-02-28, a Sunday, day 59 of 2021 and in ISO week 2021-W08.",
        ),
        (
            {"date": "today", "weeks": -2},
            "2026-11-20 − 2 weeks is 2026-11-06, a Friday, day 310 of 2026 and in ISO week 2026-W45.",
        ),
        (
            {"date": "2019-05-01", "until": "2020-06-03"},
            "From 2019-05-01 to 2020-06-03 it is 399 days: 1 year, 1 month and 2 days.",
        ),
        (
            {"date": "2020-03-01", "until": "2020-02-01"},
            "From 2020-03-01 to 2020-02-01 it is -29 days: 1 month.",
        ),
        (
            {"date": "2019-03-14T10:30Z", "until": "2019-03-15T00:00+02:00"},
            "From 2019-03-14T10:30:00Z to 2019-03-14T22:00:00Z it is 0.479167 days.",
        ),
    ],
)
def test_time_is_added_and_counted(world: World, args: dict[str, Any], said: str) -> None:
    assert run(world, State(), date_arithmetic, **args).observation == said


def test_days_have_their_published_numbers(world: World) -> None:
    # IERS: MJD 51544 is 1 January 2000; ISO 8601: 3 January 2021 lies in week 53 of 2020.
    first = run(world, State(), date_arithmetic, date="2000-01-01").data
    assert (first["modified_julian_day"], first["weekday"], first["leap_year"]) == (51544, "Saturday", True)
    third = run(world, State(), date_arithmetic, date="2021-003").data
    assert (third["date"], third["iso_week"]) == ("2021-01-03", "2020-W53")


@settings(max_examples=60, deadline=None)
@given(DAYS, DAYS)
def test_the_calendar_time_between_two_days_is_dateutils(first: date, second: date) -> None:
    data = _between(State(), _moment(str(first), TODAY), _moment(str(second), TODAY)).data
    apart = relativedelta(max(first, second), min(first, second))
    assert data["calendar"] == {"years": apart.years, "months": apart.months, "days": apart.days}
    assert data["days"] == (second - first).days


@pytest.mark.parametrize(
    ("args", "reason"),
    [
        (
            {"date": "2019-02-30"},
            "'2019-02-30' is not a date in the calendar; write one such as "
            "2018-05-31, 2018-151, 31 May 2018 or today.",
        ),
        (
            {"date": "2019-366"},
            "'2019-366' is not a date in the calendar; write one such as "
            "2018-05-31, 2018-151, 31 May 2018 or today.",
        ),
        (
            {"date": "9999-12-31", "days": 1},
            "The result lies outside the years 1 to 9999, where the calendar ends here.",
        ),
        (
            {"date": "0001-03-01", "years": -1},
            "The result lies outside the years 1 to 9999, where the calendar ends here.",
        ),
        (
            {"date": "today", "until": "today", "days": 1},
            "date_arithmetic takes a second date or a time to add, not both at once.",
        ),
    ],
)
def test_what_no_calendar_has_is_refused(world: World, args: dict[str, Any], reason: str) -> None:
    step = run(world, State(), date_arithmetic, **args)
    assert (step.failed, step.observation) == (True, reason)

"""Narrowing the selection to a span of days."""

from __future__ import annotations

import pytest

from state.model import Filters, State
from tests.tools.world import after, run
from tools.base import World
from tools.database.dates import filter_date
from tools.database.loading import db_load


def test_both_ends_are_whole_days_in_utc(world: World) -> None:
    state = after(world, State(), (db_load, {"names": ["fair1m", "xview1"]}))
    step = run(world, state, filter_date, start="2018-05-31", end="2018-05-31")
    assert step.state.database.filters == Filters(start="2018-05-31", end="2018-05-31")
    assert step.state.database.count == 1  # taken at 23:30 on that day
    assert step.observation == "Dates: 2018-05-31. 1 image is selected."


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ({"start": "2018", "end": "2018"}, ("2018-01-01", "2018-12-31")),
        ({"start": "2016-02", "end": "2016-02"}, ("2016-02-01", "2016-02-29")),
        ({"start": " 2018-5-3 "}, ("2018-05-03", None)),
        ({"end": "2019"}, (None, "2019-12-31")),
    ],
)
def test_a_year_or_a_month_stands_for_its_first_or_last_day(
    world: World, given: dict[str, str], kept: tuple[str | None, str | None]
) -> None:
    filters = run(world, State(), filter_date, **given).state.database.filters
    assert (filters.start, filters.end) == kept


def test_dates_replace_the_earlier_ones_whole(world: World) -> None:
    state = after(
        world, State(), (filter_date, {"start": "2018", "end": "2019"}), (filter_date, {"end": "2020"})
    )
    assert state.database.filters == Filters(end="2020-12-31")


def test_an_end_before_the_start_is_an_error_that_says_both(world: World) -> None:
    step = run(world, State(), filter_date, start="2019-05-01", end="2018")
    assert step.failed and step.state == State()
    assert step.observation == "The end 2018-12-31 is before the start 2019-05-01; swap them."


@pytest.mark.parametrize(
    "text", ["May 2018", "2018-13", "2018-02-30", "0000", "31.05.2018", "", "２０１８-99"]
)
def test_what_is_no_day_is_an_error_with_an_example(world: World, text: str) -> None:
    step = run(world, State(), filter_date, start=text)
    assert step.failed and step.state == State()
    assert "2018-05-31" in step.observation


def test_no_date_at_all_is_an_error(world: World) -> None:
    assert run(world, State(), filter_date).observation.startswith(
        "filter_date needs a start, an end or both"
    )

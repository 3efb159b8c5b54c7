"""Dates whose year stands elsewhere."""

from __future__ import annotations

from datetime import date

import pytest

from copilot.language.mentions import Mentions
from copilot.language.mentions.dating import YEARLESS, dated
from tests.copilot.language.said import TODAY

READ = {
    "June July August 2021": [("June July August 2021", "2021-06-01", "2021-08-31")],
    "november n december 2019": [("november n december 2019", "2019-11-01", "2019-12-31")],
    "Euro 2016 was June 10 to July 10": [
        ("2016", "2016-01-01", "2016-12-31"),
        ("June 10 to July 10", "2016-06-10", "2016-07-10"),
    ],
    "Christmas week 2022, Dec 22 to 28": [
        ("2022", "2022-01-01", "2022-12-31"),
        ("Dec 22 to 28", "2022-12-22", "2022-12-28"),
    ],
    "from the third of july nineteen thirty eight": [
        ("from the third of july nineteen thirty eight", "1938-07-03", "1938-07-03")
    ],
}


@pytest.mark.parametrize(("said", "found"), READ.items())
def test_a_date_takes_the_year_that_is_said_elsewhere(said: str, found: list[tuple[str, str, str]]) -> None:
    dates = Mentions(said, TODAY).dates
    assert [(each.text, str(each.start), str(each.end)) for each in dates] == found


def test_a_date_of_no_year_is_one_of_this_year_for_sums_only() -> None:
    (day,) = dated("my birthday is 2 August", TODAY)
    assert (day.kind, str(day.start)) == (YEARLESS, "2024-08-02")


@pytest.mark.parametrize(
    ("said", "found"),
    [
        ("the year after it", [("the year after", "2019-01-01", "2019-12-31")]),
        ("and the month before?", [("the month before", "2017-12-01", "2018-11-30")]),
        ("only after that", [("after that", "2019-01-01", "None")]),
        ("before then, on the map", [("before then", "None", "2017-12-31")]),
        ("just June to August", [("June to August", "2018-06-01", "2018-08-31")]),
        ("in 2020", [("in 2020", "2020-01-01", "2020-12-31")]),
    ],
)
def test_a_date_leans_on_the_days_that_are_selected(said: str, found: list[tuple[str, str, str]]) -> None:
    dates = Mentions(said, TODAY, selected=(date(2018, 1, 1), date(2018, 12, 31))).dates
    assert [(each.text, str(each.start), str(each.end)) for each in dates] == found

"""Dates that lean on those there are."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from copilot.planner.reading.dates import dates
from copilot.planner.reading.shifts import shifted, shifts

MAY = (date(2018, 5, 1), date(2018, 5, 31))


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("the following month", (date(2018, 6, 1), date(2018, 6, 30))),
        ("the month after", (date(2018, 6, 1), date(2018, 6, 30))),
        ("and a year earlier?", (date(2017, 5, 1), date(2017, 5, 31))),
        ("two years later", (date(2020, 5, 1), date(2020, 5, 31))),
        ("same month in 2020", (date(2020, 5, 1), date(2020, 5, 31))),
        ("the same period a year earlier", (date(2017, 5, 1), date(2017, 5, 31))),
        ("shift the start to 2017", (date(2017, 1, 1), date(2018, 5, 31))),
        ("extend it to 2022", (date(2018, 5, 1), date(2022, 12, 31))),
        ("the next week", (date(2018, 5, 8), date(2018, 6, 7))),
    ],
)
def test_a_phrase_moves_the_dates_there_are(text: str, days: tuple[date, date]) -> None:
    (shift,) = shifts(text)
    assert shifted(MAY, shift) == days


@pytest.mark.parametrize(
    "text", ["next year's budget of 5", "the day before yesterday", "May 2018", "zoom out a bit"]
)
def test_a_phrase_with_a_meaning_of_its_own_moves_at_most_what_is_named(text: str) -> None:
    assert [text[each.start : each.end] for each in shifts(text)] in ([], ["next year"])


@given(st.text())
def test_no_text_breaks_the_reader_of_moved_dates(text: str) -> None:
    for shift in shifts(text):
        assert 0 <= shift.start < shift.end <= len(text)


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("mid 2018", date(2018, 5, 1), date(2018, 8, 31)),
        ("Dallas airport 2016 to 2018", date(2016, 1, 1), date(2018, 12, 31)),
        ("since 3 years ago", date(2021, 6, 15), None),
        ("before the pandemic", None, date(2020, 3, 10)),
        (">2018", date(2019, 1, 1), None),
        ("<=2016", None, date(2016, 12, 31)),
        ("13/5/18", date(2018, 5, 13), date(2018, 5, 13)),
    ],
)
def test_dates_in_short_hand_are_read(text: str, start: date | None, end: date | None) -> None:
    assert [(each.start, each.end) for each in dates(text, date(2024, 6, 15))] == [(start, end)]


def test_a_short_slashed_date_may_be_read_both_ways() -> None:
    (found,) = dates("1/5/18", date(2024, 6, 15))
    assert found.alternatives == ((date(2018, 1, 5),) * 2, (date(2018, 5, 1),) * 2)

"""Columns of times in the ways that people write them."""

from __future__ import annotations

from datetime import datetime

import pytest

from data.readers.dates import ColumnTimes


@pytest.mark.parametrize(
    ("texts", "days", "said"),
    [
        (["05/01/2020 06:05", "15/04/2020"], ["2020-01-05T06:05:00", "2020-04-15T00:00:00"],
         "its times in 'date' were read with the day first, as '15/04/2020' shows"),
        (["12/01/2026", "12/31/26 7:05 PM"], ["2026-12-01T00:00:00", "2026-12-31T19:05:00"],
         "its times in 'date' were read with the month first, as '12/31/26 7:05 PM' shows"),
        (["5 Jan 2020", "3rd April 2020", "15-Apr-2020 10:00", "April 7, 2020"],
         ["2020-01-05T00:00:00", "2020-04-03T00:00:00", "2020-04-15T10:00:00", "2020-04-07T00:00:00"], None),
        (["43835", "43924.5"], ["2020-01-05T00:00:00", "2020-04-03T12:00:00"],
         "its times in 'date' were read as the day numbers of Excel"),
        (["1578182400", "1586908800"], ["2020-01-05T00:00:00", "2020-04-15T00:00:00"],
         "its times in 'date' were read as seconds since 1970"),
        (["1578182400123"], ["2020-01-05T00:00:00.123000"],
         "its times in 'date' were read as milliseconds since 1970"),
        (["2020-01-05", "2020/04/03", "20200415", "05.01.2020", "2018"],
         ["2020-01-05T00:00:00", "2020-04-03T00:00:00", "2020-04-15T00:00:00", "2020-01-05T00:00:00",
          "2018-01-01T00:00:00"], None),
        (["03/04/2020", "05/06/2020"], [None, None],
         "2 rows have in 'date' what was not read as a time, such as '03/04/2020', since no row tells "
         "whether the day or the month stands first"),
        (["15/04/2020", "04/15/2020"], [None, None],
         "2 rows have in 'date' what was not read as a time, such as '15/04/2020', since some have the day "
         "first and others the month"),
        (["2020-01-05", "soon", "", None], ["2020-01-05T00:00:00", None, None, None],
         "1 row has in 'date' what was not read as a time, such as 'soon'"),
        (["31/02/2020"], [None], "its times in 'date' were read with the day first, as '31/02/2020' shows; "
         "1 row has in 'date' what was not read as a time, such as '31/02/2020'"),
        (["7", "12"], [None, None], "2 rows have in 'date' what was not read as a time, such as '7'"),
    ],
    ids=["day first", "month first", "words", "Excel", "seconds", "milliseconds", "plain", "either", "both",
         "some", "no such day", "numbers"],
)  # fmt: skip
def test_a_column_of_times_is_read_in_its_one_way(
    texts: list[str | None], days: list[str | None], said: str | None
) -> None:
    times = ColumnTimes()
    assert times.read(texts) == [None if each is None else datetime.fromisoformat(each) for each in days]
    assert times.said("date") == said


def test_what_one_part_of_a_column_told_holds_for_the_next() -> None:
    times = ColumnTimes()
    times.read(["15/04/2020"])
    assert times.read(["03/04/2020", "03/04/2020"], [5, 1])[0] == datetime(2020, 4, 3)
    assert times.read(["soon"], [7]) == [None] and times.unread == 7

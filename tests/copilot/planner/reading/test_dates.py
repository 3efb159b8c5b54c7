"""What the date reader makes of phrases, on 20 November 2026."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from copilot.planner.reading.dates import DateSpan, dates
from tests.suite.walking import walks

TODAY = date(2026, 11, 20)

# sentence -> "phrase|first..last day"; an empty side is open
READ: dict[str, list[str]] = {
    "what about 2021?": ["2021|2021-01-01..2021-12-31"],
    "over the past year": ["over the past year|2025-11-21..2026-11-20"],
    "in the next week": ["in the next week|2026-11-23..2026-11-29"],
    "from 2019-05 to 2019-08": ["from 2019-05 to 2019-08|2019-05-01..2019-08-31"],
    "5/2018 - 7/2018": ["5/2018 - 7/2018|2018-05-01..2018-07-31"],
    "Summer of '19": ["Summer of '19|2019-06-01..2019-08-31"],
    "2019": ["2019|2019-01-01..2019-12-31"],
    "in 2019": ["in 2019|2019-01-01..2019-12-31"],
    "in '19": ["in '19|2019-01-01..2019-12-31"],
    "the year 2019": ["the year 2019|2019-01-01..2019-12-31"],
    "May 2018": ["May 2018|2018-05-01..2018-05-31"],
    "May '18": ["May '18|2018-05-01..2018-05-31"],
    "05/2018": ["05/2018|2018-05-01..2018-05-31"],
    "2018-05": ["2018-05|2018-05-01..2018-05-31"],
    "2018-05-17": ["2018-05-17|2018-05-17..2018-05-17"],
    "17 May 2018": ["17 May 2018|2018-05-17..2018-05-17"],
    "May 17th, 2018": ["May 17th, 2018|2018-05-17..2018-05-17"],
    "17.05.2018": ["17.05.2018|2018-05-17..2018-05-17"],
    "5/17/2018": ["5/17/2018|2018-05-17..2018-05-17"],
    "20180517": ["20180517|2018-05-17..2018-05-17"],
    "between 2017 and 2019": ["between 2017 and 2019|2017-01-01..2019-12-31"],
    "from 2017 to 2019": ["from 2017 to 2019|2017-01-01..2019-12-31"],
    "2017-2019": ["2017-2019|2017-01-01..2019-12-31"],
    "2017–2019": ["2017–2019|2017-01-01..2019-12-31"],
    "2017-19": ["2017-19|2017-01-01..2019-12-31"],
    "2017 through 2019": ["2017 through 2019|2017-01-01..2019-12-31"],
    "from May to July 2018": ["from May to July 2018|2018-05-01..2018-07-31"],
    "between May 2018 and 3 July 2019": ["between May 2018 and 3 July 2019|2018-05-01..2019-07-03"],
    "May-July 2018": ["May-July 2018|2018-05-01..2018-07-31"],
    "images from May 2018": ["from May 2018|2018-05-01..2018-05-31"],
    "from May 2018 on": ["from May 2018 on|2018-05-01.."],
    "from May 2018 onwards": ["from May 2018 onwards|2018-05-01.."],
    "from May 2018 until now": ["from May 2018 until now|2018-05-01.."],
    "from May 2018 to July": ["from May 2018 to July|2018-05-01..2018-07-31"],
    "since spring 2020": ["since spring 2020|2020-03-01.."],
    "since 2018": ["since 2018|2018-01-01.."],
    "before June 2020": ["before June 2020|..2020-05-31"],
    "until 2019": ["until 2019|..2019-12-31"],
    "after 2019": ["after 2019|2020-01-01.."],
    "after March 3, 2020": ["after March 3, 2020|2020-03-04.."],
    "winter 2019": ["winter 2019|2019-12-01..2020-02-29"],
    "winter 2018/19": ["winter 2018/19|2018-12-01..2019-02-28"],
    "Q3 2018": ["Q3 2018|2018-07-01..2018-09-30"],
    "3rd quarter of 2018": ["3rd quarter of 2018|2018-07-01..2018-09-30"],
    "first half of 2019": ["first half of 2019|2019-01-01..2019-06-30"],
    "H1 2019": ["H1 2019|2019-01-01..2019-06-30"],
    "early 2019": ["early 2019|2019-01-01..2019-04-30"],
    "mid-2018": ["mid-2018|2018-05-01..2018-08-31"],
    "late 2020": ["late 2020|2020-09-01..2020-12-31"],
    "the 2010s": ["the 2010s|2010-01-01..2019-12-31"],
    "the last two years": ["the last two years|2024-11-21..2026-11-20"],
    "the past 6 months": ["the past 6 months|2026-05-21..2026-11-20"],
    "last month": ["last month|2026-10-01..2026-10-31"],
    "last March": ["last March|2026-03-01..2026-03-31"],
    "this year": ["this year|2026-01-01..2026-12-31"],
    "last year": ["last year|2025-01-01..2025-12-31"],
    "yesterday": ["yesterday|2026-11-19..2026-11-19"],
    "last week": ["last week|2026-11-09..2026-11-15"],
    "in the last 90 days": ["in the last 90 days|2026-08-23..2026-11-20"],
    "year to date": ["year to date|2026-01-01..2026-11-20"],
    "the summer of 2017": ["the summer of 2017|2017-06-01..2017-08-31"],
    "Christmas 2019": ["Christmas 2019|2019-12-25..2019-12-25"],
    "two years ago": ["two years ago|2024-01-01..2024-12-31"],
    "a month ago": ["a month ago|2026-10-01..2026-10-31"],
    "on 4 July 2019": ["on 4 July 2019|2019-07-04..2019-07-04"],
    "the week of 2019-07-04": ["the week of 2019-07-04|2019-07-01..2019-07-07"],
    "during the first week of May 2019": ["during the first week of May 2019|2019-05-01..2019-05-07"],
    "end of 2019": ["end of 2019|2019-10-01..2019-12-31"],
    "before the end of 2019": ["before the end of 2019|..2019-12-31"],
    "march through may 2020": ["march through may 2020|2020-03-01..2020-05-31"],
    "now only 2019": ["2019|2019-01-01..2019-12-31"],
    "the ones from 2021": ["from 2021|2021-01-01..2021-12-31"],
    "2018 or 2019": ["2018 or 2019|2018-01-01..2019-12-31"],
    "2017 or 2019": ["2017|2017-01-01..2017-12-31", "2019|2019-01-01..2019-12-31"],
    "2017, 2018 and 2019": ["2017, 2018 and 2019|2017-01-01..2019-12-31"],
    "Febuary 2019": ["Febuary 2019|2019-02-01..2019-02-28"],
    "17 Setpember 2019": ["17 Setpember 2019|2019-09-17..2019-09-17"],
    "sumer 2019": ["sumer 2019|2019-06-01..2019-08-31"],
    "2019-05-17T10:30:00Z": ["2019-05-17T10:30:00Z|2019-05-17..2019-05-17"],
    "17 May 2018 at 10:30 UTC": ["17 May 2018 at 10:30 UTC|2018-05-17..2018-05-17"],
    "since 2018 but before 2020": ["since 2018 but before 2020|2018-01-01..2019-12-31"],
    "images older than two years": ["older than two years|..2024-11-19"],
    "pre-2015 and post-2018": ["pre-2015|..2014-12-31", "post-2018|2019-01-01.."],
    "17-20 May 2018": ["17-20 May 2018|2018-05-17..2018-05-20"],
    "November 2018 to February 2019": ["November 2018 to February 2019|2018-11-01..2019-02-28"],
    "from November to February 2019": ["from November to February 2019|2018-11-01..2019-02-28"],
    "2019 and later": ["2019 and later|2019-01-01.."],
    "the 2019 images": ["the 2019|2019-01-01..2019-12-31"],
    "from 3 May to 5 June 2018": ["from 3 May to 5 June 2018|2018-05-03..2018-06-05"],
    "from 03/04/2018 to 25/04/2018": ["from 03/04/2018 to 25/04/2018|2018-04-03..2018-04-25"],
    "1,200 images of 2018": ["of 2018|2018-01-01..2018-12-31"],
    "within 40 km of Pittsburgh from May 2018": ["from May 2018|2018-05-01..2018-05-31"],
    "last summer": ["last summer|2026-06-01..2026-08-31"],
    "week 23 of 2019": ["week 23 of 2019|2019-06-03..2019-06-09"],
    "Detect airplanes in fair1m and xview1 images from May 2018 within 40 km of Pittsburgh": [
        "from May 2018|2018-05-01..2018-05-31"
    ],
    "from 2018 to today": ["from 2018 to today|2018-01-01..2026-11-20"],
    "since last month": ["since last month|2026-10-01.."],
    "until yesterday": ["until yesterday|..2026-11-19"],
    "in 2018?": ["in 2018|2018-01-01..2018-12-31"],
    "(2018)": ["2018|2018-01-01..2018-12-31"],
    "2018.": ["2018|2018-01-01..2018-12-31"],
    "May and July 2018": ["May|2018-05-01..2018-05-31", "July 2018|2018-07-01..2018-07-31"],
    "first 3 months of 2019": ["first 3 months of 2019|2019-01-01..2019-03-31"],
    "sentinel-2 2019": ["2019|2019-01-01..2019-12-31"],
    "from spring to autumn 2018": ["from spring to autumn 2018|2018-03-01..2018-11-30"],
    "more than 2000 images from 2018": ["from 2018|2018-01-01..2018-12-31"],
    "2019 2020": ["2019|2019-01-01..2019-12-31", "2020|2020-01-01..2020-12-31"],
    "during summer 2021": ["during summer 2021|2021-06-01..2021-08-31"],
    "first quarter 2020": ["first quarter 2020|2020-01-01..2020-03-31"],
    "Q1 2019 to Q3 2019": ["Q1 2019 to Q3 2019|2019-01-01..2019-09-30"],
    "between Q1 2019 and Q3 2019": ["between Q1 2019 and Q3 2019|2019-01-01..2019-09-30"],
    "mid May 2018": ["mid May 2018|2018-05-11..2018-05-20"],
    "late May to early June 2019": ["late May to early June 2019|2019-05-21..2019-06-10"],
    "May 2018 until March 2019": ["May 2018 until March 2019|2018-05-01..2019-03-31"],
    "after the end of 2019": ["after the end of 2019|2020-01-01.."],
    "since the beginning of 2018": ["since the beginning of 2018|2018-01-01.."],
    "early 1990s": ["early 1990s|1990-01-01..1993-04-30"],
    "in the 90s": ["in the 90s|1990-01-01..1999-12-31"],
    "starting in 2020": ["starting in 2020|2020-01-01.."],
    "from 2020 onward": ["from 2020 onward|2020-01-01.."],
    "2020+": ["2020+|2020-01-01.."],
    "no later than 5 May 2020": ["no later than 5 May 2020|..2020-05-05"],
    "by 2020": ["by 2020|..2020-12-31"],
    "up to 2019": ["up to 2019|..2019-12-31"],
    "2019-W23": ["2019-W23|2019-06-03..2019-06-09"],
    "in the last decade": ["in the last decade|2010-01-01..2019-12-31"],
    "past week": ["past week|2026-11-14..2026-11-20"],
    "the last few weeks": ["the last few weeks|2026-10-31..2026-11-20"],
    "images newer than 6 months": ["newer than 6 months|2026-05-21.."],
    "less than 3 months old": ["less than 3 months old|2026-08-21.."],
    "ships 2018-2020 near Lagos": ["2018-2020|2018-01-01..2020-12-31"],
    "in 2018 and 2020": ["in 2018|2018-01-01..2018-12-31", "2020|2020-01-01..2020-12-31"],
    "May 2018, June 2018": ["May 2018, June 2018|2018-05-01..2018-06-30"],
    "between 1 and 20 May 2018": ["between 1 and 20 May 2018|2018-05-01..2018-05-20"],
    "between 1 May and 20 June 2018": ["between 1 May and 20 June 2018|2018-05-01..2018-06-20"],
    "10.5.2018": ["10.5.2018|2018-05-10..2018-05-10"],
    "What happened in march 2018?": ["in march 2018|2018-03-01..2018-03-31"],
    "1985": ["1985|1985-01-01..1985-12-31"],
    "Paris 2024": ["2024|2024-01-01..2024-12-31"],
    "ERA5 2019": ["2019|2019-01-01..2019-12-31"],
    "year 2000": ["year 2000|2000-01-01..2000-12-31"],
    "in 2000": ["in 2000|2000-01-01..2000-12-31"],
    "in the year 2000": ["in the year 2000|2000-01-01..2000-12-31"],
    "from 2000 to 2005": ["from 2000 to 2005|2000-01-01..2005-12-31"],
    "images from 2000": ["from 2000|2000-01-01..2000-12-31"],
    "2018/2019": ["2018/2019|2018-01-01..2019-12-31"],
    "2018/19": ["2018/19|2018-01-01..2019-12-31"],
    "2018, 2019": ["2018, 2019|2018-01-01..2019-12-31"],
    "on the 5th of May 2018": ["on the 5th of May 2018|2018-05-05..2018-05-05"],
    "New Year's Eve 2019": ["New Year's Eve 2019|2019-12-31..2019-12-31"],
    "September 11, 2001": ["September 11, 2001|2001-09-11..2001-09-11"],
    "Sept. 2019": ["Sept. 2019|2019-09-01..2019-09-30"],
    "sep 2019": ["sep 2019|2019-09-01..2019-09-30"],
    "the first ten days of May 2018": ["the first ten days of May 2018|2018-05-01..2018-05-10"],
    "the last day of February 2020": ["the last day of February 2020|2020-02-29..2020-02-29"],
    "the last 3 months of 2019": ["the last 3 months of 2019|2019-10-01..2019-12-31"],
    "last 3 months": ["last 3 months|2026-08-21..2026-11-20"],
    "this month": ["this month|2026-11-01..2026-11-30"],
    "today": ["today|2026-11-20..2026-11-20"],
    "2019 to now": ["2019 to now|2019-01-01.."],
    "2019 - present": ["2019 - present|2019-01-01.."],
    "since May": ["since May|2026-05-01.."],
    "before May": ["before May|..2026-04-30"],
    "after June 2018 and before March 2019": ["after June 2018 and before March 2019|2018-07-01..2019-02-28"],
    "between the summer of 2018 and winter 2019": [
        "between the summer of 2018 and winter 2019|2018-06-01..2020-02-29"
    ],
    "2018 May 5": ["2018 May 5|2018-05-05..2018-05-05"],
    "17-May-2018": ["17-May-2018|2018-05-17..2018-05-17"],
    "2017-05-01 to 2018-05-01": ["2017-05-01 to 2018-05-01|2017-05-01..2018-05-01"],
    "2017-05-01/2018-05-01": ["2017-05-01/2018-05-01|2017-05-01..2018-05-01"],
    "2017-05-01..2018-05-01": ["2017-05-01..2018-05-01|2017-05-01..2018-05-01"],
    "from 20180501 to 20180601": ["from 20180501 to 20180601|2018-05-01..2018-06-01"],
    "images: 2019": ["2019|2019-01-01..2019-12-31"],
    "(2017–2018)": ["2017–2018|2017-01-01..2018-12-31"],
    "in the second half of May 2019": ["in the second half of May 2019|2019-05-16..2019-05-31"],
    "spring 2019 or autumn 2019": [
        "spring 2019|2019-03-01..2019-05-31",
        "autumn 2019|2019-09-01..2019-11-30",
    ],
    "not before 2019": ["not before 2019|2019-01-01.."],
    "not older than 2018": ["not older than 2018|2018-01-01.."],
    "two weeks ago": ["two weeks ago|2026-11-02..2026-11-08"],
    "the 2015 earthquake": ["the 2015|2015-01-01..2015-12-31"],
    "2015 earthquake": ["2015|2015-01-01..2015-12-31"],
    "and/or 2019": ["2019|2019-01-01..2019-12-31"],
}
NOTHING = (
    "xview3",
    "top 2000",
    "2,000 images",
    "2000 images",
    "show 2000 rows of fair1m",
    "WorldView-2 and Sentinel 2 at level 12 epsg 4326 2355.tif 2019.tif",
    "cloud under 2018",
    "may I see the images",
    "images at 2000 m",
    "between 2000 and 2010 people",
    "it may have 2018 images",
    "2036",
    "limit 2000",
    "at least 2000 detections",
    "first 2020",
    "2355",
    "10000",
    "2020 ships",
)
WITHOUT_A_YEAR = {
    "May?": ("May", (5,), None),
    "Show May images": ("May", (5,), None),
    "in May": ("in May", (5,), None),
    "You may show in May or June": ("in May or June", (5, 6), None),
    "from May to July": ("from May to July", (5, 6, 7), None),
    "30 September": ("30 September", (9,), 30),
    "in spring": ("in spring", (3, 4, 5), None),
    "June": ("June", (6,), None),
    "Show me June images": ("June", (6,), None),
    "April": ("April", (4,), None),
    "5th May": ("5th May", (5,), 5),
}
MONTH_NAMES = (
    "January February March April May June July August September October November December"
).split()  # fmt: skip


def only(text: str) -> DateSpan:
    """The one date of a text."""
    (span,) = dates(text, TODAY)
    return span


@walks("sentence", READ)
def test_a_phrase_reads_as_its_days(sentence: str) -> None:
    found = [f"{span.text}|{span.start or ''}..{span.end or ''}" for span in dates(sentence, TODAY)]
    assert found == READ[sentence]


@walks("sentence", NOTHING)
def test_a_number_that_is_no_date_is_left_alone(sentence: str) -> None:
    assert dates(sentence, TODAY) == []


@pytest.mark.parametrize("sentence", WITHOUT_A_YEAR)
def test_months_without_a_year_are_given_as_months(sentence: str) -> None:
    span = only(sentence)
    assert (span.text, span.months, span.day) == WITHOUT_A_YEAR[sentence]
    assert (span.start, span.end, span.kind) == (None, None, "month_only")


def test_the_table_is_large() -> None:
    assert len(READ) + len(NOTHING) + len(WITHOUT_A_YEAR) >= 150


@pytest.mark.parametrize(
    ("sentence", "error"),
    [
        ("on 31 June 2018", '"31 June 2018" is not a date: June 2018 has days 1 to 30.'),
        ("2018-13-40", '"2018-13-40" is not a date: there is no month 13; months run from 1 to 12.'),
        ("30 February 2020", '"30 February 2020" is not a date: February 2020 has days 1 to 29.'),
        ("week 60 of 2019", '"week 60 of 2019" is not a week: 2019 has weeks 1 to 52.'),
        (
            "From 2020 to 2018",
            '"From 2020 to 2018" ends on 2018-12-31 before it starts on 2020-01-01; put the earlier date first.',
        ),
    ],
)
def test_an_impossible_date_says_why(sentence: str, error: str) -> None:
    span = only(sentence)
    assert (span.start, span.end, span.error) == (None, None, error)


def test_a_slashed_date_keeps_both_readings() -> None:
    span = only("03/04/2018")
    march, april = date(2018, 3, 4), date(2018, 4, 3)
    assert (span.start, span.end, span.alternatives) == (march, march, ((march, march), (april, april)))


def test_another_date_of_the_sentence_settles_a_slashed_one() -> None:
    span = only("from 03/04/2018 to 25/04/2018")
    assert (span.start, span.end, span.alternatives) == (date(2018, 4, 3), date(2018, 4, 25), ())


def test_an_open_end_keeps_both_readings() -> None:
    span = only("since 03/04/2018")
    assert span.alternatives == ((date(2018, 3, 4), None), (date(2018, 4, 3), None))


@pytest.mark.parametrize("sentence", ["not from 2019", "except 2019", "all but 2019", "without 2019"])
def test_excluded_days_are_marked(sentence: str) -> None:
    span = only(sentence)
    assert (span.text, span.negated, span.start) == (sentence, True, date(2019, 1, 1))


def test_seasons_turn_over_in_the_south() -> None:
    (summer, winter) = dates("summer 2019 or else winter 2019", TODAY, southern=True)
    assert (summer.start, summer.end) == (date(2019, 12, 1), date(2020, 2, 29))
    assert (winter.start, winter.end) == (date(2019, 6, 1), date(2019, 8, 31))


def long_form(day: date) -> str:
    return f"{day.day} {MONTH_NAMES[day.month - 1]} {day.year}"


def american(day: date) -> str:
    return f"{MONTH_NAMES[day.month - 1]} {day.day}, {day.year}"


STYLES = (date.isoformat, long_form, american, lambda day: f"{day:%d.%m.%Y}", lambda day: f"{day:%Y%m%d}")
DAYS = st.dates(date(1980, 1, 1), date(2035, 12, 31))


@settings(deadline=None)
@given(
    DAYS,
    DAYS,
    st.sampled_from(STYLES),
    st.sampled_from(["from {} to {}", "between {} and {}", "ships {} through {}"]),
)
def test_a_range_written_in_any_style_reads_back(one: date, other: date, style: object, frame: str) -> None:
    assert callable(style)
    first, last = min(one, other), max(one, other)
    span = only(frame.format(style(first), style(last)))
    assert (span.start, span.end, span.error) == (first, last, None)


@settings(deadline=None)
@given(DAYS, st.sampled_from(STYLES))
def test_open_ends_leave_out_or_keep_the_day(day: date, style: object) -> None:
    assert callable(style)
    written = style(day)
    found = [
        (span.start, span.end)
        for word in ("since", "after", "before", "until")
        for span in dates(f"{word} {written}", TODAY)
    ]
    one = timedelta(days=1)
    assert found == [(day, None), (day + one, None), (None, day - one), (None, day)]


WORDS = st.sampled_from(" ".join([*READ, *NOTHING, *WITHOUT_A_YEAR]).split())


@settings(deadline=None)
@given(st.one_of(st.text(max_size=60), st.lists(WORDS, max_size=9).map(" ".join)), DAYS, st.booleans())
def test_any_text_gives_ordered_spans_that_quote_it(text: str, today: date, southern: bool) -> None:
    end = 0
    for span in dates(text, today, southern=southern):
        assert end <= span.start_index < span.end_index
        assert text[span.start_index : span.end_index] == span.text
        assert span.start is None or span.end is None or span.start <= span.end
        end = span.end_index

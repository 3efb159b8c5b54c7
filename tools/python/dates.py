"""Sums with dates."""

from __future__ import annotations

import re
from calendar import isleap, monthrange
from datetime import UTC, date, datetime, timedelta
from typing import Annotated

from pydantic import Field

from state.model import State
from tools.base import Step, ToolError, World, tool
from tools.phrases import number_of

DateText = Annotated[
    str,
    Field(
        max_length=40,
        description="YYYY-MM-DD, YYYY-DDD (day of the year), 14 March 2019, a time such as "
        "2019-03-14T10:30Z, or today, tomorrow, yesterday.",
        json_schema_extra={"format": "date"},
    ),
]
_ORDINAL = re.compile(r"(\d{4})-?(\d{3})")
_WRITTEN = ("%d %B %Y", "%d %b %Y", "%B %d %Y", "%b %d %Y", "%Y/%m/%d", "%Y%m%d")
_NAMED = {"today": 0, "now": 0, "tomorrow": 1, "yesterday": -1}
_MJD_EPOCH = date(1858, 11, 17)
_SECONDS_A_DAY = 86_400


@tool("python")
def date_arithmetic(
    state: State,
    world: World,
    *,
    date: DateText = "today",
    until: Annotated[DateText | None, Field(description="A second date: the time between the two.")] = None,
    days: Annotated[
        int, Field(ge=-4_000_000, le=4_000_000, description="Days to add; below 0, to take.")
    ] = 0,
    weeks: Annotated[int, Field(ge=-500_000, le=500_000, description="Weeks to add.")] = 0,
    months: Annotated[int, Field(ge=-120_000, le=120_000, description="Calendar months to add.")] = 0,
    years: Annotated[int, Field(ge=-10_000, le=10_000, description="Calendar years to add.")] = 0,
) -> Step:
    """Count the days between two dates, add time to a date, or tell its weekday, week and day of the year.

    Gregorian calendar, UTC. Months and years are added first, and a day that the month lacks becomes its
    last. Weeks are numbered as in ISO 8601.

    Example: copilot call date_arithmetic date=2020-02-28 days=2

    Asked as: how many days between 1 May and 3 June 2020 | what date is 90 days after 2019-03-14 | which
    day of the year is 4 July 2021 | what weekday was 2015-04-25 | what week is it | how long ago was 12
    January 2010
    """
    first = _moment(date, world.today)
    shifted = any((days, weeks, months, years))
    if until is not None:
        if shifted:
            raise ToolError("date_arithmetic takes a second date or a time to add, not both at once.")
        return _between(state, first, _moment(until, world.today))
    result = _added(first, years * 12 + months, weeks * 7 + days) if shifted else first
    facts = {"date": _text(result), **_facts(result)}
    about = f"a {facts['weekday']}, day {facts['day_of_year']} of {result.year}"
    about = f"{about} and in ISO week {facts['iso_week']}"
    if not shifted:
        return Step(state, f"{_text(result)} is {about}.", facts)
    parts = (("year", years), ("month", months), ("week", weeks), ("day", days))
    said = ", ".join(
        f"{'+' if count > 0 else '−'} {number_of(abs(count), name)}" for name, count in parts if count
    )
    return Step(state, f"{_text(first)} {said} is {_text(result)}, {about}.", facts)


def _between(state: State, first: datetime, second: datetime) -> Step:
    """The days, and the calendar years, months and days, from one moment to another."""
    span = second - first
    seconds = span.days * _SECONDS_A_DAY + span.seconds
    early, late = sorted((first, second))
    months = (late.year - early.year) * 12 + late.month - early.month
    if _added(early, months, 0) > late:
        months -= 1
    over = (late - _added(early, months, 0)).days
    whole = seconds % _SECONDS_A_DAY == 0
    days: float = seconds // _SECONDS_A_DAY if whole else round(seconds / _SECONDS_A_DAY, 6)
    calendar = {"years": months // 12, "months": months % 12, "days": over}
    parts = [number_of(count, name[:-1]) for name, count in calendar.items() if count]
    said = f"From {_text(first)} to {_text(second)} it is {_days(days)}"
    if len(parts) > 1 or (parts and not calendar["days"]):
        said += f": {' and '.join(parts) if len(parts) < 3 else f'{parts[0]}, {parts[1]} and {parts[2]}'}"
    facts = {
        "days": days,
        "weeks": round(days / 7, 4),
        "hours": round(seconds / 3600, 4),
        "calendar": calendar,
    }
    return Step(state, f"{said}.", {**facts, "from": _text(first), "to": _text(second)})


def _moment(text: str, today: date) -> datetime:
    """A date or a time in UTC, without its zone. Raises ToolError for what no calendar has."""
    plain = " ".join(text.replace(",", " ").split())
    if (shift := _NAMED.get(plain.casefold())) is not None:
        return datetime.combine(today + timedelta(days=shift), datetime.min.time())
    try:
        if found := _ORDINAL.fullmatch(plain):
            return _ordinal(int(found[1]), int(found[2]))
        for form in _WRITTEN:
            try:
                return datetime.strptime(plain, form)
            except ValueError:
                continue
        read = datetime.fromisoformat(plain)
        return (read.astimezone(UTC) if read.tzinfo else read).replace(tzinfo=None)
    except (ValueError, OverflowError):
        raise ToolError(
            f"{text!r} is not a date in the calendar; write one such as 2018-05-31, 2018-151, 31 May "
            "2018 or today."
        ) from None


def _ordinal(year: int, day: int) -> datetime:
    if not 1 <= day <= 365 + isleap(year):
        raise ValueError(day)
    return datetime(year, 1, 1) + timedelta(days=day - 1)


def _added(moment: datetime, months: int, days: int) -> datetime:
    """That many months, then days, later."""
    try:
        at = moment.year * 12 + moment.month - 1 + months
        year, month = divmod(at, 12)
        last = monthrange(year, month + 1)[1]
        return moment.replace(year=year, month=month + 1, day=min(moment.day, last)) + timedelta(days=days)
    except (ValueError, OverflowError, IndexError):
        raise ToolError(
            "The result lies outside the years 1 to 9999, where the calendar ends here."
        ) from None


def _facts(moment: datetime) -> dict[str, int | str | bool]:
    year, week, _ = moment.isocalendar()
    return {
        "weekday": moment.strftime("%A"),
        "day_of_year": moment.timetuple().tm_yday,
        "iso_week": f"{year:04d}-W{week:02d}",
        "leap_year": isleap(moment.year),
        "modified_julian_day": (moment.date() - _MJD_EPOCH).days,
    }


def _text(moment: datetime) -> str:
    if moment.time() == datetime.min.time():
        return moment.date().isoformat()
    return f"{moment.isoformat(timespec='seconds')}Z"


def _days(days: float) -> str:
    return number_of(int(days), "day") if days == int(days) else f"{days:,g} days"


TOOLS = (date_arithmetic,)

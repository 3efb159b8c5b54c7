"""Calendar periods as inclusive ranges of whole days, and arithmetic on them."""

from __future__ import annotations

from calendar import monthrange
from datetime import date, timedelta
from typing import Literal

Days = tuple[date, date]
"""First and last day, both inclusive."""
Unit = Literal["day", "week", "month", "quarter", "year", "decade"]

ONE_DAY = timedelta(days=1)
SEASON_START_MONTH = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}
"""Meteorological seasons of the northern hemisphere: three whole months from this one."""


def day_before(day: date) -> date:
    """The day before, or the first day of the calendar itself."""
    return day if day == date.min else day - ONE_DAY


def day_after(day: date) -> date:
    """The day after, or the last day of the calendar itself."""
    return day if day == date.max else day + ONE_DAY


def month(year: int, number: int) -> Days:
    """One month. ValueError when there is no such month."""
    if not 1 <= number <= 12:
        raise ValueError(f"There is no month {number}; months run from 1 to 12.")
    return date(year, number, 1), date(year, number, monthrange(year, number)[1])


def year(number: int) -> Days:
    """One calendar year."""
    return date(number, 1, 1), date(number, 12, 31)


def months_from(first_year: int, first_month: int, count: int) -> Days:
    """`count` whole months from one on."""
    index = first_year * 12 + first_month - 1 + count - 1
    return date(first_year, first_month, 1), month(index // 12, index % 12 + 1)[1]


def season(name: str, number: int, southern: bool = False) -> Days:
    """A meteorological season; the one from December on is named by the year of that December."""
    first = SEASON_START_MONTH[name]
    if southern:
        first = (first + 5) % 12 + 1
    return months_from(number, first, 3)


def week_of(day: date) -> Days:
    """Monday to Sunday around a day."""
    monday = day - timedelta(days=day.weekday())
    return monday, monday + timedelta(days=6)


def shift_months(day: date, months: int) -> date:
    """The same day of the month `months` away, or that month's last day."""
    index = day.year * 12 + day.month - 1 + months
    target_year, target_month = index // 12, index % 12 + 1
    return date(target_year, target_month, min(day.day, monthrange(target_year, target_month)[1]))


def shift(day: date, unit: Unit, count: int) -> date:
    """The day `count` units later (earlier when negative). ValueError or OverflowError off the calendar."""
    if unit == "day":
        return day + timedelta(days=count)
    if unit == "week":
        return day + timedelta(weeks=count)
    return shift_months(day, count * {"month": 1, "quarter": 3, "year": 12, "decade": 120}[unit])


def around(day: date, unit: Unit) -> Days:
    """The calendar day, week, month, quarter, year or decade that holds a day."""
    if unit == "day":
        return day, day
    if unit == "week":
        return week_of(day)
    if unit == "month":
        return month(day.year, day.month)
    if unit == "quarter":
        return months_from(day.year, (day.month - 1) // 3 * 3 + 1, 3)
    if unit == "year":
        return year(day.year)
    return date(day.year // 10 * 10, 1, 1), date(day.year // 10 * 10 + 9, 12, 31)


def nth_unit(whole: Days, unit: Unit, index: int, count: int = 1) -> Days:
    """`count` units inside a period, from the `index`th (1 is the first, -1 the last).

    ValueError when the period has no such part.
    """
    start, end = whole
    if index < 0:
        first = shift(day_after(end), unit, -count)
        return max(first, start), end
    first = shift(start, unit, index - 1)
    last = day_before(shift(start, unit, index - 1 + count))
    if first > end:
        raise ValueError(f"{start} to {end} has no {unit} number {index}.")
    return first, min(last, end)


def fraction(whole: Days, index: int, parts: int) -> Days:
    """The `index`th (from 0) of `parts` equal parts, in whole months where the period divides so.

    ValueError when it has fewer days than parts.
    """
    start, end = whole
    months = (end.year - start.year) * 12 + end.month - start.month + 1
    if start.day == 1 and day_after(end).day == 1 and months % parts == 0:
        length = months // parts
        first = shift_months(start, index * length)
        return first, day_before(shift_months(start, (index + 1) * length))
    days = (end - start).days + 1
    if days < parts:
        raise ValueError(f"{start} to {end} is too short to take a part of; name a longer period.")
    last = end if index == parts - 1 else start + timedelta(days=days * (index + 1) // parts - 1)
    return start + timedelta(days=days * index // parts), last

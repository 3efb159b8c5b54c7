"""From date phrases to the arguments of filter_date."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date

from copilot.planner.asking import Ask, Reject
from copilot.planner.reading.dates import Bounds, DateSpan
from copilot.planner.reading.periods import month
from copilot.planner.reading.shifts import Shift, shifted
from copilot.planner.situation import Situation
from copilot.planner.spans import Span


def date_arguments(
    spans: Sequence[Span], situation: Situation, *, adding: bool = False
) -> dict[str, str] | None:
    """`start` and `end` of what the phrases mean together; None without any. Raises Ask.

    With `adding`, the range of the filter there is grows to hold them.
    """
    said = [span for span in spans if not span.value.negated]
    bounds = [_bounds(span.value, situation, said) for span in said]
    bounds = [each for span, each in zip(said, bounds, strict=True) if not _spelt_out(span, said)]
    if not bounds:
        return None
    now = situation.filters
    if adding and "start" in now and "end" in now and len(bounds) == 1 and all(bounds[0]):
        bounds.append((date.fromisoformat(now["start"]), date.fromisoformat(now["end"])))
    starts, ends = [start for start, _ in bounds], [end for _, end in bounds]
    if len(bounds) > 1 and (open_range := _one_side_each(bounds)) is not None:
        starts, ends = [open_range[0]], [open_range[1]]
    found: dict[str, str] = {}
    if all(starts):
        found["start"] = min(each for each in starts if each).isoformat()
    if all(ends):
        found["end"] = max(each for each in ends if each).isoformat()
    return found or None


def _one_side_each(bounds: Sequence[Bounds]) -> Bounds | None:
    """ "Since 2018" and "before 2020" are one range between them, not all of time."""
    starts = [start for start, end in bounds if start and not end]
    ends = [end for start, end in bounds if end and not start]
    if len(starts) == 1 and len(ends) == 1 and len(bounds) == 2 and starts[0] <= ends[0]:
        return starts[0], ends[0]
    return None


def _spelt_out(span: Span, said: Sequence[Span]) -> bool:
    """ "The end of 2017, i.e. November and December": the months say it more closely."""
    return span.value.kind == "part" and any(other.value.kind == "month_only" for other in said)


def _bounds(span: DateSpan, situation: Situation, said: Sequence[Span] = ()) -> Bounds:
    if span.error:
        raise Ask(f"{span.error} Which dates do you mean?", _suggestions(span, situation), about=span.text)
    if len(span.alternatives) > 1:
        choices = [written(*each) for each in span.alternatives]
        raise Ask(f"Which day do you mean by '{span.text}'?", choices, about=span.text)
    if span.shift is not None:
        return _moved(span, span.shift, situation)
    if span.kind == "month_only":
        return _month_in_context(span, situation, said)
    if span.start is not None and span.start > situation.today:
        raise Reject(
            f"'{span.text.strip()}' is in the future (today is {situation.today}): there are no images of it yet."
        )
    return span.start, span.end


def _moved(span: DateSpan, shift: Shift, situation: Situation) -> Bounds:
    """ "The following month" after the dates of the filter; without dates what it means from today, else ask."""
    now = situation.filters
    if shift.edge and ("start" in now) != ("end" in now):
        year = shift.year or situation.today.year
        start = (
            date(year, 1, 1)
            if shift.edge == "start"
            else date.fromisoformat(now["start"])
            if "start" in now
            else None
        )
        end = (
            date(year, 12, 31)
            if shift.edge == "end"
            else date.fromisoformat(now["end"])
            if "end" in now
            else None
        )
        return start, end
    if "start" in now and "end" in now:
        try:
            return shifted((date.fromisoformat(now["start"]), date.fromisoformat(now["end"])), shift)
        except (ValueError, OverflowError) as error:
            raise Ask(
                f"'{span.text}' leaves the calendar. Which dates do you mean?", (), about=span.text
            ) from error
    if shift.edge and shift.year is not None:
        return (date(shift.year, 1, 1), None) if shift.edge == "start" else (None, date(shift.year, 12, 31))
    if span.start is not None and span.start > situation.today:
        raise Reject(
            f"'{span.text.strip()}' is in the future (today is {situation.today}): there are no images of it yet."
        )
    if span.start is None and span.end is None:
        year = situation.today.year
        raise Ask(
            f"There are no dates yet. Which dates do you mean by '{span.text}'?",
            [str(year - 1), str(year)],
            about=span.text,
        )
    return span.start, span.end


def _month_in_context(span: DateSpan, situation: Situation, said: Sequence[Span]) -> Bounds:
    """A month without a year takes the year the selection is in; without one, ask."""
    years = {str(situation.filters[key])[:4] for key in ("start", "end") if key in situation.filters}
    beside = {
        each.value.start.year
        for each in said
        if each.value.start and each.value.end and each.value.start.year == each.value.end.year
    }
    years = {str(year) for year in beside} or years
    if len(years) != 1:
        last = situation.today.year - (1 if (span.months[0]) > situation.today.month else 0)
        choices = [f"{span.text} {year}" for year in range(last, last - 4, -1)]
        raise Ask(f"Which year do you mean by '{span.text}'?", choices, about=span.text)
    year = int(years.pop())
    wraps = span.months[-1] < span.months[0]  # winter begins in December
    first, last_month = month(year, span.months[0]), month(year + wraps, span.months[-1])
    if span.day is not None:
        day = date(year, span.months[0], span.day)
        return day, day
    return first[0], last_month[1]


def _suggestions(span: DateSpan, situation: Situation) -> list[str]:
    """Dates the user may have meant: the other way round, else what the catalogue covers."""

    years = re.findall(r"\b(?:19|20)\d\d\b", span.text)
    if len(years) == 2 and years[0] > years[1]:
        return [f"{years[1]} to {years[0]}", years[0], years[1]]
    if years:
        return [years[0]]
    year = situation.today.year
    return [str(year - 1), str(year)]


def written(start: date | None, end: date | None) -> str:
    """A range as an analyst writes it: "May 2018", "2019", "3 April 2018", "since May 2018", "July to September 2018"."""
    if start is None or end is None:
        if start is None:
            return f"until {_day_or_month(end, last=True)}" if end else "any time"
        return f"since {_day_or_month(start, last=False)}"
    if start == end:
        return f"{start.day} {start:%B %Y}"
    if (start.month, start.day, end.month, end.day) == (1, 1, 12, 31):
        return str(start.year) if start.year == end.year else f"{start.year} to {end.year}"
    if start.day == 1 and month(end.year, end.month)[1] == end:
        if (start.year, start.month) == (end.year, end.month):
            return f"{start:%B %Y}"
        first = f"{start:%B}" if start.year == end.year else f"{start:%B %Y}"
        return f"{first} to {end:%B %Y}"
    return f"{start.isoformat()} to {end.isoformat()}"


def _day_or_month(day: date, *, last: bool) -> str:
    first_day, last_day = month(day.year, day.month)
    if day != (last_day if last else first_day):
        return f"{day.day} {day:%B %Y}"
    whole_year = day.month == (12 if last else 1)
    return str(day.year) if whole_year else f"{day:%B %Y}"

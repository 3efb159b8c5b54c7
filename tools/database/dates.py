"""Narrow the selection to a span of days."""

from __future__ import annotations

import re
from calendar import monthrange
from datetime import date
from typing import Annotated

from pydantic import Field

from state.model import State
from tools.base import Step, ToolError, World, tool
from tools.selection import narrowed

Day = Annotated[
    str,
    Field(
        max_length=40,
        description="YYYY-MM-DD, UTC; YYYY or YYYY-MM stand for its first or last day.",
        json_schema_extra={"format": "date"},
    ),
]

_DAY = re.compile(r"(\d{4})(?:-(\d{1,2})(?:-(\d{1,2}))?)?")


@tool("database", changes_state=True)
def filter_date(state: State, world: World, *, start: Day | None = None, end: Day | None = None) -> Step:
    """Keep what was acquired from start to end, whole days in UTC, replacing any earlier dates.

    Example: copilot call filter_date start=2018-05-01 end=2018-05-31

    Asked as: only images from 2019 | between March and May 2018 | since 1 July 2020 | before the storm | last
    summer | acquired in the third quarter | during August 2017 | no older than 2016 | and in 2021? | the
    following month | a month earlier
    """
    if start is None and end is None:
        raise ToolError("filter_date needs a start, an end or both, such as start=2018-05-01.")
    first = None if start is None else day_of(start, last=False)
    final = None if end is None else day_of(end, last=True)
    if first is not None and final is not None and final < first:
        raise ToolError(f"The end {final} is before the start {first}; swap them.")
    said = f"Dates: {_span(first, final)}."
    return narrowed(state, world, said, start=_text(first), end=_text(final))


def day_of(text: str, *, last: bool) -> date:
    """The day that `YYYY-MM-DD`, `YYYY-MM` or `YYYY` begins with, or ends with when `last`.

    Raises ToolError for anything else, and for days that no calendar has.
    """
    match = _DAY.fullmatch(text.strip())
    if match is None:
        raise ToolError(
            f"{text!r} is not a day; write it YYYY-MM-DD, such as 2018-05-31, or YYYY-MM or YYYY."
        )
    year, month, day = (None if part is None else int(part) for part in match.groups())
    assert year is not None  # the pattern's first group always matches
    try:
        month = month if month is not None else (12 if last else 1)
        day = day if day is not None else (monthrange(year, month)[1] if last else 1)
        return date(year, month, day)
    except ValueError as error:
        raise ToolError(
            f"There is no day {text!r} in the calendar ({error}); write one such as 2018-05-31."
        ) from error


def _text(day: date | None) -> str | None:
    return None if day is None else day.isoformat()


def _span(start: date | None, end: date | None) -> str:
    if end is None:
        return f"from {start}"
    if start is None:
        return f"until {end}"
    return str(start) if start == end else f"{start} to {end}"


TOOLS = (filter_date,)

"""Columns of times, in whatever way they are written: one way for a whole column, and it is said.

A day and a month that are both at most 12 do not tell which is which; another row of the column does. What
no row tells is not guessed.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Literal

from data.readers.when import parse_time

Way = Literal["day first", "month first", "Excel", "seconds", "milliseconds"]
_SLASHED = re.compile(
    r"(\d{1,2})([/.-])(\d{1,2})\2(\d{4}|\d{2})"
    r"(?:[ T,]+(\d{1,2}):(\d{2})(?::(\d{2})(?:\.\d+)?)?(?: ?([AaPp])\.?[Mm]\.?)?)?"
)
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH_NAME = rf"({'|'.join(_MONTHS)})[a-z]*\.?"
_CLOCK = r"(?:[ T,]+(\d{1,2}):(\d{2})(?::(\d{2}))?)?"
_DAY_WORD = re.compile(rf"(\d{{1,2}})(?:st|nd|rd|th)?[ -]{_MONTH_NAME},?[ -](\d{{4}}){_CLOCK}", re.IGNORECASE)
_WORD_DAY = re.compile(rf"{_MONTH_NAME}[ -](\d{{1,2}})(?:st|nd|rd|th)?,?[ -](\d{{4}}){_CLOCK}", re.IGNORECASE)
_NUMBER = re.compile(r"\d{5,16}(?:\.\d+)?")
_EXCEL_DAY_0 = datetime(1899, 12, 30)
_NUMBERS: tuple[tuple[Way, float, float], ...] = (
    ("Excel", 20_000, 60_000),
    ("seconds", 1e8, 4.2e9),
    ("milliseconds", 1e11, 4.2e12),
)
"""Numbers that are times when all of a column lie there: the years 1954 to 2064, and 1973 to 2103."""
_SAID: dict[Way, str] = {
    "day first": "with the day first",
    "month first": "with the month first",
    "Excel": "as the day numbers of Excel",
    "seconds": "as seconds since 1970",
    "milliseconds": "as milliseconds since 1970",
}


@dataclass
class ColumnTimes:
    """The times of one column, read in parts; what was decided of a part holds for those that follow."""

    way: Way | None = None
    shown_by: str = ""
    """A value that tells the way."""
    unread: int = 0
    first_unread: str = ""
    both: bool = False
    """Whether some values are only right with the day first, and others with the month first."""
    _known: dict[str, datetime | None] = field(default_factory=dict)

    def read(self, texts: Sequence[str | None], rows: Sequence[int] = ()) -> list[datetime | None]:
        """The moment of each text, UTC; None for a missing one and for one that is no time.

        `rows` says how many rows have each text, where that is not one.
        """
        fresh = {each for each in texts if each is not None and each.strip()} - self._known.keys()
        plain = {each: parse_time(each) for each in fresh}
        odd = [each for each, found in plain.items() if found is None]
        if odd and not self.both:
            self._decide(odd, alone=len(odd) == len(plain))
        self._known |= {each: found or self._odd(each) for each, found in plain.items()}
        made = [self._known.get(each) if each is not None else None for each in texts]
        lost = [at for at, each in enumerate(texts) if made[at] is None and each and each.strip()]
        self.unread += sum(rows[at] if rows else 1 for at in lost)
        if lost and not self.first_unread:
            self.first_unread = str(texts[lost[0]])
        return made

    def said(self, column: str) -> str | None:
        """What was decided of the column, and what could not be read; None where nothing is to say."""
        parts = []
        if self.way is not None:
            by = f", as {self.shown_by!r} shows" if self.way.endswith("first") else ""
            parts.append(f"its times in {column[:60]!r} were read {_SAID[self.way]}{by}")
        if self.unread:
            why = ""
            if self.both:
                why = ", since some have the day first and others the month"
            elif _SLASHED.fullmatch(self.first_unread.strip()) and self.way is None:
                why = ", since no row tells whether the day or the month stands first"
            rows = "1 row has" if self.unread == 1 else f"{self.unread:,} rows have"
            example = f"such as {self.first_unread[:40]!r}{why}"
            parts.append(f"{rows} in {column[:60]!r} what was not read as a time, {example}")
        return "; ".join(parts) or None

    @property
    def how(self) -> str:
        """How they are written, to go after "times"; empty where each is plain."""
        return "" if self.way is None else f" {_SAID[self.way]}"

    def _decide(self, texts: Sequence[str], alone: bool) -> None:
        """Find the way of the texts that are no plain times."""
        slashed = [(each, found) for each in texts if (found := _SLASHED.fullmatch(each.strip()))]
        days = [each for each, found in slashed if int(found[1]) > 12 >= int(found[3])]
        months = [each for each, found in slashed if int(found[3]) > 12 >= int(found[1])]
        if (days and months) or (days and self.way == "month first") or (months and self.way == "day first"):
            self.both, self.way = True, None
        elif self.way is None and (days or months):
            self.way, self.shown_by = ("day first", days[0]) if days else ("month first", months[0])
        elif self.way is None and alone and all(_NUMBER.fullmatch(each.strip()) for each in texts):
            values = [float(each) for each in texts]
            fits = (way for way, low, high in _NUMBERS if low <= min(values) and max(values) <= high)
            self.way = next(fits, None)

    def _odd(self, text: str) -> datetime | None:
        value = text.strip()
        if found := _DAY_WORD.fullmatch(value):
            return _moment(found[3], _MONTHS.index(found[2].lower()) + 1, found[1], *found.groups()[3:])
        if found := _WORD_DAY.fullmatch(value):
            return _moment(found[3], _MONTHS.index(found[1].lower()) + 1, found[2], *found.groups()[3:])
        if self.way in ("day first", "month first") and (found := _SLASHED.fullmatch(value)):
            day, month = (found[1], found[3]) if self.way == "day first" else (found[3], found[1])
            return _moment(found[4], int(month), day, found[5], found[6], found[7], found[8])
        if self.way in ("Excel", "seconds", "milliseconds") and _NUMBER.fullmatch(value):
            number = float(value)
            if self.way == "Excel":
                return _EXCEL_DAY_0 + timedelta(seconds=round(number * 86_400))
            return datetime(1970, 1, 1) + timedelta(seconds=number / (1 if self.way == "seconds" else 1000))
        return None


def _moment(
    year: str,
    month: int,
    day: str,
    hour: str | None = None,
    minute: str | None = None,
    second: str | None = None,
    half: str | None = None,
) -> datetime | None:
    """That moment; a year of two digits lies from 1950 to 2049. None where there is no such day."""
    full = int(year) if len(year) == 4 else int(year) + (2000 if int(year) < 50 else 1900)
    hours = int(hour or 0)
    if half is not None:
        hours = hours % 12 + (12 if half.lower() == "p" else 0)
    try:
        return datetime(full, month, int(day), hours, int(minute or 0), int(second or 0))
    except ValueError:
        return None

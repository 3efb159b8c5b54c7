"""The single dates of a sentence ("May 2018", "last week", "Q3 2019"), before they are put together."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import date
from typing import Literal

from copilot.planner.reading import periods
from copilot.planner.reading.periods import Days, Unit
from copilot.planner.reading.text import NUMBER_WORDS, ORDINAL_WORDS, one_of

Kind = Literal[
    "day", "week", "month", "quarter", "half", "season", "year", "decade", "part", "relative", "now",
    "range", "since", "after", "before", "until", "month_only", "shift",
]  # fmt: skip

MONTHS = {
    name: number
    for number, names in enumerate(
        (
            "january jan", "february feb", "march mar", "april apr", "may", "june jun", "july jul", "august aug",
            "september sept sep", "october oct", "november nov", "december dec",
        ),
        start=1,
    )
    for name in names.split()
}  # fmt: skip
EARLIEST_YEAR, LATEST_YEAR = 1980, 2035
"""A bare number is read as a year only from the first to the last of these."""

_MON = rf"(?:{one_of(MONTHS)})\b\.?"
_YEAR = r"(?:19|20)\d\d"
_DAY = r"\d{1,2}(?:st|nd|rd|th)?"
_SEASON = one_of(periods.SEASON_START_MONTH)
_UNIT = r"(?:day|week|month|quarter|year|decade|fortnight|hour)s?"
_COUNT = rf"(?:\d{{1,4}}|a few|few|several|a couple of|couple of|couple|an|a|{one_of(NUMBER_WORDS)})"
_THINGS = (
    r"(?:satellite |aerial |sar |optical |radar |more |other |new |random |distinct |unique |sq\.? ?|square )*"
    r"(?:images?|imagery|scenes?|pictures?|photos?|rows?|points?|results?|features?|tiles?|detections?|objects?|"
    r"cells?|bins?|pixels?|px|chips?|items?|entries|records?|cars?|ships?|vehicles?|planes?|aircraft|buildings?|"
    r"samples?|people|persons?|inhabitants|residents|cities|towns|places|airports?|hits|matches|examples?|classes|"
    r"km2?|kms|kilomet(?:re|er)s?|met(?:re|er)s?|m2?|miles?|mi|feet|ft|yards?|cm|mm|nm|ha|hectares?|acres?|"
    r"kb|mb|gb|bytes|tokens?|ms|seconds?|minutes?|hours?|days|weeks|months|years|times|percent|more|or more|x)\b"
)
_NOT_A_YEAR_BEFORE = re.compile(
    r"(?:\b(?:top|first|last|limit(?:ed)?(?: to| of)?|at (?:most|least)|(?:more|less|fewer|greater|higher|lower) than|under|"
    r"max(?:imum)?|min(?:imum)?|epsg|utm|level|zoom|id|number|no\.?|nr\.?|image|scene|tile|row|page|seed|width|height|"
    r"port|band|populations?(?: of| over| above)?|roughly|approximately|nearly|almost)|[x×*$€#~+\\])"
    r"(?: of)?[ :=]*$"
)
_NOT_A_YEAR_AFTER = re.compile(
    rf"(?:[ -]?{_THINGS}| ?%| ?[x×*] ?\d|\.\w|,\d\d\d(?!\d)|\w|/(?!(?:19|20)\d\d\b)\w|'s?\w|"
    rf"(?: ?(?:-|to|and|or) ?)[\d.,]*\d[ -]?{_THINGS})"
)


@dataclass(frozen=True)
class Part:
    """A part of a period: "early", "the first week of", "the second half of"."""

    word: str
    index: int = 0
    parts: int = 1
    unit: Unit | None = None
    count: int = 1


@dataclass(frozen=True)
class Atom:
    """One date of a sentence. `days` is None while the year is not known, or when there is an error."""

    start: int
    end: int
    kind: Kind
    days: Days | None = None
    months: tuple[int, ...] = ()
    day: int | None = None
    season: str | None = None
    alternatives: tuple[Days, ...] = ()
    parts: tuple[Part, ...] = ()
    error: str | None = None
    point: date | None = None
    """For "three years ago": the very day, which "since" counts from, where `days` is the year around it."""

    @property
    def needs_year(self) -> bool:
        """Whether a month or a season stands without its year."""
        return self.days is None and self.error is None and bool(self.months)


@dataclass(frozen=True)
class Context:
    """What reading a date depends on besides its words."""

    text: str
    today: date
    southern: bool
    day_first: bool | None
    """Whether 03/04/2018 is 3 April; None when nothing in the sentence tells."""


Reader = Callable[["re.Match[str]", Context], Atom | None]


def full_year(text: str) -> int:
    """The year of "2018", "18" or "'18"; two digits from 80 on are of the last century."""
    number = int(text.strip("' "))
    return number if number > 99 else number + (1900 if number >= EARLIEST_YEAR % 100 else 2000)


def count_of(text: str) -> int:
    """The number in "12", "a", "three", "a few" (3) or "a couple of" (2)."""
    words = text.strip()
    if words.isdigit():
        return int(words)
    if "couple" in words:
        return 2
    return 3 if words in ("a few", "few", "several") else NUMBER_WORDS.get(words, 1)


def _number(text: str) -> int:
    return int(re.sub(r"\D", "", text))


def _month(text: str) -> int:
    return MONTHS[text.strip(". ")]


def _one_day(match: re.Match[str], year: int, month: int, day: int) -> Atom:
    """A day, or the sentence that says why there is none."""
    written = match.group(0).strip()
    try:
        the_day = date(year, month, day)
    except ValueError:
        if not 1 <= month <= 12:
            why = f"there is no month {month}; months run from 1 to 12."
        else:
            first, last = periods.month(year, month) if 1 <= year <= 9999 else (date.min, date.max)
            why = f"{first:%B} {year} has days 1 to {last.day}."
        return Atom(match.start(), match.end(), "day", error=f'"{written}" is not a date: {why}')
    return Atom(match.start(), match.end(), "day", (the_day, the_day))


def _year_month_day(match: re.Match[str], _: Context) -> Atom:
    return _one_day(match, int(match["y"]), int(match["m"]), int(match["d"]))


def _numeric_day(match: re.Match[str], context: Context) -> Atom:
    """17.05.2018 is day first; with slashes or hyphens either may be, and both readings are kept."""
    first, second, year = int(match["a"]), int(match["b"]), full_year(match["y"])
    if match["sep"] == "." or first > 12 or second > 12:
        month_first = second > 12 >= first
        return _one_day(match, year, *((first, second) if month_first else (second, first)))
    if context.day_first is not None or first == second:
        return _one_day(match, year, *((second, first) if context.day_first else (first, second)))
    american, european = _one_day(match, year, first, second), _one_day(match, year, second, first)
    readings = tuple(atom.days for atom in (american, european) if atom.days is not None)
    return replace(american, alternatives=readings) if american.days else european


def _named_day(match: re.Match[str], _: Context) -> Atom:
    return _one_day(match, int(match["y"]), _month(match["m"]), _number(match["d"]))


def _named_days(match: re.Match[str], _: Context) -> Atom:
    month = _month(match["m"])
    first = _one_day(match, int(match["y"]), month, _number(match["d"]))
    last = _one_day(match, int(match["y"]), month, _number(match["e"]))
    if first.days is None or last.days is None:
        return first if first.error else last
    if first.days > last.days:
        return replace(first, days=None, error=backwards(match.group(0), first.days[0], last.days[0]))
    return replace(first, kind="range", days=(first.days[0], last.days[0]))


def backwards(text: str, start: date, end: date) -> str:
    """The error for a range that ends before it starts."""
    return f'"{text.strip()}" ends on {end} before it starts on {start}; put the earlier date first.'


def _day_of_no_year(match: re.Match[str], context: Context) -> Atom | None:
    if re.match(rf"(?:\d|[ -]?{_THINGS}|\.\d|,\d|:\d)", context.text[match.end() :]):
        return None
    day = _number(match["d"])
    month = _month(match["m"])
    if not 1 <= day <= periods.month(2000, month)[1].day:
        return None
    return Atom(match.start(), match.end(), "month_only", months=(month,), day=day)


def _month_year(match: re.Match[str], _: Context) -> Atom:
    year, number = full_year(match["y"]), MONTHS.get(match["m"].strip(". "))
    try:
        days = periods.month(year, int(match["m"]) if number is None else number)
    except ValueError as error:
        return Atom(match.start(), match.end(), "month", error=f'"{match.group(0)}" is not a month: {error}')
    return Atom(match.start(), match.end(), "month", days)


def _year_and_two_digits(match: re.Match[str], context: Context) -> Atom | None:
    """2018-05 is a month, 2017-19 a range of years."""
    first, second = int(match["y"]), int(match["m"])
    if 1 <= second <= 12:
        return Atom(match.start(), match.end(), "month", periods.month(first, second))
    last = first // 100 * 100 + second
    if match["sep"] == "-" and len(match["m"]) == 2 and last > first and is_year(match, context):
        return Atom(match.start(), match.end(), "range", (date(first, 1, 1), date(last, 12, 31)))
    if match["sep"] == "/" and last == first + 1:
        return Atom(match.start(), match.end(), "range", (date(first, 1, 1), date(last, 12, 31)))
    error = f'"{match.group(0)}" is not a month: there is no month {second}; months run from 1 to 12.'
    return Atom(match.start(), match.end(), "month", error=error) if second < 20 else None


def _month_alone(match: re.Match[str], context: Context) -> Atom | None:
    return Atom(match.start(), match.end(), "month_only", months=(_month(match["m"]),))


def _quarter(match: re.Match[str], _: Context) -> Atom:
    word = match["n"]
    index = 4 if word == "last" else ORDINAL_WORDS.get(word) or int(word[0])
    days = periods.months_from(full_year(match["y"]), 3 * index - 2, 3)
    return Atom(match.start(), match.end(), "quarter", days)


def _half(match: re.Match[str], _: Context) -> Atom:
    days = periods.months_from(int(match["y"]), 1 if match["n"] == "1" else 7, 6)
    return Atom(match.start(), match.end(), "half", days)


def _season_year(match: re.Match[str], context: Context) -> Atom:
    days = periods.season(match["s"], full_year(match["y"]), context.southern)
    return Atom(match.start(), match.end(), "season", days)


def _season_alone(match: re.Match[str], context: Context) -> Atom:
    start, _ = periods.season(match["s"], 2001, context.southern)
    months = tuple((start.month - 1 + step) % 12 + 1 for step in range(3))
    return Atom(match.start(), match.end(), "month_only", months=months, season=match["s"])


def _decade(match: re.Match[str], _: Context) -> Atom:
    first = full_year(match["y"])
    return Atom(match.start(), match.end(), "decade", (date(first, 1, 1), date(first + 9, 12, 31)))


def _iso_week(match: re.Match[str], _: Context) -> Atom:
    year, week = int(match["y"]), int(match["w"])
    try:
        days = periods.week_of(date.fromisocalendar(year, week, 1))
    except ValueError:
        last = date(year, 12, 28).isocalendar().week
        error = f'"{match.group(0)}" is not a week: {year} has weeks 1 to {last}.'
        return Atom(match.start(), match.end(), "week", error=error)
    return Atom(match.start(), match.end(), "week", days)


def _holiday(match: re.Match[str], _: Context) -> Atom:
    month, day = {"christmas eve": (12, 24), "new year's eve": (12, 31), "new year's day": (1, 1)}.get(
        match["h"], (12, 25)
    )
    the_day = date(int(match["y"]), month, day)
    return Atom(match.start(), match.end(), "day", (the_day, the_day))


def is_year(match: re.Match[str], context: Context) -> bool:
    """Whether a bare four-digit number is meant as a year, from its value and its neighbours."""
    if not EARLIEST_YEAR <= int(match["y"]) <= LATEST_YEAR:
        return False
    before, after = context.text[: match.start()], context.text[match.end() :]
    if re.search(
        r"(?:[\w.,$€#\\_]|(?<!\d)/|(?<!\d\d\d\d)/|\d-|(?<!mid)(?<!pre)(?<!post)(?<!early)(?<!late)(?<!\d)(?<! )-)$",
        before,
    ):
        return bool(re.search(r"\d-$|[a-z],$", before)) and not _NOT_A_YEAR_AFTER.match(after)
    named = (
        re.search(r"\b(?:the|year|before|after|since|until|till|during|in)\s$", before)
        and int(match["y"]) % 100
    )
    if _NOT_A_YEAR_AFTER.match(after) and not (named and re.match(rf" {_THINGS}", after)):
        return False
    return not _NOT_A_YEAR_BEFORE.search(before)


def _bare_year(match: re.Match[str], context: Context) -> Atom | None:
    if not is_year(match, context):
        return None
    return Atom(match.start(), match.end(), "year", periods.year(int(match["y"])))


def _short_year(match: re.Match[str], _: Context) -> Atom | None:
    return Atom(match.start(), match.end(), "year", periods.year(full_year(match["y"])))


def _named_relative(match: re.Match[str], context: Context) -> Atom:
    offset = {"today": 0, "yesterday": -1, "tomorrow": 1, "the day before yesterday": -2, "tonight": 0}[
        match["w"]
    ]
    day = periods.shift(context.today, "day", offset)
    return Atom(match.start(), match.end(), "relative", (day, day))


def _relative_unit(match: re.Match[str], context: Context) -> Atom:
    """This, last or next week, month, quarter, year or decade of the calendar; the past one rolls back from today."""
    unit = _unit(match["u"])
    if match["w"] == "past":
        first = periods.day_after(periods.shift(context.today, unit, -1))
        return Atom(match.start(), match.end(), "relative", (first, context.today))
    step = {"this": 0, "current": 0, "next": 1, "coming": 1}.get(match["w"], -1)
    days = periods.around(periods.shift(context.today, unit, step), unit)
    return Atom(match.start(), match.end(), "relative", days)


def _relative_name(match: re.Match[str], context: Context) -> Atom:
    """Last March is the latest one that is over; this March is of this year; so for seasons."""

    def in_year(year: int) -> Days:
        if match["n"] in periods.SEASON_START_MONTH:
            return periods.season(match["n"], year, context.southern)
        return periods.month(year, _month(match["n"]))

    year, word = context.today.year, match["w"]
    if word in ("last", "past", "previous"):
        days = next(
            days for days in (in_year(year), in_year(year - 1), in_year(year - 2)) if days[1] < context.today
        )
    elif word in ("next", "coming"):
        days = next(days for days in (in_year(year), in_year(year + 1)) if days[0] > context.today)
    else:
        days = in_year(year)
    return Atom(match.start(), match.end(), "relative", days)


def _unit(word: str) -> Unit:
    units: dict[str, Unit] = {
        "day": "day", "week": "week", "month": "month", "quarter": "quarter", "year": "year", "decade": "decade",
    }  # fmt: skip
    return units[word.rstrip("s")]


def _units_before(day: date, count: int, word: str) -> date:
    if word.startswith("fortnight"):
        return periods.shift(day, "week", -2 * count)
    if word.startswith("hour"):
        return periods.shift(day, "day", -((count + 23) // 24))
    return periods.shift(day, _unit(word), -count)


def _too_far(match: re.Match[str]) -> Atom:
    error = f'"{match.group(0).strip()}" reaches back before the calendar starts; give a smaller number.'
    return Atom(match.start(), match.end(), "relative", error=error)


def _last_units(match: re.Match[str], context: Context) -> Atom:
    """The last N days, weeks, months or years up to and with today."""
    try:
        before = _units_before(context.today, count_of(match["n"]), match["u"])
    except (ValueError, OverflowError):
        return _too_far(match)
    first = before if match["u"].startswith("hour") else min(periods.day_after(before), context.today)
    return Atom(match.start(), match.end(), "relative", (first, context.today))


def _units_ago(match: re.Match[str], context: Context) -> Atom:
    """Two years ago is that whole year, a month ago that month, ten days ago that day."""
    try:
        day = _units_before(context.today, count_of(match["n"]), match["u"])
    except (ValueError, OverflowError):
        return _too_far(match)
    whole = (
        "day" if match["u"].startswith("hour") else "week" if "fortnight" in match["u"] else _unit(match["u"])
    )
    return Atom(match.start(), match.end(), "relative", periods.around(day, whole), point=day)


def _to_date(match: re.Match[str], context: Context) -> Atom:
    days = periods.around(context.today, _unit(match["u"]))
    return Atom(match.start(), match.end(), "relative", (days[0], context.today))


PANDEMIC = (date(2020, 3, 11), date(2023, 5, 5))
"""The World Health Organization called COVID-19 a pandemic on the first of these days, its emergency over on the last."""


def _pandemic(match: re.Match[str], _: Context) -> Atom:
    return Atom(match.start(), match.end(), "range", PANDEMIC)


INVASION = date(2022, 2, 24)
"""The day Russia began to invade all of Ukraine."""


def _invasion(match: re.Match[str], _: Context) -> Atom:
    return Atom(match.start(), match.end(), "day", (INVASION, INVASION))


def _now(match: re.Match[str], context: Context) -> Atom:
    return Atom(match.start(), match.end(), "now", (context.today, context.today))


_CLOCK = r"(?:(?:t|,? )\d{1,2}:\d\d(?::\d\d(?:\.\d+)?)?(?: ?(?:z|utc|gmt|[+-]\d\d:?\d\d))?\b)?"
_RULES: tuple[tuple[re.Pattern[str], Reader], ...] = tuple(
    (re.compile(pattern), reader)
    for pattern, reader in (
        (rf"(?<![\w,-])(?<!\w\.)(?P<y>{_YEAR})(?P<sep>[-/.])(?P<m>\d{{1,2}})(?P=sep)(?P<d>\d{{1,2}})(?=t\d|\b){_CLOCK}(?![\d-]|\.\w)",
         _year_month_day),
        (r"(?<![\w.,])(?P<y>19[89]\d|20[0-3]\d)(?P<m>0[1-9]|1[0-2])(?P<d>[0-2]\d|3[01])(?!\w|[.,-]\w|%)", _year_month_day),
        (rf"(?<![\w.,/-])(?P<a>\d{{1,2}})(?P<sep>[-/.])(?P<b>\d{{1,2}})(?P=sep)(?P<y>{_YEAR})(?!\w|[.-]\w)", _numeric_day),
        (r"(?<![\w.,/-])(?P<a>\d{1,2})(?P<sep>/)(?P<b>\d{1,2})/(?P<y>[0-3]\d)(?![\w/]|[.,-]\w)", _numeric_day),
        (rf"\b(?P<d>{_DAY})(?: of |[ /-])?(?P<m>{_MON})(?:,? |[-/]|, ?of | of )?(?P<y>{_YEAR})\b(?!\.\w)", _named_day),
        (rf"\b(?P<m>{_MON})(?: the |[ -])?(?P<d>{_DAY})(?:,? | of |,|-)(?P<y>{_YEAR})\b(?!\.\w)", _named_day),
        (rf"\b(?P<y>{_YEAR})[ -](?P<m>{_MON})[ -](?P<d>{_DAY})\b", _named_day),
        (rf"\b(?P<d>{_DAY})(?: ?- ?| to | and | through | until )(?:the )?(?P<e>{_DAY})(?: of)? (?P<m>{_MON}),? (?P<y>{_YEAR})\b",
         _named_days),
        (rf"\b(?P<m>{_MON}) (?P<d>{_DAY})(?: ?- ?| to | and | through | until )(?:the )?(?P<e>{_DAY})(?:,? | of )(?P<y>{_YEAR})\b",
         _named_days),
        (rf"\b(?P<d>{_DAY})(?: of)? (?P<m>{_MON})(?!\w)", _day_of_no_year),
        (rf"\b(?P<m>{_MON}) (?:the )?(?P<d>{_DAY})\b", _day_of_no_year),
        (rf"\b(?P<m>{_MON})(?:,? of |, ?| ?- ?|/| in | )?(?:the year )?(?P<y>{_YEAR}|'\d\d)\b(?!\.\w)", _month_year),
        (rf"(?<![\w-])(?P<y>{_YEAR})[ /-](?P<m>{_MON})(?![\w]| ?\d)", _month_year),
        (rf"(?<![\w.,/-])(?P<m>\d{{1,2}})[/](?P<y>{_YEAR})(?![\w/])", _month_year),
        (rf"(?<![\w.,/-])(?P<m>0[1-9]|1[0-2])[-.](?P<y>{_YEAR})(?![\w/-])", _month_year),
        (rf"(?<![\w.,/-])(?P<y>{_YEAR})(?P<sep>[-/])(?P<m>\d{{2}})(?![\w/-]|\.\w)", _year_and_two_digits),
        (rf"\b(?P<m>{_MON})(?![\w-]*\w)", _month_alone),
        (rf"\b(?P<m>{_MON})(?= ?- ?(?:{_MON}))", _month_alone),
        (rf"\bq(?P<n>[1-4])[ ,/-]*(?:of |in )?(?P<y>{_YEAR}|'\d\d)\b", _quarter),
        (rf"\b(?P<y>{_YEAR})[ ,/-]?q(?P<n>[1-4])\b", _quarter),
        (rf"\b(?:the )?(?P<n>1st|2nd|3rd|4th|first|second|third|fourth|last) quarter,?(?: of| in)? (?:the year )?(?P<y>{_YEAR})\b",
         _quarter),
        (rf"\bh(?P<n>[12])[ ,/-]*(?:of )?(?P<y>{_YEAR})\b", _half),
        (rf"\b(?P<y>{_YEAR})[ ,/-]?h(?P<n>[12])\b", _half),
        (rf"\b(?:the )?(?P<s>{_SEASON})(?: of| in)?(?: the year)?,? ?(?P<y>{_YEAR}|'\d\d)(?:[-/](?:20)?\d\d)?(?![\w-])",
         _season_year),
        (rf"\b(?P<y>{_YEAR})(?:[-/]\d\d)? (?P<s>{_SEASON})\b", _season_year),
        (rf"\b(?P<s>{_SEASON})\b", _season_alone),
        (r"\b(?:the )?(?P<y>(?:19[5-9]|20[0-4])0)'?s\b", _decade),
        (r"\b(?:the )'?(?P<y>[0-3589]0)'?s\b", _decade),
        (rf"\bweek (?:number |no\.? )?(?P<w>\d{{1,2}})(?: of|,| in)? (?P<y>{_YEAR})\b", _iso_week),
        (rf"\b(?P<y>{_YEAR})-?w(?P<w>\d{{2}})\b", _iso_week),
        (rf"\b(?P<h>christmas eve|christmas day|christmas|new year's eve|new year's day),?(?: of| in)? (?P<y>{_YEAR})\b", _holiday),
        (rf"(?P<y>{_YEAR})(?!\d)", _bare_year),
        (r"\b(?:the )?year (?P<y>20[4-9]\d|2[1-9]\d\d|[3-9]\d{3})(?!\w|[.,]\d)", _short_year),
        (r"(?:(?<=^)|(?<= ))(?P<y>'\d\d)(?![\w'])", _short_year),
        (r"\b(?P<w>the day before yesterday|today|yesterday|tomorrow|tonight)\b(?!'?s? \bmap\b)", _named_relative),
        (r"\b(?:the )?(?P<w>this|current|last|past|previous|next|coming) (?:calendar )?(?P<u>week|month|quarter|year|decade)\b(?! of)",
         _relative_unit),
        (rf"\b(?:the )?(?P<w>this|last|past|previous|next|coming) (?P<n>{_MON}|{_SEASON})(?!\w| \d)", _relative_name),
        (rf"\b(?:the )?(?:last|past|previous|most recent|preceding) (?P<n>{_COUNT})[ -](?P<u>{_UNIT})\b(?! of)", _last_units),
        (rf"\b(?P<n>{_COUNT}) (?P<u>{_UNIT}) (?:ago|back|earlier)\b", _units_ago),
        (r"\b(?P<u>year|month|quarter|week)[ -]to[ -]date\b", _to_date),
        (r"\bso far this (?P<u>year|month|quarter|week)\b", _to_date),
        (r"\b(?:the )?(?:(?:covid(?:[- ]?19)?|corona(?:virus)?) (?:pandemic|crisis|outbreak|years)|pandemic|covid(?:[- ]?19)?)\b", _pandemic),
        (r"\b(?:the )?(?:russian |full-scale )?(?:invasion(?: of ukraine)?|war in ukraine|ukraine (?:war|invasion))\b", _invasion),
        (r"\b(?:right )?(?:now|the present(?: day)?|present)\b(?! only)", _now),
    )
)  # fmt: skip


def atoms(context: Context) -> Iterator[Atom]:
    """The dates of the text from left to right, of those that overlap the leftmost and longest."""
    found: list[Atom] = []
    for pattern, reader in _RULES:
        for match in pattern.finditer(context.text):
            atom = reader(match, context)
            if atom is not None:
                found.append(atom)
    end = 0
    for atom in sorted(found, key=lambda atom: (atom.start, -atom.end)):
        if atom.start >= end:
            end = atom.end
            yield atom

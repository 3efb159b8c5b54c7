"""Every date phrase of a sentence as an inclusive range of whole UTC days.

What words mean where people differ:

- Seasons are meteorological and northern unless `southern`: spring is March to May, and winter 2019 runs
  from December 2019 to February 2020 (a season belongs to the year it starts in).
- Early, mid and late are thirds of a period (early 2019 is January to April). The start and the end of a year
  are its first and last quarter, of any other period its first and last third; "before the end of 2019"
  and "after the end of 2019" mean its last day.
- "The last two years" and "the past year" roll back from today, included; "last year" is the calendar year; "two years
  ago" is that whole calendar year, "a month ago" that month, "ten days ago" that day.
- "From May 2018" is that month; "from May 2018 on" and "since May 2018" are open.
- 03/04/2018: month first, unless another date of the sentence tells; `alternatives` holds both readings.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date

from copilot.planner.reading import periods
from copilot.planner.reading.date_atoms import Atom, Context, Kind, Part, atoms, backwards, count_of
from copilot.planner.reading.date_typos import as_written, day_first
from copilot.planner.reading.date_typos import corrected as typed_right
from copilot.planner.reading.periods import Days, Unit
from copilot.planner.reading.shifts import Shift
from copilot.planner.reading.text import NUMBER_WORDS, ORDINAL_WORDS, Rewritten, one_of, plain

Bounds = tuple[date | None, date | None]
"""First and last day, inclusive; None where open."""


@dataclass(frozen=True)
class DateSpan:
    """One date phrase: text[start_index:end_index] and the days it means."""

    start_index: int
    end_index: int
    text: str
    start: date | None
    """First day, UTC, inclusive; None where open, unknown or impossible."""
    end: date | None
    """Last day, inclusive."""
    kind: Kind
    """"month_only" for months, or a day of one, whose year the sentence does not give."""
    alternatives: tuple[Bounds, ...] = ()
    """Every reading of an ambiguous date, first the one taken; empty when there is only one."""
    months: tuple[int, ...] = ()
    """For "month_only": the months, 1 to 12, in the order they are meant."""
    day: int | None = None
    """For "month_only" from "17 May": the day of the month."""
    error: str | None = None
    """Why the phrase is no date, in a sentence; `start` and `end` are None then."""
    shift: Shift | None = None
    """For "shift": how the dates there are move; `start` and `end` are what it means where there are none."""
    negated: bool = False
    """Whether the sentence excludes these days ("not from 2019", "except May 2018")."""


@dataclass(frozen=True)
class _Found:
    """A date put together so far: an atom with its bounds."""

    start: int
    end: int
    atom: Atom
    bounds: Bounds
    kind: Kind
    alternatives: tuple[Bounds, ...] = ()
    listed: bool = False


def dates(text: str, today: date, *, southern: bool = False) -> list[DateSpan]:
    """The date phrases of `text`, left to right, never overlapping. Never raises on any text.

    today: the UTC day that relative phrases count from. southern: seasons of the southern hemisphere.
    """
    corrected = typed_right(plain(text))
    context = Context(corrected.text, today, southern, day_first(corrected.text))
    single = _with_parts(list(atoms(context)), context)
    single = [_resolved(atom) for atom in _with_years(single, context)]
    found = _bounded(_ranges(single, context), context)
    found = [item for item in _listed(found, context) if _stands(item, context, text, corrected)]
    floors = [0, *(item.end for item in found)]
    ceilings = [*(item.start for item in found[1:]), len(context.text)]
    rooms = zip(found, floors, ceilings, strict=False)
    return [_span(item, (floor, ceiling), context, text, corrected) for item, floor, ceiling in rooms]


# Parts of periods

_COUNTS = rf"(?:\d{{1,3}}|{one_of(NUMBER_WORDS)}|couple of|few)"
_PART = re.compile(
    r"(?:(?<=\W)|^)(?:the )?(?:very )?(?:"
    r"(?P<third>early|mid(?:dle)?|late)(?: part)?|(?P<edge>beginning|start|end)|"
    rf"(?P<nth>{one_of(ORDINAL_WORDS)}|1st|2nd|3rd|4th|5th|last|final) (?:(?P<count>{_COUNTS}) )?"
    r"(?P<unit>half|third|quarter|day|week|month|year)s?"
    r")(?: ?- ?| of the year | of the month of | of the | of | in | )$"
)


def _part_of(match: re.Match[str]) -> Part:
    if match["third"]:
        return Part("third", {"early": 0, "mid": 1, "middle": 1, "late": 2}[match["third"]], 3)
    if match["edge"]:
        return Part("end" if match["edge"] == "end" else "start")
    word, unit = match["nth"], match["unit"]
    index = -1 if word in ("last", "final") else ORDINAL_WORDS.get(word) or int(word[0])
    fractions = {"half": 2, "third": 3}
    if unit in fractions:
        return Part("third", fractions[unit] - 1 if index < 0 else index - 1, fractions[unit])
    units: dict[str, Unit] = {
        "day": "day",
        "week": "week",
        "month": "month",
        "quarter": "quarter",
        "year": "year",
    }
    return Part("unit", index, unit=units[unit], count=count_of(match["count"]) if match["count"] else 1)


def _with_parts(single: Sequence[Atom], context: Context) -> list[Atom]:
    """Each atom with the "early", "end of", "first week of" or "week of" before it."""
    done: list[Atom] = []
    for atom in single:
        floor = done[-1].end if done else 0
        grown = atom
        while atom.kind not in ("day", "now") and (match := _PART.search(context.text[floor : grown.start])):
            grown = replace(grown, start=floor + match.start(), parts=(*grown.parts, _part_of(match)))
        week = re.search(
            r"(?:\bthe )?\bweek (?:of|containing|around) (?:the )?$", context.text[floor : grown.start]
        )
        if week and grown.kind in ("day", "relative"):
            grown = replace(grown, start=floor + week.start(), parts=(*grown.parts, Part("week")))
        done.append(grown)
    return done


def _applied(days: Days, part: Part) -> Days:
    if part.word == "week":
        return periods.week_of(days[0])
    if part.word == "unit" and part.unit is not None:
        return periods.nth_unit(days, part.unit, part.index, part.count)
    if part.word in ("start", "end"):
        whole_year = days == periods.year(days[0].year)
        parts = 4 if whole_year else 3
        return periods.fraction(days, 0 if part.word == "start" else parts - 1, parts)
    return periods.fraction(days, part.index, part.parts)


def _resolved(atom: Atom) -> Atom:
    """The atom with its parts taken of its days."""
    days = atom.days
    if days is None or not atom.parts:
        return atom
    try:
        for part in atom.parts:
            days = _applied(days, part)
    except (ValueError, OverflowError) as error:
        return replace(atom, days=None, error=str(error))
    return replace(atom, days=days, kind="week" if atom.parts[-1].word == "week" else "part")


# Years that stand only once

_TO = r",? ?(?:-|\bto\b|\bthrough\b|\bthru\b|\btill?\b|\buntil\b|\bup to\b|\bup until\b)(?: and including)?(?: the)? ?"
_AND = r",? ?(?:,|\band\b|\bor\b|&|/|\band/or\b)(?: (?:in|from|of|on|the|also))* ?"
_JOIN = re.compile(rf"(?:{_TO}|{_AND}|,? (?:and|but) (?:before|until|till|up to|not after) )")


def _in_year(atom: Atom, year: int, southern: bool) -> Atom:
    """A month, a day of one, or a season, put into a year."""
    if atom.season:
        return replace(atom, kind="season", days=periods.season(atom.season, year, southern), months=())
    days = periods.month(year, atom.months[0])
    if atom.day is None:
        return replace(atom, kind="month", days=days, months=())
    if atom.day > days[1].day:
        error = f"There is no {days[0]:%B} {atom.day} in {year}; that month has days 1 to {days[1].day}."
        return replace(atom, kind="day", error=error)
    day = days[0].replace(day=atom.day)
    return replace(atom, kind="day", days=(day, day), months=(), day=None)


def _with_years(single: list[Atom], context: Context) -> list[Atom]:
    """In "May to July 2018" and "May 2018 to July", the year for both."""
    done = list(single)
    for index in range(len(done) - 2, -1, -1):
        left, right = done[index], done[index + 1]
        if left.needs_year and right.days and right.kind in ("month", "day", "season"):
            joined = _JOIN.fullmatch(context.text[left.end : right.start])
            if joined:
                later = (left.months[0], left.day or 0) > (
                    right.days[0].month,
                    right.days[0].day if left.day else 0,
                )
                back = later and not re.fullmatch(_AND, joined.group(0)) and not left.season
                done[index] = _in_year(left, right.days[0].year - back, context.southern)
    for index in range(1, len(done)):
        left, right = done[index - 1], done[index]
        if right.needs_year and left.days and left.kind in ("month", "day", "season"):
            joined = _JOIN.fullmatch(context.text[left.end : right.start])
            if joined:
                forward = right.months[0] < left.days[0].month and not re.fullmatch(_AND, joined.group(0))
                done[index] = _in_year(right, left.days[0].year + forward, context.southern)
    return done


# Ranges


def _prefix(pattern: str) -> re.Pattern[str]:
    """Words right before a date."""
    return re.compile(rf"(?:(?<=\W)|^)(?:{pattern})(?: (?:the|the year|year|the month of|around))? $")


_BETWEEN = _prefix("between")
_FROM = _prefix("from|starting|starting in|starting from|beginning in|beginning")


def _ranges(single: Sequence[Atom], context: Context) -> list[_Found]:
    """Pairs such as "from A to B", "A - B" and "between A and B" as one; the rest as they are."""
    found: list[_Found] = []
    index = 0
    while index < len(single):
        left, right = single[index], single[index + 1] if index + 1 < len(single) else None
        before = context.text[found[-1].end if found else 0 : left.start]
        opening = _BETWEEN.search(before) or _FROM.search(before)
        if right is not None and _joined(left, right, bool(_BETWEEN.search(before)), context):
            start = left.start - (len(opening.group(0)) if opening else 0)
            found.append(_range(left, right, start, context))
            index += 2
            continue
        bounds: Bounds = left.days or (None, None)
        found.append(_Found(left.start, left.end, left, bounds, left.kind, tuple(left.alternatives)))
        index += 1
    return found


def _joined(left: Atom, right: Atom, between: bool, context: Context) -> bool:
    gap = context.text[left.end : right.start]
    if left.kind == "now" or (right.kind == "now" and re.fullmatch(r" ?- ?", gap)):
        return False
    if left.needs_year != right.needs_year and not (left.error or right.error) and right.kind != "now":
        return False
    if left.kind == right.kind == "day" and gap.strip() in ("/", "..", "..."):
        return True
    return bool(re.fullmatch(_TO, gap) or (between and re.fullmatch(r" and(?: the)? ", gap)))


def _range(left: Atom, right: Atom, start: int, context: Context) -> _Found:
    whole = replace(left, start=start, end=right.end, kind="range", parts=(), alternatives=())
    error = left.error or right.error
    if left.days is None or right.days is None:
        if left.needs_year and right.needs_year and not error:
            last = right.months[-1]
            count = (last - left.months[0]) % 12 + 1
            months = tuple((left.months[0] - 1 + step) % 12 + 1 for step in range(count))
            whole = replace(whole, kind="month_only", months=months, day=None)
        return _Found(start, right.end, replace(whole, error=error), (None, None), whole.kind)
    if right.kind == "now":
        return _Found(start, right.end, whole, (left.days[0], None), "since")
    first, last_day = left.days[0], right.days[1]
    if (right.days[0] < first and last_day < left.days[1]) or last_day < first:
        error = backwards(context.text[start : right.end], first, last_day)
        return _Found(start, right.end, replace(whole, days=None, error=error), (None, None), "range")
    lefts, rights = left.alternatives or (left.days,) * 2, right.alternatives or (right.days,) * 2
    readings = [(one[0], two[1]) for one, two in zip(lefts, rights, strict=False) if one[0] <= two[1]]
    alternatives = tuple(readings) if (left.alternatives or right.alternatives) and len(readings) > 1 else ()
    return _Found(start, right.end, whole, (first, last_day), "range", alternatives)


# Open ends

_FILL = r"(?: only| just| those| ones| images| acquired| taken| dated| from| in)*"
_BEFORE_WORDS: tuple[tuple[re.Pattern[str], Kind], ...] = (
    (_prefix(rf"not before|no earlier than|(?:not|no) older than|since{_FILL}|ever since|as of|as from|starting(?: in| on| from| with)?|"
             r"beginning (?:in|on|with)|from and after|on or after|>=|not earlier than"), "since"),
    (_prefix(r"not after|no later than|not later than|(?:not|no) (?:newer|younger) than|until|till?|up to(?: and including)?|up until|through|thru|by|"
             r"on or before|<=|ending(?: in| on)?"), "until"),
    (_prefix(r"after|later than|newer than|more recent than|younger than|following|past|post|>"), "after"),
    (_prefix(r"before|prior to|earlier than|older than|ahead of|preceding|pre|<"), "before"),
)  # fmt: skip
_SIGNS: dict[str, Kind] = {
    ">": "after",
    ">=": "since",
    "≥": "since",
    "<": "before",
    "<=": "until",
    "≤": "until",
}
_SIGN = re.compile(r"(?<!\w)(?P<sign>[<>]=?|[≤≥])$")
_HYPHENED = re.compile(r"\b(?P<word>pre|post)-$")
_AFTER_WORDS: tuple[tuple[re.Pattern[str], Kind], ...] = (
    (re.compile(r",? ?(?:onwards?|and onwards?|on(?= ?(?:$|[.,;!?)]))|and (?:later|after|newer|since|up|beyond)|or (?:later|newer|after)|"
                r"(?:to|till?|until|up to|up until|through|and up to|-) ?(?:right )?(?:now|the present day|the present|present|date|this day)|"
                r"forwards?)\b"), "since"),
    (re.compile(r"\+(?!\w)"), "since"),
    (re.compile(r",? ?(?:and|or) (?:earlier|before|older|prior)\b"), "until"),
)  # fmt: skip
_OLDER = re.compile(
    rf"\b(?P<w>older|newer|more recent|younger|less|more) than (?P<n>\d{{1,4}}|an?|{one_of(NUMBER_WORDS)}) "
    r"(?P<u>day|week|month|year)s?\b(?P<old> old| ago)?"
)


def _open(bounds: Bounds, kind: Kind, ends: bool) -> Bounds:
    """The half line a word opens; `ends` when the date is "the end of" something."""
    start, end = bounds
    if start is None or end is None:
        return bounds
    if kind == "since":
        return start, None
    if kind == "until":
        return None, end
    if kind == "after":
        return periods.day_after(end), None
    return None, end if ends else periods.day_before(start)


def _latest(atom: Atom, context: Context) -> Atom:
    """A month without a year, of the latest year in which it had begun by today."""
    for year in (context.today.year, context.today.year - 1):
        placed = _in_year(atom, year, context.southern)
        if placed.days and placed.days[0] <= context.today:
            return placed
    return atom


def _opened(item: _Found, floor: int, context: Context) -> _Found:
    """The item with the word before or after it that opens one of its ends."""
    before, after = context.text[floor : item.start], context.text[item.end :]
    if item.kind in ("since", "now") or item.atom.error:
        return item
    for pattern, kind in _BEFORE_WORDS:
        if match := pattern.search(before):
            return _half_line(item, kind, floor + match.start(), item.end, context)
    if match := _SIGN.search(before):
        return _half_line(item, _SIGNS[match["sign"]], floor + match.start(), item.end, context)
    if match := _HYPHENED.search(before):
        kind = "before" if match["word"] == "pre" else "after"
        return _half_line(item, kind, floor + match.start(), item.end, context)
    for pattern, kind in _AFTER_WORDS:
        if match := pattern.match(after):
            opening = _FROM.search(before)
            start = floor + opening.start() if opening else item.start
            return _half_line(item, kind, start, item.end + match.end(), context)
    return item


def _half_line(item: _Found, kind: Kind, start: int, end: int, context: Context) -> _Found:
    atom = _resolved(_latest(item.atom, context)) if item.atom.needs_year and not item.atom.day else item.atom
    bounds = atom.days if item.atom.needs_year and atom.days else item.bounds
    if item.atom.point is not None:
        bounds = item.atom.point, item.atom.point
    if bounds[0] is None:
        return replace(item, start=start, end=end)
    ends = any(part.word == "end" for part in atom.parts)
    alternatives = tuple(_open(reading, kind, ends) for reading in item.alternatives)
    return replace(
        item, start=start, end=end, bounds=_open(bounds, kind, ends), kind=kind, alternatives=alternatives
    )


def _bounded(found: Sequence[_Found], context: Context) -> list[_Found]:
    """Open ends applied; "since A and before B" as one range; "older than two years" added."""
    done: list[_Found] = []
    for item in found:
        item = _opened(item, done[-1].end if done else 0, context)
        last = done[-1] if done else None
        joined = last and re.fullmatch(r",? (?:and |but )?", context.text[last.end : item.start])
        if (
            last
            and joined
            and last.kind in ("since", "after")
            and item.kind in ("before", "until")
            and last.bounds[1] is None
        ):
            done[-1] = _closed(last, item, context)
        else:
            done.append(item)
    return sorted([*done, *_ages(done, context)], key=lambda item: item.start)


def _closed(first: _Found, last: _Found, context: Context) -> _Found:
    """A range from where `first` opens to where `last` closes."""
    start, end = first.bounds[0], last.bounds[1]
    both = replace(first, end=last.end, bounds=(start, end), kind="range", alternatives=())
    if start is not None and end is not None and end < start:
        error = backwards(context.text[first.start : last.end], start, end)
        return replace(both, bounds=(None, None), atom=replace(first.atom, days=None, error=error))
    return both


def _ages(found: Sequence[_Found], context: Context) -> list[_Found]:
    """ "Older than two years", "less than 3 months old"."""
    ages: list[_Found] = []
    for match in _OLDER.finditer(context.text):
        old = match["w"] in ("older", "more") and match["w"] != "more recent"
        if (match["w"] in ("less", "more") and not match["old"]) or any(
            item.start < match.end() and match.start() < item.end for item in found
        ):
            continue
        units: dict[str, Unit] = {"day": "day", "week": "week", "month": "month", "year": "year"}
        try:
            day = periods.shift(context.today, units[match["u"]], -count_of(match["n"]))
        except (ValueError, OverflowError):
            continue
        bounds: Bounds = (None, periods.day_before(day)) if old else (periods.day_after(day), None)
        atom = Atom(match.start(), match.end(), "relative")
        ages.append(_Found(match.start(), match.end(), atom, bounds, "before" if old else "after"))
    return ages


# Lists, and what is left over


def _listed(found: Sequence[_Found], context: Context) -> list[_Found]:
    """Dates in a list that follow each other without a gap, or yearless months in one, as one."""
    done: list[_Found] = []
    for item in found:
        last = done[-1] if done else None
        if (
            last
            and re.fullmatch(_AND, context.text[last.end : item.start])
            and (merged := _merged(last, item))
        ):
            done[-1] = merged
        else:
            done.append(item)
    return done


def _merged(left: _Found, right: _Found) -> _Found | None:
    if left.kind == right.kind == "month_only" and not (left.atom.day or right.atom.day):
        months = tuple(dict.fromkeys(left.atom.months + right.atom.months))
        return replace(left, end=right.end, atom=replace(left.atom, months=months), listed=True)
    (start, middle), (other, end) = left.bounds, right.bounds
    if None in (start, middle, other, end) or left.alternatives or right.alternatives:
        return None
    if middle is not None and other is not None and periods.day_after(middle) == other:
        return replace(left, end=right.end, bounds=(start, end), kind="range")
    return None


_MONTH_PREPOSITION = _prefix(
    r"in|of|during|from|since|until|till|for|every|each|before|after|between|through|throughout|early|mid|late|about|not|by"
)
_ALSO_WORDS = frozenset("may march mar dec sep sept jan jun apr oct aug spring fall august".split())


def _stands(item: _Found, context: Context, text: str, corrected: Rewritten) -> bool:
    """Whether a date is one: not "now", and not the verbs "may", "march", "fall" or a lone "spring"."""
    if item.kind == "now":
        return False
    if item.kind != "month_only" or item.atom.day or item.atom.error:
        return True
    words = context.text[item.atom.start : item.atom.end].strip(". ")
    before = context.text[: item.start]
    if item.end > item.atom.end or item.start < item.atom.start or _MONTH_PREPOSITION.search(before):
        return bool(item.start < item.atom.start or item.listed or not re.search(r"\bto $", before))
    if words in _ALSO_WORDS or item.atom.season:
        capital = text[corrected.origin[item.atom.start]].isupper()
        sentence_start = not before.strip() or before.rstrip()[-1] in ".!?"
        alone = not re.search(r"\w", before + context.text[item.end :])
        return capital and (alone or not sentence_start) and not item.atom.season
    return True


_LEAD = re.compile(
    r"(?:(?<=\W)|^)(?P<not>(?:all but|(?:but )?(?:not|except(?: for)?|excluding|other than|without|outside(?: of)?)) )?"
    r"(?:(?:acquired|taken|dated|captured|collected|recorded) )?"
    r"(?:(?:in|on|during|from|within|between|over|throughout|of|for|dated|at) )?(?:the )?(?:(?:whole |entire )?(?:year|month of) )?$"
)
_TRAIL = re.compile(
    r"(?:,? (?:at )?\d{1,2}(?::\d\d){1,2}(?: ?(?:am|pm|utc|gmt|z))?| at (?:\d{1,2} ?(?:am|pm)|noon|midnight))\b"
)


def _span(item: _Found, room: tuple[int, int], context: Context, text: str, corrected: Rewritten) -> DateSpan:
    """The item with its prepositions, in the indices of the original text."""
    floor, ceiling = room
    lead = _LEAD.search(context.text[floor : item.start])
    start = floor + lead.start() if lead else item.start
    trail = _TRAIL.match(context.text[item.end : ceiling])
    first = corrected.origin[start]
    end = item.end + (trail.end() if trail else 0)
    last = corrected.origin[end] if end >= len(context.text) else corrected.origin[end - 1] + 1
    unknown = bool(item.atom.error) or item.kind == "month_only"
    bounds: Bounds = (None, None) if unknown else item.bounds
    return DateSpan(
        first, last, text[first:last], *bounds, item.kind,
        alternatives=() if unknown else item.alternatives,
        months=item.atom.months if item.kind == "month_only" else (),
        day=item.atom.day if item.kind == "month_only" else None,
        error=as_written(item.atom.error, text[first:last]),
        negated=bool(lead and lead["not"]),
    )  # fmt: skip

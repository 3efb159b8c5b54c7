"""What a run says, against the gold reply: ROUGE-L recall by words, and the numbers."""

from __future__ import annotations

import re
from functools import lru_cache

from rapidfuzz.distance import LCSseq

from copilot.bench.check.same import folded, near

_WORD = re.compile(r"\d+(?:[.,]\d+)*|\w+", re.UNICODE)
_MONTHS = (
    "january", "february", "march", "april", "may", "june",
    "july", "august", "september", "october", "november", "december",
)  # fmt: skip
_MONTH = "(" + "|".join(f"{name}|{name[:3]}\\.?" for name in _MONTHS) + "|sept\\.?)"
_DATES = (
    re.compile(r"(?P<year>\d{4})-(?P<month>\d{2})-(?P<day>\d{2})"),
    re.compile(
        rf"(?P<day>\d{{1,2}})(?:st|nd|rd|th)? {_MONTH.replace('(', '(?P<month>', 1)},? (?P<year>\d{{4}})"
    ),
    re.compile(
        rf"{_MONTH.replace('(', '(?P<month>', 1)} (?P<day>\d{{1,2}})(?:st|nd|rd|th)?,? (?P<year>\d{{4}})"
    ),
)
_NUMBER = re.compile(
    r"(?<![\w.:/#-])[-−+]?(?:\d{1,3}(?:[,\u00a0\u202f]\d{3})+|\d+)(?:\.\d+)?"
    r"(?=(?:km|m|ha|px)\b|[^\w:/.-]|[.:-](?!\w)|$)",
)
"""Not those inside of a name: WorldView-3, Boeing737, 04032.tif, table-60b99a."""
_SPELLED = {
    "no": 0, "none": 0, "nothing": 0, "zero": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5,
    "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10, "eleven": 11, "twelve": 12,
}  # fmt: skip


def rouge_l(wanted: str, said: str) -> float:
    """ROUGE-L recall: the words of the longest common subsequence, as a share of the wanted ones.

    By words, case and accents aside; 1 when nothing is wanted.
    """
    reference, words = _words(wanted), _words(said)
    if not reference:
        return 1.0
    return float(LCSseq.similarity(reference, words)) / len(reference)


@lru_cache(maxsize=50_000)
def _words(text: str) -> tuple[str, ...]:
    return tuple(each.replace(",", "") for each in _WORD.findall(folded(text)))


@lru_cache(maxsize=50_000)
def dates_in(text: str) -> frozenset[str]:
    """The days that a text names, as YYYY-MM-DD: 2019-03-14, 14 March 2019, March 14, 2019."""
    return frozenset(_day(match) for pattern in _DATES for match in pattern.finditer(text.casefold()))


def _day(match: re.Match[str]) -> str:
    month = match["month"]
    number = (
        int(month)
        if month.isdigit()
        else next(index for index, name in enumerate(_MONTHS, 1) if name.startswith(month[:3]))
    )
    return f"{match['year']}-{number:02d}-{int(match['day']):02d}"


@lru_cache(maxsize=50_000)
def numbers_in(text: str) -> tuple[float | int, ...]:
    """The numbers that a text says, days aside: 24,775 is one, and WorldView-3 holds none."""
    bare = text.casefold()
    for pattern in _DATES:
        bare = pattern.sub(" ", bare)
    return tuple(_value(found) for found in _NUMBER.findall(bare))


def _value(text: str) -> float | int:
    plain = re.sub(r"[,\u00a0\u202f]", "", text).replace("−", "-")
    return float(plain) if "." in plain else int(plain)


def unsaid(
    wanted: str, said: str, epsilon: float, free: frozenset[float | int | str] = frozenset()
) -> list[str]:
    """The numbers and days of the wanted reply, `free` ones aside, that do not stand in what was said.

    Whole numbers must stand there as they are, others within ε. Small ones may be spelled out.
    """
    spoken = (*numbers_in(said), *_spelled(said))
    lost = [
        f"{number:,}"
        for number in dict.fromkeys(numbers_in(wanted))
        if number not in free and not any(near(number, other, epsilon) for other in spoken)
    ]
    return [*lost, *sorted(dates_in(wanted) - dates_in(said) - free)]


@lru_cache(maxsize=50_000)
def _spelled(text: str) -> tuple[int, ...]:
    return tuple(_SPELLED[word] for word in _words(text) if word in _SPELLED)

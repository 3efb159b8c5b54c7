"""Spoken numbers: those said in several words, written in digits: "twenty eighteen", "minus one point five".

Other numbers of a single word are left as they are, for "one" and "second" are other things too.
"""

from __future__ import annotations

import calendar
import re
from dataclasses import dataclass

from copilot.planner.reading.text import NUMBER_WORDS, ORDINAL_WORDS, Rewritten, plain, rewrite

_UNITS = {word: n for word, n in NUMBER_WORDS.items() if n < 20}
_FROM_TWENTY = {word: n // 10 for word, n in NUMBER_WORDS.items() if n >= 20 and n % 10 == 0}
_ORDINALS = {word: n for word, n in ORDINAL_WORDS.items() if n < 10}
_TEENTHS = (
    "tenth eleventh twelfth thirteenth fourteenth fifteenth sixteenth "
    "seventeenth eighteenth nineteenth twentieth"
).split()
_DAYS = _ORDINALS | {word: n for n, word in enumerate(_TEENTHS, 10)} | {"thirtieth": 30}
"""Days of a month that are said in one word."""
_MONTHS = frozenset(name.lower() for name in (*calendar.month_name, *calendar.month_abbr) if name)
_SCALES = {"thousand": 1_000, "million": 1_000_000}
_CENTURIES = range(10, 22)
"""The first two digits of a year that is said as two numbers."""
_WORD = re.compile(r"[a-z]+")


@dataclass(frozen=True)
class _Said:
    """A word, and where it stands."""

    text: str
    start: int
    end: int


class _Words:
    """Words that follow each other with nothing but spaces or hyphens between, read from the left."""

    def __init__(self, words: list[_Said]) -> None:
        self.words, self.at = words, 0

    def take(self, known: dict[str, int], least: int = 0, most: int = 99) -> int | None:
        """The value of the next word, if it is one of these."""
        value = known.get(self.words[self.at].text) if self.at < len(self.words) else None
        if value is None or not least <= value <= most:
            return None
        self.at += 1
        return value

    def skip(self, text: str) -> bool:
        """Whether the next word is this one, which is then behind."""
        is_next = self.at < len(self.words) and self.words[self.at].text == text
        self.at += is_next
        return is_next

    def below_100(self) -> int | None:
        """A number of one or two digits."""
        tens = self.take(_FROM_TWENTY)
        if tens is None:
            return self.take(_UNITS)
        return 10 * tens + (self.take(_UNITS, 1, 9) or 0)

    def below_1000(self) -> int | None:
        """A number of up to three digits, or a year that is said as two numbers."""
        begun = self.at
        first = 1 if self.skip("a") else self.below_100()
        if first is None:
            return None
        if self.at - begun == 1 and self.words[begun].text == "a" and not self._is_scale():
            self.at = begun
            return None
        if self.skip("hundred"):
            before = self.at
            self.skip("and")
            rest = self.below_100()
            if rest is None:
                self.at = before
            return 100 * first + (rest or 0)
        before = self.at
        if first in _CENTURIES:
            if self.skip("oh") and (ones := self.take(_UNITS, 1, 9)) is not None:
                return 100 * first + ones
            self.at = before
            second = self.below_100()
            if second is not None and second >= 10:
                return 100 * first + second
            self.at = before
        return first

    def _is_scale(self) -> bool:
        return self.at < len(self.words) and self.words[self.at].text in ("hundred", *_SCALES)

    def digits(self) -> str | None:
        """A number that is said digit by digit, as on the radio: "one two zero", "six two decimal one".

        Without a zero or decimals it may be a list as well: "points one two three".
        """
        begun, said = self.at, ""
        while (digit := self.take(_UNITS, 0, 9)) is not None:
            said += str(digit)
        if len(said) > 1 and ("0" in said or self._is_next("decimal") or self._is_next("point")):
            return said
        self.at = begun
        return None

    def _is_next(self, text: str) -> bool:
        return self.at < len(self.words) and self.words[self.at].text == text

    def whole(self) -> int | None:
        """A whole number."""
        total = self.below_1000()
        if total is None:
            return None
        for word, scale in reversed(_SCALES.items()):
            if self.skip(word):
                before = self.at
                self.skip("and")
                rest = self.below_1000()
                if rest is None:
                    self.at = before
                return total * scale + (rest or 0)
        return total

    def day(self) -> str | None:
        """A day of a month that is named behind it, in digits: "third" of "third of July"."""
        begun = self.at
        day = self.take(_DAYS)
        behind = self.at
        self.skip("of")
        is_month = self.at < len(self.words) and self.words[self.at].text in _MONTHS
        self.at = behind if day is not None and is_month else begun
        return f"{day}{_ending(day)}" if day is not None and is_month else None

    def number(self) -> str | None:
        """A number in digits, with its sign, its decimals or as a day of the month."""
        begun = self.at
        sign = "-" if self.skip("minus") else ""
        tens = self.at
        if not sign and (ten := self.take(_FROM_TWENTY)) is not None:
            if (day := self.take(_ORDINALS)) is not None:
                return f"{10 * ten + day}{_ending(day)}"
            self.at = tens
        value = self.digits() or self.whole()
        if value is None:
            self.at = begun
            return None
        before = self.at
        if self.skip("point") or self.skip("decimal"):
            decimals = ""
            while (digit := self.take(_UNITS, 0, 9)) is not None:
                decimals += str(digit)
            if decimals:
                return f"{sign}{value}.{decimals}"
            self.at = before
        return f"{sign}{value}"


def _ending(day: int) -> str:
    return {1: "st", 2: "nd", 3: "rd"}.get(day, "th")


def written(text: str) -> Rewritten:
    """The text with its spoken numbers in digits, and where each character stood."""
    lowered, found = plain(text), list[tuple[int, int, str]]()
    for run in _runs(lowered):
        words = _Words(run)
        while words.at < len(run):
            first = words.at
            day = words.day()
            number = day or words.number()
            if number is None:
                words.at = first + 1
            elif day or words.at - first > 1:
                found.append((run[first].start, run[words.at - 1].end, number))
    return rewrite(text, found)


def _runs(lowered: str) -> list[list[_Said]]:
    """The words, together as long as only a space or a hyphen is between."""
    runs: list[list[_Said]] = []
    for match in _WORD.finditer(lowered):
        word = _Said(match[0], match.start(), match.end())
        if runs and lowered[runs[-1][-1].end : word.start] in (" ", "-"):
            runs[-1].append(word)
        else:
            runs.append([word])
    return runs

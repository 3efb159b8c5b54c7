"""Place names in a sentence: the longest ones, none overlapping, and no ordinary words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from rapidfuzz.distance import DamerauLevenshtein

from data.gazetteer.model import Mention, Resolution
from data.gazetteer.names import normalise
from data.gazetteer.resolve import Resolver
from data.gazetteer.table import ALTERNATE
from data.gazetteer.words import ORDINARY, PLACE_PREPOSITIONS, PREPOSITIONS, WORD_CODES, is_known

MAX_WORDS = 7
LARGE_CITY = 100_000  # people; smaller ones need a capital letter
MONTHS = frozenset(
    "january february march april may june july august september october november december".split()
)
STORMS = frozenset("hurricane typhoon cyclone storm".split())  # "Hurricane Florence" is not in Florence
SHORT_NAMES = frozenset("usa uk eu uae nyc lax jfk drc".split())
SHORT_CAPITALS = frozenset(
    "US LA SF DC BC NRW PRC NSW ROK KSA NZ KL GCC DMZ PNG SFO DFW CDG LHR DXB PEI K2".split()
)
_WORD = re.compile(r"(?:[^\W\d_]\.){2,}|[^\W_]+(?:['’.&/-][^\W_]+)*")
_JOIN = re.compile(r"[ \t]*|[ \t]*[.][ \t]*|[ \t]*-[ \t]*")
_QUALIFIER = re.compile(r"\s*,\s*|\s+")
_COMMA = re.compile(r"\s*,\s*")
_KIND = re.compile(r"\s*\((?:the )?(?:country|state|US state|city|province|island)\)", re.IGNORECASE)
_NOUN = re.compile(
    r"[ ](?:islands?|archipelago|province|prefecture|harbou?r|metro area|metropolitan area|urban area)\b"
)
_LEAD = re.compile(
    r"\b(?:state|city|port|province|country|island|republic|kingdom|town) of (?:the )?$", re.IGNORECASE
)


@dataclass(frozen=True)
class Word:
    """A word and where it stands in the text."""

    start: int
    end: int
    text: str

    @property
    def lower(self) -> str:
        return self.text.lower()

    @property
    def capital(self) -> bool:
        return self.text[:1].isupper()


class Finder:
    """Finds mentions with one resolver."""

    def __init__(self, resolver: Resolver) -> None:
        self.resolver = resolver

    def mentions(self, text: str) -> list[Mention]:
        """The mentions, in order; see `Gazetteer.mentions`."""
        words = [Word(m.start(), m.end(), m[0]) for m in _WORD.finditer(text)]
        found: list[Mention] = []
        i = 0
        while i < len(words):
            mention, used = self._at(text, words, i, found[-1].end if found else 0)
            if mention:
                found.append(mention)
            i += max(1, used)
        return found

    def _at(self, text: str, words: list[Word], i: int, free_from: int) -> tuple[Mention | None, int]:
        """The mention that starts at word i and how many words it takes."""
        for n in self._spans(text, words, i):
            span = text[words[i].start : words[i + n - 1].end]
            if self._is_name(text, words, i, n, span, free_from):
                return self._mention(text, words, i, n, free_from)
        return self._misspelled(text, words, i)

    @staticmethod
    def _spans(text: str, words: list[Word], i: int) -> Iterator[int]:
        """Numbers of words that may be one name, longest first."""
        n = 1
        while (
            n < MAX_WORDS
            and i + n < len(words)
            and _JOIN.fullmatch(text, words[i + n - 1].end, words[i + n].start)
        ):
            n += 1
        return iter(range(n, 0, -1))

    # Is it a name?

    def _is_name(self, text: str, words: list[Word], i: int, n: int, span: str, free_from: int) -> bool:
        key = normalise(span)
        if (
            not key
            or key.isdigit()
            or (n > 1 and words[i].lower == "the" and n == 2 and words[i + 1].lower in ORDINARY)
        ):
            return False
        if n > 1 and (words[i].lower in PREPOSITIONS or words[i + n - 1].lower in PREPOSITIONS):
            return False
        rows = self.resolver.table.rows(key)
        if not rows:
            return False
        if n == 1 and len(key) <= 3:
            if self._is_short_name(words[i], i > 0 and words[i - 1].lower == "the"):
                return True
            return self._is_short_city(rows, words, i)
        if (n == 1 and key in MONTHS | STORMS) or (i > 0 and words[i - 1].lower in STORMS):
            return False
        before = i - 1 - (i > 1 and words[i - 1].lower == "the")
        introduced = before >= 0 and words[before].lower in PREPOSITIONS
        # "around Kotor, Split and Bari": what follows a place and a comma is introduced with it.
        introduced = introduced or (free_from > 0 and text[free_from : words[i].start].strip() == ",")
        starts = i == 0 or text[words[i - 1].end : words[i].start].strip() in (".", "!", "?", ":")
        named = (
            words[i + n - 1].capital
            and (words[i].capital or words[i].lower == "the")
            and not (starts and n == 1)
        )
        if all(word.lower in ORDINARY for word in words[i : i + n]) and n < 3 and not self._is_area(rows, n):
            if not all(word.capital for word in words[i : i + n]):
                return False
            return introduced or self._before_its_area(text, words, i, n)
        if named:
            return self._fits_capitals(rows, introduced)
        if self._fits_lower_case(rows, key):
            return True
        return (
            len(key) > 3 and self._qualified(text, words, i, n, words[i].start, words[i + n - 1].end)[1] > n
        )

    def _before_its_area(self, text: str, words: list[Word], i: int, n: int) -> bool:
        """Whether a comma and the area that holds it follow: "Nice, France", "Mobile, Alabama"."""
        end = words[i + n - 1].end
        if i + n >= len(words) or not _COMMA.fullmatch(text, end, words[i + n].start):
            return False
        return self._qualified(text, words, i, n, words[i].start, end)[1] > n

    @staticmethod
    def _is_short_name(word: Word, after_the: bool) -> bool:
        """ "US", "UK", "LA", "NYC", "D.C." in capitals; in lower case only those that are no words."""
        letters = word.text.replace(".", "")
        if after_the and letters == "us":
            return True
        return letters.lower() in SHORT_NAMES or (letters.isupper() and letters in SHORT_CAPITALS)

    def _is_short_city(self, rows: list[tuple[int, int]], words: list[Word], i: int) -> bool:
        """A large city of three letters after a preposition: "in Rio", "near Ufa"."""
        before = i - 1
        if before < 0 or words[before].lower not in PLACE_PREPOSITIONS or words[i].lower in ORDINARY:
            return False
        return words[i].capital and any(
            self.resolver.table.population(row) >= 5 * LARGE_CITY for row, _ in rows
        )

    def _is_area(self, rows: list[tuple[int, int]], n: int) -> bool:
        """Two ordinary words that name a sea, a coast or a country: "red sea", "black forest"."""
        return n > 1 and any(self.resolver.table.kind(row) != "city" for row, _ in rows)

    def _fits_capitals(self, rows: list[tuple[int, int]], introduced: bool) -> bool:
        table = self.resolver.table
        least = 0 if introduced else 15_000
        return any(
            table.kind(r) != "city" or table.population(r) >= least * (4 if c == ALTERNATE else 1)
            for r, c in rows
        )

    def _fits_lower_case(self, rows: list[tuple[int, int]], key: str) -> bool:
        table = self.resolver.table
        if any(table.kind(r) != "city" and c != ALTERNATE for r, c in rows):
            return True
        # A spelling from the long list of alternative names may be a word of some language.
        return any(
            table.population(r) >= (LARGE_CITY if c != ALTERNATE else 20 * LARGE_CITY) for r, c in rows
        ) or (" " in key and any(table.population(r) >= 15_000 for r, c in rows if c != ALTERNATE))

    # What belongs to it

    def _mention(self, text: str, words: list[Word], i: int, n: int, free_from: int) -> tuple[Mention, int]:
        start, end = words[i].start, words[i + n - 1].end
        if n > 1 and words[i].lower == "the":
            start = words[i + 1].start
        used = n
        lead = _LEAD.search(text, free_from, start)
        if lead and self.resolver.resolve(text[lead.start() : end]).candidates:
            start = lead.start()
        kind = _KIND.match(text, end)
        if kind:
            end = kind.end()
            used += sum(1 for word in words[i + n :] if word.start < end)
        else:
            end, used = self._qualified(text, words, i, n, start, end)
        name = text[start:end]
        if noun := _NOUN.match(
            text, end
        ):  # "the Fiji islands": the noun belongs to the name, and says nothing more
            used += 1
            whole = self.resolver.resolve(text[start : noun.end()])
            meant = whole if whole.candidates and not whole.corrected else self.resolver.resolve(name)
            return Mention(start, noun.end(), text[start : noun.end()], meant), used
        return Mention(start, end, name, self.resolver.resolve(name)), used

    def _qualified(
        self, text: str, words: list[Word], i: int, n: int, start: int, end: int
    ) -> tuple[int, int]:
        """The end with the qualifiers that follow (", PA", ", Illinois, USA"), and the words used."""
        used = n
        for _ in range(2):
            for m in (3, 2, 1):
                if self._is_qualifier(text, words, i + used, m, text[start:end]):
                    end, used = words[i + used + m - 1].end, used + m
                    break
            else:
                break
        return end, used

    def _is_qualifier(self, text: str, words: list[Word], j: int, m: int, name: str) -> bool:
        if j + m > len(words):
            return False
        gap = text[words[j - 1].end : words[j].start]
        tail = text[words[j].start : words[j + m - 1].end]
        if not _QUALIFIER.fullmatch(gap) or "," in tail:
            return False
        comma = bool(_COMMA.fullmatch(gap))
        code = tail.replace(".", "")
        if (
            len(code) == 2
            and not code.isupper()
            and (code.lower() in WORD_CODES and not (comma and code.lower() == "pa"))
        ):
            return False
        if not self.resolver.containers(tail):
            return False
        return self._exactly(f"{name}, {tail}")

    def _exactly(self, name: str) -> bool:
        found = self.resolver.resolve(name)
        return bool(found.candidates) and not found.corrected

    # Misspellings

    def _misspelled(self, text: str, words: list[Word], i: int) -> tuple[Mention | None, int]:
        """A misspelled name after a place preposition, up to the next ordinary word."""
        before = i - 1 - (i > 1 and words[i - 1].lower == "the")
        if before < 0 or words[before].lower not in PLACE_PREPOSITIONS | {"of"}:
            return None, 0
        n = next((k for k in self._spans(text, words, i)), 1)
        stop = next(
            (
                k
                for k in range(n)
                if not words[i + k].text.isalpha() or words[i + k].lower in PREPOSITIONS | ORDINARY
            ),
            n,
        )
        for k in range(min(stop, 3), 0, -1):
            resolution = self._corrected(text[words[i].start : words[i + k - 1].end], words[i : i + k])
            if resolution:
                end, used = self._qualified_typo(text, words, i, k)
                name = text[words[i].start : end]
                return Mention(
                    words[i].start, end, name, self.resolver.resolve(name) if used > k else resolution
                ), used
        return None, 0

    def _corrected(self, span: str, words: list[Word]) -> Resolution | None:
        if any(len(word.text) < 3 for word in words):
            return None
        known = all(is_known(word.lower) for word in words)
        if known and len(words) == 1:
            return None
        found = self.resolver.resolve(span)
        if found.best is None or not found.corrected:
            return None
        # Of words that are all English, only one slip away is a misspelling: "los angelos".
        slips = DamerauLevenshtein.distance(normalise(span), normalise(found.best.name))
        return None if known and slips > 1 else found

    def _qualified_typo(self, text: str, words: list[Word], i: int, k: int) -> tuple[int, int]:
        end = words[i + k - 1].end
        j = i + k
        if (
            j < len(words)
            and _QUALIFIER.fullmatch(text, end, words[j].start)
            and words[j].lower not in WORD_CODES - {"pa"}
        ):
            name = text[words[i].start : words[j].end]
            if self.resolver.containers(words[j].text) and self.resolver.resolve(name).candidates:
                return words[j].end, k + 1
        return end, k

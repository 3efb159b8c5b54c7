"""Months and seasons with a slip of the keyboard, and the order in which a sentence writes days and months."""

from __future__ import annotations

import re

from rapidfuzz.distance import OSA

from copilot.planner.reading.date_atoms import MONTHS
from copilot.planner.reading.text import Rewritten, plain, rewrite

_CALENDAR_WORDS = [*(word for word in MONTHS if len(word) > 4), "spring", "summer", "autumn", "winter"]
_ORDINARY_WORDS = frozenset("marsh match string sprint summed sprung".split())


def corrected(lowered: str) -> Rewritten:
    """Months and seasons with one letter wrong, missing, doubled or swapped, put right next to a number."""
    corrections: list[tuple[int, int, str]] = []
    for match in re.finditer(r"(?<![\w'-])[a-z]{4,11}(?![\w'-])", lowered):
        word = match.group(0)
        if word in MONTHS or word in _CALENDAR_WORDS or word in _ORDINARY_WORDS:
            continue
        near = re.match(r",? (?:of )?'?\d", lowered[match.end() :]) or re.search(
            r"\d(?:st|nd|rd|th)? $", lowered[: match.start()]
        )
        if near:
            close = [name for name in _CALENDAR_WORDS if OSA.distance(word, name, score_cutoff=1) <= 1]
            corrections += [(match.start(), match.end(), close[0])] if len(close) == 1 else []
    return rewrite(lowered, corrections)


def day_first(text: str) -> bool | None:
    """Whether days come before months, when some slashed or hyphened date of the text shows it."""
    for match in re.finditer(r"(?<!\d)(\d{1,2})[/-](\d{1,2})[/-](?:19|20)\d\d(?!\d)", text):
        if 12 < int(match[1]) <= 31 and int(match[2]) <= 12:
            return True
        if 12 < int(match[2]) <= 31 and int(match[1]) <= 12:
            return False
    return None


def as_written(error: str | None, written: str) -> str | None:
    """The error with its quotation in the letters the user wrote."""
    quoted = re.match(r'"([^"]*)"', error) if error else None
    if not error or not quoted or quoted[1] not in plain(written):
        return error
    at = plain(written).index(quoted[1])
    return f'"{written[at : at + len(quoted[1])]}"{error[quoted.end() :]}'

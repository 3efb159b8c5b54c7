"""Slips of the keyboard in the words that hold a request together, mended before it is read again."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from rapidfuzz import process
from rapidfuzz.distance import OSA

from copilot.planner.everyday import EVERYDAY
from copilot.planner.spans import Span

_MENDED = tuple(
    """around near within between plot show display images image count export download heatmap cluster clusters footprints points
    histogram chart table zoom satellite basemap layer layers select newest latest oldest vehicles aircraft buildings compare
    remove delete filter only since before after during from with without where which many february january march april june july
    august september october november december cloud clouds cover region scenes results detections legend rename
    xview1 xview2 xview3 sarfish fair1m fmow bigearthnet""".split()
)
_WORD = re.compile(r"(?<![\w/.:-])[a-z][a-z0-9]{3,}(?![\w/:-])")
_JOINED_MONTH = re.compile(r"\b(jan|feb|mar|apr|may|jun|jul|aug|sept?|oct|nov|dec)[a-z]*'?(\d{2}|\d{4})\b", re.I)


def mended(text: str, spans: Sequence[Span]) -> str:
    """The text with misspelled everyday words put right; what names something is left alone."""
    found = _JOINED_MONTH.sub(lambda match: f"{match[1]} {_year(match[2])}", text)
    inside = [(span.start, span.end) for span in spans if span.kind not in ("count", "field")] if found == text else []

    def replace(match: re.Match[str]) -> str:
        if any(start < match.end() and match.start() < end for start, end in inside):
            return match[0]
        return _right(match[0])

    return _WORD.sub(replace, found)


@cache
def _right(word: str) -> str:
    if word in EVERYDAY or word in _MENDED or word.rstrip("s") in EVERYDAY or word.endswith(("ing", "ed", "er")):
        return word
    limit = 1 if len(word) <= 5 else 2
    best = process.extractOne(word, _MENDED, scorer=OSA.distance, score_cutoff=limit)
    if best is None or best[0][0] != word[0] or abs(len(best[0]) - len(word)) > 1:
        return word
    return best[0]


def _year(digits: str) -> str:
    return digits if len(digits) == 4 else f"20{digits}"

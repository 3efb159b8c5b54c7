"""An earlier table or chart that a request wants back: "the bar chart again, not the pie", "the first of the two tables"."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from copilot.planner.lexicon import FIELDS
from copilot.planner.situation import Call, Situation

_AGAIN = re.compile(
    r"\b(?:again|back|once more|earlier|previous|before the|already|panel|not the|first|second|third|other)\b",
    re.I,
)
_NEW = re.compile(
    r"\b(?:make|draw|plot|create|compute|build|sort|join|export|save|download|add|style|rename|correlate|only|\d{4})\b",
    re.I,
)
_THINGS = (
    ("table", re.compile(r"\b(?:tables?|counts? (?:per|by|of)|results? (?:per|by))\b", re.I)),
    (
        "figure",
        re.compile(
            r"\b(?:charts?|figures?|graphs?|pie|bars?|histogram|scatter ?plot|box ?plot|line)\b", re.I
        ),
    ),
)
_SHAPES = {
    "bar_figure": r"bars?", "pie_figure": r"pie", "line_figure": r"lines?", "histogram_figure": r"histogram|distribution",
    "scatter_figure": r"scatter", "box_figure": r"box(?:es|plots?)?", "group_count": r"counts?", "aggregate": r"means?|averages?|medians?|sums?",
}  # fmt: skip
"""The words for what a tool made."""
_LEFT = re.compile(
    r"\b(?:not|instead of|rather than|before|but not|in place of)\b(?: that)? (?=the\b|a\b|that\b)", re.I
)
"""What comes after is not the one that is meant."""
_ORDER = {"first": 0, "second": 1, "third": 2}
_MOST_WORDS = 24


def shown_again(request: str, situation: Situation) -> Call | None:
    """The call that shows one of several tables or charts that are here again; None for any other request."""
    if not _AGAIN.search(request) or _NEW.search(request) or len(request.split()) > _MOST_WORDS:
        return None
    meant = _LEFT.split(request, maxsplit=1)[0]
    for kind, words in _THINGS:
        here = [each for each in situation.state["artifacts"] if each["kind"] == kind]
        if len(here) > 1 and words.search(meant) and (one := _one_of(here, meant)) is not None:
            return Call(f"show_{kind}", {kind: one})
    return None


def _one_of(here: Sequence[Mapping[str, Any]], meant: str) -> str | None:
    """The id of the one that the words leave: by its shape, by what it is grouped by, then by its place in the order."""
    left = list(here)
    for telling in (_by_shape, _by_field):
        left = telling(left, meant) or left
    if len(left) == 1:
        return str(left[0]["id"])
    order = re.search(r"\b(first|second|third)\b", meant, re.I)
    if order and _ORDER[order[1].lower()] < len(left):
        return str(left[_ORDER[order[1].lower()]]["id"])
    told = len(left) < len(here) or re.search(r"\b(?:earlier|previous|other|before)\b", meant, re.I)
    if not told:
        return None
    return str(left[-2 if len(left) == len(here) else -1]["id"])


def _by_shape(here: Sequence[Mapping[str, Any]], meant: str) -> list[Mapping[str, Any]]:
    said = {tool for tool, words in _SHAPES.items() if re.search(rf"\b(?:{words})\b", meant, re.I)}
    return [each for each in here if str(each["made_by"]).split("(")[0] in said]


def _by_field(here: Sequence[Mapping[str, Any]], meant: str) -> list[Mapping[str, Any]]:
    """Those grouped by what the words name: by its name, or by a word for it."""
    said = {name for word, name in FIELDS.items() if re.search(rf"\b{re.escape(word)}\b", meant, re.I)}
    said |= set(re.findall(r"\w+", meant.lower()))
    return [each for each in here if said & set(re.findall(r"\bby=(\w+)", str(each["made_by"])))]

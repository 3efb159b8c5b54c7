"""Only some of what was found: which sizes, scores, classes and parts of the image a few words ask for.

A request is read so only where it says nothing beside that: "only the big ones on the left", "above 0.6?".
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from copilot.planner.declared.idioms.vision import CLASSES, share_of
from copilot.planner.reading.text import COUNT, whole_number

_NUMBER = r"(?P<n>\d+(?:\.\d+)?)"
_METRES = r" ?(?:m|met(?:re|er)s?)\b(?: long| in length)?"
_MORE = r"(?:longer|larger|bigger|greater|more|higher|better) than|over|above|at least|exceeding|from"
_LESS = r"(?:shorter|smaller|lower|less|worse) than|under|below|up to|at most"
_SCORE = r"(?:0?\.\d+|\d{1,2} ?(?:%|per ?cent))"
_SIDE = r"(?:half|side|part|edge|third)"
_BEFORE = rf"(?:(?:top )?(?P<count>(?!one\b){COUNT}) )?"
_AFTER = rf"(?: (?P<after>(?!ones?\b){COUNT})\b)?"


@dataclass
class Narrowed:
    """What a list of detections is to be asked for, and what must be said of how the words were read."""

    args: dict[str, Any] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


def _length(key: str) -> Callable[[Narrowed, re.Match[str]], None]:
    def read(found: Narrowed, match: re.Match[str]) -> None:
        found.args[key] = float(match["n"])

    return read


def _score(key: str) -> Callable[[Narrowed, re.Match[str]], None]:
    def read(found: Narrowed, match: re.Match[str]) -> None:
        found.args[key] = share_of(match["score"])

    return read


def _order(value: str) -> Callable[[Narrowed, re.Match[str]], None]:
    def read(found: Narrowed, match: re.Match[str]) -> None:
        found.args["order"] = value
        count = match.groupdict().get("count") or match.groupdict().get("after")
        if count:
            found.args["limit"] = max(1, min(whole_number(count) or 1, 10_000))

    return read


def _vague(value: str, word: str) -> Callable[[Narrowed, re.Match[str]], None]:
    def read(found: Narrowed, match: re.Match[str]) -> None:
        found.args["order"] = value
        said = match[0].split()[-1].lower()
        found.notes.append(
            f"Nothing is left out: '{said}' names no length, so the {word} come first; say for instance "
            f"'{'longer' if value == 'longest' else 'shorter'} than 20 m' for a limit."
        )

    return read


_COMPASS = {"north": "top", "south": "bottom", "west": "left", "east": "right"}
_SIDES = {"upper": "top", "lower": "bottom", **_COMPASS}


def _part(found: Narrowed, match: re.Match[str]) -> None:
    words = re.findall(r"top|bottom|upper|lower|left|right|north|south|east|west", match[0].lower())
    down = [_SIDES.get(each, each) for each in words if _SIDES.get(each, each) in ("top", "bottom")]
    across = [_SIDES.get(each, each) for each in words if _SIDES.get(each, each) in ("left", "right")]
    found.args["part"] = "-".join([*down[:1], *across[:1]]) or "middle"
    if any(each in _COMPASS for each in words):
        found.notes.append("The top of the image is taken for north.")


def _verdict(found: Narrowed, match: re.Match[str]) -> None:
    found.args["verdict"] = match["verdict"].lower()


_READ: tuple[tuple[re.Pattern[str], Callable[[Narrowed, re.Match[str]], None]], ...] = tuple(
    (re.compile(pattern, re.I), read)
    for pattern, read in (
        (rf"\b(?:{_MORE}) {_NUMBER}{_METRES}|{_NUMBER.replace('?P<n>', '')}{_METRES} or (?:more|longer)", _length("min_length_m")),
        (rf"\b(?:{_LESS}) {_NUMBER}{_METRES}", _length("max_length_m")),
        (rf"\b(?:{_MORE}) (?:a )?(?:scores? (?:of )?)?(?P<score>{_SCORE})", _score("min_score")),
        (rf"\b(?:{_LESS}) (?:a )?(?:scores? (?:of )?)?(?P<score>{_SCORE})", _score("below_score")),
        (rf"\b{_BEFORE}(?:longest|largest|biggest)\b{_AFTER}", _order("longest")),
        (rf"\b{_BEFORE}(?:shortest|smallest|tiniest)\b{_AFTER}", _order("shortest")),
        (r"\b(?:least|not so|not|less) (?:sure|certain|confident)\b|\b(?:doubtful|uncertain|unsure|shaky)\b", _order("unsure")),
        (rf"\b{_BEFORE}(?:surest|(?:most|really|very) (?:sure|certain|confident)|best|certain|sure|confident)\b{_AFTER}", _order("score")),
        (r"\b(?:double[- ]?check|look at again|worth checking)\b", _order("unsure")),
        (r"\bhow (?:big|long|large|wide)\b|\b(?:sizes?|lengths?|dimensions)\b", _order("longest")),
        (r"\b(?:big|large|long|bigger|larger|longer)\b", _vague("longest", "longest")),
        (r"\b(?:small|short|tiny|little|smaller|shorter)\b", _vague("shortest", "shortest")),
        (rf"\b(?:(?:top|upper|bottom|lower|north|south)(?:ern)?[- ]?)?(?:left|right|east|west)(?:ern)?(?:most)?(?:[- ]?hand)?\b(?: (?:{_SIDE}|corner|quarter))?"
         rf"|\b(?:top|upper|bottom|lower|north|south)(?:ern)?\b(?: {_SIDE})?|\b(?:middle|cent(?:re|er))\b", _part),
        (r"\b(?P<verdict>unreviewed|confirmed|rejected|relabelled|reviewed)\b", _verdict),
    )
)  # fmt: skip
"""What is read, in this order; what was read is taken out of the words."""
_AROUND = frozenset(
    "a about all also an and are at be boxes but by can could detected detection detections did display do does filter "
    "for found from give got half has have here how i image in is it its just keep let limit list lie many me my narrow "
    "need no not now object objects of ok okay on one ones only our out part picture photo please result results score scores "
    "see show side so still tell than that the their them then there these they this those to us want was we were what what's "
    "where which who with within would yes you top sorry wait actually again rather instead restrict".split()
)
"""Words that may stand around it."""
_REMAINING = re.compile(r"\b(?:are|is|what'?s) left\b|\bleft (?:to|over|out)\b", re.I)
"""What is left, and not on the left."""


def narrowing(text: str) -> Narrowed | None:
    """What a request narrows a list of detections to; None where it says anything else, or nothing of the kind."""
    if _REMAINING.search(text):
        return None
    found, rest = Narrowed(), text
    for pattern, read in _READ:
        match = pattern.search(rest)
        if match is None:
            continue
        if not ("order" in found.args and read.__qualname__.startswith(("_order", "_vague"))):
            read(found, match)
        rest = f"{rest[: match.start()]} {rest[match.end() :]}"
    for name, pattern_text in CLASSES:
        if match := re.search(rf"\b(?:{pattern_text})\b", rest, re.I):
            found.args["class_name"] = name
            rest = f"{rest[: match.start()]} {rest[match.end() :]}"
    words = re.findall(r"[a-z][a-z']*|\d\S*", rest.lower().replace("’", "'"))
    if not found.args or any(each not in _AROUND for each in words):
        return None
    return found

"""Disasters in a request: "the Palu tsunami", "the tsunami in Palu", "after Harvey"."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

_HAZARDS = {
    "earthquake": r"(?:earth)?quakes?",
    "fire": r"(?:wild|bush)?fires?(?! station)",
    "wildfire": r"(?:wild|bush)?fires?(?! station)",
    "bushfire": r"(?:wild|bush)?fires?(?! station)",
    "flooding": r"flood(?:s|ed|ing|ings)?",
    "tsunami": r"tsunamis?",
    "tornado": r"tornado(?:e?s)?|twisters?",
    "volcano": r"volcan\w+|eruptions?|lava",
    "hurricane": r"hurricanes?|storms?|cyclones?",
}
_ALSO = {
    "socal": r"socal|southern california",
    "midwest": r"mid-?west(?:ern)?",
    "nepal": r"nepal(?:ese)?",
    "mexico": r"mexic(?:o|an)",
}
_BETWEEN = (
    r"(?:\W+(?:in|of|at|near|around|the|over|hitting|that|which|hit|struck|from|after|"
    r"year|eruption|wild|big|great))*\W+"
)
_AFTER = r"(?:after|before|during|by|from|of|post|pre|since|following)"


def event_mentions(text: str, events: Sequence[str]) -> Iterator[tuple[int, int, str]]:
    """(start, end, event) of each event that a text names by its place or name and its kind."""
    for event, pattern in _patterns(tuple(events)):
        for match in pattern.finditer(text):
            yield match.start(), match.end(), event


@lru_cache(maxsize=8)
def _patterns(events: tuple[str, ...]) -> tuple[tuple[str, re.Pattern[str]], ...]:
    found = []
    for event in events:
        words = re.split(r"[-_ ]+", event.lower())
        kinds = [word for word in words if word in _HAZARDS]
        names = [_ALSO.get(word, re.escape(word)) for word in words if word not in _HAZARDS]
        if not kinds or not names:
            found.append((event, re.compile(rf"\b{'[-_ ]'.join(map(re.escape, words))}\b", re.IGNORECASE)))
            continue
        kind, name = rf"(?:{_HAZARDS[kinds[0]]})", r"[-_ ]".join(names)
        ways = [rf"{name}{_BETWEEN}{kind}", rf"{kind}{_BETWEEN}{name}"]
        if kinds[0] == "hurricane" or words[0] in ("joplin", "woolsey", "pinery", "tuscaloosa"):
            ways.append(rf"(?<=\b){_AFTER} (?:the )?{name}")
        found.append((event, re.compile(rf"\b(?:{'|'.join(ways)})\b", re.IGNORECASE)))
    return tuple(found)

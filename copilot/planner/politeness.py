"""Words around a request that say nothing of what is wanted: greetings, pleas, thanks."""

from __future__ import annotations

import re

POLITE = frozenset(
    """please pls plz thanks thank you thx cheers hi hello hey there ok okay so now well just could can would will kindly i d ll like need
    want to me you mind helping help one more thing quick for my our the a report briefing meeting team boss question request asap soon
    when if get chance possible urgent sorry again also next then and first good morning afternoon evening everyone azimuth colleague
    really quickly it is that be great nice good in advance today bother trouble before after another short follow up question note fyi team""".split()
)
"""Words that say nothing of what is wanted."""
_FIRST = re.compile(r"^\s*([^.!?:,;\n]{1,60})[.!:,]\s+(?=\S)")
_LAST = re.compile(r"(?<=[.!?\w])[.!,]?\s+([^.!?:,;\n]{1,40})[.!]*\s*$")
_THANKS = re.compile(r"\b(?:thanks?|thx|cheers|please|pls|plz)\b", re.I)


def without_politeness(request: str) -> str:
    """The request without what is only polite before and after it; as it is where nothing else is left."""
    shorter = request
    while (first := _FIRST.match(shorter)) is not None and _is_polite(first[1]):
        shorter = shorter[first.end() :]
    last = _LAST.search(shorter)
    if last is not None and _is_polite(last[1]) and _THANKS.search(last[1]):
        shorter = shorter[: last.start()]
    return shorter if shorter.strip() else request


def _is_polite(text: str) -> bool:
    words = re.findall(r"\w+", text.lower())  # a number says something: "for 2021: how many per sensor?"
    return bool(words) and POLITE.issuperset(words)

"""The words of a text that say what it is about, for comparing two texts by them."""

from __future__ import annotations

import re
from typing import Final

_WORD = re.compile(r"[a-z]{3,}")
_STEM_LETTERS: Final = 6
_SMALL = frozenset(
    "the and for with from that this are was were has have not its into where which them".split()
)
"""Words that every text has."""


def stems(text: str) -> frozenset[str]:
    """The first six letters of each word of three letters or more, but for those that every text has."""
    return frozenset(each[:_STEM_LETTERS] for each in _WORD.findall(text.casefold()) if each not in _SMALL)


__all__ = ["stems"]

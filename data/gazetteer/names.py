"""How names are compared: without case, accents and punctuation."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

# Letters that Unicode does not decompose into a base letter and an accent.
_LETTERS = str.maketrans(
    {
        "ß": "ss",
        "ø": "o",
        "ł": "l",
        "đ": "d",
        "ð": "d",
        "þ": "th",
        "æ": "ae",
        "œ": "oe",
        "ı": "i",
        "ħ": "h",
        "ə": "e",
    }
)
_QUOTES = re.compile("['’‘`ʻʼ´.]")
_BREAKS = re.compile(r"[\W_]+")
# A word written in more than one way gets one spelling.
_SPELLINGS = {
    "st": "saint",
    "ste": "sainte",
    "mt": "mount",
    "ft": "fort",
    "&": "and",
    "isl": "island",
    "is": "island",
}


@lru_cache(maxsize=8192)
def normalise(name: str) -> str:
    """The key under which a name is stored and looked up; "" when it has no letters or digits.

    >>> normalise("  St. Louis, MO"), normalise("Côte d'Azur"), normalise("München")
    ('saint louis mo', 'cote dazur', 'munchen')
    """
    text = unicodedata.normalize("NFKD", name.casefold().translate(_LETTERS))
    text = "".join(c for c in text if not unicodedata.combining(c))
    words = _BREAKS.sub(" ", _QUOTES.sub("", text)).split()
    if len(words) > 1:
        words = [_SPELLINGS.get(word, word) for word in words]
        if words[0] == "the":
            words = words[1:]
    return " ".join(words)


def slug(name: str) -> str:
    """A name as part of an id: "Red Sea" → "red-sea"."""
    return normalise(name).replace(" ", "-")

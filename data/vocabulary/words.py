"""How a word is reduced to the key it is looked up by: case, accents, joiners, plurals."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from pathlib import Path

_IRREGULAR = {"buses": "bus", "busses": "bus", "aircrafts": "aircraft", "leaves": "leaf", "axes": "axis"}
_IN_E = frozenset({"caches", "axes", "niches"})
_NO_PLURAL = frozenset({"gas", "gps", "series", "as", "was", "has", "does", "yes", "texas", "always", "lens"})
_TOKEN = re.compile(r"[^\W_]+", re.UNICODE)


@lru_cache(maxsize=65536)
def singular(word: str) -> str:
    """The singular of a lower-case English noun, as far as the vocabulary needs it."""
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if word in _NO_PLURAL or len(word) < 4 or not word.endswith("s") or word.endswith(("ss", "us", "is")):
        return word
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("xes", "ches", "shes", "sses")) and word not in _IN_E:
        return word[:-2]
    return word[:-1]


def plain(text: str) -> str:
    """Lower case without accents; the length stays that of the composed text where it can."""
    folded = unicodedata.normalize("NFKD", text.casefold())
    return "".join(letter for letter in folded if not unicodedata.combining(letter))


def tokens(text: str) -> list[tuple[int, int, str]]:
    """(start, end, plain word) of each run of letters and digits; `_`, `-` and `/` part words."""
    found = [(match.start(), match.end(), plain(match.group())) for match in _TOKEN.finditer(text)]
    # "airport's" is "airport": a lone s after an apostrophe is no word
    return [token for token in found if not (token[2] == "s" and token[0] > 0 and text[token[0] - 1] in "'’")]


@lru_cache(maxsize=16384)
def key(text: str) -> str:
    """The look-up key of a class name or phrase: "Golf_Courses" gives "golf course"."""
    return " ".join(singular(word) for _, _, word in tokens(text))


@lru_cache(maxsize=16384)
def spelled(text: str) -> str:
    """A name for comparing as published: case and joiners aside, plurals kept."""
    return " ".join(word for _, _, word in tokens(text))


def data_lines(path: Path) -> list[str]:
    """The lines of one of the vocabulary's text tables, without comments and blank ones."""
    lines = path.read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line.strip() and not line.startswith("#")]

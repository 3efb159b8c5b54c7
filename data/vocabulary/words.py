"""How a word is reduced to the key it is looked up by: case, accents, joiners, plurals."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

_IRREGULAR = {
    "buses": "bus", "busses": "bus", "lorries": "lorry", "ferries": "ferry", "bus": "bus", "gas": "gas",
    "aircraft": "aircraft", "aircrafts": "aircraft", "moss": "moss", "glass": "glass", "grass": "grass",
    "campus": "campus", "crops": "crop", "marshes": "marsh", "beaches": "beach", "churches": "church",
    "hovercraft": "hovercraft", "watercraft": "watercraft", "houses": "house", "greenhouses": "greenhouse",
    "warehouses": "warehouse", "tennis": "tennis", "us": "us", "gps": "gps", "series": "series", "this": "this",
    "analysis": "analysis", "status": "status", "series'": "series", "axes": "axis", "is": "is", "was": "was",
    "has": "has", "as": "as", "its": "its", "mosques": "mosque", "leaves": "leaf", "lighthouses": "lighthouse",
    "coppices": "coppice", "across": "across", "class": "class", "classes": "class", "powerhouses": "powerhouse",
    "does": "does", "yes": "yes", "paris": "paris", "texas": "texas", "airbus": "airbus", "airbuses": "airbus",
    "toll": "toll", "canoes": "canoe", "dikes": "dike", "rubbles": "rubble", "shoes": "shoe", "seas": "sea",
    "yachts": "yacht", "movies": "movie", "cities": "city", "prairies": "prairie", "dredges": "dredge",
    "barges": "barge", "garages": "garage", "bridges": "bridge", "interchanges": "interchange", "caches": "cache",
}  # fmt: skip
_TOKEN = re.compile(r"[^\W_]+", re.UNICODE)


@lru_cache(maxsize=65536)
def singular(word: str) -> str:
    """The singular of a lower-case English noun, as far as the vocabulary needs it."""
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if len(word) < 4 or not word.endswith("s") or word.endswith(("ss", "us", "is")):
        return word
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("xes", "ches", "shes", "sses")):
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


def key(text: str) -> str:
    """The look-up key of a class name or phrase: "Golf_Courses" gives "golf course"."""
    return " ".join(singular(word) for _, _, word in tokens(text))


def spelled(text: str) -> str:
    """A name for comparing as published: case and joiners aside, plurals kept."""
    return " ".join(word for _, _, word in tokens(text))

"""Words around place names: prepositions, qualifiers' short forms, and words that are not places."""

from __future__ import annotations

import gzip
from functools import cache
from pathlib import Path

# After one of these a capitalised word is a place even when it is also an ordinary word ("near Nice").
PREPOSITIONS = frozenset(
    "in near around at over of from to between and off across within inside outside along beside by into "
    "onto towards toward above below beyond past through via for surrounding covering or vs versus".split()
)
# After one of these a misspelling is looked for ("around Marsielle").
PLACE_PREPOSITIONS = frozenset(
    "in near around over from to between off within inside outside along across towards at".split()
)

# Ordinary words that are also names of cities, regions or their aliases: never a place in lower case.
_HERE = Path(__file__).parent
ORDINARY = frozenset((_HERE / "ordinary_words.txt").read_text(encoding="utf-8").split())

US_STATES = (
    "AL AK AZ AR CA CO CT DE DC FL GA HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO MT NE NV NH NJ NM NY NC "
    "ND OH OK OR PA RI SC SD TN TX UT VT VA WA WV WI WY"
).split()
# Two-letter codes that are also words: they qualify only in capitals, or after a comma.
WORD_CODES = frozenset(
    "in or me ok hi oh la de ma id co al as at be by do go he if is it my no of on so to up us we".split()
)
PROVINCES = {
    "AB": "Alberta",
    "BC": "British Columbia",
    "MB": "Manitoba",
    "NB": "New Brunswick",
    "NL": "Newfoundland and Labrador",
    "NS": "Nova Scotia",
    "NT": "Northwest Territories",
    "NU": "Nunavut",
    "ON": "Ontario",
    "PE": "Prince Edward Island",
    "QC": "Québec",
    "SK": "Saskatchewan",
    "YT": "Yukon",
}


@cache
def known_words() -> frozenset[str]:
    """Frequent English words (22,000), never taken for a misspelled place."""
    packed = (_HERE / "known_words.txt.gz").read_bytes()
    return frozenset(gzip.decompress(packed).decode().split("\n"))


def is_known(word: str) -> bool:
    """Whether a lower-case word, or what it is an ending of, is frequent English."""
    words = known_words()
    if word in words or word in ORDINARY:
        return True
    stems = (word.removesuffix(end) for end in ("s", "es", "ed", "ing", "ly", "er") if word.endswith(end))
    return any(len(stem) > 2 and (stem in words or stem + "e" in words) for stem in stems)

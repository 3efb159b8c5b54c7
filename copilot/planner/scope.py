"""Whether a request begins a new selection or goes on with the one there is."""

from __future__ import annotations

import re

from copilot.planner.clauses import Clause
from copilot.planner.situation import Situation

_GOES_ON = re.compile(
    r"^\W*(?:and|now|but|also|only|just|then|ok|okay|same|instead|what about|how about|or|no,|not|keep|restrict|limit|narrow|filter|"
    r"exclude|add|include|plus|without|make it|change|switch|within|in|from|for|since|before|after|between|near|around|those|these|"
    r"them|of those|of these|which of|how many of|the ones)\b"
    r"|\b(?:only|instead|as well|too|also|those|these|them|they|it|the same|still|again|of them|the rest|remaining|"
    r"the (?:images|results|selection|ones|scenes|data|rows|current)|current (?:selection|filters|results)|so far|"
    r"that|this (?:area|place|box|period|year|class|selection|set)|here|there)\b",
    re.I,
)
_SUBJECT = re.compile(
    r"\b(?:images?|scenes?|imagery|pictures?|photos?|data|everything|footage|passes|acquisitions|tiles|patches)\b",
    re.I,
)


def starts_anew(clause: Clause, label: str, situation: Situation) -> bool:
    """True when a clause says by itself what is wanted, so that what was filtered before is not meant."""
    if label == "filter" or _GOES_ON.search(clause.text):
        return False
    has_place = bool(clause.of("place", "point", "bbox"))
    has_subject = bool(clause.of("class", "dataset")) or bool(_SUBJECT.search(clause.text))
    kinds = {span.kind for span in clause.of("dataset", "class", "date", "attribute")} | (
        {"place"} if has_place else set()
    )
    if "dataset" in kinds and len(kinds) >= 2:
        return True
    if clause.of("event") and clause.of("class"):
        return True
    return has_place and has_subject

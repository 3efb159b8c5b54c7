"""Words for a kind of object that the detectors' classes do not tell apart: an airliner is found as a plane.

A list of all planes for "only the airliners" would pass for a list of airliners, so it is said.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from copilot.planner.situation import Situation

_PLANES = r"air ?planes?|aeroplanes?|aircrafts?|planes?|jets?"
_SHIPS = r"ships?|vessels?|boats?"
_NARROWER: tuple[tuple[str, str, str], ...] = (
    (
        "plane",
        "planes",
        rf"(?:passenger|cargo|fighter|private|military|civil|transport|jumbo|business) ?(?:{_PLANES})|jets?|airliners?|fighters?|bombers?",
    ),
    (
        "ship",
        "ships",
        rf"(?:container|cargo|cruise|fishing|passenger|sailing|sail|motor|naval|navy|military|war|tug|oil) ?(?:{_SHIPS})"
        r"|(?:oil |gas )?tankers?|ferr(?:y|ies)|barges?|yachts?|trawlers?|tugs?|frigates?|freighters?|bulk carriers?",
    ),
    ("large-vehicle", "large vehicles", r"trucks?|lorr(?:y|ies)|bus(?:es)?"),
    ("small-vehicle", "small vehicles", r"vans?|taxis?"),
    ("storage-tank", "storage tanks", r"(?:oil|fuel|gas|water) tanks?"),
)
_WORDS = tuple((name, plural, re.compile(rf"\b(?:{words})\b", re.I)) for name, plural, words in _NARROWER)


@dataclass(frozen=True)
class Kind:
    """A kind that was spoken of: the class that it is found as, what people call that, and the word."""

    class_name: str
    plural: str
    said: str

    @property
    def single(self) -> str:
        """The word for one of them."""
        word = self.said.lower()
        if word.endswith("ies"):
            return f"{word[:-3]}y"
        return word.removesuffix("es") if word.endswith("buses") else word.removesuffix("s")


def kinds_said(text: str) -> Iterator[Kind]:
    """The kinds that a text speaks of and that no detector here tells."""
    for name, plural, words in _WORDS:
        if match := words.search(text):
            yield Kind(name, plural, match[0])


def own_class(kind: Kind, found: Iterable[str], situation: Situation) -> str | None:
    """The class of what was found that is that very kind: a model's own, or one that a review gave."""
    given = (
        call.args.get("class_name")
        for turn in situation.past
        for call in turn.calls
        if call.tool == "review_detection" and call.args.get("verdict") == "relabel"
    )
    known = [*found, *(str(each) for each in given if each)]
    return next((each for each in known if each.casefold().replace("-", " ") == kind.single), None)


def untold(kind: Kind) -> str:
    """What is not known, in a sentence for the answer."""
    hint = (
        " 'what types are the planes' says which their length and span fit."
        if kind.class_name == "plane"
        else ""
    )
    return (
        f"These are all {kind.plural}: the detector knows no kinds of them, so which are {kind.said} is not "
        f"known.{hint}"
    )


def not_told_apart(kind: Kind) -> str:
    """Why nothing is said of a kind alone."""
    return (
        f"What was found are {kind.plural}, and the detector knows no kinds of them, so {kind.said} cannot be told "
        f"from the others; give their numbers, or say '{kind.plural}' for all of them."
    )

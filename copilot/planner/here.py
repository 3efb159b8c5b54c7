"""What was brought in stays what is spoken of, as long as no word names the catalogue."""

from __future__ import annotations

import re
from dataclasses import dataclass

from copilot.planner.asking import Reject
from copilot.planner.clauses import Clause
from copilot.planner.situation import Situation

_OF_CATALOGUE = re.compile(
    r"\b(?:images|imagery|scenes|pictures|photos|footprints|shots|data ?sets?|catalogue?|everything|all|rows|records|archive|collection)\b",
    re.I,
)
_SELECTS = ("dataset", "event", "place", "point", "bbox", "class", "attribute")
"""Phrases that say which images of the catalogue are meant."""
_KINDS = ("raster", "vector")


@dataclass(frozen=True)
class Brought:
    """A file of the user's that can be looked at or drawn."""

    kind: str
    name: str


def brought_in(situation: Situation) -> list[Brought]:
    """The images and the features that were brought in, the newest last."""
    return [
        Brought(str(each["kind"]), str(each["name"]))
        for each in situation.state["artifacts"]
        if each["kind"] in _KINDS and str(each["made_by"]).startswith("add_file")
    ]


def not_understood(situation: Situation) -> str:
    """That a request was not understood, with what could be asked: of what was brought in, if there is something."""
    here = [] if situation.state["database"]["loaded"] else brought_in(situation)
    if here and here[-1].kind == "raster":
        return (
            f"I did not understand what to do with {here[-1].name}. Try: what is in this image? how many ships are "
            "there? or map the water."
        )
    if here:
        return (
            f"I did not understand what to do with {here[-1].name}. I measure, cut, join and count its features, and keep "
            "those that one comparison picks. Try: how big are they? show only those with depth over 10, or show only "
            "those larger than 2 ha."
        )
    return (
        "I did not understand that as something to find, map, count, chart or export. "
        "Try: show ships near Rotterdam from 2020."
    )


def is_beside_the_catalogue(text: str, situation: Situation) -> bool:
    """Whether something was brought in, nothing is loaded, and no word names the catalogue or what it holds."""
    loaded = situation.state["database"]["loaded"]
    return bool(brought_in(situation)) and not loaded and not _OF_CATALOGUE.search(text)


def whole_catalogue(clause: Clause, situation: Situation) -> list[str]:
    """Every data set, for a clause that says of none which it means.

    Raises Reject where something was brought in and the clause does not turn from it to the catalogue.
    """
    if not clause.of(*_SELECTS) and is_beside_the_catalogue(clause.text, situation):
        raise Reject(not_understood(situation))
    return sorted(situation.datasets)

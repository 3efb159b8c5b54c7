"""What of a clause was not understood, so that the answer can say so instead of dropping it."""

from __future__ import annotations

import re

from rapidfuzz import process

from copilot.planner.asking import Ask
from copilot.planner.class_words import known_classes
from copilot.planner.clauses import Clause
from copilot.planner.everyday import EVERYDAY
from copilot.planner.reading.text import NUMBER_WORDS
from copilot.planner.situation import Situation

_WORD = re.compile(r"[^\W\d_][\w'’-]*")
_SELECTS = frozenset({"plot", "filter", "db_count", "group_count", "db_query", "top_n", "export"})


def leftovers(clause: Clause, label: str) -> list[str]:
    """A sentence naming the words of a selecting clause that named nothing known; empty when there are none."""
    if label not in _SELECTS and not label.endswith("_plot"):
        return []
    strange = [match[0] for match in _strange(clause)]
    if not strange:
        return []
    return [f"I could not use {_listed(strange)} and left {'it' if len(strange) == 1 else 'them'} out."]


def ask_about_unknown_things(clause: Clause, label: str, situation: Situation) -> None:
    """Raise Ask where the very things wanted are no class here: "where are the embassies"."""
    if label not in ("plot", "db_count", "cluster_plot") or clause.of("class", "attribute", "event", "field"):
        return
    for match in _strange(clause):
        word = match[0]
        after_a_place = any(
            0 <= match.start() - (span.end - clause.start) <= 1 for span in clause.of("place")
        )
        describes = _AN_IMAGE_AFTER.match(clause.text[match.end() :])
        if after_a_place or describes or word.lower() in _NO_THINGS:
            continue
        if (
            word.islower()
            and word.endswith("s")
            and not word.endswith("ss")
            and _IS_WANTED.search(clause.text[: match.start()])
        ):
            known = known_classes(situation)
            names = sorted({each.name for info in known.infos for each in info.classes})
            near = [name.replace("_", " ") for name, *_ in process.extract(word, names, limit=4)]
            raise Ask(
                f"No data set here has a class '{word}'. What should I look for instead?", near, about=word
            )


_NO_THINGS = frozenset(
    """islands isles mountains hills lakes rivers waters coasts countries provinces suburbs outskirts surroundings states regions
    boxes detections rings circles borders shores cities towns villages areas things items places scenes chips frames hits matches
    features points people persons series versus maps clusters details extras""".split()
)
"""Plurals that say where or how, and are no things to look for."""
_AN_IMAGE_AFTER = re.compile(
    r"\W+(?:\w+\W+)?(?:images?|scenes?|imagery|pictures?|photos?|shots?|data)\b", re.I
)
"""After a word that only describes: "the glorious fmow images"."""
_IS_WANTED = re.compile(
    r"(?:^|\b(?:show|plot|display|map|find|see|where|are|the|all|any|many|of|with|for|me|"
    r"count|images?|search|get|only|fmow|fair1m|xview\d?|and))\W+(?:\w+\W+)?$",
    re.I,
)


def strange_words(clause: Clause) -> list[str]:
    """The words of a clause that name nothing known and are no everyday words."""
    return [match[0] for match in _strange(clause)]


def _strange(clause: Clause) -> list[re.Match[str]]:
    inside = [(span.start - clause.start, span.end - clause.start) for span in clause.spans]
    return [
        match
        for match in _WORD.finditer(clause.text)
        if match[0].lower() not in EVERYDAY
        and match[0].lower() not in NUMBER_WORDS
        and len(match[0]) > 2
        and not any(start <= match.start() < end for start, end in inside)
    ]


def _listed(words: list[str]) -> str:
    quoted = [f"'{word}'" for word in dict.fromkeys(words)]
    return quoted[0] if len(quoted) == 1 else f"{', '.join(quoted[:-1])} and {quoted[-1]}"

"""What a clause counts by, and that there is something to count."""

from __future__ import annotations

import re
from collections.abc import Iterator

from copilot.planner.asking import Ask
from copilot.planner.clauses import Clause
from copilot.planner.here import whole_catalogue
from copilot.planner.lexicon import FIELDS
from copilot.planner.situation import Call, Situation

_BY = re.compile(
    r"\b(?:per|by|for each|for every|each|every|in each|of each|from each|across|among|"
    r"over|grouped by|split by|versus|against|vs)\s+(?:the\s+|all\s+)?$",
    re.I,
)
_ABOUT_BEFORE = re.compile(r"\b(?:them|these|those|it|this|that|selection|results)\b", re.I)
GROUPINGS = frozenset(
    {
        "class",
        "group",
        "dataset",
        "year",
        "month",
        "season",
        "day",
        "country",
        "sensor",
        "modality",
        "split",
        "event",
        "place",
    }
)


def need_data(clause: Clause, situation: Situation) -> Iterator[Call]:
    """Everything the catalogue has, when nothing is loaded and the question is not about something said before."""
    if situation.loaded:
        return
    if _ABOUT_BEFORE.search(clause.text) or not situation.datasets:
        raise Ask(
            "Nothing is loaded yet. Which data set do you mean?",
            [*sorted(situation.datasets)[:8], "all of them"],
            lacks_data=True,
        )
    yield Call("db_load", {"names": whole_catalogue(clause, situation)})


def group_field(clause: Clause) -> str | None:
    """The field that a clause counts or sums up by: "per sensor"."""
    for span in clause.of("field"):
        if _BY.search(clause.text[: span.start - clause.start]):
            return str(span.value)
    match = re.search(
        r"\b(?:per|by|for each|each|every)\s+(class|type|category|kind|year|month|day|season|"
        r"country|sensor)\b",
        clause.text,
        re.I,
    )
    return (
        {"type": "class", "category": "class", "kind": "class"}.get(match[1].lower(), match[1].lower())
        if match
        else None
    )


def any_grouping(clause: Clause) -> str | None:
    """The first field named that can be counted by, be it said with "per" or not."""
    named = [str(span.value) for span in clause.of("field")]
    named += [
        FIELDS.get(span.value.unit.lower(), "") for span in clause.of("count")
    ]  # "the top ten countries"
    return next((field for field in named if field in GROUPINGS), None)

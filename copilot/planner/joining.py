"""Neighbouring parts of a request that are one want."""

from __future__ import annotations

import re
from collections.abc import Sequence

from copilot.planner.actions.comparing import is_of_them
from copilot.planner.clauses import Clause, without_openers
from copilot.planner.plotted_once import only_goes_on


def joined(
    found: Sequence[Clause], labels: Sequence[str | None], request: str
) -> tuple[tuple[Clause, ...], list[str | None]]:
    """Neighbouring parts that only select made one, so that "5 km radius; centre 139.76 35.68" is one place."""
    clauses: list[Clause] = []
    meant: list[str | None] = []
    for clause, label in zip(found, labels, strict=True):
        if clauses and label == "compare_counts" and _is_what_to_compare(clauses[-1], meant[-1], clause):
            first = clauses.pop()
            end = clause.start + len(clause.text)
            clause = Clause(request[first.start : end], first.start, (*first.spans, *clause.spans))
            meant.pop()
        elif (
            clauses
            and meant[-1] == "narrow"
            and label in ("narrow", "plot", "filter")
            and only_goes_on(clause)
            and not _clash(clauses[-1], clause)
        ) or (
            clauses
            and meant[-1] in _RESULTS
            and label in ("narrow", "plot", "filter", None)
            and without_openers(clause.masked) in ("place", "date", "place date", "date place")
            and not _clash(clauses[-1], clause)
            and request[: clause.start].rstrip().endswith(",")
        ):
            first = clauses.pop()
            end = clause.start + len(clause.text)
            clause = Clause(request[first.start : end], first.start, (*first.spans, *clause.spans))
            earlier = meant.pop()
            label = earlier if earlier in _RESULTS else label
        clauses.append(clause)
        meant.append(label)
    return tuple(clauses), meant


_RESULTS = ("db_count", "group_count", "top_n")
"""Wants whose result is of all that is selected: "a tally of ships in xview3, Sea of Japan" counts there."""


def _is_what_to_compare(before: Clause, label: str | None, clause: Clause) -> bool:
    """Whether a part only names the places that the question after it is about: "ships near A and near B, who has more?".

    Countries that are selected together are counted by country, without going from one to the next.
    """
    if label not in ("narrow", "filter", "db_count", None) or not is_of_them(clause):
        return False
    places = [span.value.resolution.best for span in before.of("place")]
    together = label != "db_count" and all(each is not None and each.kind == "country" for each in places)
    return len(places) > 1 and not together


def _clash(one: Clause, other: Clause) -> bool:
    """Whether both name a place or both a date, so that the second corrects the first."""
    both = ({span.kind for span in each.spans} for each in (one, other))
    kinds = next(both) & next(both)
    return bool(kinds & {"place", "date", "bbox", "point", "dataset"}) or bool(
        re.search(r"\b(?:but|not|no|without|except|only)\b", other.text, re.I)
    )

"""What of a clause was not understood, so that the answer can say so instead of dropping it."""

from __future__ import annotations

import re

from copilot.planner.clauses import Clause
from copilot.planner.everyday import EVERYDAY

_WORD = re.compile(r"[^\W\d_][\w'’-]*")
_SELECTS = frozenset({"plot", "filter", "db_count", "group_count", "db_query", "top_n", "export"})


def leftovers(clause: Clause, label: str) -> list[str]:
    """A sentence naming the words of a selecting clause that named nothing known; empty when there are none."""
    if label not in _SELECTS and not label.endswith("_plot"):
        return []
    inside = [(span.start - clause.start, span.end - clause.start) for span in clause.spans]
    strange = [
        match[0]
        for match in _WORD.finditer(clause.text)
        if match[0].lower() not in EVERYDAY
        and len(match[0]) > 2
        and not any(start <= match.start() < end for start, end in inside)
    ]
    if not strange:
        return []
    return [f"I could not use {_listed(strange)} and left {'it' if len(strange) == 1 else 'them'} out."]


def _listed(words: list[str]) -> str:
    quoted = [f"'{word}'" for word in dict.fromkeys(words)]
    return quoted[0] if len(quoted) == 1 else f"{', '.join(quoted[:-1])} and {quoted[-1]}"

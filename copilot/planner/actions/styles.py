"""How a layer is to look, as a clause says it."""

from __future__ import annotations

import re

from copilot.planner.clauses import Clause

_WHOLE_LAYER = re.compile(r"\bfully (?:opaque|visible)\b|\bopaque\b|\bsolid\b", re.I)


_ALL = 100


def opacity_said(clause: Clause) -> float | None:
    """0 to 1; None when a clause says nothing about how much one sees through."""
    text = clause.text
    said = re.search(r"opac|opaque|transparen|translucent|see-?through|faint|fade|solid", text, re.I)
    if not said and not (clause.of("plot", "layer") and clause.of("percent") and re.search(r"\bat\b", text)):
        return None
    if re.search(r"\bfull(?:y)? (?:opacity|opaque|visible)\b", text, re.I):
        return 1.0
    percent = clause.first("percent")
    number = re.search(r"\b(?:0?\.\d+|[01](?:\.0+)?)\b", text)
    value = percent.value.value / 100 if percent else float(number[0]) if number else None
    whole = re.search(r"\b(?:opacity|transparency)\b[^.;,]*?\b(\d{2,3})\b(?! ?(?:px|pixels?))", text, re.I)
    if value is None and whole and int(whole[1]) <= _ALL:
        value = int(whole[1]) / _ALL
    if value is None and (count := clause.first("count")) is not None:
        value = count.value.value / 100 if count.value.value > 1 else count.value.value
    if value is None:
        if re.search(r"\bhalf\b|semi", text, re.I):
            return 0.5
        if _WHOLE_LAYER.search(text):
            return 1.0
        value = 0.3 if re.search(r"\b(?:very|almost|much|really)\b", text, re.I) else 0.5
        return (
            round(1 - value + 0.3, 2)
            if re.search(r"\b(?:less|not so) (?:transparent|faint)|more opaque", text, re.I)
            else value
        )
    if re.search(r"transparen", text, re.I) and not re.search(r"opacity", text, re.I):
        return round(1 - value, 3)
    return round(value, 3)

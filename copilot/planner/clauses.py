"""A request cut into clauses: one want each, with the phrases that belong to it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from copilot.planner.labels import MASKS
from copilot.planner.spans import Span


@dataclass(frozen=True)
class Clause:
    """One want: its text, where it stands in the request, and the spans inside it."""

    text: str
    start: int
    spans: tuple[Span, ...]

    def of(self, *kinds: str) -> tuple[Span, ...]:
        """The spans of these kinds, left to right."""
        return tuple(span for span in self.spans if span.kind in kinds)

    def first(self, kind: str) -> Span | None:
        """The first span of a kind."""
        return next((span for span in self.spans if span.kind == kind), None)

    @cached_property
    def masked(self) -> str:
        """The clause in lower case with a standing word for each span that only names something."""
        parts: list[str] = []
        at = self.start
        for span in self.spans:
            parts.append(self.text[at - self.start : span.start - self.start])
            parts.append(_mask(span))
            at = span.end
        parts.append(self.text[at - self.start :])
        return _tidy("".join(parts))


_VERBS = (
    "show|plot|display|draw|zoom|fly|pan|scroll|hide|unhide|remove|delete|drop|erase|rename|count|list|export|save|download|"
    "load|unload|add|include|filter|keep|restrict|limit|narrow|exclude|tell|give|make|create|build|colou?r|style|paint|bring|"
    "send|open|close|switch|select|pick|choose|compare|measure|undo|redo|sort|order|rank|group|summari[sz]e|describe|turn|set|"
    "change|use|put|highlight|cluster|render|overlay|visuali[sz]e|find|search|look|get|fetch|ingest|import|clear|reset|"
    "calculate|compute|mark|pin|label|name|swipe|animate|identify|notify|remind|ask|go|move|take|fit|center|centre|"
    "break|split|aggregate|average|let|see|check|only|also|start|run|toggle|enable|disable|jump|return|"
    "how many|how much|how far|how big|how large|what|which|where|when|who|is there|are there|do we|can you|could you|"
    "i want|i need|i would|i'd|map (?:it|them|those|these|the|all|out)"
)
_JOINT = re.compile(
    r"(?P<stop>(?:[.!?;](?=\s|$)|\n|\s[-–—]\s)+\s*)"
    r"|(?P<then>,?\s*(?:\band\s+)?\b(?:then|after that|afterwards|after which|subsequently|finally|lastly|next,)\s+)"
    rf"|(?P<join>(?:,\s*(?:and\s+|also\s+|plus\s+|but\s+)?|\s+(?:and|but|plus|&)\s+(?:also\s+|please\s+)?)(?=(?:please\s+)?(?:{_VERBS})\b))",
    re.IGNORECASE,
)
_OPENERS = re.compile(
    r"^(?:\s|,|:|-|–|(?:please|pls|plz|hey|hi|hello|ok(?:ay)?|so|well|now|then|and|also|first|firstly|second(?:ly)?|next|finally|"
    r"lastly|thanks|thank you|azimuth|could you|can you|would you|will you|kindly|i(?:'d| would) like (?:you )?to|i want (?:you )?to|"
    r"i need (?:you )?to|let(?:'s| us)|go ahead and|just|quickly|maybe|perhaps)(?=[\s,]|$))+",
    re.IGNORECASE,
)


def clauses(text: str, spans: Sequence[Span]) -> tuple[Clause, ...]:
    """The request's clauses in order; a joint inside a span is none."""
    cuts: list[tuple[int, int]] = []
    for joint in _JOINT.finditer(text):
        inside = any(span.start < joint.end() and joint.start() < span.end for span in spans)
        if not inside and joint.end() > joint.start() and not _holds_together(text, joint, cuts):
            cuts.append((joint.start(), joint.end()))
    found = []
    start = 0
    for left, right in [*cuts, (len(text), len(text))]:
        piece = text[start:left]
        if piece.strip(" ,.;:!?-"):
            inner = tuple(span for span in spans if start <= span.start and span.end <= left)
            found.append(Clause(piece, start, inner))
        start = right
    return tuple(found)


def without_openers(masked: str) -> str:
    """A masked clause without the polite words in front of its want."""
    shorter = _OPENERS.sub("", masked, count=1).strip(" ,")
    return shorter or masked


_SUBORDINATE = re.compile(r"^\W*(?:when(?:ever)?|if|while|once|as soon as|on hover|hovering)\b", re.I)
_ABBREVIATION = re.compile(r"\b(?:i\.e|e\.g|approx|ca|vs|no|st|mt|ft)$", re.I)
_NOUN_AT_END = re.compile(r"^(?:zoom|name|label|labels|count|cluster|filter|order|group|mark|pin|set|map|export)\W*$", re.I)


def _holds_together(text: str, joint: re.Match[str], cuts: Sequence[tuple[int, int]]) -> bool:
    """Whether what looks like a joint is none: "when I hover, show …", "its centre and zoom"."""
    before = text[cuts[-1][1] if cuts else 0 : joint.start()]
    if joint["stop"] is not None and _ABBREVIATION.search(before):
        return True
    if joint["stop"] is None and _SUBORDINATE.search(before):
        return True
    return joint["join"] is not None and bool(_NOUN_AT_END.match(text[joint.end() :]))


def _mask(span: Span) -> str:
    if span.kind == "count":
        return f"number {span.value.unit}"
    return MASKS.get(span.kind, span.text)


def _tidy(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip(" ,.;:!?").lower()

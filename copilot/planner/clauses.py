"""A request cut into clauses: one want each, with the phrases that belong to it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from copilot.planner.labels import MASKS
from copilot.planner.rules import label_by_rule
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

    def only(self, *kinds: str) -> Clause:
        """The clause as if nothing but phrases of these kinds named anything."""
        return Clause(self.text, self.start, self.of(*kinds))

    def without(self, *kinds: str) -> Clause:
        """The clause as if phrases of these kinds named nothing."""
        return Clause(self.text, self.start, tuple(span for span in self.spans if span.kind not in kinds))

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
    "predict|forecast|e-?mail|train|book|show|plot|display|draw|zoom|fly|pan|scroll|hide|"
    "unhide|remove|delete|drop|erase|rename|count|list|export|save|download|"
    "load|unload|add|include|filter|keep|restrict|limit|narrow|exclude|tell|give|make|"
    "create|build|colou?r|style|paint|bring|"
    "send|open|close|switch|select|pick|choose|compare|measure|undo|redo|sort|order|rank|"
    "group|summari[sz]e|describe|turn|set|"
    "change|use|put|highlight|cluster|render|overlay|visuali[sz]e|find|search|look|get|"
    "fetch|ingest|import|clear|reset|"
    "calculate|compute|mark|pin|label|name|swipe|animate|identify|notify|remind|ask|go|"
    "move|take|fit|center|centre|"
    "break|split|aggregate|average|let|see|check|only|also|start|run|toggle|enable|disable|jump|return|"
    "how many|how much|how far|how big|how large|what|which|where|when|who|is there|"
    "are there|do we|can you|could you|"
    "(?:an? |the )?(?:pie|bar|line|histogram)\\b|i want|i need|i would|i'd|map (?:it|"
    "them|those|these|the|all|out)"
)
_JOINT = re.compile(
    r"(?P<stop>(?:[.!?;](?=\s|$)|\n|\s[-–—]\s)+\s*)"
    r"|(?P<then>,?\s*(?:\band\s+)?\b(?:then|after that|afterwards|after which|"
    r"subsequently|finally|lastly|next,)\s+)"
    r"|(?P<join>(?:,\s*(?:and\s+|also\s+|plus\s+|but\s+)?|\s+(?:and|but|plus|"
    rf"&)\s+(?:also\s+|please\s+)?)(?=(?:please\s+)?(?:{_VERBS})\b))",
    re.IGNORECASE,
)
_OPENERS = re.compile(
    r"^(?:\s|,|:|-|–|(?:please|pls|plz|hey|hi|hello|ok(?:ay)?|so|well|now|then|and|also|"
    r"first|firstly|second(?:ly)?|next|finally|"
    r"lastly|thanks|thank you|azimuth|could you|can you|would you|will you|kindly|i(?:'d|"
    r" would) like (?:you )?to|i want (?:you )?to|"
    r"i need (?:you )?to|let(?:'s| us)|go ahead and|just|quickly|maybe|perhaps)(?=[\s,]|$))+",
    re.IGNORECASE,
)


_NUMBERING = re.compile(r"(?:^|(?<=[\s,;:]))\(?(\d{1,2}|[a-h])[.)]\s+(?=\S)")


def without_numbering(text: str) -> str:
    """A list "1) count 2) plot" as "count; plot"; a text without a list as it is."""
    marks = [match[1].lower() for match in _NUMBERING.finditer(text)]
    if (
        len(marks) < 2
        or marks[0] not in ("1", "a")
        or marks != sorted(marks, key=lambda mark: (len(mark), mark))
    ):
        return text
    return _NUMBERING.sub("; ", text).lstrip("; ")


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


def fragments(found: Sequence[Clause]) -> tuple[Clause, ...]:
    """The clauses with their parts between commas apart, where a part is a want of its own."""
    return tuple(part for clause in found for part in _parts(clause))


_COMMA = re.compile(r"\s*(?:[,;:|]|…|\.\.\.|\s[-–—]\s|\)\s|\d\)\s)\s*(?:and\s+|then\s+|plus\s+)?")
_STRONG = frozenset(
    {
        "set_basemap", "toggle_control", "zoom_map", "histogram_figure", "pie_figure", "bar_figure", "line_figure", "export",
        "export_map", "export_script", "export_notebook", "db_count", "db_query", "describe_table", "group_count", "save_session",
        "notify", "undo", "display_hover", "open_panel", "close_panel", "heatmap_plot", "density_plot", "footprint_plot",
        "choropleth_plot", "time_slider_plot", "cluster_plot", "scatter_plot", "detection_plot", "style_layer", "rename_layer",
        "draw_circle", "draw_marker", "select_image", "show_image", "fit_selection", "reset_map", "start_over", "swipe_layers",
    }
)  # fmt: skip
"""Wants that a bare part of a sentence can name: "…, satellite basemap, legend on, and a pie of the sensors"."""
_LEANS_ON_THE_REST = re.compile(
    r"^(?:per|by|in|from|of|for|at|to|with|or|newest|oldest|latest|first|points left|"
    r".{0,12}\b(?:left|right))\b",
    re.I,
)


def _parts(clause: Clause) -> list[Clause]:
    pieces: list[tuple[int, int]] = []
    start = 0
    for comma in _COMMA.finditer(clause.text):
        at = clause.start + comma.start(), clause.start + comma.end()
        if any(span.start < at[1] and at[0] < span.end for span in clause.spans) or comma.end() >= len(
            clause.text
        ):
            continue
        pieces.append((start, comma.start()))
        start = comma.end()
    pieces.append((start, len(clause.text)))
    parts: list[Clause] = []
    for left, right in pieces:
        piece = _slice(clause, left, right)
        if parts and not _stands_alone(piece):
            parts[-1] = _slice(clause, parts[-1].start - clause.start, right)
        else:
            parts.append(piece)
    return parts


def _stands_alone(piece: Clause) -> bool:
    masked = without_openers(piece.masked)
    label = label_by_rule(masked)
    if _LEANS_ON_THE_REST.search(masked) and label != "display_hover":
        return False
    return label in _STRONG


def _slice(clause: Clause, left: int, right: int) -> Clause:
    start, end = clause.start + left, clause.start + right
    inner = tuple(span for span in clause.spans if start <= span.start and span.end <= end)
    return Clause(clause.text[left:right], start, inner)


def without_openers(masked: str) -> str:
    """A masked clause without the polite words in front of its want."""
    shorter = _OPENERS.sub("", masked, count=1).strip(" ,")
    return shorter or masked


_SUBORDINATE = re.compile(r"^\W*(?:when(?:ever)?|if|while|once|as soon as|on hover|hovering)\b", re.I)
_ABBREVIATION = re.compile(r"\b(?:i\.e|e\.g|approx|ca|vs|no|st|mt|ft)$", re.I)
_NOUN_AT_END = re.compile(
    r"^(?:zoom|name|label|labels|count|cluster|filter|order|group|mark|pin|set|map|export)\W*$", re.I
)


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

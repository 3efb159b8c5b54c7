"""Steps that only look as if they worked on what is at hand: help, documents to be written, images that are to be found."""

from __future__ import annotations

import re

from copilot.planner.beyond import undoable
from copilot.planner.clauses import Clause
from copilot.planner.rules import label_by_rule

_TAKEN_HOME = re.compile(
    r"^\W*(?:(?:please|and|now|then|also|ok)\W+)*(?:put|save|export|write|turn|get|print|make|give me) (?:it|this|that|them|everything|the (?:results?|chart|figure|map|table|list)|all)?\b.{0,20}"
    r"\b(?:as|in|into|to) (?:an? |the )?(?:pdf|word|docx?|power ?point|slides?|kml|coco|yolo)\b",
    re.I,
)
"""What is wanted as a document is nothing to be read in."""
_IMAGES_THERE = re.compile(
    r"\b(?:images?|imagery|scenes?|pictures?|photos?|passes|acquisitions) (?:(?:that|which) )?(?:\w+ )?(?:intersect|overlap|touch|fall|lie|are|inside|within|in|cover|over)\w*"
    r" (?:with |in |within |inside |over )?(?:the|my|this|that) (?:drawing|drawn|polygon|box|rectangle|circle|shape|outline|aoi)\b",
    re.I,
)
"""Images of the catalogue where something is drawn are selected, not cut: "images that intersect the drawing"."""


def is_planned_elsewhere(text: str) -> bool:
    """Whether the rules plan a step, or say why it can't be done, whatever it is like."""
    if undoable(Clause(text, 0, ())) is not None:
        return True
    if _IMAGES_THERE.search(text) or _TAKEN_HOME.match(text):
        return True
    return label_by_rule(text.lower().strip(" ?!.")) == "help"

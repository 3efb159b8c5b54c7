"""Steps that only look as if they worked on what is at hand: help, documents to be written, images that are to be found."""

from __future__ import annotations

import re
from collections.abc import Sequence

from copilot.planner.beyond import undoable
from copilot.planner.clauses import Clause
from copilot.planner.declared.idioms import web
from copilot.planner.declared.phrases import name_of, words_of
from copilot.planner.extremes import EXTREMES
from copilot.planner.limits import SETS_TO
from copilot.planner.rules import label_by_rule

_TAKEN_HOME = re.compile(
    r"^\W*(?:(?:please|and|now|then|also|ok)\W+)*(?:put|save|export|write|turn|get|print|make|give me) (?:it|this|that|them|everything|the (?:results?|chart|figure|map|table|list)|all)?\b.{0,20}"
    r"\b(?:as|in|into|to) (?:an? |the )?(?:pdf|word|docx?|power ?point|slides?|kml|coco|yolo)\b",
    re.I,
)
"""What is wanted as a document is nothing to be read in."""
_SAVED_AS = re.compile(
    r"^\W*(?:(?:please|and|now|then|ok)\W+)*(?:save|export|write|download) (?:(?:it|this|that|them) )?(?:as|to|in) (?:an? )?"
    r"(?:pdf|word|docx?|power ?point|slides?|kml|shape ?files?|shp|gpkg|geopackage|coco|yolo)\W*$",
    re.I,
)
_IMAGES_THERE = re.compile(
    r"\b(?:images?|imagery|scenes?|pictures?|photos?|passes|acquisitions) (?:(?:that|which) )?(?:\w+ )?(?:intersect|overlap|touch|fall|lie|are|inside|within|in|cover|over)\w*"
    r" (?:with |in |within |inside |over )?(?:the|my|this|that) (?:drawing|drawn|polygon|box|rectangle|circle|shape|outline|aoi)\b",
    re.I,
)
"""Images of the catalogue where something is drawn are selected, not cut: "images that intersect the drawing"."""


_KEPT_INSIDE = re.compile(
    r"^\W*(?:(?:please|and|now|then|only|just|ok)\W+)*(?:keep|show|find|count|list|plot|take|leave|restrict (?:it|them) to|filter)? ?(?:only |just )?"
    r"(?:what|those|these|the ones|everything|all|whatever|them|it)?(?: that)?(?: (?:is|are|lies?|falls?))? ?(?:inside|within|in) "
    r"(?:the|my|this|that) (?:drawing|ring|circle|box|rectangle|polygon|shape|aoi)\W*$",
    re.I,
)
"""What is selected by what is drawn."""
_WHICH_OF_THEM = re.compile(
    r"^\W*(?:(?:and|so|ok|but|now)\W+)*(?:who|which(?: one)?|which of (?:them|those|these|the \w+)(?: \w+)?) (?:had|has|have|got|is|are) (?:the )?"
    rf"(?:{EXTREMES})(?: images?| scenes?)?\W*$",
    re.I,
)
"""Which of the places spoken of has more images."""
_DRAWN_AWAY = re.compile(
    r"^\W*(?:(?:please|and|now|then|ok)\W+)*(?:delete|remove|erase|drop|clear|get rid of|take away) (?:(?:all|the|my|that|this|those|last|both) )*"
    r"(?:drawings?|circles?|rings?|box(?:es)?|rectangles?|polygons?|shapes?|markers?|pins?|flags?)\W*$",
    re.I,
)


def is_planned_elsewhere(text: str) -> bool:
    """Whether the rules plan a step, or say why it can't be done, whatever it is like."""
    if undoable(Clause(text, 0, ())) is not None:
        return True
    if any(
        pattern.search(text)
        for pattern in (
            _IMAGES_THERE,
            _TAKEN_HOME,
            _SAVED_AS,
            _KEPT_INSIDE,
            _WHICH_OF_THEM,
            _DRAWN_AWAY,
            SETS_TO,
        )
    ):
        return True
    return label_by_rule(text.lower().strip(" ?!.")) == "help"


def says_enough_for(tool: str, text: str) -> bool:
    """Whether a step says a word without which a tool is never meant, however like its phrases it is."""
    if not web.may_be(tool, text) or (tool == "distance_between" and not _APART.search(text)):
        return False
    bare = len(text.split()) <= _FEW and not re.search(r"\d", text)
    return not bare or _names(tool, words_of(text))


_FEW = 2
"""So few words are like much: one must be the tool's own."""


def _names(tool: str, said: Sequence[str]) -> bool:
    """Whether a word is one of a tool's name, whatever their endings."""
    own = words_of(name_of(tool))
    return any(word[:_STEM] == each[:_STEM] for word in said for each in own)


_APART = re.compile(
    r"\b(?:distances?|how (?:far|close|near)|apart|away|gap|between|touch\w*|meet|next to|clos(?:e|est|er)|near(?:est|er)?|far|from|separat\w*|kilomet\w+|km|miles?)\b",
    re.I,
)
_STEM = 5
"""So many letters tell a word: "denoise", "denoising"."""

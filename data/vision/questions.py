"""Questions about an image: what they ask, and the answer measured from its pixels."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

KINDS = (
    "presence", "count", "amount", "comparison", "position", "size", "what", "modality", "resolution",
    "place",
    "date", "brightness", "bands", "settlement", "colour", "extent", "unknowable",
)  # fmt: skip
"""What can be asked; `unknowable` is what no pixel tells."""
COVER_WORDS = {
    "water": "water|lake|river|sea|ocean|pond|stream|canal|bay",
    "vegetation": "vegetation|tree|forest|wood|woodland|grass|greenery|plant|crop|bush|park|meadow",
    "bare ground": "bare|soil|sand|desert|bare ground|bare land|bare soil|beach|dirt|earth|rock|open land",
    "paved ground": "paved|pavement|asphalt|concrete|tarmac|paved ground|road surface|hard "
    "surface|impervious",
    "building": "built|built up|roof|building|house|home|hangar|terminal|warehouse|shed|structure",
}
"""What people call the covers; singular, without hyphens."""
OBJECT_WORDS = {
    "plane": "plane|airplane|aeroplane|aircraft|jet|airliner",
    "ship": "ship|boat|vessel|yacht|ferry|tanker|barge|floating|afloat|float",
    "vehicle": "vehicle|traffic|automobile",
    "small-vehicle": "car|small vehicle|taxi|van",
    "large-vehicle": "truck|lorry|lorries|bus|large vehicle|trailer",
    "storage-tank": "tank|storage tank|oil tank|silo",
}
_OTHERS = {
    "road": "road|street|highway|motorway|lane",
    "cloud": "cloud|cloudy|overcast",
    "field": "field|farmland|farm|agricultural",
}
_UNKNOWABLE = (
    (r"\bwhy\b|\bpurpose\b|\bintend|\bused for\b|\bwhat for\b", "what something is for"),
    (r"\bwho\b|\bwhose\b|\bown(s|ed|er)?\b|\bbelong", "who owns or runs something"),
    (r"\bname\b|\bcalled\b|\bwhich (city|town|country|airport|port|river)\b|\bnationality\b"
     r"|\bflag\b", "names"),
    (r"\bwill\b|\bfuture\b|\bnext (year|week|month)\b|\bpredict\b|\bforecast\b|\bgoing to\b", "the future"),
    (r"\bcost|\bprice|\bworth\b|\bexpensive\b|\bvalue of\b", "prices"),
    (r"\bpeople\b|\bpopulation\b|\binhabitant|\bpersons?\b|\bhow many live\b", "people"),
    (r"\btemperature\b|\bhow (hot|cold|warm)\b|\bwind\b|\bsmell|\bnoise level\b"
     r"|\bloud\b", "what no colour shows"),
    (r"\bhow (deep|tall|high)\b|\bdepth\b|\bheight\b|\bfloors?\b|\bstorey", "heights and depths"),
    (r"\bsafe\b|\bdangerous\b|\blegal\b|\billegal\b|\bbeautiful\b|\bnice\b", "judgements"),
)  # fmt: skip
_POSITIONS = (
    (r"upper left|top left|north ?-?west|\bnw\b", (0, 0)), (r"upper right|top right|north ?-?east"
                                                            r"|\bne\b", (2, 0)),
    (r"lower left|bottom left|south ?-?west|\bsw\b", (0, 2)), (r"lower right|bottom right|south ?-?east"
                                                               r"|\bse\b", (2, 2)),
    (r"\btop\b|\bupper\b|\bnorth(ern)?\b", (None, 0)), (r"\bbottom\b|\blower\b|\bsouth(ern)?\b", (None, 2)),
    (r"\bleft\b|\bwest(ern)?\b", (0, None)), (r"\bright\b|\beast(ern)?\b", (2, None)),
    (r"\bmiddle\b|\bcent(re|er)\b|\bcentral\b", (1, 1)),
)  # fmt: skip
EXAMPLES: tuple[tuple[str, str], ...] = (
    ("what", "what can be seen in this picture"), ("what", "describe what is going on here"),
    ("what", "what kind of place does it show"), ("what", "what am I looking at"),
    ("modality", "which sensor or camera took the image"), ("modality", "was it made by radar or by an "
                                                                        "optical instrument"),
    ("resolution", "how much ground does one pixel cover"), ("resolution", "how fine is the detail of "
                                                                           "the picture"),
    ("place", "in which part of the world was it taken"), ("place", "give the coordinates of the scene"),
    ("date", "at which day was the picture acquired"), ("brightness", "is the image dark or bright"),
    ("bands", "which channels does the file have"), ("settlement", "is the area a town or the countryside"),
    ("extent", "how large is the area that the image "
               "covers"), ("colour", "which colour dominates the picture"),
)  # fmt: skip
"""What questions of a kind sound like: the nearest of these decides where no rule does."""
_NEAR = 0.5
Encode = Callable[[Sequence[str]], "NDArray[np.float32]"]


@dataclass(frozen=True)
class Question:
    """What is asked."""

    kind: str
    subjects: tuple[str, ...] = ()
    """Covers, classes of objects, "road", "cloud"; the first two of a comparison."""
    words: tuple[str, ...] = ()
    """What the asker calls them."""
    zone: tuple[int | None, int | None] | None = None
    """The third of the image it asks about: column and row, 0 to 2, None for all."""
    less: bool = False
    """A comparison that asks for less or fewer; a position or size that asks for the smallest."""
    by: str = "rules"
    unknown: str = ""
    """What no pixel tells."""
    least: int | None = None
    """"Are there more than 10": the number."""


def parse(question: str, encode: Encode | None = None) -> Question:
    """What a question asks, by rules, then by its nearest example where `encode` is there.

    Kinds follow RSVQA (Lobry et al. 2020): presence, count, comparison, area, rural or urban; and what an
    image's own record tells.
    """
    text = _plain(question)
    found = _subjects(text)
    names, words = tuple(name for name, _ in found), tuple(word for _, word in found)
    base = Question("what", names, words, _zone(text))
    kind = _kind(text, names)
    if kind == "unknowable":
        return replace(base, kind=kind, unknown=_unknowable(text))
    if kind is not None:
        number = re.search(r"\b(?:more than|over|at least|above)\s+(\d{1,6})\b", text)
        less = bool(re.search(r"\b(less|fewer|smaller|smallest|shortest|least)\b", text))
        return replace(base, kind=kind, less=less, least=int(number[1]) if number and names else None)
    if encode is not None:
        near = _nearest(question, encode)
        if near is not None:
            return replace(base, kind=near, by="sentence encoder")
    if names:
        return replace(base, kind="presence")
    return replace(base, kind="unknowable", unknown="that")


def _plain(question: str) -> str:
    """A question in lower case, with adjectives of a cover as the cover itself."""
    text = " ".join(question.casefold().replace("-", " ").split())
    text = re.sub(r"\bhow (green|leafy)\b", "how much vegetation", text)
    return re.sub(r"\bhow wet\b", "how much water", re.sub(r"\bhow cloudy\b", "how much cloud", text))


def _kind(text: str, names: Sequence[str]) -> str | None:
    def has(pattern: str) -> bool:
        return re.search(pattern, text) is not None

    if has(r"\b(sar|radar|optical|panchromatic|multispectral|sensor|modality|infrared image)\b"):
        return "modality"
    if has(r"\b(rural|urban|countryside|city or|town or|populated)\b"):
        return "settlement"
    if has(r"\bresolution\b|\bgsd\b|\bpixel size\b|\bground sampl|\bhow (big|large) is (a|one|each) pixel\b"):
        return "resolution"
    if has(r"\b(bands?|channels?)\b"):
        return "bands"
    if has(r"\bwhen\b|\bdate\b|\bwhat (day|year|month|season)\b|\bwhich (day|year|month)\b|\bhow old\b"):
        return "date"
    if has(r"\bhow (bright|dark)\b|\bbrightness\b|\bis (it|the image|this) (bright|dark)\b"):
        return "brightness"
    if _compares(text, names):
        return "comparison"
    if names and has(r"\bwhere\b|\bwhich (part|side|corner|quarter)\b|\bposition of\b|\blocated\b"):
        return "position"
    if has(
        r"\bwhere (is|was) (this|it|the (image|picture|photo|scene))\b|\bcoordinates\b"
        r"|\blocation of (the )?(image|scene)\b|\blatitude\b"
    ):
        return "place"
    if _unknowable(text):
        return "unknowable"
    if names and has(r"\bhow many\b|\bnumber of\b|\bcount\b|\bhow much traffic\b"):
        return "count"
    if names and has(r"\bhow (large|big|long|wide) (is|are)\b|\b(size|length) of\b"):
        return "size"
    if has(r"\bhow (large|big) is (the|this) (area|image|scene|place)\b|\bhow much ground\b|\bextent\b"):
        return "extent"
    if names and has(
        r"\bhow much\b|\bshare\b|\bpercent|\bproportion|\bfraction\b|\barea of\b|\barea\b|\bhow (cloudy"
        r"|green|wet)\b|\bcovered (by|with)\b"
    ):
        return "amount"
    if has(r"\b(what|which) colou?r\b"):
        return "colour"
    if names and has(
        r"^(is|are|does|do|can|could|has|have|any|did)\b|\b(is|are) there\b|\bany\b|\bcontain|\bpresen"
        r"|\bsee\b"
    ):
        return "presence"
    if has(
        r"^(what|which|describe|tell me|explain)\b.*"
        r"\b(is|are|am|do|does|shows?|see|here|scene|image|picture|photo|happening|on)\b"
    ):
        return "what"
    return None


def _compares(text: str, names: Sequence[str]) -> bool:
    if len(names) < 2:
        return False
    if re.search(r"\b(more|less|fewer|larger|bigger|smaller|greater)\b", text):
        return bool(re.search(r"\bthan\b|\bor\b|\band\b", text))
    return re.search(r"\b(equal|same number|as many)\b", text) is not None


def _unknowable(text: str) -> str:
    return next((what for pattern, what in _UNKNOWABLE if re.search(pattern, text)), "")


def _zone(text: str) -> tuple[int | None, int | None] | None:
    return next((zone for pattern, zone in _POSITIONS if re.search(pattern, text)), None)


def zone_of(text: str) -> tuple[int | None, int | None] | None:
    """The part of the image that a phrase speaks of: column and row of thirds; None for the whole."""
    return _zone(" ".join(text.casefold().split()))


def _subjects(text: str) -> list[tuple[str, str]]:
    """(name, word) of what is spoken of, in order; a longer word goes before one inside it."""
    found: list[tuple[int, int, str, str]] = []
    for table in (OBJECT_WORDS, COVER_WORDS, _OTHERS):
        for name, words in table.items():
            for word in words.split("|"):
                for match in re.finditer(rf"\b{re.escape(word)}(?:e?s)?\b", text):
                    found.append((match.start(), match.end(), name, word))
    found.sort(key=lambda each: (each[0], -(each[1] - each[0])))
    taken: list[tuple[int, int, str, str]] = []
    for each in found:
        if all(each[0] >= other[1] for other in taken) and each[2] not in {other[2] for other in taken}:
            taken.append(each)
    return [(name, word) for _, _, name, word in taken]


def subjects_of(text: str) -> list[tuple[str, str]]:
    """(class or cover, the word for it) of all that a phrase names, in order."""
    return _subjects(" ".join(text.casefold().replace("-", " ").split()))


def _nearest(question: str, encode: Encode) -> str | None:
    vectors = encode([question, *(text for _, text in EXAMPLES)])
    likeness = vectors[1:] @ vectors[0]
    best = int(np.argmax(likeness))
    return EXAMPLES[best][0] if float(likeness[best]) >= _NEAR else None

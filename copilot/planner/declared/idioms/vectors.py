"""Features: what is measured between what, cut, joined, counted and put together."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import date

from copilot.planner.declared.idioms.base import Arguments, Idiom
from copilot.planner.declared.numbers import quantities
from copilot.planner.declared.phrases import words_of
from copilot.planner.declared.things import Thing, is_named

_UNIT = r"(?:km|kilomet\w+|miles|metres|meters|nautical miles)"


_TWO_ENDS = tuple(
    re.compile(pattern, re.I)
    for pattern in (
        rf"\bhow far(?: away)?(?: is| are|'s)\s+(?P<start>.+?)\s+from\s+(?P<end>[^?,;]+?)(?:\s+in {_UNIT})?(?:,.*)?\W*$",
        rf"\b(?:between|from)\s+(?P<start>.+?)\s+(?:and|to)\s+(?P<end>[^?,;]+?)(?:\s+in {_UNIT})?(?:,.*)?\W*$",
    )
)
_PAIR = re.compile(r"\b(?P<start>[A-Z]\w+) and (?P<end>[A-Z]\w+)\b")


def _both_places(text: str, today: date) -> Arguments:
    matches = (pattern.search(text) for pattern in (*_TWO_ENDS, _PAIR))
    match = next((each for each in matches if each), None)
    return {"start": match["start"].strip(), "end": match["end"].strip()} if match else {}


_BY_NAME = re.compile(
    r"\b(?:which|what|how many) (?P<plural>[A-Z]\w+?)s (?:are|exist)\b|\b(?:about|called|named|of|is|for|in) (?P<name>[A-Z][\w'-]*(?: [A-Z][\w'-]*)*)"
)


def _place_named(text: str, today: date) -> Arguments:
    """A place as it is said, which may be one of many of its name."""
    match = _BY_NAME.search(text)
    return {"place": match["plural"] or match["name"]} if match else {}


_SMALLER = re.compile(
    r"\b(?:smaller|shrink\w*|shrunk|inwards?|narrower|thinner|erode|inset|pull\w* (?:it |them )?in)\b", re.I
)
_MELTED = re.compile(
    r"\b(?:melt|merg|dissolv|unit|join|combin|fus)\w*\b.*\b(?:together|into one|overlap\w*)\b"
    r"|\boverlap\w*\b.*\b(?:melt|merg|dissolv|unit|join|combin)\w+",
    re.I,
)


def _grown(text: str, today: date) -> Arguments:
    """Smaller is a negative distance; what overlaps is one where that is said."""
    args: Arguments = {"dissolve": True} if _MELTED.search(text) else {}
    length = _length(text)
    if length and _SMALLER.search(text):
        args["distance_m"] = -abs(length)
    return args


def _moved_off(text: str, today: date) -> Arguments:
    """ "300 m off is fine", "up to 50 m": how far an outline may move."""
    length = _length(text)
    return {"tolerance_m": length} if length else {}


def _length(text: str) -> float:
    """The first length of a text, metres; 0 where there is none."""
    return next((each.value * each.scale for each in quantities(text) if each.dimension == "length"), 0.0)


def _by_column(text: str, today: date) -> Arguments:
    """ "The harbours of one kind_of_port together", "by region", "one polygon per class"."""
    column = r"[a-z]+(?:_[a-z0-9]+)+"
    match = re.search(
        rf"\b(?:of (?:one|the same|each|every|equal)|same|by|per|for each)\s+[\"'`]?(?P<by>{column}|[a-z]\w+)[\"'`]?",
        text,
        re.I,
    )
    return {"by": match["by"]} if match else {}


def _cells(text: str, today: date) -> Arguments:
    args: Arguments = {}
    if re.search(r"\bh3\b", text, re.I):
        args["kind"] = "h3"
    elif re.search(r"\bhoneycombs?\b|\bhex\w*", text, re.I):
        args["kind"] = "hexagon"
    if re.search(r"\b(?:cut|clip\w*|trim\w*|cropped) (?:off )?(?:at|to|by|along)\b", text, re.I):
        args["clip"] = True
    return args


IDIOMS: Mapping[str, Idiom] = {
    "geocode": _place_named,
    "place_bounds": _place_named,
    "distance_between": _both_places,
    "buffer": _grown,
    "simplify_geometry": _moved_off,
    "dissolve": _by_column,
    "grid_over": _cells,
}

_OF_PLACES: tuple[tuple[str, str], ...] = (
    (
        "geocode",
        r"^(?!.*\b(?:images?|scenes?|pictures?|my|layer|lines?|grid|graticule)\b).*\b(?:coordinates|lat(?:itude)?(?:/| and |, )lon\w*|lon\w*(?:/| and |, )lat\w*)\b(?!.*\d).*$"
        r"|\b(?:which|what|how many) [A-Z]\w+s (?:are|exist)\b(?: there)?\W*$|\bwhat places (?:can|could|is|are)\b|\bwhich places are called\b",
    ),
    ("place_bounds", r"\b(?:bounding box|bbox|extent|bounds|limits)\b of (?:the )?[A-Z]\w+"),
)
"""(tool, pattern): questions about a place by its name."""
_TWO_NAMED: tuple[tuple[str, str], ...] = (
    ("distance_between", r"\bhow far\b|\b(?:touch|meet)\b|\bdistance\b|\bapart\b|\bgap between\b"),
    (
        "difference",
        r"\b(?:cut|subtract|erase|remove|take|punch|knock|deduct)\w*\b.*\b(?:away from|from|out of|off)\b|\bminus\b|\bwithout\b|\btaken (?:out|away|off)\b|\bleft of\b",
    ),
    ("intersection", r"\bshare\b|\bcommon\b|\boverlap\b(?! counted)|\bboth\b.*\bcover|\b(?:clip|cut|crop|trim)\w*\b.*\b(?:to|by|with)\b"),
    ("union", r"\b(?:single|one) (?:shape|polygon|feature|outline)\b|\btogether\b|\bunite\b|\bunion\b|\bmerge\b|\bmelt\b|\bcombine\b"),
)  # fmt: skip
"""(tool, pattern): what is said of two things that are named."""
_ONE_NAMED: tuple[tuple[str, str], ...] = (
    ("distance_between", r"\bhow far is\b.*\bfrom\b|\bdistance (?:from|between)\b"),
    ("area_of", r"\bhow (?:big|large)\b(?!.*\bpixels?\b)|\bhow many (?:acres|hectares|ha|square)\b|\badd up to\b.*\b(?:ha|hectares|acres|km2|square)\b|\bcovers?\b.*\b(?:ha|hectares|km2|acres|square \w+)\b|\barea of\b|\b(?:the )?areas? in (?:ha|hectares|km2|acres|square)"),
    ("spatial_join", r"\b(?:which|what)\b(?!.*\b(?:closest|nearest|first)\b).*\b(?:in|inside|within|into|fall|lie|contain\w*)\b|\bare there\b.*\b(?:in|inside|within)\b.*\bwhich\b"),
    ("nearest", r"\b(?:which|what)\b.*\b(?:reach(?:es)? first|closest|nearest)\b"),
    ("length_of", r"\bcircumference\b|\bperimeter\b|\bhow long is\b.*\bedge\b|\bouter edge\b"),
    ("buffer", r"\b\d[\d.,]* ?\w+(?: \w+)? (?:smaller|larger|bigger|wider|narrower)\b|\b(?:grow|shrink)\b|\bzones? of \d"),
    ("reproject_vector", r"\butm zone\b|\b(?:in|into|to) (?:the )?(?:\w+ grid\b.*)?epsg\b|\b(?:to|into|in) (?:its |the )?(?:local )?utm\b"),
    ("simplify_geometry", r"\b(?:thin|simplif|generali[sz])\w*\b.*\b(?:corners?|vertices|outlines?|points|shape)\b"),
    ("dissolve", r"\bof (?:one|the same) \w+\b.*\btogether\b|\bdissolve\b|\bmelt\b|\bmerge (?:them|these|those|all|it)\b.*\b(?:one|single)\b"),
)  # fmt: skip
"""(tool, pattern): what is said of a thing that is here."""


def told(text: str, things: Sequence[Thing]) -> str | None:
    """The tool that a geometric word tells, said of features that are here; a question about a named place."""
    here = [each for each in things if each.kind == "vector" and each.ref != "selection"]
    if _CELLS.search(text):
        return "grid_over"
    found = next((tool for tool, words in _OF_PLACES if re.search(words, text)), None)
    if found and not any(is_named(each, text) for each in here):
        return found
    if _FROM_THERE.search(text):
        return ""
    named = _named(text, here)
    if len(named) > 1:
        two = next((tool for tool, words in _TWO_NAMED if re.search(words, text, re.I)), None)
        if two is not None:
            return two
    if not named and not (here and _POINTED.search(text)):
        return None
    return next((tool for tool, words in _ONE_NAMED if re.search(words, text, re.I)), None)


_FROM_THERE = re.compile(
    r"\b(?:how far|distance)\b.*\b(?:from|between|to|of) (?:there|here|that (?:marker|pin|point|place)|the (?:marker|pin))\b",
    re.I,
)
"""A distance from a spot that was marked or looked at, which the rules measure."""
_POINTED = re.compile(
    r"\b(?:it|this|that|them|these|those|result|rest|drawn|drawings?|i drew|shapes?|polygons?)\b", re.I
)
_CELLS = re.compile(r"\bhoneycombs?\b|\bfish-?nets?\b|\bh3 cells?\b|\bhexagons? of \d", re.I)
_ALL_DRAWN = re.compile(r"\b(?:everything|all)\b.*\b(?:i drew|drawn|drawings)\b", re.I)


def _named(text: str, here: Sequence[Thing]) -> list[Thing]:
    """The features of which a text says the name, or a word of it."""
    if _ALL_DRAWN.search(text):
        return [each for each in here if each.drawn]
    spoken = set(words_of(text))
    return [each for each in here if each.words & spoken or is_named(each, text) or each.ref in text]


def _by_their_ids(args: Arguments, things: Sequence[Thing], text: str) -> None:
    """What is measured between: features that are named, as their ids; places stay names."""
    here = [each for each in things if each.kind == "vector" and each.ref != "selection"]
    if (
        "start" not in args
        and len(here) > 1
        and re.search(r"\b(?:the two|both|them|these|those)\b", text, re.I)
    ):
        args["start"], args["end"] = here[-2].ref, here[-1].ref
    for end in ("start", "end"):
        named = _named(str(args.get(end, "")), here)
        if named:
            args[end] = named[-1].ref


def _asked_for(args: Arguments, things: Sequence[Thing], text: str) -> None:
    """ "Which harbour is nearest to the marker": of the marker's, the nearest harbour."""
    match = re.search(r"\b(?:which|what)\s+(?P<what>\w+)", text, re.I)
    first = [each for each in things if each.ref == args.get("vector")]
    if match and first and "other" in args and _named(match["what"], first):
        args["vector"], args["other"] = args["other"], args["vector"]


SETTLE: Mapping[str, Callable[[Arguments, Sequence[Thing], str], None]] = {
    "distance_between": _by_their_ids,
    "nearest": _asked_for,
}
"""Tools with arguments that only what is at hand can tell."""

_ZONED = re.compile(
    r"^(?P<head>.*\b(?:cut|clip|crop|trim|count|keep)\w*\b.*?\b(?:to|with|by|in|inside|within)) (?P<zone>an? (?P<size>\d[\d.,]* ?[a-z]+)"
    r"(?: wide)? (?:zone|buffer|belt|strip|circle|ring)) (?:around|round|of|about) (?P<what>[^,;]+)(?P<tail>.*)$",
    re.I,
)


_ASIDE = re.compile(
    r"which(?: ones?| of them)?|who|where|\d[\d.,]* ?[a-z]+(?: \w+){0,2} (?:is|are|will|would) (?:fine|ok(?:ay)?|enough|do|good)(?: .*)?",
    re.I,
)
"""What belongs to the step before it."""
_SAID_WITH_IT = re.compile(
    r"(?:please )?look (?:it|them|that) up|does (?:it|that) cross the (?:date ?line|antimeridian)", re.I
)
"""What a question about a place answers anyway."""


def unfolded(texts: Sequence[str]) -> list[str]:
    """Steps, with one that works on a zone around something as two: the zone is made first; asides joined."""
    found: list[str] = []
    for text in texts:
        if found and _ASIDE.fullmatch(text):
            found[-1] = f"{found[-1]}, {text}"
        elif found and _SAID_WITH_IT.fullmatch(text) and told(found[-1], ()) is not None:
            continue
        elif match := _ZONED.match(text):
            found += [f"buffer {match['what']} by {match['size']}", f"{match['head']} the buffer"]
        else:
            found.append(text)
    return found

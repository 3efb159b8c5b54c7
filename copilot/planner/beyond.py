"""What no tool here does, said so that the rest of a request can still be done."""

from __future__ import annotations

import re

from copilot.planner.clauses import Clause
from copilot.planner.situation import Situation

_DOES_NOTHING: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), reason)
    for pattern, reason in (
        (r"^\W*(?:please |then |and |also |can you |could you )*(?:predict|forecast|"
r"extrapolate)\b", "I can't predict anything: I only show what the catalogue holds"),
        (r"^\W*(?:please |then |and |also |can you |could you )*(?:delete|erase|destroy|"
r"wipe)\b.*\b(?:images?|scenes|files?|rows|records|data ?sets? from|catalog(?:ue)?|"
r"computer|disk|database)\b(?!.*\b(?:map|layer|filter|selection|drawing)\b)", "I can't delete anything from the catalogue or from a disk; I can drop a data set "
"from the selection or clear the map"),
        (r"\bdownload\b.*\b(?:from (?:copernicus|esa|nasa|usgs|the (?:internet|web|cloud)|"
r"google|planet|maxar|\w+ hub)|video|movie)\b", "I can't fetch from there; a STAC search finds scenes of services that speak STAC"),
        (r"^\W*(?:please |then |and |also |can you |could you )*(?:track|follow|watch|"
r"monitor)\b.*\b(?:live|ais|now|real[- ]?time|continuously)\b|\blive (?:position|feed|"
r"ais|traffic)", "I can't follow anything live: the catalogue holds images that were taken before"),
        (r"\bweather\b.*\b(?:tomorrow|forecast|next|will)\b|\bwill\b.*\bweather\b|\bforecast\b.*\bweather\b", "I can't "
"forecast the weather; weather_history knows past days"),
        (r"\b(?:4k |hd )?(?:video|movie|gif)\b", "There is no video here; a time slider plays the images over time"),
        (r"\b(?:segment|classify|detect|compute|calculate|run)\b.*\b(?:pixels|"
r"change detection|yolo|segmentation|neural|deep learning)\b|^\W*(?:please |then |"
r"and )*(?:detect|segment|classify)\b", "There are no pixels here to look at: attach an image and ask again; of the catalogue's images I show the objects that it lists"),
        (r"\b(?:longer|wider|bigger|larger|taller|shorter) than \d[\d.,]*\s?(?:m|metres?|"
r"meters?|ft|feet)\b", "I can't filter objects by their length"),
        (r"\bwith (?:more|fewer|less) than \d+ \w+s\b(?=.*)", ""),
    )
    if reason
)  # fmt: skip
_NEW = (
    (
        re.compile(
            r"\b(?:take|acquire|capture|task|shoot|order|request)\b.{0,20}\b(?:new|fresh|live|another)\b.{0,20}\b(?:image|picture|photo|scene|shot|pass)s?\b",
            re.I,
        ),
        "I can't have new images taken: the catalogue holds those that were taken before",
    ),
    (
        re.compile(
            r"\b(?:write|send|compose|draft)\b.{0,12}\b(?:e-?mail|letter|message to|text to|report to)\b",
            re.I,
        ),
        "I can't write or send messages",
    ),
    (
        re.compile(r"\bhow many people\b", re.I),
        "I don't know how many people live anywhere; I count images and objects of the catalogue",
    ),
    (
        re.compile(r"\b(?:route|directions|way) (?:from|to)\b|\bdriv(?:e|ing) (?:time|directions)\b", re.I),
        "I can't find routes; I can measure the distance in a straight line",
    ),
)
"""Wants that leave nothing to be done of their clause."""
_OTHER_SOURCES = re.compile(
    r"\b(?P<source>landsat(?:[ -]?\d)?|modis|planet ?scope|spot[ -]?\d|ikonos|rapideye|"
    r"pl[eé]iades|sentinel[ -]?[3-6]|aster|viirs|hyperspectral|lidar|"
    r"thermal|infra-?red|night(?:[- ]?time)?|drone)(?= (?:images?|imagery|scenes?|"
    r"pictures?|photos?|data|tiles|view|shots)|\W*$| (?:over|of|in|from|around|near)\b)",
    re.I,
)


def undoable(clause: Clause) -> str | None:
    """The reason why a clause, or a part of it, can't be done; None when nothing in it is known to be so."""
    return next((reason for pattern, reason in (*_NEW, *_DOES_NOTHING) if pattern.search(clause.text)), None)


def is_all_of_it(clause: Clause) -> bool:
    """Whether the undoable part is the clause's verb, so that nothing of it is left to do."""
    return any(pattern.search(clause.text) for pattern, _ in _NEW) or bool(
        re.match(
            r"^\W*(?:please |then |and |also |can you |could you )*(?:predict|forecast|"
            r"extrapolate|delete|erase|destroy|wipe|track|follow|watch|monitor|segment|classify|"
            r"detect|compute|calculate|run)\b",
            clause.text,
            re.I,
        )
    )


def missing_source(clause: Clause, situation: Situation) -> str | None:
    """Why images of a sensor or sort that the catalogue does not hold can't be shown; None without any."""
    match = _OTHER_SOURCES.search(clause.text)
    if match is None:
        return None
    word = re.sub(r"\W", "", match["source"].lower())
    held = " ".join(
        re.sub(r"\W", "", text.lower())
        for info in situation.datasets.values()
        for text in (info.name, info.title, *info.sensors, *info.modalities)
    )
    if word in held or any(
        span.start - clause.start <= match.start() < span.end - clause.start
        for span in clause.of("dataset", "place", "class", "layer", "quoted")
    ):
        return None
    sensors = sorted({sensor for info in situation.datasets.values() for sensor in info.sensors})
    return f"The catalogue holds no {match['source']} images. Its sensors are {', '.join(sensors[:8])}."


_UNSAID: tuple[tuple[re.Pattern[str], str], ...] = (
    (
        re.compile(r"\b(?:ascending|descending)(?: (?:or|and) (?:ascending|descending))? (?:pass(?:es)?|orbits?|nodes?|tracks?)\b|\borbit (?:direction|number)s?\b", re.I),
        "The catalogue does not say in which direction a satellite flew",
    ),
    (
        re.compile(r"\b(?:VV|VH|HH|HV)\b|\bpolari[sz]ations?\b|\b(?:dual|quad|cross|co)[- ]?pol\w*\b", re.I),
        "The catalogue does not say the polarisation of its radar images",
    ),
    (
        re.compile(r"\b(?:incidence|look|view(?:ing)?|off[- ]?nadir|sun|solar) (?:angles?|elevations?|azimuths?)\b|\boff[- ]?nadir\b|\bnadir\b", re.I),
        "The catalogue does not say at which angle an image was taken",
    ),
    (
        re.compile(r"\bdark (?:vessels?|ships?|fleets?)\b|\b(?:with|without|no) (?:an? )?ais\b", re.I),
        "The catalogue does not say which vessels reported themselves (AIS), so I took all vessels",
    ),
    (
        re.compile(
            r"\b(?:summer|winter|spring|autumn|fall|monsoon|rainy season|dry season|growing season)(?:[- ]?time)? (?:images?|imagery|scenes?|pictures?|photos?|patches|data|ones|months?|shots|acquisitions)\b"
            r"|\b(?:in|during|from|taken in|only|just) (?:the )?(?:summer|winter|spring|autumn|monsoon|rainy season|dry season)(?:time|s)?\b(?! (?:of |')?\d)",
            re.I,
        ),
        "I can't keep one season of every year; say a year as well, as in summer 2019",
    ),
    (
        re.compile(r"\b(?:day|night)[- ]?time\b|\b(?:at|by) (?:day|dawn|dusk|noon|night)\b|\b(?:morning|afternoon|evening) (?:images?|scenes?|passes)\b", re.I),
        "I can't keep images by the time of day; their dates are what I filter by",
    ),
)  # fmt: skip
"""What people filter images by that the catalogue does not say of its images."""


def unsaid(clause: Clause) -> str | None:
    """Why a clause can't be followed in what it asks of images, where the catalogue does not say that of any."""
    for pattern, reason in _UNSAID:
        for match in pattern.finditer(clause.text):
            start, end = clause.start + match.start(), clause.start + match.end()
            if not any(
                span.start < end and start < span.end
                for span in clause.of("date", "dataset", "place", "event", "attribute", "layer", "quoted")
            ):
                return reason
    return None

"""What stands in a request that only one kind of tool can take: dates, places, classes, conditions."""

from __future__ import annotations

import re
from collections.abc import Sequence

from data.gazetteer import gazetteer
from data.vocabulary import dataset_mentions, mentions, sensor_mentions

_DATE = re.compile(
    r"\b(?:19|20)\d\d\b|\b(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|june?|july?|aug(?:ust)?|"
    r"sep(?:t(?:ember)?)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?|spring|summer|autumn|winter|"
    r"today|yesterday|week|month|quarter|years?|decade|days?|since|until|dates?|period|time range)\b"
    r"|\bmay\b(?= \d)",
    re.IGNORECASE,
)
_AREA = re.compile(
    r"\b(?:km|kilomet\w+|miles?|mi|radius|around|near|nearby|within|inside|here|there|drawn|drawing|"
    r"bbox|bounding|latitude|longitude|lat|lon|area|region|hemisphere|north of|south of|east of|west of)\b"
    r"|\d\s*°|(?<!\d)-?\d+\.\d+\s*,\s*-?\d+\.\d+",
    re.IGNORECASE,
)
_CONDITION = re.compile(
    r"[<>=≤≥]|\b(?:sensors?|satellites?|cloud\w*|gsd|resolution|split|train(?:ing)?|validation|"
    r"or more|or fewer|(?:more|less|fewer|higher|lower|larger|smaller|greater) than|at (?:least|most)|"
    r"(?:over|under|above|below) \d|sharper|coarser|finer|cm|metres?|meters?|percent|per cent|%|"
    r"confidence|off.?nadir|sun|elevation|angle|"
    r"orbit\w*|polari[sz]ation|country|event|disasters?|hurricane|flood|earthquake|wildfire|tsunami|volcano|"
    r"undamaged|destroyed|damage\w*|worldview\S*|geoeye\S*|quickbird\S*|gaofen\S*|sentinel\S*|landsat\S*)\b|%",
    re.IGNORECASE,
)


def selection_tools(request: str) -> tuple[str, ...]:
    """The filters that the request has something for."""
    found = []
    if _DATE.search(request):
        found.append("filter_date")
    if _AREA.search(request) or gazetteer().mentions(request):
        found.append("filter_coords")
    if mentions(request):
        # Many words name an object in one data set and a scene in another: airports, parking lots.
        found += ["filter_class", "filter_lccclass"]
    if _CONDITION.search(request) or sensor_mentions(request):
        found.append("filter_attribute")
    return tuple(found)


def usual_tools(request: str, selection: Sequence[str]) -> tuple[str, ...]:
    """What is done with a selection when nothing else is said: show it, count it, look where it lies."""
    if not selection and not dataset_mentions(request):
        return ()
    # A place with a radius is looked at as a box.
    around = ("fit_bounds",) if "filter_coords" in selection else ()
    return ("cluster_plot", "scatter_plot", "db_count", "zoom_map", *around)

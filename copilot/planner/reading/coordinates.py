"""Points and boxes written as coordinates, read with every sign kept.

Order: labels and hemisphere letters decide. Without them [a, b] in square brackets and POINT (a b) are
longitude first, as in GeoJSON and WKT; a pair in prose is latitude first, as people write it, unless its first
number cannot be a latitude. `assumed` says that the order is only that custom. Four numbers are west, south,
east, north.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from copilot.planner.reading.text import plain

Axis = Literal["lat", "lon"]
Box = tuple[float, float, float, float]
"""West, south, east, north in degrees; west > east crosses the antimeridian."""


@dataclass(frozen=True)
class CoordSpan:
    """A point or a box: text[start_index:end_index] and what it means, in degrees, WGS84."""

    start_index: int
    end_index: int
    text: str
    kind: Literal["point", "bbox"]
    lon: float | None = None
    lat: float | None = None
    bbox: Box | None = None
    order: Literal["lat,lon", "lon,lat"] | None = None
    """The order a point was written in."""
    assumed: bool = False
    error: str | None = None
    """Why it is nowhere on Earth, in a sentence; no coordinate is given then."""


@dataclass(frozen=True)
class _Angle:
    start: int
    end: int
    value: float
    axis: Axis | None
    marked: bool
    """Whether a label, a degree sign or a letter shows that it is an angle."""
    decimals: int
    clash: bool = False
    """A minus before a north or an east."""


_LETTERS = r"n(?:orth(?:ern)?)?|s(?:outh(?:ern)?)?|e(?:ast(?:ern)?)?|w(?:est(?:ern)?)?"
_ANGLE = re.compile(
    r"(?:\b(?P<label>lat(?:itudes?)?|lon(?:gitudes?)?|lng|long)\b\.?\s*[:=]?\s*(?:(?:of|is|in|from|between)\s+)?)?"
    r"(?:(?<![\w.])(?P<before>[nsew])\s?(?=\d))?"
    r"(?:(?<![\w.°'\"′″)])(?P<sign>[-+])\s?)?(?<![\d.])(?<![a-z][a-z])(?<![a-z]-)(?P<deg>\d{1,3}(?:\.\d+)?)(?![\d])"
    r"(?:\s?(?P<mark>°|º|deg(?:rees?)?\b\.?|d(?=\s?\d))"
    r"(?:\s?(?P<min>\d{1,2}(?:\.\d+)?)\s?(?:'(?!')|′|m(?:in)?\b)(?:\s?(?P<sec>\d{1,2}(?:\.\d+)?)\s?(?:\"|″|''|s(?:ec)?\b))?)?)?"
    rf"(?:\s?(?P<after>{_LETTERS})\b(?!\s+of\b))?(?![\w%²])(?!\.\d)"
)
_UNIT = re.compile(r"\s?(?:km|m|miles?|met(?:re|er)s?|kilomet(?:re|er)s?|images?|%|percent)\b")
_AXES: dict[str, tuple[Axis, int]] = {"n": ("lat", 1), "s": ("lat", -1), "e": ("lon", 1), "w": ("lon", -1)}
_LIMIT = {"lat": 90.0, "lon": 180.0}
_NAMES = {"lat": "latitude", "lon": "longitude"}


def _angle(match: re.Match[str]) -> _Angle:
    size = float(match["deg"]) + float(match["min"] or 0) / 60 + float(match["sec"] or 0) / 3600
    letter = (match["before"] or match["after"] or "")[:1]
    axis, direction = _AXES[letter] if letter else (None, 1)
    if axis is None and match["label"]:
        axis = "lat" if match["label"].startswith("lat") else "lon"
    minus = match["sign"] == "-"
    value = -size if minus or direction < 0 else size
    decimals = len(match["deg"].partition(".")[2])
    marked = bool(letter or match["label"] or match["mark"])
    return _Angle(
        match.start(), match.end(), value, axis, marked, decimals, minus and bool(letter) and direction > 0
    )


def _angles(lowered: str) -> list[_Angle]:
    return [_angle(match) for match in _ANGLE.finditer(lowered) if not _UNIT.match(lowered, match.end())]


def coordinates(text: str) -> list[CoordSpan]:
    """The points and boxes of `text`, left to right, never overlapping. Never raises on any text."""
    lowered = plain(text)
    angles = _angles(lowered)
    spans = _labelled_boxes(lowered)
    index = 0
    while index < len(angles):
        if any(span.start_index <= angles[index].start < span.end_index for span in spans):
            index += 1
            continue
        for read, used in ((_box, 4), (_bands, 4), (_corners, 4), (_half_plane, 1), (_band, 2), (_point, 2)):
            taken = angles[index : index + used]
            span = read(taken, lowered) if len(taken) == used else None
            if span is not None:
                spans.append(span)
                index += used - 1
                break
        index += 1
    spans += _named_half_planes(lowered)
    return _without_overlaps([replace(span, text=text[span.start_index : span.end_index]) for span in spans])


def _without_overlaps(spans: Sequence[CoordSpan]) -> list[CoordSpan]:
    kept: list[CoordSpan] = []
    for span in sorted(spans, key=lambda span: (span.start_index, -span.end_index)):
        if not kept or span.start_index >= kept[-1].end_index:
            kept.append(span)
    return kept


# Checks


def _wrong(angle: _Angle, axis: Axis) -> str | None:
    """Why an angle cannot be on an axis."""
    if angle.clash:
        return f"{angle.value:g} has a minus and also a letter for {'north' if axis == 'lat' else 'east'}; keep one of them."
    if abs(angle.value) > _LIMIT[axis]:
        limit = _LIMIT[axis]
        return (
            f"There is no {_NAMES[axis]} {angle.value:g}; {_NAMES[axis]}s run from {-limit:g} to {limit:g}."
        )
    return None


def _rectangle(
    start: int, end: int, lons: Sequence[_Angle], lats: Sequence[_Angle], ordered: bool = False
) -> CoordSpan:
    """A box from two longitudes and two latitudes; unless `ordered`, of the two ways round the shorter."""
    span = CoordSpan(start, end, "", "bbox")
    errors = [_wrong(lon, "lon") for lon in lons] + [_wrong(lat, "lat") for lat in lats]
    error = next((error for error in errors if error), None)
    south, north = lats[0].value, lats[1].value
    if error is None and ordered and south > north:
        error = f"South {south:g} is above north {north:g}; a box is west, south, east, north."
    if error:
        return replace(span, error=error)
    west, east = lons[0].value, lons[1].value
    if not ordered:
        south, north = min(south, north), max(south, north)
        west, east = min(west, east), max(west, east)
        if east - west > 180 and (lons[0].value, lons[1].value) == (east, west):
            west, east = east, west
    return replace(span, bbox=(west, south, east, north))


# Boxes

_SIDES = {
    **dict.fromkeys(("west", "w", "minlon", "lonmin", "xmin", "minx", "left"), 0),
    **dict.fromkeys(("south", "s", "minlat", "latmin", "ymin", "miny", "bottom"), 1),
    **dict.fromkeys(("east", "e", "maxlon", "lonmax", "xmax", "maxx", "right"), 2),
    **dict.fromkeys(("north", "n", "maxlat", "latmax", "ymax", "maxy", "top"), 3),
}
_SIDE = re.compile(
    r"(?<![\w])(?P<side>west|south|east|north|left|right|top|bottom|(?:min|max)_?(?:lon|lat|x|y)|(?:lon|lat|x|y)_?(?:min|max)|[wsen])"
    r"(?:\s*[=:]\s*|\s+(?=[-+]?\d))(?P<value>[-+]?\d{1,3}(?:\.\d+)?)(?![\d.]\d|\w)"
)


def _labelled_boxes(lowered: str) -> list[CoordSpan]:
    """west=-80 south=40 east=-79 north=41, in any order."""
    boxes: list[CoordSpan] = []
    sides = list(_SIDE.finditer(lowered))
    for index in range(len(sides) - 3):
        four = sides[index : index + 4]
        places = [_SIDES[match["side"].replace("_", "")] for match in four]
        gaps = [lowered[one.end() : two.start()] for one, two in itertools.pairwise(four)]
        if sorted(places) == [0, 1, 2, 3] and all(re.fullmatch(r"[\s,;]*(?:and )?", gap) for gap in gaps):
            values = dict(zip(places, (float(match["value"]) for match in four), strict=True))
            axes: tuple[Axis, ...] = ("lon", "lat", "lon", "lat")
            west, south, east, north = (
                _Angle(0, 0, values[place], axes[place], True, 0) for place in range(4)
            )
            boxes.append(
                _rectangle(four[0].start(), four[-1].end(), (west, east), (south, north), ordered=True)
            )
    return _without_overlaps(boxes)


_BOX_WORD = re.compile(r"\b(?:bbox|bounding box|box|extent|bounds|envelope)(?: of| is)?\s*[:=]?\s*[\[(]?\s*$")


def _box(four: Sequence[_Angle], lowered: str) -> CoordSpan | None:
    """[w, s, e, n], or four numbers after "bbox"."""
    if any(angle.axis for angle in four):
        return None
    gaps = [lowered[one.end : two.start] for one, two in itertools.pairwise(four)]
    start, end = four[0].start, four[-1].end
    word = _BOX_WORD.search(lowered[:start])
    closing = re.match(r"\s*[\])]", lowered[end:])
    opening = re.search(r"[\[(]\s*$", lowered[:start])
    if not all(re.fullmatch(r"\s*[,;]\s*|\s+", gap) for gap in gaps) or not (word or (opening and closing)):
        return None
    first = word.start() if word else opening.start() if opening else start
    last = end + (closing.end() if closing else 0)
    return _rectangle(first, last, (four[0], four[2]), (four[1], four[3]), ordered=True)


_TO = re.compile(r"\s*(?:\bto\b|\band\b|\bthrough\b|-|\.\.|,)\s*")
_BETWEEN = re.compile(r"\b(?:between|from|box)(?: (?:the )?(?:latitudes?|longitudes?))?\s*$")


def _same_axis(one: _Angle, two: _Angle, lowered: str) -> Axis | None:
    """The axis of "10N to 20N", "lat 10 to 20" or "between 10 and 20°N"."""
    gap = lowered[one.end : two.start]
    if not _TO.fullmatch(gap):
        return None
    if one.axis and two.axis:
        return one.axis if one.axis == two.axis else None
    if one.axis and not two.marked and "," not in gap:
        return one.axis
    between = _BETWEEN.search(lowered[: one.start])
    return two.axis if between and not one.axis else None


def _opened(start: int, lowered: str) -> int:
    """Where the "between" or "from" before a range begins."""
    match = _BETWEEN.search(lowered[:start])
    return match.start() if match else start


def _bands(four: Sequence[_Angle], lowered: str) -> CoordSpan | None:
    """ "Between 10N and 20N and 30E and 40E", "lat 10 to 20, lon 30 to 40"."""
    first, second = _same_axis(four[0], four[1], lowered), _same_axis(four[2], four[3], lowered)
    gap = lowered[four[1].end : four[2].start]
    if (
        not first
        or not second
        or first == second
        or not re.fullmatch(r"[\s,;]*(?:and|by|x)?\s*(?:between|from)?\s*", gap)
    ):
        return None
    lats, lons = (four[:2], four[2:]) if first == "lat" else (four[2:], four[:2])
    return _rectangle(_opened(four[0].start, lowered), four[3].end, lons, lats)


def _band(two: Sequence[_Angle], lowered: str) -> CoordSpan | None:
    """ "Between 10N and 20N": all around the Earth, or from pole to pole."""
    axis = _same_axis(two[0], two[1], lowered)
    if axis is None:
        return None
    ends = [
        _Angle(0, 0, value, None, True, 0) for value in ((-180.0, 180.0) if axis == "lat" else (-90.0, 90.0))
    ]
    start = _opened(two[0].start, lowered)
    if axis == "lat":
        return _rectangle(start, two[1].end, ends, two, ordered=two[0].value <= two[1].value)
    return _rectangle(start, two[1].end, two, ends)


def _corners(four: Sequence[_Angle], lowered: str) -> CoordSpan | None:
    """ "From 40N 80W to 41N 79W"."""
    first, second = _point(four[:2], lowered), _point(four[2:], lowered)
    joined = re.fullmatch(
        r"\s*[\])]?\s*(to|and|through|-)\s*[\[(]?\s*",
        lowered[four[1].end : four[3].start][: four[2].start - four[1].end],
    )
    between = re.search(r"\b(?:between|from)\s*[\[(]?\s*$", lowered[: four[0].start])
    if first is None or second is None or not joined or not (between or joined[1] in ("to", "through")):
        return None
    by_axis: dict[Axis, list[_Angle]] = {"lat": [], "lon": []}
    for point, pair in ((first, four[:2]), (second, four[2:])):
        latitude_first = point.order == "lat,lon"
        by_axis["lat"].append(pair[0 if latitude_first else 1])
        by_axis["lon"].append(pair[1 if latitude_first else 0])
    start = between.start() if between else first.start_index
    box = _rectangle(start, second.end_index, by_axis["lon"], by_axis["lat"])
    return replace(box, assumed=first.assumed or second.assumed)


# Half planes

_DIRECTION = re.compile(r"\b(?P<word>north|south|east|west|above|below)(?: of)?(?: the)?\s*$")
_PLACES = {
    "equator": ("lat", 0.0), "tropic of cancer": ("lat", 23.43636), "tropic of capricorn": ("lat", -23.43636),
    "arctic circle": ("lat", 66.56364), "antarctic circle": ("lat", -66.56364), "prime meridian": ("lon", 0.0),
    "greenwich meridian": ("lon", 0.0), "greenwich": ("lon", 0.0),
}  # fmt: skip
_NAMED = re.compile(
    r"\b(?P<word>north|south|east|west|above|below)(?: of)? (?:the )?(?P<place>" + "|".join(_PLACES) + r")\b"
)


def _half(word: str, value: float) -> Box:
    return {
        "north": (-180.0, value, 180.0, 90.0), "above": (-180.0, value, 180.0, 90.0),
        "south": (-180.0, -90.0, 180.0, value), "below": (-180.0, -90.0, 180.0, value),
        "east": (value, -90.0, 180.0, 90.0), "west": (-180.0, -90.0, value, 90.0),
    }[word]  # fmt: skip


def _half_plane(one: Sequence[_Angle], lowered: str) -> CoordSpan | None:
    """ "North of 60°N", "above 60 north", "east of -80"."""
    angle = one[0]
    match = _DIRECTION.search(lowered[: angle.start])
    if not match:
        return None
    axis: Axis = "lon" if match["word"] in ("east", "west") else "lat"
    vague = match["word"] in ("above", "below") or " of" not in match.group(0)
    ends = re.match(r"\s*(?:$|[.,;!?)])", lowered[angle.end :])
    if angle.axis not in (None, axis) or (vague and angle.axis != axis) or not (angle.marked or ends):
        return None
    span = CoordSpan(match.start(), angle.end, "", "bbox")
    error = _wrong(angle, axis)
    return replace(span, error=error) if error else replace(span, bbox=_half(match["word"], angle.value))


def _named_half_planes(lowered: str) -> list[CoordSpan]:
    """ "South of the equator"."""
    spans: list[CoordSpan] = []
    for match in _NAMED.finditer(lowered):
        axis, value = _PLACES[match["place"]]
        if (axis == "lon") == (match["word"] in ("east", "west")):
            spans.append(CoordSpan(match.start(), match.end(), "", "bbox", bbox=_half(match["word"], value)))
    return spans


# Points

_POINT_WORD = re.compile(
    r"\b(?:at|near|around|points?|coordinates?|coords?|location|position|center(?:ed)?(?: at| on)?|centre(?:d)?(?: at| on)?|from|to|of)"
    r"\s*[:=]?\s*[\[(]?\s*$"
)


def _point(two: Sequence[_Angle], lowered: str) -> CoordSpan | None:
    """A pair, when its signs, its decimals or the words before it show that it is one."""
    one, other = two
    gap = lowered[one.end : other.start]
    if not re.fullmatch(r"\s*(?:[,;/]|,? and )?\s*", gap) or (not gap and not one.marked):
        return None
    if one.axis and one.axis == other.axis:
        return None
    square = re.search(r"\[\s*$", lowered[: one.start]) and re.match(r"\s*\]", lowered[other.end :])
    round_ = re.search(r"\(\s*$", lowered[: one.start]) and re.match(r"\s*\)", lowered[other.end :])
    wkt = round_ and re.search(r"\bpoint\s*\(\s*$", lowered[: one.start])
    shown = (one.axis or one.marked) and (other.axis or other.marked)
    if not (shown or square or wkt) and not _plainly_a_pair(two, gap, lowered):
        return None
    order, assumed = _order(one, other, bool(square or wkt))
    start = re.search(r"\s*[\[(]\s*$", lowered[: one.start]) if (square or round_) else None
    closing = re.match(r"\s*[\])]", lowered[other.end :]) if (square or round_) else None
    first = start.start() + len(start.group(0)) - len(start.group(0).lstrip()) if start else one.start
    last = other.end + (closing.end() if closing else 0)
    lat, lon = (one, other) if order == "lat,lon" else (other, one)
    error = _wrong(lat, "lat") or _wrong(lon, "lon")
    span = CoordSpan(first, last, "", "point", order=order, assumed=assumed and not error, error=error)
    return span if error else replace(span, lon=lon.value, lat=lat.value)


def _plainly_a_pair(two: Sequence[_Angle], gap: str, lowered: str) -> bool:
    """Whether two numbers with no mark at all are a point: by decimals, a minus, or a word before them."""
    decimals = [angle.decimals for angle in two]
    if "and" in gap or all(abs(angle.value) <= 1 for angle in two):
        return False
    minus = any(angle.value < 0 for angle in two)
    comma = bool(re.search(r"[,;]", gap))
    if min(decimals) >= 2 or (comma and minus and any(decimals)):
        return True
    return (minus or any(decimals)) and bool(_POINT_WORD.search(lowered[: two[0].start]))


def _order(one: _Angle, other: _Angle, geojson: bool) -> tuple[Literal["lat,lon", "lon,lat"], bool]:
    """The order of a pair, and whether it is only the custom."""
    if one.axis == "lat" or other.axis == "lon":
        return "lat,lon", False
    if one.axis == "lon" or other.axis == "lat":
        return "lon,lat", False
    if abs(one.value) > 90 >= abs(other.value):
        return "lon,lat", False
    if abs(other.value) > 90 >= abs(one.value):
        return "lat,lon", False
    return ("lon,lat" if geojson else "lat,lon"), not geojson

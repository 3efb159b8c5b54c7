"""The camera's geometry: Web Mercator, boxes and centres. Degrees, longitude first."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from state.model import Bbox, LonLat
from tools.base import ToolError
from tools.places import box

MAP_WIDTH_PX = 900
MAP_HEIGHT_PX = 480
"""The map a fit is computed for: about the page's at 1440 x 900; the state cannot know a window's size."""
TILE_PX = 256
MAX_LATITUDE = 85.05112877980659
"""Where Web Mercator ends."""
MIN_ZOOM, MAX_ZOOM = 0.0, 22.0
CLOSEST_FIT = 17.0
"""What has no extent, such as one image's centre, is not zoomed into further than this."""
_DECIMALS = 6


@dataclass(frozen=True)
class Camera:
    """Where the map looks."""

    center: LonLat
    zoom: float


def camera_for(bbox: Bbox) -> Camera:
    """The closest whole zoom at which the box is wholly in sight, and its middle on the map."""
    west, south, _, north = bbox
    width = span(bbox)
    top, bottom = mercator_y(north), mercator_y(south)
    world_x = width / 360
    world_y = top - bottom
    scales = [MAP_WIDTH_PX / (TILE_PX * world_x) if world_x > 0 else math.inf]
    scales.append(MAP_HEIGHT_PX / (TILE_PX * world_y) if world_y > 0 else math.inf)
    fractional = min(CLOSEST_FIT, math.log2(min(scales))) if min(scales) < math.inf else CLOSEST_FIT
    # A hair less than a whole number is that number: the box touches the frame and is still in it.
    zoom = float(max(MIN_ZOOM, math.floor(fractional + 1e-9)))
    return Camera(point(west + width / 2, latitude_of((top + bottom) / 2)), zoom)


def span(bbox: Bbox) -> float:
    """How many degrees of longitude the box covers, across the antimeridian where it crosses it."""
    west, _, east, _ = bbox
    return east - west if east >= west else east - west + 360


def mercator_y(lat: float) -> float:
    """North as a part of the world's height, 0 at the equator, ±0.5 at the map's edges."""
    lat = max(-MAX_LATITUDE, min(MAX_LATITUDE, lat))
    return math.log(math.tan(math.pi / 4 + math.radians(lat) / 2)) / (2 * math.pi)


def latitude_of(y: float) -> float:
    """The latitude of `mercator_y`."""
    return math.degrees(2 * math.atan(math.exp(2 * math.pi * y)) - math.pi / 2)


def visible(center: LonLat, zoom: float) -> Bbox:
    """The box that a camera shows; all longitudes where the map shows the world once or more."""
    world_px = TILE_PX * 2**zoom
    half_x, half_y = 180 * MAP_WIDTH_PX / world_px, MAP_HEIGHT_PX / world_px / 2
    y = mercator_y(center[1])
    south, north = (latitude_of(max(-0.5, min(0.5, y + sign * half_y))) for sign in (-1, 1))
    west, east = (
        (-180.0, 180.0) if half_x >= 180 else (wrapped(center[0] - half_x), wrapped(center[0] + half_x))
    )
    return (west, south, east, north)


def wrapped(lon: float) -> float:
    """The longitude in -180..180."""
    return lon if -180 <= lon <= 180 else (lon + 180) % 360 - 180


def point(lon: float, lat: float) -> LonLat:
    """A position as the state keeps it: rounded to 6 decimals (11 cm), without a negative zero."""
    return (round(wrapped(lon), _DECIMALS) + 0.0, round(max(-90.0, min(90.0, lat)), _DECIMALS) + 0.0)


def checked_box(bbox: Sequence[float]) -> Bbox:
    """A caller's box. Raises ToolError for latitudes off the globe, CatalogueError for south above north."""
    west, south, east, north = bbox
    if max(abs(south), abs(north)) > 90:
        raise ToolError(
            f"The box [{west:g}, {south:g}, {east:g}, {north:g}] has latitudes beyond 90 degrees; "
            "the order is west, south, east, north."
        )
    if max(abs(west), abs(east)) > 540:
        raise ToolError(f"The box has a longitude of {max(west, east, key=abs):g} degrees; give -180 to 180.")
    return box(bbox)


def union_box(boxes: Sequence[Bbox]) -> Bbox:
    """The narrowest box around all boxes, across the antimeridian where that is narrower."""
    south, north = min(each[1] for each in boxes), max(each[3] for each in boxes)
    spans = sorted((each[0] % 360, span(each)) for each in boxes)
    # Around the world: what reaches beyond 360 covers the beginning.
    reach = max(west + width for west, width in spans) - 360
    widest, start = -1.0, spans[0][0]
    for west, width in spans:
        if west - reach > widest:
            widest, start = west - reach, west
        reach = max(reach, west + width)
    # A gap that rounding would close is none: the box would collapse to its other side.
    if widest <= 1e-5:
        return (-180.0, south, 180.0, north)
    return box((start, south, start + 360 - widest, north))


def said_box(bbox: Bbox) -> str:
    """The box as a sentence says it."""
    return "[" + ", ".join(f"{part:.5g}" for part in bbox) + "]"

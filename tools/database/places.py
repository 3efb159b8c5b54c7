"""Narrow the selection to a place: by name, box, circle, shape or drawing."""

from __future__ import annotations

from dataclasses import asdict
from difflib import get_close_matches
from typing import Annotated, Any

from pydantic import Field

from state.model import Layer, State
from tools.artifacts import newest_named
from tools.base import Step, ToolError, World, tool
from tools.phrases import listed
from tools.places import CITY_RADIUS_KM, Area, area_of_place, box, circle_area, place_named, shape_area
from tools.selection import geojson, narrowed
from tools.units import BboxDeg, Latitude, LayerId, Longitude, RadiusKm

_WAYS = "a place, a bbox, a lon with a lat, a geometry or a drawing"


@tool("database", changes_state=True)
def filter_coords(
    state: State,
    world: World,
    *,
    place: Annotated[
        str | None, Field(min_length=1, max_length=200, description="A city, country, region or sea.")
    ] = None,
    bbox: BboxDeg | None = None,
    lon: Longitude | None = None,
    lat: Latitude | None = None,
    radius_km: Annotated[
        RadiusKm | None, Field(description="Around a place, a lon and lat, or a marker; 40 for a city.")
    ] = None,
    geometry: Annotated[
        dict[str, Any] | None, Field(description="A GeoJSON Polygon or MultiPolygon.")
    ] = None,
    drawing: Annotated[LayerId | None, Field(description="The id or name of a layer that was drawn.")] = None,
) -> Step:
    """Keep what lies in a place, a box, a circle, a shape or a drawing, replacing any earlier place.

    Give exactly one of place, bbox, lon with lat, geometry, drawing. A city means 40 km around it.

    Example: copilot call filter_coords place=Pittsburgh radius_km=40

    Asked as: near Pittsburgh | within 40 km of Houston | in Brazil | around the port of Rotterdam | inside
    the box I drew | only in this bounding box | over the Black Sea | and in Lyon? | at 48.1 N 11.6 E | the
    same in Italy
    """
    given = [name for name, value in (("place", place), ("bbox", bbox), ("lon/lat", _either(lon, lat)),
                                      ("geometry", geometry), ("drawing", drawing))
             if value is not None]  # fmt: skip
    if len(given) != 1:
        raise ToolError(f"filter_coords needs exactly one of {_WAYS}; it got {listed(given) or 'none'}.")
    if radius_km is not None and given[0] in ("bbox", "geometry"):
        raise ToolError(f"A radius_km goes with a place or with lon and lat, not with a {given[0]}.")
    if place is not None:
        area = area_of_place(world.gazetteer, place_named(world.gazetteer, place), radius_km)
    elif bbox is not None:
        area = Area(box(bbox))
    elif geometry is not None:
        area = shape_area(geometry)
    elif drawing is not None:
        area = _drawn(state, drawing, radius_km)
    else:
        area = _around(lon, lat, radius_km)
    parts = {name: getattr(area, name) for name in asdict(area)}
    grown = radius_km is not None and area.center is None
    said = f"within {radius_km:g} km of {area.place}" if grown else _said(area)
    return narrowed(state, world, f"Place: {said}.", **parts)


def _either(lon: float | None, lat: float | None) -> float | None:
    return lon if lat is None else lat


def _around(lon: float | None, lat: float | None, radius_km: float | None) -> Area:
    if lon is None or lat is None:
        raise ToolError(f"A point needs both lon and lat; it got lon={lon}, lat={lat}.")
    return circle_area((lon, lat), radius_km or CITY_RADIUS_KM)


def _drawn(state: State, asked: str, radius_km: float | None) -> Area:
    """The area of a drawing, by its id or name: its shape, or a circle around a marker."""
    drawings = [each for each in state.map.layers if each.geometry is not None]
    layer = state.layer(asked) or newest_named(drawings, asked)
    if layer is None or layer.geometry is None:
        raise ToolError(_no_drawing(state, asked, layer))
    plain = geojson(layer.geometry)
    if plain["type"] != "Point":
        if radius_km is not None:
            raise ToolError(f"The drawing {asked!r} has a shape of its own, so it takes no radius_km.")
        return shape_area(plain)
    own = dict(layer.options).get("radius_km")
    radius = radius_km or (float(own) if isinstance(own, (int, float)) else CITY_RADIUS_KM)
    return circle_area((plain["coordinates"][0], plain["coordinates"][1]), radius)


def _no_drawing(state: State, asked: str, layer: Layer | None) -> str:
    drawings = [each.id for each in state.map.layers if each.geometry is not None]
    problem = f"{asked!r} is a layer without a drawing." if layer else f"No drawing has the id {asked!r}."
    if not drawings:
        return f"{problem} There is no drawing yet; draw_bbox and draw_polygon make one."
    near = get_close_matches(asked, drawings, n=1)
    return f"{problem} Did you mean {near[0]!r}?" if near else f"{problem} There are {listed(drawings)}."


def _said(area: Area) -> str:
    west, south, east, north = area.bbox
    if area.center is not None and area.radius_km is not None:
        return f"within {area.radius_km:g} km of {area.place or f'({area.center[0]:g}, {area.center[1]:g})'}"
    if area.place is not None:
        return area.place
    shape = "the shape in" if area.geometry is not None else "the box"
    return f"{shape} [{west:g}, {south:g}, {east:g}, {north:g}]"


TOOLS = (filter_coords,)

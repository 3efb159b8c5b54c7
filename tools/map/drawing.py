"""Draw on the map: boxes, polygons, circles and markers, each a layer of its own."""

from __future__ import annotations

import re
from typing import Annotated, Any

from pydantic import Field
from shapely.geometry import Point

from state.model import Layer, State
from tools.base import Step, ToolError, World, tool
from tools.map.find import Spot, geometry_box, spot_of
from tools.map.geometry import checked_box, point, said_box
from tools.map.shapes import area_km2, box_shape, circle_shape, geometry_value, ring_shape
from tools.map.styles import KIND_COLORS, clean_name, free_name
from tools.phrases import number, number_of
from tools.places import place_named
from tools.units import BboxDeg, Latitude, Longitude, NewName, PlaceName, RadiusKm

Corner = Annotated[list[float], Field(min_length=2, max_length=2)]
Corners = Annotated[
    list[Corner],
    Field(min_length=3, max_length=500, description="Corners [lon, lat] in degrees, in order around it."),
]
Title = Annotated[NewName | None, Field(description="What the drawing is called.")]
Label = Annotated[NewName | None, Field(description="Text beside the marker.")]
_NUMBER = re.compile(r"drawing-([0-9]{1,9})")


@tool("map", changes_state=True, gives=("layer",))
def draw_bbox(
    state: State,
    world: World,
    *,
    bbox: BboxDeg | None = None,
    place: PlaceName | None = None,
    name: Title = None,
) -> Step:
    """Draw a box on the map, given as a bbox or as a place's box.

    Example: copilot call draw_bbox bbox=[-80.3,40.3,-79.8,40.6]

    Asked as: draw a box around Rome | draw a rectangle | mark the area as a box | a bounding box of Kenya on
    the map | outline this extent
    """
    if (bbox is None) == (place is None):
        raise ToolError("draw_bbox needs a bbox [west, south, east, north] or a place; one of them.")
    label = None
    if place is not None:
        found = place_named(world.gazetteer, place)
        bbox, label = list(found.bbox), found.name
    assert bbox is not None
    drawn = checked_box(bbox)
    shape = box_shape(drawn)
    if not shape.area > 0:
        raise ToolError(f"The box {said_box(drawn)} has no area; its sides must differ.")
    title = name or (f"Box of {label}" if label else None)
    return _drawn(state, shape, f"a box {said_box(drawn)}", title, "Box")


@tool("map", changes_state=True, gives=("layer",))
def draw_polygon(state: State, world: World, *, points: Corners, name: Title = None) -> Step:
    """Draw a polygon on the map from its corners.

    Example: copilot call draw_polygon points=[[4,51],[5,51],[5,52]]

    Asked as: draw a polygon | draw a triangle through these points | sketch an area with these corners |
    outline the region with vertices | mark out a shape
    """
    for lon, lat in points:
        if abs(lon) > 180 or abs(lat) > 90:
            raise ToolError(
                f"The corner [{lon:g}, {lat:g}] is not on the globe; a corner is [lon, lat], longitude first."
            )
    corners = [point(lon, lat) for lon, lat in points]
    shape = ring_shape(corners)
    count = len(corners) - (corners[0] == corners[-1])
    return _drawn(state, shape, f"a polygon of {number_of(count, 'corner')}", name, "Polygon")


@tool("map", changes_state=True, gives=("layer",))
def draw_circle(
    state: State,
    world: World,
    *,
    radius_km: RadiusKm,
    place: PlaceName | None = None,
    lon: Longitude | None = None,
    lat: Latitude | None = None,
    name: Title = None,
) -> Step:
    """Draw a circle of a radius in kilometres around a place or a point.

    Example: copilot call draw_circle place=Rotterdam radius_km=40

    Asked as: draw a circle of 20 km around Tokyo | a ring around the port | show the 50 km radius | circle
    this place | mark everything within 10 km with a circle
    """
    spot = spot_of(world, place, lon, lat)
    options = (("lat", spot.center[1]), ("lon", spot.center[0]), ("radius_km", float(radius_km)))
    said = f"a circle of {radius_km:g} km around {spot.label}"
    shape = circle_shape(spot.center, radius_km)
    return _drawn(state, shape, said, name or _around(spot, place), "Circle", options)


@tool("map", changes_state=True, gives=("layer",))
def draw_marker(
    state: State,
    world: World,
    *,
    place: PlaceName | None = None,
    lon: Longitude | None = None,
    lat: Latitude | None = None,
    label: Label = None,
    name: Title = None,
) -> Step:
    """Put a marker on a place or a point, with a label when one is given.

    Example: copilot call draw_marker place=Lagos label="Field office"

    Asked as: put a marker on Nairobi | drop a pin at the harbour | mark this spot | pin it | place a flag at
    52.5, 13.4 | add a point labelled HQ | mark Berlin on the map
    """
    spot = spot_of(world, place, lon, lat)
    text = clean_name(label) if label else None
    options = (("label", text),) if text else ()
    return _drawn(
        state, Point(spot.center), f"a marker on {spot.label}", name or text or place, "Marker", options
    )


@tool("map", changes_state=True)
def clear_drawings(state: State, world: World) -> Step:
    """Remove everything that was drawn on the map; other layers stay.

    Example: copilot call clear_drawings

    Asked as: erase the drawings | remove the circle and the marker | delete what I drew | clear my sketches |
    wipe the pins | get rid of the shapes
    """
    gone = [each.id for each in state.map.layers if each.kind == "drawing"]
    said = f"Removed {number_of(len(gone), 'drawing')}." if gone else "There were no drawings."
    return Step(state.without_layers(frozenset(gone)), said, {"removed": gone})


def _around(spot: Spot, place: str | None) -> str | None:
    return f"Around {spot.label.split(',')[0]}" if place is not None else None


def _drawn(
    state: State,
    shape: Any,
    said: str,
    name: str | None,
    word: str,
    options: tuple[tuple[str, str | float | bool], ...] = (),
) -> Step:
    """The step to the drawing on top of the map."""
    taken = [int(found[1]) for each in state.map.layers if (found := _NUMBER.fullmatch(each.id))]
    drawing = max(taken, default=0) + 1
    layer = Layer(
        id=f"drawing-{drawing}",
        name=free_name(state, name or f"{word} {drawing}"),
        kind="drawing",
        color=KIND_COLORS["drawing"],
        geometry=geometry_value(shape),
        options=options,
        count=1,
    )
    area = area_km2(shape)
    data: dict[str, Any] = {"layer": layer.id, "kind": "drawing", "bbox": list(geometry_box(shape))}
    size = ""
    if area:
        data["area_km2"] = round(area, 3)
        size = f", {number(area)} km²"
    return Step(state.with_layer(layer), f"Drew {said}{size} (layer {layer.id!r}).", data)


TOOLS = (draw_bbox, draw_polygon, draw_circle, draw_marker, clear_drawings)

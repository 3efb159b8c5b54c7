"""Move the map: zoom, pan, fit, and the base below it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import Annotated, Any, Literal

from pydantic import Field

from data.catalogue.geo import circle_bbox
from data.gazetteer.model import Place
from state.model import Bbox, Layer, MapState, State
from tools.base import Step, ToolError, World, tool
from tools.map.find import layer_box, layer_named, spot_named
from tools.map.geometry import (
    MAX_ZOOM,
    MIN_ZOOM,
    Camera,
    camera_for,
    checked_box,
    latitude_of,
    mercator_y,
    point,
    said_box,
    union_box,
    visible,
)
from tools.map.picked import RowNumber, box_of, feature_of, with_pick
from tools.places import place_named
from tools.selection import current_selection
from tools.units import BboxDeg, Latitude, LayerName, Longitude, PlaceName, Zoom

Direction = Literal["north", "north-east", "east", "south-east", "south", "south-west", "west", "north-west"]
Fraction = Annotated[
    float, Field(gt=0, le=5, description="How far, in widths or heights of the map: 0.5 is half of it.")
]
CITY_HALF_KM = 25.0
"""A city is shown with at least this much around its middle: images of it lie there."""
AROUND_A_POINT = 12.0
"""The zoom at which a single point is shown, where the map is not nearer already."""
_DIRECTIONS: dict[str, tuple[int, int]] = {
    "north": (0, 1), "north-east": (1, 1), "east": (1, 0), "south-east": (1, -1),
    "south": (0, -1), "south-west": (-1, -1), "west": (-1, 0), "north-west": (-1, 1),
}  # fmt: skip


@dataclass(frozen=True)
class Basemap:
    """A base of the map."""

    id: str
    title: str
    online: bool
    words: tuple[str, ...] = ()


BASEMAPS: dict[str, Basemap] = {
    each.id: each
    for each in (
        Basemap("offline", "land and countries", False, ("land", "countries", "default", "world", "none")),
        Basemap("dark", "dark land and countries", False, ("night", "black", "dark mode")),
        Basemap("light", "light land and countries", False, ("white", "positron", "grey", "light mode")),
        Basemap(
            "osm", "OpenStreetMap", True, ("openstreetmap", "open street map", "streets", "street", "roads")
        ),
        Basemap(
            "satellite", "satellite imagery", True, ("imagery", "aerial", "esri", "photo", "satellite view")
        ),
        Basemap("topo", "topographic map", True, ("topographic", "opentopomap", "terrain", "relief")),
    )
}


@tool("map", changes_state=True)
def zoom_map(
    state: State,
    world: World,
    *,
    place: PlaceName | None = None,
    level: Annotated[Zoom | None, Field(description="The zoom level to go to, keeping the centre.")] = None,
    delta: Annotated[
        float | None, Field(ge=-22, le=22, description="Levels to zoom in (+1) or out (-1).")
    ] = None,
) -> Step:
    """Zoom the map to a place, to a level, or in and out by some levels.

    Example: copilot call zoom_map place=Paris

    Asked as: zoom to Paris | go to Nairobi | fly to Iceland | zoom in | zoom out two levels | level 8 |
    closer please | take me to Tokyo | show me Cairo on the map | back out a bit | zoom level 12
    """
    if place is None and level is None and delta is None:
        raise ToolError("zoom_map needs a place, a level (0 to 22) or a delta such as 1 or -1.")
    if delta is not None and (place is not None or level is not None):
        raise ToolError("A delta zooms from where the map is; give it without a place and without a level.")
    if place is not None:
        found = place_named(world.gazetteer, place)
        camera = camera_for(_box_of_place(state, found))
        if level is not None:
            camera = Camera(camera.center, float(level))
        return _moved(state, camera, f"The map shows {found.label}", place=found.label)
    asked = float(level) if level is not None else state.map.zoom + float(delta or 0)
    zoom = max(MIN_ZOOM, min(MAX_ZOOM, asked))
    if zoom == state.map.zoom and delta:
        raise ToolError(f"The map is at zoom {zoom:g} already, which is as far as it goes.")
    return _moved(state, Camera(state.map.center, zoom), "The map keeps its centre")


def _box_of_place(state: State, place: Place) -> Bbox:
    """What is shown of a place: the circle that the selection draws around it, a city with what is around
    it, and otherwise the place's own box."""
    filters = state.database.filters
    if filters.place == place.label and filters.center is not None and filters.bbox is not None:
        return filters.bbox
    if place.kind == "city":
        around = circle_bbox(place.lon, place.lat, CITY_HALF_KM)
        return union_box([around, checked_box(place.bbox)])
    return checked_box(place.bbox)


@tool("map", changes_state=True)
def pan_map(
    state: State,
    world: World,
    *,
    direction: Annotated[Direction | None, Field(description="Which way to look.")] = None,
    fraction: Fraction = 0.5,
    place: PlaceName | None = None,
) -> Step:
    """Move the map in a direction, or to a place, at the same zoom.

    Example: copilot call pan_map direction=north

    Asked as: move the map north | pan left | shift the view to the east | scroll down a bit | a little
    further south | go right by half a screen | centre on Rome at the same zoom
    """
    if (direction is None) == (place is None):
        raise ToolError("pan_map needs a direction such as north, or a place; one of them.")
    if place is not None:
        spot = spot_named(world, place)
        return _moved(state, Camera(spot.center, state.map.zoom), f"The map is centred on {spot.label}")
    assert direction is not None
    lon, lat = state.map.center
    west, south, east, north = visible(state.map.center, state.map.zoom)
    width = (east - west) % 360 or 360.0
    height = mercator_y(north) - mercator_y(south)
    x, y = _DIRECTIONS[direction]
    up = max(-0.5, min(0.5, mercator_y(lat) + y * fraction * height))
    moved_to = point(lon + x * fraction * width, latitude_of(up) if y else lat)
    return _moved(state, Camera(moved_to, state.map.zoom), f"The map moved {direction}")


@tool("map", changes_state=True)
def set_view(state: State, world: World, *, lon: Longitude, lat: Latitude, zoom: Zoom | None = None) -> Step:
    """Centre the map on coordinates, at a zoom level or the present one.

    Example: copilot call set_view lon=2.35 lat=48.86 zoom=11

    Asked as: centre the map on 48.1 N 11.6 E | go to 2.35, 48.86 | view at lon 10 lat 50 zoom 9 | put these
    coordinates in the middle | jump to latitude -33.9 longitude 18.4
    """
    level = state.map.zoom if zoom is None else float(zoom)
    return _moved(state, Camera(point(lon, lat), level), "The map is set")


@tool("map", changes_state=True)
def fit_bounds(state: State, world: World, *, bbox: BboxDeg) -> Step:
    """Fit the map to a box.

    Example: copilot call fit_bounds bbox=[-80.3,40.3,-79.8,40.6]

    Asked as: fit the map to this box | zoom to west 5 south 45 east 10 north 50 | frame the extent | show the
    bounding box on screen | set the map extent
    """
    fitted = checked_box(bbox)
    return _fitted(state, fitted, f"The map fits {said_box(fitted)}")


@tool("map", changes_state=True, needs=("layer",))
def fit_layer(state: State, world: World, *, layer: LayerName, row: RowNumber | None = None) -> Step:
    """Fit the map to what a layer shows.

    With a row the map goes to that one feature and marks it.

    Example: copilot call fit_layer layer=clusters

    Asked as: zoom to the layer | frame that layer again | fit the view to the clusters | show the whole layer
    on screen | zoom to the drawing | go to the heat map's extent
    """
    found = layer_named(state, layer)
    if row is not None:
        return _fitted_to_one(state, world, found, row)
    return _fitted(state, layer_box(world, found), f"The map fits the layer {found.name!r}", layer=found.id)


def _fitted_to_one(state: State, world: World, layer: Layer, row: int) -> Step:
    """A feature is marked and in sight as large as it can be; of a point there is what lies around it."""
    picked = feature_of(state, world, layer, row)
    camera = camera_for(box_of(picked))
    if picked.length == 0:
        camera = Camera(camera.center, min(camera.zoom, max(AROUND_A_POINT, state.map.zoom)))
    shown = with_pick(state, layer.artifact, row).with_map(center=camera.center, zoom=camera.zoom)
    shown = shown.with_layer(replace(shown.layer(layer.id) or layer, visible=True))
    said = f"The map shows row {row:,} of {layer.name!r}"
    return _moved(shown, camera, said, layer=layer.id, row=row)


@tool("map", changes_state=True, needs=("loaded",))
def fit_selection(state: State, world: World) -> Step:
    """Fit the map to the current selection.

    Example: copilot call fit_selection

    Asked as: zoom to the results | fit all images | show me where they all are | frame the selection | make
    everything selected visible | zoom to the data
    """
    bounds = world.catalogue.bounds(current_selection(state, world))
    if bounds is None:
        raise ToolError(
            "The selection is empty, so there is nothing to fit; drop a filter with filter_clear."
        )
    return _fitted(state, bounds, f"The map fits the selection's {state.database.count:,} rows")


@tool("map", changes_state=True)
def reset_map(state: State, world: World) -> Step:
    """Put the map's camera and base back to how they start; layers stay.

    Example: copilot call reset_map

    Asked as: reset the view | the whole world | start the map over | back to the default view | zoom all the
    way out | original camera
    """
    start = MapState()
    after = state.with_map(center=start.center, zoom=start.zoom, basemap=start.basemap, swipe=None)
    data: dict[str, Any] = {"center": list(start.center), "zoom": start.zoom, "basemap": start.basemap}
    return Step(after, "The map shows the whole world again; its layers are as they were.", data)


@tool("map", changes_state=True)
def set_basemap(
    state: State,
    world: World,
    *,
    name: Annotated[
        str, Field(min_length=1, max_length=60, description="offline, dark, light, osm, satellite or topo.")
    ],
) -> Step:
    """Change the map's base: offline land (plain, dark, light), OpenStreetMap, satellite or topography.

    Example: copilot call set_basemap name=dark

    Asked as: satellite background | dark map | use OpenStreetMap | topographic base | change the basemap |
    light background please | show streets underneath | aerial imagery below | night mode for the map | plain
    background
    """
    base = basemap_named(name)
    data = {"basemap": base.id, "online": base.online}
    where = "its tiles come from the network" if base.online else "it needs no network"
    return Step(state.with_map(basemap=base.id), f"The base is {base.title}; {where}.", data)


def basemap_named(name: str) -> Basemap:
    """The base of that id or synonym. Raises ToolError with the nearest."""
    wanted = " ".join(name.casefold().replace("_", " ").replace("-", " ").split())
    words = {word: each for each in BASEMAPS.values() for word in (each.id, *each.words)}
    for candidate in (wanted, wanted.removesuffix(" map"), wanted.removesuffix(" basemap")):
        if candidate in words:
            return words[candidate]
    near = get_close_matches(wanted, words, n=1)
    hint = f"Did you mean {words[near[0]].id!r}? " if near else ""
    raise ToolError(f"There is no base map {name!r}. {hint}There are {', '.join(BASEMAPS)}.")


def _fitted(state: State, bbox: Bbox, said: str, **data: Any) -> Step:
    return _moved(state, camera_for(bbox), said, bbox=list(bbox), **data)


def _moved(state: State, camera: Camera, said: str, **data: Any) -> Step:
    after = replace(state.map, center=camera.center, zoom=camera.zoom)
    lon, lat = camera.center
    facts = {"center": [lon, lat], "zoom": camera.zoom, **data}
    return Step(
        replace(state, map=after), f"{said}: centre ({lon:.5g}, {lat:.5g}), zoom {camera.zoom:g}.", facts
    )


TOOLS = (zoom_map, pan_map, set_view, fit_bounds, fit_layer, fit_selection, reset_map, set_basemap)

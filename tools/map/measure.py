"""Measure on the WGS84 ellipsoid, and say what lies at a point."""

from __future__ import annotations

from typing import Annotated, Any

import shapely
from pydantic import Field
from shapely.geometry import shape

from state.model import Layer, LonLat, State
from tools.artifacts import artifact_file
from tools.base import Step, ToolError, World, tool
from tools.map.files import read_vector
from tools.map.find import layer_named, said_point, spot_named
from tools.map.geometry import checked_box, point, said_box
from tools.map.rasters import has_tiles, values_at, values_in_words
from tools.map.shapes import area_km2, box_shape, path_km
from tools.phrases import listed, number
from tools.places import place_named
from tools.selection import geojson, selection_of_query
from tools.units import BboxDeg, Latitude, LayerName, Longitude, PlaceName

Corner = Annotated[list[float], Field(min_length=2, max_length=2)]
End = Annotated[str, Field(min_length=1, max_length=200, description="A place, or lon,lat in degrees.")]
Path = Annotated[
    list[Corner], Field(min_length=2, max_length=1000, description="Points [lon, lat] along the way.")
]
MOST_IMAGES = 10


@tool("map")
def measure_distance(
    state: State,
    world: World,
    *,
    start: End | None = None,
    end: End | None = None,
    points: Path | None = None,
) -> Step:
    """Measure the geodesic distance between two places or points, or along a path.

    Example: copilot call measure_distance start=Paris end=Lagos

    Asked as: how far is it from Rome to Milan | distance between the two ports | measure the length of this
    path | kilometres from here to Cairo | how long is the route | how many km between | as the crow flies
    """
    if points is not None:
        if start is not None or end is not None:
            raise ToolError("Give start and end, or points along a path, not both.")
        way = [_on_globe(each) for each in points]
        said = f"The path of {len(way)} points is"
    else:
        if start is None or end is None:
            raise ToolError(
                "measure_distance needs start and end (places or lon,lat), or points along a path."
            )
        ends = (spot_named(world, start), spot_named(world, end))
        way = [each.center for each in ends]
        said = f"From {ends[0].label} to {ends[1].label} it is"
    legs = path_km(way)
    total = sum(legs)
    data = {
        "distance_km": round(total, 3),
        "legs_km": [round(leg, 3) for leg in legs],
        "points": [list(p) for p in way],
    }
    return Step(state, f"{said} {number(round(total, 3))} km.", data)


@tool("map")
def measure_area(
    state: State,
    world: World,
    *,
    layer: Annotated[LayerName | None, Field(description="A drawing's id or name.")] = None,
    bbox: BboxDeg | None = None,
    place: PlaceName | None = None,
) -> Step:
    """Measure the geodesic area of a drawing, a box or a place.

    Example: copilot call measure_area place=France

    Asked as: how large is the area | square kilometres of the drawing | size of this polygon | area of
    Bavaria | how big is the box | hectares inside the shape
    """
    if sum(each is not None for each in (layer, bbox, place)) != 1:
        raise ToolError("measure_area needs one of: a drawing's layer, a bbox, a place.")
    if layer is not None:
        found = layer_named(state, layer)
        label, measured = f"The layer {found.name!r}", _outline_of_layer(found)
    elif place is not None:
        label, measured = _outline_of_place(world, place)
    else:
        assert bbox is not None
        box = checked_box(bbox)
        label, measured = f"The box {said_box(box)}", box_shape(box)
    area = area_km2(measured)
    data = {"area_km2": round(area, 6), "area_ha": round(area * 100, 4)}
    return Step(
        state, f"{label} covers {number(round(area, 6))} km² ({number(round(area * 100, 2))} ha).", data
    )


@tool("map")
def identify_at(state: State, world: World, *, lon: Longitude, lat: Latitude) -> Step:
    """Say what lies at a point: images, drawings and pixel values of visible layers, country, nearest city.

    Example: copilot call identify_at lon=-79.996 lat=40.441

    Asked as: what is at this point | what's here | which country is this coordinate in | what do we have at
    10 E 50 N | identify the spot | nearest city to this point | info at the location |
    value of the raster here | pixel values at this point
    """
    spot = point(lon, lat)
    country = world.gazetteer.country_at(*spot)
    city, city_km = world.gazetteer.nearest_city(*spot)
    found = [
        each
        for layer in state.map.layers
        if layer.visible and (each := _at(state, world, layer, spot)) is not None
    ]
    said = [f"{said_point(*spot)} is in {country or 'no country'}, {city_km:,.1f} km from {city.label}."]
    for each in found:
        said.append(_found_in_words(each))
    if not found:
        said.append("No visible layer has anything there." if state.map.layers else "The map has no layers.")
    data: dict[str, Any] = {
        "country": country,
        "nearest_city": {"label": city.label, "distance_km": round(city_km, 1)},
        "layers": found,
    }
    return Step(state, " ".join(said), data)


def _on_globe(corner: list[float]) -> LonLat:
    lon, lat = corner
    if abs(lon) > 180 or abs(lat) > 90:
        raise ToolError(
            f"The point [{lon:g}, {lat:g}] is not on the globe; each point is [lon, lat], longitude first."
        )
    return point(lon, lat)


def _outline_of_layer(layer: Layer) -> shapely.Geometry:
    if layer.geometry is None:
        raise ToolError(
            f"The layer {layer.name!r} is not a drawing; draw_polygon or draw_bbox makes one to measure."
        )
    found = shape(geojson(layer.geometry))
    if not found.area > 0:
        raise ToolError(f"The drawing {layer.name!r} is a point, which has no area.")
    return found


def _outline_of_place(world: World, name: str) -> tuple[str, shapely.Geometry]:
    place = place_named(world.gazetteer, name)
    outline = world.gazetteer.polygon(place)
    if outline is None:
        box = ",".join(f"{part:.4f}" for part in place.bbox)
        raise ToolError(
            f"The outline of {place.label} is not known, only its box; bbox=[{box}] measures that."
        )
    return f"{place.label} (outline at 1:50 million)", outline


def _at(state: State, world: World, layer: Layer, spot: LonLat) -> dict[str, Any] | None:
    """What a layer has at a point; None when nothing."""
    facts: dict[str, Any] = {"layer": layer.id, "kind": layer.kind}
    if layer.geometry is not None:
        holds = shapely.intersects_xy(shape(geojson(layer.geometry)).buffer(1e-6), *spot)
        return facts if holds else None
    if layer.kind == "vector" and layer.artifact is not None:
        artifact = state.artifact(layer.artifact)
        file = artifact_file(state, world, layer.artifact, artifact.kind if artifact else "vector")
        held = int(read_vector(file).geometry.intersects(shapely.Point(spot)).sum())
        return {**facts, "features": held} if held else None
    if layer.kind == "raster":
        return _pixel(world, layer, spot, facts)
    if layer.query is None or not layer.query.datasets:
        return None
    rows = world.catalogue.images_near(selection_of_query(layer.query), *spot, limit=MOST_IMAGES)
    there = [row for row in rows.to_dict("records") if _holds(row, spot)]
    if there:
        return {**facts, "images": [row["image_id"] for row in there], "nearest": False}
    if not len(rows):
        return None
    near = rows.iloc[0]
    away = path_km([spot, (float(near["lon"]), float(near["lat"]))])[0]
    return {**facts, "images": [str(near["image_id"])], "nearest": True, "distance_km": round(away, 1)}


def _pixel(world: World, layer: Layer, spot: LonLat, facts: dict[str, Any]) -> dict[str, Any] | None:
    """A raster's values at a point; of a picture without a place of its own only that it lies there."""
    if not has_tiles(layer, world):
        return facts if _holds(dict(layer.options), spot) else None
    values = values_at(layer, world, spot)
    return None if values is None else {**facts, "values": values}


def _holds(row: dict[Any, Any], spot: LonLat) -> bool:
    west, south, east, north = (float(row[side]) for side in ("west", "south", "east", "north"))
    lon, lat = spot
    across = west <= lon <= east if west <= east else lon >= west or lon <= east
    return across and south <= lat <= north


def _found_in_words(found: dict[str, Any]) -> str:
    if "values" in found:
        return f"In {found['layer']!r} the pixel is {values_in_words(found['values'])}."
    if "images" not in found:
        return f"It lies in the {found['kind']} {found['layer']!r}."
    if found["nearest"]:
        away = f"{found['distance_km']:,} km away"
        return f"In {found['layer']!r} the nearest image is {found['images'][0]}, {away}."
    return f"In {found['layer']!r} lie {listed(found['images'])}."


TOOLS = (measure_distance, measure_area, identify_at)

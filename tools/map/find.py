"""Layers by what a caller calls them, and positions by a place or by coordinates."""

from __future__ import annotations

import re
from dataclasses import dataclass
from difflib import get_close_matches

import shapely
from shapely.geometry import shape

from data.vocabulary import words
from state.model import Bbox, Layer, LonLat, State
from tools.base import ToolError, World
from tools.map.geometry import point, union_box
from tools.phrases import listed
from tools.places import box, place_named
from tools.selection import geojson, selection_of_query

_COORDINATES = re.compile(r"\s*+(-?\d+(?:\.\d+)?)(?:\s*+[,;]\s*+|\s++)(-?\d+(?:\.\d+)?)\s*")


@dataclass(frozen=True)
class Spot:
    """A point on the globe and what it is called."""

    center: LonLat
    label: str


def layer_named(state: State, name: str) -> Layer:
    """The layer of that id or name, or the newest that shows the artifact of that id.

    Names whatever their case, the signs between their words and the number of their nouns. Raises ToolError
    with the nearest names.
    """
    layers = state.map.layers
    for each in layers:
        if each.id == name:
            return each
    wanted = name.strip().casefold()
    for each in reversed(layers):
        if wanted in (each.id.casefold(), each.name.casefold()):
            return each
    said = words.key(name)
    for each in reversed(layers):
        if each.artifact == name or (said and said in (words.key(each.id), words.key(each.name))):
            return each
    raise ToolError(_no_layer(state, name))


def _no_layer(state: State, name: str) -> str:
    known = {word.casefold(): each.id for each in state.map.layers for word in (each.name, each.id)}
    if not known:
        return (
            f"There is no layer {name!r}: the map has no layers yet; a plot such as cluster_plot makes one."
        )
    near = get_close_matches(name.strip().casefold(), known, n=1, cutoff=0.5)
    if near:
        return f"There is no layer {name!r}. Did you mean {known[near[0]]!r}?"
    return f"There is no layer {name!r}. There are {listed([repr(each.id) for each in state.map.layers])}."


def spot_of(world: World, place: str | None, lon: float | None, lat: float | None) -> Spot:
    """A point given as a place or as coordinates. Raises ToolError for neither, both, or half of them."""
    if place is not None:
        if lon is not None or lat is not None:
            raise ToolError("Give a place or lon and lat, not both.")
        return spot_named(world, place)
    if lon is None or lat is None:
        raise ToolError("Give a place, or both lon and lat.")
    return Spot(point(lon, lat), said_point(lon, lat))


def spot_named(world: World, text: str) -> Spot:
    """A point written as a place's name or as `lon,lat`. Raises ToolError for anything else."""
    if (found := _COORDINATES.fullmatch(text)) is not None:
        lon, lat = float(found[1]), float(found[2])
        if abs(lon) > 180 or abs(lat) > 90:
            raise ToolError(f"{text!r} is not on the globe; write lon,lat with -180..180 and -90..90.")
        return Spot(point(lon, lat), said_point(lon, lat))
    place = place_named(world.gazetteer, text)
    return Spot(point(place.lon, place.lat), place.label)


def said_point(lon: float, lat: float) -> str:
    """A position as a sentence says it, longitude first."""
    return f"({lon:.5g}, {lat:.5g})"


def layer_box(world: World, layer: Layer) -> Bbox:
    """What a layer covers. Raises ToolError when it is empty."""
    if layer.geometry is not None:
        return box(geometry_box(shape(geojson(layer.geometry))))
    if layer.query is not None:
        bounds = world.catalogue.bounds(selection_of_query(layer.query))
        if bounds is None:
            raise ToolError(f"The layer {layer.name!r} shows nothing, so there is nothing to fit.")
        return bounds
    options = dict(layer.options)
    if {"west", "south", "east", "north"} <= options.keys():
        return box([float(options[side]) for side in ("west", "south", "east", "north")])
    raise ToolError(f"The layer {layer.name!r} has no extent of its own.")


def geometry_box(geometry: shapely.Geometry) -> Bbox:
    """The narrowest box around a geometry's parts."""
    return union_box([part.bounds for part in shapely.get_parts(geometry)])

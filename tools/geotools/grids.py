"""Lay a grid over an area: squares, hexagons or the cells of H3."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field

from state.model import State
from tools.artifacts import Call, Input
from tools.base import Step, ToolError, World, tool
from tools.geotools.features import (
    area_in_words,
    features_on_plane,
    length_in_words,
    noted,
    rounded,
    sentences,
)
from tools.map.files import in_degrees
from tools.map.geometry import checked_box, said_box
from tools.map.shapes import box_shape
from tools.phrases import number_of
from tools.places import place_named
from tools.units import BboxDeg, PlaceName
from tools.vectors import VectorHandle, vector_step

if TYPE_CHECKING:
    import geopandas as gpd
    import shapely
    from pyproj import CRS

_TRUE = 0.02


@dataclass(frozen=True)
class _Area:
    """What a grid is laid over."""

    handle: str
    name: str
    key: str
    shape: shapely.Geometry
    """In longitude and latitude."""
    flat: shapely.Geometry | None = None
    crs: CRS | None = None
    """The same on the plane that it is kept on, where that is true to size."""
    inputs: tuple[Input, ...] = ()
    note: str = ""


@tool("geotools", changes_state=True, gives=("vector", "layer"))
def grid_over(
    state: State,
    world: World,
    *,
    vector: VectorHandle | None = None,
    place: PlaceName | None = None,
    bbox: BboxDeg | None = None,
    kind: Annotated[
        Literal["square", "hexagon", "h3"], Field(description="Squares, hexagons, or Uber's H3 cells.")
    ] = "square",
    size_m: Annotated[
        float | None, Field(gt=0, le=5e6, description="Width of a square or hexagon, metres.")
    ] = None,
    resolution: Annotated[
        int | None, Field(ge=0, le=15, description="Of H3: 0 is 1,100 km wide, 5 is 17 km, 8 is 900 m.")
    ] = None,
    clip: Annotated[bool, Field(description="Cut the cells at the area's edge.")] = False,
) -> Step:
    """Lay a grid of equal cells over features, a place or a box: squares, hexagons or H3 cells.

    Squares and hexagons are of equal area, on Lambert's azimuthal equal-area plane around the area (Snyder
    1987), or on the plane that the features are kept on, where that is true to size. H3 cells (version 4) are
    the same for everyone. Give size_m, or resolution for H3; left out, the area is some 10 cells wide. At
    most 20,000 cells; `cell` names each.

    Example: copilot call grid_over vector=vector-1a2b3c kind=hexagon size_m=20000

    Asked as: a grid of 10 km squares over France | hexagons over the drawing | H3 cells at resolution 6 |
    divide the area into cells | tile the polygon with 500 m squares | a fishnet over the study area |
    honeycomb grid
    """
    from data.vector.gridding import clipped, grid, h3_grid

    if size_m is not None and kind == "h3":
        raise ToolError("H3 cells have fixed sizes; give a resolution from 0 (1,100 km wide) to 15 (0.9 m).")
    if resolution is not None and kind != "h3":
        raise ToolError(f"A resolution is for kind=h3; a {kind} has a size_m.")
    area = _area(state, world, vector, place, bbox)
    with sentences():
        if kind == "h3":
            step: float = _h3_resolution(area.shape) if resolution is None else resolution
            frame = h3_grid(area.shape, int(step))
        else:
            step = _size_m(area.shape) if size_m is None else size_m
            frame = grid(area.shape if area.flat is None else area.flat, kind, step, area.crs)
        if clip:
            on_plane = area.flat is not None and kind != "h3"
            frame = clipped(frame, area.flat if on_plane else area.shape)
    if frame.empty:
        raise ToolError(f"No cell lies in {area.name}; give a smaller size_m, or a higher resolution.")
    return _made(
        state, world, _call(vector, place, bbox, kind, size_m, resolution, clip), area, frame, kind, step
    )


def _made(
    state: State,
    world: World,
    call: Call,
    area: _Area,
    frame: gpd.GeoDataFrame,
    kind: str,
    step: float,
) -> Step:
    from data.vector.measuring import areas_m2

    sizes = areas_m2(in_degrees(frame).geometry.to_numpy()).tolist()
    mean = sum(sizes) / len(sizes)
    of = f"resolution {step:g}" if kind == "h3" else length_in_words(step)[2]
    noun = {"square": "square", "hexagon": "hexagon", "h3": "H3 cell"}[kind]
    said = f"Laid {number_of(len(frame), noun)} of {of} over {area.name}, "
    said += f"{area_in_words(mean)[2]} each on average."
    facts: dict[str, Any] = {
        "cells": len(frame),
        "kind": kind,
        "mean_area_km2": rounded(mean / 1e6),
        "resolution" if kind == "h3" else "size_m": step,
    }
    said = f"{said} {area.note}".strip()
    name = f"Grid over {area.name}"[:100]
    return vector_step(state, world, call, area.inputs or [area], frame, name=name, said=said, **facts)


def _call(*args: Any) -> Call:
    names = ("vector", "place", "bbox", "kind", "size_m", "resolution", "clip")
    return Call.of(grid_over, **dict(zip(names, args, strict=True)))


def _area(
    state: State, world: World, vector: str | None, place: str | None, bbox: list[float] | None
) -> _Area:
    """The area of features, a place or a box. Raises ToolError for none of them and for several."""
    import shapely

    from data.vector.globe import areas
    from data.vector.overlay import union

    if sum(each is not None for each in (vector, place, bbox)) != 1:
        raise ToolError(
            "grid_over needs one of: features (vector), a place, a bbox [west, south, east, north]."
        )
    if vector is not None:
        (features,) = features_on_plane(state, world, vector)
        merged = union(features.frame)
        degrees = in_degrees(merged).geometry.iloc[0]
        flat, crs = (merged.geometry.iloc[0], merged.crs) if _true_to_size(merged) else (None, None)
        return _Area(
            vector,
            features.name,
            features.source.key,
            degrees,
            flat,
            crs,
            (features.source,),
            noted("", features).strip(),
        )
    if place is not None:
        found = place_named(world.gazetteer, place)
        outline = world.gazetteer.polygon(found)
        if outline is None:
            note = "Its outline is not known, only its box."
            return _Area(place, found.name, found.id, box_shape(found.bbox), note=note)
        # A country's box leaves out what lies overseas: nobody means Réunion by a grid over France.
        shape = areas(shapely.intersection(outline, box_shape(found.bbox)))
        return _Area(place, found.name, found.id, shape if shape.area > 0 else outline)
    assert bbox is not None
    box = checked_box(bbox)
    shape = box_shape(box)
    if not shape.area > 0:
        raise ToolError(f"The box {said_box(box)} has no area; its sides must differ.")
    return _Area(str(list(box)), f"the box {said_box(box)}", str(box), shape)


def _true_to_size(merged: gpd.GeoDataFrame) -> bool:
    """Whether areas on the plane of features are those on the ellipsoid, within two per cent."""
    from data.vector.measuring import area_m2

    if not merged.crs.is_projected:
        return False
    metre = float(merged.crs.axis_info[0].unit_conversion_factor)
    there = area_m2(in_degrees(merged).geometry.iloc[0])
    return there > 0 and abs(float(merged.area.iloc[0]) * metre**2 / there - 1) < _TRUE


def _size_m(shape: shapely.Geometry) -> float:
    """A round size of which the shape is some ten cells wide."""
    from data.vector.globe import middle, reach_m

    across = 2 * max(reach_m(shape, middle(shape)), 1.0)
    power = 10 ** (len(str(int(across / 10))) - 1)
    return float(max(1, round(across / 10 / power)) * power)


def _h3_resolution(shape: shapely.Geometry) -> int:
    """The resolution at which the shape is some ten cells wide."""
    from data.vector.globe import middle, reach_m
    from data.vector.gridding import cell_width_m

    across = 2 * max(reach_m(shape, middle(shape)), 1.0)
    return next((each for each in range(16) if cell_width_m(each) <= across / 8), 15)


TOOLS = (grid_over,)

"""Features that tools work on and make: GeoParquet of the session, layers, drawings, the selection."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from hashlib import sha256
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field

from data.catalogue.base import Selection
from state.codec import canonical, filters_to_json
from state.model import Artifact, Layer, State
from tools.artifacts import FEATURES, Call, Input, Named, newest_named, write_about
from tools.base import Step, ToolError, World
from tools.map.files import in_degrees, placed, stored_vector, vector_box
from tools.map.shapes import box_shape
from tools.noting import note
from tools.phrases import listed, number_of
from tools.selection import current_selection, geojson, selection_of_query
from tools.showing import artifact_layer
from tools.tables import rows_told, without_outlines

if TYPE_CHECKING:
    import geopandas as gpd
    from pyproj import CRS

SELECTION = "selection"
"""The handle of the selected images' footprints."""
DRAWINGS = "drawings"
"""The handle of everything that was drawn."""
MAX_FEATURES = 100_000
"""Most features that a plot or a selection is turned into; more are refused, not cut off."""

VectorHandle = Annotated[
    str,
    Field(
        min_length=1,
        max_length=200,
        description="Features: a vector artifact's or a layer's id, 'drawings', or 'selection' for the "
        "footprints of the selected images.",
        json_schema_extra={"format": "vector"},
    ),
]


@dataclass(frozen=True)
class Vector:
    """Features that a call works on."""

    handle: str
    frame: gpd.GeoDataFrame
    name: str
    key: str
    plane: CRS | None = None
    """The projected coordinate system that they are kept in; None for longitude and latitude."""


def vector_of(state: State, world: World, handle: str) -> Vector:
    """The features of that handle or name, fit to compute with: in longitude and latitude, flat, placed.

    What that leaves out is said. Raises ToolError with the nearest handles.
    """
    return fitted(kept_vector_of(state, world, handle))


def fitted(kept: Vector) -> Vector:
    """Features in longitude and latitude, flat, with a place each; what that leaves out is said."""
    if heights := int(kept.frame.geometry.has_z.sum()):
        note(f"Heights are left out: {number_of(heights, 'feature')} of {kept.name} had them.")
    there = placed(in_degrees(kept.frame))
    if absent := len(kept.frame) - len(there):
        note(f"Rows without a place are left out: {absent:,} of the {len(kept.frame):,} of {kept.name}.")
    return replace(kept, frame=there, plane=plane_of(kept.frame))


def kept_vector_of(state: State, world: World, handle: str) -> Vector:
    """The features of that handle or name as they are kept: all rows, in their own coordinate system.

    Raises ToolError with the nearest handles.
    """
    artifact = state.artifact(handle) or newest_named(state.artifacts, handle)
    if artifact is not None and artifact.kind in FEATURES:
        path = world.artifacts.find(artifact.id)
        if path is None:
            raise ToolError(f"The file of {artifact.id} is gone; {artifact.made_by} makes it again.")
        return Vector(artifact.id, stored_vector(path), artifact.name, artifact.id)
    if artifact is not None and artifact.kind == "table":
        return _of_table(world, artifact)
    layer = state.layer(handle) or newest_named(state.map.layers, handle)
    if layer is not None and layer.kind != "raster":
        return _of_layer(state, world, layer)
    if handle == SELECTION:
        selection, database = current_selection(state, world), state.database
        key = _key([database.loaded, filters_to_json(database.filters)])
        return Vector(SELECTION, _footprints(world, selection), "the selection", key)
    if handle in (DRAWINGS, "drawing"):
        return _drawings(state)
    raise ToolError(_no_vector(state, handle))


def plane_of(frame: gpd.GeoDataFrame) -> CRS | None:
    """The projected coordinate system of features; None for longitude and latitude."""
    return frame.crs if frame.crs is not None and frame.crs.is_projected else None


def _in_system_of(like: Input | None, frame: gpd.GeoDataFrame) -> gpd.GeoDataFrame:
    """Features in degrees brought back into the system that an input is kept in, where it is a plane."""
    import numpy as np

    plane = like.plane if isinstance(like, Vector) else None
    if plane is None or frame.crs != "EPSG:4326":
        return frame
    found = frame.to_crs(plane)
    # A shape that reaches beyond what the projection can show stays where it is.
    return found if np.isfinite(found.total_bounds).all() or placed(frame).empty else frame


def inputs_of(state: State, world: World, call: Call) -> list[Input]:
    """What a call that takes tables takes: each table's, features' or layer's id and what it is called."""
    found: list[Input] = []
    for handle in (call.args.get("table"), call.args.get("other")):
        artifact = state.artifact(str(handle)) or newest_named(state.artifacts, str(handle))
        if artifact is not None:
            found.append(Named(artifact.id, artifact.name, artifact.id))
        elif handle is not None:
            found.append(vector_of(state, world, str(handle)))
    return found


def vector_step(
    state: State,
    world: World,
    call: Call,
    inputs: Sequence[Input],
    frame: gpd.GeoDataFrame,
    *,
    name: str,
    said: str,
    options: Mapping[str, str | float | bool] | None = None,
    color: str | None = None,
    artifact_kind: Literal["vector", "detections"] = "vector",
    as_made: bool = False,
    like: int = 0,
    **data: Any,
) -> Step:
    """Keep features as GeoParquet and show them on the map.

    Features in EPSG:4326 go back into the system of the input of that number (`like`), but for `as_made`.
    No features, or none with a place, make an artifact too, which is said, and no layer.
    """
    noun = "feature" if artifact_kind == "vector" else "detection"
    frame = frame if as_made else _in_system_of(next(iter(inputs[like:]), None), frame)
    artifact = call.artifact(artifact_kind, state, name, number_of(len(frame), noun), inputs)
    path = world.artifacts.path(artifact.id, ".parquet")
    part = path.with_name(f".{path.name}.part")
    try:
        frame.to_parquet(part, index=False)
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
    write_about(world, artifact, call, inputs)
    after = state.with_artifact(artifact)
    facts: dict[str, Any] = {artifact_kind: artifact.id, "count": len(frame), **rows_told(frame)}
    shown = placed(in_degrees(frame))
    if len(shown):
        bbox = vector_box(shown)
        layer = artifact_layer(
            after,
            name,
            "vector",
            bbox,
            options=dict(options or {}),
            color=color,
            artifact=artifact.id,
            count=len(shown),
        )
        after = after.with_layer(layer)
        facts.update(layer=layer.id, bbox=list(bbox))
    return Step(after, f"{said} The {noun}s are {artifact.id}.", {**facts, **data})


def _of_table(world: World, artifact: Artifact) -> Vector:
    """The rows of a table at their places. Raises ToolError for a table without any."""
    import geopandas as gpd
    import pandas as pd

    from tools.row_shapes import geometries  # of tables, which are made of features too

    path = world.artifacts.find(artifact.id)
    if path is None:
        raise ToolError(f"The file of {artifact.id} is gone; {artifact.made_by} makes it again.")
    rows = pd.read_parquet(path)
    shapes = gpd.GeoSeries(geometries(rows), index=rows.index, crs="EPSG:4326")
    frame = gpd.GeoDataFrame(without_outlines(rows), geometry=shapes)
    return Vector(artifact.id, frame, artifact.name, artifact.id)


def _of_layer(state: State, world: World, layer: Layer) -> Vector:
    if layer.artifact is not None:
        return kept_vector_of(state, world, layer.artifact)
    if layer.geometry is not None:
        plain = geojson(layer.geometry)
        return Vector(layer.id, _frame([_shape(plain)], [layer.name]), layer.name, _key(plain))
    if layer.query is None:
        raise ToolError(f"The layer {layer.name!r} holds no features to work with.")
    key = _key([layer.query.datasets, filters_to_json(layer.query.filters)])
    selection = selection_of_query(layer.query)
    if layer.kind == "detections":
        return Vector(layer.id, _detections(world, selection), layer.name, key)
    frame = _footprints(world, selection)
    if layer.kind not in ("footprints", "choropleth"):
        frame = frame.set_geometry(frame.geometry.representative_point())
    return Vector(layer.id, frame, layer.name, key)


def _drawings(state: State) -> Vector:
    drawn = [each for each in state.map.layers if each.kind == "drawing" and each.geometry is not None]
    if not drawn:
        raise ToolError(
            "Nothing is drawn on the map yet; draw_bbox, draw_polygon or draw_circle draws something."
        )
    shapes = [geojson(each.geometry) for each in drawn if each.geometry is not None]
    frame = _frame([_shape(each) for each in shapes], [each.name for each in drawn])
    name = drawn[0].name if len(drawn) == 1 else "the drawings"
    return Vector(DRAWINGS, frame, name, _key(shapes))


def _footprints(world: World, selection: Selection) -> gpd.GeoDataFrame:
    import geopandas as gpd
    import shapely

    count = world.catalogue.count(selection)
    if count > MAX_FEATURES:
        raise ToolError(
            f"{count:,} images are selected, and at most {MAX_FEATURES:,} footprints can be worked with; "
            "narrow the selection first."
        )
    columns = ("image_id", "name", "dataset", "acquired", "west", "south", "east", "north", "footprint")
    rows = world.catalogue.rows(selection, columns, (), MAX_FEATURES)
    shapes = [
        shapely.from_wkb(bytes(row["footprint"]))
        if isinstance(row["footprint"], (bytes, bytearray))
        else box_shape((row["west"], row["south"], row["east"], row["north"]))
        for row in rows.to_dict("records")
    ]
    kept = rows[["image_id", "name", "dataset", "acquired"]]
    return gpd.GeoDataFrame(kept, geometry=gpd.GeoSeries(shapes, index=kept.index), crs="EPSG:4326")


def _detections(world: World, selection: Selection) -> gpd.GeoDataFrame:
    import geopandas as gpd

    rows = world.catalogue.detections(selection, (-180.0, -90.0, 180.0, 90.0), limit=MAX_FEATURES)
    shapes = [
        box_shape((row["west"], row["south"], row["east"], row["north"])) for row in rows.to_dict("records")
    ]
    kept = rows[[each for each in ("image_id", "class_name", "confidence", "length_m") if each in rows]]
    return gpd.GeoDataFrame(kept, geometry=gpd.GeoSeries(shapes, index=kept.index), crs="EPSG:4326")


def _frame(shapes: Sequence[Any], names: Sequence[str]) -> gpd.GeoDataFrame:
    import geopandas as gpd

    return gpd.GeoDataFrame({"name": list(names)}, geometry=list(shapes), crs="EPSG:4326")


def _shape(plain: dict[str, Any]) -> Any:
    from shapely.geometry import shape

    return shape(plain)


def _key(parts: Any) -> str:
    return sha256(canonical(parts).encode()).hexdigest()[:12]


def _no_vector(state: State, asked: str) -> str:
    known = [each.id for each in state.artifacts if each.kind in FEATURES]
    known += [each.id for each in state.map.layers if each.kind != "raster"]
    other = state.artifact(asked) or state.layer(asked)
    problem = (
        f"{asked!r} is a {other.kind}, not features."
        if other is not None
        else f"There are no features {asked!r}."
    )
    near = get_close_matches(asked, known, n=1)
    if near:
        return f"{problem} Did you mean {near[0]!r}?"
    there = listed([repr(each) for each in [*known[-6:], SELECTION]])
    return f"{problem} There are {there}."


__all__ = [
    "DRAWINGS",
    "SELECTION",
    "Named",
    "Vector",
    "VectorHandle",
    "inputs_of",
    "vector_of",
    "vector_step",
]

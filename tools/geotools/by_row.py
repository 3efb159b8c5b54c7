"""Features one by one: what each measures, its parts, corners and group; and several layers as one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field

from state.model import State
from tools.artifacts import Call
from tools.base import Step, ToolError, World, tool
from tools.data.source import column_in
from tools.geotools.features import free_column, kept_features, plane_named
from tools.noting import note
from tools.phrases import listed, number_of
from tools.rows import load_table
from tools.tables import have_shapes, own_features, table_of_inputs, without_outlines
from tools.units import Names, NewName
from tools.vectors import Named, VectorHandle

if TYPE_CHECKING:
    import pandas as pd

Measures = Annotated[
    list[
        Literal[
            "area",
            "length",
            "perimeter",
            "bounds",
            "middle",
            "type",
            "parts",
            "corners",
            "valid",
            "orientation",
        ]
    ],
    Field(
        min_length=1,
        max_length=10,
        description="area_m2, length_m, perimeter_m; bounds (minx … maxy), middle (x, y), …",
    ),
]
MOST_LAYERS = 50


@tool("geotools", changes_state=True, gives=("vector", "layer"))
def geometry_columns(
    state: State,
    world: World,
    *,
    vector: VectorHandle,
    measures: Measures,
    crs: Annotated[
        str | None,
        Field(
            min_length=1,
            max_length=400,
            description="Measure on this plane: EPSG:3035, utm, equal area, national grid of Egypt.",
        ),
    ] = None,
) -> Step:
    """Add what each feature measures as columns: area, length, bounds, middle, parts, validity.

    On the WGS84 ellipsoid and in degrees, or with crs on that plane and in its units (areas and lengths in
    metres). A column that there is already keeps its name, and the new one gets a number. middle is a point
    inside the shape, on a plane its centroid; orientation is that of shells, ccw or cw.

    Example: copilot call geometry_columns vector=vector-1a2b3c measures='["area", "bounds"]'

    Asked as: add geometry attributes | bounding box of each feature as columns | area of each polygon in
    UTM as a field | ring orientation of the polygons | how many vertices has each | which features are
    multipart | extent of every shape as four columns | x and y of the centroids as columns
    """
    from data.vector.by_row import measures_of

    source, frame = kept_features(state, world, vector)
    plane = None if crs is None else plane_named(frame, crs)
    found = measures_of(frame if plane else frame.to_crs("EPSG:4326"), list(measures), plane)
    for name, values in found.items():
        frame = frame.assign(**{free_column(frame, name): values})
    call = Call.of(geometry_columns, vector=vector, measures=measures, crs=crs)
    said = f"Added {listed(list(found), 20)} to {number_of(len(frame), 'feature')} of {source.name}."
    return _made(state, world, call, [source], frame, f"{source.name}, measured", said)


@tool("geotools", changes_state=True, gives=("vector", "layer"))
def change_parts(
    state: State,
    world: World,
    *,
    vector: VectorHandle,
    to: Annotated[
        Literal["single", "multi"], Field(description="A row for each part, or several in one multi shape.")
    ],
    by: Annotated[
        str | None,
        Field(max_length=200, description="For multi: features of one value of this field become one."),
    ] = None,
) -> Step:
    """Take multipart features apart into single parts, or collect features into multipart ones by a field.

    Nothing is merged: dissolve does that. Collected features keep the fields that are the same in all.

    Example: copilot call change_parts vector=vector-1a2b3c to=single

    Asked as: multipart to singleparts | explode the multipolygons | split into single parts | collect the
    points of each station into one multipoint | promote to multi | one row per part
    """
    from data.vector.by_row import multi_parts, single_parts

    source, frame = kept_features(state, world, vector)
    before = len(frame)
    if to == "single":
        if by is not None:
            raise ToolError("by collects features into multi ones; leave it out, or take to=multi.")
        frame = single_parts(frame)
    else:
        frame = multi_parts(frame, None if by is None else column_in(frame, by))
    call = Call.of(change_parts, vector=vector, to=to, by=by)
    of = f" by {by}" if by else ""
    said = f"{number_of(before, 'feature')} of {source.name} became {len(frame):,} {to} ones{of}."
    return _made(state, world, call, [source], frame, f"{source.name}, {to} parts", said)


@tool("geotools", changes_state=True, gives=("vector", "layer"), long_running=True)
def snap_geometries(
    state: State,
    world: World,
    *,
    vector: VectorHandle,
    tolerance_m: Annotated[
        float,
        Field(gt=0, le=100_000, description="The grid's step, or how near corners are drawn, metres."),
    ],
    to: Annotated[
        VectorHandle | None,
        Field(description="Features whose corners and edges draw corners to them; a grid when left out."),
    ] = None,
) -> Step:
    """Snap the corners of features to a grid, or to other features that lie within a tolerance in metres.

    On the features' own plane, or in their UTM zone where they are in degrees. On a grid, corners that lie
    close together become one, so that slivers and gaps between neighbours close, and what is thinner than the
    grid vanishes, which is said. Shapes stay valid.

    Example: copilot call snap_geometries vector=vector-1a2b3c tolerance_m=0.5

    Asked as: snap the vertices to a grid | fix the tiny gaps between the parcels | snap the points to the
    roads | reduce the precision of the coordinates to 1 m | close the slivers between neighbours
    """
    import numpy as np
    import shapely

    from data.vector.by_row import snapped

    source, frame = kept_features(state, world, vector)
    plane = frame.crs if frame.crs is not None and frame.crs.is_projected else plane_named(frame, "utm")
    shapes = frame.to_crs(plane).geometry.to_numpy()
    other = None if to is None else kept_features(state, world, to)
    onto = None if other is None else other[1].to_crs(plane).geometry.dropna().to_numpy()
    made = snapped(shapes, tolerance_m, onto)
    gone = int((shapely.is_empty(made) & ~shapely.is_empty(shapes) & ~shapely.is_missing(shapes)).sum())
    moved = int((~shapely.equals_exact(made, shapes) & ~shapely.is_missing(shapes)).sum())
    result = frame.set_geometry(made, crs=plane).to_crs(frame.crs)
    if gone:
        result = result[~np.asarray(shapely.is_empty(made))].reset_index(drop=True)
    call = Call.of(snap_geometries, vector=vector, tolerance_m=tolerance_m, to=to)
    target = "a grid" if other is None else other[0].name
    said = (
        f"Snapped {number_of(len(shapes), 'feature')} of {source.name} to {target} within {tolerance_m:g} m: "
    )
    said += f"{moved:,} changed" + (f", {gone:,} vanished" if gone else "") + "."
    inputs = [source] if other is None else [source, other[0]]
    return _made(state, world, call, inputs, result, f"{source.name}, snapped", said)


@tool("geotools", changes_state=True, gives=("vector", "layer"))
def group_touching(
    state: State,
    world: World,
    *,
    vector: VectorHandle,
    within_m: Annotated[
        float, Field(ge=0, le=1e6, description="Also those that lie so near, metres; 0 for those that meet.")
    ] = 0.0,
) -> Step:
    """Number the groups of features that touch or overlap, directly or over others, in a column `group`.

    `group_size` is how many each group has. dissolve by=group merges each group into one shape. With
    within_m, distances are in the UTM zone of the features.

    Example: copilot call group_touching vector=vector-1a2b3c

    Asked as: which parcels touch each other | group adjacent polygons | connected components of the patches |
    cluster the features that overlap | merge neighbours: find the groups first
    """
    import numpy as np

    from data.vector.by_row import touching_groups

    source, frame = kept_features(state, world, vector)
    plane = frame if not within_m else frame.to_crs(plane_named(frame, "utm"))
    labels = touching_groups(plane.geometry.to_numpy(), within_m)
    sizes = np.bincount(labels)
    column, size = free_column(frame, "group"), free_column(frame, "group_size")
    frame = frame.assign(**{column: labels, size: sizes[labels]})
    groups, alone = len(sizes) - 1, int((sizes == 1).sum())
    said = (
        f"{number_of(len(frame), 'feature')} of {source.name} make {number_of(groups, 'group')}; "
        f"the largest has {int(sizes.max())}, and {alone:,} {'stands' if alone == 1 else 'stand'} alone."
    )
    call = Call.of(group_touching, vector=vector, within_m=within_m)
    return _made(state, world, call, [source], frame, f"{source.name}, grouped", said)


@tool("geotools", changes_state=True, gives=("vector", "table"))
def append_layers(
    state: State,
    world: World,
    *,
    layers: Annotated[
        Names, Field(min_length=2, max_length=MOST_LAYERS, description="Layers or tables, by name or id.")
    ],
    name: Annotated[NewName | None, Field(description="What the result is called.")] = None,
) -> Step:
    """Append layers or tables below each other into one, with a column `layer` that says where a row is from.

    All columns are kept; a row has no value where its layer has not that column. Shapes are brought into the
    coordinate system of the first. A column of numbers in one and of texts in another becomes text, which is
    said.

    Example: copilot call append_layers layers=vector-1a2b3c,vector-1a2b3c

    Asked as: merge the vector layers into one | append the second file to the first | stack the tables |
    put the two shapefiles together | union all rows of the layers
    """
    import pandas as pd

    loaded = [(handle, load_table(state, world, handle)) for handle in layers]
    frames = [own_features(frame) if have_shapes(frame) else frame for _, frame in loaded]
    shaped = [frame for frame in frames if have_shapes(frame)]
    parts = []
    for (handle, _), frame in zip(loaded, frames, strict=True):
        if have_shapes(frame) and shaped:
            frame = frame.rename_geometry("geometry") if frame.geometry.name != "geometry" else frame
            frame = frame if frame.crs == shaped[0].crs else frame.to_crs(shaped[0].crs)
        parts.append(frame.assign(**{free_column(frame, "layer"): _called(state, handle)}))
    parts = _alike(parts, [_called(state, handle) for handle in layers])
    result = pd.concat(parts, ignore_index=True)
    if shaped:
        import geopandas as gpd

        result = gpd.GeoDataFrame(result, geometry="geometry", crs=shaped[0].crs)
    inputs = [Named(each, _called(state, each), each) for each in layers]
    call = Call.of(append_layers, layers=layers, name=name)
    counts = [f"{len(frame):,} of {_called(state, handle)}" for handle, frame in loaded]
    said = f"Appended {number_of(len(result), 'row')}: {listed(counts, 20)}."
    return table_of_inputs(state, world, inputs, result, call, name or "Appended layers", said)


def _alike(parts: list[pd.DataFrame], names: list[str]) -> list[pd.DataFrame]:
    """Tables whose columns of one name have one kind of values: text where they differ, which is said."""
    from tools.data.kinds import kind_of
    from tools.data.retyping import retyped

    first: dict[str, dict[str, tuple[str, pd.Series[Any]]]] = {}
    """Of each column, by the kind of its values, the layer that it first has that kind in."""
    for part, layer in zip(parts, names, strict=True):
        table = without_outlines(part)
        for column in table.columns:
            if kind := kind_of(table[column]):
                first.setdefault(str(column), {}).setdefault(kind, (layer, table[column]))
    apart = {name: found for name, found in first.items() if len(found) > 1}
    if not apart:
        return parts
    import pyarrow as pa

    _say_apart(apart)
    made = []
    for part in parts:
        texts = {
            name: retyped(pa.Table.from_pandas(part[[name]], preserve_index=False).column(0), "text", name)[0]
            for name in apart
            if name in part.columns
        }
        made.append(part.assign(**{name: column.to_pandas().array for name, column in texts.items()}))
    return made


def _say_apart(apart: Mapping[str, Mapping[str, tuple[str, pd.Series[Any]]]]) -> None:
    from tools.data.kinds import how_alike, type_said

    note(f"Columns of different types in the layers became text: {listed(list(apart), 12)}.")
    for name, found in list(apart.items())[:_MOST_APART]:
        (one, a), (other, b) = list(found.values())[:2]
        note(
            f"{name} is {type_said(a)} in {one} and {type_said(b)} in {other}. To keep one type, make them "
            f"alike first: {how_alike(a, b, (one, other))}"
        )


_MOST_APART = 3
"""Columns whose two types are told at length."""


def _called(state: State, handle: str) -> str:
    found = state.artifact(handle) or state.layer(handle)
    return found.name if found is not None else handle


def _made(
    state: State, world: World, call: Call, inputs: list[Named], frame: Any, name: str, said: str
) -> Step:
    return table_of_inputs(state, world, inputs, frame, call, name[:100], said)


TOOLS = (geometry_columns, change_parts, snap_geometries, group_touching, append_layers)

"""Features made of the shapes of others: outlines, corners, cells, hulls, paths, areas between lines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np
from pydantic import Field

from state.model import State
from tools.artifacts import Call
from tools.base import Step, ToolError, World, tool
from tools.data.source import column_in
from tools.geotools.features import free_column, kept_features, plane_named, sentences
from tools.noting import note
from tools.phrases import listed, number, number_of
from tools.tables import table_of_inputs
from tools.vectors import Named, VectorHandle

if TYPE_CHECKING:
    import geopandas as gpd

To = Literal[
    "boundary", "vertices", "points_along", "densify", "path", "polygons", "merged_lines", "voronoi",
    "delaunay", "concave_hull", "minimum_rectangle", "bounding_box", "enclosing_circle", "swap_xy", "flat",
    "oriented", "without_holes",
]  # fmt: skip
_TAKEN = {
    "by": ("path", "merged_lines", "concave_hull"),
    "order_by": ("path",),
    "distance_m": ("points_along", "densify"),
    "ratio": ("concave_hull",),
    "smaller_than_m2": ("without_holes",),
}
"""The arguments that only some conversions take."""
_ANYWHERE = (
    "boundary",
    "vertices",
    "path",
    "polygons",
    "merged_lines",
    "bounding_box",
    "swap_xy",
    "flat",
    "oriented",
    "without_holes",
)
"""What is the same on any plane, and so is done on the features' own coordinates."""
_OF_POINTS = ("path", "voronoi", "delaunay")
_RATIO = 0.3


@tool("geotools", changes_state=True, gives=("vector", "layer"), long_running=True)
def convert_geometry(
    state: State,
    world: World,
    *,
    vector: VectorHandle,
    to: Annotated[To, Field(description="What becomes of the shapes.")],
    by: Annotated[
        str | None,
        Field(
            max_length=200,
            description="For path, merged_lines, concave_hull: one a value of this field.",
        ),
    ] = None,
    order_by: Annotated[
        str | None, Field(max_length=200, description="For path: the field that the points are in order of.")
    ] = None,
    distance_m: Annotated[
        float | None,
        Field(gt=0, le=1e7, description="For points_along and densify: the step along the line, metres."),
    ] = None,
    ratio: Annotated[
        float | None,
        Field(ge=0, le=1, description="For concave_hull: 0 has the most dents, 1 none; 0.3 when left out."),
    ] = None,
    smaller_than_m2: Annotated[
        float | None,
        Field(gt=0, description="For without_holes: the holes of less than so many square metres; else all."),
    ] = None,
) -> Step:
    """Convert geometries: to outlines, vertices, Voronoi cells, concave hulls, paths, turned rectangles.

    Row by row, with all fields: boundary (outlines of polygons, ends of lines), bounding_box,
    minimum_rectangle (turned; with its length_m, width_m and angle_deg of the long side from north),
    enclosing_circle, densify, swap_xy, flat (no heights), oriented (shells counter-clockwise), without_holes
    (filled; with smaller_than_m2 the small ones, by the area on the ellipsoid). A point for
    each: vertices, points_along. One for all, or for each value of by: path (a line through points),
    merged_lines, concave_hull. Of all together: voronoi (the cell of each point, with its fields), delaunay,
    polygons (the areas that lines enclose). Distances and shapes are on the features' own plane, or in their
    UTM zone where they are in degrees.

    Example: copilot call convert_geometry vector=vector-1a2b3c to=vertices

    Asked as: voronoi polygons around the stations | thiessen polygons | polygons to lines | extract the
    vertices as points | connect the points to a track in the order of time | points every 100 m along the
    river | concave hull of the points | alpha shape | oriented minimum bounding rectangle of the buildings |
    delaunay triangulation | lines to polygons | swap x and y | drop the z values | make the rings
    counter-clockwise | densify by 10 m | join the road segments | main direction of each building | fill the
    holes of the polygons
    """
    given = {"by": by, "order_by": order_by, "distance_m": distance_m, "ratio": ratio,
             "smaller_than_m2": smaller_than_m2}  # fmt: skip
    _check(to, given)
    source, frame = _placed(state, world, vector, to)
    own = frame.crs
    plane = own if to in _ANYWHERE or own.is_projected else plane_named(frame, "utm")
    with sentences():
        made, more = _made(frame.to_crs(plane), to, given)
    made = made.to_crs(own)
    call = Call.of(convert_geometry, vector=vector, to=to, **given)
    kind = to.replace("_", " ")
    became = number_of(len(made), "feature")
    said = f"{number_of(len(frame), 'feature')} of {source.name} became {became} ({kind})."
    return table_of_inputs(
        state, world, [source], made, call, f"{source.name}, {kind}", " ".join([said, *more])
    )


def _placed(state: State, world: World, vector: str, to: To) -> tuple[Named, gpd.GeoDataFrame]:
    """The features that have a place; how many have none is said. Raises ToolError for the wrong kind."""
    source, frame = kept_features(state, world, vector)
    there = ~(frame.geometry.isna() | frame.geometry.is_empty)
    if not there.any():
        raise ToolError(f"{source.name} has no shapes.")
    if absent := int((~there).sum()):
        frame = frame[there].reset_index(drop=True)
        note(f"Rows without a place are left out: {absent:,} of the {len(there):,} of {source.name}.")
    if to in _OF_POINTS and not (frame.geometry.geom_type == "Point").all():
        raise ToolError(
            f"{to} is made of points, and {source.name} has others; take its centroid or vertices."
        )
    frame = frame if frame.crs is not None else frame.set_crs("EPSG:4326")
    return source, frame


def _check(to: To, given: dict[str, Any]) -> None:
    """Raises ToolError for an argument that is not taken, or is missing."""
    for name, value in given.items():
        if value is not None and to not in _TAKEN[name]:
            raise ToolError(f"{name} is for {listed(list(_TAKEN[name]))}; leave it out for {to}.")
    if to in _TAKEN["distance_m"] and given["distance_m"] is None:
        raise ToolError(f"{to} needs the step along the lines, such as distance_m=100.")


def _made(frame: gpd.GeoDataFrame, to: To, given: dict[str, Any]) -> tuple[gpd.GeoDataFrame, list[str]]:
    """The features on their plane, and what else there is to say."""
    from data.vector import converting as make

    shapes = frame.geometry.to_numpy()
    metre = float(frame.crs.axis_info[0].unit_conversion_factor)
    if to in ("vertices", "points_along"):
        if to == "vertices":
            of_row, points, numbers = make.vertices(shapes)
            name, values = "vertex", numbers
        else:
            of_row, points, far = make.points_along(shapes, given["distance_m"] / metre)
            name, values = "distance_m", np.round(far * metre, 6)
        rows = frame.iloc[of_row].reset_index(drop=True)
        return rows.assign(**{free_column(frame, name): values}).set_geometry(points, crs=frame.crs), []
    if to == "densify":
        return frame.set_geometry(make.densified(shapes, given["distance_m"] / metre), crs=frame.crs), []
    if to == "voronoi":
        cells, shared = make.voronoi(shapes)
        said = [f"{shared:,} of the points lie where another does and have the same cell."] if shared else []
        return frame.set_geometry(cells, crs=frame.crs), said
    if to == "delaunay":
        triangles = make.delaunay(shapes)
        return _rows({"triangle": range(1, len(triangles) + 1)}, triangles, frame), []
    if to == "polygons":
        areas, left = make.polygons(make.of_each(shapes, "boundary") if _has_areas(frame) else shapes)
        said = [f"{number(round(left * metre, 3))} m of line enclose nothing."] if left else []
        return _rows({"area": range(1, len(areas) + 1)}, areas, frame), said if frame.crs.is_projected else []
    if to in _TAKEN["by"]:
        return _grouped(frame, to, given)
    if to == "without_holes":
        return _without_holes(frame, given["smaller_than_m2"])
    found = make.of_each(shapes, to)
    columns = _rectangles(frame, found, metre) if to == "minimum_rectangle" else {}
    return frame.assign(**columns).set_geometry(found, crs=frame.crs), []


def _without_holes(
    frame: gpd.GeoDataFrame, smaller_than_m2: float | None
) -> tuple[gpd.GeoDataFrame, list[str]]:
    """The polygons with their holes filled, all or the small ones; how many were."""
    import shapely

    from data.vector import converting as make
    from data.vector.measuring import areas_m2
    from tools.map.files import in_degrees

    shapes = frame.geometry.to_numpy()
    holes, of_shape = make.holes(shapes)
    small = np.ones(len(holes), bool)
    if smaller_than_m2 is not None and len(holes):
        areas = areas_m2(in_degrees(_rows({}, shapely.polygons(holes), frame)).geometry.to_numpy())
        small = areas < smaller_than_m2
    filled = make.filled(shapes, holes[small], of_shape[small])
    left = f", {int((~small).sum()):,} stay" if not small.all() else ""
    return frame.set_geometry(filled, crs=frame.crs), [f"{number_of(int(small.sum()), 'hole')} filled{left}."]


def _grouped(frame: gpd.GeoDataFrame, to: To, given: dict[str, Any]) -> tuple[gpd.GeoDataFrame, list[str]]:
    """One shape, or several merged lines, of all rows or of each value of a field; the others are counted."""
    from data.vector import converting as make
    from tools.data.rows import in_order  # which is made of geotools too

    said: list[str] = []
    if given["order_by"] is not None:
        order = column_in(frame, given["order_by"])
        if unknown := int(frame[order].isna().sum()):
            said.append(f"Points without a value in {order} are left out: {unknown:,}.")
        frame = frame[frame[order].notna()].sort_values(order, key=in_order, kind="stable")
    by = None if given["by"] is None else column_in(frame, given["by"])
    parts = [(None, frame)] if by is None else list(frame.groupby(by, sort=True, dropna=False))
    values: list[Any] = []
    counts: list[int] = []
    shapes: list[Any] = []
    alone = 0
    for value, rows in parts:
        own = rows.geometry.to_numpy()
        if to == "merged_lines":
            found = list(make.merged_lines(own))
        else:
            ratio = _RATIO if given["ratio"] is None else given["ratio"]
            one = make.path(own) if to == "path" else make.concave_hull(own, ratio)
            found = [] if one is None else [one]
        alone += not found
        values += [value] * len(found)
        counts += [len(rows)] * len(found)
        shapes += found
    if not shapes:
        raise ToolError("A path needs points at two places at least.")
    if alone:
        said.append(f"Groups of one place alone are left out: {alone:,}.")
    columns = {} if by is None else {str(by): values}
    return _rows({**columns, "features": counts}, shapes, frame), said


def _rows(columns: dict[str, Any], shapes: Any, like: gpd.GeoDataFrame) -> gpd.GeoDataFrame:
    import geopandas as gpd

    return gpd.GeoDataFrame(columns, geometry=list(shapes), crs=like.crs)


def _has_areas(frame: gpd.GeoDataFrame) -> bool:
    return bool(frame.geometry.geom_type.str.contains("Polygon").any())


def _rectangles(frame: gpd.GeoDataFrame, rectangles: Any, metre: float) -> dict[str, Any]:
    """The length, the width and the direction of each turned rectangle, in metres and degrees from north."""
    import shapely

    sides: dict[str, list[float]] = {"length_m": [], "width_m": [], "angle_deg": []}
    for each in rectangles:
        corners = shapely.get_coordinates(each)
        edges = np.diff(corners, axis=0)[:2] if len(corners) > 2 else np.diff(corners[[0, -1, -1]], axis=0)
        lengths = np.hypot(*edges.T)
        long = int(np.argmax(lengths))
        sides["length_m"].append(round(float(lengths[long]) * metre, 6))
        sides["width_m"].append(round(float(lengths[1 - long]) * metre, 6))
        sides["angle_deg"].append(round(float(np.degrees(np.arctan2(*edges[long]))) % 180, 6))
    return {free_column(frame, name): values for name, values in sides.items()}


TOOLS = (convert_geometry,)

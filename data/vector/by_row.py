"""What is measured, taken apart, put together or moved of each feature, with shapely and pyproj."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pandas as pd
import shapely
from numpy.typing import NDArray

from data.vector.measuring import area_m2, line_m, perimeter_m

if TYPE_CHECKING:
    import geopandas as gpd
    from pyproj import CRS

Measure = Literal[
    "area", "length", "perimeter", "bounds", "middle", "type", "parts", "corners", "valid", "orientation"
]
_SEVERAL = (4, 5, 6, 7)
"""Shapely's type ids of multi shapes and collections."""
_MULTI = {
    "Point": shapely.multipoints,
    "LineString": shapely.multilinestrings,
    "Polygon": shapely.multipolygons,
}


def measures_of(frame: gpd.GeoDataFrame, wanted: list[Measure], plane: CRS | None) -> dict[str, list[Any]]:
    """Columns of what each shape measures, by name; None for a row without a shape.

    Areas and lengths are on the WGS84 ellipsoid, and bounds and middles in degrees; with `plane` all are on
    that plane: area_m2, length_m and perimeter_m by the factor of its unit, bounds and middles in its unit.
    """
    placed = frame if plane is None else frame.to_crs(plane)
    shapes = placed.geometry.to_numpy()
    metre = 1.0 if plane is None else float(plane.axis_info[0].unit_conversion_factor)
    there = ~(shapely.is_missing(shapes) | shapely.is_empty(shapes))
    found: dict[str, list[Any]] = {}
    for each in wanted:
        if each == "bounds":
            sides = shapely.bounds(shapes)
            for name, column in zip(("minx", "miny", "maxx", "maxy"), sides.T, strict=True):
                found[name] = _where(there, column)
        elif each == "middle":
            middles = shapely.point_on_surface(shapes) if plane is None else shapely.centroid(shapes)
            middles[~there] = None  # an empty point has no coordinates to ask for
            found["x"], found["y"] = (_where(there, get(middles)) for get in (shapely.get_x, shapely.get_y))
        elif each in ("area", "length", "perimeter"):
            name = f"{each}_m2" if each == "area" else f"{each}_m"
            found[name] = [
                None if not known else _size(each, shape, plane is not None, metre)
                for shape, known in zip(shapes, there, strict=True)
            ]
        else:
            found[each] = [
                None if not known else _trait(each, shape) for shape, known in zip(shapes, there, strict=True)
            ]
    return found


def _where(there: NDArray[np.bool_], values: NDArray[np.float64]) -> list[Any]:
    return [float(value) if known else None for known, value in zip(there, values, strict=True)]


def _size(what: str, shape: shapely.Geometry, flat: bool, metre: float) -> float:
    """An area, the length of lines, or the perimeter of polygons; 0 where a shape has none."""
    if not flat:
        return {"area": area_m2, "length": line_m, "perimeter": perimeter_m}[what](shape)
    dimension = int(shapely.get_dimensions(shape))
    if what == "area":
        return float(shape.area) * metre**2
    return float(shape.length) * metre if dimension == (1 if what == "length" else 2) else 0.0


def _trait(what: str, shape: shapely.Geometry) -> Any:
    if what == "type":
        return str(shape.geom_type)
    if what == "parts":
        return int(shapely.get_num_geometries(shape))
    if what == "corners":
        return int(shapely.get_num_coordinates(shape))
    if what == "valid":
        return bool(shape.is_valid)
    shells = [each.exterior for each in shapely.get_parts(shape) if each.geom_type == "Polygon"]
    ways = {bool(shapely.is_ccw(each)) for each in shells}
    return None if not ways else "mixed" if len(ways) > 1 else "ccw" if ways.pop() else "cw"


def single_parts(frame: gpd.GeoDataFrame) -> gpd.GeoDataFrame:
    """Each part of each shape as a row of its own, with the fields of its feature; rows without one stay."""
    of_row, shapes = parts_of(frame.geometry.to_numpy().astype(object))
    return frame.iloc[of_row].reset_index(drop=True).set_geometry(shapes, crs=frame.crs)


def parts_of(shapes: NDArray[np.object_]) -> tuple[NDArray[np.intp], NDArray[np.object_]]:
    """(the row that each is of, the single parts of all shapes, in their order); those without one stay."""
    of_row = np.arange(len(shapes))
    while (several := np.isin(shapely.get_type_id(shapes), _SEVERAL) & ~shapely.is_empty(shapes)).any():
        whole = np.flatnonzero(~several)
        parts, of = shapely.get_parts(shapes[several], return_index=True)
        index = np.concatenate([whole, np.flatnonzero(several)[of]])
        order = np.argsort(index, kind="stable")
        shapes = np.concatenate([shapes[whole], parts])[order]
        of_row = of_row[index[order]]
    return of_row, shapes


def multi_parts(frame: gpd.GeoDataFrame, by: str | None) -> gpd.GeoDataFrame:
    """Shapes as multi ones; with `by`, those of one value together in one, none merged.

    Rows without a value of `by` stay apart. Points, lines and polygons of one value become one row each. With
    `by`, fields that differ in a group go: only those of one value in all its rows stay.
    """
    if by is None:
        return frame.set_geometry(pd.Series([_as_multi(each) for each in frame.geometry], index=frame.index),
                                  crs=frame.crs)  # fmt: skip
    shapes = frame.geometry
    kind = shapes.geom_type.str.removeprefix("Multi")
    alone = pd.Series(np.where(frame[by].isna(), np.arange(len(frame)), -1), index=frame.index)
    rows, made = [], []
    for _, group in frame.groupby([frame[by], kind, alone], sort=False, dropna=False):
        first = group.iloc[0].drop(frame.geometry.name)
        same = [name for name in first.index if group[name].nunique(dropna=False) == 1]
        rows.append(first.where(first.index.isin(same)))
        parts = [part for each in group.geometry if each is not None for part in shapely.get_parts(each)]
        made.append(_MULTI[parts[0].geom_type](parts) if parts else None)
    plain = pd.DataFrame(rows).reset_index(drop=True).infer_objects()
    plain = plain.astype({name: frame[name].dtype for name in plain if plain[name].notna().all()})
    result: gpd.GeoDataFrame = frame.iloc[:0].__class__(plain, geometry=made, crs=frame.crs)
    return result


def _as_multi(shape: shapely.Geometry | None) -> shapely.Geometry | None:
    if shape is None or shape.geom_type not in _MULTI:
        return shape
    return _MULTI[shape.geom_type]([shape])


def snapped(
    shapes: NDArray[np.object_], tolerance: float, to: NDArray[np.object_] | None
) -> NDArray[np.object_]:
    """Shapes of a plane with their corners on a grid of that size, or moved onto others that lie so near.

    On a grid corners that lie close together become one, and outlines stay valid (GEOS, precision model);
    what is thinner than the grid vanishes.
    """
    if to is None:
        return np.asarray(shapely.set_precision(shapes, tolerance), dtype=object)
    tree = shapely.STRtree(to)
    made = shapes.copy()
    ours, theirs = tree.query(shapes, predicate="dwithin", distance=tolerance)
    for at in np.unique(ours):
        made[at] = _onto(shapes[at], shapely.geometrycollections(to[theirs[ours == at]]), tolerance)
    broken = ~shapely.is_valid(made) & ~shapely.is_missing(made)
    made[broken] = shapely.make_valid(made[broken])
    return made


def _onto(shape: shapely.Geometry, near: shapely.Geometry, tolerance: float) -> shapely.Geometry:
    """A shape whose corners lie on another's corners, else on its edges, where those are so near."""
    corners = shapely.multipoints(shapely.get_coordinates(near))

    def moved(coordinates: NDArray[np.float64]) -> NDArray[np.float64]:
        points = shapely.points(coordinates)
        for target in (near, corners):  # corners last: they win
            close = shapely.distance(points, target) <= tolerance
            if close.any():
                ways = shapely.shortest_line(points[close], target)
                coordinates[close] = shapely.get_coordinates(ways).reshape(-1, 2, 2)[:, 1]
        return coordinates

    return shapely.transform(shape, lambda given: moved(given.copy()))


def touching_groups(shapes: NDArray[np.object_], within: float) -> NDArray[np.intp]:
    """The group of each shape: those that meet, or lie so near, directly or over others. From 1, by row."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    tree = shapely.STRtree(shapes)
    ours, theirs = (
        tree.query(shapes, predicate="intersects")
        if within == 0
        else tree.query(shapes, predicate="dwithin", distance=within)
    )
    graph = coo_array((np.ones(len(ours), dtype=bool), (ours, theirs)), shape=(len(shapes), len(shapes)))
    _, labels = connected_components(graph, directed=False)
    _, first = np.unique(labels, return_index=True)
    order = np.empty(len(first), dtype=np.intp)
    order[np.argsort(first, kind="stable")] = np.arange(1, len(first) + 1)
    groups: NDArray[np.intp] = order[labels]
    return groups

"""What features have in common, cover together, or leave of each other; and features merged by a field.

Shapes of both are on one plane, or in EPSG:4326, with edges that are straight there: overlaying them there is
exact, and the results of neighbours fit without gaps.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import shapely
from numpy.typing import NDArray

from data.vector.cleaning import affordable, dimension, only
from data.vector.errors import VectorError
from data.vector.globe import collected, simple_parts

if TYPE_CHECKING:
    import geopandas as gpd

COUNT_COLUMN = "features"
"""Of how many features a merged one was made."""


def intersection(first: gpd.GeoDataFrame, second: gpd.GeoDataFrame) -> gpd.GeoDataFrame:
    """For every feature of the first and every polygon of the second that it meets, what they share.

    Rows have the columns of both; names that both have end in _1 and _2. Points and lines of the first
    are cut to the polygons too; where polygons only touch, nothing is shared. Order: by the first, then
    by the second. Raises VectorError when the second has no polygons.
    """
    areas = only(second, 2, "What the features are cut to")
    ours, theirs = areas.sindex.query(first.geometry.to_numpy(), predicate="intersects")
    affordable(len(ours))
    order = np.lexsort((theirs, ours))
    ours, theirs = ours[order], theirs[order]
    shapes = shapely.intersection(first.geometry.to_numpy()[ours], areas.geometry.to_numpy()[theirs])
    wanted = dimension(first)[ours]
    kept = [_of_dimension(shape, int(kind)) for shape, kind in zip(shapes, wanted, strict=True)]
    left, right = _renamed(first, areas)
    table = pd.concat(
        [left.iloc[ours].reset_index(drop=True), right.iloc[theirs].reset_index(drop=True)], axis=1
    )
    return _without_empty(table, kept, first.crs)


def difference(first: gpd.GeoDataFrame, second: gpd.GeoDataFrame) -> gpd.GeoDataFrame:
    """The features of the first without what the second covers; what is wholly covered is left out."""
    shapes = first.geometry.to_numpy()
    others = second.geometry.to_numpy()
    ours, theirs = second.sindex.query(shapes, predicate="intersects")
    found: list[shapely.Geometry] = list(shapes)
    kinds = dimension(first)
    for row in np.unique(ours):
        cover = shapely.union_all(others[theirs[ours == row]])
        found[row] = _of_dimension(shapely.difference(shapes[row], cover), int(kinds[row]))
    table = first.drop(columns=first.geometry.name)
    return _without_empty(table, found, first.crs)


def split(first: gpd.GeoDataFrame, second: gpd.GeoDataFrame, within: float) -> tuple[gpd.GeoDataFrame, int]:
    """(lines and polygons cut where the second lies over them, how many of them were cut).

    Lines are cut at points that lie at most `within` away (in units of the plane), at lines and at outlines;
    polygons at lines and at outlines. Each piece is a row with the fields of what it was, in order along the
    line. Raises VectorError for points of the first, and for polygons that would be cut at points.
    """
    shapes, blades = first.geometry.to_numpy(), second.geometry.to_numpy()
    if (dimension(first) == 0).any():
        raise VectorError("Points cannot be split; lines and polygons can.")
    if (dimension(second) == 0).all() and (dimension(first) == 2).any():
        raise VectorError("Polygons are split at lines or outlines, and the others are points.")
    ours, theirs = second.sindex.query(shapes, predicate="dwithin", distance=within)
    affordable(len(ours))
    of_row: list[int] = []
    found: list[shapely.Geometry] = []
    cut = 0
    order = np.argsort(ours, kind="stable")
    starts = np.searchsorted(ours[order], np.arange(len(shapes) + 1))
    for row, shape in enumerate(shapes):
        mine = blades[theirs[order[starts[row] : starts[row + 1]]]]
        pieces = [each for part in simple_parts(shape) for each in _pieces(part, mine, within)]
        cut += len(pieces) > len(simple_parts(shape))
        of_row += [row] * len(pieces)
        found += pieces
    table = first.drop(columns=first.geometry.name).iloc[of_row].reset_index(drop=True)
    return _without_empty(table, found, first.crs), cut


def _pieces(part: shapely.Geometry, blades: NDArray[np.object_], within: float) -> list[shapely.Geometry]:
    """One line or polygon cut at points near it and at lines and outlines."""
    from shapely.ops import substring

    edges = [shapely.boundary(each) if shapely.get_dimensions(each) == 2 else each for each in blades]
    knives = [each for each in edges if shapely.get_dimensions(each) == 1]
    if part.geom_type == "Polygon":
        if not knives:
            return [part]
        net = shapely.union_all([shapely.boundary(part), *knives])
        areas = shapely.get_parts(shapely.polygonize([net]))
        return [each for each in areas if shapely.contains(part, shapely.point_on_surface(each))] or [part]
    spots = [spot for each in edges if shapely.get_dimensions(each) == 0 for spot in shapely.get_parts(each)]
    crossings = [shapely.intersection(part, each) for each in knives]
    # Where a line runs along another, its ends cut.
    spots += [spot for each in crossings for one in simple_parts(each)
              for spot in (shapely.get_parts(shapely.boundary(one)) if one.length else [one])]  # fmt: skip
    near = [each for each in spots if shapely.distance(part, each) <= within]
    at = np.unique(shapely.line_locate_point(part, near)) if near else np.empty(0)
    hair = part.length * 1e-12
    stops = [0.0, *at[(at > hair) & (at < part.length - hair)], part.length]
    return [substring(part, start, end) for start, end in pairwise(stops)] if len(stops) > 2 else [part]


def union(first: gpd.GeoDataFrame, second: gpd.GeoDataFrame | None = None) -> gpd.GeoDataFrame:
    """One feature that covers what any feature covers, with how many it was made of."""
    import geopandas as gpd

    frames = [first] if second is None else [first, second]
    shapes = np.concatenate([each.geometry.to_numpy() for each in frames])
    table = {COUNT_COLUMN: [len(shapes)]}
    return gpd.GeoDataFrame(table, geometry=[_merged(shapes)], crs=first.crs)


def union_pieces(first: gpd.GeoDataFrame, second: gpd.GeoDataFrame) -> gpd.GeoDataFrame:
    """The polygons of both cut at each other's borders: shared pieces have the columns of both.

    Raises VectorError when one of them has no polygons.
    """
    ours, theirs = only(first, 2, "The first"), only(second, 2, "The second")
    left, right = _renamed(ours, theirs)
    shared = intersection(ours, theirs)
    rest_ours, rest_theirs = difference(_with(left, ours), theirs), difference(_with(right, theirs), ours)
    found = pd.concat([shared, rest_ours, rest_theirs], ignore_index=True)
    return found.set_geometry("geometry")


def dissolve(frame: gpd.GeoDataFrame, by: str | None, sums: list[str] | None = None) -> gpd.GeoDataFrame:
    """Features of one value of a field merged into one, ordered by it, with how many and the fields' sums.

    Without a field all are merged. Rows without a value make a feature of their own, last. Raises
    VectorError for fields that are not there or hold no numbers.
    """
    import geopandas as gpd

    sums = sums or []
    for field in sums:
        if not pd.api.types.is_numeric_dtype(frame[field]) or pd.api.types.is_bool_dtype(frame[field]):
            raise VectorError(f"The field {field!r} holds no numbers to add up.")
    keys = frame[by].map(_key) if by is not None else pd.Series("all", index=frame.index)
    rows: list[dict[str, Any]] = []
    shapes = frame.geometry.to_numpy()
    merged: list[shapely.Geometry] = []
    for key, group in frame.groupby(keys, dropna=False, sort=True, observed=True):
        row: dict[str, Any] = {} if by is None else {by: None if pd.isna(key) else key}
        row |= {COUNT_COLUMN: len(group), **{each: group[each].sum() for each in sums}}
        rows.append(row)
        merged.append(_merged(shapes[group.index.to_numpy()]))
    return gpd.GeoDataFrame(rows, geometry=merged, crs=frame.crs)


def _key(value: Any) -> Any:
    """What rows are grouped by: a value, or the text of a list or a record."""
    plain = (
        isinstance(value, (str, int, float, bool, np.generic))
        or value is None
        or pd.api.types.is_scalar(value)
    )
    return value if plain else str(value)


def _merged(shapes: Any) -> shapely.Geometry:
    """Shapes as one, each kind merged with its like."""
    simple = [part for each in shapes for part in simple_parts(each)]
    sides = shapely.get_dimensions(simple)
    # What does not touch is not compared: 20,000 scattered circles take a sixtieth of the time.
    kinds = [
        shapely.disjoint_subset_union_all(
            [each for each, side in zip(simple, sides, strict=True) if side == kind]
        )
        for kind in (0, 1, 2)
    ]
    return collected([each for each in kinds if not each.is_empty])


def _of_dimension(shape: shapely.Geometry, kind: int) -> shapely.Geometry:
    """The parts of a shape that are points (0), lines (1) or polygons (2); a touching corner is no area."""
    return collected([each for each in simple_parts(shape) if shapely.get_dimensions(each) == kind])


def _renamed(first: gpd.GeoDataFrame, second: gpd.GeoDataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The columns of both, without the shapes; names that both have end in _1 and _2."""
    left, right = (pd.DataFrame(each.drop(columns=each.geometry.name)) for each in (first, second))
    both = set(left.columns) & set(right.columns)
    return (
        left.rename(columns={name: f"{name}_1" for name in both}),
        right.rename(columns={name: f"{name}_2" for name in both}),
    )


def _with(table: pd.DataFrame, frame: gpd.GeoDataFrame) -> gpd.GeoDataFrame:
    import geopandas as gpd

    return gpd.GeoDataFrame(table, geometry=frame.geometry.to_numpy(), crs=frame.crs)


def _without_empty(table: pd.DataFrame, shapes: list[shapely.Geometry], crs: Any) -> gpd.GeoDataFrame:
    import geopandas as gpd

    table = pd.DataFrame(table).drop(columns="geometry", errors="ignore")
    found = gpd.GeoDataFrame(table, geometry=gpd.GeoSeries(shapes, index=table.index, crs=crs))
    return found[~found.geometry.is_empty].reset_index(drop=True)

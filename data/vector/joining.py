"""Features joined by where they are, and points counted in polygons."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from data.vector.cleaning import WGS84, affordable, only
from data.vector.distances import nearest_rows
from data.vector.errors import VectorError
from data.vector.globe import ellipsoid, unit_vectors
from data.vector.measuring import areas_m2

if TYPE_CHECKING:
    import geopandas as gpd

Predicate = Literal[
    "intersects", "within", "contains", "touches", "crosses", "overlaps", "covers", "covered_by"
]
How = Literal["matched", "all"]
_MORE = 8
"""Candidates beyond those that are asked for."""


def matches(
    first: gpd.GeoDataFrame, second: gpd.GeoDataFrame, predicate: Predicate
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The rows of the first and of the second that meet, by the first, then by the second.

    The predicate reads from the first to the second: points `within` polygons.
    """
    ours, theirs = second.sindex.query(first.geometry.to_numpy(), predicate=predicate)
    affordable(len(ours))
    order = np.lexsort((theirs, ours))
    return ours[order], theirs[order]


def spatial_join(
    first: gpd.GeoDataFrame, second: gpd.GeoDataFrame, predicate: Predicate, how: How = "matched"
) -> gpd.GeoDataFrame:
    """The features of the first with the columns of every feature of the second that they meet.

    Names that both have end in _1 and _2; the shapes are the first's. The order is that of `matches`.
    With `all`, features that meet nothing are kept once, without values.
    """
    ours, theirs = matches(first, second, predicate)
    if how == "all":
        alone = np.setdiff1d(np.arange(len(first)), ours)
        ours, theirs = np.concatenate([ours, alone]), np.concatenate([theirs, np.full(len(alone), -1)])
        order = np.argsort(ours, kind="stable")
        ours, theirs = ours[order], theirs[order]
    left, right = _side_by_side(first, second)
    matched = right.reindex(np.where(theirs >= 0, theirs, len(right))).reset_index(drop=True)
    table = left.iloc[ours].reset_index(drop=True)
    for column in matched:
        table[column] = matched[column]
    return table


def nearest(
    first: gpd.GeoDataFrame, second: gpd.GeoDataFrame, within_m: float | None = None
) -> gpd.GeoDataFrame:
    """The features of the first with the columns of the nearest feature of the second and `distance_m`.

    Distances are geodesic, from edge to edge, 0 where the two meet; `azimuth_deg` is the direction to it
    at the start, clockwise from north. With `within_m`, only those that have one so near are kept.
    """
    gaps = nearest_rows(first, second)
    left, right = _side_by_side(first, second)
    matched = right.iloc[[each.to for each in gaps]].reset_index(drop=True)
    table = left.reset_index(drop=True)
    for column in matched:
        table[column] = matched[column]
    table[_free(table, "distance_m")] = [each.distance_m for each in gaps]
    table[_free(table, "azimuth_deg")] = [each.azimuth_deg for each in gaps]
    if within_m is None:
        return table
    near = np.array([each.distance_m <= within_m for each in gaps], dtype=bool)
    return table[near].reset_index(drop=True)


def are_points(frame: gpd.GeoDataFrame) -> bool:
    """Whether all features are single points."""
    return bool((frame.geometry.geom_type == "Point").all())


def nearest_points(first: gpd.GeoDataFrame, second: gpd.GeoDataFrame, neighbours: int) -> gpd.GeoDataFrame:
    """The points of the first with each of the so many nearest points of the second, one a row.

    `rank` counts from 1, `distance_m` and `azimuth_deg` are geodesic, as `nearest` gives them. Candidates
    come by the chord between unit vectors, whose order the ellipsoid may change among near equals: some more
    are looked at.
    """
    from scipy.spatial import KDTree  # 0.2 s, which a list of tools does without

    here = np.column_stack([first.geometry.x, first.geometry.y])
    there = np.column_stack([second.geometry.x, second.geometry.y])
    most = min(neighbours, len(there))
    looked = min(most + _MORE, len(there))
    _, found = KDTree(unit_vectors(there)).query(unit_vectors(here), k=looked)
    found = np.asarray(found).reshape(len(here), looked)
    start = np.repeat(here, looked, axis=0)
    end = there[found.ravel()]
    azimuth, _, metres = ellipsoid().inv(start[:, 0], start[:, 1], end[:, 0], end[:, 1])
    metres = np.asarray(metres).reshape(found.shape)
    order = np.lexsort((found, metres))[:, :most]
    rows = np.arange(len(here))[:, None]
    left, right = _side_by_side(first, second)
    table = left.iloc[np.repeat(np.arange(len(here)), most)].reset_index(drop=True)
    matched = right.iloc[found[rows, order].ravel()].reset_index(drop=True)
    for column in matched:
        table[column] = matched[column]
    table[_free(table, "rank")] = np.tile(np.arange(1, most + 1), len(here))
    table[_free(table, "distance_m")] = metres[rows, order].ravel()
    table[_free(table, "azimuth_deg")] = np.asarray(azimuth).reshape(found.shape)[rows, order].ravel() % 360
    return table


def points_in_polygons(
    points: gpd.GeoDataFrame, polygons: gpd.GeoDataFrame, sums: str | None = None
) -> tuple[gpd.GeoDataFrame, int]:
    """The polygons with how many points each holds, per square kilometre too, and how many lie in none.

    A point on a border lies in both of its polygons. Lines and polygons among the points count where
    their middle is. With `sums`, the sum of that field of the points is given as well.
    """
    areas = only(polygons, 2, "What the points are counted in")
    places = points.geometry.to_numpy().copy()
    spots = points.geometry.representative_point().to_numpy()
    solid = ~points.geom_type.isin(["Point"]).to_numpy()
    places[solid] = spots[solid]
    inside, held = areas.sindex.query(places, predicate="intersects")
    counts = np.bincount(held, minlength=len(areas))
    found = areas.copy()
    found[_free(found, "points")] = counts.astype(np.int64)
    degrees = areas.geometry if areas.crs == WGS84 else areas.geometry.to_crs(WGS84)
    square_km = areas_m2(np.asarray(degrees, dtype=object)) / 1e6
    density = np.divide(counts, square_km, out=np.full(len(areas), np.nan), where=square_km > 0)
    found[_free(found, "points_per_km2")] = density
    if sums is not None:
        if not pd.api.types.is_numeric_dtype(points[sums]) or pd.api.types.is_bool_dtype(points[sums]):
            raise VectorError(f"The field {sums!r} holds no numbers to add up.")
        values = points[sums].fillna(0).to_numpy(dtype=float)[inside]
        found[_free(found, f"{sums}_sum")] = np.bincount(held, weights=values, minlength=len(areas))
    return found, len(points) - len(np.unique(inside))


def _side_by_side(first: gpd.GeoDataFrame, second: gpd.GeoDataFrame) -> tuple[gpd.GeoDataFrame, pd.DataFrame]:
    """The first with its shapes, and the second's columns; names that both have end in _1 and _2."""
    right = pd.DataFrame(second.drop(columns=second.geometry.name)).reset_index(drop=True)
    own = set(first.columns) - {first.geometry.name}
    both = own & set(right.columns)
    if first.geometry.name in right:
        right = right.rename(columns={first.geometry.name: f"{first.geometry.name}_2"})
    return (
        first.rename(columns={name: f"{name}_1" for name in both}),
        right.rename(columns={name: f"{name}_2" for name in both}),
    )


def _free(table: pd.DataFrame, name: str) -> str:
    """The name, with a number when the table has one of that name."""
    number = 2
    free = name
    while free in table.columns:
        free, number = f"{name}_{number}", number + 1
    return free

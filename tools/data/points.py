"""Rows as places on the globe: their coordinates, who is near whom, and the area they cover."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from tools.base import ToolError
from tools.data.computed import Floats, as_floats

EARTH_M = 6_371_008.8
"""The mean radius of the Earth (IUGG)."""
_NAMES = (("lon", "lat"), ("longitude", "latitude"), ("lng", "lat"), ("long", "lat"), ("x", "y"))
_HALF_VIEW_DEG = 80.0
"""How far from their middle points may lie for their hull to be found on a plane."""


@dataclass(frozen=True)
class Places:
    """Where rows lie: degrees, WGS84, and which row of the frame each is."""

    lon: Floats
    lat: Floats
    row: NDArray[np.intp]

    def __len__(self) -> int:
        return len(self.lon)


def places_in(frame: pd.DataFrame) -> Places:
    """The rows that have a place. Raises ToolError for a table without columns of coordinates."""
    folded = {str(name).casefold(): str(name) for name in frame.columns}
    pair = next((each for each in _NAMES if set(each) <= folded.keys()), None)
    if pair is None:
        raise ToolError("The table has no places: it needs the columns lon and lat, in degrees.")
    lon, lat = (as_floats(frame[folded[each]]) for each in pair)
    with np.errstate(invalid="ignore"):
        there = (np.abs(lon) <= 360) & (np.abs(lat) <= 90)
    row = np.flatnonzero(there)
    return Places((lon[row] + 180) % 360 - 180, lat[row], row)


def unit_vectors(lon: Floats, lat: Floats) -> Floats:
    """(points, 3) on the unit sphere, where neither the antimeridian nor a pole is an edge."""
    across, up = np.radians(lon), np.radians(lat)
    return np.column_stack([np.cos(up) * np.cos(across), np.cos(up) * np.sin(across), np.sin(up)])


def centre_of(vectors: Floats) -> tuple[float, float]:
    """The middle of points on the sphere: (lon, lat) of their mean direction."""
    x, y, z = vectors.mean(axis=0)
    return float(np.degrees(np.arctan2(y, x))), float(np.degrees(np.arctan2(z, np.hypot(x, y))))


def chord(distance_m: float) -> float:
    """The straight line through the unit sphere that a great-circle distance spans."""
    return float(2 * np.sin(min(distance_m / EARTH_M, np.pi) / 2))


def nearest(places: Places, count: int) -> NDArray[np.intp]:
    """(points, count) the great-circle nearest others of each, nearest first, ties by row."""
    from scipy.spatial import cKDTree

    vectors = unit_vectors(places.lon, places.lat)
    distances, found = cKDTree(vectors).query(vectors, k=min(count + 1, len(vectors)))
    own = np.arange(len(vectors))[:, None]
    # Of points in one spot the tree may name another first: the point itself is put at the front.
    distances = np.where(found == own, -1.0, np.round(distances, 12))
    order = np.lexsort((found, distances), axis=1)
    ordered: NDArray[np.intp] = np.take_along_axis(found, order, axis=1)[:, 1:]
    return ordered


def within(places: Places, distance_m: float) -> list[list[int]]:
    """For each point the others within a great-circle distance, in the order of the rows."""
    from scipy.spatial import cKDTree

    vectors = unit_vectors(places.lon, places.lat)
    found = cKDTree(vectors).query_ball_point(vectors, chord(distance_m), return_sorted=True)
    return [[int(each) for each in near if each != own] for own, near in enumerate(found)]


def pairs_within(places: Places, distance_m: float) -> int:
    """How many ordered pairs of points lie within a great-circle distance, each with itself too."""
    from scipy.spatial import cKDTree

    tree = cKDTree(unit_vectors(places.lon, places.lat))
    return int(tree.count_neighbors(tree, chord(distance_m)))


def nearest_distances_m(places: Places) -> Floats:
    """Each point's geodesic distance to its nearest other, metres, on WGS84 (Karney 2013).

    The sphere says who may be nearest and the ellipsoid, which differs by half a per cent, who is.
    """
    from pyproj import Geod

    candidates = nearest(places, 8)
    own = np.repeat(np.arange(len(places))[:, None], candidates.shape[1], axis=1)
    geod = Geod(ellps="WGS84")
    _, _, distances = geod.inv(
        places.lon[own].ravel(), places.lat[own].ravel(),
        places.lon[candidates].ravel(), places.lat[candidates].ravel(),
    )  # fmt: skip
    shortest: Floats = np.asarray(distances).reshape(candidates.shape).min(axis=1)
    return shortest


def hull_area_m2(places: Places) -> float | None:
    """The area of the points' convex hull on WGS84, square metres; 0 for points on a line.

    The hull is found in the gnomonic projection around their middle, where great circles are straight.
    Points that lie all around the globe have no hull: None.
    """
    from pyproj import Geod, Transformer
    from shapely import MultiPoint

    lon, lat = centre_of(unit_vectors(places.lon, places.lat))
    middle = unit_vectors(np.array([lon]), np.array([lat]))[0]
    if (unit_vectors(places.lon, places.lat) @ middle).min() < np.cos(np.radians(_HALF_VIEW_DEG)):
        return None
    plane = f"+proj=gnom +lat_0={lat!r} +lon_0={lon!r} +R={EARTH_M} +units=m"
    project = Transformer.from_crs("+proj=longlat +R=6371008.8", plane, always_xy=True)
    hull: Any = MultiPoint(np.column_stack(project.transform(places.lon, places.lat))).convex_hull
    if hull.geom_type != "Polygon":
        return 0.0
    x, y = np.asarray(hull.exterior.coords).T
    corners = project.transform(x, y, direction="INVERSE")
    area, _ = Geod(ellps="WGS84").polygon_area_perimeter(*corners)
    return abs(float(area))

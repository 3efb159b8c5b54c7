"""Places on the globe: centre, box and outline of geometries in degrees, checked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import shapely
from numpy.typing import NDArray
from shapely.geometry.base import BaseGeometry

Geometries: TypeAlias = Sequence[BaseGeometry | None] | NDArray[np.object_]

FARTHEST_DEG = 360
"""Longitudes of 0 to 360 degrees are a way to write them; what lies farther out is a mistake."""


@dataclass(frozen=True)
class Extent:
    """Where something is: degrees, WGS84; west > east when it crosses the antimeridian."""

    lon: float
    lat: float
    west: float
    south: float
    east: float
    north: float
    outline: bytes | None = None
    """WKB, only where the outline is neither a point nor the box."""


@dataclass(frozen=True)
class Extents:
    """The extents of n geometries, column by column; NaN and None where `problem` says why."""

    lon: NDArray[np.float64]
    lat: NDArray[np.float64]
    box: NDArray[np.float64]
    """(n, 4): west, south, east, north."""
    outline: NDArray[np.object_]
    """WKB bytes or None."""
    problem: NDArray[np.object_]
    """None, or one sentence."""

    def at(self, index: int) -> Extent:
        """One of them, which must have no problem."""
        west, south, east, north = (float(side) for side in self.box[index])
        return Extent(
            float(self.lon[index]), float(self.lat[index]), west, south, east, north, self.outline[index]
        )

    def take(self, rows: NDArray[np.int64]) -> Extents:
        """These rows only."""
        return Extents(self.lon[rows], self.lat[rows], self.box[rows], self.outline[rows], self.problem[rows])


def extents_of(geometries: Geometries) -> Extents:
    """Extents of geometries in degrees, longitude first.

    A geometry that is absent, empty, not finite or outside ±180/±90 has a `problem` instead.
    """
    geoms = np.empty(len(geometries), dtype=object)
    geoms[:] = geometries
    geoms = shapely.force_2d(geoms)
    box = shapely.bounds(geoms)
    problem = _problems(geoms, box)
    good = problem == None  # noqa: E711 - elementwise over an object array
    box[~good] = np.nan
    centre = shapely.centroid(np.where(good, geoms, None))
    lon, lat = shapely.get_x(centre), shapely.get_y(centre)
    for index in np.flatnonzero(good & (box[:, 2] - box[:, 0] > 180)):
        west_east = _across_antimeridian(geoms[index])
        if west_east is not None:
            box[index, 0], box[index, 2] = west_east
            lon[index] = _middle(*west_east)
    outline = _outlines(geoms, box, good)
    return Extents(lon, lat, box, outline, problem)


def extent_of(geometry: BaseGeometry) -> Extent:
    """The extent of one geometry in degrees.

    Raises ValueError, in one sentence, when it is empty, not finite or off the globe.
    """
    return extent_list([geometry])[0]


def extent_list(geometries: Geometries) -> list[Extent]:
    """Extents of geometries that are all expected to be good; ValueError for the first that is not."""
    columns = extents_of(geometries)
    for problem in columns.problem:
        if problem is not None:
            raise ValueError(problem)
    return [columns.at(index) for index in range(len(columns.lon))]


def point_problems(lon: NDArray[np.float64], lat: NDArray[np.float64]) -> NDArray[np.object_]:
    """None, or one sentence, for each point."""
    problem = np.full(len(lon), None, dtype=object)
    finite = np.isfinite(lon) & np.isfinite(lat)
    problem[~finite] = "the longitude or latitude is not a number"
    with np.errstate(invalid="ignore"):
        off_lat = np.flatnonzero(finite & (np.abs(lat) > 90))
        off_lon = np.flatnonzero(finite & (np.abs(lat) <= 90) & (np.abs(lon) > 180))
    for index in off_lat:
        swapped = abs(lon[index]) <= 90 and abs(lat[index]) <= 180
        hint = "; longitude and latitude may be swapped" if swapped else ""
        problem[index] = f"the latitude {lat[index]:g} is outside -90..90{hint}"
    for index in off_lon:
        problem[index] = f"the longitude {lon[index]:g} is outside -180..180"
    return problem


def box_around(extents: Sequence[Extent]) -> Extent | None:
    """The box around several extents; None when there are none."""
    if not extents:
        return None
    south, north = min(e.south for e in extents), max(e.north for e in extents)
    west, east = min(e.west for e in extents), max(e.east for e in extents)
    if east - west > 180 or any(e.west > e.east for e in extents):
        west = min(e.west % 360 for e in extents)
        east = max(e.east % 360 for e in extents)
        west, east = _wrapped(west), _wrapped(east)
    return Extent(_middle(west, east), (south + north) / 2, west, south, east, north)


def _problems(geoms: NDArray[np.object_], box: NDArray[np.float64]) -> NDArray[np.object_]:
    problem = np.full(len(geoms), None, dtype=object)
    problem[shapely.is_missing(geoms)] = "no geometry"
    problem[shapely.is_empty(geoms)] = "the geometry is empty"
    present = problem == None  # noqa: E711 - elementwise over an object array
    coordinates, index = shapely.get_coordinates(geoms, return_index=True)
    broken = np.unique(index[~np.isfinite(coordinates).all(axis=1)])
    problem[broken] = "a coordinate is not a number"
    for corner in (0, 2):
        found = np.flatnonzero(present & (problem == None))  # noqa: E711
        problem[found] = point_problems(box[found, corner], box[found, corner + 1])
    return problem


def _across_antimeridian(geometry: BaseGeometry) -> tuple[float, float] | None:
    """(west, east) with west > east, for a shape wider than 180° whose parts lie on both sides of ±180°."""
    parts = shapely.get_parts(geometry)
    spans = []
    for part in parts:
        lon = shapely.get_coordinates(part)[:, 0]
        if lon.max() - lon.min() > 180:  # a ring that jumps from one side to the other
            lon = lon % 360
        spans.append((lon.min() % 360, lon.min() % 360 + (lon.max() - lon.min())))
    spans.sort()
    reach, gap, gap_end = spans[0][1], 0.0, 0.0
    for start, stop in spans[1:]:
        if start - reach > gap:
            gap, gap_end = start - reach, start
        reach = max(reach, stop)
    if spans[0][0] + 360 - reach >= gap:
        gap, gap_end = spans[0][0] + 360 - reach, spans[0][0]
    # Less than half the globe free, or an edge that runs the whole way round: an honest world-wide box.
    if gap <= 0 or gap >= 360:
        return None
    west, east = _wrapped(gap_end), _wrapped(gap_end + 360 - gap)
    return (west, east) if west > east else None


def _outlines(
    geoms: NDArray[np.object_], box: NDArray[np.float64], good: NDArray[np.bool_]
) -> NDArray[np.object_]:
    outline = np.full(len(geoms), None, dtype=object)
    area = (box[:, 2] - box[:, 0]) * (box[:, 3] - box[:, 1])
    is_point = shapely.get_type_id(geoms) == 0
    with np.errstate(invalid="ignore"):
        is_box = (area > 0) & (np.abs(shapely.area(geoms) - area) <= 1e-9 * area)
    kept = good & ~is_point & ~is_box
    outline[kept] = shapely.to_wkb(geoms[kept])
    return outline


def _wrapped(lon: float) -> float:
    return float((lon + 180) % 360 - 180)


def _middle(west: float, east: float) -> float:
    return (west + east) / 2 if west <= east else _wrapped((west + east + 360) / 2)

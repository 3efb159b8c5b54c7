"""The shortest way between shapes, and the nearest one of many, on the WGS84 ellipsoid."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import shapely
from numpy.typing import NDArray

from data.vector.errors import VectorError
from data.vector.globe import Points, ellipsoid, short_way, simple_parts, unit_vectors
from data.vector.local import Plane

if TYPE_CHECKING:
    import geopandas as gpd

_FIRST_STEP_DEG = 0.25
_SPLIT = 16
_MOST_EDGES = 100_000
_SPHERE = 1.006
"""How much longer than another a way may be on the sphere and yet be the shorter one on the ellipsoid."""
_GLOBE_M = 6_378_137.0
_NOTHING_M = 1e-3
"""A gap below this is none."""


@dataclass(frozen=True)
class Gap:
    """The shortest way from one shape to another."""

    distance_m: float
    start: tuple[float, float]
    end: tuple[float, float]
    azimuth_deg: float
    """The direction at the start, clockwise from north."""
    to: int = 0
    """Which of several shapes the way leads to."""


def geodesic_m(start: tuple[float, float], end: tuple[float, float]) -> tuple[float, float]:
    """The distance between two positions, metres, and the azimuth at the start, degrees from north."""
    azimuth, _, distance = ellipsoid().inv(*start, *end)
    return float(distance), float(azimuth) % 360


def gap(first: shapely.Geometry, second: shapely.Geometry) -> Gap:
    """The shortest way from one shape to another; 0 m where they touch or overlap.

    Edges are straight in longitude and latitude. The search bounds what each piece of an edge could
    be nearer by, drops what cannot win, and halves the rest until the pieces are short; the last ones
    are laid on a plane around the middle between them that keeps the geodesic between them. Raises
    VectorError for an empty shape.
    """
    return nearest_of(first, Targets.of([second]))


@dataclass(frozen=True)
class Targets:
    """Shapes that a nearest one is looked for among."""

    shapes: NDArray[np.object_]
    edges: _Edges

    @classmethod
    def of(cls, shapes: Any) -> Targets:
        """Raises VectorError when all of them are empty."""
        array = np.array(list(shapes), dtype=object)
        return cls(array, _Edges.of(array))

    @cached_property
    def boxes(self) -> shapely.STRtree:
        """The shapes by their boxes."""
        return shapely.STRtree(self.shapes)


def nearest_of(shape: shapely.Geometry, targets: Targets) -> Gap:
    """The shortest way from a shape to the nearest of several; of equally near ones, the first."""
    touching = targets.boxes.query(shape, predicate="intersects")
    if len(touching):
        to = int(touching.min())
        shared = shapely.intersection(shape, targets.shapes[to]).representative_point()
        spot = (float(shared.x), float(shared.y))
        return Gap(0.0, spot, spot, 0.0, to)
    here = _Edges.of(np.array([shape], dtype=object))
    here, there = _closest_edges(here, targets.edges)
    return _polished(here, there)


def nearest_rows(frame: gpd.GeoDataFrame, others: gpd.GeoDataFrame) -> list[Gap]:
    """For every feature of a frame, the shortest way to the nearest feature of another."""
    targets = Targets.of(others.geometry)
    return [nearest_of(each, targets) for each in frame.geometry]


@dataclass(frozen=True)
class _Edges:
    """Points and pieces of edges: each with two ends, which are equal for a point, and whose it is."""

    ends: NDArray[np.float64]
    """Shape (n, 2, 2): piece, end, longitude and latitude."""
    owner: NDArray[np.intp]

    @classmethod
    def of(cls, shapes: NDArray[np.object_]) -> _Edges:
        ends: list[NDArray[np.float64]] = []
        owner: list[NDArray[np.intp]] = []
        for number, shape in enumerate(shapes):
            for line in _lines(shape):
                corners = shapely.get_coordinates(shapely.segmentize(line, _FIRST_STEP_DEG))
                ahead = corners[1:] if len(corners) > 1 else corners
                ends.append(np.stack([corners[: len(ahead)], ahead], axis=1))
                owner.append(np.full(len(ahead), number))
        if not ends:
            raise VectorError("There are no features to measure the distance to.")
        return cls(np.concatenate(ends), np.concatenate(owner))

    def __len__(self) -> int:
        return len(self.owner)

    @cached_property
    def starts(self) -> Points:
        """Where each piece starts, as unit vectors."""
        return unit_vectors(self.ends[:, 0])

    @cached_property
    def tree(self) -> Any:
        """The starts, for neighbours by chord."""
        from scipy.spatial import KDTree  # 0.2 s, which a list of tools does without

        return KDTree(self.starts)

    @cached_property
    def longest(self) -> float:
        """The longest piece, as a chord of the unit sphere."""
        return float(np.linalg.norm(unit_vectors(self.ends[:, 1]) - self.starts, axis=1).max(initial=0.0))

    def at(self, rows: NDArray[np.intp]) -> _Edges:
        return _Edges(self.ends[rows], self.owner[rows])

    def split(self) -> _Edges:
        """Every piece in sixteen equal ones; points stay."""
        if not self.longest:
            return self
        steps = np.linspace(0, 1, _SPLIT + 1)[:, None]
        first, last = self.ends[:, None, 0], self.ends[:, None, 1]
        corners = first + (last - first) * steps
        ends = np.stack([corners[:, :-1], corners[:, 1:]], axis=2).reshape(-1, 2, 2)
        return _Edges(ends, np.repeat(self.owner, _SPLIT))


def _closest_edges(here: _Edges, there: _Edges) -> tuple[_Edges, _Edges]:
    """The pieces between which the shortest way can lie, halved until they are some 100 m long."""
    while True:
        chords, _ = there.tree.query(here.starts)
        bound = float(chords.min()) * _SPHERE + here.longest + there.longest + 1e-12
        here = here.at(np.flatnonzero(chords <= bound))
        chords, _ = here.tree.query(there.starts, distance_upper_bound=bound * (1 + 1e-9))
        there = there.at(np.flatnonzero(np.isfinite(chords)))
        longest = max(here.longest, there.longest) * _GLOBE_M
        if longest <= 120 or (len(here) + len(there)) * _SPLIT > _MOST_EDGES:
            return here, there
        here, there = here.split(), there.split()


def _polished(here: _Edges, there: _Edges) -> Gap:
    """The shortest way between pieces, on a plane around the middle of the best pair of their starts."""
    _, mate = here.tree.query(there.starts)
    a, b = here.ends[mate, 0], there.ends[:, 0]
    _, _, metres = ellipsoid().inv(a[:, 0], a[:, 1], b[:, 0], b[:, 1])
    best = int(np.argmin(metres))
    start, end = _spot(a[best]), _spot(b[best])
    gap = Gap(float(metres[best]), start, end, 0.0, int(there.owner[best]))
    if here.longest or there.longest:
        gap = min(gap, _on_plane(here, there, gap), key=lambda each: each.distance_m)
    distance, azimuth = geodesic_m(gap.start, gap.end)
    return Gap(distance if distance > _NOTHING_M else 0.0, gap.start, gap.end, azimuth, gap.to)


def _on_plane(here: _Edges, there: _Edges, guess: Gap) -> Gap:
    azimuth, _, _ = ellipsoid().inv(*guess.start, *guess.end)
    lon, lat, _ = ellipsoid().fwd(*guess.start, azimuth, guess.distance_m / 2)
    plane = Plane(float(lon), float(lat))
    sides = [_placed(each, plane) for each in (here, there)]
    way = shapely.get_coordinates(shapely.shortest_line(*(shapely.multilinestrings(each) for each in sides)))
    start, end = (_spot(each) for each in plane.to_globe(way))
    to = int(there.owner[int(np.argmin(shapely.distance(sides[1], shapely.Point(way[1]))))])
    return Gap(geodesic_m(start, end)[0], start, end, 0.0, to)


def _placed(edges: _Edges, plane: Plane) -> NDArray[np.object_]:
    placed = plane.to_plane(edges.ends.reshape(-1, 2)).reshape(edges.ends.shape)
    lines: NDArray[np.object_] = shapely.linestrings(placed)
    return lines


def _lines(shape: shapely.Geometry) -> list[shapely.Geometry]:
    found: list[shapely.Geometry] = []
    for part in simple_parts(shape):
        if part.geom_type == "Polygon":
            found += list(shapely.get_parts(part.boundary))
        else:
            found += list(shapely.get_parts(short_way(part)))
    return found


def _spot(corner: NDArray[np.float64]) -> tuple[float, float]:
    return float(corner[0]), float(corner[1])

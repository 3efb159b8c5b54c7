"""Shapes made of other shapes, on a plane, with shapely: outlines, corners, cells, hulls, paths."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import shapely
from numpy.typing import NDArray

from data.vector.errors import VectorError

Shapes = NDArray[np.object_]
Rows = NDArray[np.intp]
MOST_POINTS = 2_000_000
_BESIDE = 0.1
"""How far beyond the points, as a part of their extent, Voronoi cells reach."""


def of_each(shapes: Shapes, to: str) -> Shapes:
    """A shape for each shape, row by row: one of EACH."""
    return np.asarray(EACH[to](shapes), dtype=object)


def _all_swapped(shapes: Shapes) -> list[shapely.Geometry]:
    return [_swapped(each) for each in shapes]


def _swapped(shape: shapely.Geometry) -> shapely.Geometry:
    heights = bool(shapely.has_z(shape))
    order = [1, 0, 2] if heights else [1, 0]
    return shapely.transform(shape, lambda corners: corners[:, order], include_z=heights)


EACH: dict[str, Callable[[Shapes], Any]] = {
    "boundary": shapely.boundary,
    "bounding_box": shapely.envelope,
    "minimum_rectangle": shapely.oriented_envelope,
    "enclosing_circle": shapely.minimum_bounding_circle,
    "swap_xy": _all_swapped,
    "flat": shapely.force_2d,
    "oriented": shapely.orient_polygons,
}
"""What one shape becomes. `boundary`: the outline of a polygon with its holes, the ends of a line.
`minimum_rectangle`: turned as it may be. `oriented`: shells counter-clockwise (RFC 7946, 3.1.6)."""


def holes(shapes: Shapes) -> tuple[Shapes, Rows]:
    """(the rings of all holes of polygons, of which shape each is)."""
    parts, of_shape = shapely.get_parts(shapes, return_index=True)
    found = [
        (ring, row) for part, row in zip(parts, of_shape, strict=True)
        for ring in (part.interiors if part.geom_type == "Polygon" else ())
    ]  # fmt: skip
    return _objects([ring for ring, _ in found]), np.array([row for _, row in found], dtype=np.intp)


def filled(shapes: Shapes, rings: Shapes, of_shape: Rows) -> Shapes:
    """The shapes with those holes filled: what lies in them is covered then."""
    made = shapes.copy()
    for row in np.unique(of_shape):
        inner = shapely.polygons(rings[of_shape == row])
        made[row] = shapely.union_all([shapes[row], *inner])
    return made


def densified(shapes: Shapes, step: float) -> Shapes:
    """The shapes with a corner at least every `step` along their edges, in units of the plane."""
    _affordable(shapely.length(shapes).sum() / step)
    return _objects(shapely.segmentize(shapes, step))


def vertices(shapes: Shapes) -> tuple[Rows, Shapes, Rows]:
    """(the row that each corner is of, the corners as points, their number in it from 1).

    The last corner of a ring is its first, and comes once.
    """
    of_row, found, numbers = [], [], []
    for row, shape in enumerate(shapes):
        corners = _corners(shape)
        of_row.append(np.full(len(corners), row))
        numbers.append(np.arange(1, len(corners) + 1))
        found.append(corners)
    if not sum(map(len, found)):
        raise VectorError("There are no shapes with corners.")
    _affordable(sum(map(len, found)))
    points = np.asarray(shapely.points(np.concatenate(found)), dtype=object)
    return np.concatenate(of_row), points, np.concatenate(numbers)


def _corners(shape: shapely.Geometry | None) -> NDArray[np.float64]:
    parts = shapely.get_rings(shape) if shapely.get_dimensions(shape) == 2 else shapely.get_parts(shape)
    height = bool(shapely.has_z(shape))
    kept = [shapely.get_coordinates(each, include_z=height) for each in parts]
    closed = shapely.get_dimensions(shape) == 2
    return np.concatenate([each[:-1] if closed else each for each in kept]) if kept else np.empty((0, 2))


def points_along(shapes: Shapes, step: float) -> tuple[Rows, Shapes, NDArray[np.float64]]:
    """(row, points, how far along) of a point every `step` along lines and outlines, the start included."""
    _affordable(shapely.length(shapes).sum() / step)
    of_row, found, far = [], [], []
    for row, shape in enumerate(shapes):
        lines = shapely.get_parts(shapely.boundary(shape) if shapely.get_dimensions(shape) == 2 else shape)
        for line in lines[shapely.get_dimensions(lines) == 1]:
            # A hair below the end: a length of 30 has points at 0, 10, 20 and 30 for a step of 10.
            at = np.arange(0, float(line.length) * (1 + 1e-12), step)
            found.append(shapely.line_interpolate_point(line, at))
            far.append(at)
            of_row.append(np.full(len(at), row))
    if not found:
        raise VectorError("There are no lines or polygons to set points along.")
    return np.concatenate(of_row), _objects(np.concatenate(found)), np.concatenate(far)


def voronoi(points: Shapes) -> tuple[Shapes, int]:
    """(the cell of each point: all that is nearer to it than to another, how many points share a place).

    The cells end a tenth of the points' extent beyond them. Points at one place have the same cell.
    """
    spots = np.column_stack([shapely.get_x(points), shapely.get_y(points)])
    single, back = np.unique(spots, axis=0, return_inverse=True)
    if len(single) < 2:
        raise VectorError("Voronoi cells need points at two places at least.")
    west, south = single.min(axis=0)
    east, north = single.max(axis=0)
    beside = _BESIDE * max(east - west, north - south)
    frame = shapely.box(west - beside, south - beside, east + beside, north + beside)
    whole = shapely.multipoints(shapely.points(single))
    cells = shapely.get_parts(shapely.voronoi_polygons(whole, extend_to=frame, ordered=True))
    return _objects(shapely.intersection(cells, frame))[back.ravel()], len(spots) - len(single)


def delaunay(points: Shapes) -> Shapes:
    """The triangles between the points (Delaunay). Raises VectorError for points on one line."""
    found = shapely.get_parts(shapely.delaunay_triangles(shapely.multipoints(points)))
    if not len(found):
        raise VectorError("Triangles need three points at least that are not on one line.")
    return _objects(found)


def concave_hull(shapes: Shapes, ratio: float) -> shapely.Geometry:
    """The outline with dents around all corners (GEOS): a `ratio` of 0 has the most dents, 1 is convex."""
    return shapely.concave_hull(shapely.multipoints(shapely.get_coordinates(shapes)), ratio=ratio)


def path(points: Shapes) -> shapely.Geometry | None:
    """The line through points in their order; None for fewer than two places."""
    height = bool(shapely.has_z(points).all())
    corners = shapely.get_coordinates(points, include_z=height)
    return shapely.linestrings(corners) if len(np.unique(corners, axis=0)) > 1 else None


def polygons(lines: Shapes) -> tuple[Shapes, float]:
    """(the areas that lines enclose together, the length of what encloses none): crossings become corners."""
    net = shapely.union_all(lines)
    areas, cuts, dangles, invalid = shapely.polygonize_full(shapely.get_parts(net))
    left = sum(float(shapely.length(each)) for each in (cuts, dangles, invalid))
    found = shapely.get_parts(areas)
    if not len(found):
        raise VectorError("The lines enclose no area; snap_geometries draws ends together that nearly meet.")
    return _objects(found), left


def merged_lines(lines: Shapes) -> Shapes:
    """The lines joined where exactly two meet end to end."""
    return _objects(shapely.get_parts(shapely.line_merge(shapely.union_all(lines))))


def _affordable(points: float) -> None:
    if not points <= MOST_POINTS:
        raise VectorError(
            f"That is {points:,.0f} points, and at most {MOST_POINTS:,} are made; take a wider step."
        )


def _objects(shapes: Any) -> Shapes:
    return np.asarray(shapes, dtype=object)

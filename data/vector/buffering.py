"""What lies within a distance of a shape, or deeper than a distance inside it; geodesic, on WGS84.

A point's buffer is the geodesic circle. Lines and outlines are cut into pieces of at most 200 km; each is
buffered on an equidistant plane around its own middle (right to 0.03 %), or, for more than 500 km, covered by
geodesic circles close to each other; the pieces are then joined on the globe. So a buffer is as wide at 70
degrees north as at the equator, and right across the antimeridian and over the poles.
"""

from __future__ import annotations

import numpy as np
import shapely

from data.vector.errors import VectorError
from data.vector.globe import (
    EDGE_DEG,
    Points,
    areas,
    collected,
    ellipsoid,
    outline,
    polygon_of,
    reach_m,
    short_way,
    simple_parts,
)
from data.vector.local import Plane, plane_around

MAX_DISTANCE_M = 9_900_000.0
"""Less than a quarter of the way around the globe: what is farther is no longer one side of it."""
_PIECE_M = 200_000.0
_LOCAL_M = 250_000.0
_WIDE_M = 500_000.0
_CIRCLES_PER_DISTANCE = 20
_METRES_PER_DEGREE = 111_195.0


def buffered(geometry: shapely.Geometry, distance_m: float, quarter: int = 64) -> shapely.Geometry:
    """A shape grown by a distance in metres, or shrunk by a negative one.

    An empty polygon when nothing is left. `quarter` is the number of corners on a quarter of a circle:
    64 makes a circle's area right to 0.01 %. Raises VectorError for more than
    a quarter of the globe's circumference.
    """
    if not 0 < abs(distance_m) <= MAX_DISTANCE_M:
        raise VectorError(
            f"A buffer of {distance_m:g} m cannot be made; give a distance that is not 0, up to "
            f"{MAX_DISTANCE_M / 1000:,.0f} km."
        )
    polygons = [each for each in simple_parts(geometry) if each.geom_type == "Polygon"]
    others = [each for each in simple_parts(geometry) if each.geom_type != "Polygon"]
    body = collected(polygons) if polygons else shapely.Polygon()
    if distance_m < 0:
        return _shrunk(body, -distance_m, quarter)
    found = [_around(each, distance_m, quarter) for each in others]
    if polygons:
        found.append(_grown(body, distance_m, quarter))
    return areas(shapely.union_all(found)) if len(found) > 1 else found[0] if found else shapely.Polygon()


def circle(center: tuple[float, float], radius_m: float, quarter: int = 64) -> shapely.Geometry:
    """The geodesic circle around a position, in -180..180 and cut there."""
    return _disc(*_rims(np.array([center]), radius_m, quarter)[0], center)


def _grown(body: shapely.Geometry, distance_m: float, quarter: int) -> shapely.Geometry:
    plane = _own_plane(body, distance_m)
    if plane is not None:
        return plane.round(plane.flat(body).buffer(distance_m, quad_segs=quarter))
    return areas(shapely.union_all([body, _around(outline(body), distance_m, quarter)]))


def _shrunk(body: shapely.Geometry, distance_m: float, quarter: int) -> shapely.Geometry:
    if body.is_empty:
        return body
    plane = _own_plane(body, distance_m)
    if plane is not None:
        return plane.round(plane.flat(body).buffer(-distance_m, quad_segs=quarter))
    return areas(shapely.difference(body, _around(outline(body), distance_m, quarter)))


def _own_plane(body: shapely.Geometry, distance_m: float) -> Plane | None:
    """The plane on which a whole shape can be buffered; None when it is too large for one."""
    if distance_m > _LOCAL_M:
        return None
    plane = plane_around(body)
    return plane if reach_m(body, (plane.lon, plane.lat)) + distance_m <= _LOCAL_M else None


def _around(geometry: shapely.Geometry, distance_m: float, quarter: int) -> shapely.Geometry:
    """What lies within a distance of points and lines."""
    found: list[shapely.Geometry] = []
    for part in simple_parts(geometry):
        corners = shapely.get_coordinates(part)
        if part.geom_type == "Point":
            found.append(circle((float(corners[0, 0]), float(corners[0, 1])), distance_m, quarter))
            continue
        for line in shapely.get_parts(short_way(part)):
            wide = distance_m > _WIDE_M
            found += (_beaded if wide else _in_pieces)(line, distance_m, quarter)
    return areas(shapely.union_all(found)) if len(found) > 1 else found[0]


def _in_pieces(line: shapely.Geometry, distance_m: float, quarter: int) -> list[shapely.Geometry]:
    """The buffers of a line's pieces, each on a plane of its own."""
    way = shapely.get_coordinates(shapely.segmentize(line, EDGE_DEG))
    far = np.concatenate([[0.0], np.cumsum(ellipsoid().line_lengths(way[:, 0], way[:, 1]))])
    numbers = (far / _PIECE_M).astype(int)
    starts = [0, *(np.flatnonzero(np.diff(numbers)) + 1).tolist()]
    found = []
    for first, last in zip(starts, [*starts[1:], len(way) - 1], strict=True):
        corners = way[first : last + 1]
        if len(corners) < 2:
            continue
        piece = shapely.LineString(corners)
        plane = plane_around(piece)
        found.append(plane.round(plane.flat(piece).buffer(distance_m, quad_segs=quarter)))
    return found


def _beaded(line: shapely.Geometry, distance_m: float, quarter: int) -> list[shapely.Geometry]:
    """Circles along a line, so close that their rims are within 0.1 % of the distance of the true edge.

    Corners that stand out from the line by less than that are passed over.
    """
    across_deg = distance_m / _METRES_PER_DEGREE
    plainer = shapely.simplify(line, across_deg / 2000)
    beads = shapely.get_coordinates(shapely.segmentize(plainer, across_deg / _CIRCLES_PER_DISTANCE))
    return [
        _disc(lons, lats, (float(at[0]), float(at[1])))
        for (lons, lats), at in zip(_rims(beads, distance_m, quarter), beads, strict=True)
    ]


def _rims(centers: Points, radius_m: float, quarter: int) -> list[tuple[Points, Points]]:
    """The closed rims of geodesic circles, counter-clockwise: longitudes and latitudes of each."""
    azimuths = np.linspace(0, -360, 4 * quarter + 1)
    shape = (len(centers), len(azimuths))
    lons, lats, _ = ellipsoid().fwd(
        np.broadcast_to(centers[:, :1], shape).ravel(),
        np.broadcast_to(centers[:, 1:], shape).ravel(),
        np.broadcast_to(azimuths, shape).ravel(),
        np.full(shape, radius_m).ravel(),
    )
    return list(zip(np.asarray(lons).reshape(shape), np.asarray(lats).reshape(shape), strict=True))


def _disc(lons: Points, lats: Points, center: tuple[float, float]) -> shapely.Geometry:
    ring = np.column_stack([lons, lats])
    ring[-1] = ring[0]
    return polygon_of([ring], [90.0 if center[1] > 0 else -90.0])

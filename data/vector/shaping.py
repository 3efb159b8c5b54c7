"""Middles, hulls and simpler outlines of features, right on the globe."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import shapely

from data.vector.cleaning import dimension, repair
from data.vector.errors import VectorError
from data.vector.globe import (
    EDGE_DEG,
    Points,
    collected,
    goes_around,
    middle,
    polygon_of,
    reach_m,
    short_way,
    unit_vectors,
)
from data.vector.local import Plane, plane_around

if TYPE_CHECKING:
    import geopandas as gpd

_SAME_DEG = 1e-9
"""Corners that lie so near are the same."""
_ROUNDS = 3
_NEAR_M = 1000.0
_HULL_STEP = 0.005
"""Edges of a hull are great circles; they are followed in steps of about this angle, radians."""
_POLAR = 0.9
"""Sine of the latitude from which a hull's edges are followed more closely."""
_HALF_GLOBE_M = 9_500_000.0
_METRES_PER_DEGREE = 111_195.0
EQUAL_AREA = "EPSG:6933"
"""Cylindrical equal-area on WGS84, for coverages wider than a continent."""
_CONTINENT_M = 2_000_000.0


def centroid(geometry: shapely.Geometry) -> shapely.Geometry:
    """The centre of mass of a shape's highest dimension, on an equal-area plane around it.

    So a shape across the antimeridian or around a pole has its middle in it, and not on the other side
    of the globe.
    """
    if geometry.geom_type == "Point":
        return geometry
    geometry = short_way(geometry)
    plane = plane_around(geometry, "laea")
    for _ in range(_ROUNDS):
        center = plane.flat(geometry).centroid
        lon, lat = plane.to_globe(np.array([[center.x, center.y]]))[0]
        # The plane around a pole is the only one on which a cut closes; near the centre it is right anyway.
        if abs(plane.lat) == 90 or math.hypot(center.x, center.y) < _NEAR_M:
            break
        plane = Plane(float(lon), float(lat), "laea")
    return shapely.Point(float(lon), float(lat))


def convex_hull(geometry: shapely.Geometry) -> shapely.Geometry:
    """The smallest shape around a shape that holds the great circle between any two of its points.

    On the plane of the gnomonic projection, where great circles are straight (Snyder 1987, section 22).
    A point for one position, a line for positions on one great circle. Raises VectorError for what does
    not lie within half the globe, where there is no such shape.
    """
    corners = np.unique(unit_vectors(shapely.get_coordinates(shapely.segmentize(geometry, EDGE_DEG))), axis=0)
    center = corners.mean(axis=0)
    height = corners @ (center / max(np.linalg.norm(center), 1e-12))
    if np.linalg.norm(center) < 1e-6 or height.min() <= 0.01:
        raise VectorError(
            "The shapes lie around more than half the globe, where nothing is their convex hull; take fewer."
        )
    frame = _tangent_frame(center / np.linalg.norm(center))
    flat = (corners @ frame[:, :2]) / (corners @ frame[:, 2:])
    hull = shapely.MultiPoint(flat).convex_hull
    if hull.geom_type == "Point":
        return shapely.Point(_degrees(corners[:1])[0])
    # Near a pole a short edge spans many degrees of longitude.
    polar = abs(center[2]) > _POLAR * np.linalg.norm(center)
    hull = shapely.segmentize(hull, min(_HULL_STEP, hull.length / 400) if polar else _HULL_STEP)
    around = shapely.get_coordinates(hull)
    directions = around @ frame[:, :2].T + frame[:, 2]
    ring = _degrees(directions / np.linalg.norm(directions, axis=1, keepdims=True))
    ring = _as_given(ring, shapely.get_coordinates(geometry))
    if hull.geom_type == "LineString":
        return shapely.LineString(ring)
    return polygon_of([ring], [90.0 if center[2] > 0 else -90.0])


def _as_given(ring: Points, given: Points) -> Points:
    """The corners of a hull that are corners of the shape, to the last digit."""
    from scipy.spatial import KDTree  # 0.2 s, which a list of tools does without

    apart, nearest = KDTree(given).query(ring)
    return np.where((apart < _SAME_DEG)[:, None], given[np.minimum(nearest, len(given) - 1)], ring)


def simplified(geometry: shapely.Geometry, tolerance_m: float) -> shapely.Geometry:
    """A shape with fewer corners, none farther than a distance from where the outline was.

    Douglas and Peucker 1973, keeping the shape valid, on an equidistant plane around the shape (within
    10 % of the tolerance for one of 4,000 km, in degrees for one of more than half the globe).
    """
    if shapely.get_dimensions(geometry) < 1:
        return geometry
    plane = plane_around(geometry)
    if reach_m(geometry, (plane.lon, plane.lat)) > _HALF_GLOBE_M:
        return shapely.simplify(geometry, tolerance_m / _METRES_PER_DEGREE, preserve_topology=True)
    # The corners are taken as they are: following the edges would make corners that were not there.
    flat = plane.flat(geometry, step_deg=math.inf)
    simpler = shapely.simplify(flat, tolerance_m, preserve_topology=True)
    found = plane.round(simpler, follow=abs(plane.lat) == 90)
    if shapely.get_dimensions(geometry) == 2:
        return repair(found)
    # A line along the edge of the map at a pole has no length there, and stays as it is.
    return found if found.is_valid and not found.is_empty else geometry


def simplified_together(frame: gpd.GeoDataFrame, tolerance_m: float) -> gpd.GeoDataFrame:
    """Polygons that share borders, simplified so that they go on sharing them.

    Visvalingam and Whyatt 1993 over the coverage: corners go whose triangle is smaller than the tolerance
    squared. On an equal-area plane. Raises VectorError for polygons that overlap or whose borders do not
    fit, and for points and lines.
    """
    import geopandas as gpd

    if (dimension(frame) != 2).any():
        raise VectorError("Only polygons share borders; leave shared_borders out for points and lines.")
    shapes = frame.geometry.to_numpy()
    plane = _plane_of_all(shapes)
    flat = gpd.GeoSeries(shapes, crs="EPSG:4326").to_crs(plane)
    if not shapely.coverage_is_valid(flat.to_numpy()):
        raise VectorError(
            "The polygons overlap, or their borders do not fit each other; leave shared_borders out to "
            "simplify each on its own."
        )
    simpler = shapely.coverage_simplify(flat.to_numpy(), tolerance_m)
    back = gpd.GeoSeries(simpler, crs=plane).to_crs("EPSG:4326")
    return frame.set_geometry(gpd.GeoSeries(back.to_numpy(), index=frame.index, crs="EPSG:4326"))


def corner_count(frame: gpd.GeoDataFrame) -> int:
    """How many corners the shapes have together."""
    return int(shapely.get_num_coordinates(frame.geometry.to_numpy()).sum())


def _plane_of_all(shapes: object) -> str:
    whole = collected(list(shapes))  # type: ignore[call-overload]
    lon, lat = middle(whole)
    if reach_m(whole, (lon, lat)) > _CONTINENT_M or goes_around(whole):
        return EQUAL_AREA
    return f"+proj=laea +lat_0={lat!r} +lon_0={lon!r} +ellps=WGS84 +units=m"


def _tangent_frame(up: Points) -> Points:
    """East, north and up at a direction, as the columns of a matrix."""
    aside = np.array([0.0, 0.0, 1.0]) if abs(up[2]) < 0.9 else np.array([1.0, 0.0, 0.0])
    east = np.cross(aside, up)
    east /= np.linalg.norm(east)
    return np.column_stack([east, np.cross(up, east), up])


def _degrees(directions: Points) -> Points:
    x, y, z = directions.T
    return np.column_stack([np.degrees(np.arctan2(y, x)), np.degrees(np.arctan2(z, np.hypot(x, y)))])

"""Shapes that the vector tests share, and closed forms on the WGS84 ellipsoid."""

from __future__ import annotations

import math

import geopandas as gpd
import numpy as np
import pyproj
import shapely

GEOD = pyproj.Geod(ellps="WGS84")
WHOLE_GLOBE_M2 = 510_065_621_724_000.0
FIJI = shapely.MultiPolygon([shapely.box(179, -18, 180, -17), shapely.box(-180, -18, -179, -17)])
"""Two degrees of longitude, one of latitude, cut at the antimeridian."""
CAP = shapely.Polygon([(lon, -70) for lon in range(-180, 181, 5)] + [(180, -90), (-180, -90)])
"""Everything south of 70 degrees south, along the edge of the map around the pole."""


def box_area_m2(west: float, south: float, east: float, north: float) -> float:
    """The area between two meridians and two parallels, exactly (Snyder 1987, equation 3-12)."""
    a, f = 6378137.0, 1 / 298.257223563
    e2 = f * (2 - f)
    e = math.sqrt(e2)

    def q(lat: float) -> float:
        sine = math.sin(math.radians(lat))
        return (1 - e2) * (sine / (1 - e2 * sine**2) + math.atanh(e * sine) / e)

    return a**2 / 2 * math.radians(east - west) * (q(north) - q(south))


def sphere_cap_m2(radius_m: float) -> float:
    """The area within a distance of a point on the sphere of the mean radius."""
    globe = 6371008.8
    return 2 * math.pi * globe**2 * (1 - math.cos(radius_m / globe))


def frame(*shapes: shapely.Geometry, **columns: object) -> gpd.GeoDataFrame:
    """Features in EPSG:4326."""
    return gpd.GeoDataFrame(columns, geometry=list(shapes), crs="EPSG:4326")


def corners(shape: shapely.Geometry) -> np.ndarray:
    """The corners of a shape, without those on the edge of the map, where it is cut."""
    found = shapely.get_coordinates(shape)
    return found[(np.abs(np.abs(found[:, 0]) - 180) > 1e-7) & (np.abs(found[:, 1]) < 89.9999)]


def distances_m(points: np.ndarray, to: shapely.Geometry, step_deg: float = 0.005) -> np.ndarray:
    """From each point the geodesic to the nearest of many points along a shape's edges, one by one."""
    along = shapely.get_coordinates(shapely.segmentize(to, step_deg))
    found = []
    for lon, lat in points:
        count = len(along)
        _, _, metres = GEOD.inv(np.full(count, lon), np.full(count, lat), along[:, 0], along[:, 1])
        found.append(float(np.min(metres)))
    return np.array(found)

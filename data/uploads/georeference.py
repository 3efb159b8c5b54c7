"""Give a raster a place: a box, somewhere around a point, or points of it whose place is known."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from affine import Affine
from pyproj import CRS, Geod
from rasterio.control import GroundControlPoint

from data.raster.errors import RasterError
from data.raster.files import opened
from data.uploads.brought import Box
from data.uploads.placing import Placing
from data.uploads.rasters import write_placed

_GEOD = Geod(ellps="WGS84")
WGS84 = CRS.from_epsg(4326)
_STRAIGHT_PX = 0.5
"""A turn or a shear that moves no corner further than this is none."""
_COLLINEAR = 1e-6


@dataclass(frozen=True)
class ControlPoint:
    """A point of the picture, from its upper left corner, and where that is in degrees."""

    column: float
    row: float
    lon: float
    lat: float


@dataclass(frozen=True)
class Fit:
    """A placing found from control points and how far they lie from it."""

    transform: Affine
    residual_m: float
    """Root mean square of the distances on the ground, metres; 0 for three points."""


def size_of(path: Path) -> tuple[int, int]:
    """(width, height) in pixels. Raises RasterError."""
    with opened(path) as source:
        return int(source.width), int(source.height)


def box_transform(box: Box, width: int, height: int) -> Affine:
    """From pixels to degrees for a picture that fills the box; east of 180 where it crosses it."""
    west, south, east, north = box
    right = east + 360 if east < west else east
    return Affine((right - west) / width, 0, west, 0, (south - north) / height, north)


def fitted_box(box: Box, width: int, height: int) -> Box:
    """The largest box of the picture's own proportions, measured on the ground, in the middle of `box`."""
    west, south, east, north = box
    span = east - west if east >= west else east - west + 360
    lon, lat = west + span / 2, (south + north) / 2
    narrow = max(1e-6, math.cos(math.radians(lat)))
    wide = min(span, (north - south) * width / height / narrow)
    tall = wide * narrow * height / width
    sides = ((lon - wide / 2 + 180) % 360 - 180, (lon + wide / 2 + 180) % 360 - 180)
    return (sides[0], lat - tall / 2, sides[1], lat + tall / 2)


def fit(points: Sequence[ControlPoint], width: int, height: int) -> Fit:
    """The affine transform through control points, by least squares over degrees.

    Raises RasterError for fewer than three, for points on one line, and for points far off the picture.
    """
    if len(points) < 3:
        raise RasterError(
            f"{len(points)} control points are too few; three or more that are not in a row work."
        )
    for each in points:
        if not (-width <= each.column <= 2 * width and -height <= each.row <= 2 * height):
            raise RasterError(
                f"The control point at column {each.column:g}, row {each.row:g} lies far off the picture of "
                f"{width:,} x {height:,} pixels; columns and rows count from its upper left corner."
            )
    lons = np.array([each.lon for each in points])
    lons = lons[0] + (lons - lons[0] + 180) % 360 - 180
    lats = np.array([each.lat for each in points])
    pixels = np.array([[each.column, each.row, 1.0] for each in points])
    scaled = pixels / [width, height, 1.0]
    if np.linalg.svd(scaled, compute_uv=False)[-1] < _COLLINEAR:
        raise RasterError("The control points lie on one line; give three or more that do not.")
    (a, b, c), (d, e, f) = (np.linalg.lstsq(pixels, values, rcond=None)[0] for values in (lons, lats))
    transform = Affine(*(float(each) for each in (a, b, c, d, e, f)))
    if not abs(transform.determinant) > 1e-18:
        raise RasterError("The control points give the picture no area; their places must differ both ways.")
    found = pixels @ np.array([[a, d], [b, e], [c, f]])
    _, _, metres = _GEOD.inv(lons, lats, found[:, 0], found[:, 1])
    return Fit(transform, float(np.sqrt(np.mean(np.square(metres)))))


def place(source: Path, target: Path, transform: Affine) -> bool:
    """Write the raster as a GeoTIFF in EPSG:4326; True when it had to be turned north up."""
    with opened(source) as picture:
        width, height = picture.width, picture.height
        _check_latitudes(transform, width, height)
        if not _is_turned(transform, width, height):
            a, _, c, _, e, f = tuple(transform)[:6]
            write_placed(picture, target, Placing(WGS84, Affine(a, 0, c, 0, e, f)))
            return False
        aside = target.with_name(f"{target.stem}.turned.tif")
        try:
            write_placed(picture, aside, Placing(WGS84, transform))
            with opened(aside) as turned:
                write_placed(turned, target, Placing(WGS84, gcps=_corners(transform, width, height)))
        finally:
            aside.unlink(missing_ok=True)
    return True


def _corners(transform: Affine, width: int, height: int) -> tuple[GroundControlPoint, ...]:
    corners = [(0, 0), (width, 0), (0, height), (width, height)]
    spots = [(corner, transform @ corner) for corner in corners]
    return tuple(GroundControlPoint(row, column, x, y, 0) for (column, row), (x, y) in spots)


def _is_turned(transform: Affine, width: int, height: int) -> bool:
    moved_lon = abs(transform.b) * height / abs(transform.a or 1e-30)
    moved_lat = abs(transform.d) * width / abs(transform.e or 1e-30)
    return max(moved_lon, moved_lat) > _STRAIGHT_PX or transform.a < 0 or transform.e > 0


def _check_latitudes(transform: Affine, width: int, height: int) -> None:
    lats = [(transform @ corner)[1] for corner in ((0, 0), (width, 0), (0, height), (width, height))]
    if min(lats) < -90.001 or max(lats) > 90.001:
        raise RasterError(
            f"So placed, the picture would reach from latitude {min(lats):g} to {max(lats):g}; "
            "check the points, longitude first."
        )

"""What a raster file says about itself: place, pixel size, bands, sensor and time.

A file is opened with the one driver that its first bytes call for, so that a VRT or anything else
that could point at other files or at the network is not opened, whatever its name ends with.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import numpy as np
import rasterio
import shapely
from numpy.typing import NDArray
from pyproj import CRS, Geod, Transformer
from pyproj.exceptions import ProjError
from rasterio.enums import ColorInterp
from rasterio.errors import NotGeoreferencedWarning, RasterioError
from rasterio.transform import AffineTransformer, GCPTransformer, RPCTransformer
from shapely.geometry import Polygon

from data.raster.sensors import sensor_of
from data.readers.base import BadRecord
from data.readers.geometry import Extent, extent_of
from data.readers.sidecars import is_alone, leads_elsewhere
from data.readers.when import day_in_name, parse_time, year_in_name

_DRIVERS = (
    (b"II*\0", "GTiff"),
    (b"MM\0*", "GTiff"),
    (b"II+\0", "GTiff"),
    (b"MM\0+", "GTiff"),
    (b"\x89PNG\r\n\x1a\n", "PNG"),
    (b"\xff\xd8\xff", "JPEG"),
    (b"\0\0\0\x0cjP  \r\n\x87\n", "JP2OpenJPEG"),
    (b"\xff\x4f\xff\x51", "JP2OpenJPEG"),
)
"""First bytes and the GDAL driver that may read what follows."""

_WGS84 = CRS.from_epsg(4326)
_GEOD = Geod(ellps="WGS84")
_EDGE_POINTS = 21
"""Points along each edge of a footprint, so that a curved edge is followed before it is simplified."""

_TIME_TAGS = (
    "ACQUISITIONDATETIME",
    "ACQUISITION_DATETIME",
    "ACQUISITION_DATE",
    "DATE_ACQUIRED",
    "DATETIME",
    "SENSING_TIME",
    "ACQUISITIONDATE",
)
_SENSOR_TAGS = ("SATELLITEID", "SATELLITE", "SENSOR", "PLATFORM", "SPACECRAFT_ID", "SENSOR_ID")
_SENSORS = (
    (re.compile(r"(?<![a-z0-9])s1[abc]_|sentinel-?_?1", re.I), "Sentinel-1"),
    (re.compile(r"(?<![a-z0-9])s2[abc]_|sentinel-?_?2", re.I), "Sentinel-2"),
    (re.compile(r"(?<![a-z0-9])l[cot]0?[89]_", re.I), "Landsat 8-9"),
    (re.compile(r"landsat", re.I), "Landsat"),
    (re.compile(r"naip|(?<![a-z0-9])m_\d{7}_[ns][ew]_\d{2}_", re.I), "NAIP"),
    (re.compile(r"worldview|(?<![a-z0-9])wv0?[1234](?![0-9])", re.I), "WorldView"),
    (re.compile(r"planetscope|psscene", re.I), "PlanetScope"),
)
_COLOURS = {
    ColorInterp.red: "red",
    ColorInterp.green: "green",
    ColorInterp.blue: "blue",
    ColorInterp.alpha: "alpha",
}


@dataclass(frozen=True)
class RasterInfo:
    """The cheap facts of a raster."""

    width_px: int
    height_px: int
    bands: tuple[str, ...]
    dtype: str
    extent: Extent | None
    gsd_m: float | None
    sensor: str | None
    acquired: datetime | None
    pixel_to_lonlat: PixelToLonLat | None


class PixelToLonLat:
    """Turns (column, row) of an image, upper left corner (0, 0), into degrees."""

    def __init__(
        self, pixels: AffineTransformer | GCPTransformer | RPCTransformer, crs: CRS, height_m: float | None
    ) -> None:
        self._pixels = pixels
        self._height_m = height_m
        self._to_wgs84 = None if crs == _WGS84 else Transformer.from_crs(crs, _WGS84, always_xy=True)

    def __call__(self, columns: NDArray[np.float64], rows: NDArray[np.float64]) -> NDArray[np.float64]:
        """(n, 2) longitudes and latitudes; infinite where the projection has no answer."""
        heights = None if self._height_m is None else np.full(len(columns), self._height_m)
        x, y = self._pixels.xy(rows, columns, zs=heights, offset="ul")
        x, y = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
        if self._to_wgs84 is not None:
            x, y = self._to_wgs84.transform(x, y)
        return np.column_stack([x, y])

    def polygons(self, rings: list[NDArray[np.float64]]) -> list[Polygon]:
        """Polygons in degrees from rings of (column, row)."""
        joined = self(*np.concatenate(rings).T)
        pieces = np.split(joined, np.cumsum([len(ring) for ring in rings])[:-1])
        return [Polygon(piece) for piece in pieces]


@contextmanager
def open_raster(path: Path) -> Iterator[rasterio.DatasetReader]:
    """A local raster, read-only. Raises BadRecord, in one sentence, when it is none or is broken."""
    driver = _driver(path)
    # JPEG 2000 and the others can be told to fetch things by their metadata; nothing here needs that.
    alone = is_alone(path.resolve())
    environment = rasterio.Env(
        GDAL_DISABLE_READDIR_ON_OPEN="EMPTY_DIR" if alone else "FALSE",
        GDAL_PAM_ENABLED="NO" if alone else "YES",
        CPL_CURL_ENABLED="NO",
    )
    with environment, warnings.catch_warnings():
        warnings.simplefilter("ignore", NotGeoreferencedWarning)
        try:
            source = rasterio.open(path.resolve(), driver=driver)
        except (RasterioError, OSError) as error:
            raise BadRecord(f"the file is not a readable raster ({_first_line(error)})") from None
        with source:
            if leads_elsewhere(source):
                raise BadRecord("the file names another file as a part of it; a copy with all in it would do")
            yield source


def raster_info(path: Path) -> RasterInfo:
    """The facts of the raster at `path`; BadRecord when it cannot be opened."""
    with open_raster(path) as source:
        to_lonlat = _pixel_to_lonlat(source)
        sensor = _sensor(source, path)
        return RasterInfo(
            width_px=source.width,
            height_px=source.height,
            bands=_bands(source, sensor),
            dtype=source.dtypes[0],
            extent=_footprint(source, to_lonlat) if to_lonlat else None,
            gsd_m=_gsd_m(source, to_lonlat) if to_lonlat else None,
            sensor=sensor,
            acquired=_acquired(source, path),
            pixel_to_lonlat=to_lonlat,
        )


def _driver(path: Path) -> str:
    with path.open("rb") as stream:
        start = stream.read(16)
    if not start:
        raise BadRecord("the file is empty")
    for magic, driver in _DRIVERS:
        if start.startswith(magic):
            return driver
    raise BadRecord(
        f"the file is not a TIFF, PNG, JPEG or JPEG 2000, although its name ends in {path.suffix!r}"
    )


def _pixel_to_lonlat(source: rasterio.DatasetReader) -> PixelToLonLat | None:
    points, points_crs = source.gcps
    try:
        if source.crs and not source.transform.is_identity:
            return PixelToLonLat(AffineTransformer(source.transform), CRS.from_user_input(source.crs), None)
        if len(points) >= 3 and points_crs:
            return PixelToLonLat(GCPTransformer(points), CRS.from_user_input(points_crs), None)
        if source.rpcs:
            return PixelToLonLat(RPCTransformer(source.rpcs), _WGS84, source.rpcs.height_off)
    except (ProjError, RasterioError, ValueError):
        return None
    return None


def _footprint(source: rasterio.DatasetReader, to_lonlat: PixelToLonLat) -> Extent | None:
    width, height = float(source.width), float(source.height)
    step = np.linspace(0, 1, _EDGE_POINTS)[:-1]
    zero, one = np.zeros_like(step), np.ones_like(step)
    columns = np.concatenate([step, one, 1 - step, zero]) * width
    rows = np.concatenate([zero, step, one, 1 - step]) * height
    edge = to_lonlat(columns, rows)
    if np.isfinite(edge).all():
        shape = Polygon(edge)
    else:  # a full-disk image: its corners lie in space, so take what of its inside is on the ground
        grid_columns, grid_rows = np.meshgrid(np.linspace(0, width, 41), np.linspace(0, height, 41))
        inside = to_lonlat(grid_columns.ravel(), grid_rows.ravel())
        inside = inside[np.isfinite(inside).all(axis=1)]
        if len(inside) < 3:
            return None
        shape = shapely.MultiPoint(inside).convex_hull
    try:
        # A tenth of a pixel is below what anybody can see of an edge.
        tolerance = 0.1 * float(np.sqrt(shape.area / max(width * height, 1)))
        shape = shape.simplify(tolerance)
        west, _, east, _ = shape.bounds
        if west < -180 or east > 180:
            from data.vector.globe import into_one_world

            shape = into_one_world(shape)
        return extent_of(shape)
    except ValueError:
        return None


def _gsd_m(source: rasterio.DatasetReader, to_lonlat: PixelToLonLat) -> float | None:
    """Metres on the ground from one pixel to the next, in the middle of the image."""
    column, row = source.width / 2, source.height / 2
    points = to_lonlat(np.array([column, column + 1, column]), np.array([row, row, row + 1]))
    if not np.isfinite(points).all():
        return None
    _, _, metres = _GEOD.inv(points[[0, 0], 0], points[[0, 0], 1], points[1:, 0], points[1:, 1])
    return round(float(np.sqrt(metres[0] * metres[1])), 4)


def _bands(source: rasterio.DatasetReader, sensor: str | None) -> tuple[str, ...]:
    described = [text for text in source.descriptions if text]
    if len(described) == source.count:
        return tuple(text.strip().lower().replace(",", " ") for text in described)
    colours = [_COLOURS.get(colour) for colour in source.colorinterp]
    if source.count in (3, 4) and {"red", "green", "blue"} <= set(colours):
        return tuple(colour or f"band {number}" for number, colour in enumerate(colours, start=1))
    told = sensor_of(sensor or "")
    known = None if told is None or any(source.descriptions) else told.order(source.count)
    if known is not None:
        return tuple(name or f"band {number}" for number, name in enumerate(known, start=1))
    return tuple(f"band {number}" for number in range(1, source.count + 1))


def _sensor(source: rasterio.DatasetReader, path: Path) -> str | None:
    tags = _all_tags(source)
    for name in _SENSOR_TAGS:
        if tags.get(name, "").strip():
            return tags[name].strip()
    for text in (path.name, path.parent.name):
        for pattern, sensor in _SENSORS:
            if pattern.search(text):
                return sensor
    return None


def _acquired(source: rasterio.DatasetReader, path: Path) -> datetime | None:
    """From the acquisition tags, else a day in the name, else TIFF's own time, else a year in the name.

    TIFF's own time comes after a day in the name, since it is often the time of the last conversion.
    """
    tags = _all_tags(source)
    for name in _TIME_TAGS:
        found = parse_time(tags.get(name))
        if found:
            return found
    return day_in_name(path.stem) or parse_time(tags.get("TIFFTAG_DATETIME")) or year_in_name(path.stem)


def _all_tags(source: rasterio.DatasetReader) -> dict[str, str]:
    spaces = (
        source.tags(ns=space)
        for space in ("", "IMAGERY", "EXIF")
        if space == "" or space in source.tag_namespaces()
    )
    return {name.upper(): value for space in spaces for name, value in space.items()}


def _first_line(error: Exception) -> str:
    lines = str(error).strip().splitlines()
    # GDAL names the file with the user's folders in front; the report names it already.
    return re.sub(r"'?/[^\s']*/", "", lines[0])[:160] if lines else type(error).__name__

"""Raster files as map tiles and pictures in Web Mercator, read by rio-tiler.

Each read covers only where the raster is, at the map's resolution, from the overview next finer: what
the library would otherwise lay out, the whole tile at the raster's own resolution, is more pixels than
can be counted when a small scene meets a world tile. A pixel's value depends on nothing but its place,
so that tiles meet without a seam.
"""

from __future__ import annotations

import io
import math
import threading
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import rasterio
from numpy.typing import NDArray
from rasterio.crs import CRS
from rasterio.enums import ColorInterp, Resampling
from rasterio.errors import RasterioError
from rasterio.io import MemoryFile
from rasterio.transform import from_bounds, from_gcps
from rasterio.vrt import WarpedVRT
from rasterio.warp import transform_bounds
from rasterio.windows import Window

from data.raster.errors import RasterError
from data.raster.files import opened
from data.raster.looks import Drawn, Look, drawn, read_bands

if TYPE_CHECKING:
    from collections.abc import Iterator

TILE_PX = 256
MAX_ZOOM = 24
HALF_WORLD_M = math.pi * 6378137.0
"""Half the width of the Web Mercator square, metres."""
MAX_LATITUDE = 85.0511287798066
_COARSE = 8
"""A tile of more of the raster's pixels to one of its own than this comes from a thinned copy,
when the file has no overviews yet."""
_TOLERANCE_PX = 0.01
"""How far a pixel may be misplaced so that fewer have to be projected one by one."""
_THINNED_PX = 2048
_STRIP_ROWS = 256
_LARGE_PX = 4096
"""A raster of no more than this on its longer side does well without overviews."""

Box = tuple[float, float, float, float]
"""West, south, east, north; metres of Web Mercator."""


@dataclass(frozen=True)
class Source:
    """A raster as the map sees it."""

    box: Box
    """On the map; one that crosses the antimeridian goes on beyond it."""
    middle_deg: float
    """The meridian about which it is read: 0, or its own middle where it crosses the antimeridian."""
    crs: CRS | None
    """In place of its own: degrees counted about that meridian, for a geographic one that crosses."""
    metres_per_px: float
    longer_px: int
    overviews: tuple[int, ...]
    """How many pixels one of each overview stands for, along a side."""

    @property
    def shifts(self) -> tuple[float, ...]:
        """What is added to the map's x to come to the reading's, for each copy of the world."""
        return tuple(2 * HALF_WORLD_M * turn - _x(self.middle_deg) for turn in (0, -1, 1, -2, 2))

    def level(self, metres_per_px: float) -> int | None:
        """The coarsest overview that is no coarser than the map; None for the pixels themselves."""
        wanted = metres_per_px / self.metres_per_px * 1.01
        fine = [at for at, factor in enumerate(self.overviews) if factor <= wanted]
        return fine[-1] if fine else None

    def slow(self, metres_per_px: float) -> bool:
        """Whether a view so coarse would have to read every pixel of many."""
        coarse = metres_per_px > _COARSE * self.metres_per_px
        return coarse and self.longer_px > _LARGE_PX and not self.overviews


def tile_box(z: int, x: int, y: int) -> Box:
    """The bounds of a map tile (the first row is the northernmost)."""
    side = 2 * HALF_WORLD_M / 2**z
    west, north = x * side - HALF_WORLD_M, HALF_WORLD_M - y * side
    return (west, north - side, west + side, north)


def tile(path: Path, look: Look, z: int, x: int, y: int) -> NDArray[np.uint8] | None:
    """A map tile as RGBA, shape (256, 256, 4); None where the raster has no pixels.

    Raises RasterError for a raster without a place, and for what cannot be read.
    """
    return picture(path, look, tile_box(z, x, y), TILE_PX, TILE_PX)


def picture(path: Path, look: Look, box: Box, width: int, height: int) -> NDArray[np.uint8] | None:
    """A part of the map as RGBA, shape (height, width, 4); None where the raster has no pixels.

    `box` is in metres of Web Mercator and may reach beyond one copy of the world.
    Raises RasterError for a raster without a place, and for what cannot be read.
    """
    place, how = source_of(path), drawn(path, look)
    found: NDArray[np.uint8] | None = None
    for shift in place.shifts:
        asked = (box[0] + shift, box[1], box[2] + shift, box[3])
        try:
            piece = _piece(path, place, how, asked, width, height)
        except RasterioError as error:
            raise RasterError(f"The pixels of {path.name} cannot be read; is the file whole?") from error
        if piece is not None:
            rows, columns, rgba = piece
            if found is None:
                found = np.zeros((height, width, 4), dtype=np.uint8)
            found[rows, columns] = np.where(rgba[..., 3:] > 0, rgba, found[rows, columns])
    return found if found is not None and found[..., 3].any() else None


def png(rgba: NDArray[np.uint8]) -> bytes:
    """RGBA as a PNG."""
    from PIL import Image

    out = io.BytesIO()
    Image.fromarray(rgba).save(out, "PNG", compress_level=4)
    return out.getvalue()


@lru_cache(maxsize=1)
def empty_png() -> bytes:
    """A tile with nothing in it."""
    return png(np.zeros((TILE_PX, TILE_PX, 4), dtype=np.uint8))


def source_of(path: Path) -> Source:
    """Where a raster lies. Raises RasterError for one without a place on the map."""
    beside = overviews_beside(path)
    return _source(path, path.stat().st_mtime_ns, beside.stat().st_mtime_ns if beside.is_file() else 0)


def overviews_beside(path: Path) -> Path:
    """Where GDAL looks for overviews that are not in the file."""
    return path.with_name(f"{path.name}.ovr")


@lru_cache(maxsize=256)
def _source(path: Path, _changed: int, _overviews: int) -> Source:
    with placed(path) as source:
        try:
            west, south, east, north = transform_bounds(source.crs, "EPSG:4326", *source.bounds)
        except RasterioError as error:
            raise RasterError(f"{path.name} lies nowhere on the globe.") from error
        if not all(math.isfinite(side) for side in (west, south, east, north)):
            raise RasterError(f"{path.name} lies nowhere on the globe.")
        if west > east:  # a projected one across the antimeridian
            east += 360
        crosses = west < -180 - 1e-9 or east > 180 + 1e-9
        middle = (west + east) / 2 if crosses else 0.0
        own = f"{source.crs.to_proj4()} +lon_wrap={middle}" if crosses and source.crs.is_geographic else None
        box = (_x(west), _y(south), _x(east), _y(north))
        across = max((box[2] - box[0]) / source.width, (box[3] - box[1]) / source.height)
        longer = max(source.width, source.height)
        crs = None if own is None else CRS.from_string(own)
        return Source(box, middle, crs, across, longer, tuple(source.overviews(1)))


def _piece(
    path: Path, place: Source, how: Drawn, asked: Box, width: int, height: int
) -> tuple[slice, slice, NDArray[np.uint8]] | None:
    """The pixels of the asked box that the raster covers: rows, columns and their colours."""
    west, _, east, north = asked
    middle = _x(place.middle_deg)
    inside = (place.box[0] - middle, place.box[1], place.box[2] - middle, place.box[3])
    px_x, px_y = (east - west) / width, (north - asked[1]) / height
    left = max(0, math.floor((inside[0] - west) / px_x))
    right = min(width, math.ceil((inside[2] - west) / px_x))
    top = max(0, math.floor((north - inside[3]) / px_y))
    bottom = min(height, math.ceil((north - inside[1]) / px_y))
    if left >= right or top >= bottom:
        return None
    bounds = (west + left * px_x, north - bottom * px_y, west + right * px_x, north - top * px_y)
    grid: dict[str, Any] = {
        "tolerance": _TOLERANCE_PX,
        "transform": from_bounds(*bounds, right - left, bottom - top),
        "width": right - left,
        "height": bottom - top,
    }
    if place.crs is not None:
        grid["src_crs"] = place.crs
    slow = place.slow(px_x)
    bands = tuple(range(1, len(how.bands) + 1)) if slow else how.bands
    with _thinned(path, how.bands) if slow else placed(path, place.level(px_x)) as source:
        values, valid = _warped(source, bands, _frame(place.middle_deg), bounds, grid, how.nearest)
    return slice(top, bottom), slice(left, right), how.colours(values, valid)


def _warped(
    source: Any, bands: tuple[int, ...], frame: CRS, bounds: Box, grid: dict[str, Any], nearest: bool
) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    """Bands in the frame: values and where they are valid, each (bands, rows, columns)."""
    from rio_tiler import reader  # a second, which only who draws tiles waits for

    if np.dtype(source.dtypes[0]).kind == "c":
        return _magnitudes(source, bands, frame, grid)
    how: Any = "nearest" if nearest else "bilinear"
    found = reader.part(
        source,
        bounds,
        width=grid["width"],
        height=grid["height"],
        dst_crs=frame,
        indexes=bands,
        vrt_options=grid,
        reproject_method=how,
    ).array
    return np.asarray(found.data), ~np.ma.getmaskarray(found)


def _magnitudes(
    source: Any, bands: tuple[int, ...], frame: CRS, grid: dict[str, Any]
) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    """Complex samples (radar) by their magnitude; the library reads none."""
    with WarpedVRT(source, crs=frame, resampling=Resampling.nearest, **grid) as warped:
        values = np.abs(warped.read(bands))
        inside = warped.read_masks(bands) > 0
    return values, inside & (values > 0)


@contextmanager
def placed(path: Path, level: int | None = None) -> Iterator[Any]:
    """A raster that has a coordinate system, or an overview of it; control points are laid out."""
    with ExitStack() as stack:
        source: Any = stack.enter_context(opened(path))
        if level is not None:
            again = rasterio.open(source.name, driver=source.driver, overview_level=level)
            source = stack.enter_context(again)
        points, crs = source.gcps
        if source.crs is None and points and crs is not None:
            options: dict[str, Any] = {"src_crs": crs, "src_transform": from_gcps(points)}
            options["add_alpha"] = source.nodata is None and ColorInterp.alpha not in source.colorinterp
            source = stack.enter_context(WarpedVRT(source, **options))
        if source.crs is None:
            raise RasterError(f"{path.name} has no coordinate system, so it has no place on the map.")
        yield source


_thinning = threading.Lock()


@contextmanager
def _thinned(path: Path, bands: tuple[int, ...]) -> Iterator[Any]:
    """A copy in memory with few of the pixels: for a view of the whole, until there are overviews."""
    with _thinning:  # ten tiles of one view wait for one copy
        copy = _thin_copy(path, path.stat().st_mtime_ns, bands)
    with MemoryFile(copy) as memory, memory.open() as source:
        yield source


@lru_cache(maxsize=4)
def _thin_copy(path: Path, _changed: int, bands: tuple[int, ...]) -> bytes:
    with placed(path) as source:
        scale = _THINNED_PX / max(source.width, source.height)
        width, height = max(1, round(source.width * scale)), max(1, round(source.height * scale))
        values, valid = _every_nth(source, bands, width, height)
        stretched = rasterio.Affine.scale(source.width / width, source.height / height)
        profile = {
            "driver": "GTiff",
            "width": width,
            "height": height,
            "count": len(bands),
            "dtype": values.dtype,
            "crs": source.crs,
            "transform": source.transform @ stretched,
            "nodata": source.nodata,
        }
    with rasterio.Env(GDAL_TIFF_INTERNAL_MASK=True), MemoryFile() as memory:
        with memory.open(**profile) as target:
            target.write(values)
            if profile["nodata"] is None and not valid.all():
                target.write_mask(valid.any(axis=0))
        return bytes(memory.read())


def _every_nth(
    source: Any, bands: tuple[int, ...], width: int, height: int
) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    """Pixels at equal steps, strip by strip: asked for fewer pixels, GDAL takes many times as long."""
    columns = ((np.arange(width) + 0.5) * source.width / width).astype(int)
    rows = ((np.arange(height) + 0.5) * source.height / height).astype(int)
    values: list[NDArray[Any]] = []
    valid: list[NDArray[np.bool_]] = []
    deep = max(
        source.block_shapes[0][0], _STRIP_ROWS // source.block_shapes[0][0] * source.block_shapes[0][0]
    )
    for top in range(0, source.height, deep):
        wanted = rows[(rows >= top) & (rows < top + deep)] - top
        if not len(wanted):
            continue
        strip = Window(0, top, source.width, min(deep, source.height - top))
        found, there = read_bands(source, bands, window=strip)
        values.append(found[:, wanted][:, :, columns])
        valid.append(there[:, wanted][:, :, columns])
    return np.concatenate(values, axis=1), np.concatenate(valid, axis=1)


@lru_cache(maxsize=64)
def _frame(middle_deg: float) -> CRS:
    """Web Mercator about a meridian.

    A millimetre off, so that the library does not take it for EPSG:3857, of which it warns at the poles.
    """
    return CRS.from_string(
        f"+proj=merc +a=6378137 +b=6378137 +lat_ts=0 +lon_0={middle_deg} +x_0=0.001 +y_0=0 +k=1 "
        "+units=m +nadgrids=@null +no_defs"
    )


def degrees_of(box: Box) -> tuple[float, float, float, float]:
    """A box of the map in degrees: west, south, east, north."""
    west, south, east, north = box
    lats = [math.degrees(math.atan(math.sinh(y / HALF_WORLD_M * math.pi))) for y in (south, north)]
    return (west / HALF_WORLD_M * 180, lats[0], east / HALF_WORLD_M * 180, lats[1])


def _x(lon_deg: float) -> float:
    return lon_deg / 180 * HALF_WORLD_M


def _y(lat_deg: float) -> float:
    lat = math.radians(min(max(lat_deg, -MAX_LATITUDE), MAX_LATITUDE))
    return math.log(math.tan(math.pi / 4 + lat / 2)) / math.pi * HALF_WORLD_M

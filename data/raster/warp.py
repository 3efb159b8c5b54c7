"""Bring a raster into another coordinate system, onto another grid or to another pixel size."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np
import rasterio
from affine import Affine
from numpy.typing import NDArray
from rasterio.crs import CRS
from rasterio.enums import Resampling
from rasterio.errors import CRSError, RasterioError

from data.raster.copying import Copy, copy_of, has_mask
from data.raster.errors import RasterError
from data.raster.files import opened
from data.raster.windows import THREADS, Grid, windows
from data.readers.sidecars import names_a_file

Method = Literal[
    "nearest", "bilinear", "cubic", "cubic_spline", "lanczos", "average", "mode", "min", "max", "med", "sum"
]
METHODS: tuple[str, ...] = get_args(Method)
MOST_PIXELS = 2_000_000_000
"""A raster of more pixels is most often a slip of the unit."""
_WARP_MB = 64
_COVER_PX = 256


def crs_of(text: str) -> CRS:
    """The coordinate system of "EPSG:3857", "3857", a PROJ or a WKT text. Raises RasterError."""
    plain = text.strip()
    try:
        if names_a_file(plain):
            raise ValueError
        found = CRS.from_epsg(int(plain)) if plain.isdigit() else CRS.from_user_input(plain)
    except (CRSError, ValueError, OverflowError):
        raise RasterError(
            f"There is no coordinate system {plain[:60]!r}; give a code such as EPSG:32631 or utm."
        ) from None
    if not (found.is_geographic or found.is_projected):
        raise RasterError(
            f"{plain[:60]!r} is no coordinate system of the ground; give a code such as EPSG:32631."
        )
    return found


def utm_of(grid: Grid) -> CRS:
    """The UTM zone of a grid's middle; polar stereographic (UPS) beyond 84° N and 80° S."""
    from pyproj import Transformer

    if grid.crs is None:
        raise RasterError("The raster has no coordinate system, so there is no telling its UTM zone.")
    middle = grid.transform @ (grid.width / 2, grid.height / 2)
    lon, lat = Transformer.from_crs(grid.crs, "EPSG:4326", always_xy=True).transform(*middle)
    if not (math.isfinite(lon) and abs(lat) <= 90):
        raise RasterError("The middle of the raster lies off the globe, so there is no telling its UTM zone.")
    if lat > 84 or lat < -80:
        return CRS.from_epsg(32661 if lat > 0 else 32761)
    zone = int((lon + 180) % 360 // 6) + 1
    return CRS.from_epsg((32600 if lat >= 0 else 32700) + zone)


def grid_in(source: Grid, crs: CRS, resolution: float | None = None) -> Grid:
    """The grid that covers another in a coordinate system, with pixels of about the same size, as GDAL does.

    `resolution` is the pixel size in that system's unit. Raises RasterError where that cannot be.
    """
    from rasterio.warp import calculate_default_transform

    if source.crs is None:
        raise RasterError("The raster has no coordinate system, so it cannot be brought into another.")
    bounds = rasterio.transform.array_bounds(source.height, source.width, source.transform)
    if source.transform.b or source.transform.d:
        corners = [source.transform @ (x, y) for x in (0, source.width) for y in (0, source.height)]
        xs, ys = zip(*corners, strict=True)
        bounds = (min(xs), min(ys), max(xs), max(ys))
    try:
        made = calculate_default_transform(
            source.crs, crs, source.width, source.height, *bounds, resolution=resolution
        )
    except (RasterioError, ValueError, OverflowError, MemoryError):
        raise RasterError(
            f"The raster has no place in {crs.to_string()[:40]}; choose another system."
        ) from None
    transform, width, height = made
    return checked(Grid(crs, transform, int(width or 0), int(height or 0)))


def resized(source: Grid, pixel_x: float, pixel_y: float) -> Grid:
    """A grid over the same ground with pixels of another size, in the CRS's unit, from its upper left."""
    one, two = pixel_sizes(source)
    width = max(1, round(min(source.width * one / pixel_x, 1e12)))
    height = max(1, round(min(source.height * two / pixel_y, 1e12)))
    return checked(
        Grid(source.crs, source.transform @ Affine.scale(pixel_x / one, pixel_y / two), width, height)
    )


def pixel_sizes(grid: Grid) -> tuple[float, float]:
    """The width and height of a pixel in the CRS's unit."""
    place = grid.transform
    return math.hypot(place.a, place.d), math.hypot(place.b, place.e)


def checked(grid: Grid) -> Grid:
    """The grid. Raises RasterError where it has too many pixels, or none."""
    if grid.width < 1 or grid.height < 1:
        raise RasterError("The result would have no pixels; a smaller pixel size has some.")
    if grid.width * grid.height > MOST_PIXELS:
        raise RasterError(
            f"The result would have {grid.width:,} x {grid.height:,} pixels, and at most {MOST_PIXELS:,} can "
            "be made; a larger pixel size has fewer."
        )
    return grid


def warp(path: Path, target: Path, grid: Grid, *, method: str = "nearest", bands: Sequence[int] = ()) -> None:
    """Write a raster on another grid; what lies beside it is nodata, or masked out where it has none.

    GDAL's warper works in chunks of 64 MB on all processors. Raises RasterError where the two have no place
    in common, or the file is broken.
    """
    from rasterio.warp import reproject

    with opened(path) as source:
        if source.crs is None or grid.crs is None:
            raise RasterError(
                f"{path.name} has no coordinate system, so it cannot be moved onto another grid."
            )
        numbers = list(bands) or list(range(1, source.count + 1))
        own = Grid.of(source)
        holes = source.nodata is None and not _covers(own, grid)
        with copy_of(source, target, grid, numbers, holes=holes) as copy:
            try:
                reproject(
                    rasterio.band(source, numbers),
                    rasterio.band(copy.writer, list(range(1, len(numbers) + 1))),
                    src_nodata=source.nodata,
                    dst_nodata=copy.nodata,
                    resampling=Resampling[method],
                    num_threads=THREADS,
                    warp_mem_limit=_WARP_MB,
                )
            except (RasterioError, ValueError) as error:
                raise RasterError(
                    f"{path.name} cannot be brought onto that grid: they have no place in common."
                ) from error
            if copy.masked:
                _write_cover(source, copy, own, grid)


def _covers(source: Grid, grid: Grid) -> bool:
    """Whether every pixel of a grid lies on the other, which is told for one CRS alone."""
    if source.crs != grid.crs:
        return False
    corners = [grid.transform @ (x, y) for x in (0.5, grid.width - 0.5) for y in (0.5, grid.height - 0.5)]
    spots = [~source.transform @ each for each in corners]
    return all(0 <= x <= source.width and 0 <= y <= source.height for x, y in spots)


def _write_cover(source: rasterio.DatasetReader, copy: Copy, own: Grid, grid: Grid) -> None:
    """The mask of a raster without a nodata value: where it lies on the new grid and is not masked."""
    from rasterio.vrt import WarpedVRT
    from rasterio.warp import reproject

    if has_mask(source):
        options = {"crs": grid.crs, "transform": grid.transform, "width": grid.width, "height": grid.height}
        with WarpedVRT(source, add_alpha=True, **options) as warped:
            for window in windows(grid):
                copy.writer.write_mask(warped.read(warped.count, window=window) > 0, window=window)
        return
    # The outline of the raster, as a picture of few pixels: the nearest one is inside or there is none.
    across, down = min(own.width, _COVER_PX), min(own.height, _COVER_PX)
    coarse = own.transform @ Affine.scale(own.width / across, own.height / down)
    full = np.full((down, across), 255, np.uint8)
    for window in windows(grid):
        cover: NDArray[Any] = np.zeros((int(window.height), int(window.width)), np.uint8)
        place = grid.transform @ Affine.translation(window.col_off, window.row_off)
        reproject(
            full,
            cover,
            src_transform=coarse,
            src_crs=own.crs,
            dst_transform=place,
            dst_crs=grid.crs,
            resampling=Resampling.nearest,
            num_threads=THREADS,
        )
        copy.writer.write_mask(cover > 0, window=window)

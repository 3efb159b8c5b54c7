"""Cut a raster to a box or to shapes; its pixels stay as and where they are."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import rasterio
import shapely
from affine import Affine
from numpy.typing import NDArray
from rasterio.errors import RasterioError
from rasterio.windows import Window

from data.raster.copying import copy_of, has_mask
from data.raster.errors import RasterError
from data.raster.files import opened
from data.raster.scan import parts_of
from data.raster.windows import Grid
from data.raster.worlds import on_grid, turns
from data.raster.zonal import inside, zone_window

if TYPE_CHECKING:
    import geopandas as gpd
    from shapely.geometry.base import BaseGeometry

_EDGE_PARTS = 50
"""An edge in degrees is bent in a projection; so many points follow it."""


def clip(
    path: Path,
    target: Path,
    shapes: gpd.GeoDataFrame,
    *,
    rectangle: bool = False,
    crop: bool = True,
    all_touched: bool = False,
    bands: Sequence[int] = (),
) -> float:
    """Write the part of a raster inside the shapes, in its own grid; the share of pixels kept comes back.

    Pixels whose centres lie outside get nodata; with `all_touched`, those that a shape touches stay.
    `rectangle` keeps whole rows and columns around the shapes instead. With `crop`, what lies beyond the
    shapes' box is cut off. Raises RasterError where the shapes lie beside the raster.
    """
    with opened(path) as source:
        if source.crs is None:
            raise RasterError(f"{path.name} has no coordinate system, so it cannot be clipped to a place.")
        if beyond := [number for number in bands if not 1 <= number <= source.count]:
            raise RasterError(f"There is no band {beyond[0]}: {path.name} has bands 1 to {source.count}.")
        grid = Grid.of(source)
        shape = _placed(shapes, grid)
        window = zone_window(grid, shape)
        # A box that lies at both ends of a grid of 0 to 360 degrees is two, and what is between them no part.
        rectangle = rectangle and not (len(turns(grid)) > 1 and shape.geom_type == "MultiPolygon")
        if window is None:
            raise RasterError(f"The shapes lie beside {path.name}, so nothing of it would be left.")
        if not crop:
            window = Window(0, 0, grid.width, grid.height)
        holes = not (rectangle and crop)
        with copy_of(source, target, part_of(grid, window), bands, holes=holes) as copy:
            kept = 0
            for part in parts_of(grid, window):
                valid = _valid(source, grid, part, shape, rectangle, all_touched)
                if has_mask(source):
                    covered = _read_mask(source, part)
                    valid = covered if valid is None else valid & covered
                kept += int(part.width * part.height) if valid is None else int(valid.sum())
                copy.write(read_raw(source, bands, part), shifted(part, window), valid)
    if not kept:
        raise RasterError(
            "No pixel's centre lies inside the shapes; with all_touched=true, those touched stay."
        )
    return kept / int(window.width * window.height)


def part_of(grid: Grid, window: Window) -> Grid:
    """The grid of a window of another."""
    moved = grid.transform @ Affine.translation(window.col_off, window.row_off)
    return Grid(grid.crs, moved, int(window.width), int(window.height))


def shifted(window: Window, origin: Window) -> Window:
    """A window as seen from another's corner."""
    return Window(
        window.col_off - origin.col_off, window.row_off - origin.row_off, window.width, window.height
    )


def read_raw(source: rasterio.DatasetReader, bands: Sequence[int], window: Window) -> NDArray[np.generic]:
    """(bands, rows, columns) as stored. Raises RasterError where the file is broken."""
    try:
        values: NDArray[np.generic] = source.read(list(bands) or None, window=window)
    except RasterioError as error:
        raise RasterError(
            f"{Path(source.name).name} is broken near row {int(window.row_off)}: its pixels cannot be read."
        ) from error
    return values


def _read_mask(source: rasterio.DatasetReader, window: Window) -> NDArray[np.bool_]:
    mask: NDArray[np.bool_] = source.dataset_mask(window=window) > 0
    return mask


def _placed(shapes: gpd.GeoDataFrame, grid: Grid) -> BaseGeometry:
    """All shapes as one, in the raster's coordinates, their edges followed closely."""
    # Outlines that cross themselves cannot be joined: what they cover is clipped to.
    joined = shapes.geometry.make_valid(method="structure").union_all()
    if joined.is_empty:
        raise RasterError("There are no shapes to clip to.")
    west, south, east, north = joined.bounds
    step = max(east - west, north - south) / _EDGE_PARTS
    if step > 0 and shapes.crs != grid.crs:
        joined = shapely.segmentize(joined, step)
    placed = on_grid(type(shapes)(geometry=[joined], crs=shapes.crs).geometry, grid)[0]
    return placed if placed.is_valid else shapely.make_valid(placed)


def _valid(
    source: rasterio.DatasetReader,
    grid: Grid,
    part: Window,
    shape: BaseGeometry,
    rectangle: bool,
    all_touched: bool,
) -> NDArray[np.bool_] | None:
    """Which pixels of a part stay; None for all of them."""
    if rectangle:
        box = zone_window(grid, shape)
        assert box is not None
        rows, columns = np.arange(part.height) + part.row_off, np.arange(part.width) + part.col_off
        within_rows = (rows >= box.row_off) & (rows < box.row_off + box.height)
        within_columns = (columns >= box.col_off) & (columns < box.col_off + box.width)
        valid: NDArray[np.bool_] = within_rows[:, None] & within_columns
        return None if valid.all() else valid
    corners = [
        grid.transform @ (part.col_off + x * part.width, part.row_off + y * part.height)
        for x, y in ((0, 0), (1, 0), (1, 1), (0, 1))
    ]
    if shape.contains(shapely.Polygon(corners)):
        return None
    found: NDArray[np.bool_] = inside(grid, part, shape, all_touched)
    return found

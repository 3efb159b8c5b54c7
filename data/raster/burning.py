"""Burn features into the pixels that they cover."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import rasterio
from affine import Affine

from data.raster.errors import RasterError
from data.raster.files import geotiff_profile
from data.raster.windows import Grid, windows
from data.raster.worlds import on_grid

if TYPE_CHECKING:
    import geopandas as gpd

MAX_PX = 2_000_000_000
"""Most pixels of a raster that is made from features: 45,000 x 45,000."""


def grid_around(frame: gpd.GeoDataFrame, resolution_m: float) -> Grid:
    """A grid in the UTM zone of the features' middle, aligned to whole pixels. Raises RasterError."""
    from pyproj.exceptions import CRSError
    from rasterio.crs import CRS

    try:
        crs = frame.estimate_utm_crs()
        west, south, east, north = frame.to_crs(crs).total_bounds / resolution_m
    except (CRSError, RuntimeError, ValueError):
        west = south = east = north = np.inf
    if not np.isfinite([west, south, east, north]).all():
        raise RasterError("The features lie in no UTM zone; give a raster whose grid is to be used.")
    left, top = np.floor(west), np.ceil(north)
    width, height = max(1, np.ceil(east) - left), max(1, top - np.floor(south))
    if width * height > MAX_PX:
        raise RasterError(
            f"Pixels of {resolution_m:g} m would make {width:,.0f} x {height:,.0f} of them; larger ones, or "
            "features of a smaller area, would do."
        )
    transform = Affine(resolution_m, 0, left * resolution_m, 0, -resolution_m, top * resolution_m)
    return Grid(CRS.from_wkt(crs.to_wkt()), transform, int(width), int(height))


def rasterize(
    frame: gpd.GeoDataFrame,
    values: Sequence[float] | None,
    grid: Grid,
    target: Path,
    *,
    all_touched: bool = False,
    description: str = "",
    tags: Mapping[str, str] | None = None,
) -> int:
    """Burn features, the later over the earlier, and say how many pixels got a value.

    Without `values` bytes, 1 inside and 0 outside; with them float32 (float64 where that loses digits), and
    nodata (not-a-number) outside. A polygon takes the pixels whose centre it holds, or all that it touches; a
    line and a point those that they pass through (GDAL's rasterizer). Window by window. Raises RasterError.
    """
    from rasterio import features
    from shapely import STRtree, box

    if grid.crs is None:
        raise RasterError(
            "The raster has no CRS, so features cannot be placed on it; place_raster gives it one."
        )
    shapes = on_grid(frame.geometry, grid)
    tree = STRtree(shapes)
    burnt = np.ones(len(shapes)) if values is None else np.asarray(values, dtype=np.float64)
    exact = bool((burnt.astype(np.float32) == burnt).all())
    dtype = "uint8" if values is None else "float32" if exact else "float64"
    outside: Any = 0 if values is None else np.nan
    profile = geotiff_profile(
        grid.width, grid.height, count=1, dtype=dtype, crs=grid.crs, transform=grid.transform,
        nodata=None if values is None else outside,
    )  # fmt: skip
    covered = 0
    with rasterio.open(target, "w", **profile) as writer:
        for window in windows(grid):
            place = grid.transform @ Affine.translation(window.col_off, window.row_off)
            corners = [place @ (x, y) for x in (0, window.width) for y in (0, window.height)]
            xs, ys = [x for x, _ in corners], [y for _, y in corners]
            near = np.sort(tree.query(box(min(xs), min(ys), max(xs), max(ys))))
            made = np.full((int(window.height), int(window.width)), outside, dtype)
            if len(near):
                pairs = [(shapes[at], burnt[at]) for at in near]
                features.rasterize(pairs, out=made, transform=place, all_touched=all_touched)
            covered += int((made != 0).sum() if values is None else np.isfinite(made).sum())
            writer.write(made, 1, window=window)
        if description:
            writer.set_band_description(1, description)
        writer.update_tags(**(tags or {}))
    return covered

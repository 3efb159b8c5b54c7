"""Values of a raster's bands at positions."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from data.raster.bands import band_names
from data.raster.errors import RasterError
from data.raster.files import opened
from data.raster.windows import Grid, Place, read_block
from data.raster.worlds import turns

_TILE_PX = 512


def sample(
    path: Path, lon: Sequence[float], lat: Sequence[float], numbers: Sequence[int] = ()
) -> tuple[NDArray[np.float64], list[str]]:
    """The pixel values at positions in degrees, (bands, points), and the bands' names.

    Not-a-number where the raster has none, or does not reach. The points are read tile by tile, so that many
    of them cost little more than the tiles that they lie in. Raises RasterError for a raster without a CRS.
    """
    from pyproj import Transformer
    from rasterio.windows import Window

    with opened(path) as source:
        if source.crs is None:
            raise RasterError(f"{path.name} has no coordinate system, so no position on the globe is in it.")
        chosen = tuple(numbers) or tuple(range(1, source.count + 1))
        known = band_names(source)
        names = [source.descriptions[each - 1] or known[each - 1] or f"band_{each}" for each in chosen]
        grid = Grid.of(source)
        x, y = Transformer.from_crs("EPSG:4326", source.crs, always_xy=True).transform(lon, lat)
        columns, rows, inside = _pixels(grid, np.asarray(x, float), np.asarray(y, float))
        found = np.full((len(chosen), len(inside)), np.nan)
        at_row = np.where(inside, rows, 0).astype(int)
        at_column = np.where(inside, columns, 0).astype(int)
        tiles = at_row // _TILE_PX * (grid.width // _TILE_PX + 1) + at_column // _TILE_PX
        for tile in np.unique(tiles[inside]):
            here = np.flatnonzero(inside & (tiles == tile))
            top, left = at_row[here].min(), at_column[here].min()
            window = Window(left, top, at_column[here].max() - left + 1, at_row[here].max() - top + 1)
            block = read_block(source, chosen, Place(grid, window))
            found[:, here] = block[:, at_row[here] - top, at_column[here] - left]
    return found, _unlike(names)


def _pixels(
    grid: Grid, x: NDArray[np.float64], y: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.bool_]]:
    """Columns, rows, and which of them the grid has, at whichever turn of the globe it does."""
    columns, rows, inside = np.zeros(len(x)), np.zeros(len(x)), np.zeros(len(x), dtype=bool)
    for turn in turns(grid):
        across, down = ~grid.transform @ (x + turn, y)
        here = (across >= 0) & (down >= 0) & (across < grid.width) & (down < grid.height) & ~inside
        columns[here], rows[here] = across[here], down[here]
        inside |= here
    return columns, rows, inside


def _unlike(names: Sequence[str]) -> list[str]:
    """Names of which no two are the same."""
    return [f"{name}_{at}" if names.index(name) < at else name for at, name in enumerate(names)]

"""Statistics of a raster inside zones: each zone by windows, so that a large one needs no more memory."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from affine import Affine
from rasterio.windows import Window

from data.raster.errors import RasterError
from data.raster.files import opened
from data.raster.scan import parts_of
from data.raster.stats import Collected, Histogram, valid
from data.raster.windows import Grid, Place, read_block
from data.raster.worlds import on_grid

if TYPE_CHECKING:
    import geopandas as gpd
    import rasterio
    from shapely.geometry.base import BaseGeometry

DEFAULT = ("count", "min", "max", "mean", "median", "std", "sum")
STATISTICS = (*DEFAULT, "range", "majority", "minority", "variety")
_PERCENTILE = re.compile(r"p(?:ercentile_)?(\d{1,3}(?:\.\d+)?)")
MOST_KINDS = 65_536
"""Of more different values than this there is no majority: the band is not one of classes."""

_EDGE_PX = 1e-6
"""An edge so near to a pixel's border lies on it."""


def percentile_of(name: str) -> float | None:
    """90 of "p90" and "percentile_90"; None for a name that is no percentile."""
    found = _PERCENTILE.fullmatch(name)
    return float(found[1]) if found and float(found[1]) <= 100 else None


def zonal_statistics(
    path: Path,
    zones: gpd.GeoDataFrame,
    statistics: Sequence[str] = DEFAULT,
    *,
    band: int = 1,
    all_touched: bool = False,
) -> list[dict[str, float | int | None]]:
    """One row of statistics a zone, in their order, over the valid pixels whose centres lie inside it.

    `zones` has a CRS; it is brought to the raster's. With `all_touched`, every pixel that a zone touches
    counts. Beside the wanted ones each row has `nodata`: pixels inside without a value. A zone beside the
    raster has the count 0 and None for the rest. Raises RasterError for a raster without a CRS, an unknown
    statistic or band.
    """
    for name in statistics:
        if name not in STATISTICS and percentile_of(name) is None:
            raise RasterError(
                f"There is no statistic {name[:40]!r}; there are {', '.join(STATISTICS)} and p1 to p99."
            )
    with ExitStack() as stack:
        source = stack.enter_context(opened(path))
        if source.crs is None:
            raise RasterError(f"{path.name} has no coordinate system, so zones cannot be laid over it.")
        if not 1 <= band <= source.count:
            raise RasterError(f"There is no band {band}: {path.name} has bands 1 to {source.count}.")
        placed = on_grid(zones.geometry, Grid.of(source))
        return [_zone(source, geometry, statistics, band, all_touched) for geometry in placed]


def zone_window(grid: Grid, geometry: BaseGeometry) -> Window | None:
    """The whole pixels under a geometry's box that the grid has; None where there are none."""
    if geometry is None or geometry.is_empty or not all(map(math.isfinite, geometry.bounds)):
        return None
    west, south, east, north = geometry.bounds
    corners = [~grid.transform @ (x, y) for x in (west, east) for y in (south, north)]
    left, right = _whole([column for column, _ in corners], grid.width)
    top, bottom = _whole([row for _, row in corners], grid.height)
    return Window(left, top, right - left, bottom - top) if right > left and bottom > top else None


def _whole(edges: list[float], size: int) -> tuple[int, int]:
    """The first pixel between two edges and the one after the last; one at least, for a point has a pixel."""
    first, last = math.floor(min(edges) + _EDGE_PX), math.ceil(max(edges) - _EDGE_PX)
    return max(0, first), min(size, max(last, first + 1))


def inside(grid: Grid, window: Window, geometry: BaseGeometry, all_touched: bool) -> Any:
    """Which pixels of a window lie in a geometry, as (rows, columns) of booleans."""
    from rasterio.features import geometry_mask

    return geometry_mask(
        [geometry],
        out_shape=(int(window.height), int(window.width)),
        transform=grid.transform @ Affine.translation(window.col_off, window.row_off),
        all_touched=all_touched,
        invert=True,
    )


def _zone(
    source: rasterio.DatasetReader,
    geometry: BaseGeometry,
    statistics: Sequence[str],
    band: int,
    all_touched: bool,
) -> dict[str, float | int | None]:
    grid = Grid.of(source)
    window = zone_window(grid, geometry)
    collected, kinds, missing = Collected(), _Kinds(), 0
    counted = any(name in ("majority", "minority", "variety") for name in statistics)
    for part in parts_of(grid, window) if window else ():
        chosen = inside(grid, part, geometry, all_touched)
        if not chosen.any():
            continue
        picked = read_block(source, (band,), Place(grid, part))[0][chosen]
        values = valid(picked)
        missing += picked.size - values.size
        collected.add(values)
        if counted:
            kinds.add(values)
    percents = {name: p for name in statistics if (p := _percent(name)) is not None}
    wanted = list(percents.values())
    ranks = _percentiles(source, geometry, band, all_touched, collected, wanted)
    found = dict(zip(percents, ranks, strict=True))
    row = {name: found[name] if name in found else _statistic(name, collected, kinds) for name in statistics}
    return {**row, "nodata": missing}


def _percent(name: str) -> float | None:
    return 50.0 if name == "median" else percentile_of(name)


def _statistic(name: str, collected: Collected, kinds: _Kinds) -> float | int | None:
    moments = collected.moments
    if name == "count":
        return moments.count
    if not moments.count:
        return None
    match name:
        case "min":
            return moments.minimum
        case "max":
            return moments.maximum
        case "mean":
            return moments.mean
        case "std":
            return moments.std
        case "sum":
            return moments.total
        case "range":
            return moments.maximum - moments.minimum
        case "majority":
            return kinds.most()
        case "minority":
            return kinds.least()
        case _:
            return kinds.number()


def _percentiles(
    source: rasterio.DatasetReader,
    geometry: BaseGeometry,
    band: int,
    all_touched: bool,
    collected: Collected,
    wanted: list[float],
) -> list[float | None]:
    if not wanted or not collected.moments.count:
        return [None] * len(wanted)
    if (values := collected.values) is not None:
        return [float(each) for each in np.percentile(values, wanted)]
    grid, moments = Grid.of(source), collected.moments
    window = zone_window(grid, geometry)
    whole = Histogram.of(np.empty(0), moments.minimum, moments.maximum)
    for part in parts_of(grid, window):
        picked = read_block(source, (band,), Place(grid, part))[0][inside(grid, part, geometry, all_touched)]
        whole = whole.joined(Histogram.of(valid(picked), moments.minimum, moments.maximum))
    return list(whole.percentiles(wanted))


class _Kinds:
    """How often each value comes, while there are not too many different ones."""

    def __init__(self) -> None:
        self.counts: dict[float, int] = {}
        self.too_many = False

    def add(self, values: Any) -> None:
        """Take some more values in."""
        if self.too_many:
            return
        kinds, counts = np.unique(values, return_counts=True)
        for value, count in zip(kinds.tolist(), counts.tolist(), strict=True):
            self.counts[value] = self.counts.get(value, 0) + count
        if len(self.counts) > MOST_KINDS:
            self.counts, self.too_many = {}, True

    def most(self) -> float | None:
        """The value that comes most often; of several, the smallest."""
        return min(self.counts, key=lambda value: (-self.counts[value], value), default=None)

    def least(self) -> float | None:
        """The value that comes least often; of several, the smallest."""
        return min(self.counts, key=lambda value: (self.counts[value], value), default=None)

    def number(self) -> int | None:
        """How many different values there are."""
        return None if self.too_many else len(self.counts)

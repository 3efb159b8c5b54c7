"""The distance of every pixel to the nearest of some pixels."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import IO, Any

import numpy as np
import rasterio
from numba import njit
from numpy.typing import NDArray
from rasterio.windows import Window

from data.raster.errors import RasterError
from data.raster.files import BLOCK_PX, geotiff_profile, opened
from data.raster.ground import metric
from data.raster.patches import COMPARE, Where
from data.raster.tally import Summary, Tally
from data.raster.windows import STRIP_PX, Grid, Place, read_block

_FAR = np.float32(np.inf)


def proximity(
    source: Path,
    target: Path,
    *,
    where: Where,
    band: int = 1,
    max_distance_m: float | None = None,
    tags: Mapping[str, str] | None = None,
) -> Summary:
    """Write each pixel's distance in metres, centre to centre, to the nearest pixel that meets `where`.

    Exact (Felzenszwalb and Huttenlocher 2012, Distance Transforms of Sampled Functions, Theory of Computing
    8): down and up the columns, then the lower envelope of parabolas along each row, in two passes over
    strips of which the first lies in a file in between. Farther than `max_distance_m` is nodata. Needs a
    projected raster. Raises RasterError when no pixel meets the condition.
    """
    tally = Tally()
    with opened(source) as reader, tempfile.TemporaryFile(dir=target.parent) as between:
        grid = Grid.of(reader)
        width, height = metric(grid, "proximity")
        rows = max(BLOCK_PX, STRIP_PX // grid.width // BLOCK_PX * BLOCK_PX)
        strips = [
            Window(0, row, grid.width, min(rows, grid.height - row)) for row in range(0, grid.height, rows)
        ]
        if not _downwards(reader, band, grid, strips, COMPARE[where.sign], where.value, between):
            raise RasterError(f"No pixel of {source.name} is {where}, so there is nothing to measure from.")
        profile = geotiff_profile(
            grid.width, grid.height, count=1, dtype="float32", nodata=float("nan"), crs=grid.crs,
            transform=grid.transform,
        )  # fmt: skip
        with rasterio.open(target, "w", **profile) as writer:
            below = np.full(grid.width, _FAR, np.float32)
            for window in reversed(strips):
                shape = (int(window.height), grid.width)
                between.seek(int(window.row_off) * grid.width * 4)
                steps = np.frombuffer(between.read(shape[0] * shape[1] * 4), np.float32).reshape(shape).copy()
                _upwards(steps, below)
                made = _across(steps, height, width, float(max_distance_m or np.inf))
                tally.add(Place(grid, window), made)
                writer.write(made, 1, window=window)
            writer.set_band_description(1, "distance")
            writer.units = ("m",)
            writer.update_tags(**(tags or {}))
    return tally.result()


def _downwards(
    reader: rasterio.DatasetReader,
    band: int,
    grid: Grid,
    strips: list[Window],
    compare: Callable[[Any, float], Any],
    value: float,
    between: IO[bytes],
) -> bool:
    """Write how many rows above each pixel the nearest one in its column lies; whether there is any."""
    above, found = np.full(grid.width, _FAR, np.float32), False
    for window in strips:
        values = read_block(reader, (band,), Place(grid, window))[0]
        hits: NDArray[np.bool_] = compare(values, value) & np.isfinite(values)
        found = found or bool(hits.any())
        between.write(_down(hits, above).tobytes())
    return found


@njit(cache=True, nogil=True)
def _down(hits: Any, above: Any) -> Any:
    steps = np.empty(hits.shape, np.float32)
    for i in range(hits.shape[0]):
        for j in range(hits.shape[1]):
            above[j] = np.float32(0.0) if hits[i, j] else above[j] + np.float32(1.0)
            steps[i, j] = above[j]
    return steps


@njit(cache=True, nogil=True)
def _upwards(steps: Any, below: Any) -> None:
    """Make the rows to the nearest above those to the nearest above or below; `below` goes up with them."""
    for i in range(steps.shape[0] - 1, -1, -1):
        for j in range(steps.shape[1]):
            below[j] = min(steps[i, j], below[j] + np.float32(1.0))
            steps[i, j] = below[j]


@njit(cache=True, nogil=True)
def _across(steps: Any, height: float, width: float, reach: float) -> Any:
    """From the metres along the columns to those in any direction: the lowest parabola over each pixel."""
    rows, columns = steps.shape
    made = np.empty(steps.shape, np.float32)
    apex = np.empty(columns, np.int64)
    depth = np.empty(columns)
    start = np.empty(columns + 1)
    ratio = (height / width) ** 2
    for i in range(rows):
        count = 0
        for j in range(columns):
            if steps[i, j] == np.inf:
                continue
            low = ratio * float(steps[i, j]) ** 2
            meet = -np.inf
            while count:
                last = apex[count - 1]
                meet = (low - depth[count - 1] + float(j * j - last * last)) / (2.0 * (j - last))
                if meet > start[count - 1]:
                    break
                count -= 1
                meet = -np.inf
            apex[count], depth[count], start[count] = j, low, meet
            count += 1
        k = 0
        for j in range(columns):
            if count == 0:
                made[i, j] = np.nan
                continue
            while k + 1 < count and start[k + 1] <= j:
                k += 1
            away = width * np.sqrt((j - apex[k]) ** 2 + depth[k])
            made[i, j] = away if away <= reach else np.nan
    return made

"""Read rasters strip by strip and compute on each, where the answer is numbers and not another raster."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import TypeVar

import rasterio
from rasterio.windows import Window

from data.raster.files import opened
from data.raster.windows import STRIP_PX, THREADS, Band, Block, Grid, Place, read_block, windows

T = TypeVar("T")


def scan(
    source: Path | Band,
    function: Callable[[Block, Place], T],
    *,
    within: Window | None = None,
    pixels: int = STRIP_PX,
    read: Callable[[rasterio.DatasetReader, Sequence[int] | None, Place], Block] = read_block,
) -> Iterator[T]:
    """What `function` makes of each block of a raster, or of its part `within`, from the top.

    `read` gives the blocks: where left out, as floating point with not-a-number for nodata. The caller's
    thread reads while a few others compute; the results come in the order of the blocks.
    """
    band = source if isinstance(source, Band) else Band(source)
    with ExitStack() as stack:
        reader = stack.enter_context(opened(band.path))
        grid = Grid.of(reader)
        pool = stack.enter_context(ThreadPoolExecutor(THREADS, thread_name_prefix="raster"))
        waiting: deque[Future[T]] = deque()
        for window in parts_of(grid, within, pixels):
            place = Place(grid, window)
            waiting.append(pool.submit(function, read(reader, band.numbers, place), place))
            if len(waiting) > THREADS:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()


def parts_of(grid: Grid, within: Window | None, pixels: int = STRIP_PX) -> Iterator[Window]:
    """The windows of a grid, or of its part `within`, at most about `pixels` each."""
    if within is None:
        yield from windows(grid, pixels)
        return
    part = Grid(grid.crs, grid.transform, int(within.width), int(within.height))
    for window in windows(part, pixels):
        yield Window(
            window.col_off + within.col_off, window.row_off + within.row_off, window.width, window.height
        )


def batches(numbers: Sequence[int], most: int) -> Iterator[tuple[int, ...]]:
    """Band numbers, so many at a time."""
    for start in range(0, len(numbers), most):
        yield tuple(numbers[start : start + most])

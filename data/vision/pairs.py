"""Two images of one place: brought onto one grid as they are read, and samples of both."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from rasterio.windows import Window

    from data.raster.windows import Band, Grid

_SIDE_PX = 512
_MOST = 25


def spread_windows(grid: Grid, most: int = _MOST, side: int = _SIDE_PX) -> Iterator[Window]:
    """Up to `most` windows of `side` pixels spread over the grid; all of it where it is no larger."""
    from rasterio.windows import Window

    rows, columns = -(-grid.height // side), -(-grid.width // side)
    every = [(row * side, column * side) for row in range(rows) for column in range(columns)]
    step = max(1.0, len(every) / most)
    for at in range(min(most, len(every))):
        row, column = every[int(at * step)]
        yield Window(column, row, min(side, grid.width - column), min(side, grid.height - row))


def pair_samples(sources: Sequence[Band], most: int = _MOST) -> Iterator[list[NDArray[Any]]]:
    """The blocks of all sources in windows spread over the first one's grid: (bands, rows, columns) each."""
    from data.raster.windows import Grid, Place, read_block, reader_of

    with ExitStack() as stack:
        readers = [reader_of(stack, each) for each in sources]
        grid = Grid.of(readers[0])
        for window in spread_windows(grid, most):
            yield [
                read_block(reader, band.numbers, Place(grid, window))
                for reader, band in zip(readers, sources, strict=True)
            ]


def finite_all(blocks: Sequence[NDArray[Any]]) -> NDArray[np.bool_]:
    """(rows, columns): where every band of every block has a value."""
    known = np.isfinite(blocks[0]).all(axis=0)
    for block in blocks[1:]:
        known &= np.isfinite(block).all(axis=0)
    return np.asarray(known)

"""Make one raster's values look as another's: the same share of pixels below each value."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from data.raster.copying import describe_like
from data.raster.errors import RasterError
from data.raster.files import opened
from data.raster.stats import Histogram, band_histogram, band_stats, whole_counts
from data.raster.windows import Band, Block, Place, compute


def match_histogram(path: Path, reference: Path, target: Path) -> None:
    """Write `path` with each band's histogram brought to that of the same band of `reference`.

    A value goes to the one of the reference that as many percent of the pixels lie below (Gonzalez and Woods,
    Digital Image Processing, 3.3.2), between two of them in proportion, as scikit-image's match_histograms
    does. Whole numbers are exact up to 16 bits, and others to 1/65,536 of the range. A reference of one band
    serves all. Raises RasterError for other numbers of bands, or a band without values.
    """
    with opened(path) as source, opened(reference) as other:
        if other.count not in (1, source.count):
            raise RasterError(
                f"The reference must have one band, or as many as the raster: {reference.name} has "
                f"{other.count} and {path.name} {source.count}."
            )
        count, dtype, nodata = source.count, source.dtypes[0], source.nodata
        ones = [1] * count if other.count == 1 else list(range(1, count + 1))
    tables = [_table(path, number, reference, ones[number - 1]) for number in range(1, count + 1)]
    whole = np.dtype(dtype).kind in "iu"
    out, empty = (dtype, nodata) if whole and nodata is not None else ("float32", float("nan"))

    def function(blocks: list[Block], _: Place) -> Block:
        made = [_looked_up(block, *table) for block, table in zip(blocks[0], tables, strict=True)]
        return np.stack(made)

    compute([Band(path)], target, function, count=count, dtype=out, nodata=empty)
    import rasterio

    with opened(path) as source, rasterio.open(target, "r+") as made:
        describe_like(made, source, range(1, count + 1))


def _table(path: Path, number: int, reference: Path, other: int) -> tuple[float, float, NDArray[np.float64]]:
    """The least value, the width of a bin and what the middle of each bin becomes."""
    own, wanted = _histogram(path, number), _histogram(reference, other)
    mine, theirs = np.cumsum(own.counts) / own.counts.sum(), np.cumsum(wanted.counts) / wanted.counts.sum()
    there = wanted.counts > 0
    width = (own.high - own.low) / own.counts.size
    return own.low, width, np.interp(mine, theirs[there], _middles(wanted)[there])


def _histogram(path: Path, number: int) -> Histogram:
    if (whole := whole_counts(path, number)) is not None:
        there = np.flatnonzero(whole.counts)
        if there.size:  # a bin a number, the number in its middle
            first, last = int(there[0]), int(there[-1])
            edges = first + whole.low - 0.5, last + whole.low + 0.5
            return Histogram(*edges, whole.counts[first : last + 1])
    found = band_stats(path, number, ())
    if not found.moments.count:
        raise RasterError(f"Band {number} of {path.name} has no valid pixel, so there is nothing to match.")
    low, high = found.moments.minimum, found.moments.maximum
    return band_histogram(path, number, low, high)


def _middles(histogram: Histogram) -> NDArray[np.float64]:
    edges = histogram.edges
    return (edges[:-1] + edges[1:]) / 2


def _looked_up(block: Block, low: float, width: float, table: NDArray[np.float64]) -> Block:
    kind = block.dtype.type
    made: Block = _take(block, kind(low), kind(width or 1.0), table.astype(block.dtype))
    return made


@njit(cache=True, nogil=True)
def _take(block: Any, low: Any, width: Any, table: Any) -> Any:
    """What the bin of each value becomes; not-a-number stays."""
    made = np.empty_like(block)
    last = len(table) - 1
    for i in range(block.shape[0]):
        for j in range(block.shape[1]):
            at = (block[i, j] - low) / width
            made[i, j] = table[int(min(max(at, 0), last))] if at == at else np.nan
    return made

"""Fill the holes of a raster from what lies around them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from data.raster.files import opened
from data.raster.windows import Band, Block, Place, compute


@dataclass(frozen=True)
class Filled:
    """How many pixels had no value, and how many still have none."""

    holes_px: int
    left_px: int


def fill_nodata(
    source: Path,
    target: Path,
    *,
    max_distance_px: int = 100,
    smoothing: int = 0,
    tags: Mapping[str, str] | None = None,
) -> Filled:
    """Interpolate pixels without a value from those with one, at most `max_distance_px` away, in all bands.

    Inverse-distance weighting of the nearest values in four directions, then `smoothing` passes of a 3 x 3
    mean over what was filled (GDAL's fillnodata). Parts without holes are left out; each with some sees a
    margin as wide as the search, so that seams do not show. Raises RasterError.
    """
    with opened(source) as reader:
        count, dtype, nodata = reader.count, reader.dtypes[0], reader.nodata
        descriptions = [text or "" for text in reader.descriptions]
    floating = np.dtype(dtype).kind == "f"
    counts: list[tuple[int, int]] = []
    halo = max_distance_px + smoothing + 1
    inside = (slice(halo, -halo), slice(halo, -halo))

    def fill(blocks: list[Block], place: Place) -> NDArray[Any]:
        made = blocks[0].copy()
        own = _within(place, made.shape[1:])
        for read, values in zip(blocks[0], made, strict=True):
            holes = ~np.isfinite(read[inside])
            left = 0
            for rows, columns in _parts(holes, halo):
                around = _grown(rows, halo, own[0]), _grown(columns, halo, own[1])
                filled = _filled(read[around], max_distance_px, smoothing)
                values[rows, columns] = filled[_from(rows, around[0]), _from(columns, around[1])]
                left += int((~np.isfinite(values[rows, columns])).sum())
            counts.append((int(holes.sum()), left))
        return made

    compute(
        [Band(source)],
        target,
        fill,
        halo=halo,
        count=count,
        dtype=dtype,
        nodata=float("nan") if floating and nodata is None else nodata,
        descriptions=descriptions,
        tags=tags,
    )
    return Filled(sum(holes for holes, _ in counts), sum(left for _, left in counts))


_UNREACHED = np.float32(-3.0e38)
"""What pixels to fill come in with: GDAL leaves it where it reaches no value."""


def _filled(values: NDArray[Any], max_distance_px: int, smoothing: int) -> NDArray[Any]:
    from rasterio.fill import fillnodata

    known = np.isfinite(values)
    if not known.any():
        return values
    image = np.where(known, values, _UNREACHED).astype(np.float32)
    made: NDArray[Any] = fillnodata(image, known.astype(np.uint8), max_distance_px, smoothing)
    made[made == _UNREACHED] = np.nan
    return np.where(known, values, made)


def _parts(holes: NDArray[np.bool_], halo: int) -> Iterator[tuple[slice, slice]]:
    """The parts of a block, counted with its margin, that have holes: a few columns wide or many in a row."""
    with_hole = np.flatnonzero(holes.any(axis=0))
    for columns in np.split(with_hole, np.flatnonzero(np.diff(with_hole) > 2 * halo) + 1):
        if columns.size:
            first, last = int(columns[0]), int(columns[-1]) + 1
            rows = np.flatnonzero(holes[:, first:last].any(axis=1))
            yield slice(int(rows[0]) + halo, int(rows[-1]) + 1 + halo), slice(first + halo, last + halo)


def _grown(part: slice, halo: int, within: slice) -> slice:
    return slice(max(within.start, part.start - halo), min(within.stop, part.stop + halo))


def _from(part: slice, around: slice) -> slice:
    """A part's place in the larger one around it."""
    return slice(part.start - around.start, part.stop - around.start)


def _within(place: Place, shape: tuple[int, ...]) -> tuple[slice, slice]:
    """The part of a block that lies on the raster: a margin beyond its edge is none of its holes."""
    rows = slice(max(0, -place.first_row), min(shape[0], place.grid.height - place.first_row))
    columns = slice(max(0, -place.first_column), min(shape[1], place.grid.width - place.first_column))
    return rows, columns

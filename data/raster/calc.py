"""Compute an expression over the bands of one or several rasters into a new one."""

from __future__ import annotations

import string
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np

from data.raster.areas import row_areas_m2
from data.raster.bands import band_names
from data.raster.errors import RasterError
from data.raster.expression import Expression, parse
from data.raster.files import opened
from data.raster.stats import Moments, Tally, finite
from data.raster.windows import Band, Block, Grid, Place, compute, grid_of

MOST_RASTERS = 10
DTYPES = ("float32", "float64", "uint8", "int16", "uint16", "int32", "uint32")
_NODATA = {"uint8": 255, "int16": -32768, "uint16": 65535, "int32": -(2**31), "uint32": 2**32 - 1}
"""What marks missing pixels in whole numbers: the value at the end that is used least."""


@dataclass(frozen=True)
class Calculated:
    """What an expression gave."""

    expression: Expression
    moments: Moments
    true_ha: float | None
    """Where the result is yes or no, the geodesic area of yes, hectares."""


def calculate(
    paths: Sequence[Path],
    text: str,
    target: Path,
    *,
    dtype: str | None = None,
    resampling: str = "nearest",
    tags: Mapping[str, str] | None = None,
) -> Calculated:
    """Write an expression over rasters: A is the first one's band 1, B the second's, b4 the first's band 4.

    The result lies on the first raster's grid; the others are brought onto it. It is float32, or 0 and 1 as
    uint8 for a condition, unless `dtype` says otherwise. A pixel that is missing in a band that is used, and
    one that is divided by nought, is nodata. Raises RasterError.
    """
    places = names_of(paths)
    expression = parse(text, frozenset(places))
    if not expression.names:
        raise RasterError(f"The expression {text[:80]!r} names no band; there are {', '.join(places)[:80]}.")
    used = [places[name] for name in expression.names]
    grid = grid_of(paths[0])
    sources, at = _sources(paths, used, grid, resampling)
    tally, yes = Tally(), _Area(grid if expression.is_condition else None)

    def function(blocks: list[Block], place: Place) -> Block:
        values = {name: blocks[i][j] for name, (i, j) in zip(expression.names, at, strict=True)}
        result = np.broadcast_to(expression.evaluate(values), blocks[0].shape[1:])
        result = finite(result.astype(_working(result, dtype), copy=True))
        for band in values.values():
            result[np.isnan(band)] = np.nan
        yes.add(result, place)
        return tally.count(result, place)

    kind = dtype or ("uint8" if expression.is_condition else "float32")
    nodata = float(_NODATA.get(kind, np.nan))
    compute(sources, target, function, dtype=kind, nodata=nodata, descriptions=(expression.text,), tags=tags)
    return Calculated(expression, tally.moments, yes.hectares)


def names_of(paths: Sequence[Path]) -> dict[str, tuple[int, int]]:
    """What each name stands for: (raster, band), the raster from 0, the band from 1.

    Letters are rasters (A is also A1), b1 to bn the bands of the first; and so are the colours that its
    bands are named by. B4 is band 4 of the second raster, or of the only one.
    """
    found: dict[str, tuple[int, int]] = {}
    for raster, (letter, path) in enumerate(zip(string.ascii_uppercase, paths, strict=False)):
        with opened(path) as source:
            names, count = band_names(source), source.count
            said = [(each or "").strip().lower() for each in source.descriptions]
        found[letter] = (raster, 1)
        found.update({f"{letter}{band}": (raster, band) for band in range(1, count + 1)})
        if raster == 0:
            found.update({f"b{band}": (0, band) for band in range(1, count + 1)})
            if len(paths) == 1:
                found.update({f"B{band}": (0, band) for band in range(1, count + 1)})
            for band, known in enumerate(zip(names, said, strict=True), start=1):
                found.update({each: (0, band) for each in known if each and each.isidentifier()})
    return found


class _Area:
    """The ground that a condition is true on, added up by rows."""

    def __init__(self, grid: Grid | None) -> None:
        self._rows = row_areas_m2(grid) if grid is not None and grid.crs is not None else None
        self._parts: dict[tuple[int, int], float] = {}
        self._lock = Lock()

    def add(self, block: Block, place: Place) -> None:
        """Take in a block of 0, 1 and not-a-number."""
        if self._rows is None:
            return
        rows = self._rows[place.first_row : place.first_row + block.shape[0]]
        part = float(np.nansum(block, axis=1, dtype=np.float64) @ rows)
        with self._lock:
            self._parts[place.first_row, place.first_column] = part

    @property
    def hectares(self) -> float | None:
        """All blocks together, added from the top."""
        if self._rows is None:
            return None
        total = sum(part for _, part in sorted(self._parts.items()))
        return total / 10_000 if np.isfinite(total) else None


def _sources(
    paths: Sequence[Path], used: Sequence[tuple[int, int]], grid: Grid, resampling: str
) -> tuple[list[Band], list[tuple[int, int]]]:
    """The bands to read, by raster, and where each used one is found among them: (block, row of it)."""
    rasters = sorted({0, *(raster for raster, _ in used)})
    wanted = {each: sorted({band for raster, band in used if raster == each}) or [1] for each in rasters}
    sources = [Band(paths[each], tuple(wanted[each]), grid, resampling) for each in rasters]
    return sources, [(rasters.index(raster), wanted[raster].index(band)) for raster, band in used]


def _working(result: Any, dtype: str | None) -> np.dtype[Any]:
    """The precision that a result is kept in until it is written."""
    wide = result.dtype == np.float64 or dtype in ("float64", "int32", "uint32")
    return np.dtype(np.float64 if wide else np.float32)

"""Count, mean, least and greatest of what is computed block by block, without reading it again."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from data.raster.windows import Place


@dataclass(frozen=True)
class Summary:
    """The values of a raster in five numbers; not-a-number where there is none."""

    count: int
    mean: float
    least: float
    greatest: float

    def facts(self) -> dict[str, float | int | None]:
        """The numbers as plain JSON; None for what is not there."""
        plain = {"mean": self.mean, "min": self.least, "max": self.greatest}
        return {
            "valid_px": self.count,
            **{key: value if math.isfinite(value) else None for key, value in plain.items()},
        }


@dataclass
class Tally:
    """Adds blocks up in any order, from any thread, to the same sum."""

    parts: dict[tuple[int, int], tuple[int, float, float, float]] = field(default_factory=dict)

    def add(self, place: Place, values: NDArray[Any]) -> None:
        """Take in a block (rows, columns) with its margin; not-a-number does not count."""
        halo = place.halo
        inner = values[halo : values.shape[0] - halo, halo : values.shape[1] - halo]
        self.parts[int(place.window.row_off), int(place.window.col_off)] = _four(inner)

    def result(self) -> Summary:
        """All blocks together; the sum is taken from the top, so that it never depends on the threads."""
        parts = [self.parts[key] for key in sorted(self.parts)]
        count = sum(part[0] for part in parts)
        if count == 0:
            return Summary(0, math.nan, math.nan, math.nan)
        total = math.fsum(part[1] for part in parts)
        return Summary(count, total / count, min(part[2] for part in parts), max(part[3] for part in parts))


@njit(cache=True, nogil=True)
def _four(values: Any) -> tuple[int, float, float, float]:
    count, total, least, greatest = 0, 0.0, np.inf, -np.inf
    for i in range(values.shape[0]):
        row = 0.0
        for j in range(values.shape[1]):
            value = values[i, j]
            if value == value:
                count += 1
                row += value
                least = min(least, value)
                greatest = max(greatest, value)
        total += row
    return count, total, least, greatest

"""Numbers put into classes. mapclassify (BSD-3-Clause) finds the same, which the tests hold this to.

It is not used here since importing it takes four seconds, in which it compiles one function.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import date, datetime
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import pandas as pd

Method = Literal["equal_interval", "quantile", "natural_breaks", "standard_deviation", "pretty"]
MOST_VALUES = 2000
"""Natural breaks take time and memory with the square of the values: more are thinned to so many, by rank."""
_DAY_S = 86_400
_FIRST_DAY = date(1970, 1, 1).toordinal()


def breaks_of(values: NDArray[np.float64], method: Method, count: int) -> tuple[float, ...]:
    """The edges of at most `count` classes, ascending: the least value, then the upper end of each class.

    A value on an edge is of the class below it. There are fewer classes where fewer values differ, or where
    an edge would lie outside them; pretty ones may be a few more or less. Values are finite, one at least.
    """
    ordered = np.sort(values)
    low, high = float(ordered[0]), float(ordered[-1])
    count = min(count, len(np.unique(ordered)))
    if count < 2:
        return (low, high)
    if method == "pretty":
        return _pretty(low, high, count)
    if method == "equal_interval":
        inner = np.linspace(low, high, count + 1)[1:-1]
    elif method == "quantile":
        inner = np.quantile(ordered, np.arange(1, count) / count)
    elif method == "natural_breaks":
        inner = _natural(_thinned(ordered), count)
    else:
        # A standard deviation a class, evenly around the mean.
        inner = ordered.mean() + ordered.std(ddof=1) * (np.arange(count - 1) - (count - 2) / 2)
    kept = [float(each) for each in inner if low <= each < high]
    return (low, *dict.fromkeys(kept), high)


def _natural(ordered: NDArray[np.float64], count: int) -> NDArray[np.float64]:
    """The upper ends of all classes but the last, whose squared distances to their means sum to the least.

    That is Fisher's exact optimum (1958), which Jenks' method aims at, found class by class.
    """
    scaled = (ordered - ordered.mean()) / ordered.std()
    size = len(scaled)
    sums = np.concatenate([[0.0], np.cumsum(scaled)])
    squares = np.concatenate([[0.0], np.cumsum(scaled**2)])
    # cost[i, j]: of one class of the values i to j.
    first, last = np.arange(size)[:, None], np.arange(1, size + 1)[None, :]
    held = np.maximum(last - first, 1)
    cost = squares[last] - squares[first] - (sums[last] - sums[first]) ** 2 / held
    cost[last <= first] = np.inf
    best, starts = cost[0], []
    for _ in range(1, count):
        with_start = np.concatenate([[np.inf], best[:-1]])[:, None] + cost
        starts.append(np.argmin(with_start, axis=0))
        best = with_start[starts[-1], np.arange(size)]
    ends, at = [], size - 1
    for start in reversed(starts):
        at = int(start[at]) - 1
        ends.append(at)
    return ordered[ends[::-1]]


def _pretty(low: float, high: float, count: int) -> tuple[float, ...]:
    """Multiples of 1, 2 or 5 times a power of ten, from below the least to above the greatest."""
    rough = (high - low) / count
    power = 10.0 ** math.floor(math.log10(rough))
    step = min((factor * power for factor in (1, 2, 5, 10)), key=lambda each: abs(each - rough))
    # An inverse is exact where the step is a power of ten below one: 3 / 10 is 0.3, and 3 * 0.1 is not.
    scale = round(1 / step, 12) if step < 1 else 0
    first, last = math.floor(low / step), math.ceil(high / step)
    return tuple(each / scale if scale else each * step for each in range(first, last + 1))


def _thinned(ordered: NDArray[np.float64]) -> NDArray[np.float64]:
    if len(ordered) <= MOST_VALUES:
        return ordered
    kept: NDArray[np.float64] = ordered[np.linspace(0, len(ordered) - 1, MOST_VALUES).round().astype(int)]
    return kept


def repeated(
    values: Sequence[float], counts: Sequence[int], most: int = 10 * MOST_VALUES
) -> NDArray[np.float64]:
    """Each value as often as it is counted, ascending; of more than `most` so many, evenly by rank."""
    order = np.argsort(values, kind="stable")
    ordered = np.asarray(values, dtype=np.float64)[order]
    ends = np.cumsum(np.asarray(counts, dtype=np.int64)[order])
    total = int(ends[-1])
    ranks = np.arange(total) if total <= most else np.linspace(0, total - 1, most).round()
    found: NDArray[np.float64] = ordered[np.searchsorted(ends, ranks, side="right")]
    return found


def numbers_of(column: pd.Series) -> NDArray[np.float64]:
    """The finite numbers of a column; of times, days since 1970 (UTC)."""
    return np.array([number for each in column if (number := number_of_value(each)) is not None], dtype=float)


def number_of_value(value: object) -> float | None:
    """A cell as a number: of a time its days since 1970, UTC; None where it has none that is finite."""
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, date) and not isinstance(value, datetime):
        return float(value.toordinal() - _FIRST_DAY)
    stamp = getattr(value, "timestamp", None)
    try:
        found = float(stamp()) / _DAY_S if stamp is not None else float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        return None
    return found if math.isfinite(found) else None

"""Random integers that are the same on every machine and in every NumPy.

Only the raw 64-bit words of PCG64 are used, which NumPy keeps fixed, and integer arithmetic on
them: no floating-point function whose last bit is the processor's choice.
"""

from __future__ import annotations

import numpy as np
from numpy.random import PCG64, SeedSequence
from numpy.typing import NDArray

Ints = NDArray[np.int64]


class Draw:
    """A stream of random integers that belongs to one seed and key."""

    def __init__(self, *key: int) -> None:
        self._bits = PCG64(SeedSequence(key))

    def below(self, limit: int | Ints, size: int) -> Ints:
        """`size` integers in 0 .. limit-1; each limit must be in 1 .. 2**31."""
        words = np.asarray(self._bits.random_raw(size), dtype=np.uint64) >> np.uint64(32)
        return (words * np.asarray(limit).astype(np.uint64) >> np.uint64(32)).astype(np.int64)

    def between(self, low: int, high: int, size: int) -> Ints:
        """`size` integers in low .. high, both included."""
        return self.below(high - low + 1, size) + low

    def scatter(self, reach: int | Ints, size: int) -> Ints:
        """`size` integers in -reach .. reach, most of them near 0."""
        span = np.asarray(reach, dtype=np.int64) + 1
        return self.below(span, size) - self.below(span, size)

    def pick(self, weights: Ints, size: int) -> Ints:
        """`size` positions of `weights`, each as often as its weight says."""
        ends = np.cumsum(weights)
        return np.searchsorted(ends, self.below(int(ends[-1]), size), side="right").astype(np.int64)

    def shuffled(self, values: Ints) -> Ints:
        """`values` in random order."""
        return values[np.argsort(self._bits.random_raw(len(values)), kind="stable")]


def shares(total: int, weights: Ints) -> Ints:
    """`total` cut into whole parts in proportion to `weights`; the parts add up to it."""
    ends = np.cumsum(weights) * total // int(weights.sum())
    return np.diff(ends, prepend=0)

"""How far what is said of pixels agrees with the truth: the confusion table, and intersection over union."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray


def confusion(truth: NDArray[Any], said: NDArray[Any], classes: int) -> NDArray[np.int64]:
    """(classes, classes + 1) of pixels by class number from 0: rows what is true, columns what was said.

    Pixels whose truth is no class are left out; the last column is of those of which no class was said.
    """
    known = (truth >= 0) & (truth < classes)
    true, answers = truth[known].astype(np.int64), said[known].astype(np.int64)
    answers = np.where((answers >= 0) & (answers < classes), answers, classes)
    pairs = true * (classes + 1) + answers
    return np.bincount(pairs, minlength=classes * (classes + 1)).reshape(classes, classes + 1)


def intersections(table: NDArray[np.int64], names: Sequence[str]) -> dict[str, float]:
    """Intersection over union of each class that the truth has, of a table of `confusion`."""
    both = np.diagonal(table)
    either = table.sum(axis=1) + table.sum(axis=0)[: len(both)] - both
    return {name: float(both[at] / either[at]) for at, name in enumerate(names) if table[at].any()}


def right(table: NDArray[np.int64]) -> float:
    """The share of the pixels of a table of `confusion` of which the true class was said."""
    return float(np.diagonal(table).sum() / table.sum())

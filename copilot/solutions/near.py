"""Which known phrases a request is near to in the tuned encoder's space: their tasks vote.

Nearest neighbours beside a classifier as in kNN-LM (Khandelwal et al. 2020, arXiv:1911.00172): a turn of
phrase that was seen once keeps its say where a single direction for each task would average it away.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from copilot.planner.encoder import Floats

WIDTH = 96
"""Principal axes that are kept of the encoder's 384: a quarter of the file, and as good on unseen phrases."""
NEAREST = 12
NEARNESS = np.float32(0.05)
"""The difference of two cosines at which the nearer phrase counts e times the other."""
_STEPS = 127


@dataclass(frozen=True)
class Neighbours:
    """The known phrases' places and tasks."""

    middle: Floats
    """(384,): the mean of the known phrases' vectors."""
    axes: Floats
    """(384, WIDTH)."""
    places: NDArray[np.int8]
    """(phrases, WIDTH): along the axes, in steps of `step`."""
    step: Floats
    """()."""
    tasks: NDArray[np.uint8]
    """(phrases,): the numbers of their tasks."""
    _known: Floats = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_known", self.places.T * np.float32(self.step))

    def votes(self, vectors: Floats, tasks: int) -> Floats:
        """(texts, tasks): the share of each task among the phrases nearest to vectors (texts, 384)."""
        centred: Floats = np.subtract(vectors, self.middle)
        near = _unit(centred @ self.axes) @ self._known
        best = np.argpartition(-near, NEAREST - 1, axis=1)[:, :NEAREST]
        cosines = np.take_along_axis(near, best, axis=1)
        weight = np.exp((cosines - cosines.max(axis=1, keepdims=True)) / NEARNESS)
        found = np.zeros((len(vectors), tasks), np.float32)
        np.add.at(found, (np.arange(len(vectors))[:, None], self.tasks[best]), weight)
        shares: Floats = found / found.sum(axis=1, keepdims=True)
        return shares

    def stored(self) -> dict[str, NDArray[Any]]:
        """What `read` reads."""
        return {
            "near_middle": self.middle,
            "near_axes": self.axes.astype(np.float16),
            "near_places": self.places,
            "near_step": self.step,
            "near_tasks": self.tasks,
        }

    @classmethod
    def read(cls, stored: Mapping[str, NDArray[Any]]) -> Neighbours:
        """From a file's arrays. Raises KeyError when one is missing."""
        return cls(
            stored["near_middle"],
            stored["near_axes"].astype(np.float32),
            stored["near_places"],
            stored["near_step"],
            stored["near_tasks"],
        )


def neighbours(vectors: Floats, tasks: NDArray[np.intp]) -> Neighbours:
    """The known phrases of these vectors (phrases, 384) and numbers of tasks, reduced to what is kept."""
    middle = vectors.mean(axis=0)
    centred = vectors - middle
    axes = np.linalg.eigh(centred.T @ centred)[1][:, ::-1][:, :WIDTH]
    axes = axes.astype(np.float16).astype(np.float32)  # as it is stored
    places = _unit(centred @ axes)
    step = np.float32(np.abs(places).max() / _STEPS)
    kept = np.round(places / step).astype(np.int8)
    return Neighbours(middle, axes, kept, np.asarray(step), tasks.astype(np.uint8))


def _unit(rows: Floats) -> Floats:
    unit: Floats = rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), np.float32(1e-9))
    return unit

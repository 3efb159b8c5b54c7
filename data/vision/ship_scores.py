"""How like a ship a bright patch is: trees over what is measured of it, and the share that was right."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from data.vision.ship_patches import FEATURES, Patch

WEIGHTS = Path(__file__).resolve().parents[1] / "models" / "weights" / "ships-cfar.txt"
"""As LightGBM writes it (Ke et al. 2017, NeurIPS 30); read here, since importing LightGBM takes seconds."""
CALIBRATION = WEIGHTS.with_suffix(".json")
"""Likeness to share of ships among rendered patches of it, kept out of training (a logistic curve: Platt
1999, Probabilistic outputs for support vector machines, in Advances in Large Margin Classifiers, 61-74)."""


_LONE = {
    "contrast_db": (15.0, np.inf), "far_side_high_db": (-np.inf, 4.0), "far_end_high_db": (-np.inf, 4.0),
    "near_side_high_db": (-np.inf, 10.0), "width_m": (0.0, 80.0), "length_m": (15.0, np.inf),
    "drawn_out": (1.3, np.inf), "around_150_water": (0.8, np.inf),
}  # fmt: skip
_LONE_BRIGHT = 3.0
"""Times its own area: more bright pixels than that within 150 m are no lone target."""


@dataclass(frozen=True)
class Trees:
    """Gradient-boosted trees side by side: (trees, nodes), and (trees, leaves) of values."""

    feature: NDArray[np.int64]
    threshold: NDArray[np.float64]
    left: NDArray[np.int64]
    right: NDArray[np.int64]
    """A child of n under nought is the leaf -n - 1."""
    value: NDArray[np.float64]

    def predicted(self, rows: NDArray[np.float64]) -> NDArray[np.float64]:
        """(n,) of 0 to 1 for (n, features), none of them missing."""
        tree = np.arange(len(self.feature))[None, :]
        at = np.zeros((len(rows), len(self.feature)), np.int64)
        row = np.arange(len(rows))[:, None]
        while (at >= 0).any():
            node = np.maximum(at, 0)
            low = rows[row, self.feature[tree, node]] <= self.threshold[tree, node]
            at = np.where(at < 0, at, np.where(low, self.left[tree, node], self.right[tree, node]))
        total = self.value[tree, -at - 1].sum(axis=1)
        return np.asarray(1 / (1 + np.exp(-total)))


def trees_of(text: str) -> Trees:
    """The trees of a LightGBM model of one class, as its text says them."""
    parts = [dict(_fields(part)) for part in text.split("\nTree=")[1:]]
    parts = [part for part in parts if "split_feature" in part]

    def side_by_side(name: str, kind: Any) -> NDArray[Any]:
        rows = [np.array(part[name].split(), dtype=kind) for part in parts]
        made = np.zeros((len(rows), max(len(row) for row in rows)), kind)
        for at, row in enumerate(rows):
            made[at, : len(row)] = row
        return made

    whole, real = np.int64, np.float64
    return Trees(
        side_by_side("split_feature", whole), side_by_side("threshold", real),
        side_by_side("left_child", whole), side_by_side("right_child", whole),
        side_by_side("leaf_value", real),
    )  # fmt: skip


def _fields(part: str) -> list[tuple[str, str]]:
    return [(name, value) for name, _, value in (line.partition("=") for line in part.splitlines())]


@lru_cache(maxsize=1)
def _trees() -> Trees:
    return trees_of(WEIGHTS.read_text(encoding="utf-8"))


@lru_cache(maxsize=1)
def _calibration() -> tuple[list[float], list[float]]:
    told = json.loads(CALIBRATION.read_text(encoding="utf-8"))
    return told["likeness"], told["share"]


def likened(rows: NDArray[np.float64], trees: Trees) -> NDArray[np.float64]:
    """(n,) of 0 to 1 for (n, features). Of a lone target on open water the trees only say how well its box
    fits, from 0.5 up: that it is a ship they cannot overrule, having seen few seas as calm as some are."""
    made = trees.predicted(rows)
    return np.where(lone(rows), 0.5 + 0.5 * made, made)


def lone(rows: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Which patches stand far above water that is dark on all sides, with nothing else bright about."""
    made = np.ones(len(rows), bool)
    for name, (least, most) in _LONE.items():
        column = rows[:, FEATURES.index(name)]
        made &= (column > least) & (column < most)
    told = ("length_m", "area_m2", "around_150_bright")
    length, area, bright = (rows[:, FEATURES.index(name)] for name in told)
    # The square around a box in any direction is about 0.85 of its length wider than its two reaches.
    return np.asarray(made & (bright * np.square(0.85 * length + 300.0) < _LONE_BRIGHT * area))


def likenesses(patches: Sequence[Patch]) -> list[float]:
    """0 to 1 for each patch: to a ship, whole and alone; 0 for one that was not measured."""
    made = np.zeros(len(patches))
    told = [at for at, patch in enumerate(patches) if patch.features is not None]
    if told:
        rows = np.stack([patches[at].features for at in told])  # type: ignore[misc]
        assert rows.shape[1] == len(FEATURES)
        made[told] = likened(rows, _trees())
    return [float(each) for each in made]


def score_of(likeness: float) -> float:
    """The share of rendered patches of that likeness, kept out of training, that were ships."""
    return float(np.interp(likeness, *_calibration()))

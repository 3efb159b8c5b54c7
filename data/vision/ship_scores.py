"""How like a ship a bright patch is: trees over what is measured of it, and the share that was right."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from data.vision.ship_patches import FEATURES, Patch

WEIGHTS = Path(__file__).resolve().parents[1] / "models" / "weights" / "ships-cfar.txt"
"""As LightGBM writes it (Ke et al. 2017, NeurIPS 30)."""
CALIBRATION = WEIGHTS.with_suffix(".json")
"""Likeness to share of ships among rendered patches of it, kept out of training (a logistic curve: Platt
1999, Probabilistic outputs for support vector machines, in Advances in Large Margin Classifiers, 61-74)."""


@lru_cache(maxsize=1)
def _trees() -> Any:
    import lightgbm

    return lightgbm.Booster(model_file=str(WEIGHTS))


@lru_cache(maxsize=1)
def _calibration() -> tuple[list[float], list[float]]:
    told = json.loads(CALIBRATION.read_text(encoding="utf-8"))
    return told["likeness"], told["share"]


def likened(rows: NDArray[np.float64], trees: Any) -> NDArray[np.float64]:
    """(n,) of 0 to 1 for (n, features), by LightGBM's trees."""
    return np.asarray(trees.predict(rows, num_threads=1))


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

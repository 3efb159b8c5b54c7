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

FOLDER = Path(__file__).resolve().parents[1] / "models" / "weights"
WEIGHTS = (FOLDER / "ships-cfar.txt", FOLDER / "ships-cfar-plain.txt")
"""As LightGBM writes them (Ke et al. 2017, NeurIPS 30): fitted to scenes varied far beyond what is
rendered, and to plain ones: the first know more kinds of land, the second what a whole ship is."""
CALIBRATION = FOLDER / "ships-cfar.json"
"""Likeness to share of ships among rendered patches of it, kept out of training (a logistic curve: Platt
1999, Probabilistic outputs for support vector machines, in Advances in Large Margin Classifiers, 61-74)."""


_SUREST = 0.997
"""No set of trees is taken to be surer than this, so that none outvotes the other by its last decimals."""


@lru_cache(maxsize=1)
def _trees() -> tuple[Any, ...]:
    import lightgbm

    return tuple(lightgbm.Booster(model_file=str(path)) for path in WEIGHTS)


@lru_cache(maxsize=1)
def _calibration() -> tuple[list[float], list[float]]:
    told = json.loads(CALIBRATION.read_text(encoding="utf-8"))
    return told["likeness"], told["share"]


def likened(rows: NDArray[np.float64], trees: Sequence[Any]) -> NDArray[np.float64]:
    """(n,) of 0 to 1 for (n, features), by sets of LightGBM's trees: the mean of their log odds."""
    told = [np.clip(each.predict(rows, num_threads=1), 1 - _SUREST, _SUREST) for each in trees]
    return np.asarray(1 / (1 + np.exp(-np.mean([np.log(each / (1 - each)) for each in told], axis=0))))


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

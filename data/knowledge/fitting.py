"""Fit when nothing is said: the logistic model of `answer.py`, on questions with and without an answer.

python -m copilot knowledge fit benches/knowledge/tuning.jsonl benches/knowledge/tuning_made.jsonl
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from data.knowledge.answer import SIGNS, signs_of
from data.knowledge.base import Base
from data.knowledge.dualrag import retrieve
from data.knowledge.measuring import Asked

FOLDS = 5
_RIDGE = 0.3
_STEPS = 50
_FALSE_ANSWER = 1.0
"""What an answer to an unanswerable question costs, against 1 for a refusal of one that has an answer."""


@dataclass(frozen=True)
class Fitted:
    """A model, and how it does on questions that it was not fitted on."""

    weights: dict[str, float]
    """By sign, with `constant` and `threshold`."""
    right_refusals: float
    """Share of the unanswerable questions, over five folds."""
    answered: float
    """Share of the answerable ones."""


def fit(base: Base, asked: Sequence[Asked], n: int = 10) -> Fitted:
    """Fit on all of the questions; the figures are of five folds, each judged by what the others gave."""
    rows = np.array([_row(base, each.question, n) for each in asked])
    answerable = np.array([each.answerable for each in asked])
    fold = np.arange(len(asked)) % FOLDS
    said = np.zeros(len(asked), dtype=np.bool_)
    for each in range(FOLDS):
        kept = fold != each
        weights = _logistic(rows[kept], answerable[kept])
        limit = _threshold(_chance(rows[kept], weights), answerable[kept])
        said[~kept] = _chance(rows[~kept], weights) >= limit
    weights = _logistic(rows, answerable)
    named = dict(zip(("constant", *SIGNS), (round(float(each), 4) for each in weights), strict=True))
    named["threshold"] = round(_threshold(_chance(rows, weights), answerable), 4)
    return Fitted(named, float((~said[~answerable]).mean()), float(said[answerable].mean()))


def _row(base: Base, question: str, n: int) -> list[float]:
    figures = signs_of(base, retrieve(base, question, n=n))
    return [1.0, *(figures[name] for name in SIGNS)]


def _logistic(rows: NDArray[np.float64], positive: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Weights by Newton's method, with a ridge on all but the constant; both kinds count the same in all."""
    share = np.where(positive, 0.5 / max(1, positive.sum()), 0.5 / max(1, (~positive).sum())) * len(rows)
    ridge = np.diag([0.0, *[_RIDGE] * (rows.shape[1] - 1)])
    weights = np.zeros(rows.shape[1])
    for _ in range(_STEPS):
        chance = _chance(rows, weights)
        slope = rows.T @ (share * (positive - chance)) - ridge @ weights
        curve = (
            (rows * (share * chance * (1 - chance))[:, None]).T @ rows + ridge + 1e-9 * np.eye(len(weights))
        )
        weights = weights + np.linalg.solve(curve, slope)
    return weights


def _chance(rows: NDArray[np.float64], weights: NDArray[np.float64]) -> NDArray[np.float64]:
    found: NDArray[np.float64] = 1 / (1 + np.exp(-np.clip(rows @ weights, -30, 30)))
    return found


def _threshold(chance: NDArray[np.float64], answerable: NDArray[np.bool_]) -> float:
    """The limit with the best mean of the answered answerable and the refused unanswerable."""
    tried = np.linspace(0.2, 0.8, 61)
    good = [
        float((chance[answerable] >= each).mean() + _FALSE_ANSWER * (chance[~answerable] < each).mean())
        for each in tried
    ]
    best = np.flatnonzero(np.array(good) >= max(good) - 1e-9)
    return float(tried[best[len(best) // 2]])

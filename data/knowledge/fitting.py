r"""Fit when nothing is said: the logistic model of `answer.py`, on questions with and without an answer.

python -m copilot knowledge fit benches/knowledge/tuning.jsonl benches/knowledge/tuning_voices.jsonl \
    --made benches/knowledge/tuning_made.jsonl
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
_RIDGE = 0.05
_STEPS = 50
_MADE = 0.3
"""What a question that a template made weighs, against 1 for one that somebody wrote."""
RIGHT_REFUSALS = 0.92
"""The share of written questions without an answer that the limit refuses, in folds it was not fitted on."""


@dataclass(frozen=True)
class Fitted:
    """A model, and how it does on questions that it was not fitted on."""

    weights: dict[str, float]
    """By sign, with `constant` and `threshold`."""
    right_refusals: float
    """Share of the unanswerable questions, over five folds."""
    answered: float
    """Share of the answerable ones."""


def fit(base: Base, asked: Sequence[Asked], made: Sequence[Asked] = (), n: int = 10) -> Fitted:
    """Fit on all of the questions, those `made` by templates counting less.

    The limit and the figures are of the written ones alone, each judged by what the other folds gave.
    """
    every = [*asked, *made]
    rows = np.array([_row(base, each.question, n) for each in every])
    answerable = np.array([each.answerable for each in every])
    counts = np.array([1.0] * len(asked) + [_MADE] * len(made))
    fold = np.arange(len(every)) % FOLDS
    chance = np.zeros(len(every))
    for each in range(FOLDS):
        kept = fold != each
        chance[~kept] = _chance(rows[~kept], _logistic(rows[kept], answerable[kept], counts[kept]))
    written, positive = chance[: len(asked)], answerable[: len(asked)]
    limit = _limit(written[~positive])
    weights = _logistic(rows, answerable, counts)
    named = dict(zip(("constant", *SIGNS), (round(float(each), 4) for each in weights), strict=True))
    named["threshold"] = round(limit, 4)
    said = written >= limit
    return Fitted(named, float((~said[~positive]).mean()), float(said[positive].mean()))


def _row(base: Base, question: str, n: int) -> list[float]:
    figures = signs_of(base, retrieve(base, question, n=n))
    return [1.0, *(figures[name] for name in SIGNS)]


def _logistic(
    rows: NDArray[np.float64], positive: NDArray[np.bool_], counts: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Weights by Newton's method, with a ridge on all but the constant; both kinds count the same in all."""
    share = np.where(positive, 0.5 / counts[positive].sum(), 0.5 / counts[~positive].sum()) * counts
    share *= len(rows)
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


def _limit(unanswerable: NDArray[np.float64]) -> float:
    """The chance under which RIGHT_REFUSALS of them lie."""
    return float(np.quantile(unanswerable, RIGHT_REFUSALS))

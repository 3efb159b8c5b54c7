"""How likely a task needs a tool: learned from features of pairs by trees, a regression and a ridge.

There is a scorer for tools that known tasks used, and one for tools never seen, learned on the known tools as
if each had never been used; and both for tasks with domain and complexity, and for questions alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from copilot.workflows.foreign.features import Features, TaskKernels, lending
from copilot.workflows.foreign.texts import Array, ToolTexts

if TYPE_CHECKING:
    from lightgbm import Booster

ROUNDS = 150
LOOSENESS = 0.01
"""The inverse of the logistic regression's penalty, as scikit-learn counts it."""
TREES = {
    "objective": "binary",
    "learning_rate": 0.05,
    "num_leaves": 15,
    "min_data_in_leaf": 40,
    "feature_fraction": 0.5,
    "bagging_fraction": 0.7,
    "bagging_freq": 1,
    "lambda_l2": 5.0,
    "num_threads": 1,
    "deterministic": True,
    "force_row_wise": True,
    "seed": 7,
    "verbose": -1,
}
_CHANCES = ("ridge_", "near_", "share")
"""Features that are chances: the regression is given their log-odds."""
_NOT_LINEAR = ("length", "words")
"""Features of the task alone: they mean something only together with others."""


@dataclass(frozen=True)
class Scorer:
    """From features of pairs to chances."""

    names: tuple[str, ...]
    """The features, in the order in which the trees were given them."""
    trees: Booster
    mean: Array
    scale: Array
    weights: Array
    bias: float

    def __call__(self, features: dict[str, Array]) -> Array:
        """(m, t) chances: the mean of trees, regression and the ridge that all tools share."""
        shape = features[self.names[0]].shape
        by_trees = np.asarray(self.trees.predict(_stacked(features, self.names), num_threads=1)).reshape(
            shape
        )
        linear = _stacked(_linear(features), _linear_names(self.names))
        odds = ((linear - self.mean) / self.scale) @ self.weights + self.bias
        by_regression = (1 / (1 + np.exp(-odds))).reshape(shape)
        chances: Array = (by_trees + by_regression + np.clip(features["ridge_shared"], 0, 1)) / 3
        return chances


@dataclass(frozen=True, order=True)
class Way:
    """What a scorer is for."""

    fields: bool
    """Tasks whose domain and complexity are given."""
    seen: bool
    """Tools that known tasks used."""


WAYS = tuple(Way(fields, seen) for fields in (True, False) for seen in (True, False))


def learn(known: TaskKernels, tools: ToolTexts, labels: Array, way: Way) -> Scorer:
    """Learn from known tasks; labels (n, t) are 1 where a task used a tool."""
    shown = labels if way.seen else labels @ lending(tools, tools, but_itself=True).T
    return fit_scorer(Features(known, tools, shown, way.fields).known(), labels)


def fit_scorer(features: dict[str, Array], labels: Array) -> Scorer:
    """Fit trees and regression to features (n, t) and labels (n, t)."""
    import lightgbm
    from sklearn.linear_model import LogisticRegression

    names = tuple(features)
    used = labels.ravel()
    trees = lightgbm.train(dict(TREES), lightgbm.Dataset(_stacked(features, names), used), ROUNDS)
    linear = _stacked(_linear(features), _linear_names(names))
    mean, scale = linear.mean(axis=0), linear.std(axis=0) + 1e-9
    regression = LogisticRegression(C=LOOSENESS, max_iter=500).fit((linear - mean) / scale, used)
    return Scorer(names, trees, mean, scale, regression.coef_[0], float(regression.intercept_[0]))


def _linear(features: dict[str, Array]) -> dict[str, Array]:
    return {
        name: _log_odds(values) if name.startswith(_CHANCES) else values for name, values in features.items()
    }


def _linear_names(names: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(name for name in names if name not in _NOT_LINEAR)


def _log_odds(chances: Array) -> Array:
    chances = np.clip(chances, 0, 1)
    odds: Array = np.log((chances + 0.01) / (1.01 - chances))
    return odds


def _stacked(features: dict[str, Array], names: tuple[str, ...]) -> Array:
    """(pairs, features)"""
    return np.stack([features[name].ravel() for name in names], axis=1)

"""Kernel ridge regression of many labels at once, with its prediction for each task left out."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from copilot.workflows.foreign.texts import Array

_SMALLEST = 1e-8


@dataclass(frozen=True)
class Ridge:
    """n known tasks, t labels."""

    mean: Array
    """(t,)"""
    dual: Array
    """(n, t)"""
    left_out: Array
    """(n, t) The prediction for each known task from the others: exact, in closed form."""

    def __call__(self, across: Array) -> Array:
        """(m, t) Predictions from the kernel (m, n) between new tasks and the known ones."""
        predicted: Array = self.mean + across @ self.dual
        return predicted


def fit_ridge(kernel: Array, penalty: float, labels: Array, between: Array | None = None) -> Ridge:
    """Fit labels (n, t) over a kernel (n, n) of tasks and, if given, one `between` labels (t, t).

    With both the model is that of the product kernel (Bonilla et al. 2007): labels that are alike learn from
    each other. In the eigenvectors of `between` it falls apart into t ordinary regressions, so leaving a task
    out of all labels stays the closed form y - α ÷ diag(inverse).
    """
    mean = labels.mean(axis=0)
    if between is None:
        strength, basis = np.ones(labels.shape[1]), None
        turned = labels - mean
    else:
        strength, basis = np.linalg.eigh(between)
        kept = strength > _SMALLEST
        strength, basis = strength[kept], basis[:, kept]
        turned = (labels - mean) @ basis
    values, vectors = np.linalg.eigh(kernel)
    inverse = 1 / (np.maximum(values, 0)[:, None] * strength + penalty)
    dual = vectors @ (inverse * (vectors.T @ turned))
    left_out = turned - dual / (vectors**2 @ inverse)
    dual = dual * strength
    if basis is None:
        return Ridge(mean, dual, mean + left_out)
    return Ridge(mean, dual @ basis.T, mean + left_out @ basis.T)


def gaussian(first: Array, second: Array, rate: float = 1.0) -> Array:
    """(n, m) exp(-rate × squared distance) between rows."""
    squared = (first**2).sum(axis=1)[:, None] + (second**2).sum(axis=1) - 2 * first @ second.T
    alike: Array = np.exp(-rate * np.maximum(squared, 0))
    return alike

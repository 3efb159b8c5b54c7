"""Kernel ridge regression against its plain definition."""

from __future__ import annotations

import numpy as np
import pytest

from copilot.workflows.foreign.kernels import fit_ridge, gaussian
from copilot.workflows.foreign.texts import Array

SEEDED = np.random.default_rng(3)
TASKS, TOOLS = SEEDED.normal(size=(9, 4)), SEEDED.normal(size=(5, 4))
LABELS = (SEEDED.random((9, 5)) < 0.4).astype(float)
KERNEL, BETWEEN = gaussian(TASKS, TASKS, 0.2), gaussian(TOOLS, TOOLS, 0.2)


def plainly(kernel: Array, across: Array, mean: Array, labels: Array) -> Array:
    """Ridge over all pairs of a task and a label at once, from the definition."""
    pairs = np.kron(kernel, BETWEEN)
    dual = np.linalg.solve(pairs + 0.5 * np.eye(len(pairs)), (labels - mean).ravel())
    found: Array = mean + (np.kron(across, BETWEEN) @ dual).reshape(len(across), -1)
    return found


def test_labels_that_learn_from_each_other_are_the_ridge_over_all_pairs() -> None:
    across = gaussian(SEEDED.normal(size=(3, 4)), TASKS, 0.2)
    found = fit_ridge(KERNEL, 0.5, LABELS, BETWEEN)(across)
    assert found == pytest.approx(plainly(KERNEL, across, LABELS.mean(axis=0), LABELS))


def test_left_out_is_what_the_other_tasks_alone_predict() -> None:
    found = fit_ridge(KERNEL, 0.5, LABELS, BETWEEN).left_out
    for row in range(len(TASKS)):
        others = np.delete(np.arange(len(TASKS)), row)
        alone = plainly(
            KERNEL[np.ix_(others, others)], KERNEL[[row]][:, others], LABELS.mean(axis=0), LABELS[others]
        )
        assert found[[row]] == pytest.approx(alone)


def test_without_a_kernel_of_labels_each_label_is_learned_alone() -> None:
    together, alone = fit_ridge(KERNEL, 0.5, LABELS), fit_ridge(KERNEL, 0.5, LABELS, np.eye(5))
    assert together.left_out == pytest.approx(alone.left_out) and together.dual == pytest.approx(alone.dual)

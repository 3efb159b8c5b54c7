"""Agreement of pixels with the truth: by hand, and by scikit-learn."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from data.models.evaluating.agreement import confusion, intersections, right

NAMES = ("building", "land", "road", "vegetation")


def test_a_pixel_counts_where_its_truth_is_known_and_is_wrong_where_no_class_was_said() -> None:
    truth = np.array([[0, 0, 1], [1, 255, -1]])
    said = np.array([[0, 255, 1], [0, 0, 1]])
    table = confusion(truth, said, 2)
    assert table.tolist() == [[1, 0, 1], [1, 1, 0]]
    assert intersections(table, ("a", "b")) == {"a": 1 / 3, "b": 1 / 2}
    assert right(table) == 0.5


def test_the_table_and_the_overlap_are_those_of_scikit_learn() -> None:
    from sklearn.metrics import accuracy_score, confusion_matrix, jaccard_score

    random = np.random.default_rng(3)
    truth = random.integers(0, 4, (60, 70)).astype(np.uint8)
    said = np.where(random.random(truth.shape) < 0.6, truth, random.integers(0, 5, truth.shape)).astype(
        "uint8"
    )
    table = confusion(truth, said, 4)
    assert table.tolist() == confusion_matrix(truth.ravel(), said.ravel(), labels=range(5))[:4].tolist()
    each = jaccard_score(truth.ravel(), said.ravel(), labels=range(4), average=None)
    assert list(intersections(table, NAMES).values()) == pytest.approx(each)
    assert right(table) == pytest.approx(accuracy_score(truth.ravel(), said.ravel()))


def test_a_class_that_the_truth_does_not_have_has_no_overlap() -> None:
    table = confusion(np.array([0, 0, 1]), np.array([0, 2, 1]), 3)
    assert intersections(table, ("a", "b", "c")) == {"a": 0.5, "b": 1.0}


def test_agreement_is_measured_without_pytorch() -> None:
    code = (
        "import sys; sys.modules['torch'] = None; import data.models.evaluating.agreement as a; a.confusion"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0

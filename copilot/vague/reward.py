"""The unified reward of RemoteAgent (Yao et al.), as published: graded by the form of the reference.

Boxes: Hungarian matching on intersection over union, the sum of the matched over the number of references.
A number: 1 if equal, 0 beyond a relative error of one half or where either is zero and the other not, else
exp(-3 |p - g| / |g|). Labels: the share of the reference's that were named. No answer: 0.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

WORST_ERROR = 0.5
"""Relative error of a number beyond which it earns nothing."""
DECAY = 3.0


class NoForm(ValueError):
    """A reference that is neither boxes, nor a number, nor labels: one sentence."""


def reward(answer: Any, reference: Any) -> float:
    """What an answer earns, 0 to 1: the branch goes by the reference's form. Raises NoForm.

    Boxes are (left, top, right, bottom). An answer of another form, or none, earns 0.
    """
    if is_number(reference):
        return number_reward(float(answer), float(reference)) if is_number(answer) else 0.0
    if is_labels(reference):
        return label_reward(answer, reference) if is_labels(answer) else 0.0
    if is_boxes(reference):
        return box_reward(answer, reference) if is_boxes(answer) else 0.0
    raise NoForm(f"The reference {reference!r:.60} has no form to grade by; boxes, a number or labels have.")


def is_number(value: Any) -> bool:
    """Whether it is a number, and finite."""
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def is_labels(value: Any) -> bool:
    """Whether it is words, one or more."""
    return _is_row(value) and bool(value) and all(isinstance(each, str) for each in value)


def is_boxes(value: Any) -> bool:
    """Whether it is boxes of four numbers, one or more."""
    return _is_row(value) and bool(value) and all(
        _is_row(each) and len(each) == 4 and all(is_number(side) for side in each) for each in value
    )  # fmt: skip


def _is_row(value: Any) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str)


def number_reward(answer: float, reference: float) -> float:
    """Of a number."""
    if answer == reference:
        return 1.0
    if answer == 0 or reference == 0:
        return 0.0
    error = abs(answer - reference) / abs(reference)
    return 0.0 if error > WORST_ERROR else math.exp(-DECAY * error)


def label_reward(answer: Sequence[str], reference: Sequence[str]) -> float:
    """Of labels: how many of the reference's were named, whatever else was."""
    wanted = {each.casefold() for each in reference}
    return len(wanted & {each.casefold() for each in answer}) / len(wanted)


def box_reward(answer: Sequence[Sequence[float]], reference: Sequence[Sequence[float]]) -> float:
    """Of boxes: the matching with the largest sum of intersections over union, over |reference|."""
    from scipy.optimize import linear_sum_assignment

    table = overlaps(np.asarray(answer, dtype=np.float64), np.asarray(reference, dtype=np.float64))
    rows, columns = linear_sum_assignment(table, maximize=True)
    return float(table[rows, columns].sum() / len(reference))


def overlaps(first: Any, second: Any) -> Any:
    """(n, m) intersection over union of n and m boxes."""
    low = np.maximum(first[:, None, :2], second[None, :, :2])
    high = np.minimum(first[:, None, 2:], second[None, :, 2:])
    common = np.prod(np.clip(high - low, 0, None), axis=2)
    sizes = [np.prod(np.clip(each[:, 2:] - each[:, :2], 0, None), axis=1) for each in (first, second)]
    union = sizes[0][:, None] + sizes[1][None, :] - common
    return np.where(union > 0, common / np.maximum(union, 1e-12), 0.0)

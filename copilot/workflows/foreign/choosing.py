"""The set of tools whose expected F1 is highest, given each tool's chance."""

from __future__ import annotations

import numpy as np

from copilot.workflows.foreign.texts import Array


def best_set(chances: Array) -> tuple[int, ...]:
    """The indices of the chosen tools, likeliest first; at least one.

    For independent tools the best set is made of the k likeliest (Lewis 1995). Its F1, 2 × hits ÷ (k +
    wanted), is expected to be near 2 × (sum of the k chances) ÷ (k + sum of all chances).
    """
    order = np.argsort(-chances, kind="stable")
    sizes = np.arange(1, len(chances) + 1)
    expected = 2 * np.cumsum(chances[order]) / (sizes + chances.sum())
    return tuple(int(index) for index in order[: int(expected.argmax()) + 1])

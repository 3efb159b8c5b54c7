"""The order of chosen tools: what came before what in known tasks, the more the nearer the task."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from copilot.workflows.foreign.texts import Array

CERTAINTY = 3.0
"""How many known tasks the general position of two tools counts for beside tasks that had both."""
STEEPNESS = 12.0
"""How fast the odds of standing first grow with the difference of the general positions (0 first, 1 last)."""


@dataclass(frozen=True)
class Places:
    """Where t tools stood in n known tasks."""

    places: Array
    """(n, t) Position in the task, not a number where the tool was not used."""
    general: Array
    """(t,) 0 for what stands first, 1 for what stands last."""


def learn_places(sequences: Sequence[Sequence[int]], tools: int) -> Places:
    """Places out of the sequences of known tasks; a tool that comes twice stands where it came first."""
    places = np.full((len(sequences), tools), np.nan)
    relative = np.full((len(sequences), tools), np.nan)
    for row, sequence in enumerate(sequences):
        for position in reversed(range(len(sequence))):
            places[row, sequence[position]] = position
            relative[row, sequence[position]] = (position + 0.5) / len(sequence)
    count = np.isfinite(relative).sum(axis=0)
    general = (np.nansum(relative, axis=0) + 0.5) / (count + 1)
    return Places(places, general)


def spread_places(known: Places, lent: Array) -> Places:
    """Places of the tools of another list: `lent` (tools, known tools) says what they are alike to.

    A row with a single one takes that tool's places; any other row the mean general position, and no place
    in any known task.
    """
    total = lent.sum(axis=1)
    general = (lent @ known.general + 0.5 * 1e-3) / (total + 1e-3)
    places = np.full((len(known.places), len(lent)), np.nan)
    for row, weights in enumerate(lent):
        if np.count_nonzero(weights) == 1 and weights.max() == 1:
            places[:, row] = known.places[:, int(weights.argmax())]
    return Places(places, general)


def in_order(chosen: Sequence[int], places: Places, weights: Array) -> tuple[int, ...]:
    """The chosen tools in the order whose pairs are likeliest; `weights` (n,) favour known tasks nearby."""
    tools = np.array(sorted(set(chosen)), dtype=np.int64)
    before = _before(tools, places, weights)
    order = list(np.argsort(-before.sum(axis=1), kind="stable"))
    while _moved(order, before):
        continue
    return tuple(int(tools[index]) for index in order)


def _before(tools: np.ndarray, places: Places, weights: Array) -> Array:
    """(k, k) The chance that the row's tool stands before the column's."""
    place = places.places[:, tools]
    both = np.isfinite(place)[:, :, None] & np.isfinite(place)[:, None, :]
    first = place[:, :, None] < place[:, None, :]
    general = places.general[tools]
    prior = 1 / (1 + np.exp(-STEEPNESS * (general - general[:, None])))
    seen = np.tensordot(weights, (both & first).astype(float), axes=1)
    total = np.tensordot(weights, both.astype(float), axes=1)
    chance: Array = (seen + CERTAINTY * prior) / (total + CERTAINTY)
    np.fill_diagonal(chance, 0.5)
    return chance


def _moved(order: list[np.int64], before: Array) -> bool:
    """Move the one tool whose new place gains most, if any does (local search for a linear ordering)."""
    best, move = 1e-9, None
    for start, tool in enumerate(order):
        rest = order[:start] + order[start + 1 :]
        gains = before[tool, rest] - before[rest, tool]
        # Standing before everything from `place` on is worth the sum of the gains from there.
        worth = np.concatenate([np.cumsum(gains[::-1])[::-1], [0.0]])
        place = int(worth.argmax())
        if worth[place] - worth[start] > best:
            best, move = float(worth[place] - worth[start]), (start, place)
    if move is None:
        return False
    order.insert(move[1], order.pop(move[0]))
    return True

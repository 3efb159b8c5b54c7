"""Votes of known phrases: the nearest count, and what is stored votes as what was made."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from copilot.planner.encoder import DIMENSIONS, Floats
from copilot.solutions.near import NEAREST, NEARNESS, neighbours

TASKS = 4
PHRASES = 400
Known = tuple[Floats, NDArray[np.intp]]


def unit(rows: Floats) -> Floats:
    found: Floats = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return found


@pytest.fixture(scope="module")
def known() -> Known:
    """Phrases in four loose heaps of few dimensions, as a tuned encoder leaves them."""
    chance = np.random.default_rng(3)
    tasks = chance.integers(0, TASKS, PHRASES)
    places = np.zeros((PHRASES, DIMENSIONS), np.float32)
    places[:, :40] = chance.normal(size=(TASKS, 40))[tasks] + chance.normal(size=(PHRASES, 40))
    return unit(places), tasks


def test_the_votes_are_those_of_the_nearest_phrases_by_cosine(known: Known) -> None:
    vectors, tasks = known
    asked = unit(np.roll(vectors, 1, axis=0)[:20] + vectors[:20])
    centred, near = unit(vectors - vectors.mean(axis=0)), unit(asked - vectors.mean(axis=0))
    wanted = np.zeros((len(asked), TASKS))
    for row, cosines in zip(wanted, near @ centred.T, strict=True):
        for phrase in np.argsort(-cosines)[:NEAREST]:
            row[tasks[phrase]] += np.exp((cosines[phrase] - cosines.max()) / NEARNESS)
    wanted /= wanted.sum(axis=1, keepdims=True)
    found = neighbours(vectors, tasks).votes(asked, TASKS)
    assert np.allclose(found, wanted, atol=0.1)  # steps of a byte may change the twelfth
    assert np.array_equal(found.argmax(axis=1), wanted.argmax(axis=1))


def test_a_known_phrase_votes_for_its_own_task(known: Known) -> None:
    vectors, tasks = known
    found = neighbours(vectors, tasks).votes(vectors, TASKS)
    assert np.allclose(found.sum(axis=1), 1)
    assert (found.argmax(axis=1) == tasks).mean() > 0.98


def test_what_is_stored_votes_as_before(known: Known) -> None:
    made = neighbours(*known)
    again = type(made).read(made.stored())
    assert np.array_equal(again.votes(known[0], TASKS), made.votes(known[0], TASKS))

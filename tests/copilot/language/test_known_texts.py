"""Vectors of texts that are kept beside the policy."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from copilot.language.known_texts import KnownTexts, Listening, Remembering
from copilot.planner.encoder import DIMENSIONS, Floats


class Counting:
    """An encoder that says how long a text is."""

    def encode(self, texts: Sequence[str]) -> Floats:
        return np.array([[len(text)] * DIMENSIONS for text in texts], np.float32).reshape(-1, DIMENSIONS)


def test_what_is_known_is_not_encoded_again_and_what_is_new_is() -> None:
    asked = Listening(Counting())
    remembering = Remembering(asked, KnownTexts.of(["slope", "sieve", "slope"], Counting()))
    found = remembering.encode(["a raster", "slope"])
    assert found[:, 0].tolist() == [8, 5]
    assert asked.asked == ["a raster"]


def test_nothing_asked_gives_no_vectors() -> None:
    assert Remembering(Counting(), KnownTexts()).encode([]).shape == (0, DIMENSIONS)

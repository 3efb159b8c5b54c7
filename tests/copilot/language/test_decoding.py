"""Which frames are written, and which of them come first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import log
from typing import Any

import numpy as np
import pytest

from copilot.language.decoding import decode
from copilot.language.frame import Step
from copilot.language.grammar import END, Vocabulary
from copilot.language.network import Encoded, Scores
from copilot.planner.encoder import DIMENSIONS
from tests.copilot.language.said import tools

LENGTH = 5


@dataclass(frozen=True)
class Beams:
    """How many tokens are written."""

    written: int = 0

    def chosen(self, rows: Sequence[int]) -> Beams:
        return self


class SlowToEnd:
    """Writes `undo` five times; at every token before, ending is a little likely, and so is each `redo`."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary
        (self._undo, _), (self._redo, _) = (
            vocabulary.tokens((Step(name),)) or [] for name in ("undo", "redo")
        )

    def begin(self) -> Beams:
        return Beams()

    def write(self, shown: Encoded, memory: Beams, last: Sequence[int], kinds: Sequence[int]) -> Any:
        tokens = np.full((len(last), self._vocabulary.size), -1e9, np.float32)
        over = memory.written >= LENGTH
        tokens[:, self._undo] = log(0.02 if over else 0.86)
        tokens[:, self._redo] = log(0.02 if over else 0.08)
        tokens[:, END] = log(0.96 if over else 0.06)
        words = np.zeros((len(last), len(shown.words)), np.float32)
        return Beams(memory.written + 1), Scores(tokens, words, words)


def test_a_long_frame_is_found_behind_short_ones_that_end_before_it() -> None:
    vocabulary = Vocabulary(tools(), {})
    words = np.zeros((1, DIMENSIONS), np.float32)
    shown = Encoded(words, (), words[:0], np.zeros(0, np.intp))
    favour = np.zeros(len(vocabulary.tools), np.float32)
    best, *others = decode(SlowToEnd(vocabulary), vocabulary, shown, favour)  # type: ignore[arg-type]
    assert [step.tool for step in best.frame] == ["undo"] * LENGTH
    assert best.log_probability > max(each.log_probability for each in others)
    assert best.least == pytest.approx(log(0.86), abs=1e-6)

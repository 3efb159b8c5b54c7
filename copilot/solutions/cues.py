"""Words that say which task a request is, gathered in groups so that the rare count like the common."""

from __future__ import annotations

import re
import tomllib

import numpy as np

from copilot.planner.encoder import Floats
from copilot.planner.head import shared_encoder, word_features
from copilot.solutions.bank import CUES

_PATTERNS = {
    name: re.compile(rf"(?<!\w)(?:{'|'.join(words)})(?!\w)", re.IGNORECASE)
    for name, words in tomllib.loads(CUES.read_text(encoding="utf-8")).items()
}
_STRENGTH = 3
"""How many words a cue counts for."""
_MEANING, _WORDS = np.float32(1.15), np.float32(0.8)
"""The weight of the embedding and of the words beside it."""

_OPPOSITE = {"turned_box": "level_box", "level_box": "turned_box"}
_NEGATED = re.compile(
    r"(?:\b(?:not?|non|without|never|instead of|rather than|unlike)|n't)(?:[\s-]+(?:\w+[\s-]+){0,2}?|-?)$",
    re.IGNORECASE,
)
_DENIED = re.compile(
    r"\b(?:not|rather than|instead of|unlike|isn't|don't)\s+(?:\w+\s+){0,3}?$", re.IGNORECASE
)
"""Narrower: "without clouds" and "no noise please" do say what the wish is about."""


def cues(text: str) -> list[str]:
    """The names of the groups that the text has a word of; "not tilted" is a word for the opposite, "not a
    house" for nothing."""
    found: dict[str, bool] = {}
    for name, pattern in _PATTERNS.items():
        for match in pattern.finditer(text):
            before = text[: match.start()]
            if name not in _OPPOSITE:
                found |= {} if _DENIED.search(before) else {name: True}
            else:
                found[_OPPOSITE[name] if _NEGATED.search(before) else name] = True
    return list(found)


def task_features(texts: list[str]) -> Floats:
    """(texts, columns) float32 as the planner's head has them, the cues among the words."""
    marked = [
        " ".join([text, *(f"cue_{name}" for name in cues(text) for _ in range(_STRENGTH))]) for text in texts
    ]
    vectors = shared_encoder().recall(texts)
    return np.concatenate([_MEANING * vectors, _WORDS * word_features(marked)], axis=1)

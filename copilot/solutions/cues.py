"""What tells a request: the encoder's vector, words, pieces of words, and words of the field in groups."""

from __future__ import annotations

import re
import tomllib
import zlib
from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from copilot.planner.encoder import DIMENSIONS, Floats
from copilot.planner.head import shared_encoder
from copilot.solutions.bank import CUES

_PATTERNS = {
    name: re.compile(rf"(?<!\w)(?:{'|'.join(words)})(?!\w)", re.IGNORECASE)
    for name, words in tomllib.loads(CUES.read_text(encoding="utf-8")).items()
}
HASHED = 8192
"""Columns that words, word pairs, pieces and cues are hashed into."""
COLUMNS = DIMENSIONS + HASHED
_STRENGTH = 3
"""How many words a cue counts for: the rare words of a group count like the common ones."""
_MEANING, _WORDS = np.float32(1.15), np.float32(0.8)
"""The length of the embedding and of the hashed part beside it."""
_PIECES, _PIECE = (3, 4), np.float32(0.5)
"""Lengths of the pieces of words, and what one counts for: they see through typing errors and endings."""
_WORD = re.compile(r"\w+|[?%+]")

_OPPOSITE = {"turned_box": "level_box", "level_box": "turned_box"}
_NEGATED = re.compile(
    r"(?:\b(?:not?|non|without|never|instead of|rather than|unlike|ignor\w+|forget|leav\w+ out|regardless of|"
    r"whatever)|n't)(?:[\s-]+(?:\w+[\s-]+){0,2}?|-?)$",
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


def _parts(text: str) -> list[tuple[str, np.float32]]:
    """Words, pairs of neighbours, pieces and cues of a text, and what each counts for."""
    marked = [text, *(f"cue_{name}" for name in cues(text) for _ in range(_STRENGTH))]
    words = ["^", *_WORD.findall(" ".join(marked).lower()), "$"]
    padded = f" {' '.join(_WORD.findall(text.lower()))} "
    pieces = [
        f"#{padded[start : start + length]}"
        for length in range(_PIECES[0], _PIECES[1] + 1)
        for start in range(len(padded) - length + 1)
    ]
    whole = [*words[1:-1], *(f"{left} {right}" for left, right in pairwise(words))]
    return [*((part, np.float32(1)) for part in whole), *((piece, _PIECE) for piece in pieces)]


def task_features(texts: Sequence[str]) -> Floats:
    """(texts, COLUMNS) float32: the embedding of each text, and beside it its parts as signed hashes."""
    hashed = np.zeros((len(texts), HASHED), dtype=np.float32)
    for row, text in zip(hashed, texts, strict=True):
        for part, weight in _parts(text):
            mark = zlib.crc32(part.encode())
            row[mark % HASHED] += weight if mark & 0x80000000 else -weight
        row *= _WORDS / np.maximum(np.linalg.norm(row), np.float32(1e-9))
    return np.concatenate([_MEANING * shared_encoder().recall(texts), hashed], axis=1)

"""The trained head: which label a clause most likely has, from its embedding and its words.

It is multinomial logistic regression over the encoder's vector beside hashed words and word pairs.
`copilot.planner.train` makes the weights, from the phrases in `bank/`.
"""

from __future__ import annotations

import re
import threading
import zlib
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise
from pathlib import Path

import numpy as np

from copilot.planner.clauses import without_openers
from copilot.planner.encoder import DIMENSIONS, Encoder, Floats

WEIGHTS = Path(__file__).with_name("head.npz")
HASHED = 2048
"""Columns that words and word pairs are hashed into."""
WORD_WEIGHT = np.float32(1.0)
"""Length of the hashed part; the embedding has length one."""
BEST = 3
_CACHED = 4096
_WORD = re.compile(r"\w+|[?%+]")

Guess = tuple[str, float]
"""A label and its probability."""


class HeadError(Exception):
    """The head's weights are missing or unreadable, in one sentence for the user."""


@lru_cache(maxsize=1)
def shared_encoder() -> Encoder:
    """The process's one encoder: its 90 MB are mapped once."""
    return Encoder()


def word_features(texts: Sequence[str]) -> Floats:
    """(texts, HASHED) float32: the words and word pairs of each text, signed hashes, WORD_WEIGHT long."""
    rows = np.zeros((len(texts), HASHED), dtype=np.float32)
    for row, text in zip(rows, texts, strict=True):
        words = ["^", *_WORD.findall(text.lower()), "$"]
        for feature in [
            *words[1:-1],
            *(f"{left} {right}" for left, right in pairwise(words)),
        ]:
            mark = zlib.crc32(feature.encode())
            row[mark % HASHED] += 1 if mark & 0x80000000 else -1
        row *= WORD_WEIGHT / np.maximum(np.linalg.norm(row), np.float32(1e-9))
    return rows


def features(encoder: Encoder, texts: Sequence[str]) -> Floats:
    """(texts, DIMENSIONS + HASHED) float32, what the weights multiply."""
    return np.concatenate([encoder.encode(texts), word_features(texts)], axis=1)


def softmax(scores: Floats) -> Floats:
    """Probabilities along the last axis."""
    raised = np.exp(scores - scores.max(axis=-1, keepdims=True))
    shares: Floats = raised / raised.sum(axis=-1, keepdims=True)
    return shares


@dataclass(frozen=True)
class Head:
    """The weights with what they were made from. Safe to use from several threads."""

    names: tuple[str, ...]
    weights: Floats
    """(DIMENSIONS + HASHED, labels)."""
    bias: Floats
    temperature: float
    """What scores are divided by, so that probabilities are as often right as they say."""
    threshold: float
    """Below this probability of the best label the planner should say that it did not understand."""
    digest: str
    """Of the phrases that the weights were trained on."""
    _known: OrderedDict[str, tuple[Guess, ...]] = field(
        default_factory=OrderedDict, repr=False, compare=False
    )
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False, compare=False)

    @classmethod
    def load(cls, path: Path = WEIGHTS, columns: int = DIMENSIONS + HASHED) -> Head:
        """Read the committed weights. HeadError when they cannot be read or have not so many columns."""
        try:
            with np.load(path, allow_pickle=False) as stored:
                head = cls(
                    names=tuple(str(name) for name in stored["names"]),
                    weights=stored["weights"].astype(np.float32),
                    bias=stored["bias"].astype(np.float32),
                    temperature=float(stored["temperature"]),
                    threshold=float(stored["threshold"]),
                    digest=str(stored["digest"]),
                )
        except (OSError, ValueError, KeyError) as error:
            raise HeadError(
                f"{path} cannot be read; make it with: python -m copilot.planner.train"
            ) from error
        if head.weights.shape != (columns, len(head.names)):
            raise HeadError(
                f"{path} has weights of shape {head.weights.shape}, not "
                f"({columns}, {len(head.names)}); make it again with the training beside it."
            )
        return head

    def save(self, path: Path = WEIGHTS) -> None:
        """Write what `load` reads, the weights in half precision."""
        np.savez_compressed(
            path,
            names=np.array(self.names),
            weights=self.weights.astype(np.float16),
            bias=self.bias,
            temperature=np.float32(self.temperature),
            threshold=np.float32(self.threshold),
            digest=np.array(self.digest),
        )

    def labels(self, masked_clauses: Sequence[str]) -> list[list[Guess]]:
        """For each masked clause its three likeliest labels with their probabilities, best first."""
        texts = [without_openers(clause.strip().lower()) for clause in masked_clauses]
        with self._lock:
            found = {text: self._known[text] for text in texts if text in self._known}
        new = [text for text in dict.fromkeys(texts) if text not in found]
        if new:
            found |= dict(zip(new, self._guess(new), strict=True))
        self._remember(found)
        return [list(found[text]) for text in texts]

    def probabilities(self, inputs: Floats) -> Floats:
        """(texts, labels) from the rows of `features`."""
        return softmax((inputs @ self.weights + self.bias) / np.float32(self.temperature))

    def _guess(self, texts: Sequence[str]) -> list[tuple[Guess, ...]]:
        shares = self.probabilities(features(shared_encoder(), texts))
        best = np.argsort(-shares, axis=1, kind="stable")[:, :BEST]
        return [
            tuple((self.names[index], float(row[index])) for index in order)
            for row, order in zip(shares, best, strict=True)
        ]

    def _remember(self, found: dict[str, tuple[Guess, ...]]) -> None:
        with self._lock:
            for text, guesses in found.items():
                self._known[text] = guesses
                self._known.move_to_end(text)
            while len(self._known) > _CACHED:
                self._known.popitem(last=False)

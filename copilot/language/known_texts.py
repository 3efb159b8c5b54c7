"""Known texts: the sentence vectors of what tools say of themselves, kept beside the policy.

Encoding them anew takes 14 s of one core; a text that is not among them, such as that of a tool added at run
time, is encoded when it is asked for.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from copilot.planner.encoder import DIMENSIONS, WEIGHTS_SHA256, Floats

KEY_BYTES = 8


class Encodes(Protocol):
    """What gives texts their vectors."""

    def encode(self, texts: Sequence[str]) -> Floats:
        """(texts, 384) of length one."""


@dataclass(frozen=True)
class KnownTexts:
    """Vectors of texts, by keys of these and of the encoder's weights: what changed is another text."""

    rows: dict[str, int] = field(default_factory=dict)
    vectors: Floats = field(default_factory=lambda: np.zeros((0, DIMENSIONS), np.float32))

    @classmethod
    def of(cls, texts: Sequence[str], encoder: Encodes) -> KnownTexts:
        """The vectors of these texts."""
        different = list(dict.fromkeys(texts))
        return cls({_key(text): n for n, text in enumerate(different)}, encoder.encode(different))

    def encode(self, texts: Sequence[str], encoder: Encodes) -> Floats:
        """(texts, 384) of length one: those that are known, and the others as `encoder` gives them."""
        rows = [self.rows.get(_key(text)) for text in texts]
        new = [text for text, row in zip(texts, rows, strict=True) if row is None]
        encoded = iter(encoder.encode(new) if new else ())
        found = [self.vectors[row] if row is not None else next(encoded) for row in rows]
        return np.stack(found) if found else np.zeros((0, DIMENSIONS), np.float32)


NO_TEXTS = KnownTexts()


@dataclass(frozen=True)
class Remembering:
    """An encoder that knows some texts already."""

    encoder: Encodes
    known: KnownTexts

    def encode(self, texts: Sequence[str]) -> Floats:
        """(texts, 384) of length one."""
        return self.known.encode(texts, self.encoder)


@dataclass
class Listening:
    """An encoder that keeps what it was asked for."""

    encoder: Encodes
    asked: list[str] = field(default_factory=list)

    def encode(self, texts: Sequence[str]) -> Floats:
        """(texts, 384) of length one."""
        self.asked += texts
        return self.encoder.encode(texts)


def _key(text: str) -> str:
    return hashlib.sha256(f"{WEIGHTS_SHA256}\n{text}".encode()).hexdigest()[: 2 * KEY_BYTES]

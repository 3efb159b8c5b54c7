"""New tools: those that no known request wants are read beside a request, so that it can want them.

Which of them come near is told by likeness to the phrases of their docstrings; what the nearest ones say of
themselves is then read together with the request by the same encoder, as a cross-encoder reads a pair.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import numpy as np
from tokenizers import Tokenizer

from copilot.language.grammar import Bools
from copilot.language.known_texts import Encodes
from copilot.language.network import NO_OFFERS, Offers
from copilot.planner.encoder import Floats
from tools.base import Tool
from tools.toolbox import Toolbox

OFFERED = 4
"""How many are read beside a request."""
SPOKEN = 2
"""Phrases that are read of each."""
MAX_PIECES = 24
"""Of what is read of each."""
MOST_PIECES = OFFERED * MAX_PIECES
"""Of what is read beside a request in all."""
SHARPNESS = 25.0
"""How much more the likeliest of a tool's phrases counts than the others."""
_SEP = 102


class Leaflets:
    """What the docstring of each tool says that people ask for, and its summary."""

    def __init__(self, toolbox: Toolbox, encoder: Encodes, tokenizer: Tokenizer) -> None:
        texts = [(*tool.phrases, summary(tool)) for tool in toolbox]
        self.vectors = encoder.encode([text for each in texts for text in each])
        """(phrases, 384), tool after tool."""
        counts = [len(each) for each in texts]
        self.of = np.repeat(np.arange(len(texts)), counts)
        """(phrases,) The number of each one's tool."""
        self._starts = np.concatenate([[0], np.cumsum(counts)[:-1]]).astype(np.intp)
        self._pieces = [
            tokenizer.encode(text, add_special_tokens=False).ids for each in texts for text in each
        ]
        self._projected, self._projection = self.vectors, np.eye(self.vectors.shape[1], dtype=np.float32)

    def project(self, projection: Floats) -> None:
        """Hold what is said against what is asked by this (384, 384) of their vectors, which was learned."""
        self._projection, self._projected = projection, _projected(self.vectors, projection)

    def likeness(self, parts: Floats) -> Floats:
        """(tools,) How alike the likest part of a request, (parts, 384), is to what each tool says."""
        cosines = _projected(parts, self._projection) @ self._projected.T
        sums = np.add.reduceat(np.exp(SHARPNESS * (cosines - 1)), self._starts, axis=1)
        return cast(Floats, (np.log(sums.max(axis=0)) / SHARPNESS).astype(np.float32))

    def offers(self, new: Bools, likeness: Floats, parts: Floats, at: int) -> Offers:
        """The new tools that are likest, as they are read behind the first `at` pieces."""
        if not new.any():
            return NO_OFFERS
        nearest = np.argsort(np.where(new, -likeness, np.inf), kind="stable")[: min(OFFERED, int(new.sum()))]
        cosines = (_projected(parts, self._projection) @ self._projected.T).max(axis=0)
        pieces: list[int] = []
        first: list[int] = []
        for number in nearest:
            first.append(at + len(pieces))
            pieces += self._leaflet(int(number), cosines)
        return Offers(np.array(pieces, np.intp), np.array(first, np.intp), nearest)

    def _leaflet(self, number: int, cosines: Floats) -> Sequence[int]:
        """The phrases of a tool that are likest, then its summary."""
        rows = np.flatnonzero(self.of == number)
        spoken = rows[:-1][np.argsort(-cosines[rows[:-1]], kind="stable")[:SPOKEN]]
        read = [piece for row in (*spoken, rows[-1]) for piece in self._pieces[row]]
        return [*read[: MAX_PIECES - 1], _SEP]


def summary(tool: Tool) -> str:
    """A tool's name in words, and what it does."""
    return f"{tool.name.replace('_', ' ')}: {tool.summary}"


def _projected(vectors: Floats, projection: Floats) -> Floats:
    values = vectors @ projection.T
    return cast(Floats, values / np.maximum(np.linalg.norm(values, axis=1, keepdims=True), 1e-9))

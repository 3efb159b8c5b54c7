"""How near a request is to each tool: by meaning (embeddings, FAISS) and by the words they share."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from copilot.planner.encoder import Floats
from copilot.planner.head import shared_encoder
from copilot.retrieval.documents import Document, stems
from copilot.retrieval.remembered import numbers_of, vectors_of
from copilot.retrieval.schema import FIND_TOOLS, function_of, sent, short_function_of
from copilot.retrieval.tokens import ENCODING, count_tokens
from tools.base import Tool

NEIGHBOURS = 300
"""Texts that are looked at for each part of a request; a tool that has none of them is far from it."""
WORDS_WEIGHT = 0.4
"""What sharing every word adds to a cosine."""


def flat_index(vectors: Floats) -> Any:
    """A FAISS index that compares with every one of (texts, dimensions) vectors of length one."""
    import faiss

    # A thousand vectors are searched faster than threads are started: 23 ms with two on a busy machine.
    faiss.omp_set_num_threads(1)
    index = faiss.IndexFlatIP(vectors.shape[1])
    index.add(vectors)
    return index


class Index:
    """The tools' texts, embedded once and remembered. Safe to use from several threads."""

    def __init__(self, tools: Sequence[Tool], home: Path | None = None) -> None:
        self.tools = tuple(tools)
        self._home = home
        self._documents = tuple(Document(tool) for tool in tools)
        self._owner = np.array(
            [number for number, each in enumerate(self._documents) for _ in each.texts], dtype=np.intp
        )

    @cached_property
    def tokens(self) -> dict[str, int]:
        """What each tool's schema costs in a list of tools, the comma behind it included, and FIND_TOOLS's.

        Their sum is never less than what the list costs as a whole, and at most 2 % more.
        """
        return self._counted([*(function_of(tool) for tool in self.tools), FIND_TOOLS])

    @cached_property
    def short_tokens(self) -> dict[str, int]:
        """The same of the tools' short forms."""
        return self._counted([short_function_of(tool) for tool in self.tools])

    def _counted(self, functions: Sequence[dict[str, Any]]) -> dict[str, int]:
        texts = [sent([function])[1:-1] + "," for function in functions]
        counted = numbers_of(texts, count_tokens, f"tool-tokens-{ENCODING}", self._home)
        return dict(zip((each["function"]["name"] for each in functions), counted, strict=True))

    def scores(self, parts: Sequence[str]) -> Floats:
        """(parts, tools) float32: the cosine of the nearest of a tool's texts, and more for shared words."""
        encoded = shared_encoder().recall(parts)
        return self._by_meaning(encoded) + np.float32(WORDS_WEIGHT) * self._by_words(parts)

    def nearness(self, query: str) -> float:
        """The cosine of the text of any tool that is nearest in meaning, 1 for the same words."""
        return float(self._faiss.search(shared_encoder().recall([query]), 1)[0][0][0])

    def _by_meaning(self, encoded: Floats) -> Floats:
        searched = min(NEIGHBOURS, len(self._owner))
        cosines, rows = self._faiss.search(encoded, searched)
        found = np.full((len(encoded), len(self.tools)), cosines.min(axis=1, keepdims=True), dtype=np.float32)
        for part, (values, texts) in enumerate(zip(cosines, rows, strict=True)):
            np.maximum.at(found[part], self._owner[texts], values)
        return found

    def _by_words(self, parts: Sequence[str]) -> Floats:
        found = np.zeros((len(parts), len(self.tools)), dtype=np.float32)
        columns, weights, held = self._vocabulary
        for part, text in enumerate(parts):
            known = sorted({columns[word] for word in stems(text) if word in columns})
            if known:
                found[part] = held[:, known].sum(axis=1) / weights[known].sum()
        return found

    @cached_property
    def _vocabulary(self) -> tuple[dict[str, int], Floats, Floats]:
        """Each stem's column; (stems,) weights, more where few tools have it; (tools, stems) who has it."""
        counts = Counter(word for each in self._documents for word in each.words)
        columns = {word: column for column, word in enumerate(sorted(counts))}
        weights = np.array(
            [math.log(1 + len(self._documents) / counts[word]) for word in columns], dtype=np.float32
        )
        held = np.zeros((len(self._documents), len(columns)), dtype=np.float32)
        for row, document in enumerate(self._documents):
            at = [columns[word] for word in document.words]
            held[row, at] = weights[at]
        return columns, weights, held

    @cached_property
    def _faiss(self) -> Any:
        texts = [text for each in self._documents for text in each.texts]
        vectors = vectors_of(texts, shared_encoder().encode, "tools", self._home)
        return flat_index(vectors)

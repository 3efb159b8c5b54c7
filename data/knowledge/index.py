"""Texts found by their meaning, in a FAISS index, and by their words, in a BM25 index (bm25s).

Both are exact, every text is compared; but of LARGE vectors and more those in the cells nearest to the query
(an inverted file, Jégou et al. 2011, doi:10.1109/TPAMI.2010.57). BM25 as Lucene has it, k1 = 1.5, b = 0.75
(Robertson and Zaragoza 2009, doi:10.1561/1500000019; bm25s: Lù 2024, arXiv:2407.03618). The two are fused by
reciprocal ranks (Cormack et al. 2009, doi:10.1145/1571941.1572114).
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from data.knowledge.words import content_stems

Floats = NDArray[np.float32]
Encode = Callable[[Sequence[str]], Floats]
"""Texts to (texts, DIMENSIONS) vectors of length one."""
Hits = list[tuple[int, float]]
"""(row, score), best first."""
DIMENSIONS = 384
RANK_OFFSET = 60
"""The constant of reciprocal rank fusion, as published."""


LARGE = 40_000
_CELLS, _VISITED = 256, 32
_TRAINED_ON = 20_000


class Meanings:
    """Vectors of length one in a FAISS index of inner products, which are cosines."""

    def __init__(self, vectors: Floats) -> None:
        import faiss

        rows = np.ascontiguousarray(vectors, dtype=np.float32).reshape(-1, DIMENSIONS)
        self._index: Any = faiss.IndexFlatIP(DIMENSIONS)
        if len(rows) >= LARGE:
            flat: Any = faiss.IndexFlatIP(DIMENSIONS)
            self._index = faiss.IndexIVFFlat(flat, DIMENSIONS, _CELLS, faiss.METRIC_INNER_PRODUCT)
            self._index.own_fields = True  # which the index frees with itself
            flat.this.disown()
            self._index.nprobe = _VISITED
            self._index.train(rows[:: max(1, len(rows) // _TRAINED_ON)])
        self._index.add(rows)
        self._look_up()

    def _look_up(self) -> None:
        """Let an inverted file tell its vectors by their rows."""
        if hasattr(self._index, "make_direct_map"):
            self._index.make_direct_map()

    @property
    def size(self) -> int:
        """How many vectors there are."""
        return int(self._index.ntotal)

    def nearest(self, queries: Floats, k: int, keep: NDArray[np.bool_] | None = None) -> list[Hits]:
        """For each of (n, DIMENSIONS) queries its `k` nearest rows with their cosines, of those kept."""
        import faiss

        k = min(k, self.size)
        if k == 0 or len(queries) == 0:
            return [[] for _ in queries]
        if keep is None:
            cosines, rows = self._index.search(np.ascontiguousarray(queries, dtype=np.float32), k)
        else:
            cells = hasattr(self._index, "nprobe")
            chosen: Any = faiss.SearchParametersIVF() if cells else faiss.SearchParameters()
            if cells:
                chosen.nprobe = _VISITED
            selector = faiss.IDSelectorBatch(np.flatnonzero(keep))
            chosen.sel = selector  # which FAISS only points to: it lives until the search is over
            cosines, rows = self._index.search(np.ascontiguousarray(queries), k, params=chosen)
        return [
            [(int(row), float(cosine)) for row, cosine in zip(found, near, strict=True) if row >= 0]
            for found, near in zip(rows, cosines, strict=True)
        ]

    def of(self, rows: Sequence[int]) -> Floats:
        """(rows, DIMENSIONS) vectors as they were added."""
        found = [self._index.reconstruct(int(row)) for row in rows]
        return np.array(found, dtype=np.float32).reshape(-1, DIMENSIONS)

    def save(self, file: Path) -> None:
        """Write the index as FAISS does."""
        import faiss

        faiss.write_index(self._index, str(file))

    @classmethod
    def load(cls, file: Path) -> Meanings:
        """The index of a file that `save` wrote."""
        import faiss

        made = cls.__new__(cls)
        made._index = faiss.read_index(str(file))
        made._look_up()
        return made


class Words:
    """Texts by the stems of their words, ranked by BM25."""

    def __init__(self, texts: Iterable[str]) -> None:
        stems = [content_stems(each) for each in texts]
        self._size = len(stems)
        self._bm25 = _empty_bm25()
        if any(stems):
            self._bm25.index(stems, show_progress=False)
        self._frequencies = _document_frequencies(stems)

    @property
    def size(self) -> int:
        """How many texts there are."""
        return self._size

    def scores(self, text: str) -> Floats:
        """(size,) The BM25 score of each text for the words of `text`."""
        known = [each for each in content_stems(text) if each in self._frequencies]
        if not known:
            return np.zeros(self._size, dtype=np.float32)
        found: Floats = self._bm25.get_scores(known)
        return found

    def nearest(self, text: str, k: int, keep: NDArray[np.bool_] | None = None) -> Hits:
        """The `k` best rows that share a word with `text`, of those kept; of equal ones the first."""
        scores = self.scores(text)
        if keep is not None:
            scores = np.where(keep, scores, 0)
        rows = _best(scores, k)
        return [(int(row), float(scores[row])) for row in rows if scores[row] > 0]

    @property
    def frequencies(self) -> Mapping[str, int]:
        """In how many texts each stem stands."""
        return self._frequencies

    @cached_property
    def commonest(self) -> int:
        """In how many texts the commonest stem stands."""
        return max(self._frequencies.values(), default=1)

    def save(self, folder: Path) -> None:
        """Write the index into a folder."""
        folder.mkdir(parents=True, exist_ok=True)
        if self._frequencies:
            self._bm25.save(str(folder), show_progress=False)
        about = {"size": self._size, "frequencies": self._frequencies}
        (folder / "frequencies.json").write_text(json.dumps(about), encoding="utf-8")

    @classmethod
    def load(cls, folder: Path) -> Words:
        """The index of a folder that `save` wrote."""
        import bm25s

        about = json.loads((folder / "frequencies.json").read_text(encoding="utf-8"))
        made = cls.__new__(cls)
        made._size, made._frequencies = int(about["size"]), about["frequencies"]
        made._bm25 = bm25s.BM25.load(str(folder)) if made._frequencies else _empty_bm25()
        return made


def _empty_bm25() -> Any:
    import bm25s

    logging.getLogger("bm25s").setLevel(logging.WARNING)  # it reports each step
    return bm25s.BM25()


def _document_frequencies(stems: Sequence[Sequence[str]]) -> dict[str, int]:
    found: dict[str, int] = {}
    for each in stems:
        for one in set(each):
            found[one] = found.get(one, 0) + 1
    return found


def _best(scores: Floats, k: int) -> NDArray[np.intp]:
    if k < len(scores):
        # argpartition first: sorting 100,000 scores takes ten times as long as finding the best of them.
        rows = np.sort(np.argpartition(-scores, k)[:k])
    else:
        rows = np.arange(len(scores))
    return rows[np.argsort(-scores[rows], kind="stable")]


def fused(rankings: Iterable[tuple[float, Sequence[int]]], k: int) -> Hits:
    """Rankings, each with its weight, as one: the sum of weight ÷ (60 + rank), the first rank is 1."""
    scores: dict[int, float] = {}
    for weight, rows in rankings:
        for rank, row in enumerate(rows, start=1):
            scores[row] = scores.get(row, 0.0) + weight / (RANK_OFFSET + rank)
    return sorted(scores.items(), key=lambda each: (-each[1], each[0]))[:k]

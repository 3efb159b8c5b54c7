"""A hundred thousand passages: how long a question takes, building them, and adding one document more.

python -m benches.knowledge.many [--passages 100000] [--json]

The passages are made from a seed: sentences of made words that come as often as words do (Zipf). Their
vectors are made too, for nothing is measured of what is found; the questions are encoded by the real encoder,
whose time is in the figures. The shelf of what is built in is searched beside them.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import resource
import tempfile
from collections.abc import Sequence
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from copilot.engine import encode_texts
from data.knowledge.answer import answered
from data.knowledge.base import Base, Seen
from data.knowledge.built_in import built_in
from data.knowledge.dualrag import retrieve
from data.knowledge.index import DIMENSIONS, Floats
from data.knowledge.measuring import quantile
from data.knowledge.own import New, People
from data.knowledge.passages import Part

_WORDS = 20_000
_PER_DOCUMENT = 100
_QUESTIONS = 100
_TODAY = "2026-11-28"


def made_vectors(texts: Sequence[str]) -> Floats:
    """A vector of length one for each text, always the same for the same text."""
    found = np.empty((len(texts), DIMENSIONS), dtype=np.float32)
    for row, text in zip(found, texts, strict=True):
        seed = int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")
        row[:] = np.random.default_rng(seed).standard_normal(DIMENSIONS, dtype=np.float32)
    unit: Floats = found / np.linalg.norm(found, axis=1, keepdims=True)
    return unit


class Writer:
    """Writes passages of about 60 words, a page each."""

    def __init__(self, seed: int) -> None:
        self.rng = np.random.default_rng(seed)
        ends = ("an", "or", "ite", "ane", "ium", "ola", "eck", "ist")
        self.words = np.array([f"q{at:x}{ends[at % len(ends)]}" for at in range(_WORDS)])
        share = 1 / np.arange(1, _WORDS + 1)
        self.share = share / share.sum()

    def document(self, number: int, passages: int = _PER_DOCUMENT) -> New:
        """A document of so many pages."""
        parts = [Part(self.page(), page) for page in range(1, passages + 1)]
        return New(f"made/{number:05}.txt", hashlib.sha256(f"{number}".encode()).hexdigest(), parts)

    def page(self) -> str:
        """Five sentences."""
        drawn = self.rng.choice(self.words, size=(5, 10), p=self.share)
        return " ".join(f"The {' '.join(row[:5])} of the {' '.join(row[5:])}." for row in drawn)

    def question(self) -> str:
        """A question of words that come somewhere."""
        one, two, three = self.rng.choice(self.words, size=3, p=self.share)
        return f"What does the {one} {two} say of {three}?"


def main(arguments: Sequence[str] | None = None) -> int:
    """Build, add, ask; print what it took."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--passages", type=int, default=100_000)
    parser.add_argument("--json", action="store_true")
    chosen = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        told = measured(Path(folder), chosen.passages)
    print(json.dumps(told) if chosen.json else "\n".join(f"{key:<16} {each}" for key, each in told.items()))
    return 0


def measured(folder: Path, passages: int) -> dict[str, Any]:
    """Seconds and milliseconds of all of it."""
    people, writer, known = People(folder), Writer(16), built_in(encode_texts)
    documents = [writer.document(number) for number in range(max(1, passages // _PER_DOCUMENT))]
    began = perf_counter()
    people.add("ann", documents, known, made_vectors, _TODAY)
    build_s = perf_counter() - began
    began = perf_counter()
    people.add("ann", [writer.document(-1, 10)], known, made_vectors, _TODAY)
    add_s = perf_counter() - began
    base = Base((Seen(known), *people.seen("ann")), encode_texts)
    retrieved, said = [], []
    for _ in range(_QUESTIONS + 1):
        question = writer.question()
        began = perf_counter()
        found = retrieve(base, question)
        middle = perf_counter()
        answered(base, found)
        retrieved.append(1000 * (middle - began))
        said.append(1000 * (perf_counter() - began))
    # The first question makes what is made once.
    return {
        "passages": base.passages,
        "build_s": round(build_s, 1),
        "add_document_s": round(add_s, 2),
        "first_ms": round(said[0]),
        "retrieve_p50_ms": round(quantile(retrieved[1:], 0.5)),
        "retrieve_p95_ms": round(quantile(retrieved[1:], 0.95)),
        "answer_p50_ms": round(quantile(said[1:], 0.5)),
        "answer_p95_ms": round(quantile(said[1:], 0.95)),
        "peak_mib": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024),
    }


if __name__ == "__main__":
    raise SystemExit(main())

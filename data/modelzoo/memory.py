"""Task memory: which past request is like this one, by cosine similarity of what they ask for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from data.modelzoo.query import Query
from data.modelzoo.retrieval import PLAIN_FIELDS, typed, typed_query
from data.modelzoo.vectors import Floats, Vectors

ALIKE = 0.8
"""The cosine from which on a past request is told of."""


@dataclass(frozen=True)
class Past:
    """A past request and what came first for it."""

    handle: str
    """Where its recommendation is: the id of its table."""
    query: Query
    first: str


def nearest(query: Query, past: Sequence[Past], vectors: Vectors) -> tuple[Past, float] | None:
    """The likest past request with its cosine; None where none is like it."""
    held = [each for each in past if each.query.given()]
    if not held or not query.given():
        return None
    cosines = np.stack([_meaning(each.query, vectors) for each in held]) @ _meaning(query, vectors)
    at = max(range(len(held)), key=lambda number: float(cosines[number]))
    return (held[at], float(cosines[at])) if cosines[at] >= ALIKE else None


def _meaning(query: Query, vectors: Vectors) -> Floats:
    """(dimensions,) of length one: the mean of what the query says, field by field; no text is encoded
    anew.
    """
    said = [typed(kind, value) for kind, value in typed_query(query)]
    said += [typed(name, str(value)) for name, value in query.given().items() if name in PLAIN_FIELDS]
    mean = vectors.of(said or [""]).mean(axis=0)
    length = float(np.linalg.norm(mean)) or 1.0
    return np.asarray(mean / length, dtype=np.float32)

"""Task-Aware Retrieval: documents of the Solution Space by what a request says and which task it is."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from copilot.planner.encoder import Floats
from copilot.planner.head import shared_encoder
from copilot.retrieval.index import flat_index
from copilot.retrieval.remembered import vectors_of
from copilot.solutions.infer import Inferred, infer_tasks
from copilot.solutions.space import Solution, solutions

DOCUMENTS = 3
_TASK_WEIGHT = 3.0
"""What a certain task adds to the cosine of its document: the task decides, the words break ties."""


@dataclass(frozen=True)
class _Space:
    documents: tuple[Solution, ...]
    index: Any
    """FAISS, inner product of vectors of length one."""

    def cosines(self, text: str) -> Floats:
        """(documents,) float32."""
        values, rows = self.index.search(shared_encoder().recall([text]), len(self.documents))
        found = np.empty(len(self.documents), dtype=np.float32)
        found[rows[0]] = values[0]
        return found


@cache
def _space() -> _Space:
    documents = tuple(solutions().values())
    vectors = vectors_of([each.text for each in documents], shared_encoder().encode, "solutions")
    return _Space(documents, flat_index(vectors))


def search_solutions(
    request: str,
    tasks: Sequence[Inferred] = (),
    k: int = DOCUMENTS,
    among: Collection[str] | None = None,
) -> tuple[Solution, ...]:
    """The k documents that fit best (of the tasks in `among`, when given); without inferred tasks by the
    request's words alone."""
    space = _space()
    scores = space.cosines(request).astype(np.float64)
    shares = {each.task: each.score for each in tasks}
    scores += _TASK_WEIGHT * np.array([shares.get(each.task, 0.0) for each in space.documents])
    ranked = [space.documents[row] for row in np.argsort(-scores, kind="stable")]
    return tuple(each for each in ranked if among is None or each.task in among)[:k]


def first_tool(request: str, image: Mapping[str, Any] | None = None) -> str:
    """The tool that the solution for a request begins with."""
    return search_solutions(request, infer_tasks(request, image), k=1)[0].first

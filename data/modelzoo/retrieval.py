"""Retrieval: models whose typed fields are near to those of a query, by cosine in FAISS, with high recall.

Each value of a record is embedded with its type before it (`application: flood mapping`), each distinct one
once; a model's likeness in a field is that of its likest value, its score the sum over the fields that the
query names.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from data.modelzoo.lexicon import lexicon
from data.modelzoo.profile import Profile
from data.modelzoo.query import Query
from data.modelzoo.vectors import Vectors

MOST = 100
"""How many models go on to the hard constraints: more than half of the collection, for recall."""
PLAIN_FIELDS = ("deployment_device", "available_data", "complexity")
"""Fields of a query with few values, which no record has: past requests are compared by them too."""
UNSTATED = 0.3
"""The likeness of a field that a record does not state: about that of unrelated values."""


@dataclass(frozen=True)
class Retrieved:
    """A model with its likeness to a query, 0 to 1 for each field that the query names, on average."""

    model: Profile
    likeness: float


class Retriever:
    """Searches the typed fields of a collection. Safe to use from several threads."""

    def __init__(self, models: Sequence[Profile], vectors: Vectors) -> None:
        self._models = tuple(models)
        self._vectors = vectors
        owners: defaultdict[str, defaultdict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
        for number, model in enumerate(self._models):
            for kind, value in typed_fields(model):
                owners[kind][typed(kind, value)].append(number)
        self._owners = {kind: list(values.values()) for kind, values in owners.items()}
        self._indexes = {kind: _flat(vectors.of(list(values))) for kind, values in owners.items()}

    def search(self, query: Query, most: int = MOST) -> tuple[Retrieved, ...]:
        """The likest models, best first; all of them, in their order, where the query names no field."""
        wanted = list(typed_query(query))
        likeness = np.zeros(len(self._models), dtype=np.float32)
        for kind, value in wanted:
            likeness += self._likeness(kind, typed(kind, value))
        likeness /= max(1, len(wanted))
        order = np.argsort(-likeness, kind="stable")[:most]
        return tuple(Retrieved(self._models[at], float(likeness[at])) for at in order)

    def _likeness(self, kind: str, text: str) -> NDArray[np.float32]:
        """(models,) The cosine of each model's likest value of a kind."""
        found = np.full(len(self._models), UNSTATED, dtype=np.float32)
        if (index := self._indexes.get(kind)) is None:
            return found
        cosines, rows = index.search(self._vectors.of([text]), index.ntotal)
        for cosine, row in zip(cosines[0], rows[0], strict=True):
            members = self._owners[kind][row]
            found[members] = np.maximum(found[members], cosine)
        return found


def typed(kind: str, value: str) -> str:
    """A value as it is embedded."""
    return f"{kind}: {value}"


def typed_fields(model: Profile) -> Iterator[tuple[str, str]]:
    """(type, value) of what is embedded of a model."""
    yield from (("application", each) for each in model.applications)
    yield from (("task", each) for each in sorted(model.kinds))
    yield from (("modality", each) for each in sorted(model.modalities))
    yield from (("sensor", each) for each in sorted(model.sensors))
    yield from (("region", each) for each in sorted(model.regions))


def typed_query(query: Query) -> Iterator[tuple[str, str]]:
    """(type, value) of what a query names."""
    if query.application is not None:
        yield "application", query.application
        known = lexicon().applications.get(query.application)
        if known is not None:
            yield "task", known.kind
    yield from (("modality", each) for each in query.modalities)
    yield from (("sensor", each) for each in query.sensors)
    if query.region is not None:
        yield "region", query.region


def texts_of(models: Sequence[Profile]) -> list[str]:
    """Every text that searching these models may need a vector of."""
    words = lexicon()
    regions = {each.value for found in words.phrases.values() for each in found if each.slot == "region"}
    values: Mapping[str, Iterable[str]] = {
        "application": words.applications,
        "task": {each.kind for each in words.applications.values()},
        "modality": words.modalities,
        "sensor": words.sensors,
        "region": regions,
        **{name: get_args(_literal(name)) for name in PLAIN_FIELDS},
    }
    held = {typed(kind, value) for model in models for kind, value in typed_fields(model)}
    return sorted(held | {typed(kind, value) for kind, named in values.items() for value in named})


def _literal(field: str) -> Any:
    """The values that a field of a query has."""
    return next(each for each in get_args(Query.model_fields[field].annotation) if get_args(each))


def _flat(vectors: NDArray[np.float32]) -> Any:
    """A FAISS index that compares with every one."""
    import faiss

    faiss.omp_set_num_threads(1)  # a few hundred vectors are searched faster than threads are started
    index = faiss.IndexFlatIP(vectors.shape[1])
    index.add(vectors)
    return index

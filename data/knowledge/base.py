"""The knowledge base as one person sees it: shelves that are searched together, in four modes.

A shelf is ranked by the vectors and the words of its passages, by its entities and by its relations; what an
entity or a relation leads to are the passages that it stands in. The modes are those of LightRAG (Guo et al.
2024, arXiv:2410.05779): local searches entities, global relations, hybrid all there is.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from data.knowledge.index import RANK_OFFSET, Encode, Floats
from data.knowledge.keywords import Rarity
from data.knowledge.model import Passage
from data.knowledge.shelf import Shelf

Mode = Literal["hybrid", "local", "global", "passages"]
MODES: tuple[Mode, ...] = get_args(Mode)
Place = tuple[int, int]
"""(number of the shelf, row of the passage)."""
_PER_ENTITY = 3
_NAMED, _NEXT_TO = 3.0, 2.0
"""Scores before any cosine: what a text names comes first, then what a relation joins with it."""
_NEIGHBOURS = 40
_SEARCHED = 30
"""How far down a ranking it still counts."""
_PARTS: Mapping[Mode, Mapping[str, float]] = {
    "hybrid": {"meaning": 1.0, "words": 1.0, "entities": 0.7, "relations": 0.3},
    "local": {"entities": 1.0},
    "global": {"relations": 1.0},
    "passages": {"meaning": 1.0, "words": 1.0},
}


@dataclass(frozen=True, eq=False)
class Seen:
    """A shelf, and which of its passages may be seen."""

    shelf: Shelf
    keep: NDArray[np.bool_] | None = None
    """(passages,); None for all of them."""

    def may(self, row: int) -> bool:
        """Whether the passage of that row may be seen."""
        return self.keep is None or bool(self.keep[row])


@dataclass(frozen=True, eq=False)
class Base:
    """Shelves with the encoder that their vectors are by."""

    shelves: tuple[Seen, ...]
    encode: Encode

    @property
    def passages(self) -> int:
        """How many passages are searched."""
        return sum(
            len(each.shelf.passages) if each.keep is None else int(each.keep.sum()) for each in self.shelves
        )

    @cached_property
    def rarity(self) -> Rarity:
        """How rare words are in them."""
        return Rarity([each.shelf.words.frequencies for each in self.shelves], max(1, self.passages))

    def passage(self, place: Place) -> Passage:
        """The passage of that place."""
        return self.shelves[place[0]].shelf.passages[place[1]]

    def named(self, passage_id: str) -> Passage | None:
        """The passage of that id, where it may be seen."""
        for each in self.shelves:
            row = each.shelf.rows.get(passage_id)
            if row is not None and each.may(row):
                return each.shelf.passages[row]
        return None

    def named_places(self, text: str) -> set[Place]:
        """The passages that are about what a text names."""
        return {
            (number, seen.shelf.entities[seen.shelf.entity_rows[entity]].passages[0])
            for number, seen in enumerate(self.shelves)
            for link in seen.shelf.linker.links(text)
            for entity in link.entities
        }

    def next_to(self, number: int, row: int) -> list[Place]:
        """The passages that relations join with one, of those that may be seen."""
        seen = self.shelves[number]
        return [(number, other) for other in seen.shelf.neighbours.get(row, ()) if seen.may(other)]

    def ranked(self, texts: Sequence[str], vectors: Floats, k: int, mode: Mode) -> list[list[Place]]:
        """For each text the `k` best places, best first; `vectors` are the texts'."""
        parts = _PARTS[mode]
        rankings: list[list[tuple[float, list[Place]]]] = [[] for _ in texts]
        depth = max(k, _SEARCHED)
        for part, weight in parts.items():
            found = (
                self._by_words(texts, depth) if part == "words" else self._near(part, texts, vectors, depth)
            )
            for each, places in zip(rankings, found, strict=True):
                each.append((weight, places))
        return [fused_places(each)[:k] for each in rankings]

    def cosines(self, places: Sequence[Place], vector: Floats) -> Floats:
        """(places,) How near each passage is to a vector in meaning."""
        found = np.zeros(len(places), dtype=np.float32)
        for at, (number, row) in enumerate(places):
            found[at] = float(self.shelves[number].shelf.meanings["passages"].of([row])[0] @ vector)
        return found

    def _near(self, part: str, texts: Sequence[str], vectors: Floats, k: int) -> list[list[Place]]:
        kind = "passages" if part == "meaning" else part
        found: list[list[tuple[float, Place]]] = [[] for _ in texts]
        for number, seen in enumerate(self.shelves):
            keep = seen.keep if kind == "passages" else None
            hits = seen.shelf.meanings[kind].nearest(vectors, k, keep)
            for text, each, near in zip(texts, found, hits, strict=True):
                for row, cosine in near:
                    each += [
                        (cosine, (number, at)) for at in _leads_to(seen.shelf, kind, row) if seen.may(at)
                    ]
                if kind == "entities":
                    each += [(score, (number, at)) for at, score in _named(seen.shelf, text) if seen.may(at)]
        return [_best_first(each, k) for each in found]

    def _by_words(self, texts: Sequence[str], k: int) -> list[list[Place]]:
        return [
            _best_first(
                [
                    (score, (number, row))
                    for number, seen in enumerate(self.shelves)
                    for row, score in seen.shelf.words.nearest(text, k, seen.keep)
                ],
                k,
            )
            for text in texts
        ]


def _named(shelf: Shelf, text: str) -> list[tuple[int, float]]:
    """Passages of what the text names and of what is next to that, before all that is only near it."""
    found: dict[int, float] = {}
    for entity in dict.fromkeys(entity for link in shelf.linker.links(text) for entity in link.entities):
        passages = shelf.entities[shelf.entity_rows[entity]].passages[:_PER_ENTITY]
        for place, row in enumerate(passages):
            own = 0.5 if place == 0 else 0.0  # the passage that is about it, before those that mention it
            found[row] = max(found.get(row, 0.0), _NAMED + own)
        for row in shelf.neighbours.get(passages[0], ())[:_NEIGHBOURS] if passages else ():
            found[row] = found.get(row, _NEXT_TO) + (0.01 if row in found else 0.0)
    return list(found.items())


def _leads_to(shelf: Shelf, kind: str, row: int) -> tuple[int, ...]:
    if kind == "passages":
        return (row,)
    return (shelf.entities if kind == "entities" else shelf.relations)[row].passages[:_PER_ENTITY]


def _best_first(scored: Iterable[tuple[float, Place]], k: int) -> list[Place]:
    ordered = sorted(scored, key=lambda each: -each[0])  # stable: an entity's own passage stays first
    return list(dict.fromkeys(place for _, place in ordered))[:k]


def fused_places(rankings: Iterable[tuple[float, Sequence[Place]]]) -> list[Place]:
    """Rankings with their weights as one, by reciprocal ranks."""
    scores: dict[Place, float] = {}
    for weight, places in rankings:
        for rank, place in enumerate(places, start=1):
            scores[place] = scores.get(place, 0.0) + weight / (RANK_OFFSET + rank)
    return sorted(scores, key=lambda each: (-scores[each], each))

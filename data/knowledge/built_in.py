"""The shelf that comes with Azimuth: the entries, and Azimuth's own documents.

Its vectors are kept in the repository, so that nothing is encoded where nothing has changed; `copilot
knowledge build` makes them anew.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from data.knowledge.entries import FOLDER, read_entries
from data.knowledge.graph import Linker, entry_entities, entry_relations, read_entities
from data.knowledge.index import DIMENSIONS, Encode, Floats
from data.knowledge.model import BUILT_IN, Entity, Passage, Relation
from data.knowledge.passages import documents_of, passage_of
from data.knowledge.shelf import Remembered, Shelf, made, text_key

VECTORS = Path(__file__).parent / "built_in.npz"
DOCUMENTS = Path(__file__).parents[2] / "docs"
_ENCODED_AT_ONCE = 64
_log = logging.getLogger(__name__)
_WRITTEN = 128
"""Texts between two writings."""


@dataclass(frozen=True)
class Parts:
    """What a shelf is made of."""

    passages: tuple[Passage, ...]
    entities: tuple[Entity, ...]
    relations: tuple[Relation, ...]

    @property
    def texts(self) -> list[str]:
        """What its vectors are of."""
        rows: tuple[Entity | Relation | Passage, ...] = (*self.entities, *self.relations, *self.passages)
        return [each.searched for each in rows]


def parts_of(entries: Path = FOLDER, documents: Path = DOCUMENTS) -> Parts:
    """The passages, entities and relations of entries and documents. Raises KnowledgeError."""
    found = read_entries(entries)
    titles = {each.id: each.title.partition(" (")[0] for each in found}
    passages = [*(passage_of(each, titles) for each in found), *documents_of(documents)]
    entities = entry_entities(found, passages)
    return Parts(tuple(passages), tuple(entities), tuple(entry_relations(found)))


def remember(
    parts: Parts, encode: Encode, progress: Callable[[float, str], None], file: Path = VECTORS
) -> int:
    """Write the vectors of those parts, and keep those that are known: how many were new.

    What is encoded is written now and then, so that no more than a little is lost when it is stopped.
    """
    texts = list(dict.fromkeys(parts.texts))
    known = Remembered.load(file)
    new = [each for each in texts if text_key(each) not in known.keys]
    for first in range(0, len(new), _WRITTEN):
        vectors = encode(new[first : first + _WRITTEN])
        known = known.with_new(new[first : first + _WRITTEN], vectors)
        known.save(file)
        progress(min(1.0, (first + _WRITTEN) / len(new)), "Encoding")
    known.only(texts).save(file)
    return len(new)


_lock = threading.Lock()
_kept: list[tuple[Encode, Shelf]] = []


def built_in(encode: Encode) -> Shelf:
    """The shelf of this process, made once. Raises KnowledgeError for an entry that is not one."""
    with _lock:
        for known, shelf in _kept:
            if known is encode:
                return shelf
        shelf = shelf_of(parts_of(), encode)
        _kept[:] = [(encode, shelf)]
        return shelf


def shelf_of(parts: Parts, encode: Encode, file: Path = VECTORS) -> Shelf:
    """A shelf of those parts, its vectors out of the file.

    A few texts that are not in it are encoded at once. Of many, whoever asks first would wait for minutes:
    those are found by their words alone until `copilot knowledge build` has encoded them.
    """
    known = Remembered.load(file)
    new = sum(text_key(each) not in known.keys for each in set(parts.texts))
    if new > _ENCODED_AT_ONCE:
        _log.warning("%d texts of the knowledge base have no vector yet; run: copilot knowledge build", new)
    vectors = known.lookup(encode if new <= _ENCODED_AT_ONCE else _none)
    return made(BUILT_IN, parts.passages, parts.entities, parts.relations, vectors)


def _none(texts: Sequence[str]) -> Floats:
    """Vectors that are near nothing."""
    return np.zeros((len(texts), DIMENSIONS), dtype=np.float32)


def passage_shelf(passages: Sequence[Passage], encode: Encode) -> Shelf:
    """A shelf of passages alone, for what is searched once."""
    entities = read_entities(passages, Linker(()), {})
    return made("passages", passages, entities, (), encode)

"""A shelf: passages with the entities and relations in them, indexed, in memory and in files."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from data.knowledge.graph import Linker
from data.knowledge.index import DIMENSIONS, Encode, Floats, Meanings, Words
from data.knowledge.model import BUILT_IN, Entity, Passage, Relation

Lookup = Callable[[Sequence[str]], Floats]
_FILES = ("passages", "entities", "relations")


@dataclass(frozen=True, eq=False)
class Shelf:
    """What is searched together: rows of the three kinds, each with an index of its vectors."""

    name: str
    passages: tuple[Passage, ...]
    entities: tuple[Entity, ...]
    relations: tuple[Relation, ...]
    meanings: Mapping[str, Meanings] = field(repr=False)
    """By kind: passages, entities, relations."""
    words: Words = field(repr=False)
    """Of the passages."""

    @cached_property
    def linker(self) -> Linker:
        """Finds the entities' names in texts."""
        return Linker(self.entities)

    @cached_property
    def entity_rows(self) -> Mapping[str, int]:
        """The entities' rows by their ids."""
        return {each.id: row for row, each in enumerate(self.entities)}

    @cached_property
    def rows(self) -> Mapping[str, int]:
        """The passages' rows by their ids."""
        return {each.id: row for row, each in enumerate(self.passages)}

    @cached_property
    def neighbours(self) -> Mapping[int, tuple[int, ...]]:
        """For each passage the rows of the others that a relation joins it with."""
        found: dict[int, dict[int, None]] = {}
        for relation in self.relations:
            for row in relation.passages:
                found.setdefault(row, {}).update((other, None) for other in relation.passages if other != row)
        return {row: tuple(others) for row, others in found.items()}

    def documented(self, of_documents: bool) -> NDArray[np.bool_]:
        """(passages,) Which of them are of documents, or else which are entries."""
        return np.array(
            [(each.document != BUILT_IN) == of_documents for each in self.passages], dtype=np.bool_
        )

    def save(self, folder: Path) -> None:
        """Write it into an empty folder."""
        folder.mkdir(parents=True, exist_ok=True)
        for kind in _FILES:
            lines = [json.dumps(asdict(each), ensure_ascii=False) for each in getattr(self, kind)]
            (folder / f"{kind}.jsonl").write_text("".join(f"{each}\n" for each in lines), encoding="utf-8")
            self.meanings[kind].save(folder / f"{kind}.faiss")
        self.words.save(folder / "words")

    @classmethod
    def load(cls, folder: Path, name: str) -> Shelf:
        """The shelf of a folder that `save` wrote. Raises OSError, ValueError where it is broken."""
        return cls(
            name,
            tuple(Passage(**_tupled(each)) for each in _lines(folder / "passages.jsonl")),
            tuple(Entity(**_tupled(each)) for each in _lines(folder / "entities.jsonl")),
            tuple(Relation(**_tupled(each)) for each in _lines(folder / "relations.jsonl")),
            {kind: Meanings.load(folder / f"{kind}.faiss") for kind in _FILES},
            Words.load(folder / "words"),
        )


def made(
    name: str,
    passages: Sequence[Passage],
    entities: Sequence[Entity],
    relations: Sequence[Relation],
    vectors: Lookup,
) -> Shelf:
    """A shelf of these rows; `vectors` embeds texts, or remembers them."""
    kinds: dict[str, Sequence[Passage | Entity | Relation]] = {
        "passages": passages, "entities": entities, "relations": relations,
    }  # fmt: skip
    texts = [each.searched for rows in kinds.values() for each in rows]
    found = vectors(texts) if texts else np.zeros((0, DIMENSIONS), dtype=np.float32)
    meanings, first = {}, 0
    for kind, rows in kinds.items():
        meanings[kind] = Meanings(found[first : first + len(rows)])
        first += len(rows)
    words = Words(" ".join((each.title, *each.aliases, each.heading, each.text)) for each in passages)
    return Shelf(name, tuple(passages), tuple(entities), tuple(relations), meanings, words)


def text_key(text: str) -> str:
    """A text's name among remembered vectors."""
    return hashlib.sha256(text.encode()).hexdigest()[:20]


@dataclass(frozen=True)
class Remembered:
    """Vectors by the texts that they are of, a byte a dimension; what is not among them is encoded.

    A vector of length one has values within ±1; scaled by its largest to ±127 its cosines with others change
    by less than 0.005.
    """

    keys: Mapping[str, int]
    values: NDArray[np.int8]
    """(texts, DIMENSIONS)."""

    def lookup(self, encode: Encode) -> Lookup:
        """Vectors of texts: remembered ones, and the others by `encode`."""

        def vectors(texts: Sequence[str]) -> Floats:
            keys = [text_key(each) for each in texts]
            new = {key: text for key, text in zip(keys, texts, strict=True) if key not in self.keys}
            made = dict(zip(new, encode(list(new.values())), strict=True)) if new else {}
            found = np.empty((len(texts), DIMENSIONS), dtype=np.float32)
            for row, key in zip(found, keys, strict=True):
                row[:] = made[key] if key in made else self.values[self.keys[key]]
            lengths = np.linalg.norm(found, axis=1, keepdims=True)
            unit: Floats = found / np.maximum(lengths, np.float32(1e-9))
            return unit

        return vectors

    def with_new(self, texts: Sequence[str], vectors: Floats) -> Remembered:
        """These and the vectors of more texts."""
        largest = np.maximum(np.abs(vectors).max(axis=1, keepdims=True, initial=0), np.float32(1e-9))
        values = np.rint(vectors / largest * 127).astype(np.int8)
        rows = {text_key(text): len(self.values) + row for row, text in enumerate(texts)}
        return Remembered({**self.keys, **rows}, np.concatenate([self.values, values]))

    def only(self, texts: Sequence[str]) -> Remembered:
        """The vectors of those texts alone."""
        keys = {text_key(each) for each in texts}.intersection(self.keys)
        rows = [self.keys[key] for key in keys]
        return Remembered({key: at for at, key in enumerate(keys)}, self.values[rows])

    def save(self, file: Path) -> None:
        """Write them, in the order of their keys so that the same vectors make the same file."""
        keys = sorted(self.keys)
        values = self.values[[self.keys[key] for key in keys]]
        part = file.with_name(f".{file.name}.{os.getpid()}")
        with part.open("wb") as out:
            np.savez_compressed(out, keys=np.array(keys, dtype="S20"), values=values)
        os.replace(part, file)

    @classmethod
    def load(cls, file: Path) -> Remembered:
        """Those of a file; none where there is none."""
        try:
            with np.load(file, allow_pickle=False) as stored:
                keys, values = stored["keys"], stored["values"]
        except (OSError, ValueError, KeyError, EOFError, BadZipFile):
            return cls({}, np.zeros((0, DIMENSIONS), dtype=np.int8))
        return cls({bytes(key).decode(): row for row, key in enumerate(keys)}, values)


def _lines(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def _tupled(raw: dict[str, Any]) -> dict[str, Any]:
    return {key: tuple(value) if isinstance(value, list) else value for key, value in raw.items()}

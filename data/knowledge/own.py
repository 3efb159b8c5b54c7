"""Documents of people: a shelf for each owner in files of its own, and who else may see which of them.

    people/<owner>/documents.json      what there is, and the folders that the shelves are in
    people/<owner>/shelf-<hash>/       passages, entities, relations and their indexes

What is added goes into the shelf that is not full yet, so that a document more among 100,000 passages makes
one small shelf anew and not all of them. A change writes a new shelf beside the old one and then names it in
`documents.json`, so that whoever reads meanwhile has one or the other whole. What a document says is kept as
text and is never an instruction to anything.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import shutil
import threading
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from data.knowledge.base import Seen
from data.knowledge.errors import KnowledgeError
from data.knowledge.graph import read_entities, read_relations
from data.knowledge.index import Encode, Floats, Meanings
from data.knowledge.model import Passage
from data.knowledge.passages import Part, cut
from data.knowledge.shelf import Lookup, Shelf, made, text_key

EVERYBODY = "everybody"
MY_OWN = "own"
"""The owner on one's own machine, where there is nobody else."""
MAX_PASSAGES = 200_000
FULL = 2_000
"""Passages from which a shelf takes no more documents."""
_KEPT_SHELVES = 32
_LIST = "documents.json"


@dataclass(frozen=True)
class Document:
    """A document that somebody added."""

    id: str
    """Of its content: the same file twice is one document."""
    name: str
    passages: int
    pages: int | None
    """None where it has none that are numbered."""
    added: str
    """The day, YYYY-MM-DD."""
    licence: str = ""
    shared: tuple[str, ...] = ()
    """Owners who see it too, or EVERYBODY."""
    owner: str = MY_OWN

    def seen_by(self, owner: str) -> bool:
        """Whether that owner sees it."""
        return owner == self.owner or bool({owner, EVERYBODY}.intersection(self.shared))


@dataclass(frozen=True)
class New:
    """A document to add, read into its parts."""

    name: str
    digest: str
    """SHA-256 of the file."""
    parts: Sequence[Part]
    licence: str = ""


@dataclass(frozen=True)
class People:
    """The documents of everybody, in one folder."""

    root: Path
    """Made when the first document is added."""

    def documents(self, owner: str) -> list[Document]:
        """What that owner sees, their own first, by name."""
        found = [each for each in self._everyones() if each.seen_by(owner)]
        return sorted(found, key=lambda each: (each.owner != owner, each.name.casefold(), each.id))

    def seen(self, owner: str) -> list[Seen]:
        """The shelves that hold what that owner sees."""
        found = []
        for other in self._owners():
            documents, folders = self._listed(other)
            ids = {each.id for each in documents if each.seen_by(owner)}
            for folder in folders if ids else ():
                shelf = _loaded(folder, other)
                keep = np.array([_document_id(each) in ids for each in shelf.passages], dtype=np.bool_)
                if keep.all():
                    found.append(Seen(shelf))
                elif keep.any():
                    found.append(Seen(_seen_part(shelf, keep), keep))
        return found

    def add(
        self, owner: str, new: Sequence[New], known: Shelf, encode: Encode, today: str
    ) -> tuple[list[Document], int]:
        """Add documents to an owner's shelf: (what they are, how many were there before).

        Raises KnowledgeError where the shelf would be too large.
        """
        with self._locked(owner):
            documents, folders = self._listed(owner)
            before = {each.id: each for each in documents}
            passages: list[Passage] = []
            added: dict[str, Document] = {}
            for each in new:
                key = each.digest[:12]
                if key in before or key in added:
                    added[key] = added.get(key) or before[key]
                    continue
                cut_up = cut(
                    each.parts, key=key, title=_title(each), document=each.name, licence=each.licence
                )
                passages += cut_up
                pages = [part.page for part in each.parts if part.page is not None]
                added[key] = Document(
                    key, each.name, len(cut_up), max(pages, default=None), today, each.licence, owner=owner
                )
            fresh = [each for key, each in added.items() if key not in before]
            if fresh:
                there = sum(each.passages for each in documents) + len(passages)
                if there > MAX_PASSAGES:
                    raise KnowledgeError(
                        f"There would be {there:,} passages, and {MAX_PASSAGES:,} are the most."
                    )
                taking = [each for each in folders if len(_loaded(each, owner).passages) < FULL][:1]
                held = [*(one for each in taking for one in _loaded(each, owner).passages), *passages]
                made_ = self._made(owner, held, known, encode, taking)
                kept = [each for each in folders if each not in taking]
                self._write_list(owner, [*documents, *fresh], [*kept, made_])
            return list(added.values()), len(added) - len(fresh)

    def remove(self, owner: str, name: str, known: Shelf, encode: Encode) -> list[Document]:
        """Remove an owner's documents of that name or id, or of that folder. Raises KnowledgeError."""
        with self._locked(owner):
            documents, folders = self._listed(owner)
            gone = _called(documents, name)
            if not gone:
                raise KnowledgeError(_unknown(name, documents))
            ids = {each.id for each in gone}
            left = []
            for folder in folders:
                passages = _loaded(folder, owner).passages
                rest = [each for each in passages if _document_id(each) not in ids]
                if len(rest) == len(passages):
                    left.append(folder)
                elif rest:
                    left.append(self._made(owner, rest, known, encode, [folder]))
            self._write_list(owner, [each for each in documents if each.id not in ids], left)
            return gone

    def share(self, owner: str, name: str, shared: Sequence[str]) -> list[Document]:
        """Say who else sees an owner's documents of that name. Raises KnowledgeError."""
        with self._locked(owner):
            documents, folders = self._listed(owner)
            chosen = {each.id for each in _called(documents, name)}
            if not chosen:
                raise KnowledgeError(_unknown(name, documents))
            after = [
                replace(each, shared=tuple(sorted(set(shared)))) if each.id in chosen else each
                for each in documents
            ]
            self._write_list(owner, after, folders)
            return [each for each in after if each.id in chosen]

    def rebuild(self, owner: str, known: Shelf, encode: Encode) -> int:
        """Make an owner's indexes anew out of the passages that are kept: how many passages."""
        with self._locked(owner):
            documents, folders = self._listed(owner)
            shelves = [(each, _loaded(each, owner).passages) for each in folders]
            made_ = [self._made(owner, passages, known, encode, [folder]) for folder, passages in shelves]
            if made_:
                self._write_list(owner, documents, made_)
            return sum(len(passages) for _, passages in shelves)

    def _made(
        self, owner: str, passages: Sequence[Passage], known: Shelf, encode: Encode, old: Sequence[Path]
    ) -> Path:
        """A new shelf's folder; vectors that `old` ones have are not encoded again."""
        names = {each.id: each.name for each in known.entities}
        entities = read_entities(passages, known.linker, names)
        relations = read_relations(passages, entities)
        before = _loaded(old[0], owner) if old else None
        shelf = made(owner, passages, entities, relations, _reusing(before, encode))
        mark = hashlib.sha256("\n".join(sorted({_document_id(each) for each in passages})).encode())
        mark.update(repr(len(known.entities)).encode())
        folder = self._folder(owner) / f"shelf-{mark.hexdigest()[:12]}-{os.urandom(3).hex()}"
        shelf.save(folder)
        return folder

    def _write_list(self, owner: str, documents: Sequence[Document], folders: Sequence[Path]) -> None:
        """Name what there is from now on, and take away the shelves that are not of it."""
        target = self._folder(owner) / _LIST
        part = target.with_name(f".{_LIST}.{os.getpid()}")
        held = {
            "shelves": [each.name for each in folders],
            "documents": [asdict(each) for each in documents],
        }
        part.write_text(json.dumps(held, ensure_ascii=False), encoding="utf-8")
        os.replace(part, target)
        for each in self._folder(owner).glob("shelf-*"):
            if each not in folders:
                shutil.rmtree(each, ignore_errors=True)

    def _listed(self, owner: str) -> tuple[list[Document], list[Path]]:
        try:
            held = json.loads((self._folder(owner) / _LIST).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return [], []
        documents = [Document(**{**each, "shared": tuple(each["shared"])}) for each in held["documents"]]
        # A list of before there were several shelves names one.
        names = held.get("shelves") or [each for each in [held.get("shelf")] if each]
        return documents, [self._folder(owner) / each for each in names]

    def _everyones(self) -> Iterator[Document]:
        for owner in self._owners():
            yield from self._listed(owner)[0]

    def _owners(self) -> list[str]:
        people = self.root / "people"
        return sorted(each.name for each in people.iterdir() if each.is_dir()) if people.is_dir() else []

    def _folder(self, owner: str) -> Path:
        return self.root / "people" / owner

    @contextmanager
    def _locked(self, owner: str) -> Iterator[None]:
        """One writer at a time for each owner, of whatever process."""
        folder = self._folder(owner)
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with (folder / ".lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield


def digest_of(path: Path) -> str:
    """The SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _seen_part(shelf: Shelf, keep: NDArray[np.bool_]) -> Shelf:
    """A shelf of which only some is seen, without entities and relations that only the rest has."""
    entities = [at for at, each in enumerate(shelf.entities) if any(keep[row] for row in each.passages)]
    relations = [at for at, each in enumerate(shelf.relations) if any(keep[row] for row in each.passages)]
    meanings = {
        **shelf.meanings,
        "entities": Meanings(shelf.meanings["entities"].of(entities)),
        "relations": Meanings(shelf.meanings["relations"].of(relations)),
    }
    return Shelf(
        shelf.name,
        shelf.passages,
        tuple(shelf.entities[at] for at in entities),
        tuple(shelf.relations[at] for at in relations),
        meanings,
        shelf.words,
    )


def _reusing(old: Shelf | None, encode: Encode) -> Lookup:
    """Vectors of texts: those that the shelf before has, and the others by `encode`."""
    rows: dict[str, tuple[str, int]] = {}
    if old is not None:
        for kind in old.meanings:
            rows |= {text_key(each.searched): (kind, at) for at, each in enumerate(getattr(old, kind))}

    def vectors(texts: Sequence[str]) -> Floats:
        keys = [text_key(each) for each in texts]
        new = {key: text for key, text in zip(keys, texts, strict=True) if key not in rows}
        found = dict(zip(new, encode(list(new.values())), strict=True)) if new else {}
        if old is not None:
            for kind in old.meanings:
                held = [key for key in set(keys) - new.keys() if rows[key][0] == kind]
                found |= dict(zip(held, old.meanings[kind].of([rows[key][1] for key in held]), strict=True))
        return np.array([found[key] for key in keys], dtype=np.float32)

    return vectors


_lock = threading.Lock()
_shelves: OrderedDict[Path, Shelf] = OrderedDict()


def _loaded(folder: Path, owner: str) -> Shelf:
    """The shelf of a folder, which is written once and never changed."""
    with _lock:
        if folder not in _shelves:
            try:
                _shelves[folder] = Shelf.load(folder, owner)
            except (OSError, ValueError, KeyError, TypeError, RuntimeError) as error:
                raise KnowledgeError(
                    "The index of added documents is broken; remove the folder 'knowledge' of the home, "
                    "and add them again."
                ) from error
        _shelves.move_to_end(folder)
        while len(_shelves) > _KEPT_SHELVES:
            _shelves.popitem(last=False)
        return _shelves[folder]


def _document_id(passage: Passage) -> str:
    return passage.id.partition("#")[0]


def _called(documents: Sequence[Document], name: str) -> list[Document]:
    wanted = name.strip().casefold().rstrip("/")
    return [
        each
        for each in documents
        if each.id == wanted
        or each.name.casefold() == wanted
        or each.name.casefold().startswith(f"{wanted}/")
        or Path(each.name).stem.casefold() == wanted
    ]


def _unknown(name: str, documents: Sequence[Document]) -> str:
    there = ", ".join(repr(each.name[:60]) for each in documents[:6]) or "none"
    return f"No document of yours is called {name[:80]!r}; there are {there}."


def _title(new: New) -> str:
    return Path(new.name).stem.replace("_", " ")


__all__ = ["EVERYBODY", "MY_OWN", "Document", "New", "People", "digest_of"]

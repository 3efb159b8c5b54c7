"""Two corpora out of what comes with Azimuth, with the questions whose passages they hold, as plain JSON.

`aircraft` are the entries of aircraft types, `general` all other entries; Azimuth's own documents are left
out. The questions are those kept for measuring. Unanswerable ones have no gold passages and are not asked.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from data.knowledge.base import Base, Seen
from data.knowledge.built_in import VECTORS
from data.knowledge.dualrag import embedded_keywords
from data.knowledge.entries import read_entries
from data.knowledge.graph import entry_entities, entry_relations
from data.knowledge.index import Encode
from data.knowledge.measuring import Asked, questions_of
from data.knowledge.model import Entry
from data.knowledge.passages import passage_of
from data.knowledge.shelf import Remembered, Shelf, made

FOLDER = Path(__file__).parent
MEASURED = ("questions.jsonl", "fresh.jsonl")
"""Kept for measuring; nothing was chosen on them."""


@dataclass(frozen=True, eq=False)
class Corpus:
    """A corpus as a shelf of its own, and its questions."""

    name: str
    shelf: Shelf
    questions: tuple[Asked, ...]


NAMES = ("aircraft", "general")


def corpora(encode: Encode, names: Sequence[str] = NAMES, limit: int | None = None) -> list[Corpus]:
    """The aircraft, and all else; with `limit` so many questions of each, spread evenly."""
    entries = read_entries()
    asked = [each for name in MEASURED for each in questions_of(FOLDER / name) if each.answerable]
    parts = {
        "aircraft": [each for each in entries if each.kind == "aircraft"],
        "general": [each for each in entries if each.kind != "aircraft"],
    }
    return [_corpus(name, parts[name], asked, encode, limit) for name in names]


def _corpus(name: str, entries: list[Entry], asked: list[Asked], encode: Encode, limit: int | None) -> Corpus:
    titles = {each.id: each.title.partition(" (")[0] for each in entries}
    passages = [passage_of(each, titles) for each in entries]
    vectors = Remembered.load(VECTORS).lookup(encode)
    shelf = made(name, passages, entry_entities(entries, passages), entry_relations(entries), vectors)
    held = {each.id for each in passages}
    questions = [each for each in asked if held.issuperset(each.passages)]
    step = max(1, len(questions) // limit) if limit else 1
    return Corpus(name, shelf, tuple(questions[::step][:limit]))


def as_graph(corpus: Corpus, encode: Encode) -> dict[str, Any]:
    """The same passages, entities and relations for another system, with our keywords of each question.

    The keywords stand in for those that a language model would name.
    """
    shelf, base = corpus.shelf, Base((Seen(corpus.shelf),), encode)
    return {
        "name": corpus.name,
        "passages": [{"id": each.id, "text": f"{each.title}. {each.text}"} for each in shelf.passages],
        "entities": [
            {"name": each.name, "about": each.searched, "passage": shelf.passages[each.passages[0]].id}
            for each in shelf.entities
        ],
        "relations": [
            {
                "subject": each.subject, "predicate": each.predicate, "object": each.object,
                "passage": shelf.passages[each.passages[0]].id,
            }
            for each in shelf.relations
        ],
        "questions": [
            {**asdict(each), "keywords": [one.text for one in embedded_keywords(base, each.question)]}
            for each in corpus.questions
        ],
    }  # fmt: skip

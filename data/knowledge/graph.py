"""Entities and relations: those that entries state, and those that are read out of documents.

Entries say their names and relations themselves. Of other texts, the entities are links to names that entries
have, and noun phrases that come back (candidates as RAKE takes them: runs of words that carry meaning, Rose
et al. 2010); two of them in one sentence are related, and the sentence is what is said of it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from data.knowledge.model import Entity, Entry, Passage, Relation
from data.knowledge.words import folded, function_words, sentences_of, stem, words_of

LONGEST_NAME = 8
"""Words of a name that is looked for."""
_BREAK = re.compile(r"[.,;:!?()\[\]{}\"«»|/]\s|[()\[\]{}\"«»|;:?!]|\s[-–—]\s|[.,]$")
_LEAST_SEEN = 2
_MOST_PHRASES = 20_000
_MOST_RELATIONS = 50_000


@dataclass(frozen=True)
class Link:
    """A name that stands in a text."""

    entities: tuple[str, ...]
    """The ids of those that bear it; several share some aliases."""
    first: int
    last: int
    """Its words, `last` not included."""


class Linker:
    """Finds the names of entities in texts, the longest first. Names of one letter are none."""

    def __init__(self, entities: Iterable[Entity]) -> None:
        self._names: dict[tuple[str, ...], tuple[str, ...]] = {}
        for entity in entities:
            for name in entity.names:
                key = tuple(stem(each) for each in words_of(name))
                if _is_name(key, name) and entity.id not in self._names.get(key, ()):
                    self._names[key] = (*self._names.get(key, ()), entity.id)
        self._longest = max((len(each) for each in self._names), default=0)

    def links(self, text: str) -> list[Link]:
        """The names in a text, in their order; none overlaps another."""
        stems = [stem(each) for each in words_of(text)]
        found, at = [], 0
        while at < len(stems):
            link = self._at(stems, at)
            if link is not None:
                found.append(link)
            at = at + 1 if link is None else link.last
        return found

    def named(self, text: str) -> tuple[str, ...]:
        """The entities whose whole name the text is."""
        return self._names.get(tuple(stem(each) for each in words_of(text)), ())

    def _at(self, stems: Sequence[str], at: int) -> Link | None:
        for length in range(min(self._longest, LONGEST_NAME, len(stems) - at), 0, -1):
            ids = self._names.get(tuple(stems[at : at + length]))
            if ids:
                return Link(ids, at, at + length)
        return None


def _is_name(key: tuple[str, ...], name: str) -> bool:
    if not key or len(key) > LONGEST_NAME:
        return False
    return any(each not in function_words() for each in key) and (len(key) > 1 or len(folded(name)) > 1)


def phrases_of(text: str) -> list[str]:
    """Runs of words that carry meaning, between words that do not and marks, as they are written."""
    found: list[str] = []
    for piece in _BREAK.split(f"{text} "):
        held: list[str] = []
        for word in piece.split():
            folded_words = words_of(word)
            if folded_words and not all(each in function_words() for each in folded_words):
                held.append(word.strip(".,'’“”‘"))
            elif held:
                found.append(" ".join(held))
                held = []
        if held:
            found.append(" ".join(held))
    return found


def entry_entities(entries: Sequence[Entry], passages: Sequence[Passage]) -> list[Entity]:
    """An entity an entry: its own passage first, then those in which one of its names stands.

    The passages begin with those of the entries, in their order.
    """
    bare = [
        Entity(each.id, each.title.partition(" (")[0], each.names, passages[row].searched, (row,))
        for row, each in enumerate(entries)
    ]
    return with_mentions(bare, passages)


def with_mentions(entities: Sequence[Entity], passages: Sequence[Passage]) -> list[Entity]:
    """The entities with the rows of passages in which one of their names stands."""
    linker = Linker(entities)
    mentions: dict[str, Counter[int]] = {each.id: Counter() for each in entities}
    for row, passage in enumerate(passages):
        for link in linker.links(passage.text):
            for entity_id in link.entities:
                mentions[entity_id][row] += 1
    return [
        replace(
            each,
            passages=tuple(dict.fromkeys((*each.passages, *_by_count(mentions[each.id])))),
        )
        for each in entities
    ]  # fmt: skip


def entry_relations(entries: Sequence[Entry]) -> list[Relation]:
    """The relations that entries state; the passages are the rows of the entries at both ends."""
    rows = {each.id: row for row, each in enumerate(entries)}
    titles = {each.id: each.title.partition(" (")[0] for each in entries}
    return [
        Relation(
            titles[entry.id],
            predicate.replace("_", " "),
            titles.get(target, target),
            (row, rows[target]) if target in rows else (row,),
        )
        for row, entry in enumerate(entries)
        for predicate, target in entry.relations
    ]


def read_entities(passages: Sequence[Passage], known: Linker, names: Mapping[str, str]) -> list[Entity]:
    """Entities in documents: links to names that are known, and phrases that come back.

    `names` are what the known entities are called. A phrase counts with two words or more, or with a figure
    in it, when it stands in two passages or more.
    """
    linked: dict[str, Counter[int]] = {}
    phrases: dict[tuple[str, ...], tuple[str, Counter[int]]] = {}
    for row, passage in enumerate(passages):
        for link in known.links(passage.text):
            for entity_id in link.entities:
                linked.setdefault(entity_id, Counter())[row] += 1
        for phrase in phrases_of(passage.text):
            key = tuple(stem(each) for each in words_of(phrase))
            if _counts(key):
                phrases.setdefault(key, (phrase, Counter()))[1][row] += 1
    found = [
        Entity(entity_id, names[entity_id], (names[entity_id],), "", _by_count(rows))
        for entity_id, rows in linked.items()
    ]
    often = sorted(
        ((key, name, rows) for key, (name, rows) in phrases.items() if len(rows) >= _LEAST_SEEN),
        key=lambda each: (-len(each[2]), each[0]),
    )
    for key, name, rows in often[:_MOST_PHRASES]:
        if not known.named(name):
            found.append(Entity(f"phrase:{' '.join(key)}", name, (name,), "", _by_count(rows)))
    return found


def read_relations(passages: Sequence[Passage], entities: Sequence[Entity]) -> list[Relation]:
    """Two neighbouring entities of one sentence are related by what the sentence says between them."""
    linker = Linker(entities)
    names = {each.id: each.name for each in entities}
    found: dict[tuple[str, str, str], tuple[int, ...]] = {}
    for row, passage in enumerate(passages):
        for subject, said, target in _triples(passage.text, linker):
            if subject == target or len(found) >= _MOST_RELATIONS:
                continue
            key = (names[subject], said, names[target])
            if row not in found.get(key, ()):
                found[key] = (*found.get(key, ()), row)
    return [Relation(*key, rows) for key, rows in found.items()]


def _triples(text: str, linker: Linker) -> Iterator[tuple[str, str, str]]:
    for sentence in sentences_of(text):
        words, links = words_of(sentence), linker.links(sentence)
        for left, right in pairwise(links):
            between = " ".join(words[left.last : right.first][:12])
            yield left.entities[0], between or "with", right.entities[0]


def _counts(key: tuple[str, ...]) -> bool:
    return 1 <= len(key) <= 5 and (len(key) > 1 or any(each.isdigit() for each in key[0]))


def _by_count(rows: Counter[int]) -> tuple[int, ...]:
    return tuple(row for row, _ in rows.most_common())

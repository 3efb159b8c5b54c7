"""What a word or a sentence says about classes: the language planner's view of the vocabulary."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Literal

from rapidfuzz import process
from rapidfuzz.distance import OSA

from data.vocabulary.classes import classes_of
from data.vocabulary.groups import group_words
from data.vocabulary.published import CLASS_NAMES
from data.vocabulary.synonyms import CLASSES_OF_PHRASE
from data.vocabulary.words import data_lines, key, singular, spelled, tokens


@dataclass(frozen=True)
class Term:
    """A class or a group that a word means."""

    name: str
    """The canonical group word, or the class name as published."""
    kind: Literal["group", "class"]
    datasets: tuple[str, ...]
    """The published data sets that have it."""
    scene: bool
    """True when it only labels whole images."""


@dataclass(frozen=True)
class Span:
    """A class mention in a sentence: text == sentence[start:end]."""

    start: int
    end: int
    text: str
    terms: tuple[Term, ...]


# Split names, verbs and figures of speech that are classes only in the plural.
_PLURAL_ONLY = frozenset(
    """train crop plot court field track sport dump pit flat coach ruin cab structure pitch rock plant tank
    stream terminal temple pool""".split()
)
_NOT_A_SLIP = frozenset(
    word for line in data_lines(Path(__file__).with_name("not_slips.txt")) for word in line.split()
)
_MAX_WORDS = 8


@lru_cache(maxsize=1)
def _terms() -> dict[tuple[str, str], Term]:
    """Every term by (kind, spelled name)."""
    groups: dict[str, list[tuple[str, bool]]] = {}
    classes: dict[str, list[tuple[str, str, bool]]] = {}
    for dataset in CLASS_NAMES:
        for entry in classes_of(dataset):
            classes.setdefault(spelled(entry.name), []).append((dataset, entry.name, entry.scene))
            for group in entry.groups:
                groups.setdefault(group, []).append((dataset, entry.scene))
    found: dict[tuple[str, str], Term] = {}
    for name, members in groups.items():
        where = tuple(dict.fromkeys(dataset for dataset, _ in members))
        found["group", spelled(name)] = Term(name, "group", where, all(scene for _, scene in members))
    for spelling, entries in classes.items():
        where = tuple(dataset for dataset, _, _ in entries)
        found["class", spelling] = Term(entries[0][1], "class", where, all(scene for _, _, scene in entries))
    return found


@lru_cache(maxsize=1)
def _index() -> dict[str, tuple[Term, ...]]:
    """Key of every phrase to its terms: groups first, then classes."""
    terms = _terms()
    found: dict[str, list[Term]] = {}

    def add(phrase: str, term: Term | None) -> None:
        if term is not None and term not in found.setdefault(phrase, []):
            found[phrase].append(term)

    for phrase, group in group_words().items():
        add(phrase, terms.get(("group", spelled(group))))
    for (kind, _), term in terms.items():
        same_class = terms.get(("class", spelled(term.name)))
        if kind == "group" and same_class is None:
            add(key(term.name), term)
    for (kind, _), term in terms.items():
        if kind == "class":
            add(key(term.name), term)
    for phrase, names in CLASSES_OF_PHRASE.items():
        for name in names:
            add(phrase, terms[("class", spelled(name))])
    return {phrase: tuple(meant) for phrase, meant in found.items() if meant}


@lru_cache(maxsize=1)
def _vocabulary() -> tuple[str, ...]:
    """The single words that phrases are made of, long enough to be recognised when misspelt."""
    return tuple(
        sorted({word for phrase in _index() for word in phrase.split() if len(word) >= 5 and word.isalpha()})
    )


@lru_cache(maxsize=65536)
def _corrected(word: str) -> str:
    """The vocabulary's word that a misspelt one stands for, or the word itself."""
    one = singular(word)
    known = _known()
    if one in known or word in _NOT_A_SLIP or one in _NOT_A_SLIP or len(one) < 5 or not one.isalpha():
        return one
    allowed = 1 if len(one) < 10 else 2
    near = process.extractOne(one, _vocabulary(), scorer=OSA.distance, score_cutoff=allowed)
    if near is None or near[0][0] != one[0] or abs(len(near[0]) - len(one)) > 1:
        return one
    return str(near[0])


@lru_cache(maxsize=1)
def _known() -> frozenset[str]:
    return frozenset(word for phrase in _index() for word in phrase.split())


def find(phrase: str) -> list[Term]:
    """What a word or a phrase means, groups before classes; [] when it means nothing here.

    Case, accents, plurals, `_` and `-` do not matter, nor does a slip in a word of five letters
    or more. "planes" gives the group airplanes, "golf courses" fMoW's golf_course.
    """
    exact = _index().get(key(phrase))
    if exact is None:
        exact = _index().get(" ".join(_corrected(word) for _, _, word in tokens(phrase)), ())
    return list(exact)


def mentions(text: str) -> list[Span]:
    """The class words of a sentence: the longest that do not overlap, from left to right."""
    words = tokens(text)
    index = _index()
    reduced = [
        _corrected(word) if _may_be_a_slip(text, start) else singular(word) for start, _, word in words
    ]
    found: list[Span] = []
    at = 0
    while at < len(words):
        for size in range(min(_MAX_WORDS, len(words) - at), 0, -1):
            terms = index.get(" ".join(reduced[at : at + size]))
            if (
                terms
                and not (size == 1 and _only_in_the_plural(reduced[at], words[at][2]))
                and _joined(text, words, at, size)
            ):
                start, end = words[at][0], words[at + size - 1][1]
                found.append(Span(start, end, text[start:end], terms))
                at += size
                break
        else:
            at += 1
    return found


def _only_in_the_plural(reduced: str, written: str) -> bool:
    return reduced in _PLURAL_ONLY and not written.endswith("s")


def _may_be_a_slip(text: str, start: int) -> bool:
    """A capital within a sentence is a name's: Harcourt is no harbour."""
    return start == 0 or not text[start].isupper() or text.isupper()


def _joined(text: str, words: list[tuple[int, int, str]], at: int, size: int) -> bool:
    """Whether a phrase's words stand together: a sentence's stop or a comma in between parts them,
    unless the published name has that comma ("Beaches, dunes, sands")."""
    between = text[words[at][0] : words[at + size - 1][1]]
    if any(mark in between for mark in ".;:!?\n()"):
        return False
    return (
        "," not in between
        or ("class", spelled(between)) in _terms()
        or ("group", spelled(between)) in _terms()
    )

"""Keywords of a question with weights from 1 to 10, without a model.

The candidates are the names of entities that stand in the question and the runs of words between them that
carry meaning. A keyword weighs by the rarity of its rarest word in the passages (inverse document frequency:
Spärck Jones 1972, doi:10.1108/eb026526), and a name that is known weighs a little more.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from data.knowledge.graph import Link, Linker, phrases_of
from data.knowledge.words import content_stems, function_words, stem, words_of

LEAST, MOST = 1, 10
MAX_KEYWORDS = 12
NAME_GAIN = 1.3
"""What the rarity of a known name is multiplied by."""


@dataclass(frozen=True)
class Keyword:
    """A word or phrase to search for, and how much it counts."""

    text: str
    weight: int
    """From 1 to 10."""


def keywords_of(question: str, linkers: Sequence[Linker], rarity: Rarity) -> tuple[Keyword, ...]:
    """The keywords of a question, the weightiest first; the whole question where it has none."""
    found = dict.fromkeys(
        [
            *_names(question, linkers),
            *(part for each in phrases_of(question) for part in _parts(each, linkers)),
        ]
    )
    scores = {
        each: rarity.of(each) * (NAME_GAIN if any(linker.named(each) for linker in linkers) else 1.0)
        for each in found
        if content_stems(each)
    }
    if not scores:
        return (Keyword(" ".join(question.split())[:200], MOST),)
    best = max(scores.values())
    ordered = sorted(scores.items(), key=lambda each: -each[1])[:MAX_KEYWORDS]
    return tuple(Keyword(text, scaled(score, best)) for text, score in ordered)


def scaled(score: float, best: float) -> int:
    """A score from 0 to `best` as a weight from 1 to 10."""
    share = score / best if best > 0 else 1.0
    return LEAST + round((MOST - LEAST) * min(1.0, max(0.0, share)))


@dataclass(frozen=True)
class Rarity:
    """How rare words are in the passages that are searched."""

    frequencies: Sequence[Mapping[str, int]]
    """Of each shelf, in how many passages a stem stands."""
    passages: int

    def of_stem(self, each: str) -> float:
        """The inverse document frequency of a stem; a word that stands nowhere is as rare as can be."""
        seen = sum(shelf.get(each, 0) for shelf in self.frequencies)
        return math.log(1 + (self.passages - seen + 0.5) / (seen + 0.5))

    def of(self, text: str) -> float:
        """The rarity of a text's rarest word."""
        return max((self.of_stem(each) for each in content_stems(text)), default=0.0)


def _names(question: str, linkers: Sequence[Linker]) -> list[str]:
    """The names in a question that are known, as they are written there."""
    words = words_of(question)
    spans: list[Link] = sorted(
        (link for linker in linkers for link in linker.links(question)),
        key=lambda each: (each.first - each.last, each.first),
    )
    found: list[Link] = []
    for each in spans:
        if all(each.last <= other.first or other.last <= each.first for other in found):
            found.append(each)
    return [" ".join(words[each.first : each.last]) for each in sorted(found, key=lambda each: each.first)]


def _parts(phrase: str, linkers: Sequence[Linker]) -> list[str]:
    """A phrase without the names in it: what stands before, between and behind them."""
    words = words_of(phrase)
    taken = {at for linker in linkers for link in linker.links(phrase) for at in range(link.first, link.last)}
    found: list[str] = []
    held: list[str] = []
    for at, word in enumerate([*words, ""]):
        if word and at not in taken and word not in function_words():
            held.append(word)
        elif held:
            found.append(" ".join(held))
            held = []
    return [each for each in found if any(stem(word) for word in each.split())]

"""DualRAG, the retrieval of RS-Agent (Xu et al. 2024, arXiv:2406.07089).

A question has keywords with weights from 1 to 10. The global path searches for all of them in one text and
takes the top N; the keyword path searches for each and takes n_i = w_i ÷ Σw × N. The union of both is the
guidance.

The paper leaves open how n_i becomes a whole number, and in which order the union stands. Here the n_i are
rounded so that they add up to N (largest remainders), and the union is ordered by how well a passage fits the
whole question. What relations join with the best of the union is ordered with it: the second of two hops has
seldom a word of the question in it.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from data.knowledge.base import Base, Mode, Place, fused_places
from data.knowledge.index import Floats
from data.knowledge.keywords import Keyword, keywords_of
from data.knowledge.model import Passage
from data.knowledge.words import content_stems

TOP = 10
"""N, where none is given."""
GLOBAL, KEYWORD, RELATION = "global", "keyword", "relation"
_FOLLOWED = 5
"""Passages, the best of the union, whose relations are followed."""
_JOINED = 25
"""Passages that are taken from there, those nearest to the question."""


@dataclass(frozen=True)
class Guide:
    """A passage of the guidance."""

    passage: Passage
    score: float
    """How well it fits the question, at most about 1; only the order has a meaning."""
    paths: tuple[str, ...]
    """How it was found: "global", the keywords that led to it, or "relation"."""


@dataclass(frozen=True)
class Guidance:
    """What DualRAG found for a question."""

    question: str
    keywords: tuple[Keyword, ...]
    guides: tuple[Guide, ...]
    """The union, best first."""
    vector: Floats
    """The question's own."""


def shares(keywords: Sequence[Keyword], n: int) -> tuple[int, ...]:
    """n_i = w_i ÷ Σw × N as whole numbers that add up to N; of equal remainders the earlier rounds up."""
    total = sum(each.weight for each in keywords)
    if total == 0:
        return tuple(0 for _ in keywords)
    exact = [each.weight * n / total for each in keywords]
    whole = [int(each) for each in exact]
    order = sorted(range(len(exact)), key=lambda at: (whole[at] - exact[at], at))
    for at in order[: n - sum(whole)]:
        whole[at] += 1
    return tuple(whole)


def retrieve(
    base: Base,
    question: str,
    *,
    n: int = TOP,
    mode: Mode = "hybrid",
    keywords: Sequence[Keyword] | None = None,
    paths: Sequence[str] = (GLOBAL, KEYWORD, RELATION),
) -> Guidance:
    """The guidance for a question: what both paths find, and relations lead to, best first.

    `keywords` are the embedded method's when none are given. `paths` is for measuring one of them alone;
    without RELATION it is the union as published.
    """
    chosen = tuple(keywords or embedded_keywords(base, question))
    joined = " ".join(each.text for each in chosen)
    texts = [question, joined, *(each.text for each in chosen)]
    vectors = base.encode(texts)
    led: dict[Place, list[str]] = {}
    if GLOBAL in paths:
        for place in base.ranked([joined], vectors[1:2], n, mode)[0]:
            led.setdefault(place, []).append(GLOBAL)
    if KEYWORD in paths:
        most = shares(chosen, n)
        rankings = base.ranked(texts[2:], vectors[2:], max(most, default=0), mode)
        for keyword, count, places in zip(chosen, most, rankings, strict=True):
            for place in places[:count]:
                led.setdefault(place, []).append(keyword.text)
    ordered = in_order(base, question, vectors[0], list(led))
    if RELATION in paths:
        for place in _joined(base, [place for place, _ in ordered[:_FOLLOWED]], led.keys(), vectors[0]):
            led[place] = [RELATION]
        ordered = in_order(base, question, vectors[0], list(led))
    guides = tuple(Guide(base.passage(place), score, tuple(led[place])) for place, score in ordered)
    return Guidance(question, chosen, guides, vectors[0])


def _joined(base: Base, places: Sequence[Place], found: Collection[Place], vector: Floats) -> list[Place]:
    """What relations join with some places and was not found yet, the nearest to the question first."""
    others = [place for number, row in places for place in base.next_to(number, row) if place not in found]
    new = list(dict.fromkeys(others))
    nearest = np.argsort(-base.cosines(new, vector), kind="stable")[:_JOINED]
    return [new[at] for at in nearest]


def embedded_keywords(base: Base, question: str) -> tuple[Keyword, ...]:
    """The keywords that the embedded method finds in a question."""
    return keywords_of(question, [each.shelf.linker for each in base.shelves], base.rarity)


ORDER = {"cosine": 0.41, "covered": 0.26, "titled": 0.08, "named": 0.13, "next": 0.12}
"""What a passage's place is reckoned from: a logistic model of which of two passages holds the answer.

Fitted on the questions of `benches/knowledge/tuning*.jsonl`; in five folds of them recall@5 is 0.938.
"""


def in_order(base: Base, question: str, vector: Floats, places: Sequence[Place]) -> list[tuple[Place, float]]:
    """Places by how well their passages fit the question, best first; see `fits`."""
    scores = [
        sum(ORDER[name] * value for name, value in each.items())
        for each in fits(base, question, vector, places)
    ]
    order = np.argsort(-np.array(scores), kind="stable")
    return [(places[at], scores[at]) for at in order]


def fits(base: Base, question: str, vector: Floats, places: Sequence[Place]) -> list[dict[str, float]]:
    """How each passage fits a question, in figures up to 1.

    Its cosine, the share of the question's rare words that it holds and that its title holds, and whether it
    is of something that the question names, or joined with that by a relation.
    """
    stems = set(content_stems(question))
    weights = {each: base.rarity.of_stem(each) for each in stems}
    total = sum(weights.values()) or 1.0
    named = base.named_places(question)
    joined = {place for number, at in named for place in base.next_to(number, at)}
    found = []
    for place, cosine in zip(places, base.cosines(places, vector), strict=True):
        passage = base.passage(place)
        title = set(content_stems(" ".join((passage.title, *passage.aliases))))
        held = set(content_stems(passage.text)) | title
        found.append(
            {
                "cosine": float(cosine),
                "covered": sum(weights[each] for each in stems & held) / total,
                "titled": sum(weights[each] for each in stems & title) / total,
                "named": float(place in named),
                "next": float(place in joined),
            }
        )
    return found


__all__ = ["Guidance", "Guide", "embedded_keywords", "fused_places", "retrieve", "shares"]

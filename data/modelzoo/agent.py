"""REMSA's selection agent (arXiv 2511.17442) whole, without a language model: parse, ask, retrieve, filter,
rank.

A conversation is a value: what is known so far, and what was asked. `say` takes in words, `answer` goes
through the algorithm and ends in a question or in a ranking.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from functools import cached_property
from typing import Any

from data.modelzoo import clarifying, filtering, ranking
from data.modelzoo.certainty import Confidence, confidence
from data.modelzoo.clarifying import MOST_QUESTIONS, Question
from data.modelzoo.criteria import Scales
from data.modelzoo.filtering import Missed
from data.modelzoo.parsing import Parsed, parse
from data.modelzoo.profile import Profile, profile_of
from data.modelzoo.query import Query
from data.modelzoo.ranking import Ranked
from data.modelzoo.retrieval import MOST, Retriever
from data.modelzoo.schema import ModelRecord
from data.modelzoo.vectors import Encode, Vectors

TOO_MANY = 60
"""Models that satisfy everything, from which on a question is asked first, where an answer would change the
first.
"""
USUAL_K = 3


@dataclass(frozen=True)
class Collection:
    """A collection of models with what searching and ranking it needs, made once."""

    models: tuple[Profile, ...]
    vectors: Vectors

    @classmethod
    def of(cls, records: Sequence[ModelRecord], encode: Encode) -> Collection:
        """The collection of some records."""
        return cls(tuple(profile_of(each) for each in records), Vectors(encode))

    @cached_property
    def scales(self) -> Scales:
        """What the collection spans."""
        return Scales.of(self.models)

    @cached_property
    def retriever(self) -> Retriever:
        """The index over the typed fields."""
        return Retriever(self.models, self.vectors)


@dataclass(frozen=True)
class Conversation:
    """What is known of a request so far, and what was asked."""

    query: Query = field(default_factory=Query)
    asked: tuple[str, ...] = ()
    """The fields that were asked about, in their order."""
    pending: str | None = None
    """The field of the question that is open."""
    reading: float = 1.0
    """How surely the application was read."""
    near: tuple[str, ...] = ()
    """Applications that the words were near to."""

    def to_json(self) -> dict[str, Any]:
        """As plain JSON."""
        return {
            "query": self.query.given(),
            "asked": list(self.asked),
            "pending": self.pending,
            "reading": self.reading,
            "near": list(self.near),
        }

    @classmethod
    def from_json(cls, held: dict[str, Any]) -> Conversation:
        """From what `to_json` gave."""
        return cls(
            query=Query.model_validate(held["query"]),
            asked=tuple(held["asked"]),
            pending=held["pending"],
            reading=float(held["reading"]),
            near=tuple(held["near"]),
        )


@dataclass(frozen=True)
class Answer:
    """How the algorithm ended: in a question, or in models."""

    conversation: Conversation
    question: Question | None = None
    ranked: tuple[Ranked, ...] = ()
    """Every model that was ranked, the best first."""
    retrieved: int = 0
    satisfying: int = 0
    untold: int = 0
    confidence: Confidence = field(default=Confidence(1.0, 0.0, 0.0))

    def missed(self, ranked: Ranked) -> Missed:
        """What one of the models lacks of what is demanded."""
        return filtering.missed(self.conversation.query, ranked.model)

    @property
    def is_closest(self) -> bool:
        """Whether no model satisfies everything."""
        return self.question is None and self.satisfying == 0


def say(collection: Collection, text: str, before: Conversation | None = None) -> Conversation:
    """The conversation after some words: a new request, an answer to the open question, or a refinement."""
    parsed = parse(text, collection.vectors)
    if before is None:
        return Conversation(parsed.query, (), None, *_application_reading(parsed))
    query = before.query.refined(parsed.query)
    if before.pending is not None and parsed.is_indifferent:
        query = query.model_copy(update={"declined": (*query.declined, before.pending)})
    query = _without(query, parsed.excluded)
    after = replace(before, query=query, pending=None)
    if parsed.query.application is not None:
        chosen = before.pending == "application" and parsed.certainty == 1.0
        return replace(after, reading=1.0 if chosen else parsed.certainty, near=parsed.near)
    return replace(after, near=parsed.near) if before.pending == "application" else after


def _application_reading(parsed: Parsed) -> tuple[float, tuple[str, ...]]:
    return (parsed.certainty if parsed.query.application is not None else 1.0), parsed.near


def _without(query: Query, excluded: Sequence[str]) -> Query:
    """The query without kinds of data that were taken back."""
    kept = tuple(each for each in query.modalities if each not in excluded)
    return query.model_copy(update={"modalities": kept}) if kept != query.modalities else query


def answer(
    collection: Collection, said: Conversation, today: date, *, k: int = USUAL_K, may_ask: bool = True
) -> Answer:
    """Go through the algorithm: ask while something mandatory is missing, retrieve, filter, rank, ask if
    unsure.
    """
    query, left = said.query, may_ask and len(said.asked) < MOST_QUESTIONS
    if left and (question := clarifying.about_missing(query, said.near, collection.models)) is not None:
        return _ask(said, question)
    if left and query.application and said.reading < 1.0 and "application" not in said.asked:
        sure = confidence(_ranked(collection, query, today), k, said.reading)
        if not sure.is_enough:
            return _ask(said, clarifying.about_application(query, said.near, collection.models))
    found = [each.model for each in collection.retriever.search(query, MOST)]
    kept = filtering.apply(query, found)
    if not kept.satisfying and len(found) < len(collection.models):
        # What lay beyond the nearest may still satisfy what nothing near does.
        found = list(collection.models)
        kept = filtering.apply(query, found)
    counts: dict[str, Any] = {
        "retrieved": len(found),
        "satisfying": len(kept.satisfying),
        "untold": len(kept.untold),
    }
    if not kept.satisfying:
        return _closest(collection, said, found, today, k, counts)
    ranked = ranking.rank(query, kept.satisfying, collection.scales, today)
    sure = confidence(ranked, k, said.reading)
    if left and (len(kept.satisfying) > TOO_MANY or not sure.is_enough):
        question = clarifying.about_optional(
            query, said.asked, lambda asked: _first(collection, asked, today)
        )
        if question is not None:
            return _ask(said, question, ranked=ranked, confidence=sure, **counts)
    # What breaks nothing, but does not state enough to tell, comes behind all that satisfies.
    rest = ranking.rank(query, kept.untold, collection.scales, today)
    return Answer(said, ranked=(*ranked, *rest), confidence=sure, **counts)


def _ask(said: Conversation, question: Question, **more: Any) -> Answer:
    after = replace(said, asked=(*said.asked, question.field), pending=question.field)
    return Answer(after, question=question, **more)


def _closest(
    collection: Collection,
    said: Conversation,
    found: Sequence[Profile],
    today: date,
    k: int,
    counts: dict[str, Any],
) -> Answer:
    """Those that come closest: by their score, less points for each constraint that is broken or untold."""
    query = said.query
    missed = {each.id: filtering.missed(query, each) for each in found}
    ranked = sorted(
        ranking.rank(query, found, collection.scales, today),
        key=lambda each: missed[each.id].points - each.score,
    )
    return Answer(said, ranked=tuple(ranked), confidence=confidence(ranked, k, said.reading), **counts)


def _ranked(collection: Collection, query: Query, today: date) -> tuple[Ranked, ...]:
    """The ranking of a query without a word asked."""
    kept = filtering.apply(query, [each.model for each in collection.retriever.search(query, MOST)])
    return ranking.rank(query, kept.satisfying or kept.untold, collection.scales, today)


def _first(collection: Collection, query: Query, today: date) -> str | None:
    ranked = _ranked(collection, query, today)
    return ranked[0].id if ranked else None

"""What a good recommendation is: hard constraints, the paper's rubric by rule, and a second one.

The rubric by rule judges by the rules that the agent ranks with, so it only says what retrieval, filter and
conversation cost. The second one is written by another hand before any result is seen (README).
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from statistics import fmean
from typing import Any

from data.modelzoo import filtering, ranking
from data.modelzoo.agent import Collection
from data.modelzoo.parsing import parse
from data.modelzoo.profile import Profile
from data.modelzoo.query import Query

FOLDER = Path(__file__).parent
QUERIES = FOLDER / "queries.jsonl"
SECOND = FOLDER / "second_rubric.jsonl"
HIGH_QUALITY = 80.0
"""REMSA counts a first model of this score or more as a high-quality hit."""
SHOWN = 3
_NAMES = {"device": "deployment_device"}


@dataclass(frozen=True)
class Asked:
    """One request of the bench."""

    id: str
    kind: str
    """One of the paper's 16 kinds, or `free`."""
    text: str
    application: str
    """What it is for, by the hand that wrote it."""
    hard: Query
    """The constraints that must hold, by the same hand."""


@dataclass(frozen=True)
class Judged:
    """One answer, judged."""

    first: float
    """The rubric's score of the first model."""
    mean: float
    """That of all that were shown."""
    rank_of_best: int | None
    """Where the best model of the whole collection stands among those shown, 1 the first."""
    broken: int
    """Shown models that are known to break a hard constraint, and were not said to be only the closest."""
    untold: int
    """Shown models whose record does not tell of some hard constraint."""


def queries(limit: int | None = None) -> tuple[Asked, ...]:
    """The requests, in their order."""
    lines = [json.loads(line) for line in QUERIES.read_text(encoding="utf-8").splitlines()][:limit]
    return tuple(
        Asked(each["id"], each["kind"], each["query"], each["application"], _hard(each["hard"]))
        for each in lines
    )


def _hard(stated: Mapping[str, Any]) -> Query:
    return Query.model_validate({_NAMES.get(name, name): value for name, value in stated.items()})


def meant(asked: Asked, collection: Collection) -> Query:
    """What was asked for: the application and constraints by hand, the rest as it is read."""
    read = parse(asked.text, collection.vectors).query
    by_hand = {"application": asked.application, **dict(asked.hard)}
    return read.model_copy(update={name: value for name, value in by_hand.items() if value})


def scores(query: Query, collection: Collection, today: date) -> dict[str, float]:
    """The rubric's score of every model, less 20 points for each constraint that it breaks."""
    found = {}
    for model in collection.models:
        own = ranking.rate(query, model, collection.scales, today).score
        broken = len(filtering.missed(query, model).broken)
        found[model.id] = max(1.0, own - filtering.BROKEN_POINTS * broken)
    return found


def judge(
    asked: Asked,
    shown: Sequence[Profile],
    by_score: Mapping[str, float],
    *,
    said_closest: bool,
) -> Judged:
    """An answer against the rubric and the constraints."""
    ids = [each.id for each in shown]
    best = max(by_score.values())
    places = [place for place, each in enumerate(ids, 1) if by_score[each] == best]
    missed = [
        filtering.missed(asked.hard.model_copy(update={"application": asked.application}), each)
        for each in shown
    ]
    return Judged(
        first=by_score[ids[0]] if ids else 1.0,
        mean=fmean(by_score[each] for each in ids) if ids else 1.0,
        rank_of_best=places[0] if places else None,
        broken=0 if said_closest else sum(bool(each.broken) for each in missed),
        untold=sum(bool(each.untold) for each in missed),
    )


def is_development(asked: Asked) -> bool:
    """Whether the second hand's judgements of a request may be read while the ranking is worked on.

    By application, so that a request of the kept part has no sister in the other: the first byte of the
    SHA-256 of the application's name is even. The judgements of the others are never shown, only totals.
    """
    return hashlib.sha256(asked.application.encode()).digest()[0] % 2 == 0


def second_rubric() -> dict[str, dict[str, int]]:
    """The second hand's judgements: for each request, models with 1 (useless) to 5 (the right choice)."""
    if not SECOND.is_file():
        return {}
    lines = [json.loads(line) for line in SECOND.read_text(encoding="utf-8").splitlines() if line.strip()]
    return {each["id"]: each["judgements"] for each in lines}


def ndcg(ids: Sequence[str], judgements: Mapping[str, int], k: int = SHOWN) -> float:
    """Normalised discounted cumulative gain at k; gain is relevance − 1, none for who was not judged."""
    gains = [judgements.get(each, 1) - 1 for each in ids[:k]]
    ideal = sorted((value - 1 for value in judgements.values()), reverse=True)[:k]
    best = _discounted(ideal)
    return _discounted(gains) / best if best else 0.0


def _discounted(gains: Sequence[int]) -> float:
    return sum(gain / math.log2(place + 1) for place, gain in enumerate(gains, 1))

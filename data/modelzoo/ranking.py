"""Ranking: the weighted sum of the seven criteria, with REMSA's weights, as a score from 1 to 100.

score = 1 + 99 × (Σ weight × rating ÷ 100 − 1) ÷ 4, so that ratings of 1 throughout give 1 and of 5 give 100.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from data.modelzoo import criteria
from data.modelzoo.criteria import Rating, Scales
from data.modelzoo.profile import Profile
from data.modelzoo.query import Query

WEIGHTS: Mapping[str, int] = {
    "application": 25,
    "modality": 20,
    "performance": 20,
    "efficiency": 15,
    "generalizability": 10,
    "popularity": 5,
    "recency": 5,
}
"""Those of arXiv 2511.17442, in per cent."""


@dataclass(frozen=True)
class Ranked:
    """A model with its ratings."""

    model: Profile
    ratings: Mapping[str, Rating]
    score: float
    """1 to 100."""

    @property
    def id(self) -> str:
        """The model's id."""
        return self.model.id

    @property
    def known(self) -> float:
        """The share of the weights whose criteria the record states, 0 to 1."""
        return sum(WEIGHTS[name] for name, each in self.ratings.items() if each.is_known) / 100


def rank(query: Query, models: Sequence[Profile], scales: Scales, today: date) -> tuple[Ranked, ...]:
    """The models by their score, the best first; equals by their id."""
    rated = [rate(query, each, scales, today) for each in models]
    return tuple(sorted(rated, key=lambda each: (-each.score, each.id)))


def rate(query: Query, model: Profile, scales: Scales, today: date) -> Ranked:
    """One model's ratings and score."""
    performance = criteria.reported_performance(query, model, scales)
    ratings = {
        "application": criteria.application_fit(query, model),
        "modality": criteria.modality_match(query, model),
        "performance": performance,
        "efficiency": criteria.efficiency(query, model, scales, performance),
        "generalizability": criteria.generalizability(query, model),
        "popularity": criteria.popularity(model, scales),
        "recency": criteria.recency(model, today),
    }
    return Ranked(model, ratings, score_of({name: each.value for name, each in ratings.items()}))


def score_of(ratings: Mapping[str, float]) -> float:
    """The score of ratings from 1 to 5, one decimal."""
    mean = sum(WEIGHTS[name] * value for name, value in ratings.items()) / 100
    return round(1 + 99 * (mean - 1) / 4, 1)

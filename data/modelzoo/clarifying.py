"""What is asked back: a mandatory field that is missing, or the optional one whose answer would change
most.
"""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

from data.modelzoo.filtering import takes
from data.modelzoo.lexicon import FOLDER, lexicon
from data.modelzoo.profile import Profile
from data.modelzoo.query import Query

MOST_QUESTIONS = 3
MOST_CHOICES = 6
OPTIONAL = ("deployment_device", "available_data", "priority_metrics")


@dataclass(frozen=True)
class Question:
    """One question about one field, with answers to choose from; each reads back as what it stands for."""

    field: str
    text: str
    choices: tuple[str, ...]


def about_missing(query: Query, near: Sequence[str], models: Sequence[Profile]) -> Question | None:
    """The question for the first mandatory field that is missing; None where none is."""
    missing = query.missing
    if not missing:
        return None
    return (
        about_application(query, near, models) if missing[0] == "application" else _about_data(query, models)
    )


def about_application(query: Query, near: Sequence[str], models: Sequence[Profile]) -> Question:
    """Offers the applications that the request is likest to, else those that most models did."""
    fitting = [each for each in models if all(takes(each, kind) is not False for kind in query.modalities)]
    counts = Counter(application for each in fitting for application in each.applications)
    likest = [each for each in near if counts[each]] or list(near)
    offered = likest[:MOST_CHOICES] if likest else [each for each, _ in counts.most_common(MOST_CHOICES)]
    offered = offered or list(lexicon().applications)[:MOST_CHOICES]
    return Question("application", _texts()["application"][0], (*map(_capital, offered), _indifferent()))


def _about_data(query: Query, models: Sequence[Profile]) -> Question:
    """Offers the kinds of data that models for the application take, the most frequent first."""
    fitting = [each for each in models if query.application in each.applications] or list(models)
    offers = {name: each.choice for name, each in lexicon().modalities.items() if each.choice}
    counts = Counter(kind for each in fitting for kind in each.modalities if kind in offers)
    offered = [offers[kind] for kind, _ in counts.most_common(MOST_CHOICES)] or list(offers.values())
    return Question("modalities", _texts()["modalities"][0], (*filter(None, offered), _indifferent()))


def about_optional(
    query: Query, asked: Sequence[str], first: Callable[[Query], str | None]
) -> Question | None:
    """The optional question whose answers lead to the most different models; None where none changes the
    first.

    `first` gives the id of the model that comes first for a query.
    """
    told: list[tuple[int, int, Question]] = []
    for order, field in enumerate(OPTIONAL):
        if query.has(field) or field in asked:
            continue
        text, slot = _texts()[field]
        offered = {value: said for (of, value), said in lexicon().choices.items() if of == slot}
        firsts = {first(query.model_copy(update={field: _value(field, value)})) for value in offered}
        if len(firsts) > 1:
            told.append((-len(firsts), order, Question(field, text, (*offered.values(), _indifferent()))))
    return min(told, key=lambda each: each[:2])[2] if told else None


def _value(field: str, value: str) -> object:
    return (value,) if field == "priority_metrics" else value


def _indifferent() -> str:
    return lexicon().choices["any", "yes"]


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


@cache
def _texts() -> dict[str, tuple[str, str]]:
    """Each field's question, and the lexicon's slot of its choices."""
    table = tomllib.loads((FOLDER / "questions.toml").read_text(encoding="utf-8"))
    return {field: (each["text"], each.get("slot", "")) for field, each in table.items()}

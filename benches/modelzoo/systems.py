"""The selection agent, and what it is compared with."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date

from benches.modelzoo.rubric import SHOWN, Asked
from data.modelzoo import filtering
from data.modelzoo.agent import Answer, Collection, answer, say
from data.modelzoo.lexicon import lexicon
from data.modelzoo.parsing import parse
from data.modelzoo.profile import Profile


@dataclass(frozen=True)
class Given:
    """What a system answers."""

    shown: tuple[Profile, ...]
    questions: int = 0
    said_closest: bool = False


System = Callable[[Collection, Asked, date], Given]


def agent(collection: Collection, asked: Asked, today: date) -> Given:
    """The whole algorithm; asked back, the author says what was meant, or that it does not matter."""
    found = answer(collection, say(collection, asked.text), today, k=SHOWN)
    while found.question is not None:
        said = say(collection, _reply(asked, found), found.conversation)
        found = answer(collection, said, today, k=SHOWN)
    shown = tuple(each.model for each in found.ranked[:SHOWN])
    return Given(shown, len(found.conversation.asked), found.is_closest)


def _reply(asked: Asked, found: Answer) -> str:
    question = found.question
    assert question is not None
    if question.field == "application":
        return asked.application
    if question.field == "modalities" and asked.hard.modalities:
        return lexicon().modalities[asked.hard.modalities[0]].choice or asked.hard.modalities[0]
    return question.choices[-1]


def naive_order(collection: Collection, asked: Asked, today: date) -> Given:
    """Retrieved and filtered as by the agent, in the order of retrieval, without a question."""
    query = parse(asked.text, collection.vectors).query
    found = [each.model for each in collection.retriever.search(query)]
    kept = filtering.apply(query, found)
    return Given((*kept.satisfying, *kept.untold)[:SHOWN])


def retrieval_only(collection: Collection, asked: Asked, today: date) -> Given:
    """The nearest by their typed fields, unfiltered."""
    query = parse(asked.text, collection.vectors).query
    return Given(tuple(each.model for each in collection.retriever.search(query, SHOWN)))


def unstructured(collection: Collection, asked: Asked, today: date) -> Given:
    """The nearest by the text of their whole cards to the words of the request."""
    cosines = collection.vectors.of(_cards(collection)) @ collection.vectors.of([asked.text])[0]
    order = sorted(range(len(collection.models)), key=lambda at: -float(cosines[at]))
    return Given(tuple(collection.models[at] for at in order[:SHOWN]))


def _cards(collection: Collection) -> Sequence[str]:
    return tuple(_card(each) for each in collection.models)


def _card(model: Profile) -> str:
    record = model.record
    told = [
        record.model_name,
        record.short_description or "",
        record.backbone or "",
        *record.modalities,
        *record.supported_sensors,
        *record.domain_knowledge,
        *(f"{each.application or ''} {each.dataset or ''}" for each in record.benchmarks),
        f"{record.num_parameters:g} million parameters" if record.num_parameters else "",
    ]
    return ". ".join(part for part in told if part.strip())


SYSTEMS: dict[str, System] = {
    "agent": agent,
    "naive order": naive_order,
    "retrieval only": retrieval_only,
    "unstructured": unstructured,
}

"""Which foundation model to use: REMSA's selection agent as a tool, with its questions and its follow-ups."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

import pandas as pd
from pydantic import Field

from data.modelzoo import explaining, memory
from data.modelzoo.agent import Answer, Collection, Conversation, answer, say
from data.modelzoo.fitting import fit_of
from data.modelzoo.loading import next_step
from data.modelzoo.parsing import parse
from data.modelzoo.query import in_words
from data.modelzoo.ranking import WEIGHTS, Ranked
from state.model import Artifact, State
from state.model import Question as Asked
from tools.artifacts import Call, Input, write_about
from tools.base import Step, ToolError, World, tool
from tools.knowledge.collected import Request, collection_of, last_recommendation, past_requests
from tools.phrases import listed, number_of, one_line
from tools.tables import plain_rows, save_table

MOST_ROWS = 20


@dataclass(frozen=True)
class Before:
    """A recommendation that another goes on from."""

    handle: str
    name: str
    key: str


@tool("knowledge", changes_state=True, gives=("table",), asks=True, answer="query")
def recommend_model(
    state: State,
    world: World,
    *,
    query: Request,
    k: Annotated[int, Field(ge=1, le=10, description="How many models.")] = 3,
    refine: Annotated[
        bool | None,
        Field(
            description="Whether this goes on from the last recommendation; left out, it does where the "
            "request names no application or no kind of data of its own, and does not open with which model."
        ),
    ] = None,
    ask: Annotated[
        bool,
        Field(description="Whether to ask back, at most three times, where something decisive is not said."),
    ] = True,
) -> Step:
    """Recommend remote sensing foundation models for a task, data and machine, with reasons and trade-offs.

    REMSA's algorithm (arXiv 2511.17442) without a language model: the request is read into its query
    schema, what is missing is asked with choices, models are retrieved by typed fields, those that break a
    hard constraint (kind of data, device, size, licence, least performance) are left out, the rest is rated
    1 to 5 by seven criteria with the paper's weights: application 25, modality 20, reported performance 20,
    efficiency 15, generalizability 10, popularity 5, recency 5. Where none satisfies everything, the
    closest come with what they break. "Only radar" or "and for change detection?" afterwards refines the
    request before. Memory and time are estimates from the number of parameters.

    Example: copilot call recommend_model query="crop types from Sentinel-2 with 50 labels on a laptop"

    Asked as: which foundation model for flood mapping with radar | recommend a model for my task | what
    model should I use for crop types from Sentinel-2 | only radar, and it must run on a laptop | and for
    change detection? | best pretrained model for tree species | pick a geospatial foundation model | will
    any model fit my GPU | choose a model with few labels and no GPU | suggest a backbone for SAR ship
    detection
    """
    collection = collection_of(world)
    before = last_recommendation(state, world)
    going_on = _goes_on(state, before, collection, query, refine)
    said = say(collection, query, before[1] if going_on and before is not None else None)
    if going_on and before is not None and not said.pending and state.ui.question is None:
        said = Conversation(said.query, (), None, said.reading, said.near)  # a follow-up may ask anew
    found = answer(collection, said, world.today, k=k, may_ask=ask)
    call = Call.of(recommend_model, query=query, k=k, refine=refine, ask=ask)
    inputs = [Before(before[0].id, before[0].name, before[0].id)] if going_on and before is not None else []
    if found.question is not None:
        return _asking(state, world, found, call, inputs)
    return _recommending(state, world, collection, found, call, inputs, k)


def _goes_on(
    state: State,
    before: tuple[Artifact, Conversation, tuple[str, ...]] | None,
    collection: Collection,
    query: str,
    refine: bool | None,
) -> bool:
    """Whether a request goes on from the one before: an answer always does."""
    if refine is not None:
        if refine and before is None:
            raise ToolError(
                "There is no recommendation to refine yet; say what the model is for and on which data."
            )
        return refine
    if before is None:
        return False
    if before[1].pending is not None and state.ui.question is not None:
        return True
    said = parse(query, collection.vectors)
    return bool(said.query.missing) and not (said.opens and said.query.application)


def _asking(state: State, world: World, found: Answer, call: Call, inputs: list[Before]) -> Step:
    question = found.question
    assert question is not None
    given = found.conversation.query.given()
    rows = [{"field": name.replace("_", " "), "value": _plain(value)} for name, value in given.items()]
    frame = pd.DataFrame(rows, columns=["field", "value"])
    after = save_table(state, world, frame, call, "What is known of the request for a model", inputs)
    artifact = after.artifacts[-1]
    _remember(world, artifact, call, inputs, found, ())
    known = in_words(found.conversation.query)
    said = f"{question.text} {listed(question.choices, len(question.choices))}."
    said += f" So far: {one_line(known)}." if known else ""
    data = {
        "question": question.text,
        "choices": list(question.choices),
        "about": question.field,
        "query": given,
        "round": len(found.conversation.asked),
        "table": artifact.id,
    }
    return Step(after.with_ui(question=Asked(question.text, question.choices)), said, data)


def _recommending(
    state: State,
    world: World,
    collection: Collection,
    found: Answer,
    call: Call,
    inputs: list[Before],
    k: int,
) -> Step:
    query, shown = found.conversation.query, found.ranked[:k]
    asked_for = in_words(query) or "any task and data"
    if not shown:
        raise ToolError("The collection holds no models; `copilot modelzoo list` says what there is.")
    frame = pd.DataFrame(
        [_row(number, each, found) for number, each in enumerate(found.ranked[:MOST_ROWS], 1)]
    )
    after = save_table(state, world, frame, call, f"Models for {one_line(asked_for)}", inputs)
    artifact = after.artifacts[-1]
    past = [each for each in past_requests(state, world) if each.handle not in {of.key for of in inputs}]
    alike = memory.nearest(query, past, collection.vectors)
    _remember(world, artifact, call, inputs, found, tuple(each.id for each in shown))
    models = [_told(number, each, found) for number, each in enumerate(shown, 1)]
    trades = explaining.trade_offs(shown[0], shown[1:])
    sentences = [
        _opening(found, asked_for),
        *(_sentence(each) for each in models),
        *(
            f"Against {shown[0].model.record.model_name}: {_name(found, each.other)} is {each.said}."
            for each in trades
        ),
        _counted(found, collection),
        f"Asked before, alike: {alike[0].handle}, where {_name(found, alike[0].first)} came first."
        if alike
        else "",
        f"The table is {artifact.id}.",
    ]
    data = {
        "query": query.given(),
        "models": models,
        "trade_offs": [{"model_id": each.other, "better_in": each.criterion} for each in trades],
        "closest": found.is_closest,
        "considered": len(collection.models),
        "satisfying": found.satisfying,
        "not_stated": found.untold,
        "confidence": found.confidence.overall,
        "weights": dict(WEIGHTS),
        "asked_before": alike[0].handle if alike else None,
        "table": artifact.id,
        "first": plain_rows(frame.head(k)),
    }
    return Step(after.with_ui(question=None), " ".join(filter(None, sentences)), data)


def _remember(
    world: World, artifact: Artifact, call: Call, inputs: list[Before], found: Answer, shown: tuple[str, ...]
) -> None:
    given: list[Input] = list(inputs)
    write_about(world, artifact, call, given, conversation=found.conversation.to_json(), shown=list(shown))


def _row(number: int, ranked: Ranked, found: Answer) -> dict[str, Any]:
    record = ranked.model.record
    fit = fit_of(record, found.conversation.query)
    return {
        "rank": number,
        "model_id": ranked.id,
        "model": record.model_name,
        "score": ranked.score,
        **{name: round(each.value, 1) for name, each in ranked.ratings.items()},
        "parameters_m": record.num_parameters,
        "memory_gb": round(fit.memory_gb, 1) if fit else None,
        "seconds_an_image": float(f"{fit.seconds:.2g}") if fit else None,
        "unmet": ", ".join((*found.missed(ranked).broken, *found.missed(ranked).untold)) or None,
        "modalities": ", ".join(sorted(ranked.model.modalities)),
        "licence": record.licence_weights or record.licence_code,
        "paper": record.paper_link,
        "code": record.repository,
        "weights": record.weights,
    }


def _told(number: int, ranked: Ranked, found: Answer) -> dict[str, Any]:
    """A model as the answer tells of it."""
    lacks = found.missed(ranked)
    record, fit = ranked.model.record, fit_of(ranked.model.record, found.conversation.query)
    return {
        "rank": number,
        "model_id": ranked.id,
        "name": record.model_name,
        "score": ranked.score,
        "ratings": {name: round(each.value, 2) for name, each in ranked.ratings.items()},
        "criteria": [
            {
                "criterion": name,
                "weight": WEIGHTS[name],
                "rating": round(each.value, 2),
                "because": one_line(each.reason),
                "stated": each.is_known,
            }
            for name, each in ranked.ratings.items()
        ],
        "reasons": [" ".join(each.split()) for each in explaining.reasons(ranked)],
        "weaknesses": [" ".join(each.split()) for each in explaining.weaknesses(ranked)],
        "not_stated": list(explaining.not_stated(ranked)),
        "breaks": list(lacks.broken),
        "does_not_state": list(lacks.untold),
        "will_it_fit": explaining.fit_in_words(fit),
        "memory_gb": round(fit.memory_gb, 2) if fit else None,
        "fits": fit.fits if fit else None,
        "paper": record.paper_link,
        "code": record.repository,
        "weights": record.weights,
        "next_step": next_step(record, found.conversation.query.modalities),
    }


def _sentence(told: dict[str, Any]) -> str:
    parts = [
        f"without {listed(told['breaks'])}" if told["breaks"] else "",
        f"{listed(told['does_not_state'])} not stated" if told["does_not_state"] else "",
        "; ".join(told["reasons"]),
        f"weaker: {'; '.join(told['weaknesses'][:2])}" if told["weaknesses"] else "",
        f"not stated: {listed(told['not_stated'])}" if told["not_stated"] else "",
        told["will_it_fit"],
        " ".join(f"{name} {told[name]}" for name in ("paper", "code") if told[name]),
    ]
    said = "; ".join(filter(None, parts))
    return f"{told['rank']}. {one_line(told['name'])}, {told['score']:g} of 100: {said}."


def _opening(found: Answer, asked_for: str) -> str:
    if not found.is_closest:
        return f"For {one_line(asked_for)}:"
    return f"No model is known to satisfy all of {one_line(asked_for)}; the closest:"


def _counted(found: Answer, collection: Collection) -> str:
    held = f"Of {number_of(len(collection.models), 'model')}, {found.satisfying:,} satisfy all that was asked"
    untold = f", {found.untold:,} more do not state enough to tell" if found.untold else ""
    return f"{held}{untold}; confidence {found.confidence.overall:.2f}."


def _name(found: Answer, model_id: str) -> str:
    named = (each.model.record.model_name for each in found.ranked if each.id == model_id)
    return one_line(next(named, model_id))


def _plain(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name} {each}" for name, each in value.items())
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


TOOLS = (recommend_model,)

"""What the tools about foundation models share: the collection, models by their names, the last
recommendation.
"""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches
from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from data.modelzoo import reading
from data.modelzoo.agent import Collection, Conversation
from data.modelzoo.memory import Past
from data.modelzoo.profile import Profile
from data.modelzoo.schema import ModelRecord
from data.vocabulary.words import spelled
from state.model import Artifact, State
from tools.artifacts import about
from tools.base import Encode, ToolError, World
from tools.phrases import listed, one_line

RECOMMENDED_BY = "recommend_model("
"""How the tables of recommendations are said to be made."""
_MADE: list[tuple[tuple[ModelRecord, ...], Encode, Collection]] = []
"""The collection that was made last, with what it was made of."""
LONGEST_REQUEST = 2_000
Request = Annotated[
    str,
    Field(
        min_length=1,
        max_length=LONGEST_REQUEST,
        description="What the model is for, on which data, where it is to run, in the person's own words.",
    ),
]


def _one_or_more(value: Any) -> Any:
    return [value] if isinstance(value, str) else value


ModelNames = Annotated[
    Annotated[list[Annotated[str, Field(min_length=1, max_length=120)]], Field(min_length=1, max_length=6)]
    | None,
    BeforeValidator(_one_or_more),
    Field(description="Names or ids of models, such as Prithvi-EO-2.0; without, those recommended last."),
]


def collection_of(world: World) -> Collection:
    """The collection. Raises ToolError without the sentence encoder."""
    if world.encode is None:
        raise ToolError("The sentence encoder is not there; models are found by meaning with it.")
    return _collection(world.encode)


def _collection(encode: Encode) -> Collection:
    """The collection of the records as they are now: made anew only when one of their files has changed."""
    records = reading.zoo().records
    for held, by, collection in _MADE:
        if held is records and by is encode:
            return collection
    collection = Collection.of(records, encode)
    _MADE[:] = [(records, encode, collection)]
    return collection


def named_models(collection: Collection, names: Sequence[str]) -> list[Profile]:
    """The models of those names, each once, in their order. Raises ToolError with the nearest names."""
    found = {model.id: model for model in (_named(collection, name) for name in names)}
    return list(found.values())


def _named(collection: Collection, name: str) -> Profile:
    wanted = spelled(name)
    for model in collection.models:
        if wanted and wanted in (spelled(model.id), spelled(model.record.model_name)):
            return model
    # "Prithvi 2.0" for Prithvi-EO-2.0: the only model, or the shortest name, whose words hold all of these.
    words = set(wanted.split())
    holding = [
        each for each in collection.models if words and words <= set(spelled(each.record.model_name).split())
    ]
    if holding:
        return min(holding, key=lambda each: (len(each.record.model_name), each.id))
    known = {spelled(each.record.model_name): each.record.model_name for each in collection.models}
    near = [known[each] for each in get_close_matches(wanted, known, n=3, cutoff=0.5)]
    hint = f"Did you mean {listed(near)}?" if near else "modelzoo_search finds models by what they are for."
    raise ToolError(f"No foundation model of the collection is called {one_line(name)!r}. {hint}")


def last_recommendation(state: State, world: World) -> tuple[Artifact, Conversation, tuple[str, ...]] | None:
    """The newest recommendation with its conversation and the models that it showed; None without one."""
    for artifact in reversed(state.artifacts):
        if artifact.made_by.startswith(RECOMMENDED_BY) and (held := about(world, artifact.id)):
            return artifact, Conversation.from_json(held["conversation"]), tuple(held["shown"])
    return None


def past_requests(state: State, world: World) -> tuple[Past, ...]:
    """The session's recommendations so far: what was asked for, and what came first."""
    found = []
    for artifact in state.artifacts:
        if (
            artifact.made_by.startswith(RECOMMENDED_BY)
            and (held := about(world, artifact.id))
            and held["shown"]
        ):
            query = Conversation.from_json(held["conversation"]).query
            found.append(Past(artifact.id, query, str(held["shown"][0])))
    return tuple(found)

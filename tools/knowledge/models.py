"""The collection of foundation models: find some, read their cards, put them side by side."""

from __future__ import annotations

from typing import Annotated, Any

import pandas as pd
from pydantic import Field

from data.modelzoo import filtering
from data.modelzoo.agent import Collection, say
from data.modelzoo.explaining import CLEARLY
from data.modelzoo.fitting import fit_of
from data.modelzoo.profile import Profile
from data.modelzoo.query import Query, in_words
from data.modelzoo.ranking import Ranked, rate
from data.vocabulary.words import spelled
from state.model import State
from tools.artifacts import Call
from tools.base import Step, ToolError, World, tool
from tools.knowledge.collected import ModelNames, Request, collection_of, last_recommendation, named_models
from tools.phrases import listed, number_of, one_line
from tools.tables import table_of_inputs

_FACTS = (
    "backbone",
    "num_parameters",
    "pretext_training_type",
    "release_date",
    "citations",
    "licence_weights",
)


@tool("knowledge", changes_state=True, gives=("table",))
def modelzoo_search(
    state: State,
    world: World,
    *,
    query: Request,
    k: Annotated[int, Field(ge=1, le=50, description="How many models.")] = 10,
) -> Step:
    """Find remote sensing foundation models by name, task, kind of data, sensor or size, as a table.

    Models whose name holds the words come first; then those whose typed fields are nearest by cosine
    (FAISS), of them only those that break nothing the request demands. Nothing is rated and nothing asked:
    recommend_model does.

    Example: copilot call modelzoo_search query="radar models for ship detection" k=5

    Asked as: which foundation models are there for radar | list models trained on Sentinel-1 | find models
    for hyperspectral data | search the model zoo for change detection | models with fewer than 100 million
    parameters | show me all versions of Prithvi | is there a model for lidar
    """
    collection = collection_of(world)
    said = say(collection, query)
    named = [each for each in collection.models if _is_named(each, query)]
    nearest = [
        each
        for each in collection.retriever.search(said.query, len(collection.models))
        if each.model not in named
    ]
    kept = filtering.apply(said.query, [each.model for each in nearest])
    likeness = {each.model.id: each.likeness for each in nearest}
    found = ([*named, *(kept.satisfying if in_words(said.query) else ())])[:k]
    if not found:
        wanted = one_line(in_words(said.query) or query)
        raise ToolError(
            f"No model of the {len(collection.models)} is known to be {wanted!r}; "
            "leave a constraint out, or ask recommend_model for the closest."
        )
    frame = pd.DataFrame([{**_facts(each), "likeness": _rounded(likeness.get(each.id))} for each in found])
    call = Call.of(modelzoo_search, query=query, k=k)
    names = listed([one_line(each.record.model_name) for each in found], k)
    said_of = f"{number_of(len(found), 'model')} of {len(collection.models)}"
    said_of += (
        f" for {one_line(in_words(said.query))}" if in_words(said.query) else f" named {one_line(query)}"
    )
    return table_of_inputs(
        state, world, [], frame, call, "Foundation models", f"{said_of}: {names}.",
        models=[each.id for each in found], query=said.query.given(),
    )  # fmt: skip


@tool("knowledge", changes_state=True, gives=("table",))
def compare_models(
    state: State,
    world: World,
    *,
    models: ModelNames = None,
    first: Annotated[
        int,
        Field(ge=2, le=6, description="Without names: how many of the last recommendation, from the top."),
    ] = 2,
) -> Step:
    """Compare foundation models side by side: facts, ratings for the last request, and who is ahead in what.

    Without names the first ones of the last recommendation. Ratings are those of the request that was made
    last; without one they are left out.

    Example: copilot call compare_models models='["Prithvi-EO-2.0","CROMA"]'

    Asked as: compare the first two | compare Prithvi and Clay | what is the difference between these models
    | put the three models side by side | which of the two is smaller | CROMA versus DOFA
    """
    collection = collection_of(world)
    last = last_recommendation(state, world)
    chosen = _chosen(collection, models, last[2] if last else (), first)
    query = last[1].query if last is not None else Query()
    rated = [rate(query, each, collection.scales, world.today) for each in chosen]
    table = {each.id: _column(each, query, with_ratings=last is not None) for each in rated}
    fields = list(dict.fromkeys(name for column in table.values() for name in column))
    frame = pd.DataFrame(
        [
            {"field": name, **{key: _text(column.get(name)) for key, column in table.items()}}
            for name in fields
        ]
    )
    call = Call.of(compare_models, models=[each.id for each in chosen], first=first)
    names = listed([one_line(each.record.model_name) for each in chosen])
    about = f" for {one_line(in_words(query))}" if last is not None and in_words(query) else ""
    said = f"{names}{about}: {_differences(rated, with_ratings=last is not None)}"
    return table_of_inputs(
        state, world, [], frame, call, f"Comparison of {names}", said,
        models=[each.id for each in chosen], query=query.given(), comparison=table,
    )  # fmt: skip


@tool("knowledge")
def model_cards(state: State, world: World, *, models: ModelNames = None) -> Step:
    """Read the cards of foundation models: every stated value, where it was read, and which are unsure.

    Without names the first of the last recommendation. What no source states is not in the card.

    Example: copilot call model_cards models='["Prithvi-EO-2.0"]'

    Asked as: tell me about Prithvi | the card of Clay | what is known of the first model | how was DOFA
    pretrained | which licence does it have | where is the paper of CROMA | what data was it trained on
    """
    collection = collection_of(world)
    last = last_recommendation(state, world)
    chosen = _chosen(collection, models, last[2] if last else (), 1)
    cards = [_card(each) for each in chosen]
    return Step(state, " ".join(map(_card_in_words, cards)), {"cards": cards})


def _chosen(
    collection: Collection, names: list[str] | None, shown: tuple[str, ...], first: int
) -> list[Profile]:
    """The models that are named, else the first ones that were shown."""
    if names:
        return named_models(collection, names)
    if not shown:
        raise ToolError(
            "No models are named and none were recommended yet; name some, such as Prithvi-EO-2.0."
        )
    return named_models(collection, shown[:first])


def _is_named(model: Profile, query: str) -> bool:
    """Whether all words of a search are in the model's name."""
    wanted = set(spelled(query).split())
    return bool(wanted) and wanted <= {*spelled(model.record.model_name).split(), *spelled(model.id).split()}


def _facts(model: Profile) -> dict[str, Any]:
    record = model.record
    return {
        "model_id": model.id,
        "model": record.model_name,
        **{name: getattr(record, name) for name in _FACTS},
        "modalities": ", ".join(sorted(model.modalities)),
        "sensors": ", ".join(sorted(model.sensors)),
        "applications": ", ".join(sorted(model.applications)),
        "paper": record.paper_link,
        "code": record.repository,
    }


def _column(rated: Ranked, query: Query, *, with_ratings: bool) -> dict[str, Any]:
    """A model's side of a comparison."""
    fit = fit_of(rated.model.record, query)
    ratings = {name: round(each.value, 1) for name, each in rated.ratings.items()} if with_ratings else {}
    return {
        **({"score": rated.score} if with_ratings else {}),
        **{f"{name} (1 to 5)": value for name, value in ratings.items()},
        **{name: value for name, value in _facts(rated.model).items() if name not in ("model_id",)},
        "memory_gb": round(fit.memory_gb, 1) if fit else None,
        "seconds_an_image": float(f"{fit.seconds:.2g}") if fit else None,
        "weights": rated.model.record.weights,
    }


def _differences(rated: list[Ranked], *, with_ratings: bool) -> str:
    """What sets the models apart, in sentences."""
    said = []
    if with_ratings:
        said.append(listed([f"{_called(each)} scores {each.score:g}" for each in rated]))
        for name in rated[0].ratings:
            best = max(rated, key=lambda each: each.ratings[name].value)
            worst = min(rated, key=lambda each: each.ratings[name].value)
            if best.ratings[name].value - worst.ratings[name].value >= CLEARLY:
                said.append(f"{_called(best)} is ahead in {name} ({best.ratings[name].reason})")
    sizes = [
        f"{_called(each)} has {each.model.record.num_parameters:,.4g} million parameters"
        for each in rated
        if each.model.record.num_parameters is not None
    ]
    said += [listed(sizes)] if sizes else []
    return f"{'; '.join(said) or 'their records state no figure to compare'}."


def _called(ranked: Ranked) -> str:
    return one_line(ranked.model.record.model_name)


def _card(model: Profile) -> dict[str, Any]:
    """A record as JSON, without what is not known."""
    record = model.record
    held: dict[str, Any] = record.model_dump(mode="json", exclude_none=True, exclude={"provenance"})
    held = {name: value for name, value in held.items() if value not in ([], {})}
    return {**held, "unsure": list(record.flagged())}


def _card_in_words(card: dict[str, Any]) -> str:
    facts = {
        "published": card.get("release_date"),
        "backbone": card.get("backbone"),
        "million parameters": card.get("num_parameters"),
        "pretraining": card.get("pretext_training_type"),
        "kinds of data": ", ".join(card.get("modalities", ())),
        "sensors": ", ".join(card.get("supported_sensors", ())),
        "trained on": ", ".join(
            each["dataset"] for each in card.get("pretraining", ()) if each.get("dataset")
        ),
        "benchmarks": len(card.get("benchmarks", ())) or None,
        "licence of the weights": card.get("licence_weights"),
        "licence of the code": card.get("licence_code"),
        "paper": card.get("paper_link"),
        "code": card.get("repository"),
    }
    told = "; ".join(f"{name} {one_line(str(value))}" for name, value in facts.items() if value)
    sources = listed([one_line(each["title"]) for each in card.get("sources", {}).values()], 4)
    unsure = f" Less than sure: {listed(card['unsure'], 4)}." if card["unsure"] else ""
    about = f" {one_line(card['short_description']).rstrip('.')}." if card.get("short_description") else ""
    return f"{one_line(card['model_name'])}:{about} {told}. Read in {sources}.{unsure}"


def _rounded(value: float | None) -> float | None:
    return round(value, 3) if value is not None else None


def _text(value: Any) -> str | None:
    return None if value in (None, "") else f"{value:g}" if isinstance(value, float) else str(value)


TOOLS = (modelzoo_search, compare_models, model_cards)

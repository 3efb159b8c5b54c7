from __future__ import annotations

from dataclasses import replace
from typing import Any

import pandas as pd
import pytest

from data.modelzoo.agent import Collection
from state.codec import digest
from state.model import State
from tests.data.modelzoo.few import RECORDS
from tools.base import Step, World
from tools.knowledge import collected
from tools.run import run_call
from tools.toolbox import toolbox


@pytest.fixture(autouse=True)
def few(monkeypatch: pytest.MonkeyPatch, world: World) -> None:
    """The ten invented models in place of the collection."""
    assert world.encode is not None
    collection = Collection.of(RECORDS, world.encode)
    monkeypatch.setattr(collected, "_collection", lambda encode: collection)


def call(world: World, state: State, tool: str, **arguments: Any) -> Step:
    step = run_call(toolbox(), state, world, tool, arguments)
    assert not step.failed, step.observation
    return step


def ids(step: Step) -> list[str]:
    return [each["model_id"] for each in step.data["models"]]


def table(world: World, step: Step) -> pd.DataFrame:
    return pd.read_parquet(world.artifacts.path(step.data["table"], ".parquet"))


def test_a_whole_request_is_answered_with_reasons_ratings_and_links(world: World) -> None:
    step = call(world, State(), "recommend_model", query="crop types from Sentinel-2 on a laptop")
    # Barley and Delta are too slow for a processor; of Haze and Jetty nobody knows the size.
    assert ids(step) == ["acre", "haze", "jetty"]
    assert step.data["models"][1]["does_not_state"] == ["Sentinel-2 images", "a size for the device"]
    first = step.data["models"][0]
    assert first["reasons"][0] == "crop type mapping: benchmark PASTIS"
    assert first["paper"] == "https://example.org/acre.pdf"
    assert set(first["ratings"]) == set(step.data["weights"])
    assert "1. Acre" in step.observation and "(an estimate)" in step.observation
    assert list(table(world, step)["model_id"][:3]) == ids(step)
    assert step.state.ui.question is None


def test_what_is_missing_is_a_question_with_choices_that_stands_until_it_is_answered(world: World) -> None:
    asked = call(world, State(), "recommend_model", query="a model for floods")
    assert asked.state.ui.question is not None
    assert asked.state.ui.question.choices == tuple(asked.data["choices"])
    panned = call(world, asked.state, "notify", text="By the way.")
    assert panned.state.ui.question is None
    chosen = call(world, asked.state, "recommend_model", query="Radar (SAR), such as Sentinel-1")
    assert (ids(chosen)[:2], chosen.state.ui.question) == (["delta", "cove"], None)


def test_a_conversation_refines_compares_and_turns_to_another_task(world: World) -> None:
    first = call(world, State(), "recommend_model", query="which model for floods from Sentinel-1?")
    narrower = call(world, first.state, "recommend_model", query="only radar, and it must run on a laptop")
    assert narrower.data["query"] == {
        "application": "flood mapping", "modalities": ["sar"], "deployment_device": "laptop",
    }  # fmt: skip
    compared = call(world, narrower.state, "compare_models")
    assert compared.data["models"] == ids(narrower)[:2]
    turned = call(world, compared.state, "recommend_model", query="and for change detection?")
    assert turned.data["query"] == {**narrower.data["query"], "application": "change detection"}


def test_a_request_that_opens_anew_keeps_nothing_of_the_one_before(world: World) -> None:
    first = call(world, State(), "recommend_model", query="floods from Sentinel-1 on a laptop")
    other = call(world, first.state, "recommend_model", query="which model for crop types?")
    assert (other.data["query"], other.data["about"]) == ({"application": "crop type mapping"}, "modalities")


def test_after_an_undo_the_follow_up_refines_what_is_left(world: World) -> None:
    floods = call(world, State(), "recommend_model", query="floods from Sentinel-1")
    call(world, floods.state, "recommend_model", query="crop types from Sentinel-2")
    later = call(world, floods.state, "recommend_model", query="and on a laptop")
    assert later.data["query"]["application"] == "flood mapping"


def test_the_same_words_after_another_request_make_another_table(world: World) -> None:
    start = [
        call(world, State(), "recommend_model", query=f"{what} from Sentinel-2").state
        for what in ("crop types", "floods")
    ]
    ends = [call(world, state, "recommend_model", query="and on a laptop") for state in start]
    assert ends[0].data["table"] != ends[1].data["table"]
    again = call(world, start[0], "recommend_model", query="and on a laptop")
    assert digest(again.state) == digest(ends[0].state)


def test_the_closest_are_said_to_be_so_with_what_they_lack(world: World) -> None:
    step = call(world, State(), "recommend_model", query="ships from thermal images, at most 10M parameters")
    assert step.data["closest"]
    assert step.data["models"][0]["breaks"] == ["thermal data", "at most 10 million parameters"]
    assert step.observation.startswith("No model is known to satisfy all of ship detection")


def test_a_request_like_one_before_is_remembered(world: World) -> None:
    first = call(world, State(), "recommend_model", query="which model for floods from Sentinel-1?")
    between = call(world, first.state, "recommend_model", query="captions for RGB images")
    again = call(world, between.state, "recommend_model", query="which model for floods from radar?")
    assert again.data["asked_before"] == first.data["table"]


def test_searching_finds_by_name_and_by_what_models_take(world: World) -> None:
    assert call(world, State(), "modelzoo_search", query="Gneiss").data["models"] == ["gneiss"]
    found = call(world, State(), "modelzoo_search", query="radar models for floods").data["models"]
    assert set(found) == {"cove", "delta"}


def test_a_search_that_nothing_satisfies_is_refused_with_a_way_out(world: World) -> None:
    step = run_call(toolbox(), State(), world, "modelzoo_search", {"query": "lidar point clouds"})
    assert step.failed and "recommend_model" in step.observation


def test_models_are_named_by_name_or_id_and_a_wrong_name_gets_the_nearest(world: World) -> None:
    compared = call(world, State(), "compare_models", models=["Acre", "finch"])
    assert compared.data["models"] == ["acre", "finch"]
    assert "score" not in compared.data["comparison"]["acre"]
    wrong = run_call(toolbox(), State(), world, "compare_models", {"models": ["barly", "acre"]})
    assert wrong.failed and "Did you mean Barley" in wrong.observation


def test_without_a_recommendation_there_is_nothing_to_compare_or_to_refine(world: World) -> None:
    for tool, arguments in (
        ("compare_models", {}),
        ("recommend_model", {"query": "on a laptop", "refine": True}),
    ):
        step = run_call(toolbox(), State(), world, tool, arguments)
        assert step.failed and step.state == State()


def test_a_card_holds_what_is_stated_with_its_source_and_nothing_else(world: World) -> None:
    (card,) = call(world, State(), "model_cards", models=["jetty"]).data["cards"]
    assert set(card) == {"model_id", "model_name", "short_description", "sources", "unsure"}
    assert card["sources"]["s1"]["url"] == "https://example.org/by-hand"


def test_without_the_encoder_it_says_so(world: World) -> None:
    step = run_call(toolbox(), State(), replace(world, encode=None), "recommend_model", {"query": "floods"})
    assert step.failed and "encoder" in step.observation

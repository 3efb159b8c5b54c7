"""Seeing as tools: what is said of an image, each number in the data too, and boxes and masks for phrases."""

from __future__ import annotations

from dataclasses import replace

import pytest

from state.model import State
from tests.openai_server import KEY, openai_server, says
from tests.tools.prepared import DEM, SAR, SCENE, prepared
from tests.tools.world import run
from tools.base import ChatAddress, World
from tools.vision.grounding import referring_segmentation, visual_grounding
from tools.vision.seeing import caption, classify_image, scene, visual_question


@pytest.fixture
def state(world: World) -> State:
    return prepared(world)


def test_an_image_is_classified_with_its_reasons_and_heights_are_not(world, state):
    told = [run(world, state, classify_image, image=each.id) for each in (SCENE, SAR, DEM)]
    assert [each.data["modality"] for each in told] == ["multispectral", "sar", None]
    assert told[0].observation.startswith(
        "Scene is multispectral, with a confidence of 0.98. It has bands beyond"
    )


def test_every_number_of_a_caption_is_in_its_facts(world, state):
    step = run(world, state, caption, image=SCENE.id)
    assert step.state == state
    shares = {each["id"]: each["value"] for each in step.data["facts"] if each["id"].startswith("cover.")}
    assert shares
    assert all(f"{value:.0f} %" in step.observation for value in shares.values() if value >= 3)
    assert [each["number"] for each in step.data["facts"]] == list(range(1, len(step.data["facts"]) + 1))


def test_a_scene_is_ranked_with_the_facts_that_decided(world, state):
    step = run(world, state, scene, image=SCENE.id)
    scores = [each["score"] for each in step.data["ranked"]]
    assert scores == sorted(scores, reverse=True) and len(scores) == 5
    assert step.data["scene"] is None or step.data["facts"]


def test_a_question_is_answered_with_its_value_and_its_method(world, state):
    step = run(world, state, visual_question, image=SCENE.id, question="How many bands does it have?")
    assert (step.data["answer"], step.data["can_tell"], step.data["external"]) == (6, True, False)
    silent = run(world, state, visual_question, image=SCENE.id, question="Who owns the park?")
    assert (silent.data["answer"], silent.data["can_tell"]) == (None, False)
    assert (
        silent.observation == "I can't tell from the pixels: pixels do not show who owns or runs something."
    )


def test_only_when_asked_for_a_chat_model_gives_its_opinion(world, state):
    with openai_server(says("A lake beside a town.")) as server:
        chatting = replace(world, chat=ChatAddress("small", server.url, KEY))
        run(chatting, state, visual_question, image=SCENE.id, question="What is here?")
        assert server.asked == []
        step = run(chatting, state, visual_question, image=SCENE.id, question="What is here?", model="chat")
    assert len(server.asked) == 1
    told = (step.data["answer"], step.data["kind"], step.data["model"], step.data["external"])
    assert told == ("A lake beside a town.", "opinion", "small", True)
    assert step.observation.startswith("This is a model's opinion and no measurement.")


CHAT_CARD = """
name = "lookout"
title = "A vision-language model of ours"
tasks = ["visual-question-answering"]
architecture = "a server that speaks OpenAI's protocol"
kind = "chat"
licence = "unknown"
address = "{address}"
served_as = "lookout-7b"
[input]
modality = ["optical", "multispectral"]
"""


def test_a_chat_models_card_names_its_own_server_which_does_not_get_the_configured_key(
    world, state, tmp_path
):
    with openai_server(says("Two boats.")) as server:
        (tmp_path / "lookout.toml").write_text(CHAT_CARD.format(address=server.url))
        there = replace(world, models=tmp_path, chat=ChatAddress("small", "http://127.0.0.1:9/v1", KEY))
        step = run(there, state, visual_question, image=SCENE.id, question="What floats?", model="lookout")
    assert (step.data["answer"], step.data["external"]) == ("Two boats.", True), step.observation
    assert [each["model"] for each in server.asked] == ["lookout-7b"]
    assert server.keys == ["Bearer none"]


def test_a_model_that_cannot_answer_says_what_does(world, state):
    step = run(world, state, visual_question, image=SCENE.id, question="What floats?", model="canny")
    said = "canny answers no questions about pictures; measured does, and chat models do."
    assert (step.failed, step.observation) == (True, said)


def test_a_region_is_boxed_and_cut_out_with_its_area(world, state):
    boxed = run(world, state, visual_grounding, image=SCENE.id, phrase="the largest lake")
    assert not boxed.failed, boxed.observation
    assert (boxed.data["count"], boxed.data["by_class"]) == (1, {"water": 1})
    masked = run(world, state, referring_segmentation, image=SCENE.id, phrase="the largest lake")
    assert masked.data["area_m2"] > 0 and masked.data["matches"] == 1
    assert masked.state.artifact(masked.data["raster"]).kind == "raster"


def test_a_phrase_that_means_nothing_there_says_what_there_is_and_makes_nothing(world, state):
    step = run(world, state, visual_grounding, image=SCENE.id, phrase="the lake in the lower left")
    if step.data.get("count") == 0:
        assert "Nothing in Scene is" in step.observation and step.state == state
    unknown = run(world, state, visual_grounding, image=SCENE.id, phrase="the thing")
    assert unknown.failed and unknown.state == state

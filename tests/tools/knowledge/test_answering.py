"""docs_rag and answer_tools: quotations with sources, and a model's words held to the passages."""

from __future__ import annotations

import json
from dataclasses import replace

from state.model import State
from tests.openai_server import KEY, Asked, Reply, openai_server, says
from tests.tools.world import run
from tools.base import ChatAddress, World
from tools.knowledge.answering import answer_tools, docs_rag

QUESTION = "What is speckle in radar images?"


def test_an_answer_quotes_and_cites(world: World) -> None:
    step = run(world, State(), docs_rag, question=QUESTION, scope="entries")
    assert step.data["said"] and "speckle" in [each["id"] for each in step.data["sources"]]
    for quote in step.data["quotes"]:
        source = step.data["sources"][quote["source"] - 1]
        assert " ".join(quote["text"].split()) in " ".join(source["text"].split())


def test_it_is_said_when_nothing_is_said(world: World) -> None:
    step = run(world, State(), docs_rag, question="Who won the football world cup in 2018?", scope="entries")
    assert (step.failed, step.data["said"], step.data["sources"]) == (False, False, [])
    assert step.observation.startswith("The knowledge base does not say.")


def model(asked: Asked) -> Reply:
    """Keywords when JSON is wanted; else one sentence that the passages bear out and two that they do not."""
    if "response_format" in asked:
        return says(
            json.dumps({"keywords": [{"text": "speckle", "weight": 14}, {"text": " ", "weight": 3}, 7]})
        )
    first = json.loads(asked["messages"][-1]["content"])["passages"][0]["text"].split(". ")[0]
    return says(f"{first}. [1] It was found by Napoleon in Egypt. [2] {first} in 99 cases. [1]")


def test_a_model_s_sentences_are_kept_where_the_passages_bear_them_out(world: World) -> None:
    with openai_server(model) as served:
        told = replace(world, chat=ChatAddress("small", served.url, KEY))
        step = run(told, State(), answer_tools, question=QUESTION, by="model", scope="entries")
    assert not step.failed, step.observation
    assert step.data["keywords"] == [{"text": "speckle", "weight": 10}]
    assert len(step.data["dropped"]) == 2
    assert step.data["answer"].endswith("[1]") and "Napoleon" not in step.data["answer"]
    assert step.observation.endswith(
        "2 sentences of the model's were dropped, for no passage bears them out."
    )


def test_a_model_that_says_nothing_true_leaves_the_quotations(world: World) -> None:
    with openai_server(
        lambda asked: model(asked) if "response_format" in asked else says("Elephants fly.")
    ) as served:
        told = replace(world, chat=ChatAddress("small", served.url, KEY))
        step = run(told, State(), answer_tools, question=QUESTION, by="model", scope="entries")
    assert step.data["dropped"] == ["Elephants fly."]
    assert step.data["quotes"] and step.observation.startswith("No passage bears out what ")


def test_without_a_model_the_answer_by_one_is_refused_and_quotes_are_given(world: World) -> None:
    assert run(world, State(), answer_tools, question=QUESTION, by="model").failed
    assert run(world, State(), answer_tools, question=QUESTION, scope="entries").data["said"]

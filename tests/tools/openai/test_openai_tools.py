"""Tools that ask a chat model, against a real server that speaks the protocol; and those that need none."""

from __future__ import annotations

import base64
import io
import json
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from PIL import Image

from copilot.bench.build.example_files import FOLDER
from state.model import Artifact, State
from tests.openai_server import (
    KEY,
    OpenAIServer,
    Reply,
    Says,
    ends,
    fails,
    no_utf8,
    openai_server,
    page_instead,
    refuses,
    says,
    too_long,
    vectors,
)
from tests.tools.world import run
from tools.base import ChatAddress, Step, Tool, World
from tools.openai import asking
from tools.openai.chatting import chat_completion, describe_image, json_mode
from tools.openai.vectors import embeddings, token_count

ASKING: tuple[tuple[Tool, dict[str, Any]], ...] = (
    (chat_completion, {"prompt": "Hello"}),
    (json_mode, {"prompt": "Hello"}),
    (describe_image, {"raster": "scene"}),
    (embeddings, {"texts": ["a", "b"], "source": "endpoint"}),
)


@pytest.fixture
def state(world: World) -> State:
    """A session with a scene."""
    world.artifacts.path("raster-5ce4e0", ".tif").write_bytes((FOLDER / "scene.tif").read_bytes())
    return State().with_artifact(Artifact("raster-5ce4e0", "raster", "scene", "6 bands", "add_file()"))


@contextmanager
def served(world: World, *script: Says) -> Iterator[tuple[World, OpenAIServer]]:
    """The world with a model on this machine that answers so."""
    with openai_server(*script) as server:
        yield replace(world, chat=ChatAddress("small", server.url, KEY)), server


def test_a_model_answers_and_its_words_are_marked_as_unchecked(world: World, state: State) -> None:
    with served(world, says("NDVI compares red and near infrared.")) as (there, server):
        step = run(there, state, chat_completion, prompt="What is NDVI?", system="Be short.", max_tokens=50)
    assert step.observation == "small says, unchecked: «NDVI compares red and near infrared.»."
    assert dict(step.data) == {
        "reply": "NDVI compares red and near infrared.",
        "model": "small",
        "prompt_tokens": 100,
        "completion_tokens": 11,
        "finish": "stop",
    }
    (asked,) = server.asked
    assert asked["messages"] == [
        {"role": "system", "content": "Be short."},
        {"role": "user", "content": "What is NDVI?"},
    ]
    assert (asked["path"], asked["model"], asked["max_tokens"]) == ("/v1/chat/completions", "small", 50)
    assert server.keys == [f"Bearer {KEY}"] and step.state == state


SCHEMA = {
    "type": "object",
    "required": ["height_m"],
    "properties": {"height_m": {"type": "number"}},
}


@pytest.mark.parametrize("reply", ['{"height_m": 4806}', '```json\n{"height_m": 4806}\n```'])
def test_json_is_read_and_checked_against_the_schema(world: World, state: State, reply: str) -> None:
    with served(world, says(reply)) as (there, server):
        step = run(there, state, json_mode, prompt="Mont Blanc", answer_schema=SCHEMA)
    assert not step.failed, step.observation
    assert step.data["value"] == {"height_m": 4806}
    (asked,) = server.asked
    assert asked["response_format"] == {"type": "json_object"}
    assert json.dumps(SCHEMA) in asked["messages"][0]["content"]


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        ("4806", "The model's answer is no JSON object: «4806»."),
        ("It is 4,806 m.", "The model's answer is no JSON: It is 4,806 m."),
        (
            '{"height_m": "high"}',
            "The model's answer does not fit the schema at height_m: 'high' is not of type 'number'.",
        ),
        (
            "{}",
            "The model's answer does not fit the schema at the object: 'height_m' is a required property.",
        ),
    ],
)
def test_an_answer_that_does_not_fit_is_told(world: World, state: State, reply: str, said: str) -> None:
    with served(world, says(reply)) as (there, _):
        step = run(there, state, json_mode, prompt="Mont Blanc", answer_schema=SCHEMA)
    assert (step.failed, step.observation) == (True, said)


@pytest.mark.parametrize("schema", [{"type": "nonsense"}, {"type": 3}])
def test_a_schema_that_is_none_is_told_before_anything_is_asked(
    world: World, state: State, schema: dict[str, Any]
) -> None:
    with served(world, says("{}")) as (there, server):
        step = run(there, state, json_mode, prompt="x", answer_schema=schema)
    assert step.observation == 'answer_schema is no JSON Schema; one is {"type": "object"}.'
    assert server.asked == []


def test_a_reference_to_another_machine_is_not_followed(world: World, state: State) -> None:
    with served(world, says('{"a": 1}')) as (there, server):
        address = f"{server.url}/schema.json"
        step = run(there, state, json_mode, prompt="x", answer_schema={"$ref": address})
    assert step.failed and step.observation.startswith("The schema cannot be checked against: ")
    assert [asked["path"] for asked in server.asked] == ["/v1/chat/completions"]


def test_a_picture_is_sent_as_the_map_shows_it(world: World, state: State) -> None:
    with served(world, says("A lake beside a town.")) as (there, server):
        step = run(there, state, describe_image, raster="scene", longest_px=64, question="What is it?")
    assert step.observation == "Of scene, small says, unchecked: «A lake beside a town.»."
    text, picture = server.asked[0]["messages"][0]["content"]
    assert text == {"type": "text", "text": "What is it?"}
    sent = base64.b64decode(picture["image_url"]["url"].removeprefix("data:image/png;base64,"))
    with Image.open(io.BytesIO(sent)) as image:
        assert (image.size, image.mode) == ((64, 64), "RGB")
        assert np.asarray(image).std() > 20


def test_the_embedded_encoder_tells_ships_from_fields(world: World, state: State) -> None:
    texts = ["ships in the harbour", "vessels at the quay", "wheat fields"]
    step = run(world, state, embeddings, texts=texts)
    assert not step.failed, step.observation
    alike = step.data["similarity"]
    assert alike[0][1] > 0.4 > max(alike[0][2], alike[1][2])
    assert [round(alike[n][n], 4) for n in range(3)] == [1, 1, 1]
    path = world.artifacts.find(step.data["document"])
    assert path is not None
    kept = json.loads(path.read_text())
    assert (kept["texts"], kept["dimensions"]) == (texts, 384)
    assert world.encode is not None
    assert np.allclose(kept["embeddings"], world.encode(texts), atol=1e-6)
    assert "Most alike are texts 1 and 2, with a cosine of 0." in step.observation


def test_the_endpoints_vectors_come_back_in_the_order_of_the_texts(world: World, state: State) -> None:
    with served(world, vectors) as (there, server):
        step = run(there, state, embeddings, texts=["ab", "a b c", "ab"], source="endpoint", model="tiny")
    assert not step.failed, step.observation
    path = world.artifacts.find(step.data["document"])
    assert path is not None
    assert json.loads(path.read_text())["embeddings"] == [[2, 0, 0, 1], [3, 2, 0, 1], [2, 0, 0, 1]]
    assert step.data["similarity"][0][1] == pytest.approx(7 / 70**0.5, abs=1e-6)
    assert (server.asked[0]["path"], server.asked[0]["model"]) == ("/v1/embeddings", "tiny")


@pytest.mark.parametrize(
    ("text", "encoding", "tokens"),
    [
        # By tiktoken "hello world" is [24912, 2375] in o200k_base and [15339, 1917] in cl100k_base.
        ("hello world", "o200k_base", 2),
        ("hello world", "cl100k_base", 2),
        ("", "o200k_base", 0),
        ("<|endoftext|>", "cl100k_base", 7),
    ],
)
def test_tokens_are_counted(world: World, state: State, text: str, encoding: str, tokens: int) -> None:
    step = run(world, state, token_count, text=text, encoding=encoding)
    assert (step.data["tokens"], step.data["characters"]) == (tokens, len(text))


def test_the_tokens_of_a_document_are_counted(world: World, state: State) -> None:
    world.artifacts.path("document-d0c0d0", ".txt").write_text("hello world " * 100)
    state = state.with_artifact(Artifact("document-d0c0d0", "document", "note", "1 line", "add_file()"))
    step = run(world, state, token_count, document="note.txt")
    assert step.observation.startswith("note.txt has 201 tokens in o200k_base for 1,200 characters.")


@pytest.mark.parametrize(("tool", "args"), ASKING)
def test_without_a_model_it_is_said_at_once(
    world: World, state: State, tool: Tool, args: dict[str, Any]
) -> None:
    step = run(world, state, tool, **args)
    assert (step.failed, step.observation) == (
        True,
        "No chat model is configured; set OPENAI_API_KEY, or OPENAI_BASE_URL to a server of your own, and "
        "COPILOT_MODEL to the model's name.",
    )


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        (
            fails(401, f"Incorrect API key provided: {KEY}"),
            "The model's server refused the key (401); check OPENAI_API_KEY.",
        ),
        (
            fails(404, "no such model"),
            "The model's server does not know the model 'small' or the address (404); check "
            "COPILOT_MODEL and OPENAI_BASE_URL.",
        ),
        (
            fails(429, "slow down"),
            "The model's server takes no more requests now (429); wait a little, or check your limits.",
        ),
        (fails(500, "oh no"), "The model's server failed (500); try again."),
        (
            fails(400, f"bad request by {KEY}"),
            "The model's server refused the request (400): bad request by ***.",
        ),
        (
            too_long(),
            "The model's server refused the request (400): This model's maximum context length is "
            "8192 tokens. However, your messages resulted in 9001 tokens.",
        ),
        (
            page_instead(),
            "What answers at OPENAI_BASE_URL is no OpenAI-compatible server; its address ends in /v1.",
        ),
        (
            Reply(body=b"[]"),
            "What answers at OPENAI_BASE_URL is no OpenAI-compatible server; its address ends in /v1.",
        ),
        (ends("dropped"), "The model's server cannot be reached; check OPENAI_BASE_URL and the network."),
    ],
)
def test_a_server_that_fails_leaves_a_sentence_for_every_tool(
    world: World, state: State, reply: Reply, said: str
) -> None:
    with served(world, reply) as (there, _):
        for tool, args in ASKING:
            step = run(there, state, tool, **args)
            assert (step.failed, step.observation, step.state) == (True, said, state), tool.name


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        (refuses("I cannot help with that."), "The model refused: I cannot help with that."),
        (says(""), "The model answered with nothing; ask in other words, or allow more tokens."),
    ],
)
def test_a_refusal_and_an_empty_answer_are_told(world: World, state: State, reply: Reply, said: str) -> None:
    with served(world, reply) as (there, _):
        assert run(there, state, chat_completion, prompt="x").observation == said


@pytest.mark.parametrize("how", ["hangs", "drips", "stalls"])
def test_a_server_that_never_finishes_is_left(
    world: World, state: State, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    monkeypatch.setattr(asking, "MAX_SECONDS", 0.5)
    with served(world, ends(how)) as (there, _):
        step = run(there, state, chat_completion, prompt="x")
    assert (
        step.failed and step.observation == "The model's server did not answer within 0.5 seconds; try again."
    )


def test_bytes_that_are_no_text_do_no_harm(world: World, state: State) -> None:
    with served(world, no_utf8()) as (there, _):
        step = run(there, state, chat_completion, prompt="x")
    step.observation.encode()


def test_the_key_is_in_no_step_and_no_log(
    world: World, state: State, caplog: pytest.LogCaptureFixture
) -> None:
    steps: list[Step] = []
    with caplog.at_level(logging.DEBUG):
        for reply in (fails(401, f"Incorrect API key provided: {KEY}"), fails(400, f"no: {KEY}")):
            with served(world, reply) as (there, _):
                steps += [run(there, state, tool, **args) for tool, args in ASKING]
    assert len(steps) == 8 and all(step.failed for step in steps)
    assert KEY not in caplog.text and KEY not in repr(steps) and KEY not in repr(there)

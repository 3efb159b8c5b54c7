"""Which model answers, against a real server that speaks the chat-completions protocol."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from copilot.engine import Engine
from copilot.models import (
    ModelNotConfigured,
    chat_address,
    chat_model,
    configured_model,
    describe,
    model_seconds,
    turn_seconds,
    without_key,
)
from copilot.planner.model import EmbeddedPlanner
from copilot.session import Session
from tests.openai_server import KEY, OpenAIServer, Reply, calls, fails, says, too_long
from tools.base import ChatAddress


def test_a_served_model_calls_a_tool_and_answers(
    session: Session, serve: Callable[..., OpenAIServer]
) -> None:
    server = serve(calls(("zoom_map", {"level": 4})), says("Zoomed in."))
    answer = session.ask("Zoom in.")
    assert (answer.outcome, answer.reply, answer.tokens) == ("done", "Zoomed in.", 222)
    assert [(call.tool, call.args, call.ok) for call in answer.calls] == [("zoom_map", {"level": 4}, True)]
    assert session.state.map.zoom == 4.0
    first, second = server.asked
    assert (first["path"], first["model"]) == ("/v1/chat/completions", "small")
    assert [message["role"] for message in first["messages"]] == ["system", "user"]
    assert [message["role"] for message in second["messages"]] == ["system", "user", "assistant", "tool"]
    told = {"call": 1, "data": answer.calls[0].text}
    assert json.loads(second["messages"][3]["content"]) == told
    assert "zoom_map" in {tool["function"]["name"] for tool in first["tools"]}
    assert server.keys == [f"Bearer {KEY}"] * 2


def test_arguments_that_are_no_json_go_back_to_the_served_model(
    session: Session, serve: Callable[..., OpenAIServer]
) -> None:
    server = serve(calls(("zoom_map", '{"level": ')), calls(("zoom_map", {"level": 4})), says("There."))
    assert session.ask("Zoom in.").outcome == "done" and session.state.map.zoom == 4.0
    told = server.asked[1]["messages"][-1]
    assert (told["role"], told["tool_call_id"]) == ("tool", "call_1") and "no JSON object" in told["content"]


def test_the_key_is_in_no_event_no_log_and_no_export_even_when_the_server_repeats_it(
    session: Session, serve: Callable[..., OpenAIServer], caplog: pytest.LogCaptureFixture
) -> None:
    serve(fails(401, f"Incorrect API key provided: {KEY}"))
    with caplog.at_level(logging.DEBUG):
        answer = session.ask("Zoom in.")
    assert answer.outcome == "failed" and "Nothing was lost; try again." in answer.reply
    exported = [session.call(f"export_{kind}") for kind in ("script", "notebook")]
    files = [path for path in session.engine.home.rglob("*") if path.is_file()]
    assert all(event.ok for event in exported) and len(files) >= 3
    assert "401" in caplog.text and KEY not in caplog.text
    assert [path.name for path in files if KEY.encode() in path.read_bytes()] == []


def test_a_server_that_is_not_there_leaves_a_sentence(
    session: Session, monkeypatch: pytest.MonkeyPatch, serve: Callable[..., OpenAIServer]
) -> None:
    serve(says("never"))
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:1/v1")
    answer = session.ask("Zoom in.")
    assert answer.outcome == "failed" and answer.reply.startswith("The model could not be reached")


def test_what_a_served_model_costs_is_told_with_every_step(
    session: Session, serve: Callable[..., OpenAIServer], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    serve(calls(("zoom_map", {"level": 4})), says("Zoomed in."))
    prices = tmp_path / "prices.toml"
    prices.write_text('[models]\n"small" = { input = 10, output = 100 }\n')
    monkeypatch.setenv("COPILOT_PRICES", str(prices))
    events = list(session.stream("Zoom in."))
    once = {"prompt_tokens": 100, "completion_tokens": 11, "cost_usd": 0.0021}
    assert [(each.kind, each.data) for each in events if each.kind == "thought"] == [("thought", once)]
    answer = session.answer()
    assert (answer.tokens, answer.cost_usd) == (222, 0.0042)
    assert answer.to_json()["usage"] == {
        "prompt_tokens": 200,
        "completion_tokens": 22,
        "cost_usd": 0.0042,
    }


def test_another_served_model_goes_on_where_the_first_is_out_of_context(
    session: Session, serve: Callable[..., OpenAIServer], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COPILOT_FALLBACK_MODEL", "large")
    answers = [calls(("zoom_map", {"level": 4})), says("Zoomed in.")]

    def by_model(asked: dict[str, Any]) -> Reply:
        return answers.pop(0) if asked["model"] == "large" else too_long()

    server = serve(by_model)
    assert session.ask("Zoom in.").reply == "Zoomed in." and session.state.map.zoom == 4.0
    assert [each["model"] for each in server.asked] == ["small", "large", "large"]


def test_a_form_is_forced_and_an_example_is_sent_as_turns_that_any_server_takes(
    session: Session, serve: Callable[..., OpenAIServer]
) -> None:
    plan = {"calls": [{"tool": "zoom_map", "args": {"level": 4}}]}
    server = serve(calls(("submit_plan", plan)), says("Zoomed in."))
    assert session.ask("undo that", agent="cot", shots=1).outcome == "done"
    first, second = server.asked
    assert first["tool_choice"] == {"type": "function", "function": {"name": "submit_plan"}}
    assert "tool_choice" not in second
    roles = [message["role"] for message in first["messages"]]
    assert roles == ["system", "user", "assistant", "tool", "assistant", "user"]
    for asked in server.asked:
        made = [call["id"] for each in asked["messages"] for call in each.get("tool_calls") or ()]
        assert made == [each["tool_call_id"] for each in asked["messages"] if each["role"] == "tool"]


def test_without_a_key_or_an_address_the_embedded_planner_answers(engine: Engine) -> None:
    assert configured_model() == "embedded" and isinstance(chat_model(None, engine), EmbeddedPlanner)
    assert describe() == "embedded planner, offline"


def test_a_model_that_nothing_reaches_is_told_with_what_would(engine: Engine) -> None:
    with pytest.raises(
        ModelNotConfigured, match=r"^No address is configured for the model 'small'. Set OPENAI_"
    ):
        chat_model("small", engine)


@pytest.mark.parametrize(
    ("address", "said"),
    [
        (None, "small at api.openai.com: requests leave this machine"),
        (
            "https://ann:s3cret@models.example.org/v1",
            "small at models.example.org: requests leave this machine",
        ),
        ("http://127.0.0.1:8000/v1", "small at 127.0.0.1: nothing leaves this machine"),
        ("http://localhost:8000/v1", "small at localhost: nothing leaves this machine"),
    ],
)
def test_the_header_says_who_answers_and_whether_anything_leaves(
    monkeypatch: pytest.MonkeyPatch, address: str | None, said: str
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("COPILOT_MODEL", "small")
    if address is not None:
        monkeypatch.setenv("OPENAI_BASE_URL", address)
    assert describe() == said


def test_a_text_is_shown_without_the_key(monkeypatch: pytest.MonkeyPatch) -> None:
    assert without_key(f"wrong key {KEY}") == f"wrong key {KEY}"
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    assert without_key(f"wrong key {KEY}") == "wrong key ***"


def test_a_tool_asks_the_configured_model_and_its_key_is_in_no_event(
    session: Session, serve: Callable[..., OpenAIServer]
) -> None:
    server = serve(says("Vegetation by red and near infrared."), fails(401, f"Wrong key: {KEY}"))
    event = session.call("chat_completion", prompt="What is NDVI?")
    assert event.ok and event.data["reply"] == "Vegetation by red and near infrared."
    assert server.keys == [f"Bearer {KEY}"]
    refused = session.call("chat_completion", prompt="And EVI?")
    assert refused.text == "The model's server refused the key (401); check OPENAI_API_KEY."
    files = [path for path in session.engine.home.rglob("*") if path.is_file()]
    assert files and [path.name for path in files if KEY.encode() in path.read_bytes()] == []
    assert KEY not in repr(session.world())


def test_without_a_key_and_an_address_tools_have_no_model(monkeypatch: pytest.MonkeyPatch) -> None:
    assert chat_address() is None
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:8000/v1")
    assert chat_address() == ChatAddress("gpt-4o-mini", "http://127.0.0.1:8000/v1", "none")


def test_a_model_on_this_machine_is_waited_for_longer_and_both_limits_can_be_set(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for variable in ("COPILOT_MODEL_SECONDS", "COPILOT_TURN_SECONDS", "OPENAI_BASE_URL"):
        monkeypatch.delenv(variable, raising=False)
    assert (model_seconds("small"), turn_seconds("small"), turn_seconds("embedded")) == (120, 600, 120)
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    assert (model_seconds("small"), turn_seconds("small")) == (600, 3000)
    monkeypatch.setenv("COPILOT_MODEL_SECONDS", "30")
    assert (model_seconds("small"), turn_seconds("small")) == (30, 150)
    monkeypatch.setenv("COPILOT_TURN_SECONDS", "45.5")
    assert turn_seconds("small") == 45.5
    monkeypatch.setenv("COPILOT_MODEL_SECONDS", "soon")
    with pytest.raises(ModelNotConfigured, match="'soon'; it takes seconds, from 1 to 86400"):
        model_seconds("small")

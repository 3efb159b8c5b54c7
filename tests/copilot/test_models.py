"""Which model answers, against a real server that speaks the chat-completions protocol."""

from __future__ import annotations

import json
import logging
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from copilot.engine import Engine
from copilot.models import ModelNotConfigured, chat_model, configured_model, describe, without_key
from copilot.planner.model import EmbeddedPlanner
from copilot.session import Session

KEY = "sk-azimuth-test-0123456789abcdef"


@dataclass
class Server:
    """A local server with the OpenAI protocol; `answers` are its replies, in order, with their status."""

    answers: list[tuple[int, dict[str, Any]]]
    asked: list[dict[str, Any]] = field(default_factory=list)
    keys: list[str | None] = field(default_factory=list)
    url: str = ""


def completion(message: dict[str, Any], reason: str) -> dict[str, Any]:
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1_700_000_000,
        "model": "small",
        "choices": [{"index": 0, "message": {"role": "assistant", **message}, "finish_reason": reason}],
        "usage": {"prompt_tokens": 100, "completion_tokens": 11, "total_tokens": 111},
    }


def calling(tool: str, arguments: str) -> dict[str, Any]:
    call = {"id": "call_1", "type": "function", "function": {"name": tool, "arguments": arguments}}
    return completion({"content": None, "tool_calls": [call]}, "tool_calls")


def saying(text: str) -> dict[str, Any]:
    return completion({"content": text}, "stop")


@pytest.fixture
def serve(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Server]]:
    """Start a server that gives those answers, and configure it as the model's."""
    running: list[ThreadingHTTPServer] = []

    def start(*answers: tuple[int, dict[str, Any]]) -> Server:
        served = Server(list(answers))

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                served.asked.append({"path": self.path, **json.loads(body)})
                served.keys.append(self.headers["Authorization"])
                status, answer = served.answers.pop(0) if len(served.answers) > 1 else served.answers[0]
                data = json.dumps(answer).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, format: str, *args: Any) -> None:
                """Say nothing."""

        http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        running.append(http)
        threading.Thread(target=http.serve_forever, args=(0.05,), daemon=True).start()
        served.url = f"http://127.0.0.1:{http.server_port}/v1"
        monkeypatch.setenv("OPENAI_BASE_URL", served.url)
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        monkeypatch.setenv("COPILOT_MODEL", "small")
        return served

    yield start
    for each in running:
        each.shutdown()
        each.server_close()


def test_a_served_model_calls_a_tool_and_answers(session: Session, serve: Callable[..., Server]) -> None:
    server = serve((200, calling("zoom_map", '{"level": 4}')), (200, saying("Zoomed in.")))
    answer = session.ask("Zoom in.")
    assert (answer.outcome, answer.reply, answer.tokens) == ("done", "Zoomed in.", 222)
    assert [(call.tool, call.args, call.ok) for call in answer.calls] == [("zoom_map", {"level": 4}, True)]
    assert session.state.map.zoom == 4.0
    first, second = server.asked
    assert (first["path"], first["model"]) == ("/v1/chat/completions", "small")
    assert [message["role"] for message in first["messages"]] == ["system", "user"]
    assert [message["role"] for message in second["messages"]] == ["system", "user", "assistant", "tool"]
    assert second["messages"][3]["content"] == answer.calls[0].text
    assert "zoom_map" in {tool["function"]["name"] for tool in first["tools"]}
    assert server.keys == [f"Bearer {KEY}"] * 2


def test_arguments_that_are_no_json_go_back_to_the_served_model(
    session: Session, serve: Callable[..., Server]
) -> None:
    server = serve(
        (200, calling("zoom_map", '{"level": ')),
        (200, calling("zoom_map", '{"level": 4}')),
        (200, saying("There.")),
    )
    assert session.ask("Zoom in.").outcome == "done" and session.state.map.zoom == 4.0
    told = server.asked[1]["messages"][-1]
    assert (told["role"], told["tool_call_id"]) == ("tool", "call_1") and "no JSON object" in told["content"]


def test_the_key_is_in_no_event_no_log_and_no_export_even_when_the_server_repeats_it(
    session: Session, serve: Callable[..., Server], caplog: pytest.LogCaptureFixture
) -> None:
    serve(
        (401, {"error": {"message": f"Incorrect API key provided: {KEY}", "type": "invalid_request_error"}})
    )
    with caplog.at_level(logging.DEBUG):
        answer = session.ask("Zoom in.")
    assert answer.outcome == "failed" and "Nothing was lost; try again." in answer.reply
    exported = [session.call(f"export_{kind}") for kind in ("script", "notebook")]
    files = [path for path in session.engine.home.rglob("*") if path.is_file()]
    assert all(event.ok for event in exported) and len(files) >= 3
    assert "401" in caplog.text and KEY not in caplog.text
    assert [path.name for path in files if KEY.encode() in path.read_bytes()] == []


def test_a_server_that_is_not_there_leaves_a_sentence(
    session: Session, monkeypatch: pytest.MonkeyPatch, serve: Callable[..., Server]
) -> None:
    serve((200, saying("never")))
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:1/v1")
    answer = session.ask("Zoom in.")
    assert answer.outcome == "failed" and answer.reply.startswith("The model could not be reached")


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

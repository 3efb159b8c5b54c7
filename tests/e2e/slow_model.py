"""A chat model behind an OpenAI-compatible address that takes its time: a turn can be met in the middle."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

STEPS: list[tuple[str, dict[str, Any]]] = [
    ("db_load", {"names": ["fair1m"]}),
    ("cluster_plot", {}),
    ("zoom_map", {"level": 3}),
]
HOSTILE = (
    '<img src=x onerror="window.hacked=1"> [link](javascript:window.hacked=1) **bold** $x^2$ '
    "<script>window.hacked=1</script>"
)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        said = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        last = max(i for i, each in enumerate(said["messages"]) if each["role"] == "user")
        done = sum(each["role"] == "tool" for each in said["messages"][last:])
        if done == 0 and "hostile" not in str(said["messages"][last]["content"]):
            self.server.asked.set()  # type: ignore[attr-defined]
        elif done:
            self.server.gate.wait(60)  # type: ignore[attr-defined]
        body = json.dumps(_completion(str(said["messages"][last]["content"]), done)).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        pass


def _completion(request: str, done: int) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": "All three steps are done."}
    if "hostile" in request:
        message["content"] = HOSTILE
    elif done < len(STEPS):
        name, args = STEPS[done]
        call = {
            "id": f"c{done}",
            "type": "function",
            "function": {"name": name, "arguments": json.dumps(args)},
        }
        message = {"role": "assistant", "content": None, "tool_calls": [call]}
    choice = {
        "index": 0,
        "message": message,
        "finish_reason": "tool_calls" if "tool_calls" in message else "stop",
    }
    usage = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
    return {
        "id": "x",
        "object": "chat.completion",
        "created": 0,
        "model": "slow",
        "choices": [choice],
        "usage": usage,
    }


@contextmanager
def slow_model() -> Iterator[ThreadingHTTPServer]:
    """The model's server: after its first call it answers only while `gate` is set."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    server.gate, server.asked = threading.Event(), threading.Event()  # type: ignore[attr-defined]
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.gate.set()  # type: ignore[attr-defined]
        server.shutdown()
        server.server_close()

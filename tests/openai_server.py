"""A local server that speaks the OpenAI chat-completions protocol, and misbehaves where its script says so.

A script is a list of replies: the requests get one after another, and the last one for ever. A reply
may also be a function of what was asked, which may wait before it answers.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

KEY = "sk-azimuth-test-0123456789abcdef"
"""A key that must be found nowhere but in the header of a request."""
PIECE = 12
"""Characters of a text that one chunk of a stream carries."""

Asked = dict[str, Any]


@dataclass(frozen=True)
class Reply:
    """What one request gets: a chat message, or a status with a body, and what goes wrong on the way."""

    message: dict[str, Any] | None = None
    status: int = 200
    body: bytes = b""
    content_type: str = "application/json"
    headers: dict[str, str] = field(default_factory=dict)
    usage: tuple[int, int] | None = (100, 11)
    """Tokens of the prompt and of the answer; None where a server does not count."""
    ends: str = "whole"
    """"cut": the connection is closed in the middle; "dropped": before anything is sent; "hangs": nothing
    is ever sent; "stalls": nothing after the first half; "drips": a comment now and then, for ever."""


Says = Reply | Callable[[Asked], Reply]


def says(text: str, **more: Any) -> Reply:
    """An answer."""
    return Reply({"content": text, **more})


def calls(*wanted: tuple[str, Any], text: str | None = None) -> Reply:
    """A message that makes those calls; arguments given as a string are sent as they are."""
    made = [
        {
            "id": f"call_{number}",
            "type": "function",
            "function": {"name": tool, "arguments": args if isinstance(args, str) else json.dumps(args)},
        }
        for number, (tool, args) in enumerate(wanted, 1)
    ]
    return Reply({"content": text, "tool_calls": made})


def refuses(text: str) -> Reply:
    """A refusal, in the field that the protocol has for one."""
    return Reply({"content": None, "refusal": text})


def fails(status: int, message: str, *, code: str | None = None, **headers: str) -> Reply:
    """An error in the protocol's own form; header names are written with underscores."""
    error = {"message": message, "type": "error", "param": None, "code": code}
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Reply(status=status, body=json.dumps({"error": error}).encode(), headers=named)


def vectors(asked: Asked) -> Reply:
    """Embeddings: of each text how many letters, spaces and other signs it has, and 1."""
    texts = [asked["input"]] if isinstance(asked["input"], str) else asked["input"]
    rows = [
        [sum(map(str.isalpha, each)), each.count(" "), sum(not (c.isalpha() or c == " ") for c in each), 1]
        for each in texts
    ]
    data = [{"object": "embedding", "index": n, "embedding": row} for n, row in enumerate(rows)]
    usage = {"prompt_tokens": 1, "total_tokens": 1}
    body = {"object": "list", "data": data[::-1], "model": asked["model"], "usage": usage}
    return Reply(body=json.dumps(body).encode())


def too_long() -> Reply:
    """The request does not fit the model's context."""
    return fails(
        400,
        "This model's maximum context length is 8192 tokens. However, your messages resulted in 9001 tokens.",
        code="context_length_exceeded",
    )


def page_instead() -> Reply:
    """What a proxy or a wrong address gives: a page, with the status of a success."""
    return Reply(body=b"<!DOCTYPE html><html><h1>Sign in</h1></html>", content_type="text/html")


def no_utf8() -> Reply:
    """An answer whose bytes are no text."""
    whole = json.dumps(_completion(says("caf#"), "small")).encode()
    return Reply(body=whole.replace(b"#", b"\xe9\xff"))


def ends(how: str, reply: Reply | None = None) -> Reply:
    """That reply, interrupted as `Reply.ends` says."""
    return replace(reply or says("This is the beginning of an answer that will not come."), ends=how)


@dataclass
class OpenAIServer:
    """A running server: its script, and what it was asked."""

    script: list[Says]
    asked: list[Asked] = field(default_factory=list)
    """The body of every request, with its path."""
    keys: list[str | None] = field(default_factory=list)
    listing: Reply = Reply(body=b'{"object": "list", "data": [{"id": "small", "object": "model"}]}')
    """What a request for the list of models gets."""
    url: str = ""
    closing: threading.Event = field(default_factory=threading.Event)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def next_reply(self, asked: Asked, key: str | None) -> Reply:
        """Take down a request; what it gets."""
        with self._lock:
            self.asked.append(asked)
            self.keys.append(key)
            said = self.script.pop(0) if len(self.script) > 1 else self.script[0]
        return said if isinstance(said, Reply) else said(asked)

    def last_told(self, index: int = -1) -> list[dict[str, Any]]:
        """Of one request, the messages after the model's own last one: what its calls came to."""
        messages: list[dict[str, Any]] = self.asked[index]["messages"]
        own = max((n for n, each in enumerate(messages) if each["role"] == "assistant"), default=-1)
        return messages[own + 1 :]


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    """A body goes out behind its headers at once; else each answer waits 40 ms for the client's receipt."""
    served: OpenAIServer

    def do_POST(self) -> None:
        said = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        reply = self.served.next_reply({"path": self.path, **said}, self.headers["Authorization"])
        with suppress(ConnectionError):  # the client may have gone away
            self._answer(reply, said)

    def do_GET(self) -> None:
        with suppress(ConnectionError):
            self._answer(self.served.listing, {})

    def _answer(self, reply: Reply, asked: Asked) -> None:
        if reply.ends == "hangs":
            self.served.closing.wait(120)
        if reply.ends in ("hangs", "dropped"):
            self.close_connection = True
        elif reply.message is not None and asked.get("stream"):
            self._stream(reply, asked)
        else:
            body = json.dumps(_completion(reply, str(asked.get("model")))).encode()
            self._whole(reply, body if reply.message is not None else reply.body)

    def _whole(self, reply: Reply, body: bytes) -> None:
        self.send_response(reply.status)
        for name, value in {"Content-Type": reply.content_type, **reply.headers}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self._send([body[: len(body) // 2], body[len(body) // 2 :]], reply.ends, b" ")

    def _stream(self, reply: Reply, asked: Asked) -> None:
        self.send_response(reply.status)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        counted = bool((asked.get("stream_options") or {}).get("include_usage"))
        chunks = [
            f"data: {json.dumps(chunk)}\n\n"
            for chunk in _chunks(reply, str(asked.get("model")), counted=counted)
        ]
        parts = [_chunk(each.encode()) for each in [*chunks, "data: [DONE]\n\n"]]
        self._send([*parts, _chunk(b"")], reply.ends, _chunk(b": still here\n\n"))

    def _send(self, parts: list[bytes], how: str, drop: bytes) -> None:
        """The parts; where they are not to arrive whole, the first half of them and the half of one."""
        half = len(parts) // 2
        for part in parts if how == "whole" else parts[:half]:
            self.wfile.write(part)
            self.wfile.flush()
        if how == "whole":
            return
        self.close_connection = True
        if how == "cut":
            self.wfile.write(parts[half][: len(parts[half]) // 2])
        elif how == "stalls":
            self.served.closing.wait(120)
        elif how == "drips":
            while not self.served.closing.wait(0.05):
                self.wfile.write(drop)
                self.wfile.flush()

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""


def _chunk(data: bytes) -> bytes:
    """A part of a body whose length nobody knows beforehand."""
    return b"%x\r\n%s\r\n" % (len(data), data)


def _reason(message: dict[str, Any]) -> str:
    return "tool_calls" if message.get("tool_calls") else "stop"


def _usage(reply: Reply) -> dict[str, int] | None:
    if reply.usage is None:
        return None
    prompt, answer = reply.usage
    return {"prompt_tokens": prompt, "completion_tokens": answer, "total_tokens": prompt + answer}


def _completion(reply: Reply, model: str) -> dict[str, Any]:
    message = {"role": "assistant", **(reply.message or {})}
    choice = {"index": 0, "message": message, "finish_reason": _reason(message)}
    plain = {"id": "chatcmpl-1", "object": "chat.completion", "created": 1_700_000_000, "model": model}
    usage = _usage(reply)
    return {**plain, "choices": [choice], **({} if usage is None else {"usage": usage})}


def _chunks(reply: Reply, model: str, *, counted: bool) -> Iterator[dict[str, Any]]:
    """The message as the pieces of a stream: its text, then each call by its name and its arguments."""
    plain = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1_700_000_000, "model": model}

    def piece(delta: dict[str, Any], reason: str | None = None) -> dict[str, Any]:
        return {**plain, "choices": [{"index": 0, "delta": delta, "finish_reason": reason}]}

    message = reply.message or {}
    yield piece({"role": "assistant", "content": ""})
    for name in ("content", "refusal"):
        yield from (piece({name: part}) for part in _pieces(message.get(name) or ""))
    for index, call in enumerate(message.get("tool_calls") or ()):
        function = {"name": call["function"]["name"], "arguments": ""}
        yield piece({"tool_calls": [{"index": index, **call, "function": function}]})
        for part in _pieces(call["function"]["arguments"]):
            yield piece({"tool_calls": [{"index": index, "function": {"arguments": part}}]})
    yield piece({}, _reason(message))
    if counted and (usage := _usage(reply)) is not None:
        yield {**plain, "choices": [], "usage": usage}


def _pieces(text: str) -> list[str]:
    # A huge answer goes in larger pieces: what counts is that it comes in many, not in a million.
    size = max(PIECE, len(text) // 200)
    return [text[start : start + size] for start in range(0, len(text), size)]


@contextmanager
def openai_server(*script: Says) -> Iterator[OpenAIServer]:
    """A server with that script on a free port, until the block ends."""
    served = OpenAIServer(list(script))
    handler = type("Handler", (_Handler,), {"served": served})
    http = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=http.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    served.url = f"http://127.0.0.1:{http.server_port}/v1"
    try:
        yield served
    finally:
        served.closing.set()
        http.shutdown()
        http.server_close()
        thread.join()

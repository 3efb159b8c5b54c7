"""A served model for the journeys: it makes the calls of a script, and waits at a gate."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.openai_server import Asked, Reply, calls, says
from tests.suite.waiting import LIMIT_S

NAME = "gated"
SLOW_PAGE = "http://slow.example/report.html"
"""A page that comes only while the gate is open."""
HOSTILE = (
    '<img src=x onerror="window.hacked=1"> [link](javascript:window.hacked=1) **bold** $x^2$ '
    "<script>window.hacked=1</script>"
)


@dataclass(frozen=True)
class Script:
    """What the model answers to one request: a call a time, then an answer."""

    calls: Sequence[tuple[str, Mapping[str, Any]]]
    answer: str
    thoughts: Sequence[str | None]


PLOT = "Load fair1m and plot it"
SHIPS = "Show the ships of fair1m as clusters"
SCRIPTS = {
    PLOT: Script(
        [("db_load", {"names": ["fair1m"]}), ("cluster_plot", {}), ("zoom_map", {"level": 3})],
        "All three steps are done.",
        [None, None, None],
    ),
    SHIPS: Script(
        [("db_load", {"names": ["fair1m"]}), ("filter_class", {"classes": ["ships"]}), ("cluster_plot", {})],
        "The ships of fair1m are on the map as clusters ⁽³⁾.",
        [
            "The request names fair1m and nothing is loaded yet, so I load it first.",
            "It is loaded. "
            + "The analyst wants ships only, and the data set holds many other classes. " * 6,
            "Only ships are selected now, so I can draw them as clusters.",
        ],
    ),
    SLOW_PAGE: Script([("read_page", {"url": SLOW_PAGE})], "It is read.", [None]),
    "hostile": Script([("map_state", {})], HOSTILE, [HOSTILE]),
}
WAITS = (PLOT, SHIPS)
"""What stops at the gate, once the first call is made."""


@dataclass
class GatedModel:
    """It goes by the words of the last request; behind its first call it waits until `gate` is set."""

    gate: threading.Event = field(default_factory=threading.Event)
    asked: list[Asked] = field(default_factory=list)
    page_asked: threading.Event = field(default_factory=threading.Event)
    """Set once the slow page was asked for."""

    def __call__(self, asked: Asked) -> Reply:
        self.asked.append(asked)
        messages = asked["messages"]
        last = max(index for index, each in enumerate(messages) if each["role"] == "user")
        done = sum(each["role"] == "tool" for each in messages[last:])
        request = next(each for each in SCRIPTS if each in messages[last]["content"])
        script = SCRIPTS[request]
        if done and request in WAITS:
            self.gate.wait(LIMIT_S)
        if done == len(script.calls):
            return says(script.answer)
        return calls(script.calls[done], text=script.thoughts[done])

    @contextmanager
    def slow_page(self) -> Iterator[str]:
        """A server, by host and port, whose page comes only while the gate is open, and is not there then."""
        gate, page_asked = self.gate, self.page_asked

        class Page(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                page_asked.set()
                gate.wait(LIMIT_S)
                self.send_error(404)

            def log_message(self, *_: object) -> None:
                """Say nothing."""

        server = ThreadingHTTPServer(("127.0.0.1", 0), Page)
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        try:
            yield f"127.0.0.1:{server.server_port}"
        finally:
            gate.set()
            server.shutdown()
            server.server_close()

"""A small stand-in for the web, so that web tasks can be played and graded without one.

It is no web: its pages, articles and papers' summaries are written by hand, its scenes, features, heights
and weather are computed from the question by plain rules. It speaks the real services' protocols on a port
of this machine, and the tools reach it through the same guarded fetcher as anything else.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import cache, wraps
from typing import TYPE_CHECKING, Any

from data.web.addresses import ALLOWED_VARIABLE
from data.web.services import ARXIV, ELEVATION, OVERPASS, SEARXNG, STAC, WEATHER, WIKIPEDIA
from data.web.settings import settings
from state.model import State
from tools.base import ChatAddress, Step, Tool, World

if TYPE_CHECKING:
    from starlette.types import ASGIApp

CATEGORIES = ("web", "openai")
"""The tools that the stand-in is for."""
PAGES = "harbour.example"
ADDRESSES = {
    SEARXNG.variable: "http://search.example",
    ARXIV.variable: "http://arxiv.example/api/query",
    WIKIPEDIA.variable: "http://wiki.example/{language}/w/api.php",
    STAC.variable: "http://stac.example/v1",
    OVERPASS.variable: "http://overpass.example/api/interpreter",
    ELEVATION.variable: "http://heights.example/v1/plain",
    WEATHER.variable: "http://weather.example/v1/archive",
}
_HOSTS = tuple(dict.fromkeys([PAGES, *(each.split("/")[2] for each in ADDRESSES.values())]))
_STARTS_SECONDS = 20


@contextmanager
def in_place() -> Iterator[None]:
    """Let the web tools ask the stand-in, and nothing else, while the block runs, in its thread alone."""
    with settings(web_settings()):
        yield


def web_settings() -> dict[str, str]:
    """The settings under which the tools ask the stand-in, which is started by this, once a process."""
    port = _port()
    allowed = ",".join(f"{host}:80=127.0.0.1:{port}" for host in _HOSTS)
    return {**ADDRESSES, ALLOWED_VARIABLE: allowed}


def chat_model() -> ChatAddress:
    """The stand-in as a chat model: it says how many words it was sent, by a plain rule."""
    return ChatAddress("stand-in", f"http://127.0.0.1:{_port()}/v1")


def standing_in(tool: Tool) -> Tool:
    """A tool that asks the stand-in, as the web or as a chat model, and writes nothing to the catalogue,
    which other tasks share."""

    @wraps(tool.function)
    def ask(state: State, world: World, **arguments: Any) -> Step:
        with in_place():
            there = replace(world, catalogue_root=None, chat=chat_model())
            return tool.function(state, there, **arguments)

    return replace(tool, function=ask)


@contextmanager
def served(app: ASGIApp) -> Iterator[int]:
    """The port of this machine at which an app answers while the block runs."""
    import uvicorn

    config = uvicorn.Config(app, host="127.0.0.1", port=0, log_level="critical", ws="none", lifespan="auto")
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True, name="stand-in")
    thread.start()
    ends = time.monotonic() + _STARTS_SECONDS
    while not server.started:
        if not thread.is_alive() or time.monotonic() > ends:
            raise RuntimeError("The stand-in for the web did not start.")
        time.sleep(0.005)
    try:
        yield int(server.servers[0].sockets[0].getsockname()[1])
    finally:
        server.should_exit = server.force_exit = True
        thread.join(_STARTS_SECONDS)


@cache
def _port() -> int:
    """Where it runs; it ends with the process."""
    from copilot.bench.standin.app import app

    running = served(app())
    _running.append(running)
    return running.__enter__()


_running: list[object] = []
"""Keeps what runs from being collected, and so from being ended."""

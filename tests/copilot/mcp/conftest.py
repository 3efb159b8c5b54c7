"""Servers and clients for the tests of MCP: real ones, in this process or on a port of this machine."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from typing import Any

import anyio
import pytest
import uvicorn
from mcp import Client
from mcp.server.lowlevel import Server

from copilot.engine import Engine
from copilot.mcp.offered import Offer
from copilot.mcp.server import Asking, mcp_server
from copilot.mcp.visitors import Person, Visitors

SHORT_LIST = Offer()
ERAS = ("legacy", "auto")
"""The protocol up to 2025-11-25, with its handshake, and from 2026-07-28 on."""


def free_port() -> int:
    """A port that nobody uses."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


@contextmanager
def serving(app: Any, port: int | None = None) -> Iterator[str]:
    """An ASGI app on a port of this machine: its address."""
    port = port or free_port()
    config = uvicorn.Config(app, host="127.0.0.1", port=port, log_level="error", timeout_graceful_shutdown=1)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started and thread.is_alive():
        time.sleep(0.02)
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        server.should_exit = True
        thread.join(10)


def run(work: Callable[[], Awaitable[Any]], within_s: float = 240) -> Any:
    """What the coroutine returns, in a loop and thread of its own: browser tests leave a loop in ours."""

    async def bounded() -> Any:
        with anyio.fail_after(within_s):
            return await work()

    with ThreadPoolExecutor(1) as pool:
        return pool.submit(anyio.run, bounded).result()


async def asked(client: Client, ask: Callable[[Client], Awaitable[Any]]) -> Any:
    """What `ask(client)` returns or raises, once the client is closed: no group of errors is made of one."""
    error: Exception | None = None
    async with client:
        try:
            return await ask(client)
        except Exception as raised:
            error = raised
    raise error


async def until(true: Callable[[], bool]) -> None:
    """Wait for what a client is told beside its answer: the SDK may pass that on a moment later.

    What never comes ends with the time of `run`.
    """
    while not true():
        await anyio.sleep(0.02)


@pytest.fixture
def visitors(engine: Engine) -> Visitors:
    """The visitors of one process."""
    return Visitors.of_process(engine)


@pytest.fixture
def talk(visitors: Visitors) -> Callable[..., Any]:
    """Talk to our server in this process: `talk(era, ask, **how)` is what `ask(client)` returns."""

    def talking(
        era: str, ask: Callable[[Client], Awaitable[Any]], offer: Offer = SHORT_LIST, **how: Any
    ) -> Any:
        server: Server[Any] = mcp_server(visitors, lambda _: Asking(Person("local", "test"), offer))

        return run(lambda: asked(Client(server, mode=era, **how), ask))

    return talking


@pytest.fixture
def serve_app() -> Iterator[Callable[..., str]]:
    """Serve ASGI apps on ports of this machine until the test ends."""
    with ExitStack() as stack:
        yield lambda app, port=None: stack.enter_context(serving(app, port))

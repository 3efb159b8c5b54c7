"""Servers that are programs started here, kept for the next call: to start one takes longer than most calls.

Each owner has processes of their own. One that is not used for a while, fails or is too slow is ended.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import Future
from concurrent.futures import TimeoutError as Late
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

import anyio

from copilot.mcp.wire import connected, in_words, seconds
from state.servers import ServerRow
from tools.base import ToolError

if TYPE_CHECKING:
    from mcp import Client

IDLE_S = 120.0
MOST = 16
_START_S = 30.0
_MORE_S = 2.0
_Found = TypeVar("_Found")
_Key = tuple[str, tuple[str, ...], str | None]


class Program:
    """One process, spoken to from an event loop in a thread of its own."""

    def __init__(self, row: ServerRow) -> None:
        self.row, self.used, self.busy = row, time.monotonic(), 0
        self._client: Future[Client] = Future()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._over: asyncio.Event | None = None
        threading.Thread(target=self._run, name=f"mcp-{row.name}", daemon=True).start()

    def ask(self, ask: Callable[[Client], Awaitable[_Found]], most: float) -> _Found:
        """What `ask` makes of the open connection. Raises whatever goes wrong, TimeoutError too."""

        async def within() -> _Found:
            with anyio.fail_after(most):
                return await ask(client)

        try:
            client = self._client.result(_START_S)
            assert self._loop is not None
            return asyncio.run_coroutine_threadsafe(within(), self._loop).result(most + _MORE_S)
        except Late:
            raise TimeoutError from None

    @property
    def ended(self) -> bool:
        """Whether it could not be started, or has been ended."""
        return self._client.done() and (self._client.exception() is not None or self._over is None)

    def end(self) -> None:
        """Have the process end; nobody waits for it."""
        loop, over = self._loop, self._over
        if loop is not None and over is not None:
            with suppress(RuntimeError):  # its loop has ended already
                loop.call_soon_threadsafe(over.set)

    def _run(self) -> None:
        try:
            anyio.run(self._hold)
        except BaseException as error:
            if not self._client.done():
                self._client.set_exception(error)
        finally:
            self._over = None

    async def _hold(self) -> None:
        self._loop, self._over = asyncio.get_running_loop(), asyncio.Event()
        over = self._over
        async with anyio.create_task_group() as group:

            async def hold() -> None:
                async with connected(self.row) as client:
                    self._client.set_result(client)
                    await over.wait()
                group.cancel_scope.cancel()

            group.start_soon(hold)
            await over.wait()
            if not self._client.done():  # it never said that it is there
                group.cancel_scope.cancel()


@dataclass
class Programs:
    """The programs of this process. Safe to use from several threads."""

    _kept: dict[_Key, Program] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def ask(
        self,
        row: ServerRow,
        owner: str | None,
        ask: Callable[[Client], Awaitable[_Found]],
        within_s: float | None = None,
    ) -> _Found:
        """What `ask` makes of a connection to that program, started where it does not run for the owner.

        Raises ToolError in a sentence.
        """
        most, key = within_s or seconds(), (row.name, row.command, owner)
        program = self._taken(key, row)
        try:
            return program.ask(ask, most)
        except ToolError:
            raise
        except BaseException as error:
            self._drop(key, program)
            raise in_words(row, error, most) from error
        finally:
            program.busy -= 1
            program.used = time.monotonic()
            timer = threading.Timer(IDLE_S + 1, self.end_idle)
            timer.daemon = True
            timer.start()

    def end_idle(self, idle_s: float = IDLE_S) -> None:
        """End those that nobody has used for so long."""
        with self._lock:
            old = [key for key, each in self._kept.items() if not each.busy and _since(each) >= idle_s]
            gone = [self._kept.pop(key) for key in old]
        for each in gone:
            each.end()

    def _taken(self, key: _Key, row: ServerRow) -> Program:
        with self._lock:
            program = self._kept.get(key)
            if program is None or program.ended:
                program = self._kept[key] = Program(row)
            program.busy += 1
            spare = sorted(
                (each for each in self._kept.items() if not each[1].busy), key=lambda each: each[1].used
            )
            gone = [self._kept.pop(other) for other, _ in spare[: max(0, len(self._kept) - MOST)]]
        for each in gone:
            each.end()
        return program

    def _drop(self, key: _Key, program: Program) -> None:
        with self._lock:
            if self._kept.get(key) is program:
                del self._kept[key]
        program.end()


def _since(program: Program) -> float:
    return time.monotonic() - program.used


programs = Programs()
"""Those that this process has started."""


def ask_server(
    row: ServerRow,
    owner: str | None,
    ask: Callable[[Client], Awaitable[Any]],
    within_s: float | None = None,
) -> Any:
    """What `ask` makes of a connection to a server, wherever it is. Raises ToolError in a sentence."""
    from copilot.mcp.wire import exchange

    return exchange(row, ask, within_s) if row.url is not None else programs.ask(row, owner, ask, within_s)

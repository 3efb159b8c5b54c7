"""Long work for a client: in a thread, told of as it goes on, and stopped when the client gives it up."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

import anyio
import anyio.to_thread
from mcp.server.context import ServerRequestContext

from copilot.session import Session
from data.apart.pool import pool as readers
from state.jobs import Job
from state.log import Event

AT_ONCE = 32
"""Calls of all clients that run at the same time; others wait."""
_TOLD_S = 0.2
_CHARS = 200
_Found = TypeVar("_Found")
_places: dict[int, anyio.CapacityLimiter] = {}


class Told:
    """How far a piece of work is: told by the threads that do it, read by the one that passes it on."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._steps, self._fraction, self._sentence = 0, 0.0, ""
        self._changed = False

    def step(self, event: Event) -> None:
        """An event was stored."""
        if event.kind != "call":
            return
        with self._lock:
            self._steps, self._fraction, self._changed = self._steps + 1, 0.0, True
            self._sentence = event.text

    def job(self, job: Job) -> None:
        """A job has changed."""
        with self._lock:
            self._fraction = max(self._fraction, min(job.fraction, 0.99))
            self._sentence, self._changed = job.sentence, True

    def news(self) -> tuple[float, str] | None:
        """(how much is done, in steps and parts of one; the last sentence), where it is new."""
        with self._lock:
            if not self._changed:
                return None
            self._changed = False
            return self._steps + self._fraction, self._sentence[:_CHARS]


async def worked(
    ctx: ServerRequestContext[Any, Any], session: Session, work: Callable[[threading.Event], _Found]
) -> _Found:
    """What `work(stop)` returns, done in a thread. A client that gives up has it stopped, its jobs too."""
    told, stop = Told(), threading.Event()
    leave = session.listen(told.step)
    desk = session.engine.desk if session.engine.background is not None else None

    def heard(job: Job) -> None:
        if job.session_id == session.id:
            told.job(job)

    if desk is not None:
        desk.listen(heard)
    telling = Telling(ctx, told)
    failed: Exception | None = None
    try:
        async with anyio.create_task_group() as group:
            group.start_soon(telling.go_on)
            try:
                found = await anyio.to_thread.run_sync(
                    partial(work, stop), abandon_on_cancel=True, limiter=_limiter()
                )
            except Exception as error:  # raised once the group is closed, which would make it one of a group
                failed = error
            group.cancel_scope.cancel()
        await telling.tell()
    except anyio.get_cancelled_exc_class():
        stop.set()
        readers.stop(session.id)
        if desk is not None:
            desk.cancel_session(session.id)
        raise
    finally:
        leave()
        if desk is not None:
            desk.unlisten(heard)
    if failed is not None:
        raise failed
    return found


@dataclass
class Telling:
    """Passes on what is new, as often as somebody can read it; progress only ever grows."""

    ctx: ServerRequestContext[Any, Any]
    told: Told
    last: float = 0.0

    async def go_on(self) -> None:
        """Tell again and again, until it is cancelled."""
        while True:
            await anyio.sleep(_TOLD_S)
            await self.tell()

    async def tell(self) -> None:
        """Tell what is new."""
        news = self.told.news()
        if news is not None and news[0] > self.last:
            self.last = news[0]
            await self.ctx.session.report_progress(self.last, None, news[1])


def _limiter() -> anyio.CapacityLimiter:
    """The places of this event loop."""
    return _places.setdefault(id(asyncio.get_running_loop()), anyio.CapacityLimiter(AT_ONCE))

"""Calls from the page, and the stream that tells a page that something is new."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import BaseRoute, Route

from copilot.leaving import leaving
from copilot.messages import language, speaking
from copilot.server.guard import Denied, from_our_page, guarded, json_object, own_session, the_live
from copilot.session import Session, call_to_json
from state.store import StoreUnavailable, UnknownSession

OTHERS_S = 2.0
"""How often the store is asked for what another process (the command line) has appended."""
LOOK_S = 0.5
"""How often a stream looks whether the app is ending."""
_GATHER_S = 0.12


@guarded
async def call(request: Request) -> Response:
    """POST {tool, args}: one call, made by the page; the answer is the call as the public result shows it."""
    from_our_page(request)
    session = await own_session(request)
    body = await json_object(request)
    tool, args = body.get("tool"), body.get("args", {})
    if not isinstance(tool, str) or not isinstance(args, dict):
        raise Denied(400, 'A call is {"tool": name, "args": {…}}.')
    if the_live().running(session.id) is not None:
        raise Denied(409, "A request is running; stop it or wait for its answer.")
    event = await run_in_threadpool(session.call_tool, tool, args, source="page")
    return JSONResponse(call_to_json(event), status_code=200 if event.ok else 422)


@guarded
async def stream(request: Request) -> Response:
    """GET: server-sent events, one `{version, job}` for each change."""
    session = await own_session(request)
    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    return StreamingResponse(_changes(session, language()), media_type="text/event-stream", headers=headers)


async def _changes(session: Session, code: str) -> AsyncIterator[str]:
    loop, changed = asyncio.get_running_loop(), asyncio.Event()

    def tell() -> None:
        loop.call_soon_threadsafe(changed.set)

    leave = the_live().subscribe(session.id, tell)
    try:
        while not leaving.is_set():
            try:
                with speaking(code):
                    now = {"version": the_live().version(session.id), "job": the_live().job(session.id)}
                yield f"data: {json.dumps(now)}\n\n"
            except StoreUnavailable as error:
                the_live().keep_problem(session.id, error)
            # What comes together is told of once: the first at once, the others a moment later.
            await asyncio.sleep(_GATHER_S)
            await _wait(changed, session)
            changed.clear()
    except UnknownSession:
        return  # deleted meanwhile
    finally:
        leave()


async def _wait(changed: asyncio.Event, session: Session) -> None:
    seen = len(session.events)
    asked = asyncio.get_running_loop().time()
    while not (changed.is_set() or leaving.is_set()):
        try:
            await asyncio.wait_for(changed.wait(), LOOK_S)
        except TimeoutError:
            if asyncio.get_running_loop().time() - asked < OTHERS_S:
                continue
            asked = asyncio.get_running_loop().time()
            try:
                await run_in_threadpool(session.refresh)
            except StoreUnavailable as error:
                the_live().keep_problem(session.id, error)
                continue
            if len(session.events) != seen:
                return


@guarded
async def health(request: Request) -> Response:
    """GET: that the app runs."""
    return JSONResponse({"status": "ok"})


def routes() -> list[BaseRoute]:
    """The routes of this module."""
    return [
        Route("/api/health", health),
        Route("/api/sessions/{session}/calls", call, methods=["POST"]),
        Route("/api/sessions/{session}/stream", stream),
    ]

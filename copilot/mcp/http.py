"""The server over streamable HTTP, as one ASGI endpoint that is part of another app's routes.

    /mcp   /mcp/all   /mcp/vision      the same server, listing few tools, all of them, or one category

Every request shows a bearer token (`copilot mcp token`), which says whose sessions it may open, and comes
from no other site's page. The SDK is loaded with the first request: to import it takes longer than the
app's start may.
"""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

import anyio
import anyio.to_thread
from starlette.datastructures import Headers
from starlette.responses import JSONResponse
from starlette.types import Receive, Scope, Send

from copilot.server import hosts
from state.store import StoreUnavailable
from state.tokens import TokenRow, Tokens
from tools.base import ToolError

if TYPE_CHECKING:
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

    from copilot.mcp.offered import Offer
    from copilot.mcp.server import Asking, Context
    from copilot.mcp.visitors import Visitors

PATH = "/mcp"
MAX_CONNECTIONS = 500
IDLE_S = 30 * 60
MAX_BODY_BYTES = 1024 * 1024
CONTENT_BODY_BYTES = 48 * 1024 * 1024
"""Where files come as arguments."""
_WHO = "azimuth.mcp"
_log = logging.getLogger(__name__)


@dataclass
class McpEndpoint:
    """An ASGI app for PATH and what is below it; it answers while `running()` is open."""

    visitors: Callable[[], Visitors]
    fixed: Offer | None = None
    """What is offered at every address; None: what the address says."""
    max_body_bytes: int = MAX_BODY_BYTES
    _manager: StreamableHTTPSessionManager | None = None
    _asked: anyio.Event | None = None
    _ready: anyio.Event | None = None

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """While it is open, requests are answered."""
        self._asked, self._ready = anyio.Event(), anyio.Event()
        try:
            async with anyio.create_task_group() as group:
                group.start_soon(self._run)
                yield
                group.cancel_scope.cancel()
        finally:
            self._manager = self._asked = self._ready = None

    async def _run(self) -> None:
        """Open the SDK's manager when it is first asked for, and hold it open, in this one task."""
        asked, ready = self._asked, self._ready
        assert asked is not None and ready is not None
        await asked.wait()
        try:
            manager = await anyio.to_thread.run_sync(self._made)
        except Exception:  # the app goes on without it
            _log.exception("MCP cannot be served")
            ready.set()
            return
        async with AsyncExitStack() as stack:
            await stack.enter_async_context(manager.run())
            self._manager = manager
            ready.set()
            await anyio.sleep_forever()

    def _made(self) -> StreamableHTTPSessionManager:
        from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

        from copilot.mcp.server import mcp_server

        return StreamableHTTPSessionManager(
            mcp_server(self.visitors(), _asking),
            max_sessions=MAX_CONNECTIONS,
            session_idle_timeout=IDLE_S,
            max_request_body_size=self.max_body_bytes,
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http" or self._asked is None or self._ready is None:
            return await _refused(503, "MCP is not served here now.")(scope, receive, send)
        if not hosts.is_ours(scope, scope.get("state", {}).get("origin")):
            said = "This request came from another site's page."
            return await _refused(403, said)(scope, receive, send)
        try:
            row = await anyio.to_thread.run_sync(self._token, Headers(scope=scope).get("authorization", ""))
        except StoreUnavailable as error:
            return await _refused(503, error.public)(scope, receive, send)
        if row is None:
            return await _unknown()(scope, receive, send)
        self._asked.set()
        await self._ready.wait()
        try:
            scope = self._told(scope, row)
        except ToolError as error:
            return await _refused(404, str(error))(scope, receive, send)
        if self._manager is None:
            return await _refused(503, "MCP cannot be served; the details are in the log.")(
                scope, receive, send
            )
        await self._manager.handle_request(scope, receive, send)

    def _token(self, said: str) -> TokenRow | None:
        scheme, _, token = said.partition(" ")
        if scheme.casefold() != "bearer" or not token.strip():
            return None
        return Tokens(self.visitors().engine.store).of(token.strip())

    def _told(self, scope: Scope, row: TokenRow) -> Scope:
        """The scope with whose request it is and what is offered there. Raises ToolError."""
        from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
        from mcp.server.auth.provider import AccessToken

        from copilot.mcp.offered import SHORT, offer_named
        from copilot.mcp.server import Asking
        from copilot.mcp.visitors import Person

        kind = str(scope.get("path_params", {}).get("offer") or SHORT)
        connection = Headers(scope=scope).get("mcp-session-id", "")[:100]
        person = Person(row.owner, f"{row.hash}/{connection}", f"{row.name} over MCP")
        # By this the SDK keeps connections of different tokens apart.
        known = AccessToken(token=row.hash, client_id=row.hash, scopes=[], subject=row.owner)
        asking = Asking(person, self.fixed or offer_named(kind))
        return {**scope, _WHO: asking, "user": AuthenticatedUser(known)}


def _asking(ctx: Context) -> Asking:
    """Who has sent the request that is answered: every one comes through `McpEndpoint`."""
    assert ctx.request is not None
    asking: Asking = ctx.request.scope[_WHO]
    return asking


def _unknown() -> JSONResponse:
    said = (
        "Show a token: Authorization: Bearer …; whoever runs Azimuth makes one with `copilot mcp token NAME`."
    )
    return JSONResponse(
        {"error": said}, status_code=401, headers={"WWW-Authenticate": 'Bearer realm="azimuth"'}
    )


def _refused(status: int, sentence: str) -> JSONResponse:
    return JSONResponse({"error": sentence}, status_code=status)

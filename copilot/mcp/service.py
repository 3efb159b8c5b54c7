"""One category of tools as a service of its own, over HTTP: for a machine with a GPU, say."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from copilot.engine import Engine
from copilot.mcp.http import CONTENT_BODY_BYTES, PATH, McpEndpoint
from copilot.mcp.offered import Offer
from copilot.mcp.visitors import Visitors
from copilot.server import hosts
from copilot.session import Session


class OwnNames:
    """Middleware: answers to this server's own names only, as the app does."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, or turn away."""
        if scope["type"] == "http":
            asked = hosts.asked(scope)
            if asked.origin is None:
                from copilot.server.owner import turned_away

                return await turned_away(scope, receive, send, asked.host)
            scope.setdefault("state", {}).update(origin=asked.origin)
        await self.app(scope, receive, send)


def service(engine: Engine, offer: Offer) -> Starlette:
    """The app of a service: MCP and nothing else, for whoever shows a token of this store."""
    engine.served = True
    visitors = Visitors(engine, lambda session_id: Session.open(session_id, engine=engine))
    endpoint = McpEndpoint(lambda: visitors, offer, CONTENT_BODY_BYTES)

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        async with endpoint.running():
            yield

    return Starlette(routes=[Route(PATH, endpoint)], middleware=[Middleware(OwnNames)], lifespan=lifespan)


def run(engine: Engine, offer: Offer, host: str, port: int) -> None:
    """Serve until it is told to end."""
    import uvicorn

    uvicorn.run(service(engine, offer), host=host, port=port, log_level="warning")

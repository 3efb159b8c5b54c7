"""MCP on the app's own port: the endpoint beside the other routes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.routing import BaseRoute, Route

from copilot.mcp.http import PATH, McpEndpoint
from copilot.server.guard import the_live

if TYPE_CHECKING:
    from copilot.mcp.visitors import Visitors

_visitors: dict[int, Visitors] = {}


def _of_the_app() -> Visitors:
    """The visitors of the app's open sessions."""
    from copilot.mcp.visitors import Visitors

    live = the_live()
    if id(live) not in _visitors:
        _visitors.clear()
        _visitors[id(live)] = Visitors.of_app(live)
    return _visitors[id(live)]


endpoint = McpEndpoint(_of_the_app)
"""Answers while `endpoint.running()` is open, which the app's lifespan does."""


def routes() -> list[BaseRoute]:
    """The routes of this module."""
    return [Route(PATH, endpoint), Route(f"{PATH}/{{offer}}", endpoint)]

"""The server on standard input and output: for the user of this machine, who has started it."""

from __future__ import annotations

import anyio

from copilot.engine import Engine
from copilot.mcp.offered import Offer
from copilot.mcp.server import Asking, mcp_server
from copilot.mcp.visitors import Person, Visitors
from copilot.server.guard import LOCAL_OWNER


def serve(engine: Engine, offer: Offer, session_id: str | None = None) -> None:
    """Answer until standard input ends, in that session where one is named. Raises UnknownSession."""
    visitors = Visitors.of_process(engine)
    person = Person(LOCAL_OWNER, "stdio")
    if session_id is not None:
        visitors.session(person, session_id)
    server = mcp_server(visitors, lambda _: Asking(person, offer))

    async def run() -> None:
        from mcp.server.stdio import stdio_server

        async with stdio_server() as (reading, writing):
            await server.run(reading, writing, server.create_initialization_options())

    anyio.run(run)

"""The routes beside the pages, on the same port: map data, tiles, calls, jobs, files, MCP."""

from __future__ import annotations

from starlette.routing import BaseRoute

from copilot.server import (
    assets,
    basemap,
    calls,
    files,
    imagery,
    jobs,
    maps,
    protocol,
    rendered,
    tiles,
    uploads,
)
from copilot.server.first_paint import FirstPaint
from copilot.server.owner import OwnerAndHeaders
from copilot.server.theming import OwnOrigin


def routes() -> list[BaseRoute]:
    """Every route of ours; Streamlit serves the rest."""
    return [
        *assets.routes(),
        *basemap.routes(),
        *calls.routes(),
        *jobs.routes(),
        *maps.routes(),
        *tiles.routes(),
        *imagery.routes(),
        *files.routes(),
        *rendered.routes(),
        *uploads.routes(),
        *protocol.routes(),
    ]


__all__ = ["FirstPaint", "OwnOrigin", "OwnerAndHeaders", "protocol", "routes"]

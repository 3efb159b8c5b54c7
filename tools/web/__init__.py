"""Web: search, pages, papers, STAC, map features, heights and weather."""

from tools.base import Tool

TOOLS: tuple[Tool, ...] = ()

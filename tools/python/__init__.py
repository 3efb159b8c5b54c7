"""Python: documents, archives, pictures and sums."""

from tools.base import Tool

TOOLS: tuple[Tool, ...] = ()

"""LangChain: text stores, splitting, examples and structured answers."""

from tools.base import Tool

TOOLS: tuple[Tool, ...] = ()

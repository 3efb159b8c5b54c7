"""The vision tools: each answer is computed from the pixels that it is about."""

from __future__ import annotations

from tools.base import Tool

TOOLS: tuple[Tool, ...] = ()

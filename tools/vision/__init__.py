"""The vision tools: each answer is computed from the pixels that it is about."""

from __future__ import annotations

from tools.base import Tool
from tools.vision.changing import TOOLS as CHANGING
from tools.vision.radar import TOOLS as RADAR
from tools.vision.reviewing import TOOLS as REVIEWING

TOOLS: tuple[Tool, ...] = (
    *CHANGING,
    *RADAR,
    *REVIEWING,
)

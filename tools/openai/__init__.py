"""OpenAI: embeddings, chat, JSON answers, picture descriptions and token counts."""

from tools.base import Tool

TOOLS: tuple[Tool, ...] = ()

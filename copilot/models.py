"""Which chat model answers: the one an address is configured for, else the embedded planner."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

    from copilot.engine import Engine

EMBEDDED = "embedded"


class ModelNotConfigured(Exception):
    """A model was asked for that nothing here can reach."""


def configured_model() -> str:
    """The name of the model that answers when none is asked for."""
    if os.environ.get("OPENAI_API_KEY") or os.environ.get("OPENAI_BASE_URL"):
        return os.environ.get("COPILOT_MODEL", "gpt-4o-mini")
    return EMBEDDED


def describe(name: str | None = None) -> str:
    """Which model answers and whether anything leaves the machine, in a few words for the header."""
    name = name or configured_model()
    if name == EMBEDDED:
        return "embedded planner, offline"
    return f"{name} at {os.environ.get('OPENAI_BASE_URL', 'api.openai.com')}: requests leave this machine"


def chat_model(name: str | None, engine: Engine) -> BaseChatModel:
    """The chat model of that name. Raises ModelNotConfigured."""
    name = name or configured_model()
    if name == EMBEDDED:
        from copilot.planner.model import EmbeddedPlanner

        return EmbeddedPlanner.on(engine)
    if not (os.environ.get("OPENAI_API_KEY") or os.environ.get("OPENAI_BASE_URL")):
        raise ModelNotConfigured(
            f"No address is configured for the model '{name}'. Set OPENAI_API_KEY or OPENAI_BASE_URL, "
            f"or use '{EMBEDDED}'."
        )
    from langchain_openai import ChatOpenAI

    # A local server behind OPENAI_BASE_URL needs no key, but the client insists on one.
    key = os.environ.get("OPENAI_API_KEY", "none")
    return ChatOpenAI(model=name, api_key=key, temperature=0, timeout=60, max_retries=2)

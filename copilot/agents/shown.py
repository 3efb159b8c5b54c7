"""The tools that a model is shown: those that fit the request, and more when it asks for them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from langchain_core.language_models import BaseChatModel

if TYPE_CHECKING:
    from copilot.session import Session
    from tools.base import Tool

MORE_TOOLS = "more_tools"
"""The meta tool: answered by the loop, not by the session, as it changes nothing but what is shown."""


class Shown:
    """The tools shown in one turn."""

    def __init__(self, session: Session, request: str, model: BaseChatModel) -> None:
        self._toolbox = session.engine.toolbox
        self._request = request
        self._by_name = bool(getattr(model, "knows_tools", False))
        """The model needs no more than the names: it gets all of them, and no schemas are made."""

    def schemas(self, category: str | None = None) -> list[dict[str, Any]]:
        """The tools as a model's server takes them, all or those of one category."""
        tools = [each for each in self._toolbox if category in (None, each.category)]
        if self._by_name:
            return [{"type": "function", "function": {"name": each.name}} for each in tools]
        return [schema_of(each) for each in tools]

    def add(self, name: str) -> None:
        """Show a tool from now on; a name that the toolbox does not have is left out."""

    def more(self, query: str) -> str:
        """Show the tools that fit `query` from now on; what the model is told of them."""
        return "You are shown every tool there is."


def schema_of(tool: Tool) -> dict[str, Any]:
    """One tool as a function in the OpenAI format, which LangChain takes for every model."""
    return {
        "type": "function",
        "function": {"name": tool.name, "description": tool.summary, "parameters": tool.schema},
    }

"""Chat models of which a test knows beforehand what they say: they stand for the world outside."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.runnables import Runnable
from langchain_core.tools import BaseTool

Said = AIMessage | Exception | Callable[[list[BaseMessage]], AIMessage]


def calls(*wanted: tuple[str, dict[str, Any]]) -> AIMessage:
    """A message that makes those calls."""
    return AIMessage(
        "",
        tool_calls=[
            {"name": name, "args": args, "id": f"c{number}", "type": "tool_call"}
            for number, (name, args) in enumerate(wanted)
        ],
    )


class Scripted(BaseChatModel):
    """Says one thing after another, the last one for ever; an exception is raised, a function is asked."""

    says: list[Any]
    heard: list[list[BaseMessage]]
    tools: list[Any]
    """Every tool that was ever bound."""
    bound: list[list[Any]]
    """The tools bound each time."""
    forced: list[str | None]
    """The one that had to be called, each time."""

    def __init__(self, *says: Said) -> None:
        fields: dict[str, Any] = {"says": list(says), "heard": [], "tools": [], "bound": [], "forced": []}
        super().__init__(**fields)

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(
        self, tools: Sequence[dict[str, Any] | type | Callable[..., Any] | BaseTool], **kwargs: Any
    ) -> Runnable[Any, AIMessage]:
        self.tools.extend(tools)
        self.bound.append(list(tools))
        self.forced.append(kwargs.get("tool_choice"))
        return self.bind(**kwargs)

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        self.heard.append(list(messages))
        said = self.says.pop(0) if len(self.says) > 1 else self.says[0]
        if isinstance(said, Exception):
            raise said
        message = said if isinstance(said, AIMessage) else said(messages)
        return ChatResult(generations=[ChatGeneration(message=message)])

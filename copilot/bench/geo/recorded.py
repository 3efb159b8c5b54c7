"""A model whose answers were written before: what somebody who played the model answered, round by round."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult


class RecordedModel(BaseChatModel):
    """Gives the answers of a recording one after another, whatever it is asked; then it has no more."""

    answers: list[dict[str, Any]]
    given: int = 0

    @classmethod
    def of(cls, path: Path) -> RecordedModel:
        """The recording in a file: {"answers": [{"content", "tool_calls": [{"name", "args"}]}]}."""
        return cls(answers=json.loads(path.read_text(encoding="utf-8"))["answers"])

    @property
    def _llm_type(self) -> str:
        return "recorded"

    def bind_tools(self, tools: Any, **kwargs: Any) -> RecordedModel:
        """Whatever is shown, the answers are known."""
        return self

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        if self.given >= len(self.answers):
            return ChatResult(generations=[ChatGeneration(message=AIMessage("The recording ends here."))])
        answer = self.answers[self.given]
        self.given += 1
        calls = [
            {"name": each["name"], "args": each["args"], "id": f"r{self.given}-{number}", "type": "tool_call"}
            for number, each in enumerate(answer.get("tool_calls") or ())
        ]
        message = AIMessage(answer.get("content") or "", tool_calls=calls)
        return ChatResult(generations=[ChatGeneration(message=message)])

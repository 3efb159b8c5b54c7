"""The embedded planner as a LangChain chat model: calls one after another, then the answer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.runnables import Runnable
from langchain_core.tools import BaseTool

from copilot.planner.answer import compose
from copilot.planner.answer_first import Done
from copilot.planner.head import Head
from copilot.planner.plan import Plan, Planner
from copilot.planner.situation import SELECTED, Call, PastTurn, Situation
from copilot.prompts import read_system_message

if TYPE_CHECKING:
    from copilot.engine import Engine

_STOPS_THE_PLAN = ("db_load", "db_ingest", "filter_")
"""When one of these fails, what would follow is about another selection than was asked for."""


class EmbeddedPlanner(BaseChatModel):
    """Answers like any chat model, from rules, a gazetteer, a vocabulary and a small trained head.

    It keeps nothing between calls: the plan travels in the messages it has given.
    """

    planner: Any
    catalogue: Any
    gazetteer: Any

    @classmethod
    def on(cls, engine: Engine) -> EmbeddedPlanner:
        """The planner over an engine's catalogue and gazetteer."""
        return cls(planner=Planner(_head()), catalogue=engine.catalogue, gazetteer=engine.gazetteer)

    @property
    def _llm_type(self) -> str:
        return "azimuth-embedded-planner"

    def bind_tools(
        self, tools: Sequence[dict[str, Any] | type | Callable[..., Any] | BaseTool], **kwargs: Any
    ) -> Runnable[Any, AIMessage]:
        """The planner knows the toolbox by name; what is bound changes nothing."""
        return self.bind(**kwargs)

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        return ChatResult(generations=[ChatGeneration(message=self._next(messages))])

    def _next(self, messages: Sequence[BaseMessage]) -> AIMessage:
        state, today = read_system_message(_system_text(messages))
        opened = max(index for index, message in enumerate(messages) if isinstance(message, HumanMessage))
        done = _done(messages[opened + 1 :])
        plan = _carried_plan(messages[opened + 1 :])
        if plan is None:
            situation = Situation(state, today, self.catalogue, self.gazetteer, _past(messages[:opened]))
            plan = self.planner.plan(messages[opened].text, situation)
        if plan.calls and not _stopped(done):
            return _call_message(plan, len(done), state)
        sample = any(
            info.origin == "sample" and info.name in state["database"]["loaded"]
            for info in self.catalogue.datasets()
        )
        return AIMessage(compose(done, plan.notes, plan.talk, state, sample, plan.asked))


@cache
def _head() -> Head:
    return Head.load()


def _stopped(done: Sequence[Done]) -> bool:
    return bool(done) and not done[-1].ok and done[-1].call.tool.startswith(_STOPS_THE_PLAN)


def _call_message(plan: Plan, number: int, state: dict[str, Any]) -> AIMessage:
    first, *rest = plan.calls
    selected = state["ui"].get("selected_image")
    args = {key: selected if value == SELECTED else value for key, value in first.args.items()}
    carried = {
        "calls": [{"tool": call.tool, "args": call.args} for call in rest],
        "notes": list(plan.notes),
        "talk": plan.talk,
        "asked": plan.asked,
    }
    call = {"name": first.tool, "args": args, "id": f"call-{number + 1}", "type": "tool_call"}
    return AIMessage("", tool_calls=[call], additional_kwargs={"plan": carried})


def _carried_plan(said: Sequence[BaseMessage]) -> Plan | None:
    for message in reversed(said):
        if isinstance(message, AIMessage) and (carried := message.additional_kwargs.get("plan")) is not None:
            calls = tuple(Call(each["tool"], each["args"]) for each in carried["calls"])
            return Plan(calls, tuple(carried["notes"]), carried["talk"], carried["asked"])
    return None


def _done(said: Sequence[BaseMessage]) -> list[Done]:
    calls = _calls_by_id(said)
    return [
        Done(calls[message.tool_call_id], message.status == "success", message.text, message.artifact or {})
        for message in said
        if isinstance(message, ToolMessage) and message.tool_call_id in calls
    ]


def _calls_by_id(said: Sequence[BaseMessage]) -> dict[str, Call]:
    return {
        str(call["id"]): Call(call["name"], call["args"])
        for message in said
        if isinstance(message, AIMessage)
        for call in message.tool_calls
    }


def _past(said: Sequence[BaseMessage]) -> list[PastTurn]:
    starts = [index for index, message in enumerate(said) if isinstance(message, HumanMessage)]
    found = []
    for start, end in zip(starts, [*starts[1:], len(said)], strict=False):
        inner = said[start + 1 : end]
        calls = tuple(each.call for each in _done(inner) if each.ok)
        reply = next((message.text for message in reversed(inner) if isinstance(message, AIMessage)), "")
        found.append(PastTurn(said[start].text, calls, reply))
    return found


def _system_text(messages: Sequence[BaseMessage]) -> str:
    return next((message.text for message in messages if isinstance(message, SystemMessage)), "")

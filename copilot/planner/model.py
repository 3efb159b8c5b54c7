"""The embedded planner as a LangChain chat model: calls one after another, then the answer."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.runnables import Runnable
from langchain_core.tools import BaseTool
from langchain_core.utils.function_calling import convert_to_openai_tool

from copilot.language.asking import question
from copilot.language.grounding import result_of
from copilot.language.readable import names_of, readable
from copilot.planner.answer import compose
from copilot.planner.answer_first import Done, reference
from copilot.planner.modality import for_its_modality, image_looked_at
from copilot.planner.plan import Plan
from copilot.planner.situation import SELECTED, Call, PastTurn, Situation
from copilot.planner.steps import (
    said_between,
    submitted_modules,
    submitted_plan,
    submitted_reflection,
    submitted_task_types,
    thought_before,
)
from copilot.prompts import THINK_FIRST, is_request, read_system_message
from copilot.readers import chosen_reader, reader
from copilot.vague.joining import gone_on, wish_of
from state.log import Event
from tools.toolbox import toolbox

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
    answers_here: bool = True
    """It computes in this process: there is no server to wait for."""
    trial: Callable[[Sequence[Call]], str] | None = None
    """Why some calls do not work here, "" where they do; None where nobody can tell."""
    columns: Callable[[], Mapping[str, Sequence[str]]] | None = None
    """The columns of the session's tables and layers, by their ids; None where nobody can tell."""
    tries_first: bool = True
    """It takes a trial and the columns from whoever asks it in a session."""
    knows_tools: bool = True
    """It knows the toolbox by name: it needs no schemas, and none are picked for it."""

    @classmethod
    def on(cls, engine: Engine) -> EmbeddedPlanner:
        """The planner over an engine's catalogue and gazetteer."""
        return cls(planner=reader(chosen_reader()), catalogue=engine.catalogue, gazetteer=engine.gazetteer)

    @property
    def _llm_type(self) -> str:
        return "embedded"

    def bind_tools(
        self,
        tools: Sequence[dict[str, Any] | type | Callable[..., Any] | BaseTool],
        *,
        tool_choice: str | None = None,
        **kwargs: Any,
    ) -> Runnable[Any, AIMessage]:
        """Remember the tools' names, to call no other, and which one must be called."""
        names = [convert_to_openai_tool(each)["function"]["name"] for each in tools]
        return self.bind(bound=names, forced=tool_choice, **kwargs)

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        *,
        bound: Sequence[str] | None = None,
        forced: str | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        return ChatResult(generations=[ChatGeneration(message=self._next(messages, bound, forced))])

    def planned(self, request: str, situation: Situation) -> Plan:
        """What is read, or the vague wish on an image that it is where the reader is not sure or can not do it."""
        plan = self.planner.plan(request, situation)
        if (wish := wish_of(plan, request, situation)) is not None:
            return wish  # before readings are tried, which takes time
        plan = self._chosen(plan)
        return wish_of(plan, request, situation) or plan

    def _chosen(self, plan: Plan) -> Plan:
        """The likeliest plan whose calls work; where none does, the likeliest, which then says why not.

        What is not sure enough is asked about and not done. Not sure is, too, what is known not to work.
        """
        tried = plan.instead or not plan.is_sure
        fails = self.trial if tried and self.trial is not None else _fails_never
        plans = (plan, *plan.instead)
        failures = ((each, fails(each.calls)) for each in plans)
        why, first = "", None
        for each, failure in failures:
            if not failure:
                first = each
                break
            why = why or failure
        if first is None:
            return replace(plan, is_sure=False) if plan.is_sure else Plan((question((), toolbox(), why),))
        if first.is_sure:
            return first
        others = (each.calls for each, failure in failures if not failure)
        return Plan((question([first.calls, *others], toolbox()),))

    def _next(
        self, messages: Sequence[BaseMessage], bound: Sequence[str] | None, forced: str | None
    ) -> AIMessage:
        shown = _system_text(messages)
        state, today = read_system_message(shown)
        opened = max(index for index, message in enumerate(messages) if is_request(message))
        progress = _progress(messages[opened + 1 :])
        plan = progress.plan
        if plan is None:
            situation = Situation(
                state,
                today,
                self.catalogue,
                self.gazetteer,
                _past(messages[:opened]),
                columns=self.columns() if self.columns is not None else {},
            )
            plan = self.planned(messages[opened].text, situation)
        if forced is not None:
            image = image_looked_at(state, self.catalogue, _past(messages[:opened]))
            return _form_message(forced, plan, progress, messages[opened].text, image)
        if plan.wish is not None and not plan.calls:
            plan = gone_on(plan, progress.done)
            if not plan.calls:
                return AIMessage(
                    _renumbered(readable(" ".join(plan.notes), names_of(state)), progress.before)
                )
        if plan.calls and not _stopped(progress.done):
            if bound is not None and plan.calls[0].tool not in bound:
                return AIMessage(said_between(progress.done, plan.calls))
            return _call_message(plan, progress, state, think=THINK_FIRST in shown)
        sample = any(
            info.origin == "sample" and info.name in state["database"]["loaded"]
            for info in self.catalogue.datasets()
        )
        reply = compose(progress.done, plan.notes, plan.talk, state, sample, plan.asked)
        return AIMessage(_renumbered(reply, progress.before))


def _fails_never(calls: Sequence[Call]) -> str:
    return ""


def _stopped(done: Sequence[Done]) -> bool:
    return bool(done) and not done[-1].ok and done[-1].call.tool.startswith(_STOPS_THE_PLAN)


@dataclass(frozen=True)
class _Progress:
    """How far a turn has come."""

    plan: Plan | None
    """What is left of the plan; None before there is one."""
    done: list[Done]
    """The calls of the present try."""
    before: int
    """The calls of the try before it, which was taken back."""


def _progress(said: Sequence[BaseMessage]) -> _Progress:
    """The plan that the messages carry, less the calls that were made since, and what those came to."""
    carried, at, began = None, -1, -1
    for index, message in enumerate(said):
        if isinstance(message, AIMessage) and "plan" in message.additional_kwargs:
            carried, at = message.additional_kwargs["plan"], index
            began = index if carried["anew"] else began
        elif carried is not None and carried["anew"] and isinstance(message, HumanMessage):
            began = index  # the word after the first try was taken back
    made = _made(said)
    done = [each for index, each in made if index > began]
    before = len(made) - len(done)
    if carried is None:
        return _Progress(None, done, before)
    since = sum(index > max(at, began) for index, _ in made)
    calls = tuple(Call(each["tool"], each["args"]) for each in carried["calls"][since:])
    notes, wish = tuple(carried["notes"]), carried.get("wish")
    return _Progress(Plan(calls, notes, carried["talk"], carried["asked"], wish=wish), done, before)


def _call_message(plan: Plan, progress: _Progress, state: dict[str, Any], *, think: bool) -> AIMessage:
    first, *rest = plan.calls
    first = for_its_modality(first, progress.done)
    selected = state["ui"].get("selected_image")
    args = {
        key: selected if value == SELECTED else result_of(value, progress.done)
        for key, value in first.args.items()
    }
    number = progress.before + len(progress.done) + 1
    call = {"name": first.tool, "args": args, "id": f"call-{number}", "type": "tool_call"}
    thought = thought_before(first, progress.done, len(rest)) if think else ""
    return AIMessage(thought, tool_calls=[call], additional_kwargs={"plan": _carried(plan, tuple(rest))})


def _form_message(
    name: str, plan: Plan, progress: _Progress, request: str, image: Mapping[str, Any] | None
) -> AIMessage:
    """The form of that name, filled in; the plan behind it travels with the message."""
    anew = False
    if name == "submit_plan":
        form = submitted_plan(plan)
    elif name == "submit_modules":
        form = submitted_modules(plan)
    elif name == "submit_reflection":
        form, second = submitted_reflection(progress.done, plan.calls)
        plan, anew = (plan, False) if second is None else (second, True)
    elif name == "submit_task_types":
        form = submitted_task_types(request, image)
    else:
        raise ValueError(f"The embedded planner knows no form '{name}'.")
    call = {"name": name, "args": form, "id": f"{name}-{len(progress.done)}", "type": "tool_call"}
    return AIMessage("", tool_calls=[call], additional_kwargs={"plan": _carried(plan, plan.calls, anew)})


def _carried(plan: Plan, calls: tuple[Call, ...], anew: bool = False) -> dict[str, Any]:
    """A plan as it travels in a message; `anew` where another try begins with it."""
    return {
        "calls": [{"tool": call.tool, "args": call.args} for call in calls],
        "notes": list(plan.notes),
        "talk": plan.talk,
        "asked": plan.asked,
        "wish": plan.wish,
        "anew": anew,
    }


def _renumbered(reply: str, before: int) -> str:
    """An answer whose marks count from the turn's first call, that of a try which was taken back included."""
    if not before:
        return reply
    return re.sub(
        r"⁽([⁰¹²³⁴⁵⁶⁷⁸⁹]+)⁾",
        lambda mark: reference(int(mark[1].translate(_DIGITS)) + before),
        reply,
    )


_DIGITS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")


def _made(said: Sequence[BaseMessage]) -> list[tuple[int, Done]]:
    """Every call that was run, in order, with the place of the message that asked for it."""
    asked = {
        str(call["id"]): (index, Call(call["name"], call["args"]))
        for index, message in enumerate(said)
        if isinstance(message, AIMessage)
        for call in message.tool_calls
    }
    return [
        (
            asked[message.tool_call_id][0],
            Done(asked[message.tool_call_id][1], event.ok, event.text, event.data, event.state is not None),
        )
        for message in said
        if isinstance(message, ToolMessage)
        and isinstance(event := message.artifact, Event)
        and message.tool_call_id in asked
    ]


def _past(said: Sequence[BaseMessage]) -> list[PastTurn]:
    starts = [index for index, message in enumerate(said) if is_request(message)]
    found = []
    for start, end in zip(starts, [*starts[1:], len(said)], strict=False):
        inner = said[start + 1 : end]
        done = [each for _, each in _made(inner) if each.ok]
        reply = next((message.text for message in reversed(inner) if isinstance(message, AIMessage)), "")
        calls, data = tuple(each.call for each in done), tuple(each.data for each in done)
        found.append(PastTurn(said[start].text, calls, reply, data, _artifacts_after(inner)))
    return found


def _artifacts_after(said: Sequence[BaseMessage]) -> frozenset[str] | None:
    """The ids of the artifacts after some calls; None where none of them changed the state."""
    states = [
        message.artifact.state
        for message in said
        if isinstance(message, ToolMessage) and isinstance(message.artifact, Event) and message.artifact.state
    ]
    return frozenset(str(each["id"]) for each in states[-1]["artifacts"]) if states else None


def _system_text(messages: Sequence[BaseMessage]) -> str:
    return next((message.text for message in messages if isinstance(message, SystemMessage)), "")

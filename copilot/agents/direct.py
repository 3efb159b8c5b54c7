"""The direct agent: the model calls tools until it answers."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.runnables import Runnable

from copilot.prompts import KEPT_TURNS, messages, observation_message, system_message
from state.codec import canonical
from state.log import Event, Outcome

if TYPE_CHECKING:
    from copilot.session import Session

MAX_CALLS = 30
MAX_SECONDS = 120.0

_log = logging.getLogger(__name__)


def run(
    session: Session, request: str, model: BaseChatModel, *, source: str, stop: threading.Event
) -> Iterator[Event]:
    """Answer one request: model, call, observation, and again, until there is an answer or a limit."""
    opened = session.begin(request, source)
    yield opened
    turn = _Turn(session, opened.turn, model, source, stop)
    try:
        yield from turn.calls(request)
    except Exception:
        # The model's side failed (transport, protocol): the user gets a sentence, the log the traceback.
        _log.exception("turn %s of session %s failed", opened.turn, session.id)
        turn.finish("The model could not be reached or did not answer properly. Nothing was lost; try again.", "failed")
    finally:
        # Also when the reader of this generator goes away in the middle.
        if turn.outcome is None:
            turn.finish("Stopped. What was done so far stands.", "stopped")
        closed = session.end(opened.turn, turn.reply, turn.outcome or "failed", turn.seconds, turn.tokens)
    yield closed


class _Turn:
    """One turn as it goes on."""

    def __init__(
        self, session: Session, number: int, model: BaseChatModel, source: str, stop: threading.Event
    ) -> None:
        self.session, self.number, self.source, self.stop = session, number, source, stop
        self.bound: Runnable[Any, Any] = model.bind_tools(_schemas(session))
        self.started = time.perf_counter()
        self.tokens = 0
        self.reply = ""
        self.outcome: Outcome | None = None

    @property
    def seconds(self) -> float:
        return time.perf_counter() - self.started

    def finish(self, reply: str, outcome: Outcome) -> None:
        self.reply, self.outcome = reply, outcome

    def calls(self, request: str) -> Iterator[Event]:
        session = self.session
        past = session.turns[-KEPT_TURNS - 1 : -1]
        said = messages(session.state, session.engine.clock(), past, request)
        seen: set[str] = set()
        for _ in range(MAX_CALLS):
            if self.stop.is_set():
                return
            if self.seconds > MAX_SECONDS:
                return self.finish(f"Stopped after {MAX_SECONDS:.0f} s without an answer.", "failed")
            answer: AIMessage = self.bound.invoke(said)
            self.tokens += (answer.usage_metadata or {}).get("total_tokens", 0)
            if not answer.tool_calls:
                return self.finish(answer.text, "done")
            said.append(answer)
            yield from self._run_calls(answer, said, seen)
            if self.outcome is not None:
                return
            said[0] = system_message(session.state, session.engine.clock())
        self.finish(f"Stopped after {MAX_CALLS} calls without an answer; what was done so far stands.", "failed")

    def _run_calls(self, answer: AIMessage, said: list[BaseMessage], seen: set[str]) -> Iterator[Event]:
        for call in answer.tool_calls:
            if self.stop.is_set():
                return
            event = self.session.call_tool(call["name"], call["args"], source=self.source, turn=self.number)
            yield event
            said.append(observation_message(event, call["id"] or ""))
            if event.ok and event.tool == "ask_user":
                return self.finish(event.text, "asked")
            if event.ok and event.tool == "reject_task":
                return self.finish(event.text, "rejected")
            key = canonical([event.tool, event.args, event.hash, event.ok])
            if key in seen:
                return self.finish("Stopped: the same call came again without any effect.", "failed")
            seen.add(key)


def _schemas(session: Session) -> list[dict[str, Any]]:
    return [
        {"type": "function", "function": {"name": each.name, "description": each.summary, "parameters": each.schema}}
        for each in session.engine.toolbox
    ]

"""The direct agent: the model calls tools until it answers."""

from __future__ import annotations

import logging
import threading
import time
import traceback
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, ToolMessage
from langchain_core.runnables import Runnable

from copilot.models import without_key
from copilot.prompts import messages, observation_message, system_message
from state.codec import canonical
from state.log import Event, Outcome

if TYPE_CHECKING:
    from copilot.session import Session

MAX_CALLS = 30
MAX_SECONDS = 120.0

_NO_ANSWER = "The model could not be reached or did not answer properly. Nothing was lost; try again."

_log = logging.getLogger(__name__)


def run(
    session: Session, request: str, model: BaseChatModel, *, source: str, stop: threading.Event
) -> Iterator[Event]:
    """Answer one request: model, call, observation, and again, until there is an answer or a limit.

    However it ends, also when the reader of this generator goes away in the middle, a reply is stored.
    """
    opened = session.begin(request, source)
    turn = _Turn(session, opened.turn, source, stop)
    try:
        yield opened
        yield from turn.calls(opened.text, model)
    except Exception:
        # The model's side failed (transport, protocol): the user gets a sentence, the log the traceback.
        _log.error(
            "turn %s of session %s failed\n%s", opened.turn, session.id, without_key(traceback.format_exc())
        )
        turn.finish(_NO_ANSWER, "failed")
    finally:
        if turn.outcome is None:
            turn.finish("Stopped. What was done so far stands.", "stopped")
        closed = session.end(opened.turn, turn.reply, turn.outcome or "stopped", turn.seconds, turn.tokens)
    yield closed


class _Turn:
    """One turn as it goes on."""

    def __init__(self, session: Session, number: int, source: str, stop: threading.Event) -> None:
        self.session, self.number, self.source, self.stop = session, number, source, stop
        self.started = time.perf_counter()
        self.made = 0
        self.worked = 0
        self.tokens = 0
        self.reply = ""
        self.outcome: Outcome | None = None
        self._without_effect: set[str] = set()

    @property
    def seconds(self) -> float:
        return time.perf_counter() - self.started

    def finish(self, reply: str, outcome: Outcome) -> None:
        self.reply, self.outcome = reply, outcome

    def calls(self, request: str, model: BaseChatModel) -> Iterator[Event]:
        """Make the model's calls until the turn is finished or stopped."""
        session = self.session
        bound: Runnable[Any, AIMessage] = model.bind_tools(_schemas(session))
        past = [turn for turn in session.turns if turn.number < self.number]
        said = messages(session.state, session.engine.clock(), past, request)
        while not self.stop.is_set():
            if self.made >= MAX_CALLS:
                return self.finish(
                    f"Stopped after {MAX_CALLS} calls without an answer; what was done so far stands.",
                    "failed",
                )
            if self.seconds > MAX_SECONDS:
                return self.finish(f"Stopped after {MAX_SECONDS:.0f} s without an answer.", "failed")
            answer = bound.invoke(said)
            usage = answer.usage_metadata
            self.tokens += usage["total_tokens"] if usage else 0
            if not answer.tool_calls and not answer.invalid_tool_calls:
                return self._finish_with(answer.text)
            said.append(answer)
            yield from self._run_calls(answer, said)
            if self.outcome is not None:
                return
            said[0] = system_message(session.state, session.engine.clock())

    def _finish_with(self, text: str) -> None:
        """End with the model's answer; a turn in which nothing worked has failed, whatever it says."""
        if not text.strip():
            self.finish(_NO_ANSWER, "failed")
        else:
            self.finish(text, "failed" if self.made and not self.worked else "done")

    def _run_calls(self, answer: AIMessage, said: list[BaseMessage]) -> Iterator[Event]:
        for broken in answer.invalid_tool_calls:
            self.made += 1
            text = (
                f"The arguments of {broken['name']} are no JSON object; send the call again, written right."
            )
            said.append(ToolMessage(text, tool_call_id=broken["id"] or "", status="error"))
        for call in answer.tool_calls:
            if self.stop.is_set() or self.made >= MAX_CALLS:
                return
            self.made += 1
            event = self.session.call_tool(call["name"], call["args"], source=self.source, turn=self.number)
            self.worked += event.ok
            yield event
            said.append(observation_message(event, call["id"] or ""))
            if event.ok and event.tool == "ask_user":
                return self.finish(event.text, "asked")
            if event.ok and event.tool == "reject_task":
                return self.finish(event.text, "rejected")
            if self._goes_in_circles(event):
                return self.finish("Stopped: the same call came again without any effect.", "failed")

    def _goes_in_circles(self, event: Event) -> bool:
        """Whether the very call was made in this state before, and changed nothing either time."""
        if event.state is not None:
            return False
        key = canonical([event.tool, event.args, event.hash])
        seen = key in self._without_effect
        self._without_effect.add(key)
        return seen


def _schemas(session: Session) -> list[dict[str, Any]]:
    return [
        {
            "type": "function",
            "function": {"name": each.name, "description": each.summary, "parameters": each.schema},
        }
        for each in session.engine.toolbox
    ]

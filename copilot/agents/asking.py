"""One question to a chat model: bounded in time, stopped at once, tried again, and put to a second model.

Every model call of every agent goes through here, and through no other retry: the client's own is off.
LangChain's ModelRetryMiddleware and ModelFallbackMiddleware do the same two things inside `create_agent`;
why the agents are not built on it is written in copilot/agents/turn.py.
"""

from __future__ import annotations

import logging
import random
import threading
import traceback
from collections.abc import Callable, Sequence
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.runnables import Runnable

from copilot.agents.calls import whole_message
from copilot.agents.faults import (
    CutStream,
    is_known,
    is_overflow,
    is_passing,
    is_refused,
    retry_after,
    sentence,
)
from copilot.bounds import TooMuch
from copilot.models import model_name, without_key
from copilot.prices import price_of

DELAYS = (0.5, 1.0)
"""Seconds before the second and the third try, give or take a quarter, unless the server names its own."""
SECONDS_A_TRY = 120.0
"""How long an answer of a model is waited for that does not say it of itself."""
_TICK = 0.05
"""How often a stop is looked for while a model is waited for, in seconds."""

_log = logging.getLogger(__name__)


Tools = Callable[[BaseChatModel], Sequence[dict[str, Any]]]
"""The tools that a model is shown: which they are may depend on which model answers in the end."""


class Stopped(Exception):
    """The user stopped the turn while the model was asked."""


class OutOfTime(Exception):
    """The turn's time was up while the model was asked."""


class Unanswered(Exception):
    """No model answered; the text is for the user."""

    def __init__(self, text: str, *, too_long: bool = False) -> None:
        super().__init__(text)
        self.too_long = too_long
        """The prompt was longer than the model can read: a shorter one may be answered."""


class Asking:
    """Puts questions to a model, and to its fallback from the moment on that it fails."""

    def __init__(
        self,
        model: BaseChatModel,
        fallback: Callable[[], BaseChatModel | None],
        stop: threading.Event,
        seconds_left: Callable[[], float],
    ) -> None:
        self.model = model
        self.news: list[str] = []
        """What the user should know of how the answer came about; the turn takes it from here."""
        self.bound: Sequence[dict[str, Any]] = ()
        """The tools that were sent with the last question; none for a model that answers here."""
        self._fallback = fallback
        self._stop, self._seconds_left = stop, seconds_left

    def ask(
        self, said: Sequence[BaseMessage], tools: Tools = lambda _: (), forced: str | None = None
    ) -> AIMessage:
        """The model's next message; `forced` names the one tool it must call.

        Raises Stopped, OutOfTime, Unanswered, or copilot.bounds.TooMuch.
        """
        try:
            return self._with_retries(said, tools, forced)
        except Unanswered as failure:
            other = self._fallback()
            if other is None:
                raise
            self._fallback = lambda: None
            self.news.append(f"{failure} Going on with {model_name(other)}.")
            self.model = other
            return self._with_retries(said, tools, forced)

    def cost_usd(self, answer: AIMessage) -> float | None:
        """What an answer has cost; None where no price is known."""
        usage = answer.usage_metadata
        price = None if usage is None else price_of(model_name(self.model))
        if usage is None or price is None:
            return None
        return price.cost_usd(usage["input_tokens"], usage["output_tokens"])

    def _with_retries(self, said: Sequence[BaseMessage], tools: Tools, forced: str | None) -> AIMessage:
        for delay in (*DELAYS, None):
            try:
                return self._once(said, tools, forced)
            except (Stopped, OutOfTime, TooMuch):
                raise
            except Exception as error:
                _log.error("%s did not answer: %s", model_name(self.model), _cause(error))
                if forced is not None and delay is not None and is_refused(error):
                    forced = None  # some servers take tools and do not let one be forced: the prompt asks too
                    continue
                wait = None if delay is None or not is_passing(error) else retry_after(error)
                if delay is None or not is_passing(error) or (wait or 0.0) >= self._seconds_left():
                    here = bool(getattr(self.model, "answers_here", False))
                    raise Unanswered(sentence(error, here), too_long=is_overflow(error)) from None
                if self._stop.wait(delay * random.uniform(0.75, 1.25) if wait is None else wait):
                    raise Stopped from None
        raise AssertionError("the last try returns or raises")

    def _once(self, said: Sequence[BaseMessage], tools: Tools, forced: str | None) -> AIMessage:
        """One try. A model that answers from elsewhere is waited for in a thread that can be left alone."""
        if getattr(self.model, "answers_here", False):
            return _answer(self.model, said, tools(self.model), forced, None, threading.Event())
        told = getattr(self.model, "request_timeout", None)
        left = min(self._seconds_left(), float(told) if isinstance(told, (int, float)) else SECONDS_A_TRY)
        self.bound = bound = tools(self.model)
        given_up = threading.Event()
        came: list[AIMessage | Exception] = []
        done = threading.Event()

        def work() -> None:
            try:
                came.append(_answer(self.model, said, bound, forced, left, given_up))
            except Exception as error:
                came.append(error)
            finally:
                done.set()

        threading.Thread(target=work, name="model", daemon=True).start()
        try:
            while not done.wait(_TICK):
                if self._stop.is_set():
                    raise Stopped
                if not self._seconds_left():
                    raise OutOfTime
        finally:
            given_up.set()
        if isinstance(came[0], Exception):
            raise came[0]
        return came[0]


def _answer(
    model: BaseChatModel,
    said: Sequence[BaseMessage],
    tools: Sequence[dict[str, Any]],
    forced: str | None,
    seconds: float | None,
    given_up: threading.Event,
) -> AIMessage:
    """The model's message, read as a stream where the model streams, so that giving up hangs up."""
    asked: Runnable[Any, AIMessage] = model
    if tools:
        asked = model.bind_tools(list(tools), **({"tool_choice": forced} if forced else {}))
    # The transport's own limit is just above what is left of the turn's: a thread that is left alone ends
    # too, and never so early that the turn's end is told as a server's fault.
    limits: dict[str, Any] = {}
    if seconds is not None and hasattr(model, "request_timeout"):
        limits["timeout"] = seconds + 1
    if not getattr(model, "streaming", False):
        return asked.invoke(list(said), **limits)
    whole: AIMessageChunk | None = None
    for chunk in asked.stream(list(said), **limits):
        if given_up.is_set():
            raise Stopped
        if isinstance(chunk, AIMessageChunk):
            whole = chunk if whole is None else whole + chunk
    if whole is None or not whole.response_metadata.get("finish_reason"):
        raise CutStream("The stream ended before the model said that it had finished.")
    return whole_message(whole)


def _cause(error: Exception) -> str:
    """For the log, without the key that some servers repeat: their own words, or where our side broke."""
    known = is_known(error)
    return without_key(f"{type(error).__name__}: {error}" if known else f"\n{traceback.format_exc()}")

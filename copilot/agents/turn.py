"""A turn that goes on: opened and closed the same way for every agent, whatever happens between.

Why a loop of our own and not LangChain's `create_agent`: calls must go through Session.call_tool one after
another and be told at once; a stop and the wall-clock budget must end the turn while a model hangs, which
no middleware can, as it runs around the model's call and not beside it; and a reply is stored however the
turn ends, also when its reader goes away. create_agent would be a second loop for the one agent it fits
(react), and its import adds 0.3 s of CPU to the 0.9 s of this module's, in a command that may take 3 s. What
LangChain defines is used where it is one mechanism for all: messages, tool calls, models, their errors.
"""

from __future__ import annotations

import logging
import re
import threading
import traceback
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import suppress
from functools import cached_property
from typing import TYPE_CHECKING, Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, ToolMessage

from copilot import approval
from copilot.agents.asking import Asking, OutOfTime, Stopped, Tools, Unanswered
from copilot.agents.budget import Budget, Spent
from copilot.agents.faults import NO_ANSWER, OURS
from copilot.agents.shown import FIND_TOOLS, ToolsShown
from copilot.bounds import SessionFull, TooMuch, kept, too_much
from copilot.language.checking import left_out
from copilot.language.trial import trial
from copilot.messages.identifying import foreign, in_their_words
from copilot.models import without_key
from copilot.prompts import (
    aside,
    call_message,
    files_told,
    messages,
    observation_message,
    shortened,
    system_message,
)
from data.catalogue.base import CatalogueError
from state.codec import canonical
from state.log import Event, Outcome, Turn
from state.store import StoreUnavailable
from tools.phrases import listed, number_of

if TYPE_CHECKING:
    from copilot.session import Session

STOPPED = "Stopped. What was done so far stands."
CIRCLE = "Stopped: the same call came again without any effect."
SHORTENED = "The earlier conversation is left out: it is longer than the model can read."
LAST_CALLS = 4
"""With so many calls left, a model is told to come to an end."""
MAX_SAID_CHARS = 16_000
"""How much of one answer or thought is kept: more than anybody reads, and less than what fills a disk."""

_log = logging.getLogger(__name__)


class Ended(Exception):
    """How a turn ended: what an agent's steps return, or raise from wherever they are."""

    def __init__(self, reply: str, outcome: Outcome, *, for_good: bool = True) -> None:
        super().__init__(reply)
        self.reply, self.outcome = reply, outcome
        self.for_good = for_good
        """False where another try could end otherwise: neither the model failed nor the budget is spent."""


Steps = Generator[Event, None, Ended]
"""What an agent does between the request and the reply."""


def run_turn(
    steps: Callable[[OpenTurn], Steps],
    session: Session,
    request: str,
    model: BaseChatModel,
    *,
    source: str,
    stop: threading.Event,
    budget: Budget | None = None,
    shots: int = 0,
    fallback: Callable[[], BaseChatModel | None] = lambda: None,
) -> Iterator[Event]:
    """Answer one request, giving each event after it is stored.

    However it ends, also when the reader of this generator goes away in the middle, a reply is stored.
    """
    opened = session.begin(kept(request), source)
    if (sentence := too_much(request)) is not None:
        closed = session.end(opened.turn, sentence, "rejected", 0.0)
        yield from (opened, closed)
        return
    if (sentence := _not_read(request, session, model)) is not None:
        closed = session.end(opened.turn, sentence, "rejected", 0.0)
        yield from (opened, closed)
        return
    turn = OpenTurn(session, opened, model, source, stop, budget or Budget(), fallback)
    ended = Ended(STOPPED, "stopped")
    try:
        yield opened
        turn.open(shots)
        yield from turn.approved()
        ended = yield from (steps if turn.chosen is None else _taken_up)(turn)
    except Ended as end:
        ended = end
    except (CatalogueError, SessionFull, StoreUnavailable) as error:
        ended = Ended(error.public if isinstance(error, StoreUnavailable) else str(error), "failed")
    except Exception:
        # Our side failed: the user gets a sentence, the log the traceback.
        _log.error(
            "turn %s of session %s failed\n%s", opened.turn, session.id, without_key(traceback.format_exc())
        )
        ended = Ended(OURS, "failed")
    finally:
        ended = _with_set_aside(ended, session, request)
        spent = turn.spent
        counts = spent.counts(here=getattr(turn.asking.model, "answers_here", False))
        closed = session.end(opened.turn, ended.reply, ended.outcome, spent.seconds, spent.usage, counts)
    yield closed


def _not_read(request: str, session: Session, model: BaseChatModel) -> str | None:
    """What is said of a request in a language that is not read here; None where it is read.

    A served model reads other languages. What answers a question may be a name in any of them.
    """
    if not getattr(model, "answers_here", False) or session.state.ui.question is not None:
        return None
    code = foreign(request)
    return None if code is None else in_their_words(code)


def _with_set_aside(ended: Ended, session: Session, request: str) -> Ended:
    """The end, with what is said of broken data sets that the request names: no model is told of them."""
    words = set(re.findall(r"[a-z0-9_-]+", request.casefold()))
    with suppress(CatalogueError, StoreUnavailable):
        for each in session.catalogue.set_aside():
            if each.name in words and each.sentence not in ended.reply:
                ended = Ended(f"{ended.reply} {each.sentence}", ended.outcome, for_good=ended.for_good)
    return ended


def _taken_up(turn: OpenTurn) -> Steps:
    """The choice that was made of those a tool offered goes back to that tool, which goes on with it."""
    assert turn.chosen is not None
    event = turn.call(*turn.chosen, "")
    yield event
    turn.check(event)
    return Ended(event.text, "done" if event.ok else "failed")


class OpenTurn:
    """One turn as it goes on: the messages so far, what was called, and what is left of the budget."""

    def __init__(
        self,
        session: Session,
        opened: Event,
        model: BaseChatModel,
        source: str,
        stop: threading.Event,
        budget: Budget,
        fallback: Callable[[], BaseChatModel | None],
    ) -> None:
        self.session, self.number, self.request = session, opened.turn, opened.text
        self.source, self.stop = source, stop
        self.spent, self._before = Spent(budget), session.state
        if getattr(model, "tries_first", False):
            model = model.model_copy(update={"trial": trial(session), "columns": session.columns})
        self.asking = Asking(model, fallback, stop, lambda: self.spent.seconds_left)
        self.said: list[BaseMessage] = []
        self._asked: BaseMessage | None = None
        """The request among the messages."""
        self.guidance = ""
        """What the agent adds to the rules for its present step."""
        self.calls: list[Event] = []
        self.shown = ToolsShown(session, self.request)
        self._without_effect: set[str] = set()
        self._warned = False
        self._past: list[Turn] = []
        self._first_call, self._first_step = 0, 0
        """Where the present try began."""

    def open(self, shots: int) -> None:
        """Gather what the model is shown: worked examples if wanted, the conversation, the request."""
        self._past = [turn for turn in self.session.turns if turn.number < self.number]
        shown: list[BaseMessage] = []
        if shots:
            from copilot.agents.shots import examples  # loads the encoder and a bank, which few turns want

            shown = examples(self.session, self.request, shots)
        self.said = messages(self.session.state, self.session.engine.clock(), self._past, self.request, shown)
        self._asked = self.said[-1]

    def approved(self) -> Iterator[Event]:
        """Run the call that the turn before has asked about, where the request allows it.

        Raises Ended where it does not, and where the model has nothing to add to what the call came to.
        """
        asked = approval.waiting(self.session.events, self.number)
        said = approval.answered(self.request) if asked is not None else None
        if asked is None or said is None:
            return
        if said == approval.NO:
            raise Ended(f"{asked.tool} was not run.", "done")
        call_id = str(asked.seq)
        self.said.append(call_message(asked.tool, asked.args, call_id))
        event = self.call(asked.tool, asked.args, call_id, approved=True)
        yield event
        if getattr(self.asking.model, "answers_here", False):
            raise Ended(event.text, "done" if event.ok else "failed")

    # -- asking -------------------------------------------------------------------------------

    def ask(self, tools: Tools = lambda _: (), forced: str | None = None, *, last: bool = False) -> AIMessage:
        """The model's next message. Raises Ended when the turn is stopped, over, or cannot be answered.

        The `last` one may be asked for when all calls were made.
        """
        if self.stop.is_set():
            raise Ended(STOPPED, "stopped")
        if (limit := self.spent.over(calls=not last)) is not None:
            raise Ended(limit, "failed")
        files = files_told(self.session.state, self._past)
        self.said[0] = system_message(self.session.state, self.session.engine.clock(), self.guidance, files)
        try:
            answer = self._ask(tools, forced)
        except Stopped:
            raise Ended(STOPPED, "stopped") from None
        except TooMuch as refused:
            raise Ended(str(refused), "rejected") from None
        except OutOfTime:
            self.spent.unanswered = not self.spent.rounds
            raise Ended(self.spent.out_of_time(), "failed") from None
        except Unanswered as failure:
            self.spent.unanswered = not failure.too_long  # a prompt that is too long was heard
            raise Ended(str(failure), "failed") from None
        self.spent.take(self.said, answer, self.asking.cost_usd(answer), self.asking.bound)
        return answer

    def _ask(self, tools: Tools, forced: str | None) -> AIMessage:
        """The model's next message; without the earlier conversation where that makes the prompt too long."""
        try:
            return self.asking.ask(shortened(self.said), tools, forced)
        except Unanswered as failure:
            earlier = next(place for place, each in enumerate(self.said) if each is self._asked)
            if not failure.too_long or earlier == 1:
                raise
            del self.said[1:earlier]
            self.asking.news.append(SHORTENED)
            return self.asking.ask(shortened(self.said), tools, forced)

    def think(self, text: str) -> Event:
        """Put on record what the model thinks, or what the user should know of how it is asked."""
        return self.session.think(self.number, _readable(text), self.spent.usage)

    def converse(
        self, tools: Tools | None = None, *, one_at_a_time: bool = False
    ) -> Generator[Event, None, AIMessage]:
        """Ask, make the calls, and again, until the model answers without any: that answer."""
        while True:
            self._warn()
            last = self.spent.steps >= self.spent.budget.steps
            answer = self.last_word() if last else self.ask(tools or self.shown.schemas)
            yield from self.noted(answer)
            if not answer.tool_calls and not answer.invalid_tool_calls:
                return answer
            yield from self._run_calls(answer, one_at_a_time)

    def last_word(self) -> AIMessage:
        """The model's answer when no call is left. Raises Ended where it makes one all the same."""
        limit = self.spent.over() or ""
        self.said.append(
            aside("No call is left in this turn. Answer now, in words: what is done, and what is left.")
        )
        answer = self.ask(last=True)
        if answer.tool_calls or answer.invalid_tool_calls:
            raise Ended(limit, "failed")
        return answer

    def _warn(self) -> None:
        """Tell a model once, before its calls are used up, to end with what it has."""
        left = self.spent.budget.steps - self.spent.steps
        if not self._warned and 0 < left <= LAST_CALLS and self.spent.steps:
            self._warned = True
            self.said.append(
                aside(
                    f"{number_of(left, 'more call')} can be made in this turn. Finish with what you have, "
                    "and answer: what is done, and what is left."
                )
            )

    def noted(self, answer: AIMessage) -> Iterator[Event]:
        """Keep an answer among the messages; what it says beside its calls, and its cost, go on record."""
        for news in self.asking.news:
            yield self.think(news)
        self.asking.news.clear()
        self.said.append(answer)
        calling = answer.tool_calls or answer.invalid_tool_calls
        if calling and (answer.text.strip() or answer.usage_metadata):
            yield self.think(answer.text.strip())

    def answered(self, answer: AIMessage) -> Ended:
        """The end that an answer makes; a turn in which nothing worked has failed, whatever it says."""
        refusal = answer.additional_kwargs.get("refusal")
        if refusal or answer.response_metadata.get("finish_reason") == "content_filter":
            why = f": {str(refusal).strip()}" if refusal else "; its provider blocked the answer."
            return Ended(_readable(f"The model refuses this request{why}"), "rejected")
        if not answer.text.strip():
            return Ended(NO_ANSWER, "failed")
        made = self.spent.steps - self._first_step
        worked = [each for each in self.calls[self._first_call :] if each.ok]
        reply = _readable(answer.text)
        if not getattr(self.asking.model, "answers_here", False):  # which says itself what it left out
            reply += self._left_out(worked)
        return Ended(reply, "failed" if made and not worked else "done", for_good=False)

    def _left_out(self, worked: Sequence[Event]) -> str:
        """What is said of values that the request names and no call has, whatever the model says."""
        calls = [(each.tool, each.args) for each in worked if each.tool is not None]
        named = left_out(self.request, calls, self._before, self.session.engine)
        return f" No call used {listed([f'“{each}”' for each in named])}." if named else ""

    def try_again(self) -> None:
        """Begin another try: what the one before did counts neither as work nor as a circle."""
        self._first_call, self._first_step = len(self.calls), self.spent.steps
        self._without_effect.clear()

    # -- calling ------------------------------------------------------------------------------

    def call(self, tool: str, args: dict[str, Any], call_id: str, *, approved: bool = False) -> Event:
        """Make one call, and tell the model what it came to. Raises Ended when it ends the turn."""
        if self.stop.is_set():
            raise Ended(STOPPED, "stopped")
        if self.spent.steps >= self.spent.budget.steps:
            raise Ended(self.spent.over() or "", "failed")
        self.spent.steps += 1
        event = self.session.call_tool(tool, args, source=self.source, turn=self.number, approved=approved)
        if tool in self.session.toolbox and self.session.toolbox.get(tool).long_running:
            self.spent.worked += event.seconds
        self.calls.append(event)
        self.said.append(observation_message(event, call_id, len(self.calls)))
        return event

    def check(self, event: Event) -> None:
        """Raise Ended when a call that was told of is the turn's last, or waits for the user's word."""
        if event.data.get(approval.WAITS):
            asked = {
                "question": approval.question(self.session.toolbox, event),
                "choices": list(approval.CHOICES),
            }
            event = self.session.call_tool("ask_user", asked, source=self.source, turn=self.number)
        if event.ok and self._asks(event.tool) and self.session.state.ui.question is not None:
            raise Ended(event.text, "asked")
        if event.ok and event.tool == "reject_task":
            raise Ended(event.text, "rejected")
        if self._goes_in_circles(event):
            raise Ended(CIRCLE, "failed", for_good=False)

    def _run_calls(self, answer: AIMessage, one_at_a_time: bool) -> Iterator[Event]:
        for broken in answer.invalid_tool_calls:
            self.spent.steps += 1
            self.spent.malformed += 1
            self.tell(
                broken["id"],
                f"The arguments of {broken['name']} are no JSON object; send the call again, written right.",
            )
        waiting = list(answer.tool_calls)
        try:
            while waiting and self.spent.steps < self.spent.budget.steps:
                call = waiting.pop(0)
                if call["name"] == FIND_TOOLS:
                    self.spent.steps += 1
                    self.tell(call["id"], self.shown.more(str(call["args"].get("query", ""))), "success")
                    continue
                event = self.call(call["name"], call["args"], call["id"] or "")
                self.shown.add(call["name"])
                yield event
                self.check(event)
                if one_at_a_time:
                    break
        finally:
            # Every call of a message has its answer: a model is asked again by some agents after an end.
            for call in waiting:
                self.tell(call["id"], "Not run: one call at a time." if one_at_a_time else "Not run.")

    def tell(self, call_id: str | None, text: str, status: str = "error") -> None:
        """Answer a call of the model's that is not put through the session."""
        told = ToolMessage(text, tool_call_id=call_id or "")
        told.status = "success" if status == "success" else "error"
        self.said.append(told)

    def _asks(self, tool: str) -> bool:
        return tool in self.session.toolbox and self.session.toolbox.get(tool).asks

    @cached_property
    def chosen(self) -> tuple[str, dict[str, Any]] | None:
        """The call that takes the user's choice, where a tool offered choices and the request is one of them.

        A model that is served reads the conversation, and may have been in the middle of something.
        """
        question = self._before.ui.question
        past = [turn for turn in self.session.turns if turn.number < self.number]
        if question is None or not past or not getattr(self.asking.model, "answers_here", False):
            return None
        said = self.request.strip().casefold()
        choice = next((each for each in question.choices if each.casefold() == said), None)
        last = past[-1].calls[-1] if past[-1].calls else None
        if choice is None or last is None or not last.ok or not self._asks(last.tool):
            return None
        takes = self.session.toolbox.get(last.tool).answer
        return (last.tool, {takes: choice}) if takes is not None else None

    def _goes_in_circles(self, event: Event) -> bool:
        """Whether the very call was made in this state before, and changed nothing either time."""
        if event.state is not None:
            return False
        key = canonical([event.tool, event.args, event.hash])
        seen = key in self._without_effect
        self._without_effect.add(key)
        return seen


def _readable(text: str) -> str:
    """A model's words, cut where a runaway answer would fill the store and the page, and without the key.

    No model is shown the key, but a server that is set up wrongly may answer with what it was sent.
    """
    text = without_key(text)
    return text if len(text) <= MAX_SAID_CHARS else f"{text[:MAX_SAID_CHARS]}… (cut)"

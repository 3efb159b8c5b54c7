"""How a model is asked: tried again, put to a second model, given up in time, and counted."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import httpx
import openai
import pytest
from langchain_core.exceptions import ContextOverflowError, ModelRateLimitError, ModelTimeoutError
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage, HumanMessage

from copilot.agents import NAMES, asking, get_agent
from copilot.agents.asking import Asking, Unanswered
from copilot.agents.budget import Budget, Spent, Usage
from copilot.agents.faults import is_overflow, is_passing, retry_after, sentence
from copilot.planner.model import EmbeddedPlanner
from copilot.retrieval import shown_tools
from copilot.session import Session
from state.log import Event
from state.model import State
from tests.copilot.agents.conftest import go
from tests.copilot.scripted import Said, Scripted, calls
from tests.suite.waiting import LIMIT_S


@pytest.fixture(scope="module", autouse=True)
def warm() -> None:
    """Load what picks the tools before the first turn: it takes seconds, and these turns are timed."""
    shown_tools("zoom in", State())


@pytest.fixture(autouse=True)
def no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asking, "DELAYS", (0.01, 0.01))


def refused(status: int, **headers: str) -> openai.APIStatusError:
    """The client's error for a status, with the server's headers."""
    response = httpx.Response(status, headers=headers, request=httpx.Request("POST", "http://model.test/v1"))
    return openai.APIStatusError(f"refused with {status}", response=response, body=None)


def asker(*says: Said, fallback: Scripted | None = None) -> Asking:
    return Asking(Scripted(*says), lambda: fallback, threading.Event(), lambda: 5.0)


def used(message: AIMessage, prompt: int, completion: int) -> AIMessage:
    message.usage_metadata = {
        "input_tokens": prompt,
        "output_tokens": completion,
        "total_tokens": prompt + completion,
    }
    return message


# -- trying again -----------------------------------------------------------------------------


def test_what_passes_is_asked_again_and_what_does_not_is_not() -> None:
    passing = asker(ConnectionError("reset"), TimeoutError("slow"), AIMessage("There."))
    assert passing.ask([HumanMessage("Go on.")]).text == "There."
    lasting = asker(ValueError("no choices"), AIMessage("never"))
    with pytest.raises(Unanswered, match="Nothing was lost; try again"):
        lasting.ask([HumanMessage("Go on.")])


def test_a_model_is_tried_three_times_and_no_more() -> None:
    model = Scripted(ConnectionError("reset"))
    with pytest.raises(Unanswered):
        Asking(model, lambda: None, threading.Event(), lambda: 5.0).ask([HumanMessage("Go on.")])
    assert len(model.heard) == 3


def test_the_time_a_server_asks_to_wait_is_kept_in_seconds_or_as_a_date() -> None:
    soon = format_datetime(datetime.now(UTC) + timedelta(seconds=90), usegmt=True)
    waits = [retry_after(refused(429, **{"Retry-After": each})) for each in ("7", "0.5", soon, "later", "-3")]
    assert waits[:2] == [7.0, 0.5] and waits[3:] == [None, 0.0]
    assert waits[2] is not None and 80 < waits[2] <= 90
    assert retry_after(refused(429)) is None and retry_after(ValueError("no response")) is None


class Busy(openai.RateLimitError, ModelRateLimitError):
    """What LangChain makes of the client's error for a status 429."""


def test_a_wait_that_is_longer_than_the_turn_may_last_ends_it_at_once(session: Session) -> None:
    response = httpx.Response(
        429, headers={"Retry-After": "3600"}, request=httpx.Request("POST", "http://model.test/v1")
    )
    went = go(session, "direct", Busy("busy", response=response, body=None))
    assert len(went.model.heard) == 1
    assert went.answer.reply.endswith("(429). Nothing was lost; try again in 3600 s.")


@pytest.mark.parametrize(
    ("error", "passing", "said"),
    [
        (ConnectionError("reset"), True, "The model could not be reached"),
        (ModelTimeoutError("slow"), True, "The model did not answer in time."),
        (httpx.RemoteProtocolError("peer closed"), True, "The model could not be reached"),
        (ContextOverflowError("too long"), False, "The conversation is longer than the model can read."),
        (refused(418), False, "The model's server refused the request (418)"),
        (refused(502), False, "The model's server failed (502)."),
        (ValueError("no choices"), False, "The model could not be reached"),
    ],
)
def test_each_fault_has_its_sentence(error: Exception, passing: bool, said: str) -> None:
    assert is_passing(error) is passing and sentence(error).startswith(said)


def test_a_prompt_that_is_too_long_is_known_by_its_words_where_the_server_has_no_code() -> None:
    def bad(text: str) -> openai.APIStatusError:
        response = httpx.Response(400, request=httpx.Request("POST", "http://model.test/v1"))
        return openai.BadRequestError(text, response=response, body=None)

    assert is_overflow(bad("the request exceeds the available context size")) is True
    assert is_overflow(bad("Unsupported parameter")) is False
    assert is_overflow(ValueError("context length")) is False


def test_a_server_that_lets_no_tool_be_forced_is_asked_without(session: Session) -> None:
    form = calls(("submit_plan", {"calls": [{"tool": "zoom_map", "args": {"level": 4}}]}))
    went = go(session, "cot", refused(400), form, AIMessage("There."))
    assert went.ended == ("done", "There.") and went.tools == ["zoom_map"]
    assert went.model.forced == ["submit_plan", None, None]


# -- another model ----------------------------------------------------------------------------


def test_a_second_model_goes_on_where_the_first_fails_and_stays(session: Session) -> None:
    second = Scripted(calls(("zoom_map", {"level": 4})), AIMessage("There."))
    went = go_with_fallback(session, Scripted(ConnectionError("down")), second)
    assert [each.kind for each in went] == ["request", "thought", "call", "reply"]
    assert went[1].text.endswith("Nothing was lost; try again. Going on with scripted.")
    assert session.answer().reply == "There." and len(second.heard) == 2


def test_a_second_model_that_fails_too_ends_the_turn(session: Session) -> None:
    down = Scripted(ConnectionError("down"))
    go_with_fallback(session, down, Scripted(ContextOverflowError("too long")))
    assert session.answer().reply.startswith("The conversation is longer than the model can read.")
    assert len(down.heard) == 3


def go_with_fallback(session: Session, first: Scripted, second: Scripted) -> list[Event]:
    run = get_agent("direct")
    return list(run(session, "Go on.", first, source="chat", stop=threading.Event(), fallback=lambda: second))


@pytest.mark.parametrize("shots", [0, 2])
def test_a_conversation_that_is_too_long_is_left_out_before_the_turn_is_given_up(
    session: Session, shots: int
) -> None:
    for level in (4, 5, 6):
        session.ask(f"zoom to level {level}")

    def short_sighted(heard: list[BaseMessage]) -> AIMessage:
        if len(heard) > 2:
            raise ContextOverflowError("too long")
        return AIMessage("There.")

    went = go(session, "direct", short_sighted, shots=shots)
    assert went.ended == ("done", "There.")
    assert went.thoughts == ["The earlier conversation is left out: it is longer than the model can read."]


def test_a_turn_that_is_too_long_by_itself_ends_with_a_sentence(session: Session) -> None:
    session.ask("zoom to level 4")
    went = go(session, "direct", ContextOverflowError("too long"))
    assert went.answer.reply.startswith("The conversation is longer than the model can read.")
    assert len(went.model.heard) == 2


# -- time and stopping ------------------------------------------------------------------------


def test_a_stop_ends_a_turn_while_its_model_hangs(session: Session) -> None:
    stop, free = threading.Event(), threading.Event()

    def hang(heard: list[BaseMessage]) -> AIMessage:
        threading.Timer(0.2, stop.set).start()
        free.wait()
        return AIMessage("too late")

    answer = session.ask("Go on.", model=Scripted(hang), stop=stop)
    free.set()
    assert (answer.outcome, answer.reply) == ("stopped", "Stopped. What was done so far stands.")


def test_a_turn_whose_model_hangs_ends_with_its_time(session: Session) -> None:
    free = threading.Event()

    def hang(heard: list[BaseMessage]) -> AIMessage:
        free.wait()
        return AIMessage("too late")

    answer = session.ask("Go on.", model=Scripted(hang), budget=Budget(seconds=0.3))
    free.set()
    assert answer.reply == "Stopped after 0 s without an answer; what was done so far stands."


def test_a_stop_ends_the_wait_between_two_tries(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asking, "DELAYS", (3600.0, 3600.0))
    stop = threading.Event()
    threading.Timer(0.2, stop.set).start()
    answer = session.ask("Go on.", model=Scripted(ConnectionError("down")), stop=stop)
    assert answer.outcome == "stopped"


class Streaming(Scripted):
    """Says a text word by word, and counts what was heard of it."""

    streaming: bool = True
    said: int = 0
    ends: bool = True
    words: tuple[str, ...] = ("one ", "two ", "three")
    begun: threading.Event = threading.Event()
    left: threading.Event = threading.Event()

    def stream(self, *args: Any, **kwargs: Any) -> Iterator[AIMessageChunk]:
        try:
            for word in self.words:
                self.said += 1
                self.begun.set()
                yield AIMessageChunk(word)
            if self.ends:
                yield AIMessageChunk("", response_metadata={"finish_reason": "stop"})
        finally:
            self.left.set()

    def bind_tools(self, *args: Any, **kwargs: Any) -> Any:
        return self


def test_a_model_that_streams_is_read_as_it_speaks(session: Session) -> None:
    assert session.ask("Go on.", model=Streaming()).reply == "one two three"


def test_a_stream_that_ends_before_the_model_does_is_no_answer(session: Session) -> None:
    model = Streaming()
    model.ends = False
    answer = session.ask("Go on.", model=model)
    assert answer.outcome == "failed" and model.said == 9  # three tries of three words


def test_a_stop_hangs_up_in_the_middle_of_a_stream(session: Session) -> None:
    model, stop = Streaming(), threading.Event()
    model.words, model.begun = ("word ",) * 1_000_000, stop  # minutes of words, and a stop at the first
    model.left = threading.Event()
    answer = session.ask("Go on.", model=model, stop=stop)
    assert answer.outcome == "stopped"
    assert model.left.wait(LIMIT_S) and model.said < 1_000_000


# -- counting ---------------------------------------------------------------------------------


def test_tokens_are_split_and_told_with_every_step(session: Session) -> None:
    went = go(
        session,
        "direct",
        used(calls(("zoom_map", {"level": 4})), 100, 20),
        used(AIMessage("There."), 150, 5),
    )
    thought = next(each for each in went.events if each.kind == "thought")
    assert (thought.text, thought.tokens) == ("", 120)
    assert thought.data == {"prompt_tokens": 100, "completion_tokens": 20}
    answer = went.answer
    assert (answer.tokens, answer.prompt_tokens, answer.completion_tokens) == (275, 250, 25)
    assert answer.cost_usd is None
    assert answer.to_json()["usage"] == {"prompt_tokens": 250, "completion_tokens": 25}
    assert (answer.rounds, answer.malformed_calls, answer.estimated_tokens) == (2, 0, 0)


def test_a_cost_is_told_only_where_every_part_of_it_is_known() -> None:
    spent = Spent()
    said: list[BaseMessage] = [HumanMessage("Go on.")]
    spent.take(said, used(AIMessage("a"), 100, 20), 0.25)
    spent.take(said, used(AIMessage("b"), 100, 20), 0.5)
    assert spent.usage == Usage(200, 40, 0.75)
    spent.take(said, used(AIMessage("c"), 100, 20), None)
    spent.take(said, used(AIMessage("d"), 100, 20), 0.5)
    assert spent.usage == Usage(400, 80, None)


def test_the_token_limit_holds_for_a_server_that_counts_none(session: Session) -> None:
    long = calls(("zoom_map", {"level": 4}))
    long.content = "word " * 4000
    went = go(session, "direct", long, budget=Budget(tokens=3000))
    assert went.answer.outcome == "failed" and " tokens without an answer" in went.answer.reply
    assert went.answer.tokens == 0 and len(went.model.heard) == 1
    assert went.answer.estimated_tokens >= 3000


def test_the_tools_that_are_sent_count_among_the_estimated_tokens() -> None:
    spent, sent = Spent(), Spent()
    spent.take([HumanMessage("Go on.")], AIMessage("a"), None)
    sent.take([HumanMessage("Go on.")], AIMessage("a"), None, [{"name": "zoom_map", "about": "x" * 4000}])
    assert 1000 <= sent.unreported - spent.unreported <= 1020


def test_what_a_server_says_is_kept_without_the_key(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-0123456789abcdef0123")
    echo = calls(("zoom_map", {"level": 4}))
    echo.content = "You sent sk-0123456789abcdef0123."
    went = go(session, "direct", echo, AIMessage("It was sk-0123456789abcdef0123."))
    assert (went.thoughts, went.answer.reply) == (["You sent ***."], "It was ***.")
    monkeypatch.setenv("OPENAI_API_KEY", "ollama")
    assert go(session, "direct", AIMessage("This is ollama.")).answer.reply == "This is ollama."


@pytest.mark.parametrize("agent", NAMES)
def test_the_embedded_planner_can_be_the_second_model_of_any_agent(session: Session, agent: str) -> None:
    run = get_agent(agent)
    list(
        run(
            session,
            "show the fmow images around Lyon as a heat map, then open the trace panel",
            Scripted(ConnectionError("down")),
            source="chat",
            stop=threading.Event(),
            fallback=lambda: EmbeddedPlanner.on(session.engine),
        )
    )
    answer = session.answer()
    assert answer.outcome == "done" and answer.calls[-1].tool == "open_panel"
    assert [each.kind for each in session.state.map.layers] == ["heatmap"]

"""Worked examples: the nearest of the user's own confirmed turns and of the bank, marked as examples."""

from __future__ import annotations

from pathlib import Path

import pytest
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage

from copilot.agents.shots import Example, bank, confirmed, examples
from copilot.engine import Engine
from copilot.prompts import is_request
from copilot.session import Session
from tests.copilot.agents.conftest import go
from tests.e2e.conftest import sample_catalogue
from tests.suite.walking import walks
from tools.run import validated
from tools.toolbox import toolbox

__all__ = ["sample_catalogue"]


def confirm(session: Session, request: str, rating: str = "up") -> None:
    """Ask something and rate the answer."""
    session.ask(request)
    assert session.call("record_feedback", rating=rating).ok


def requests(shown: list[BaseMessage]) -> list[str]:
    return [each.text for each in shown if isinstance(each, HumanMessage)]


# -- the bank ---------------------------------------------------------------------------------


def test_the_bank_has_forty_examples_each_with_a_request_of_its_own() -> None:
    asked = {each.request.lower() for each in bank()}
    assert len(asked) == len(bank()) >= 40


@walks("example", bank(), lambda each: each.request[:40])
def test_every_call_of_the_bank_is_one_its_tool_takes(example: Example) -> None:
    assert example.calls and example.reply
    for call in (*example.setup, *example.calls):
        validated(toolbox().get(call["tool"]), call.get("args", {}))


def test_the_examples_use_many_tools() -> None:
    assert len({call["tool"] for each in bank() for call in each.calls}) >= 40


@pytest.mark.slow
def test_every_example_runs_on_the_sample(sample_catalogue: Path) -> None:
    engine = Engine.in_memory(str(sample_catalogue))
    failed = []
    for example in bank():
        session = Session.open(engine=engine)
        for call in (*example.setup, *example.calls):
            event = session.call(call["tool"], **call.get("args", {}))
            if not event.ok:
                failed.append((example.request, event.text))
    assert failed == []


# -- choosing ---------------------------------------------------------------------------------


def test_the_nearest_is_shown_last_and_marked_as_an_example(session: Session) -> None:
    shown = examples(session, "please undo this", 2)
    said = requests(shown)
    assert len(said) == 2 and said[0].startswith("Example 1, no part of this conversation")
    assert said[1] == "Example 2, no part of this conversation (there: a heat map was just drawn): undo that"
    assert not any(is_request(each) for each in shown)
    last = shown[-3:]
    assert [each.type for each in last] == ["ai", "tool", "ai"]
    assert isinstance(last[0], AIMessage) and last[0].tool_calls[0]["name"] == "undo"


def test_a_confirmed_turn_of_the_same_user_is_an_example(engine: Engine) -> None:
    confirm(Session.open(engine=engine), "xview1 pictures near Pittsburgh, on a dark map")
    now = Session.open(engine=engine)
    (last,) = requests(examples(now, "xview1 pictures near Pittsburgh on a dark map", 1))
    assert last.endswith("xview1 pictures near Pittsburgh, on a dark map")
    (found,) = confirmed(now)
    assert found.calls[0] == {"tool": "db_load", "args": {"names": ["xview1"]}} and found.reply


def test_only_a_thumbs_up_that_stands_makes_an_example(engine: Engine) -> None:
    first, second, third = (Session.open(engine=engine) for _ in range(3))
    confirm(first, "show the fmow images", rating="down")
    confirm(second, "show the fair1m images")
    assert second.call("record_feedback", rating="down", turn=1).ok
    third.ask("show the xview1 images")
    assert list(confirmed(Session.open(engine=engine))) == []


def test_nobody_is_shown_what_others_confirmed(engine: Engine) -> None:
    theirs = Session.open(engine=engine, owner="somebody-else")
    confirm(theirs, "show the fmow images")
    copied = Session.open_shared(theirs.share(), owner="me", engine=engine)
    assert copied.row.owner == "me" and len(copied.turns) == 2
    assert list(confirmed(Session.open(engine=engine, owner="me"))) == []
    assert len(list(confirmed(Session.open(engine=engine, owner="somebody-else")))) == 1


def test_a_session_is_no_example_of_itself(session: Session) -> None:
    confirm(session, "show the fmow images")
    assert list(confirmed(session)) == []


# -- showing ----------------------------------------------------------------------------------


@pytest.mark.parametrize("agent", ["direct", "react"])
def test_a_model_hears_the_examples_before_the_request(session: Session, agent: str) -> None:
    went = go(session, agent, AIMessage("There."), shots=3)
    (heard,) = went.model.heard
    said = [each for each in heard if isinstance(each, HumanMessage)]
    assert [is_request(each) for each in said] == [False, False, False, True]
    asked = [call["id"] for each in heard if isinstance(each, AIMessage) for call in each.tool_calls]
    assert len(asked) == len(set(asked))


def test_without_shots_nothing_is_added(session: Session) -> None:
    assert examples(session, "Go on.", 0) == []
    assert len(go(session, "direct", AIMessage("There.")).model.heard[0]) == 2

"""Which reader answers, and which of several plans is done."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from copilot.engine import Engine
from copilot.language.asking import WHICH_OF_THESE, in_words
from copilot.models import ModelNotConfigured, chat_model
from copilot.planner.cases import known_cases
from copilot.planner.model import EmbeddedPlanner
from copilot.planner.plan import Plan, Planner
from copilot.planner.situation import Call, Situation
from copilot.readers import VARIABLE, WorkedFirst, chosen_reader, reader
from copilot.session import Session
from state.codec import to_json
from state.model import State
from tests.tools.world import TODAY

COUNT = Plan((Call("db_count"),))
LOADED = Plan((Call("db_load", {"names": ["fmow"]}),))


@dataclass
class Known:
    """A reader that always has the same plan."""

    known: Plan

    def plan(self, request: str, situation: Situation) -> Plan:
        return self.known


def answered(engine: Engine, plan: Plan) -> tuple[Sequence[tuple[str, bool]], str]:
    """The calls that were made, each with whether it worked, and the reply."""
    session = Session.open(name="reads", engine=engine)
    model = EmbeddedPlanner(planner=Known(plan), catalogue=engine.catalogue, gazetteer=engine.gazetteer)
    answer = session.ask("whatever", model=model)
    return [(each.tool, each.ok) for each in session.events if each.tool], answer.reply


def test_the_planner_reads_unless_another_is_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    assert chosen_reader() == "planner"
    assert isinstance(reader("planner"), Planner)


def test_a_reader_that_is_not_there_is_said_before_anything_is_read(
    engine: Engine, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv(VARIABLE, "oracle")
    with pytest.raises(ModelNotConfigured, match="'oracle'; there are 'planner' and 'interpreter'"):
        chat_model("embedded", engine)
    monkeypatch.setenv(VARIABLE, "interpreter")
    monkeypatch.setattr("copilot.readers.WEIGHTS", tmp_path / "policy.npz")
    with pytest.raises(ModelNotConfigured, match=r"not at .*policy\.npz: learn them \(docs/language.md\)"):
        chat_model("embedded", engine)
    (tmp_path / "policy.npz").touch()
    assert chosen_reader() == "interpreter"


def test_what_a_worked_case_says_word_for_word_is_done_as_it_was(engine: Engine) -> None:
    either = WorkedFirst(known_cases(), Known(LOADED))
    beginning = Situation(to_json(State()), TODAY, engine.catalogue, engine.gazetteer)
    case = next(each for each in either.cases.cases if each.starts and not each.slots)
    planned = either.plan(case.wording, beginning)
    assert ([call.tool for call in planned.calls], planned.labels) == (
        [tool for tool, _ in case.calls],
        ("case",),
    )
    assert either.plan(f"{case.wording} on Sundays", beginning) == LOADED


def test_the_likeliest_plan_whose_calls_work_is_done(engine: Engine) -> None:
    calls, _ = answered(engine, Plan(COUNT.calls, instead=(LOADED,)))
    assert calls == [("db_load", True)]


def test_where_no_plan_works_the_likeliest_says_why_not(engine: Engine) -> None:
    calls, reply = answered(engine, Plan(COUNT.calls, instead=(Plan((Call("hide_layer"),)),)))
    assert calls == [("db_count", False)]
    assert "load" in reply


def test_what_is_not_sure_enough_is_asked_about(engine: Engine) -> None:
    calls, reply = answered(engine, Plan(LOADED.calls, is_sure=False))
    assert calls == [("ask_user", True)]
    assert WHICH_OF_THESE in reply
    assert in_words(LOADED.calls, engine.toolbox) in reply


def test_where_nothing_works_that_is_not_sure_the_question_says_why(engine: Engine) -> None:
    lost = Plan((Call("db_load", {"names": ["fmow"]}), Call("filter_coords", {"place": "Qwertyville"})))
    calls, reply = answered(engine, replace(lost, is_sure=False))
    assert calls == [("ask_user", True)]
    assert "No place is called 'Qwertyville'." in reply
    assert "Is it one of these" not in reply

"""Which reader answers, and which of several plans is done."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from copilot.engine import Engine
from copilot.language.asking import WHICH_OF_THESE, in_words
from copilot.language.interpreter import TOO_LONG
from copilot.models import ModelNotConfigured, chat_model
from copilot.planner.cases import known_cases
from copilot.planner.model import EmbeddedPlanner
from copilot.planner.plan import Plan, Planner
from copilot.planner.situation import Call, PastTurn, Situation
from copilot.readers import VARIABLE, ByName, PlannerFirst, SecondOpinion, WorkedFirst, chosen_reader, reader
from copilot.session import Session
from state.codec import to_json
from state.model import State
from tests.tools.world import TODAY

COUNT = Plan((Call("db_count"),))
LOADED = Plan((Call("db_load", {"names": ["fmow"]}),))
LOST = Plan((Call("reject_task", {"reason": "'whatever' is outside what my tools do."}),))


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


def test_the_planner_reads_first_unless_another_is_set_or_the_weights_are_not_there(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    assert chosen_reader() == "planner_first"
    by_name = reader("planner")
    assert isinstance(by_name, ByName) and isinstance(by_name.reader, Planner)
    monkeypatch.setattr("copilot.readers.WEIGHTS", tmp_path / "policy.npz")
    assert chosen_reader() == "planner"


QUESTION = Plan((Call("ask_user", {"question": "Which one?"}),))
SHOWN = Plan((*LOADED.calls, Call("zoom_map", {"place": "Oslo"})))
UNSURE = replace(COUNT, is_sure=False, instead=(LOADED,))


@pytest.mark.parametrize(
    ("interpreter", "planner", "done"),
    [
        (LOADED, COUNT, LOADED),
        (UNSURE, LOADED, LOADED),
        (UNSURE, SHOWN, SHOWN),
        (UNSURE, Plan((Call("undo"),)), UNSURE),
        (UNSURE, replace(LOADED, notes=("I did not understand 'thither'.",)), UNSURE),
        (UNSURE, QUESTION, QUESTION),
        (UNSURE, LOST, UNSURE),
        (QUESTION, LOADED, QUESTION),
        (LOST, LOADED, LOST),
    ],
)
def test_what_the_interpreter_is_not_sure_of_is_done_as_the_planner_reads_it_where_both_want_the_same(
    engine: Engine, interpreter: Plan, planner: Plan, done: Plan
) -> None:
    beginning = Situation(to_json(State()), TODAY, engine.catalogue, engine.gazetteer)
    assert SecondOpinion(Known(interpreter), lambda: Known(planner)).plan("whatever", beginning) == done


@pytest.mark.parametrize(
    ("planner", "interpreter", "done"),
    [
        (LOADED, COUNT, LOADED),
        (LOST, COUNT, COUNT),
        (replace(LOADED, notes=("I did not understand 'thither'.",)), COUNT, COUNT),
        (LOST, replace(COUNT, is_sure=False), LOST),
        (LOST, QUESTION, LOST),
        (LOST, Plan(), LOST),
    ],
)
def test_what_the_planner_does_not_understand_the_interpreter_reads_where_it_is_sure(
    engine: Engine, planner: Plan, interpreter: Plan, done: Plan
) -> None:
    beginning = Situation(to_json(State()), TODAY, engine.catalogue, engine.gazetteer)
    assert PlannerFirst(Known(planner), lambda: Known(interpreter)).plan("whatever", beginning) == done


def test_a_choice_is_read_by_whose_question_it_answers(engine: Engine) -> None:
    both = SecondOpinion(Known(COUNT), lambda: Known(LOADED))
    for question, done in (("Which class?", LOADED), (WHICH_OF_THESE, COUNT)):
        asked = PastTurn("ships", (Call("ask_user", {"question": question, "choices": ["a ship"]}),), "")
        said = Situation(to_json(State()), TODAY, engine.catalogue, engine.gazetteer, [asked])
        assert both.plan("a ship", said) == done


def test_a_reader_that_is_not_there_is_said_before_anything_is_read(
    engine: Engine, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv(VARIABLE, "oracle")
    with pytest.raises(ModelNotConfigured, match="'oracle'; there are 'planner', 'interpreter', 'both'"):
        chat_model("embedded", engine)
    monkeypatch.setenv(VARIABLE, "interpreter")
    monkeypatch.setattr("copilot.readers.WEIGHTS", tmp_path / "policy.npz")
    with pytest.raises(ModelNotConfigured, match=r"not at .*policy\.npz: learn them \(docs/language.md\)"):
        chat_model("embedded", engine)
    (tmp_path / "policy.npz").touch()
    assert chosen_reader() == "interpreter"


def test_a_request_that_is_too_long_to_be_read_is_told_so(engine: Engine) -> None:
    beginning = Situation(to_json(State()), TODAY, engine.catalogue, engine.gazetteer)
    plan = reader("interpreter").plan("near " * 700, beginning)
    assert plan == Plan((Call("reject_task", {"reason": TOO_LONG}),))


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


def test_what_is_read_otherwise_than_it_is_written_is_told_where_a_selection_is_summed_up(
    engine: Engine,
) -> None:
    near = Call("filter_coords", {"place": "Rotterdm"})
    calls, reply = answered(engine, Plan((*LOADED.calls, near, Call("db_count"))))
    assert calls == [("db_load", True), ("filter_coords", True), ("db_count", True)]
    assert "'Rotterdm' was read as Rotterdam, South Holland, The Netherlands." in reply


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


def test_a_refusal_of_what_names_data_of_ones_own_is_left_to_the_planner(engine: Engine) -> None:
    beginning = Situation(to_json(State()), TODAY, engine.catalogue, engine.gazetteer)
    info = next(iter(beginning.datasets.values()))
    beginning.datasets["orchards"] = replace(info, name="orchards", origin="ingested")
    both = SecondOpinion(Known(LOST), lambda: Known(LOADED))
    assert both.interpreter.plan("load orchards", beginning) == LOST
    assert both.plan("load orchards", beginning) == LOADED
    assert both.plan("load vineyards", beginning) == LOST

"""Every agent with the embedded planner: the same end as the direct one, by the steps of its own way."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import Any

import pytest

from copilot.agents import NAMES
from copilot.engine import Engine
from copilot.planner.answer_first import Done
from copilot.planner.model import EmbeddedPlanner
from copilot.planner.plan import Plan
from copilot.planner.situation import Call, Situation
from copilot.planner.steps import submitted_reflection
from copilot.session import Answer, Session
from state.codec import to_json
from state.model import State
from tests.copilot.agents.conftest import check_whole
from tests.suite.walking import share

CONVERSATIONS = (
    ("show the fair1m images around Pittsburgh as a heat map and count them",),
    ("which class is most common in xview1? make a bar chart",),
    ("show the xview1 images around Pittsburgh", "now only 2019", "undo that"),
    ("show images in Springfield",),
    ("hello",),
    ("book me a flight to Lisbon",),
    ("load xview1 and show the first image, then export it as geojson",),
    ("draw a circle of 25 km around Lyon and count the fmow images in it",),
    ("fmow images as points, make them red and hide them",),
)


def asked(engine: Engine, turns: tuple[str, ...], **options: Any) -> tuple[Session, list[Answer]]:
    session = Session.open(engine=engine)
    answers = [session.ask(turn, **options) for turn in turns]
    check_whole(session)
    return session, answers


@pytest.mark.parametrize(
    ("agent", "turns"),
    [
        pytest.param(agent, turns, id=f"{agent}-{turns[-1][:30]}")
        for n, turns in enumerate(CONVERSATIONS)
        for agent in share([name for name in NAMES if name != "direct"], n, of=3)
    ],
)
def test_every_agent_ends_where_the_direct_one_does(
    engine: Engine, agent: str, turns: tuple[str, ...]
) -> None:
    direct, expected = asked(engine, turns)
    session, answers = asked(engine, turns, agent=agent)
    assert to_json(session.state) == to_json(direct.state)
    assert [(each.outcome, each.reply) for each in answers] == [
        (each.outcome, each.reply) for each in expected
    ]
    assert [[call.tool for call in each.calls] for each in answers] == [
        [call.tool for call in each.calls] for each in expected
    ]


@pytest.mark.parametrize("agent", NAMES)
def test_worked_examples_change_nothing_for_who_needs_none(engine: Engine, agent: str) -> None:
    turns = ("show the xview1 images around Pittsburgh", "now only 2019")
    without, _ = asked(engine, turns, agent=agent)
    with_them, _ = asked(engine, turns, agent=agent, shots=3)
    assert to_json(with_them.state) == to_json(without.state)


def thoughts(session: Session) -> list[str]:
    return [each.text for each in session.events if each.kind == "thought"]


@pytest.mark.parametrize(
    ("agent", "said"),
    [
        ("direct", []),
        (
            "react",
            [
                "Next: Load data sets of the catalogue, beside those that are loaded, then 1 more.",
                "Next: Plot the selection as clusters that show how many images lie there.",
            ],
        ),
        (
            "cot",
            [
                "Plan: db_load → cluster_plot. Load data sets of the catalogue, beside those that are "
                "loaded. Plot the selection as clusters that show how many images lie there."
            ],
        ),
        (
            "chameleon",
            [
                "Modules: database → map.",
                "database: Done so far: db_load. Next comes cluster_plot.",
                "map: 5 images ⁽²⁾ (sample data): fmow. On the map as clusters ⁽²⁾.",
            ],
        ),
        ("reflexion", []),
    ],
)
def test_each_way_shows_its_own_steps(engine: Engine, agent: str, said: list[str]) -> None:
    session, _ = asked(engine, ("plot the fmow images",), agent=agent)
    assert thoughts(session) == said


def test_rs_agent_infers_the_task_and_looks_its_solution_up(engine: Engine) -> None:
    session, _ = asked(engine, ("how many ships are there near Rotterdam?",), agent="rs-agent")
    (thought,) = thoughts(session)
    types, solutions = thought.removesuffix(".").split(". ")
    assert types.startswith("Task types: ") and solutions.startswith("Solutions: ")
    assert "object_count" in types and "object_count" in solutions


@dataclass
class Stubborn:
    """A planner that plans the same whatever it is asked, one call of which fails."""

    calls: tuple[Call, ...]

    def plan(self, request: str, situation: Situation) -> Plan:
        return Plan(self.calls)


def test_reflexion_takes_the_first_try_back_and_reaches_it_another_way(engine: Engine) -> None:
    calls = (
        Call("db_load", {"names": ["fmow"]}),
        Call("zoom_map", {"level": 5}),
        Call("filter_class", {"classes": ["airport"]}),
        Call("scatter_plot"),
    )
    model = EmbeddedPlanner.on(engine).model_copy(update={"planner": Stubborn(calls)})
    direct, reflected = Session.open(engine=engine), Session.open(engine=engine)
    assert direct.ask("plot the airports", model=model).calls[-1].ok is False
    answer = reflected.ask("plot the airports", model=model, agent="reflexion")
    check_whole(reflected)
    assert [(each.tool, each.ok) for each in answer.calls] == [
        *(("db_load", True), ("zoom_map", True), ("filter_class", False), ("undo", True)),
        *(("db_load", True), ("zoom_map", True), ("filter_lccclass", True), ("scatter_plot", True)),
    ]
    assert answer.outcome == "done" and "On the map as points ⁽⁸⁾." in answer.reply
    assert reflected.state.database.filters.classes == ("airport",)
    assert [each.id for each in reflected.state.map.layers] == ["points"]
    reflected.undo()
    assert reflected.state == State()


def test_the_embedded_planner_reflects_on_a_failed_call_and_takes_another_way() -> None:
    done = [
        Done(Call("db_load", {"names": ["fmow"]}), True, "Loaded."),
        Done(Call("filter_class", {"classes": ["airport"]}), False, "fmow has no object class 'airport'."),
    ]
    form, second = submitted_reflection(done, (Call("scatter_plot"),))
    assert form == {
        "right": False,
        "what_failed": "filter_class failed.",
        "why": "fmow has no object class 'airport'.",
        "instead": "filter_lccclass in place of filter_class.",
        "again": True,
    }
    assert second is not None and second.calls == (
        Call("db_load", {"names": ["fmow"]}),
        Call("filter_lccclass", {"classes": ["airport"]}),
        Call("scatter_plot"),
    )


def test_it_says_so_where_there_is_no_other_way() -> None:
    done = [Done(Call("export_csv"), False, "Nothing is loaded.")]
    form, second = submitted_reflection(done, ())
    assert (form["right"], form["again"], second) == (False, False, None)
    assert submitted_reflection([Done(Call("db_list"), True, "7 data sets.")], ())[0]["right"] is True


REQUEST = "show the fair1m images around Pittsburgh as a heat map and count them"


@pytest.mark.parametrize("agent", NAMES)
@pytest.mark.parametrize("read", [1, 2, 4])
def test_a_reader_that_goes_away_leaves_a_turn_that_is_closed(
    session: Session, agent: str, read: int
) -> None:
    stream = session.stream(REQUEST, agent=agent)
    for _ in range(read):
        next(stream)
    stream.close()
    check_whole(session)
    assert session.answer().outcome == "stopped"


@pytest.mark.parametrize("agent", NAMES)
def test_a_stop_ends_the_turn_of_any_agent_after_the_call_that_runs(session: Session, agent: str) -> None:
    stop = threading.Event()
    session.listen(lambda event: stop.set() if event.tool == "filter_coords" else None)
    answer = session.ask(REQUEST, agent=agent, stop=stop)
    check_whole(session)
    assert (answer.outcome, answer.reply) == ("stopped", "Stopped. What was done so far stands.")
    assert [each.tool for each in answer.calls] == ["db_load", "filter_coords"]

"""A turn with a thumbs-down becomes a task of the user's own suite."""

from __future__ import annotations

import pytest

from copilot.bench.build.taskfile import read_tasks
from copilot.bench.mine import CannotAdd, add
from copilot.bench.run.tasks import mine_file, task_set
from copilot.bench.run.work import Work, run_task
from copilot.bench.task import GoldCall, Task
from copilot.engine import Engine
from copilot.session import Session

WANTED = "the ships that I looked at last week, in the grandest way"
LOAD = GoldCall("db_load", {"names": ["xview1"]})


@pytest.fixture
def asked(engine: Engine) -> Session:
    """A session in which xview1 is loaded, and a request was answered with the wrong thing."""
    session = Session.open(engine=engine)
    session.call("db_load", names=["fmow"])
    session.undo()
    session.call("db_load", names=["xview1"])
    turn = session.begin(WANTED, "chat").turn
    session.call_tool("zoom_map", {"level": 9}, turn=turn)
    session.end(turn, "Zoomed.", "done", 0.1)
    session.call("record_feedback", rating="down", turn=turn)
    return session


def graded(engine: Engine, task: Task) -> bool | None:
    work = Work(engine.catalogue_address, engine.clock().isoformat(), "direct", "embedded", 0, 0.01)
    return run_task(task, work, Engine.in_memory_like(engine))["success"]


def test_a_later_turn_that_put_it_right_gives_the_gold(engine: Engine, asked: Session):
    asked.undo()
    right = asked.ask("show it as clusters")
    number = asked.turns[-1].number
    task = add(engine, asked.id, right_turn=number)
    assert (task.request, task.setup, task.calls) == (WANTED, (LOAD,), (GoldCall("cluster_plot"),))
    assert (task.reply, task.category, task.intent) == (right.reply, "load-filter-plot", "mine")
    assert tuple(read_tasks(mine_file(engine.home))) == (task,)
    # The planner still answers that request otherwise: the case is not yet won.
    assert graded(engine, task) is False


def test_without_an_undo_the_wrong_calls_are_part_of_the_way(engine: Engine, asked: Session):
    asked.ask("show it as clusters")
    task = add(engine, asked.id, right_turn=asked.turns[-1].number)
    assert task.calls == (GoldCall("zoom_map", {"level": 9}), GoldCall("cluster_plot"))


def test_a_fork_that_went_right_gives_the_gold(engine: Engine, asked: Session):
    fork = asked.fork(3)
    fork.ask("zoom to level 5")
    task = add(engine, asked.id, turn=4, fork=fork.id)
    assert (task.calls, task.category) == ((GoldCall("zoom_map", {"level": 5}),), "ui-web")


def test_calls_that_are_given_are_played_and_become_the_gold(engine: Engine, asked: Session):
    task = add(engine, asked.id, calls=[GoldCall("db_count")], reply="26 images.")
    assert (task.calls, task.reply, task.category) == (
        (GoldCall("db_count"),),
        "26 images.",
        "information",
    )
    with pytest.raises(CannotAdd, match="zoom_map fails when it is made again"):
        add(engine, asked.id, calls=[GoldCall("zoom_map", {"level": 99})])
    assert task_set("mine", tuple(read_tasks(mine_file(engine.home)))).version.startswith("own-")


def test_a_task_won_is_told_as_right(engine: Engine):
    session = Session.open(engine=engine)
    session.ask("zoom to level 7")
    session.call("record_feedback", rating="down", turn=1)
    task = add(engine, session.id, calls=[GoldCall("zoom_map", {"level": 7})])
    assert graded(engine, task) is True


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({}, "What would have been right in turn 4 .* is not known. Give --expect-state-of TURN"),
        ({"turn": 3, "calls": [LOAD]}, "Turn 3 has no thumbs-down; `copilot call record_feedback"),
        ({"right_turn": 2}, "Turn 2 cannot put turn 4 right: it is not later."),
        ({"right_turn": 99}, "has no turn 99"),
    ],
)
def test_what_is_missing_is_asked_for_plainly(
    engine: Engine, asked: Session, options: dict[str, object], said: str
):
    with pytest.raises(CannotAdd, match=said):
        add(engine, asked.id, **options)  # type: ignore[arg-type]
    assert not mine_file(engine.home).exists()


def test_nothing_is_made_of_a_session_without_a_thumbs_down(engine: Engine, session: Session):
    session.ask("zoom to level 7")
    with pytest.raises(CannotAdd, match="has a thumbs-down; rate the wrong one first"):
        add(engine, session.id, calls=[LOAD])


def test_the_same_turn_is_not_added_twice(engine: Engine, asked: Session):
    add(engine, asked.id, calls=[GoldCall("db_count")])
    with pytest.raises(CannotAdd, match=r"is task mine-[0-9a-f]{10} already"):
        add(engine, asked.id, calls=[GoldCall("db_count")])

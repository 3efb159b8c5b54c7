"""A verdict as columns of the run's table."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from copilot.agents.budget import Usage
from copilot.bench.check import Player, Verdict, gold_of
from copilot.bench.run.judge import EPSILONS, judged
from copilot.bench.task import GoldCall, Task
from copilot.engine import Engine
from copilot.session import Session
from tests.copilot.bench.run.hand import made


def verdict_of(engine: Engine, task: Task, **call: object) -> dict[str, object]:
    """The columns of a turn that made one call to zoom."""
    session = Session.open(engine=engine)
    turn = session.begin(task.request, "bench").turn
    session.call_tool("zoom_map", call, turn=turn)
    session.end(turn, "Zoomed.", "done", 0.2, Usage(12, 5))
    return judged(gold_of(Player.over(engine), task), session.answer(), 0.01)


@pytest.fixture
def task(engine: Engine) -> Task:
    return made(
        engine,
        Task("z", "z", "ui-web", "zoom", (GoldCall("zoom_map", {"level": 10.5}),), "Zoomed to 10.5.", {}),
    )


@pytest.mark.parametrize(("level", "right_from"), [(10.5, 0.0), (10.55, 0.01), (11.3, 0.1), (3.5, None)])
def test_success_is_told_for_each_epsilon(engine: Engine, task: Task, level: float, right_from: float | None):
    found = verdict_of(engine, replace(task, reply=""), level=level)
    assert json.loads(str(found["at_epsilon"])) == {
        str(each): right_from is not None and each >= right_from for each in EPSILONS
    }
    assert found["success"] == (right_from is not None and right_from <= 0.01)


def test_the_whole_verdict_can_be_read_back(engine: Engine, task: Task):
    found = verdict_of(engine, task, level=3.5)
    verdict = Verdict.from_json(json.loads(str(found["verdict"])))
    assert (verdict.success, verdict.correctness, list(verdict.wrong)) == (
        False,
        found["correctness"],
        found["errors"],
    )
    assert {"map", "number_arguments", "reply_numbers"} <= set(verdict.wrong)
    assert (verdict.tokens, verdict.rouge) == (17, found["rouge_l"])

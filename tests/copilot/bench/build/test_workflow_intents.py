"""The intents of workflows: their golds hold, and a session that makes the steps itself ends as they do."""

from __future__ import annotations

from random import Random

import pytest

from copilot.bench.build.fill import Drawer, Filled, filled
from copilot.bench.build.intents import FOLDER, Intent, load_intents
from copilot.bench.build.wording import worded
from copilot.bench.check import Run, check, gold_of
from copilot.bench.check.runs import Made
from copilot.bench.lint import prove
from copilot.bench.spread import Bench
from copilot.bench.task import Task
from copilot.engine import Engine
from copilot.session import Session
from state.codec import to_json

INTENTS = load_intents([FOLDER / "workflows.toml"])
each_intent = pytest.mark.parametrize("intent", INTENTS, ids=lambda intent: intent.id)


def task_of(made: Filled) -> Task:
    each, state = made.intent, to_json(made.played.state)
    request = worded(made, Random(5))
    return Task(
        each.id, each.id, each.category, request, made.calls, made.reply, state, made.setup, version="v"
    )


@each_intent
def test_a_gold_works_and_nothing_less_does(intent: Intent, bench: Bench, drawer: Drawer) -> None:
    task = task_of(filled(intent, drawer, bench.player, Random(5)))
    assert prove(bench, task).problems == ()


@each_intent
def test_a_session_that_makes_the_first_call_alone_ends_as_the_gold_does(
    intent: Intent, bench: Bench, drawer: Drawer, engine: Engine
) -> None:
    task = task_of(filled(intent, drawer, bench.player, Random(5)))
    session = Session.open(engine=engine)
    for call in task.setup:
        assert session.call_tool(call.tool, call.args, source="bench").ok
    before = len(session.events)
    session.call_tool(task.calls[0].tool, task.calls[0].args, source="bench")
    steps = tuple(
        Made(each.tool, each.args, each.ok, each.text, each.data) for each in session.events[before:]
    )
    run = Run(steps, task.reply, to_json(session.state))
    assert check(gold_of(bench.player, task), run).wrong == ()

"""How well the embedded planner answers what it has not learnt: python -m benches.wordings [--all]

One wording of every intent of the benchmark (with --all every wording) is asked three times: as the planner
is, with that wording left out of its worked cases, and with the whole intent left out. Success is the model
checker's.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from random import Random
from typing import Any

from copilot.bench.build.fill import Drawer, Filled, NotFilled, filled
from copilot.bench.build.intents import Intent, load_intents
from copilot.bench.build.rows import pool_file, read_pool
from copilot.bench.build.slots import Filler
from copilot.bench.build.steady import steady_player, steady_world
from copilot.bench.check import Gold, Run, check, gold_of
from copilot.bench.task import TODAY, Task
from copilot.engine import Engine, default_engine
from copilot.planner.cases import Cases, known_cases
from copilot.planner.head import Head
from copilot.planner.model import EmbeddedPlanner
from copilot.planner.plan import Planner
from copilot.session import Session
from state.codec import to_json

WAYS = ("as it is", "without the wording", "without the intent")


def tasks(intents: Sequence[Intent], *, every: bool) -> Iterator[tuple[Intent, str, Filled]]:
    """The wordings that are asked, filled."""
    engine = default_engine()
    world = steady_world(engine)
    player = steady_player(world)
    pool = read_pool(pool_file(world, 0, engine.home / "bench"))
    drawer = Drawer(pool, Filler(world.gazetteer, pool.words))
    for intent in intents:
        for number, wording in enumerate(intent.requests if every else intent.requests[:1]):
            try:
                yield intent, wording, filled(intent, drawer, player, Random(f"{intent.id}/new/{number}"))
            except NotFilled:
                continue


def task_of(intent: Intent, wording: str, made: Filled) -> Task:
    """The task that a filled wording is."""
    return Task(
        id=intent.id,
        intent=intent.id,
        category=intent.category,
        request=made.said(wording),
        calls=made.calls,
        reply=made.reply,
        state=to_json(made.played.state),
        setup=made.setup,
        also=made.also,
    )


def succeeds(gold: Gold, engine: Engine, head: Head, cases: Cases) -> bool:
    """Whether the planner with these cases answers a task."""
    planner = EmbeddedPlanner(
        planner=Planner(head, cases), catalogue=engine.catalogue, gazetteer=engine.gazetteer
    )
    session = Session.open(engine=engine)
    for call in gold.task.setup:
        session.call_tool(call.tool, call.args)
    start = session.state
    options: dict[str, Any] = {"model": planner}
    run = Run.of(session.ask(gold.task.request, **options), start)
    engine.remove_session(session.id)
    return check(gold, run).success


def main(arguments: Sequence[str]) -> None:
    """Print the share of each way."""
    engine = Engine.in_memory_like(default_engine())
    engine.today = TODAY
    player = steady_player(steady_world(default_engine()))
    known, head = known_cases(), Head.load()
    right: Counter[str] = Counter()
    asked = 0
    for intent, wording, made in tasks(load_intents(), every="--all" in arguments):
        request, state = made.said(wording), to_json(made.played.state)
        task = Task(
            intent.id,
            intent.id,
            intent.category,
            request,
            made.calls,
            made.reply,
            state,
            made.setup,
            made.also,
        )
        gold = gold_of(player, task)
        left = (known, known.without(wordings=[wording]), known.without(intents=[intent.id]))
        for way, cases in zip(WAYS, left, strict=True):
            right[way] += succeeds(gold, engine, head, cases)
        asked += 1
    for way in WAYS:
        print(f"{way:20} {right[way]:5} of {asked}  {right[way] / asked:.1%}")


if __name__ == "__main__":
    main(sys.argv[1:])

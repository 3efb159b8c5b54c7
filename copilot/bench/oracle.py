"""Replay the gold of every task and hold it against itself: the fastest check that a file still holds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from copilot.bench.check import GoldFails, check, gold_of
from copilot.bench.spread import MOST_SHOWN, Bench, over_tasks
from copilot.bench.task import Task
from state.codec import canonical

_BLOCK = 25_000
"""Tasks that are held at a time, to be ordered: some 300 MB."""


@dataclass
class Replayed:
    """What came of replaying a file."""

    tasks: int = 0
    calls: int = 0
    wrong: int = 0
    problems: list[str] = field(default_factory=list)

    def to_json(self) -> dict[str, Any]:
        """The figures as plain JSON values."""
        return {"tasks": self.tasks, "calls": self.calls, "wrong": self.wrong, "problems": self.problems}


def replay(tasks: Iterable[Task], catalogue: str, jobs: int = 1) -> Replayed:
    """Play every gold: it ends in the state on record, and the checker finds nothing wrong with it."""
    found = Replayed()
    for calls, problem in over_tasks(by_beginnings(tasks), _replayed, catalogue, jobs):
        found.tasks += 1
        found.calls += calls
        if problem:
            found.wrong += 1
            found.problems += [problem][: MOST_SHOWN - len(found.problems)]
    return found


def by_beginnings(tasks: Iterable[Task]) -> Iterator[Task]:
    """The tasks, those that begin alike one after another: what a player remembers of one serves the next."""
    left = iter(tasks)
    while block := list(islice(left, _BLOCK)):
        yield from sorted(block, key=_calls)


def _calls(task: Task) -> str:
    return canonical([[call.tool, call.args] for call in (*task.setup, *task.calls)])


def _replayed(bench: Bench, task: Task) -> tuple[int, str]:
    """(calls that were played, what is wrong)."""
    calls = len(task.setup) + task.complexity + sum(len(way) for way in task.also)
    try:
        gold = gold_of(bench.player, task)
    except GoldFails as error:
        return calls, str(error)
    wrong = check(gold, gold.oracle()).wrong
    return calls, f"Task {task.id}: its own gold does not pass: {', '.join(wrong)}." if wrong else ""

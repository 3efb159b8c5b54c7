"""Spread work on the tasks of a file over processes, each with a catalogue and a player of its own."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass
from itertools import islice
from multiprocessing import get_context
from typing import TypeVar

from copilot.bench.build.steady import collect_seldom, steady_player, steady_world
from copilot.bench.check import Player
from copilot.bench.task import Task
from copilot.engine import Engine
from tools.base import World

CHUNK = 50
MOST_SHOWN = 1_000
"""Problems of a file that are kept word by word; the others are counted."""
_AHEAD = 4
"""Chunks that wait for each process: tasks are read as they are needed."""

Found = TypeVar("Found")


@dataclass(frozen=True)
class Bench:
    """What a process needs to play tasks."""

    world: World
    player: Player

    @classmethod
    def over(cls, catalogue: str) -> Bench:
        """A bench over the catalogue at that address."""
        world = steady_world(Engine.in_memory(catalogue))
        return cls(world, steady_player(world))


Work = Callable[[Bench, Task], Found]


def over_tasks(tasks: Iterable[Task], work: Work[Found], catalogue: str, jobs: int) -> Iterator[Found]:
    """What `work`, a function of a module, finds of each task, in the order of the tasks."""
    if jobs == 1:
        bench = Bench.over(catalogue)
        yield from (work(bench, task) for task in tasks)
        return
    chunks = _chunks(tasks)
    # A fork would share the parent's database threads.
    with ProcessPoolExecutor(jobs, get_context("spawn"), _start, (catalogue,)) as pool:
        waiting: deque[Future[list[Found]]] = deque()
        try:
            for chunk in chunks:
                waiting.append(pool.submit(_work, work, chunk))
                if len(waiting) >= jobs * _AHEAD:
                    yield from waiting.popleft().result()
            while waiting:
                yield from waiting.popleft().result()
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def _chunks(tasks: Iterable[Task]) -> Iterator[list[Task]]:
    left = iter(tasks)
    while chunk := list(islice(left, CHUNK)):
        yield chunk


_benches: list[Bench] = []


def _start(catalogue: str) -> None:
    collect_seldom()
    _benches[:] = [Bench.over(catalogue)]


def _work(work: Work[Found], tasks: list[Task]) -> list[Found]:
    return [work(_benches[0], task) for task in tasks]

"""Make a benchmark: attempts in chunks over processes, taken in their order until every kind has its number.

An attempt depends on the seed and its own number alone, and attempts are taken in order, so the same seed
gives the same file however many processes make it.
"""

from __future__ import annotations

import multiprocessing
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from copilot.bench.build.intents import Intent
from copilot.bench.build.making import Attempt, Maker, Order, make_chunk, start_worker
from copilot.bench.build.mix import Mix, mix_of
from copilot.bench.build.rows import pool_file
from copilot.bench.build.stamp import Stamp, stamp_of
from copilot.bench.build.steady import steady_world
from copilot.bench.build.taskfile import Header, TaskWriter
from copilot.bench.task import Kind
from copilot.engine import Engine
from tools.toolbox import toolbox

Split = Literal["all", "dev", "held-out"]
CHUNK = 20
"""Attempts that a worker makes at a time; the order of tasks in the file depends on it."""
_AHEAD = 4
"""Chunks that wait for each process."""
_FRUITLESS = 2_000
"""After so many attempts in a row without a new task, a kind has given what it can."""
_SHOWN = 20

Tell = Callable[[int, str], None]


@dataclass(frozen=True)
class Wish:
    """What is to be built."""

    size: int
    seed: int = 0
    split: Split = "all"
    model: str = ""
    agents: tuple[str, ...] = ()
    jobs: int = 1


@dataclass
class Tally:
    """What came of the attempts so far."""

    mix: Mix
    kept: Counter[str] = field(default_factory=Counter)
    """Tasks of each kind."""
    seen: set[str] = field(default_factory=set)
    fruitless: Counter[str] = field(default_factory=Counter)
    attempts: int = 0
    dropped: Counter[str] = field(default_factory=Counter)
    details: Counter[str] = field(default_factory=Counter)
    lengths: Counter[int] = field(default_factory=Counter)
    intents: Counter[str] = field(default_factory=Counter)
    candidates: Counter[str] = field(default_factory=Counter)
    candidate_calls: int = 0
    dissent: Counter[str] = field(default_factory=Counter)
    paraphrased: int = 0

    def wants(self, kind: Kind) -> bool:
        """Whether more tasks of a kind are to be made."""
        return self.kept[kind] < self.mix.quotas[kind] and self.fruitless[kind] < _FRUITLESS

    @property
    def done(self) -> bool:
        """Whether every kind has its number, or no more to give."""
        return not any(self.wants(kind) for kind in self.mix.quotas)

    def take(self, kind: Kind, attempt: Attempt) -> bool:
        """Count an attempt; whether its task is kept."""
        if not self.wants(kind):
            return False
        self.attempts += 1
        self.fruitless[kind] += 1
        self.candidates.update(attempt.candidates)
        self.candidate_calls += attempt.candidate_calls
        self.dissent.update(f"{attempt.intent}: {reason}" for reason in attempt.dissent)
        why = attempt.dropped or ("the same as another" if attempt.key in self.seen else "")
        if why:
            self.dropped[why] += 1
            self.details.update([f"{attempt.intent}: {attempt.detail}"] if attempt.detail else [])
            return False
        self.fruitless[kind] = 0
        self.seen.add(attempt.key)
        self.kept[kind] += 1
        self.lengths[attempt.calls] += 1
        self.intents[attempt.intent] += 1
        self.paraphrased += attempt.paraphrased
        return True

    def report(self) -> dict[str, Any]:
        """The build's report as plain JSON values."""
        tasks = self.kept.total()
        calls = sum(length * count for length, count in self.lengths.items())
        return {
            "tasks": tasks,
            "by_category": dict(sorted(self.kept.items())),
            "short_of": {k: n - self.kept[k] for k, n in self.mix.quotas.items() if self.kept[k] < n},
            "mean_calls": round(calls / tasks, 3) if tasks else 0.0,
            "expected_calls": round(self.mix.expected_calls, 3),
            "by_calls": {str(length): count for length, count in sorted(self.lengths.items())},
            "by_intent": dict(sorted(self.intents.items())),
            "attempts": self.attempts,
            "dropped": dict(sorted(self.dropped.items())),
            "dropped_because": dict(self.details.most_common(_SHOWN)),
            "candidates": dict(sorted(self.candidates.items())),
            "candidate_calls": self.candidate_calls,
            "dissent": dict(self.dissent.most_common(_SHOWN)),
            "paraphrased": self.paraphrased,
        }


def chosen(intents: Sequence[Intent], split: Split) -> tuple[Intent, ...]:
    """The intents of a half that need nothing beyond the catalogue."""
    here = (each for each in intents if not each.needs)
    return tuple(each for each in here if split == "all" or each.held_out == (split == "held-out"))


def built_path(home: Path, size: int, split: Split = "all") -> Path:
    """Where a benchmark of that size is kept when no other place is named."""
    names = {500: "500", 10_000: "10k", 100_000: "100k"}
    half = "" if split == "all" else f"-{split}"
    return home / "bench" / f"tasks-{names.get(size, str(size))}{half}.jsonl.gz"


def build(
    wish: Wish, intents: Sequence[Intent], engine: Engine, path: Path, tell: Tell | None = None
) -> Header:
    """Make a benchmark and write it. Raises ValueError when there are no intents for it."""
    mine = chosen(intents, wish.split)
    mix = mix_of(mine, wish.size)
    world = steady_world(engine)
    stamp = stamp_of(
        mine,
        toolbox(),
        world.catalogue.datasets(),
        size=wish.size,
        seed=wish.seed,
        split=wish.split,
        paraphrased=wish.model,
        agents=wish.agents,
    )
    pool = pool_file(world, wish.seed, engine.home / "bench")
    weights = {kind: dict(shares) for kind, shares in mix.weights.items()}
    address = engine.catalogue_address
    order = Order(mine, weights, wish.seed, stamp.version, address, pool, wish.agents, wish.model)
    return _written(wish, order, mix, stamp, path, tell)


def _written(wish: Wish, order: Order, mix: Mix, stamp: Stamp, path: Path, tell: Tell | None) -> Header:
    tally = Tally(mix)
    with TaskWriter(path) as writer:
        for kind, attempt in _attempts(order, tally, wish.jobs):
            if tally.take(kind, attempt):
                writer.write(attempt.line)
                if tell is not None:
                    tell(tally.kept.total(), f"{tally.kept.total():,} of {wish.size:,} tasks")
            if tally.done:
                break
        header = Header(stamp, tally.report())
        writer.finish(header)
    return header


def _attempts(order: Order, tally: Tally, jobs: int) -> Iterator[tuple[Kind, Attempt]]:
    """Every attempt in order, whoever makes it."""
    chunks = _chunks(tally)
    if jobs == 1:
        maker = Maker(order)
        for kind, first in chunks:
            yield from ((kind, maker.attempt(kind, number)) for number in range(first, first + CHUNK))
        return
    # A fork would share the parent's database threads.
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(jobs, context, start_worker, (order,)) as pool:
        waiting: deque[tuple[Kind, Future[Sequence[Attempt]]]] = deque()
        try:
            for kind, first in chunks:
                waiting.append((kind, pool.submit(make_chunk, kind, first, first + CHUNK)))
                if len(waiting) >= jobs * _AHEAD:
                    kind, made = waiting.popleft()
                    yield from ((kind, attempt) for attempt in made.result())
            for kind, made in waiting:
                yield from ((kind, attempt) for attempt in made.result())
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def _chunks(tally: Tally) -> Iterator[tuple[Kind, int]]:
    """Which kind's attempts come next, in the proportion of the kinds; no more of one that has its number."""
    quotas = tally.mix.quotas
    begun: Counter[Kind] = Counter()
    while not tally.done:
        kind = min(quotas, key=lambda each: (begun[each] / quotas[each], each))
        first = begun[kind]
        begun[kind] += CHUNK
        if tally.wants(kind):
            yield kind, first

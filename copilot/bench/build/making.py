"""Make one task: draw an intent, fill it, word it, let its candidates vote. A worker makes chunks of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from random import Random

from copilot.bench.build.agents import Solver
from copilot.bench.build.alternatives import Means
from copilot.bench.build.candidates import Vote, vote
from copilot.bench.build.fill import Drawer, Filled, NotFilled, filled
from copilot.bench.build.intents import Intent
from copilot.bench.build.paraphrase import Paraphraser
from copilot.bench.build.rows import read_pool
from copilot.bench.build.slots import Filler
from copilot.bench.build.steady import collect_seldom, steady_player, steady_world
from copilot.bench.build.taskfile import task_line
from copilot.bench.build.wording import worded
from copilot.bench.check import GoldFails, gold_of
from copilot.bench.task import Kind, Task
from copilot.engine import Engine
from state.codec import canonical, to_json


@dataclass(frozen=True)
class Order:
    """What a build makes tasks of; all workers get the same."""

    intents: tuple[Intent, ...]
    weights: dict[Kind, dict[str, float]]
    seed: int
    version: str
    catalogue: str
    """The catalogue's address."""
    pool: Path
    """The file of the drawn rows."""
    agents: tuple[str, ...] = ()
    """Agents whose solutions are candidates too."""
    model: str = ""
    """The model that words the requests; empty for the hand-written wordings."""


@dataclass(frozen=True)
class Attempt:
    """What came of one try at a task."""

    intent: str
    key: str = ""
    """Of the request and its setup: two tasks of one key are the same task."""
    line: bytes = b""
    """The task as its line of the file; nothing when it was dropped."""
    dropped: str = ""
    """Why it was dropped: "not filled", "vote"."""
    detail: str = ""
    calls: int = 0
    candidates: Counter[str] = field(default_factory=Counter)
    """How many candidates of each kind were run."""
    candidate_calls: int = 0
    dissent: tuple[str, ...] = ()
    """The reasons of the candidates that ended otherwise."""
    paraphrased: bool = False


class Maker:
    """Makes tasks over one catalogue. One per process."""

    def __init__(self, order: Order) -> None:
        self.order = order
        self.engine = Engine.in_memory(order.catalogue)
        self.world = steady_world(self.engine)
        self.player = steady_player(self.world)
        pool = read_pool(order.pool)
        self.drawer = Drawer(pool, Filler(self.world.gazetteer, pool.words))
        self.means = Means(self.world.gazetteer, pool.words)
        self.by_id = {each.id: each for each in order.intents}
        self.solver = Solver.over(self.world, order.catalogue, order.agents) if order.agents else None
        self.paraphraser = Paraphraser.named(order.model, self.engine) if order.model else None

    def attempt(self, kind: Kind, number: int) -> Attempt:
        """The try of that number: the same whoever makes it, in whatever process."""
        rng = Random(f"{self.order.seed}/{kind}/{number}")
        weights = self.order.weights[kind]
        intent = self.by_id[rng.choices(list(weights), list(weights.values()))[0]]
        try:
            made = filled(intent, self.drawer, self.player, rng)
        except NotFilled as error:
            return Attempt(intent.id, dropped="not filled", detail=str(error))
        request, paraphrased = worded(made, rng), False
        if self.paraphraser is not None:
            request, paraphrased = self.paraphraser.reworded(request, made)
        return self._judged(made, request, paraphrased, rng)

    def _judged(self, made: Filled, request: str, paraphrased: bool, rng: Random) -> Attempt:
        """The task with that request, when its candidates end as its gold does."""
        intent = made.intent
        key = task_key(request, made)
        task = Task(
            id=f"{intent.id}-{key[:10]}",
            intent=intent.id,
            category=intent.category,
            request=request,
            calls=made.calls,
            reply=made.reply,
            state=to_json(made.played.state),
            setup=made.setup,
            also=made.also,
            needs=intent.needs,
            version=self.order.version,
        )
        try:
            gold = gold_of(self.player, task)
        except GoldFails as error:
            return Attempt(intent.id, dropped="gold", detail=str(error))
        others = self.solver.candidates(request, made.setup) if self.solver else ()
        ended = vote(made, gold, self.player, self.means, rng, others)
        return Attempt(
            intent=intent.id,
            key=key,
            line=task_line(task) if ended.holds else b"",
            dropped="" if ended.holds else "vote",
            detail="" if ended.holds else _why(ended),
            calls=task.complexity,
            candidates=Counter(each.kind for each in ended.candidates),
            candidate_calls=sum(len(each.calls) for each in ended.candidates),
            dissent=tuple(each.reason for each in ended.dissent),
            paraphrased=paraphrased,
        )


def task_key(request: str, made: Filled) -> str:
    """What makes a task this task: its request and the session that it comes in."""
    setup = [[call.tool, call.args] for call in made.setup]
    return sha256(canonical([request, setup]).encode()).hexdigest()


def _why(ended: Vote) -> str:
    count, agreeing = len(ended.candidates), sum(ended.agreeing)
    reasons = "; ".join(sorted({each.reason for each in ended.dissent}))
    return f"{agreeing} of {count} candidates end as the gold: {reasons}"


# -- in a worker ------------------------------------------------------------------------------

_makers: list[Maker] = []


def start_worker(order: Order) -> None:
    """Make this process a worker of that build."""
    collect_seldom()
    _makers[:] = [Maker(order)]


def make_chunk(kind: Kind, first: int, last: int) -> Sequence[Attempt]:
    """The attempts first .. last-1 of one kind."""
    return [_makers[0].attempt(kind, number) for number in range(first, last)]

"""Prove every task of a benchmark: its gold works, nothing less does, another way does, and it is no copy.

What is right is the checker's business (copilot/bench/check); here it is asked about runs that are known to
be right or wrong.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from hashlib import sha256
from random import Random
from typing import Any

from copilot.bench.build.alternatives import Means
from copilot.bench.build.candidates import agrees, candidates
from copilot.bench.check import Gold, GoldFails, Made, Run, Settings, check, gold_of
from copilot.bench.check.aspects import ASPECTS
from copilot.bench.check.gold import End
from copilot.bench.check.output import brings, missing
from copilot.bench.check.play import Played
from copilot.bench.spread import MOST_SHOWN, Bench, over_tasks
from copilot.bench.task import GoldCall, Task
from state.codec import canonical, to_json

_PLOTS = (
    "scatter_plot cluster_plot heatmap_plot density_plot footprint_plot detection_plot choropleth_plot "
    "time_slider_plot label_plot draw_bbox draw_polygon draw_circle draw_marker"
)
_CHANGES = {
    "db_load": "database.loaded",
    "filter_date": "database.dates",
    "filter_coords": "database.place",
    "filter_attribute": "database.attributes",
    "set_basemap": "map.basemap",
    "toggle_control": "map.controls",
    "display_hover": "ui.hover",
    **dict.fromkeys(_PLOTS.split(), "map.layers"),
}
"""Calls that change one aspect, which is graded in every task."""
_SWEEPING = frozenset({"filter_clear", "db_unload", "undo", "redo", "goto_turn", "reset_map"})
"""Calls that may change an aspect when the gold's other calls are not all made."""


@dataclass(frozen=True)
class Proof:
    """What was found out about one task."""

    id: str
    category: str
    intent: str
    calls: int
    key: bytes
    """Of the request and the setup."""
    version: str
    problems: tuple[str, ...] = ()
    """What could not be proved, a sentence each."""


@dataclass
class Findings:
    """What was found out about a file."""

    tasks: int = 0
    calls: int = 0
    by_category: Counter[str] = field(default_factory=Counter)
    by_calls: Counter[int] = field(default_factory=Counter)
    wrong: int = 0
    """Tasks with a problem."""
    problems: list[str] = field(default_factory=list)

    def to_json(self) -> dict[str, Any]:
        """The findings as plain JSON values."""
        return {
            "tasks": self.tasks,
            "calls": self.calls,
            "mean_calls": round(self.calls / self.tasks, 3) if self.tasks else 0.0,
            "by_category": dict(sorted(self.by_category.items())),
            "by_calls": {str(length): count for length, count in sorted(self.by_calls.items())},
            "wrong": self.wrong,
            "problems": self.problems,
        }


def lint(tasks: Iterable[Task], catalogue: str, jobs: int = 1, version: str = "") -> Findings:
    """Prove the tasks of a file whose header bears that version."""
    return summed(over_tasks(tasks, prove, catalogue, jobs), version)


def summed(proofs: Iterable[Proof], version: str = "") -> Findings:
    """The findings of a file, with what can be seen of all tasks together."""
    found = Findings()
    seen: dict[bytes, str] = {}
    ids: set[str] = set()
    for proof in proofs:
        problems = list(proof.problems)
        if (other := seen.setdefault(proof.key, proof.id)) != proof.id or proof.id in ids:
            problems.append(f"It is the same as {other}: the same request in the same session.")
        if version and proof.version != version:
            problems.append(f"Its version is '{proof.version}', not the file's '{version}'.")
        ids.add(proof.id)
        found.tasks += 1
        found.calls += proof.calls
        found.by_category[proof.category] += 1
        found.by_calls[proof.calls] += 1
        found.wrong += bool(problems)
        found.problems += [f"{proof.id}: {each}" for each in problems][: MOST_SHOWN - len(found.problems)]
    return found


def prove(bench: Bench, task: Task) -> Proof:
    """Prove one task by itself."""
    key = sha256(canonical([task.request, task.to_json()["setup"]]).encode()).digest()
    problems = tuple(_problems(bench, task))
    return Proof(task.id, task.category, task.intent, task.complexity, key, task.version, problems)


def _problems(bench: Bench, task: Task) -> Iterator[str]:
    if not task.request.strip():
        yield "Its request is empty."
    if "{" in task.request or "}" in task.request:
        yield f"The request has an unfilled brace: {task.request!r}."
    if not task.state:
        yield "It has no state to end in."
    try:
        gold = gold_of(bench.player, task)
    except GoldFails as error:
        yield str(error)
        return
    if wrong := check(gold, gold.oracle()).wrong:
        yield f"Its own gold does not pass: {', '.join(wrong)}."
    for end in range(1, len(gold.ends)):
        if not check(gold, gold.oracle(end)).success:
            yield f"Its other end {end} does not pass."
    if check(gold, gold.idle()).success:
        yield "Doing nothing passes."
    begun = bench.player.begin(task.setup)
    for index in unneeded(bench, gold, begun):
        yield f"Call {index + 1}, {task.calls[index].tool}, is not needed: without it the rest passes."
    if not _another_way(bench, gold, begun):
        yield "No other way to the same end was found."


def unneeded(bench: Bench, gold: Gold, begun: Played) -> Iterator[int]:
    """The gold calls without which the rest still passes."""
    task, end = gold.task, gold.ends[0]
    for index in range(len(task.calls)):
        if _surely_needed(bench, gold, index):
            continue
        played = bench.player.play((*task.calls[:index], *task.calls[index + 1 :]), begun)
        if not played.failed and check(gold, _run(task, played, end)).success:
            yield index


def _surely_needed(bench: Bench, gold: Gold, index: int) -> bool:
    """Whether no run without the call can end right, as can be seen without one. It saves most of the work.

    Either nothing else in the gold changes the aspect that the call changes, and that ends otherwise than it
    began: without the call it would stay as it was. Or the call brings facts that no other call brings, and
    changes nothing that others look at.
    """
    end, step = gold.ends[0], gold.ends[0].steps[index]
    others = [each for number, each in enumerate(end.steps) if number != index]
    if len(gold.ends) > 1 or any(each.tool in _SWEEPING for each in others):
        return False
    if end.answering[index]:
        brought = [brings(bench.player.toolbox, each) for each in others]
        lost = bool(missing(end.facts[index], brought, Settings().epsilon))
        return lost and not any(_looks_at_artifacts(each) for each in end.steps[index + 1 :])
    aspect = _CHANGES.get(step.tool)
    if aspect is None or any(aspect in each.touched for each in others):
        return False
    part = ASPECTS[aspect]
    return bool(part(gold.start) != part(end.state))


def _looks_at_artifacts(made: Made) -> bool:
    return made.tool.startswith("show_") or bool({"table", "figure", "artifact"} & set(made.args))


def _another_way(bench: Bench, gold: Gold, begun: Played) -> bool:
    """Whether a way that is not the gold's passes."""
    end = gold.ends[0]
    solved = SolvedTask(gold.task.calls, begun, Played(end.state, end.steps, end.states))
    means = Means(bench.world.gazetteer, {})
    # Other orders and equivalents come first, so one or two are run for most tasks.
    ways = candidates(solved, means, Random(gold.task.id))
    return any(agrees(gold, bench.player.play(each.calls, begun)) for each in ways)


@dataclass(frozen=True)
class SolvedTask:
    """A task with its gold played, as candidates are made from it."""

    calls: tuple[GoldCall, ...]
    begun: Played
    played: Played


def _run(task: Task, played: Played, end: End) -> Run:
    """A run that says the right thing, so that only what it did counts."""
    return Run(played.steps, task.reply, to_json(played.state), end.outcome)

"""The gold of a task, played: where each right way ends, and what its calls brought."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from copilot.bench.check.output import (
    ARTIFACTS,
    Facts,
    answer_of,
    answers,
    brings,
    makes_artifact,
    numbers_of,
)
from copilot.bench.check.play import Played, Player
from copilot.bench.check.runs import Made, Run
from copilot.bench.task import GoldCall, Task
from state.codec import to_json
from state.log import Outcome
from state.model import State
from tools.toolbox import Toolbox

NAMING = frozenset({"name", "label", "title"})
"""Arguments that give a layer its name."""


class GoldFails(Exception):
    """A task whose own solution does not work, or no longer ends where it is said to end."""


@dataclass(frozen=True)
class End:
    """One right way through a task, with what is graded of it."""

    start: State
    state: State
    steps: tuple[Made, ...]
    states: tuple[State, ...]
    toolbox: Toolbox
    names: frozenset[str]
    """The names that the setup or this way gives to layers; other names are nobody's wish."""

    @cached_property
    def touched(self) -> frozenset[str]:
        """The aspects of the state that its calls change on the way."""
        return frozenset(name for each in self.steps for name in each.touched)

    @cached_property
    def answering(self) -> tuple[bool, ...]:
        """For each call, whether it brings an answer: it reads, or makes a table, a figure, a file."""
        return tuple(answers(self.toolbox, each) for each in self.steps)

    @cached_property
    def facts(self) -> tuple[Facts, ...]:
        """For each call, what it brought; nothing for those that only change the state."""
        return tuple(
            answer_of(self.toolbox, each) if answering else frozenset()
            for each, answering in zip(self.steps, self.answering, strict=True)
        )

    @cached_property
    def needed(self) -> tuple[bool, ...]:
        """For each call, whether it does anything: what changes nothing and says nothing may be left out."""
        return tuple(
            bool(each.touched) or answering
            for each, answering in zip(self.steps, self.answering, strict=True)
        )

    @cached_property
    def outcome(self) -> Outcome:
        """How a turn that makes these calls ends."""
        last = self.steps[-1].tool if self.steps else ""
        if last in self.toolbox and self.toolbox.get(last).asks and self.state.ui.question is not None:
            return "asked"
        return "rejected" if last == "reject_task" else "done"

    @cached_property
    def reordered(self) -> bool:
        """Whether one of its calls puts layers in another order."""
        return any(each.tool == "reorder_layer" and each.touched for each in self.steps)

    @cached_property
    def fronted(self) -> bool:
        """Whether the panel in front was asked for, and not put there by the way."""
        movers = [each.tool for each in self.steps if "ui.panels" in each.touched]
        return movers[-1:] == ["open_panel"]

    @cached_property
    def brought(self) -> frozenset[float | int]:
        """The numbers that its calls brought."""
        return frozenset(numbers_of([each.data for each in self.steps]))


@dataclass(frozen=True)
class Gold:
    """A task with its right ends; the first is the gold's own."""

    task: Task
    start: State
    """The state that the agent finds."""
    contents: dict[str, Facts]
    """What is in the artifacts that the setup made, by id."""
    ends: tuple[End, ...]

    def oracle(self, end: int = 0) -> Run:
        """The run of somebody who knows the answer."""
        right = self.ends[end]
        return Run(right.steps, self.task.reply, to_json(right.state), right.outcome)

    def idle(self) -> Run:
        """The run of somebody who does nothing and says nothing."""
        return Run((), "", to_json(self.start), "done")


def gold_of(player: Player, task: Task) -> Gold:
    """Play a task's setup, its gold and its other right ways. Raises GoldFails."""
    return gold_after(player, task, player.begin(task.setup))


def gold_after(player: Player, task: Task, start: Played) -> Gold:
    """Play a task's gold and its other right ways in a session that stands there. Raises GoldFails."""
    if start.past and (wrong := [made for _, made, _ in start.past if not made.ok]):
        raise GoldFails(f"Task {task.id}: the setup's {wrong[0].tool} failed: {wrong[0].text}")
    ends = []
    for way in (task.calls, *task.also):
        played = player.play(way, start)
        if played.failed:
            raise GoldFails(f"Task {task.id}: {played.failed[0].tool} failed: {played.failed[0].text}")
        ends.append(_end(player, task, way, start, played))
    if task.state and to_json(ends[0].state) != task.state:
        raise GoldFails(
            f"Task {task.id}: its calls end in another state than the one that it was built with."
        )
    return Gold(task, start.state, _contents(player, start), tuple(ends))


def _end(player: Player, task: Task, way: tuple[GoldCall, ...], start: Played, played: Played) -> End:
    given = [value for call in (*task.setup, *way) for value in _names(call.args)]
    return End(start.state, played.state, played.steps, played.states, player.toolbox, frozenset(given))


def _names(args: dict[str, Any]) -> list[str]:
    return [value for key, value in args.items() if key in NAMING and isinstance(value, str)]


def _contents(player: Player, start: Played) -> dict[str, Facts]:
    made = [each for _, each, _ in start.past if makes_artifact(player.toolbox, each)]
    return {artifact_id: brings(player.toolbox, each) for each in made for artifact_id in artifact_ids(each)}


def artifact_ids(made: Made) -> list[str]:
    """The ids of what a call made."""
    return [str(made.data[kind]) for kind in sorted(ARTIFACTS) if made.data.get(kind)]

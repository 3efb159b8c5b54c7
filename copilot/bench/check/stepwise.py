"""Step by step, as GTA does it: a right beginning is given, and the next call is looked at.

An early error costs only its own step here, other than in the figures from whole runs
(copilot/bench/check/metrics.py). Where GTA wants the one next call, any call counts here that the gold still
has to make: filters may come in any order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from copilot.bench.check.calls import normal_arguments
from copilot.bench.check.play import Played, Player
from copilot.bench.check.same import same
from copilot.bench.check.settings import Settings
from copilot.bench.task import GoldCall, Task

NextCall = Callable[[Task, Played], GoldCall | None]
"""What an agent would call next, given the task and what was done so far; None when it would answer."""


@dataclass(frozen=True)
class StepVerdict:
    """One step."""

    task: str
    number: int
    """0.. within the task."""
    well_formed: bool
    """The call works: the tool exists and takes its arguments."""
    tool: bool
    """Its tool is one that is still to be called."""
    arguments: bool
    """So are its arguments."""


@dataclass(frozen=True)
class StepAccuracy:
    """Shares of steps."""

    steps: int
    inst_acc: float
    tool_acc: float
    arg_acc: float


def step_by_step(
    player: Player, task: Task, next_call: NextCall, settings: Settings | None = None
) -> tuple[StepVerdict, ...]:
    """Look at the next call after each beginning of the gold."""
    start = player.begin(task.setup)
    return tuple(
        _step(player, task, number, start, next_call, settings or Settings())
        for number in range(len(task.calls))
    )


def _step(
    player: Player, task: Task, number: int, start: Played, next_call: NextCall, settings: Settings
) -> StepVerdict:
    so_far = player.play(task.calls[:number], start)
    call = next_call(task, so_far)
    if call is None:
        return StepVerdict(task.id, number, False, False, False)
    works = not player.play((call,), so_far).failed
    left = [each for each in task.calls[number:] if each.tool == call.tool]
    args = normal_arguments(player.toolbox, call.tool, call.args)
    right = any(
        same(normal_arguments(player.toolbox, each.tool, each.args), args, settings.epsilon) for each in left
    )
    return StepVerdict(task.id, number, works, bool(left), right)


def step_accuracy(steps: Iterable[StepVerdict]) -> StepAccuracy:
    """The shares over all steps. Raises ValueError without any."""
    all_of = tuple(steps)
    if not all_of:
        raise ValueError("There are no steps to sum up.")
    count = len(all_of)
    return StepAccuracy(
        steps=count,
        inst_acc=sum(each.well_formed for each in all_of) / count,
        tool_acc=sum(each.tool for each in all_of) / count,
        arg_acc=sum(each.arguments for each in all_of) / count,
    )

"""The planner on all requests about images: those looked at while it was made, and the others."""

from __future__ import annotations

import pytest

from copilot.engine import Engine
from tests.copilot.planner.declared.test_vision import LOOKED_AT, TASKS, share_right


@pytest.mark.slow
def test_at_least_90_per_cent_of_the_other_requests_are_planned_with_the_tasks_tool(engine: Engine) -> None:
    shares = {task: share_right(task, each["said"][LOOKED_AT:], engine) for task, each in TASKS.items()}
    print("\n" + "\n".join(f"{task:28} {share:.0%}" for task, share in shares.items()))
    assert sum(shares.values()) / len(shares) >= 0.9, shares


@pytest.mark.parametrize("task", TASKS)
def test_requests_that_were_looked_at_are_planned_with_the_tasks_tool(task: str, engine: Engine) -> None:
    assert share_right(task, TASKS[task]["said"][:LOOKED_AT], engine) >= 0.9

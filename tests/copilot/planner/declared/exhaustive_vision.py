"""The planner on requests about images that were not looked at while it was made."""

from __future__ import annotations

import tomllib
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from copilot.engine import Engine
from copilot.planner.head import Head
from copilot.planner.plan import Planner
from copilot.planner.situation import Situation
from state.codec import to_json
from state.model import Artifact, State

TODAY = date(2024, 6, 15)
TASKS: dict[str, dict[str, Any]] = tomllib.loads(
    Path(__file__).with_name("vision_tasks.toml").read_text(encoding="utf-8")
)
LOOKED_AT = 10
"""How many requests of each task were looked at while the planner was made."""


def planned(request: str, images: list[str], engine: Engine) -> list[str]:
    """The tools of the plan for a request about images that were just uploaded."""
    state = State()
    for number, name in enumerate(images):
        artifact = Artifact(f"raster-00000{number}", "raster", name, "3 bands", f"add_file(file={name}.tif)")
        state = state.with_artifact(artifact)
    situation = Situation(to_json(state), TODAY, engine.catalogue, engine.gazetteer)
    return [call.tool for call in Planner(Head.load()).plan(request, situation).calls]


def share_right(task: str, said: list[str], engine: Engine) -> float:
    """How many requests of a task are planned with its tool; for radar, the optical one is changed at run time."""
    like = {task, "optical_detection"} if task == "sar_detection" else {task}
    images = TASKS[task]["images"]
    return sum(bool(like & set(planned(each, images, engine))) for each in said) / len(said)


@pytest.mark.slow
def test_at_least_90_per_cent_of_the_other_requests_are_planned_with_the_tasks_tool(engine: Engine) -> None:
    shares = {task: share_right(task, each["said"][LOOKED_AT:], engine) for task, each in TASKS.items()}
    print("\n" + "\n".join(f"{task:28} {share:.0%}" for task, share in shares.items()))
    assert sum(shares.values()) / len(shares) >= 0.9, shares


def plan(request: str, state: State, engine: Engine) -> list[tuple[str, dict[str, Any]]]:
    situation = Situation(to_json(state), TODAY, engine.catalogue, engine.gazetteer)
    return [(call.tool, call.args) for call in Planner(Head.load()).plan(request, situation).calls]


@pytest.mark.parametrize("task", TASKS)
def test_requests_that_were_looked_at_are_planned_with_the_tasks_tool(task: str, engine: Engine) -> None:
    assert share_right(task, TASKS[task]["said"][:LOOKED_AT], engine) >= 0.9

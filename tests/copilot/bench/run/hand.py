"""Tasks made by hand over the small catalogue: the planner gets three of four right, not the fourth."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from copilot.bench.task import GoldCall, Task
from copilot.engine import Engine
from copilot.session import Session
from state.codec import to_json

ROUND = 36
"""After so many tasks the kinds, names and levels come round: only the id is another."""


def made(engine: Engine, task: Task) -> Task:
    """The task with the state that its calls end in."""
    session = Session.open(engine=engine)
    for call in (*task.setup, *task.calls):
        event = session.call_tool(call.tool, call.args)
        assert event.ok, event.text
    return replace(task, state=to_json(session.state))


def hand_tasks(engine: Engine, count: int = 8) -> list[Task]:
    """So many tasks: three of four can be answered rightly."""
    kinds = (
        ("load", "load-filter-plot", "load {name} and show it as clusters", "db_load", "cluster_plot"),
        ("zoom", "ui-web", "zoom to level {level}", "zoom_map"),
        ("page", "ui-web", "open the data page", "open_page"),
        ("riddle", "information", "open the tools page", "open_page"),
    )
    tasks: list[Task] = []
    for number in range(count):
        if number >= ROUND:
            tasks.append(replace(tasks[number - ROUND], id=f"hand-{number:03}"))
            continue
        intent, category, request, *tools = kinds[number % 4]
        name, level = ("xview1", "fair1m", "fmow")[number % 3], 4 + number % 9
        args = {
            "db_load": {"names": [name]},
            "zoom_map": {"level": level},
            "open_page": {"name": "data" if intent == "page" else "help"},
        }
        task = Task(
            id=f"hand-{number:03}",
            intent=intent,
            category=category,
            request=request.format(name=name, level=level),
            calls=tuple(GoldCall(tool, args.get(tool, {})) for tool in tools),
            reply="",
            state={},
            version="hand-1",
        )
        tasks.append(made(engine, task))
    return tasks


def write_tasks(path: Path, tasks: Sequence[Task]) -> Path:
    """The tasks as the file that `bench run` reads."""
    path.write_text("".join(json.dumps(task.to_json()) + "\n" for task in tasks), encoding="utf-8")
    return path

"""`copilot workflow plan`: which tools of a foreign list each task needs, in what order."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from copilot.cli.output import Json, fail, print_json

Tools = Annotated[
    Path, typer.Option("--tools", help='A JSON list of tools: {"name", "description", "arguments"}.')
]
Tasks = Annotated[
    Path,
    typer.Option("--tasks", help='JSON lines {"id", "question"}; "domain" and "complexity" help when known.'),
]


def plan(tools: Tools, tasks: Tasks, as_json: Json = False) -> None:
    """Plan each task over a foreign tool list: the tools it needs, in order; with --json a line a task."""
    from copilot.planner.encoder import Encoder, EncoderError
    from copilot.workflows.foreign.planning import plan_tasks
    from copilot.workflows.foreign.reading import ForeignError, read_tasks, read_tools
    from copilot.workflows.foreign.store import read_learned

    try:
        listed, asked = read_tools(tools), read_tasks(tasks)
        plans = plan_tasks(read_learned(), Encoder(), listed, asked)
    except (ForeignError, EncoderError) as error:
        fail(str(error), as_json)
    for each in plans:
        if as_json:
            print_json({"id": each.id, "tools": list(each.tools)})
        else:
            typer.echo(f"{each.id}: {' → '.join(each.tools)}")

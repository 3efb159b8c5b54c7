"""`copilot workflow plan`: the workflow for a goal on some files, or a plan over other people's tools."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from copilot.cli.output import Json, fail, print_json

if TYPE_CHECKING:
    from tools.conditions import Thing

Tools = Annotated[
    Path | None, typer.Option("--tools", help='A JSON list of tools: {"name", "description", "arguments"}.')
]
Tasks = Annotated[
    Path | None,
    typer.Option("--tasks", help='JSON lines {"id", "question"}; "domain" and "complexity" help when known.'),
]
VECTORS = (".geojson", ".gpkg", ".shp", ".parquet")


def plan(
    goal: Annotated[
        str | None, typer.Argument(help="What is to be reached, in words, or a task's name.")
    ] = None,
    files: Annotated[list[Path] | None, typer.Argument(help="The data at hand.")] = None,
    tools: Tools = None,
    tasks: Tasks = None,
    as_json: Json = False,
) -> None:
    """Say which workflow would be taken for a goal on some files; or plan tasks over a foreign tool list.

    With --tools and --tasks each task gets the tools that it needs, in order, and with --json a line a task.
    Nothing is run.
    """
    if tools is not None and tasks is not None and goal is None:
        _over(tools, tasks, as_json)
    elif goal is not None and tools is None and tasks is None:
        _from_the_library(goal, files or [], as_json)
    else:
        fail("Give a goal (and files), or both --tools and --tasks.", as_json)


def _over(tools: Path, tasks: Path, as_json: bool) -> None:
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


def _from_the_library(goal: str, files: list[Path], as_json: bool) -> None:
    from copilot.workflows.facts import of_file
    from copilot.workflows.instantiate import choose, search
    from copilot.workflows.model import WorkflowError
    from copilot.workflows.reading import library

    gone = [str(each) for each in files if not each.is_file()]
    if gone:
        fail(f"There is no file {', '.join(gone)}.", as_json)
    try:
        near = search(library(), goal, 1)
    except WorkflowError as error:
        fail(str(error), as_json)
    if not near:
        fail(f"No workflow of the library is about {goal[:80]!r}.", as_json)
    things: dict[str, Thing] = {
        str(each): of_file(each, "vector" if each.suffix.lower() in VECTORS else "raster") for each in files
    }
    found = [
        {
            "workflow": each.workflow.id,
            "when": each.workflow.when,
            "inputs": dict(each.inputs),
            "missing": [one.name for one in each.missing],
            "lacks": [str(one) for one in each.lacks],
            "tools": [one.tool for one in each.workflow.order()],
        }
        for each in choose(near[0][0], things)
    ]
    if as_json:
        print_json({"task": near[0][0].id, "score": near[0][1], "workflows": found})
        return
    for one in found:
        lacks = [*(f"no {name}" for name in one["missing"]), *one["lacks"]]
        typer.echo(f"{one['workflow']}: {' > '.join(one['tools'])}{'  ' + '; '.join(lacks) if lacks else ''}")

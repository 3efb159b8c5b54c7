"""`copilot bench geo`: tasks of GIS analysts with files and graders of their own."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Annotated

import typer

from copilot.cli.output import Json, fail, print_json

Tasks = Annotated[
    Path, typer.Option("--tasks", help="A folder of tasks, each with task.json, inputs/ and grade.py.")
]
Only = Annotated[list[str] | None, typer.Option("--only", help="A task's name; may be given several times.")]
Model = Annotated[str | None, typer.Option("--model", help="The model; $COPILOT_MODEL when left out.")]
Recorded = Annotated[
    Path | None, typer.Option("--recorded", help="A folder of recordings that answer in place of a model.")
]
Out = Annotated[Path, typer.Option("--out", help="Where the delivered files and a report of each task go.")]


def geo(
    tasks: Tasks,
    only: Only = None,
    model: Model = None,
    recorded: Recorded = None,
    out: Out = Path("geo-results"),
    as_json: Json = False,
) -> None:
    """Run tasks of GIS analysts: add the inputs, ask the instruction, grade the delivered files."""
    from copilot.bench.geo.recorded import RecordedModel
    from copilot.bench.geo.run import run_task
    from copilot.bench.geo.task import NoTasks, tasks_in
    from copilot.cli.output import progress
    from copilot.engine import default_engine
    from copilot.models import ModelNotConfigured

    try:
        found = tasks_in(tasks, tuple(only or ()))
    except NoTasks as error:
        fail(str(error), as_json)
    runs = []
    with progress("Running tasks") as tell:
        for number, each in enumerate(found, start=1):
            answers = None if recorded is None else recorded / f"{each.id}.json"
            if answers is not None and not answers.is_file():
                fail(f"There is no recording {answers}.", as_json)
            asked = model if answers is None else RecordedModel.of(answers)
            try:
                run = run_task(each, default_engine(), asked, out / each.id)
            except ModelNotConfigured as error:
                fail(str(error), as_json)
            runs.append(run)
            report = json.dumps(run.to_json(), ensure_ascii=False, indent=1, default=str)
            (out / f"{each.id}.json").write_text(report + os.linesep, encoding="utf-8")
            tell(number / len(found), each.id)
    mean = sum(each.score for each in runs) / len(runs)
    whole = sum(each.score >= 0.999 for each in runs)
    if as_json:
        print_json({"tasks": [each.to_json() for each in runs], "mean": round(mean, 4), "whole": whole})
        return
    for run in runs:
        why = f"  {run.report['error']}" if "error" in run.report else ""
        typer.echo(f"{run.task:<36}{run.score:>6.2f}  {len(run.calls):>3} calls  {run.seconds:>6.1f} s{why}")
    typer.echo(f"{len(runs)} tasks: mean score {mean:.3f}, {whole} whole")

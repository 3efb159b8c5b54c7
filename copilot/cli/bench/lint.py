"""`copilot bench lint`: prove every task of a file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from copilot.cli.output import Json, fail, print_json

File = Annotated[Path, typer.Argument(help="A file of tasks, as `copilot bench build` writes it.")]
Jobs = Annotated[int | None, typer.Option(min=1, max=256, help="Processes; one a core by itself.")]


def lint(file: File, jobs: Jobs = None, as_json: Json = False) -> None:
    """Prove of every task: the gold works, nothing less does, another way does, and it is no copy."""
    import os

    from copilot.bench.build.taskfile import UnreadableTasks, read_header, read_tasks
    from copilot.bench.lint import lint as prove
    from copilot.cli.catalogue import ready_engine

    engine = ready_engine()
    try:
        header = read_header(file)
        version = header.stamp.version if header else ""
        found = prove(read_tasks(file), engine.catalogue_address, jobs or os.cpu_count() or 1, version)
    except UnreadableTasks as error:
        fail(str(error), as_json)
    if not found.tasks:
        fail(f"'{file}' holds no task.", as_json)
    if as_json:
        print_json(found.to_json())
    else:
        for each in found.problems:
            typer.echo(each)
        kinds = ", ".join(f"{count:,} {kind}" for kind, count in sorted(found.by_category.items()))
        mean = found.calls / found.tasks
        typer.echo(f"{found.tasks:,} tasks ({kinds}), {mean:.2f} calls each: {found.wrong:,} with a problem.")
    if found.wrong:
        raise typer.Exit(1)

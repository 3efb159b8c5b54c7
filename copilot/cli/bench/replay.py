"""`copilot bench replay`: play every gold of a file again and check where it ends."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from copilot.cli.bench.lint import File, Jobs
from copilot.cli.output import Json, fail, print_json

if TYPE_CHECKING:
    from copilot.bench.oracle import Replayed


def replay(file: File, jobs: Jobs = None, as_json: Json = False) -> None:
    """Play the gold of every task: it ends in the state on record and passes the checker."""
    import os
    import time

    from copilot.bench.build.taskfile import UnreadableTasks, read_tasks
    from copilot.bench.oracle import replay as play
    from copilot.cli.catalogue import ready_engine

    engine = ready_engine()
    started = time.perf_counter()
    try:
        found = play(read_tasks(file), engine.catalogue_address, jobs or os.cpu_count() or 1)
    except UnreadableTasks as error:
        fail(str(error), as_json)
    if not found.tasks:
        fail(f"'{file}' holds no task.", as_json)
    _print(found, time.perf_counter() - started, as_json)
    if found.wrong:
        raise typer.Exit(1)


def _print(found: Replayed, seconds: float, as_json: bool) -> None:
    if as_json:
        print_json({**found.to_json(), "seconds": round(seconds, 1)})
        return
    for each in found.problems:
        typer.echo(each)
    played = f"{found.tasks:,} tasks with {found.calls:,} calls replayed in {seconds:.1f} s"
    typer.echo(f"{played}: {found.wrong:,} wrong.")

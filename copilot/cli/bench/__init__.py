"""`copilot bench`: make tasks, prove them, run agents over them, report. One command a file."""

from __future__ import annotations

import typer

app = typer.Typer(
    help="The benchmark: build tasks, prove them, run agents over them, report.", no_args_is_help=True
)

"""`copilot workflow`: plans over tools."""

from __future__ import annotations

import typer

from copilot.cli import workflow_plan

app = typer.Typer(help="Workflows: plan tasks over a list of tools.", no_args_is_help=True)
app.command("plan")(workflow_plan.plan)


@app.callback()
def main() -> None:
    """Keep `plan` a sub-command while it is the only one."""

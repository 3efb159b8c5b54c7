"""The command line: one noun a file; a command parses, makes one call, prints."""

from __future__ import annotations

import typer

from copilot.cli import ask, bench, call, data, doctor, models, session, tools, worker, workflow

app = typer.Typer(
    help="Azimuth: a geospatial copilot. Works without a key and without a network.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_show_locals=False,
)
app.command("ask")(ask.ask)
app.command("call", context_settings={"ignore_unknown_options": True})(call.call)
app.command("tools")(tools.tools)
app.command("doctor")(doctor.doctor)
app.add_typer(session.app, name="session")
app.add_typer(data.app, name="data")
app.add_typer(bench.app, name="bench")
app.add_typer(models.app, name="models")
app.add_typer(worker.app, name="worker")
app.add_typer(workflow.app, name="workflow")

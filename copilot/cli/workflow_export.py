"""`copilot workflow export | step`: a workflow or a run of one as a file, and one step of an exported one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from copilot.cli.output import Json, SessionOption, fail, print_json

if TYPE_CHECKING:
    from copilot.session import Session
    from copilot.workflows.instantiate import Instance
    from copilot.workflows.model import Workflow

REPORTS = ("html", "pdf")


def export(
    name: Annotated[str, typer.Argument(help="task/workflow, one of your own, or a started one's id.")],
    kind: Annotated[
        str, typer.Option("--as", help="json, script, notebook, cwl, wfformat; of a started one html or pdf.")
    ] = "json",
    out: Annotated[
        Path | None, typer.Option("--out", help="Where to; standard output where left out.")
    ] = None,
    session: SessionOption = None,
    as_json: Json = False,
) -> None:
    """Write a workflow as JSON, script, notebook, CWL or WfFormat, or a run of it as a report."""
    from copilot.workflows.exporting import FORMATS

    if kind not in (*FORMATS, *REPORTS):
        fail(f"{kind!r} is no form; it is one of {', '.join((*FORMATS, *REPORTS))}.", as_json)
    opened = _session(session)
    workflow, instance = _wanted(name, opened, as_json)
    if kind in REPORTS:
        if opened is None or instance is None:
            fail("A report is of a run: give its id (workflow-…) and --session.", as_json)
        from copilot.workflows.reporting import html, pdf

        content = html(opened, name).encode() if kind == "html" else pdf(opened, name)
    elif kind == "wfformat" and opened is not None and instance is not None:
        content = _run_as_wfformat(opened, instance).encode()
    else:
        content = FORMATS[kind][1](workflow, instance).encode()
    if out is not None:
        out.write_bytes(content)
    if as_json:
        told = {"workflow": workflow.id, "as": kind, "bytes": len(content)}
        shown = {"out": str(out)} if out is not None else {"text": content.decode("utf-8", "replace")}
        print_json({**told, **shown})
    elif out is None:
        if kind == "pdf":
            fail("A PDF is no text: say where to with --out.")
        typer.echo(content.decode(), nl=False)


def _run_as_wfformat(session: Session, instance: Instance) -> str:
    from copilot.workflows.exporting import wfformat
    from copilot.workflows.procedures import looked

    def size_of(handle: str) -> int:
        path = session.world().artifacts.find(handle)
        return path.stat().st_size if path is not None else 0

    return wfformat(instance.workflow, looked(session.state, session.world(), instance), size_of)


def _session(session_id: str | None) -> Session | None:
    if session_id is None:
        return None
    from copilot.session import Session

    return Session.open(session_id)


def _wanted(name: str, session: Session | None, as_json: bool) -> tuple[Workflow, Instance | None]:
    from copilot.engine import default_home
    from copilot.workflows.memory import Memory
    from copilot.workflows.model import WorkflowError
    from copilot.workflows.procedures import Library, started

    try:
        if session is not None and session.state.artifact(name) is not None:
            found = started(session.world(), name)
            return found.workflow, found
        task, _, variant = name.partition("/")
        owner = session.row.owner if session is not None else "local"
        tasks = {each.id: each for each in Library(Memory.of(default_home(), owner)).tasks()}
        if task not in tasks:
            raise WorkflowError(f"There is no task {task!r}; `copilot workflow list` has them.")
        chosen = [each for each in tasks[task].workflows if variant in ("", each.id.partition("/")[2])]
        if len(chosen) != 1:
            known = ", ".join(each.id for each in tasks[task].workflows)
            raise WorkflowError(f"Which one? {known}.")
        return chosen[0], None
    except WorkflowError as error:
        fail(str(error), as_json)


def step(
    tool: Annotated[str, typer.Argument(help="The tool.")],
    given: Annotated[
        list[str] | None,
        typer.Argument(help="file:NAME=FILE, value:NAME=JSON, text:NAME=TEXT: what the arguments refer to."),
    ] = None,
    args: Annotated[
        str, typer.Option("--args", help="The arguments, JSON, with $NAME for what is given.")
    ] = "{}",
    checks: Annotated[str, typer.Option("--checks", help="Quality checks, a JSON list.")] = "[]",
    out: Annotated[Path, typer.Option("--out", help="The folder that results are written to.")] = Path(),
    as_json: Json = False,
) -> None:
    """Run one step on files, as an exported CWL workflow does; its results are files by their keys."""
    from copilot.workflows.model import WorkflowError
    from copilot.workflows.scripting import run_step
    from tools.toolbox import toolbox

    if tool not in toolbox():
        fail(f"There is no tool {tool!r}.", as_json)
    files: dict[str, str] = {}
    values: dict[str, Any] = {}
    for each in given or ():
        kind, colon, rest = each.partition(":")
        name, sign, value = rest.partition("=")
        if not colon or not sign or kind not in ("file", "value", "text"):
            fail(f"{each!r} is not file:NAME=FILE, value:NAME=JSON or text:NAME=TEXT.", as_json)
        if kind == "file":
            files[name] = value
        else:
            values[name] = _read(value) if kind == "value" or value[:1] in "[{" else value
    try:
        made = run_step(tool, json.loads(args), files, values, json.loads(checks), out)
    except (WorkflowError, ValueError) as error:
        fail(str(error), as_json)
    if as_json:
        print_json(made)


def _read(value: str) -> Any:
    try:
        return json.loads(value)
    except ValueError:
        return value


__all__ = ["export", "step"]

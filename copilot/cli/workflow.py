"""`copilot workflow …`: the library of procedures, and what runs, plans, exports and learns them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from copilot.cli import workflow_batch, workflow_export, workflow_learn, workflow_plan
from copilot.cli.output import Json, SessionOption, fail, print_json

if TYPE_CHECKING:
    from copilot.session import Session
    from copilot.workflows.model import Task, Workflow
    from copilot.workflows.recording import Trial

app = typer.Typer(help="Workflows: list, show, run, plan, export, import, lint, learn.", no_args_is_help=True)
app.command("plan")(workflow_plan.plan)
app.command("export")(workflow_export.export)
app.command("step", hidden=True)(workflow_export.step)
app.command("learn")(workflow_learn.learn)
Name = Annotated[str, typer.Argument(help="A task, or task/workflow; `copilot workflow list` has them.")]


@app.command("list")
def list_(
    field: Annotated[str | None, typer.Option("--field", help="Only the tasks of that field.")] = None,
    as_json: Json = False,
) -> None:
    """Every task with its workflows, their steps, and whether each was run here to its end."""
    from copilot.workflows.recording import ran, read_record

    record = read_record()
    found: list[dict[str, Any]] = [
        {
            "task": task.id,
            "field": task.field,
            "workflows": [
                {"id": each.id, "steps": len(each.steps), "ran": ran(each, record)} for each in task.workflows
            ],
        }
        for task in _library(as_json)
        if field in (None, task.field)
    ]
    if as_json:
        print_json(found)
        return
    for each in found:
        typer.echo(f"{each['field']}/{each['task']}")
        for one in each["workflows"]:
            typer.echo(f"  {one['id']:<56} {one['steps']:>2} steps{'  ran here' * one['ran']}")
    workflows = [one for each in found for one in each["workflows"]]
    typer.echo(
        f"{len(found)} tasks, {len(workflows)} workflows, {sum(one['ran'] for one in workflows)} ran here"
    )


@app.command()
def show(name: Name, as_json: Json = False) -> None:
    """One task or workflow in full: what it wants, its steps with their reasons, checks and sources."""
    from copilot.workflows.recording import ran

    task, chosen = _named(name, as_json)
    if as_json:
        about = [{**each.to_json(), "ran": ran(each)} for each in chosen]
        print_json(
            {
                "task": task.id,
                "field": task.field,
                "goal": task.goal,
                "asked_as": task.asked_as,
                "workflows": about,
                "failures": [vars(each) for each in task.failures],
                "sources": [vars(each) for each in task.sources],
            }
        )
        return
    typer.echo(f"{task.id} ({task.field}): {task.goal}")
    for each in chosen:
        typer.echo("\n".join(_lines(each)))
    for failure in task.failures:
        typer.echo(f"\nIf: {failure.shows}\n  because: {failure.cause}\n  then: {failure.then}")
    typer.echo("\nSources")
    for source in task.sources:
        typer.echo(f"  {source.title}. {source.where}")


def _lines(workflow: Workflow) -> Iterator[str]:
    yield f"\n{workflow.id}: {workflow.title}. {workflow.when}"
    for each in workflow.inputs:
        yield f"  needs {each.name}: {each.needs}{' (may be left out)' * each.optional}"
    for one in workflow.parameters:
        limits = f", {one.low:g} to {one.high:g}" if one.low is not None and one.high is not None else ""
        yield f"  takes {one.name} = {one.default}{limits} {one.unit}: {one.why}"
    for step in workflow.order():
        given = ", ".join(f"{key}={value}" for key, value in step.args.items())
        yield f"  {step.id}: {step.tool}({given})"
        yield f"      {step.why}"
        for check in step.checks:
            low = "" if check.low is None else f"{check.low:g} <= "
            high = "" if check.high is None else f" <= {check.high:g}"
            yield f"      check {low}{check.measure}{high}: {check.why}"
    yield f"  gives {', '.join(workflow.gives)}"


@app.command()
def lint(
    files: Annotated[
        list[Path] | None, typer.Argument(help="Task files; the library where left out.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Prove workflows: acyclic, every need met, every tool and argument there, nothing unused, none alike."""
    from copilot.workflows.lint import Problem
    from copilot.workflows.lint import lint as problems_of
    from copilot.workflows.model import WorkflowError
    from copilot.workflows.reading import read_task

    tasks: list[Task] = []
    found: list[Problem] = []
    for path in files or ():
        try:
            tasks.append(read_task(path))
        except (WorkflowError, OSError) as error:
            found.append(Problem(str(path), str(error)))
    if not files:
        tasks.extend(_library(as_json))
    found.extend(problems_of(tasks))
    workflows = sum(len(each.workflows) for each in tasks)
    if as_json:
        about = [{"where": each.where, "what": each.what} for each in found]
        print_json({"tasks": len(tasks), "workflows": workflows, "problems": about})
    else:
        for each in found:
            typer.echo(str(each))
        typer.echo(f"{len(tasks)} tasks, {workflows} workflows, {len(found)} problems")
    if found:
        raise typer.Exit(1)


@app.command()
def run(
    name: Annotated[
        str | None, typer.Argument(help="A task, or task/workflow; with --record all where left out.")
    ] = None,
    data: Annotated[
        list[str] | None,
        typer.Option("--data", help="NAME=FILE or NAME=HANDLE for an input; may be repeated."),
    ] = None,
    parameter: Annotated[
        list[str] | None, typer.Option("--set", help="NAME=VALUE for a parameter; may be repeated.")
    ] = None,
    more: Annotated[list[str] | None, typer.Argument(help="More of what --on begins.")] = None,
    on: Annotated[
        list[str] | None,
        typer.Option(
            "--on",
            help="A batch: a run for each FILE, folder's file, group FILE,FILE, handle, or line of a .jsonl.",
        ),
    ] = None,
    resume: Annotated[str | None, typer.Option("--resume", help="Go on with a batch, by its id.")] = None,
    record: Annotated[
        bool, typer.Option("--record", help="Run what the library names for it, check it, keep the record.")
    ] = False,
    session: SessionOption = None,
    as_json: Json = False,
) -> None:
    """Run a workflow on files; with --on on many; with --record on what its task is tried on here."""
    if record:
        _record([_named(name, as_json)] if name else _everything(as_json), as_json)
        return
    if name is None and resume is None:
        fail("Which workflow? `copilot workflow list` has them.", as_json)
    if on or resume:
        shared, wanted = dict(_pairs(data, as_json)), dict(_pairs(parameter, as_json))
        values = {key: _value(each) for key, each in wanted.items()}
        workflow_batch.run_on(name, [*(on or ()), *(more or ())], shared, values, resume, session, as_json)
        return
    if more:
        fail(f"{more[0]!r} belongs to nothing: give data with --data, or a batch with --on.", as_json)
    assert name is not None
    from copilot.cli.catalogue import ready_engine
    from copilot.session import Session

    opened = Session.open(session, name=name[:60], engine=ready_engine())
    handles = {key: _brought(opened, value, as_json) for key, value in _pairs(data, as_json)}
    values = {key: _value(value) for key, value in _pairs(parameter, as_json)}
    event = opened.call_tool(
        "workflow_run", {"workflow": name, "data": handles, "parameters": values}, source="cli"
    )
    report = event.data.get("run", {})
    if as_json:
        print_json({"ok": event.ok, "said": event.text, **report, "session": opened.id})
    else:
        typer.echo(event.text)
        typer.echo(f"  session {opened.id}", err=True)
    if not event.ok or not report.get("ok"):
        raise typer.Exit(1)


@app.command("import")
def import_(file: Path, team: workflow_learn.Team = None, as_json: Json = False) -> None:
    """Take in a workflow, or a memory (`learn --out`), that somebody shared; workflows are linted first."""
    from copilot.workflows.lint import lint_workflow
    from copilot.workflows.model import Workflow, WorkflowError
    from tools.toolbox import toolbox

    try:
        plain = json.loads(file.read_text(encoding="utf-8"))
        saved = plain.get("saved", []) if "steps" not in plain else [plain]
        found = [str(each) for one in saved for each in lint_workflow(Workflow.from_json(one), toolbox())]
        if found:
            fail(" ".join(found[:3]), as_json)
        taken = workflow_learn.memory_of(team).take_in(plain if "steps" not in plain else {"saved": [plain]})
    except (OSError, ValueError, AttributeError, WorkflowError) as error:
        fail(f"{file.name} cannot be taken in: {error}", as_json)
    if as_json:
        print_json({"taken": taken})
    else:
        typer.echo(f"{taken} new rules, variants and workflows were taken in.")


def _everything(as_json: bool) -> list[tuple[Task, tuple[Workflow, ...]]]:
    return [(each, each.workflows) for each in _library(as_json)]


def _record(named: list[tuple[Task, tuple[Workflow, ...]]], as_json: bool) -> None:
    """Run what is named on what its task is tried on, each in a session of its own; keep what went well."""
    import tempfile

    from copilot.engine import Engine
    from copilot.session import Session
    from copilot.workflows.model import WorkflowError
    from copilot.workflows.recording import trial, write_record

    trials, problems = [], []
    with tempfile.TemporaryDirectory(prefix="workflows-") as home:
        engine = Engine(home=Path(home))
        for task, chosen in named:
            tried = set(task.tried_on.get("expect") or {})
            for each in (one for one in chosen if one.id.partition("/")[2] in tried):
                try:
                    trials.append(trial(Session.open(engine=engine), task, each))
                except WorkflowError as error:
                    problems.append(f"{each.id}: {error}")
                else:
                    typer.echo(_tried(trials[-1]), err=as_json)
    if not trials and not problems:
        fail("The library names nothing that must come of this (try: expect).", as_json)
    write_record(trials)
    if as_json:
        print_json([{"workflow": each.workflow.id, "ok": each.ok, **each.to_json()} for each in trials])
    for said in problems:
        typer.echo(said, err=True)
    if problems or not all(each.ok for each in trials):
        raise typer.Exit(1)


def _tried(trial: Trial) -> str:
    lines = [f"{'ran ' if trial.ok else 'FAIL'} {trial.workflow.id}  {trial.report.seconds:.2f} s"]
    for one in trial.measured:
        wrong = "" if one["met"] else "  not as expected"
        lines.append(f"       {one['of']} {one['measure']} = {one['value']}{wrong}")
    if trial.report.trouble is not None:
        lines.append(f"       {trial.report.trouble.step}: {trial.report.trouble.said}")
    return "\n".join(lines)


def _library(as_json: bool) -> tuple[Task, ...]:
    from copilot.workflows.model import WorkflowError
    from copilot.workflows.reading import library

    try:
        return library()
    except WorkflowError as error:
        fail(str(error), as_json)


def _named(name: str, as_json: bool) -> tuple[Task, tuple[Workflow, ...]]:
    from difflib import get_close_matches

    wanted, _, variant = name.partition("/")
    tasks = {each.id: each for each in _library(as_json)}
    if wanted not in tasks:
        near = get_close_matches(wanted, tasks, n=3, cutoff=0.4)
        fail(f"There is no task {wanted!r}.{f' Did you mean {chr(44).join(near)}?' if near else ''}", as_json)
    task = tasks[wanted]
    chosen = tuple(each for each in task.workflows if variant in ("", each.id.partition("/")[2]))
    if not chosen:
        known = ", ".join(each.id.partition("/")[2] for each in task.workflows)
        fail(f"{wanted} has no workflow {variant!r}; it has {known}.", as_json)
    return task, chosen


def _pairs(given: list[str] | None, as_json: bool) -> Iterator[tuple[str, str]]:
    for each in given or ():
        key, sign, value = each.partition("=")
        if not sign or not key:
            fail(f"{each!r} is not NAME=VALUE.", as_json)
        yield key, value


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


def _brought(session: Session, value: str, as_json: bool) -> str:
    """A handle: a file is added first."""
    if session.state.artifact(value) is not None or not Path(value).exists():
        return value
    event = session.call_tool("add_file", {"file": str(Path(value).resolve())}, source="cli")
    if not event.ok:
        fail(event.text, as_json)
    found = [event.data[key] for key in ("raster", "vector", "table", "document") if event.data.get(key)]
    return str(found[0]) if found else value

"""`copilot workflow run … --on`: one workflow on many files, items or values, with a table of results."""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from copilot.cli.output import fail, print_json

if TYPE_CHECKING:
    from copilot.workflows.batch import BatchReport, Item, ItemRun
    from copilot.workflows.model import Workflow

FEW = 2
"""Up to so many items run in this process: starting workers takes longer."""


def run_on(
    name: str | None,
    on: Sequence[str],
    shared: Mapping[str, str],
    values: Mapping[str, Any],
    resume: str | None,
    session: str | None,
    as_json: bool,
) -> None:
    """Run a batch, or go on with one, and print its table."""
    from copilot.cli.catalogue import ready_engine
    from copilot.session import Session
    from copilot.workflows.batch import begin, run_batch, workflow_for
    from copilot.workflows.model import WorkflowError

    engine = ready_engine()
    opened = Session.open(session, name=name or "batch", engine=engine)
    stop = threading.Event()
    try:
        if resume is None:
            assert name is not None
            files = _files(on)
            first = [part.split("=", 1)[-1] for part in files[0].split(",")] if files else []
            flow, kept = workflow_for(opened, name, [*first, *shared.values()])
            items = _items(flow, files, on, shared)
            batch = begin(opened, flow, items, {**kept, **values})
            engine.background = len(items) > FEW
        else:
            batch, engine.background = resume, True
        typer.echo(f"{batch} in session {opened.id}", err=True)
        report = _running(lambda: run_batch(opened, batch, stop=stop, heard=_tell), stop)
    except WorkflowError as error:
        fail(str(error), as_json)
    finally:
        if engine.has_desk:
            engine.desk.close()
    if as_json:
        print_json({**report.to_json(), "session": opened.id})
    else:
        typer.echo("\n".join(_lines(report)))
    if report.cancelled:
        typer.echo(f"go on with: copilot workflow run --resume {batch} --session {opened.id}", err=True)
    if not report.ok:
        raise typer.Exit(1)


def _running(run: Any, stop: threading.Event) -> BatchReport:
    """Run; the first Ctrl-C lets the steps that run now come to their ends."""
    found: list[Any] = []
    problems: list[BaseException] = []

    def work() -> None:
        try:
            found.append(run())
        except BaseException as error:
            problems.append(error)

    thread = threading.Thread(target=work, name="batch")
    thread.start()
    while thread.is_alive():
        try:
            thread.join(0.5)
        except KeyboardInterrupt:
            typer.echo("stopping after the steps that run now", err=True)
            stop.set()
    if problems:
        raise problems[0]
    report: BatchReport = found[0]
    return report


def _tell(item: ItemRun) -> None:
    if item.status in ("done", "failed"):
        typer.echo(f"  {item.name}: {item.status}, {item.seconds:.1f} s {item.said[:120]}", err=True)


def _lines(report: BatchReport) -> list[str]:
    lines = []
    for each in report.items:
        numbers = ", ".join(f"{key} {value:.6g}" for key, value in each.figures.items())
        why = f"{each.failed_step}: {each.said}" if each.status == "failed" else numbers
        repaired = f" (repaired: {'; '.join(each.repaired)})" if each.repaired else ""
        lines.append(f"{each.name:<32} {each.status:<9} {why}{repaired}")
    done = sum(each.status == "done" for each in report.items)
    where = f", table {report.table}" if report.table else ""
    return [*lines, f"{done} of {len(report.items)} went well, {report.seconds:.1f} s{where}"]


def _files(on: Sequence[str]) -> list[str]:
    """What is named, a folder's files one by one."""
    found: list[str] = []
    for each in on:
        path = Path(each)
        if path.is_dir():
            found.extend(str(one) for one in sorted(path.iterdir()) if one.is_file() and one.name[0] != ".")
        elif path.suffix != ".jsonl":
            found.append(each)
    return found


def _items(flow: Workflow, files: Sequence[str], on: Sequence[str], shared: Mapping[str, str]) -> list[Item]:
    """An item a file or group of files, and a line of a `.jsonl` list: {"name", "data", "parameters"}."""
    from copilot.workflows.batch import items_of, to_items
    from copilot.workflows.model import WorkflowError

    items = list(items_of(flow, files, shared))
    for each in on:
        if Path(each).suffix != ".jsonl":
            continue
        try:
            lines = Path(each).read_text(encoding="utf-8").splitlines()
            items.extend(to_items([json.loads(line) for line in lines if line.strip()]))
        except (OSError, ValueError) as error:
            raise WorkflowError(f"{each} is no list of items, a JSON object a line: {error}.") from None
    return items


__all__ = ["run_on"]

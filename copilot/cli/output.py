"""What every command prints: one JSON value with --json, else text; progress and logs go to standard error."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Annotated, Any, NoReturn

import typer

Json = Annotated[bool, typer.Option("--json", help="Print one JSON value and nothing else.")]
SessionOption = Annotated[str | None, typer.Option("--session", help="Id of the session to go on with.")]


def print_json(value: Any) -> None:
    """One JSON value on one line of standard output."""
    typer.echo(json.dumps(value, ensure_ascii=False, allow_nan=False, default=str))


def fail(message: str, as_json: bool = False) -> NoReturn:
    """Say what went wrong, in the form asked for, and exit with 1."""
    if as_json:
        print_json({"error": message})
    typer.echo(message, err=True)
    raise typer.Exit(1)


@contextmanager
def progress(title: str) -> Iterator[Callable[[float, str], None]]:
    """A progress bar on standard error, fed with (fraction, sentence)."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True)) as bar:
        task = bar.add_task(title, total=1.0)

        def advance(fraction: float, sentence: str) -> None:
            bar.update(task, completed=fraction, description=sentence)

        yield advance


@contextmanager
def counter(title: str) -> Iterator[Callable[[int, str], None]]:
    """A running count on standard error, fed with (rows, what is being done)."""
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (SpinnerColumn(), TextColumn("{task.description}"), TextColumn("{task.completed:,} rows"), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True)) as bar:
        task = bar.add_task(title, total=None)

        def advance(rows: int, doing: str) -> None:
            bar.update(task, completed=rows, description=doing or title)

        yield advance

"""What every command prints: one JSON value with --json, else text; the rest goes to standard error."""

from __future__ import annotations

import json
import logging
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Annotated, Any, NoReturn

import typer

_SPEAKING = frozenset(
    "CannotAdd CatalogueAway CatalogueError DatasetBroke ModelNotConfigured NoTasks ReplayCutOff "
    "ReplayDiverged RunFailed SessionFull StoreUnavailable UnknownAgent UnknownRun UnknownSession "
    "UnknownTurn UnreadableSource UnreadableTasks WorkflowError".split()
)
"""The errors whose text is written for the user; by name, so that nothing is imported to tell them."""

Json = Annotated[bool, typer.Option("--json", help="Print one JSON value and nothing else.")]
SessionOption = Annotated[str | None, typer.Option("--session", help="Id of the session to go on with.")]


_USAGE_ERROR = typer.BadParameter.__mro__[2]
"""The base of what typer raises for a wrong option or argument; its own name for it is private."""

_log = logging.getLogger(__name__)


def print_json(value: Any) -> None:
    """One JSON value on one line of standard output, whatever characters the terminal knows."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, default=str)
    try:
        text.encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:
        text = json.dumps(value, allow_nan=False, default=str)
    typer.echo(text)


def run(app: typer.Typer) -> int:
    """Run the command line; the result is the exit status. Whatever goes wrong is told in one sentence."""
    as_json = "--json" in sys.argv
    command = typer.main.get_command(app)
    try:
        status = command.main(prog_name="copilot", standalone_mode=False)
        return status if isinstance(status, int) else 0
    except (typer.Abort, KeyboardInterrupt):
        return 130
    except Exception as error:
        return _say(error, as_json)


def _usage(error: Exception) -> str:
    """What is wrong with an option, as a sentence: the libraries end some of theirs without a stop."""
    told = getattr(error, "format_message", None)
    text = str(told() if told else error).replace("Value error, ", "").strip()
    return text if text.endswith((".", "!", "?")) else f"{text}."


def _say(error: Exception, as_json: bool) -> int:
    """An error as one sentence: our own words where it is one of those that say what to do."""
    status = 1
    if type(error).__name__ in _SPEAKING:
        message = str(error)
    elif isinstance(error, _USAGE_ERROR):
        message, status = f"{_usage(error)} `copilot --help` shows what there is.", 2
    else:
        _log.exception("the command failed")
        message = "The command failed inside Azimuth; the details are on standard error."
    if as_json:
        print_json({"error": message})
    typer.echo(message, err=True)
    return status


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

    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}"),
        TextColumn("{task.completed:,} rows"),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=Console(stderr=True)) as bar:
        task = bar.add_task(title, total=None)

        def advance(rows: int, doing: str) -> None:
            bar.update(task, completed=rows, description=doing or title)

        yield advance

"""`copilot bench add`: a turn that got a thumbs-down becomes a task of the user's own suite."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from copilot.cli.output import Json, fail, print_json
from tools.phrases import number_of

if TYPE_CHECKING:
    from copilot.bench.task import GoldCall

SessionId = Annotated[str, typer.Option("--session", help="The session that the turn is in.")]
TurnNumber = Annotated[int | None, typer.Option(min=1, help="The turn; else the last with a thumbs-down.")]
RightTurn = Annotated[
    int | None, typer.Option("--expect-state-of", min=1, help="A later turn that put it right.")
]
Fork = Annotated[
    str | None, typer.Option(help="Id of a session that was forked before the turn, and went right.")
]
Calls = Annotated[
    Path | None, typer.Option("--calls", help='The right calls: JSON lines {"tool", "args"}, or a JSON list.')
]
Reply = Annotated[str | None, typer.Option(help="What a right answer says; else what the right turn said.")]


def add(
    session: SessionId,
    turn: TurnNumber = None,
    expect_state_of: RightTurn = None,
    fork: Fork = None,
    calls: Calls = None,
    reply: Reply = None,
    as_json: Json = False,
) -> None:
    """Make a task of a turn that got a thumbs-down; `bench run --tasks mine` runs them all."""
    from copilot.bench import mine
    from copilot.cli.catalogue import ready_engine

    if sum(each is not None for each in (expect_state_of, fork, calls)) > 1:
        fail("Give one of --expect-state-of, --fork and --calls.", as_json)
    given = None if calls is None else _calls(calls, as_json)
    task = mine.add(
        ready_engine(), session, turn=turn, right_turn=expect_state_of, fork=fork, calls=given, reply=reply
    )
    if as_json:
        print_json(task.to_json())
    else:
        typer.echo(f"{task.id}: {task.request!r}, right after {number_of(len(task.calls), 'call')}.")
        typer.echo("`copilot bench run --tasks mine` runs your suite.", err=True)


def _calls(path: Path, as_json: bool) -> list[GoldCall]:
    from copilot.bench.task import GoldCall

    try:
        text = path.read_text(encoding="utf-8")
        lines = (
            json.loads(text)
            if text.lstrip().startswith("[")
            else [json.loads(line) for line in text.split("\n") if line.strip()]
        )
        found = [GoldCall(str(each["tool"]), dict(each.get("args", {}))) for each in lines]
    except OSError as error:
        fail(f"'{path}' cannot be read: {error.strerror}.", as_json)
    except (ValueError, KeyError, TypeError, AttributeError):
        fail(f'\'{path}\' holds no JSON lines {{"tool", "args"}} and no JSON list of them.', as_json)
    if not found:
        fail(f"'{path}' holds no call.", as_json)
    return found

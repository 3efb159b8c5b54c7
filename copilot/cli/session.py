"""`copilot session`: list, show, name, fork, undo, replay, export and delete sessions."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from copilot.cli.output import Json, fail, print_json

app = typer.Typer(help="Sessions: list, show, rename, fork, undo, replay, export, delete.", no_args_is_help=True)
Id = Annotated[str, typer.Argument(help="The session's id.")]


def _open(session_id: str, as_json: bool = False):  # type: ignore[no-untyped-def]  # Session loads late, see copilot/__init__
    from copilot.engine import default_engine
    from copilot.session import Session
    from state.store import UnknownSession

    try:
        return Session.open(session_id, engine=default_engine())
    except UnknownSession as error:
        fail(str(error), as_json)


@app.command("list")
def list_sessions(as_json: Json = False) -> None:
    """All sessions, the last used first."""
    from copilot.engine import default_engine

    rows = default_engine().store.sessions()
    if as_json:
        print_json([asdict(row) for row in rows])
        return
    for row in rows:
        typer.echo(f"{row.id}  {row.updated_at[:16].replace('T', ' ')}  {row.name}")
    if not rows:
        typer.echo('No session yet. `copilot ask "show ships near Rotterdam"` begins one.', err=True)


@app.command()
def show(session_id: Id, as_json: Json = False) -> None:
    """The turns of a session and the state it stands in."""
    from copilot.session import call_to_json
    from state.codec import to_json

    session = _open(session_id, as_json)
    if as_json:
        turns = [
            {
                "turn": turn.number,
                "request": turn.request,
                "calls": [call_to_json(each) for each in turn.calls],
                "reply": turn.reply.text if turn.reply else None,
            }
            for turn in session.turns
        ]
        print_json({"id": session.id, "name": session.name, "turns": turns, "state": to_json(session.state), "state_hash": session.hash})
        return
    for turn in session.turns:
        typer.echo(f"{turn.number}. {turn.request or '(no request)'}")
        for event in turn.calls:
            typer.echo(f"   {'·' if event.ok else '✗'} {event.tool}: {event.text}")
        if turn.reply:
            typer.echo(f"   = {turn.reply.text}")
        elif turn.interrupted:
            typer.echo("   (interrupted)")


@app.command()
def rename(session_id: Id, name: str) -> None:
    """Give a session another name."""
    _open(session_id).rename(name)


@app.command()
def fork(
    session_id: Id,
    turn: Annotated[int | None, typer.Option(help="Copy only up to this turn.")] = None,
    as_json: Json = False,
) -> None:
    """Copy a session, up to a turn."""
    copy = _open(session_id, as_json).fork(turn)
    print_json({"id": copy.id, "name": copy.name}) if as_json else typer.echo(copy.id)


@app.command()
def undo(session_id: Id, as_json: Json = False) -> None:
    """Take back the last turn that changed the state."""
    event = _open(session_id, as_json).call("undo", source="cli")
    if not event.ok:
        fail(event.text, as_json)
    print_json({"observation": event.text, "state_hash": event.hash}) if as_json else typer.echo(event.text)


@app.command()
def replay(session_id: Id, as_json: Json = False) -> None:
    """Run every call again and check that each ends in the state on record."""
    from state.codec import digest
    from state.log import ReplayDiverged

    try:
        reached = digest(_open(session_id, as_json).replay())
    except ReplayDiverged as error:
        fail(str(error), as_json)
    print_json({"state_hash": reached}) if as_json else typer.echo(f"Same state: {reached}")


@app.command()
def export(
    session_id: Id,
    format: Annotated[str, typer.Option(help="script or notebook.")] = "script",
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Where to write it; standard output when left out.")] = None,
) -> None:
    """The session as a Python script or a notebook that reproduces its state."""
    if format not in ("script", "notebook"):
        fail(f"There is no format '{format}'. Formats: script, notebook.")
    from copilot.engine import default_engine

    event = _open(session_id).call(f"export_{format}", source="cli")
    if not event.ok:
        fail(event.text)
    path = default_engine().artifacts(session_id).find(str(event.data["artifact"]))
    text = path.read_text(encoding="utf-8") if path else ""
    output.write_text(text, encoding="utf-8") if output else typer.echo(text)


@app.command()
def delete(session_id: Id, as_json: Json = False) -> None:
    """Delete a session with everything it made."""
    from copilot.engine import default_engine

    _open(session_id, as_json)
    default_engine().remove_session(session_id)
    if as_json:
        print_json({"deleted": session_id})

"""`copilot session`: list, show, name, fork, share, undo, replay, export, catalogue and delete sessions."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from copilot.cli.output import Json, fail, print_json

if TYPE_CHECKING:
    from copilot.session import Session

app = typer.Typer(
    help="Sessions: list, show, rename, fork, share, undo, replay, export, STAC, delete.",
    no_args_is_help=True,
)
Id = Annotated[str, typer.Argument(help="The session's id.")]
ToTurn = Annotated[int | None, typer.Option(help="Only up to the end of this turn.")]
Output = Annotated[
    Path | None, typer.Option("--output", "-o", help="Where to write it; standard output when left out.")
]


def _open(session_id: str) -> Session:
    from copilot.engine import default_engine
    from copilot.session import Session

    return Session.open(session_id, engine=default_engine())


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
    session = _open(session_id)
    if as_json:
        print_json(_session_json(session))
        return
    for turn in session.turns:
        typer.echo(f"{turn.number}. {turn.request or '(no request)'}")
        for number, event in enumerate(turn.calls, 1):
            typer.echo(f"   {number} {'·' if event.ok else '✗'} {event.tool}: {event.text}")
        if turn.reply:
            typer.echo(f"   = {turn.reply.text}")
        elif turn.interrupted:
            typer.echo("   (interrupted)")


def _session_json(session: Session) -> dict[str, object]:
    from copilot.session import call_to_json
    from state.codec import to_json

    turns = [
        {
            "turn": turn.number,
            "request": turn.request,
            "calls": [call_to_json(each, number) for number, each in enumerate(turn.calls, 1)],
            "reply": turn.reply.text if turn.reply else None,
            "outcome": turn.reply.outcome if turn.reply else None,
            "interrupted": turn.interrupted,
        }
        for turn in session.turns
    ]
    state = {"state": to_json(session.state), "state_hash": session.hash}
    return {"id": session.id, "name": session.name, "turns": turns, **state}


@app.command()
def rename(session_id: Id, name: str, as_json: Json = False) -> None:
    """Give a session another name."""
    session = _open(session_id)
    session.rename(name)
    if as_json:
        print_json({"id": session.id, "name": session.name})


@app.command()
def fork(session_id: Id, turn: ToTurn = None, as_json: Json = False) -> None:
    """Copy a session, up to a turn."""
    _print_session(_open(session_id).fork(turn), as_json)


@app.command()
def share(session_id: Id, turn: ToTurn = None, as_json: Json = False) -> None:
    """Make a token with which others can open a copy of the session."""
    token = _open(session_id).share(turn)
    print_json({"token": token}) if as_json else typer.echo(token)


@app.command("open")
def open_shared(token: Annotated[str, typer.Argument(help="The token.")], as_json: Json = False) -> None:
    """Open a copy, of your own, of a session that somebody shared."""
    from copilot.engine import default_engine
    from copilot.session import Session

    _print_session(Session.open_shared(token, engine=default_engine()), as_json)


@app.command()
def undo(session_id: Id, as_json: Json = False) -> None:
    """Take back the last turn that changed the state."""
    _call(session_id, "undo", as_json)


@app.command()
def redo(session_id: Id, as_json: Json = False) -> None:
    """Do again what was last undone."""
    _call(session_id, "redo", as_json)


@app.command()
def replay(session_id: Id, as_json: Json = False) -> None:
    """Run every call again and check that each ends in the state on record."""
    from state.codec import digest

    reached = digest(_open(session_id).replay())
    print_json({"state_hash": reached}) if as_json else typer.echo(f"Same state: {reached}")


@app.command()
def export(
    session_id: Id,
    format: Annotated[str, typer.Option(help="script or notebook.")] = "script",
    output: Output = None,
    as_json: Json = False,
) -> None:
    """The session as a Python script or a notebook that reproduces its state."""
    if format not in ("script", "notebook"):
        fail(f"There is no format '{format}'. Formats: script, notebook.", as_json)
    event = _open(session_id).call_tool(f"export_{format}", {}, source="cli")
    if not event.ok:
        fail(event.text, as_json)
    written = Path(str(event.data["path"]))
    text = written.read_text(encoding="utf-8")
    if output is not None:
        _write(output, text, as_json)
    if as_json:
        print_json({"path": str(output or written), "calls": event.data["calls"]})
    elif output is None:
        typer.echo(text, nl=False)


@app.command()
def stac(
    session_id: Id,
    out: Annotated[Path, typer.Argument(help="The zip to write.")],
    as_json: Json = False,
) -> None:
    """The session's rasters and features as a STAC catalogue: a zip that needs nothing else."""
    from tools.base import ToolError
    from tools.data.stac import write_stac

    session = _open(session_id)
    part = out.with_name(f".{out.name}.part")
    try:
        items = write_stac(session.state, session.world(), part, session_id=session.id)
        part.replace(out)
    except ToolError as error:
        fail(str(error), as_json)
    except OSError as error:
        fail(f"{out} cannot be written ({error.strerror}).", as_json)
    finally:
        part.unlink(missing_ok=True)
    if as_json:
        print_json({"path": str(out), "items": items, "bytes": out.stat().st_size})
    else:
        typer.echo(f"Wrote {items} item{'' if items == 1 else 's'} to {out}.")


@app.command()
def delete(session_id: Id, as_json: Json = False) -> None:
    """Delete a session with everything it made."""
    session = _open(session_id)
    session.engine.remove_session(session.id)
    if as_json:
        print_json({"deleted": session.id})


def _call(session_id: str, tool: str, as_json: bool) -> None:
    event = _open(session_id).call_tool(tool, {}, source="cli")
    if not event.ok:
        fail(event.text, as_json)
    print_json({"observation": event.text, "state_hash": event.hash}) if as_json else typer.echo(event.text)


def _print_session(session: Session, as_json: bool) -> None:
    print_json({"id": session.id, "name": session.name}) if as_json else typer.echo(session.id)


def _write(path: Path, text: str, as_json: bool) -> None:
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        fail(f"'{path}' cannot be written: {error.strerror}.", as_json)

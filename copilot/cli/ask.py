"""`copilot ask`: one turn, or a file of requests, each in a fresh session."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from copilot.cli.output import Json, SessionOption, fail, print_json

if TYPE_CHECKING:
    from copilot.engine import Engine
    from copilot.session import Answer, Session

Agent = Annotated[str, typer.Option(help="Which agent runs the turn.")]
Model = Annotated[str | None, typer.Option(help="Which model answers; 'embedded' needs no key.")]
File = Annotated[Path | None, typer.Option("--file", help='JSON lines {"id", "query"} or {"id", "turns": […]}.')]
Today = Annotated[str | None, typer.Option(help="Take this day (YYYY-MM-DD) as today for words like 'last March'.")]


def ask(
    request: Annotated[str | None, typer.Argument(help="What you want to see.")] = None,
    file: File = None,
    session: SessionOption = None,
    agent: Agent = "direct",
    model: Model = None,
    today: Today = None,
    as_json: Json = False,
) -> None:
    """Answer one request, or every request of a file."""
    from copilot.agents import UnknownAgent
    from copilot.models import ModelNotConfigured
    from state.store import UnknownSession

    if (request is None) == (file is None):
        fail("Give either a request or --file FILE.", as_json)
    engine = _engine(today, as_json)
    try:
        if file is not None:
            _answer_file(file, engine, agent, model, as_json)
        else:
            _answer_one(str(request), session, engine, agent, model, as_json)
    except (UnknownAgent, UnknownSession, ModelNotConfigured) as error:
        fail(str(error), as_json)


def _answer_one(
    request: str, session_id: str | None, engine: Engine, agent: str, model: str | None, as_json: bool
) -> None:
    from copilot.session import Session

    session = Session.open(session_id, name=request[:60], engine=engine)
    if as_json:
        answer = session.ask(request, agent=agent, model=model, source="cli")
        print_json({"id": session.id, **answer.to_json()})
    else:
        answer = _ask_aloud(session, request, agent, model)
    if answer.outcome == "failed":
        raise typer.Exit(1)


def _ask_aloud(session: Session, request: str, agent: str, model: str | None) -> Answer:
    for event in session.stream(request, agent=agent, model=model, source="cli"):
        if event.kind == "call":
            mark = "·" if event.ok else "✗"
            typer.echo(f"  {mark} {event.tool}({_arguments(event.args)})  {event.seconds * 1000:.0f} ms", err=True)
    answer = session.answer()
    typer.echo(answer.reply)
    question = answer.state.ui.question
    for number, choice in enumerate(question.choices if question else (), 1):
        typer.echo(f"  {number}. {choice}")
    typer.echo(f"  session {session.id}", err=True)
    return answer


def _arguments(args: dict[str, Any]) -> str:
    text = ", ".join(f"{key}={json.dumps(value, ensure_ascii=False)}" for key, value in args.items())
    return text if len(text) <= 100 else f"{text[:99]}…"


def _answer_file(path: Path, engine: Engine, agent: str, model: str | None, as_json: bool) -> None:
    from copilot.engine import Engine
    from copilot.session import Session

    if not path.exists():
        fail(f"There is no file '{path}'.", as_json)
    # Fresh sessions nobody comes back to: kept in memory, over the same catalogue.
    shared = Engine.in_memory_like(engine)
    for number, (request_id, turns) in enumerate(_requests(path, as_json), 1):
        session = Session.open(engine=shared)
        for turn in turns:
            answer = session.ask(turn, agent=agent, model=model, source="cli")
        typer.echo(f"{number}: {request_id} {answer.outcome} {answer.seconds:.2f} s", err=True)
        if as_json:
            print_json({"id": request_id, **answer.to_json()})
        else:
            typer.echo(f"{request_id}: {answer.reply}")


def _requests(path: Path, as_json: bool) -> Iterator[tuple[str, list[str]]]:
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
            turns = record["turns"] if "turns" in record else [record["query"]]
            yield str(record.get("id", number)), [str(turn) for turn in turns]
        except (ValueError, KeyError, TypeError):
            fail(f'Line {number} of {path} is not {{"id", "query"}} or {{"id", "turns": […]}}.', as_json)


def _engine(today: str | None, as_json: bool) -> Engine:
    from datetime import date

    from copilot.cli.catalogue import ready_engine

    try:
        return ready_engine(date.fromisoformat(today) if today else None)
    except ValueError:
        fail(f"'{today}' is no day; write it as YYYY-MM-DD.", as_json)

"""`copilot ask`: one turn, or a file of requests, each in a fresh session."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from copilot.cli.output import Json, SessionOption, fail, print_json

if TYPE_CHECKING:
    from copilot.engine import Engine
    from copilot.session import Answer, Session

Agent = Annotated[
    str, typer.Option(help="Which agent runs the turn: direct, react, cot, chameleon, reflexion, rs-agent.")
]
Model = Annotated[str | None, typer.Option(help="Which model answers; 'embedded' needs no key.")]
File = Annotated[
    Path | None, typer.Option("--file", help='JSON lines {"id", "query"} or {"id", "turns": […]}.')
]
Attach = Annotated[
    list[Path] | None,
    typer.Option("--attach", help="A file to add to the session first; may be given several times."),
]
Shots = Annotated[
    int,
    typer.Option(min=0, max=10, help="How many worked examples the model is shown: confirmed turns, a bank."),
]
Today = Annotated[
    str | None, typer.Option(help="Take this day (YYYY-MM-DD) as today for words like 'last March'.")
]


def ask(
    request: Annotated[str | None, typer.Argument(help="What you want to see.")] = None,
    file: File = None,
    attach: Attach = None,
    session: SessionOption = None,
    agent: Agent = "direct",
    model: Model = None,
    shots: Shots = 0,
    today: Today = None,
    as_json: Json = False,
) -> None:
    """Answer one request, or every request of a file."""
    if (request is None) == (file is None):
        fail("Give either a request or --file FILE.", as_json)
    if request is not None and not request.strip():
        fail("The request is empty; write what you would like to see.", as_json)
    if file is not None and attach:
        fail("--attach goes with one request; a file's requests each have a fresh session.", as_json)
    asked = None if file is None else _requests(file, as_json)
    engine = _engine(today, as_json)
    options = {"agent": agent, "model": model, "shots": shots, "source": "cli"}
    if asked is not None:
        _answer_file(asked, engine, options, as_json)
    else:
        _answer_one(str(request), attach or [], session, engine, options, as_json)


def _answer_one(
    request: str,
    attached: list[Path],
    session_id: str | None,
    engine: Engine,
    options: dict[str, Any],
    as_json: bool,
) -> None:
    from copilot.session import Session

    session = Session.open(session_id, name=request[:60], engine=engine)
    missing = _attached(session, attached, as_json)
    if as_json:
        answer = session.ask(request, **options)
        print_json({"id": session.id, **answer.to_json(), **missing})
    else:
        answer = _ask_aloud(session, request, options)
    if answer.outcome == "failed":
        raise typer.Exit(1)


def _attached(session: Session, files: list[Path], as_json: bool) -> dict[str, list[dict[str, str]]]:
    """Add the files to the session; those that cannot be are told, and are the answer's `not_attached`.

    Where none of them can be, what asks about them is not answered: that ends the command.
    """
    missing = []
    for path in files:
        # Absolute, so that no upload of the same name is taken for it.
        event = session.call_tool("add_file", {"file": str(path.expanduser().absolute())}, source="cli")
        if event.ok:
            typer.echo(f"  + {event.text}", err=True)
        else:
            missing.append({"file": str(path), "error": event.text})
    if not missing:
        return {}
    said = [f"{path} was not added: {why}" for path, why in (each.values() for each in missing)]
    how = f"`copilot call add_file file=… --session {session.id}` also takes crs, part, nodata and encoding."
    if len(missing) == len(files):
        fail(" ".join([*said, how]), as_json)
    for each in said:
        typer.echo(f"  ✗ {each}", err=True)
    typer.echo(f"  The others were added. {how}", err=True)
    return {"not_attached": missing}


def _ask_aloud(session: Session, request: str, options: dict[str, Any]) -> Answer:
    number = 0
    for event in session.stream(request, **options):
        if event.kind == "thought" and event.text:
            typer.echo(f"  ~ {_shortened(event.text)}", err=True)
        if event.kind == "call":
            mark = "·" if event.ok else "✗"
            number += 1
            took = f"{event.seconds * 1000:.0f} ms"
            typer.echo(f"  {number} {mark} {event.tool}({_arguments(event.args)})  {took}", err=True)
    answer = session.answer()
    question = answer.state.ui.question if answer.outcome == "asked" else None
    typer.echo(question.text if question else answer.reply)
    for number, choice in enumerate(question.choices if question else (), 1):
        typer.echo(f"  {number}. {choice}")
    for path in dict.fromkeys(
        str(each.data["path"]) for each in answer.calls if each.ok and "path" in each.data
    ):
        typer.echo(f"  file {path}")
    if answer.tokens:
        cost = "" if answer.cost_usd is None else f" · at most ${answer.cost_usd:.4f}"
        typer.echo(f"  {answer.tokens:,} tokens{cost}", err=True)
    typer.echo(f"  session {session.id}", err=True)
    return answer


def _arguments(args: dict[str, Any]) -> str:
    text = ", ".join(f"{key}={json.dumps(value, ensure_ascii=False)}" for key, value in args.items())
    return _shortened(text)


def _shortened(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 100 else f"{line[:99]}…"


def _answer_file(
    asked: list[tuple[Any, list[str]]], engine: Engine, options: dict[str, Any], as_json: bool
) -> None:
    """Each in a fresh session that nobody comes back to: kept in memory, over the same catalogue."""
    from copilot.engine import Engine
    from copilot.session import Session

    shared = Engine.in_memory_like(engine)
    for number, (request_id, turns) in enumerate(asked, 1):
        session = Session.open(engine=shared)
        answers = [session.ask(turn, **options) for turn in turns]
        answer = _whole(answers)
        typer.echo(f"{number}: {request_id} {answer.outcome} {answer.seconds:.2f} s", err=True)
        if as_json:
            print_json({"id": request_id, **answer.to_json()})
        else:
            typer.echo(f"{request_id}: {answer.reply}")
        shared.remove_session(session.id)


def _whole(answers: list[Answer]) -> Answer:
    """A conversation's result: where its last turn ended, and the calls, time and tokens of all of them."""
    costs = [answer.cost_usd for answer in answers]
    return replace(
        answers[-1],
        calls=tuple(call for answer in answers for call in answer.calls),
        seconds=sum(answer.seconds for answer in answers),
        tokens=sum(answer.tokens for answer in answers),
        prompt_tokens=sum(answer.prompt_tokens for answer in answers),
        completion_tokens=sum(answer.completion_tokens for answer in answers),
        cost_usd=None if None in costs else sum(cost or 0.0 for cost in costs),
    )


def _requests(path: Path, as_json: bool) -> list[tuple[Any, list[str]]]:
    """(id, turns) of every line, all read before the first is answered."""
    try:
        text = sys.stdin.read() if str(path) == "-" else path.read_text(encoding="utf-8-sig")
    except OSError as error:
        fail(f"'{path}' cannot be read: {error.strerror}.", as_json)
    except UnicodeDecodeError:
        fail(f"'{path}' is not UTF-8 text; requests are JSON lines in UTF-8.", as_json)
    # Not splitlines(): a JSON text may hold the line separators that only it takes for one.
    lines = [(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
    if not lines:
        fail(f"'{path}' holds no request.", as_json)
    return [_request(path, number, line, as_json) for number, line in lines]


def _request(path: Path, number: int, line: str, as_json: bool) -> tuple[Any, list[str]]:
    try:
        record = json.loads(line)
        turns = record["turns"] if "turns" in record else [record["query"]]
    except (ValueError, KeyError, TypeError, RecursionError):
        turns = None
    if not isinstance(turns, list) or not turns or not all(isinstance(turn, str) for turn in turns):
        fail(f'Line {number} of {path} is not {{"id", "query"}} or {{"id", "turns": […]}}.', as_json)
    return record.get("id", number), turns


def _engine(today: str | None, as_json: bool) -> Engine:
    from datetime import date

    from copilot.cli.catalogue import ready_engine

    try:
        day = date.fromisoformat(today) if today else None
    except ValueError:
        fail(f"'{today}' is no day; write it as YYYY-MM-DD.", as_json)
    return ready_engine(day)

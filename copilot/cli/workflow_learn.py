"""`copilot workflow learn`: what runs have taught, a person's own and a team's; read, edit, forget, share."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from copilot.cli.output import Json, fail, print_json

if TYPE_CHECKING:
    from copilot.workflows.memory import Memory

Team = Annotated[str | None, typer.Option("--team", help="A team's memory in place of your own.")]
OWNER = "local"


def learn(
    explain: Annotated[bool, typer.Option("--explain", help="Say every rule and variant in words.")] = False,
    forget: Annotated[
        str | None,
        typer.Option("--forget", help="Forget what names this tool or task; 'all' for everything."),
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", help="Write all of it, to be edited or shared.")
    ] = None,
    edit: Annotated[
        Path | None, typer.Option("--edit", help="Take this file, as --out wrote it, in place of all of it.")
    ] = None,
    team: Team = None,
    share: Annotated[
        str | None,
        typer.Option("--share", help="Give --team what names this tool or task; 'all' for everything."),
    ] = None,
    found: Annotated[bool, typer.Option("--found", help="Found --team, with you as its member.")] = False,
    member: Annotated[str | None, typer.Option("--member", help="Take this person into --team.")] = None,
    as_json: Json = False,
) -> None:
    """What runs have taught: rules with how often they helped, variants, traces; yours, or a team's."""
    from copilot.engine import default_home
    from copilot.workflows.model import WorkflowError
    from copilot.workflows.teams import found_team, take_in

    if (found or member or share is not None) and team is None:
        fail("Which team? Say --team NAME.", as_json)
    try:
        if team is not None and found:
            found_team(default_home(), team, OWNER)
        if team is not None and member is not None:
            take_in(default_home(), team, OWNER, member)
        memory = memory_of(None if share is not None else team)
        if team is not None and share is not None:
            new = memory.share("" if share == "all" else share, memory_of(team))
            typer.echo(f"{new} given to {team}.", err=as_json)
        if edit is not None:
            memory.edit(json.loads(edit.read_text(encoding="utf-8")))
    except (OSError, ValueError, WorkflowError) as error:
        fail(str(error), as_json)
    if forget is not None:
        gone = memory.forget("" if forget == "all" else forget)
        typer.echo(f"{gone} forgotten.", err=as_json)
    if out is not None:
        out.write_text(json.dumps(memory.export(), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    if as_json:
        print_json({**memory.export(), **({"explained": explained(memory)} if explain else {})})
        return
    kept = memory.read()
    typer.echo(
        f"{len(kept.rules)} rules, {len(kept.variants)} variants, {len(kept.traces)} traces, "
        f"{len(kept.saved)} saved workflows"
    )
    for line in explained(memory) if explain else ():
        typer.echo(line)


def explained(memory: Memory) -> list[str]:
    """Every rule and variant in words, with how often it helped and whether it is still tried."""
    kept = memory.read()
    lines = [str(each) for each in kept.rules]
    for each in kept.variants:
        aside = ", set aside: the original is run" if each.set_aside else ""
        lines.append(
            f"{each.made_of} is run as it was repaired, where {' and '.join(each.context)} "
            f"(helped {each.helped}, did not {each.failed}{aside})"
        )
    return lines


def memory_of(team: str | None) -> Memory:
    """The memory of whoever runs the command line, or of a team of theirs. Raises WorkflowError."""
    from copilot.engine import default_home
    from copilot.workflows.memory import Memory
    from copilot.workflows.teams import team as team_of

    home: Any = default_home()
    return Memory.of(home, OWNER) if team is None else Memory(team_of(home, team, OWNER).path)


__all__ = ["Team", "explained", "learn", "memory_of"]

"""`copilot mcp`: Azimuth for other programs over MCP, and other servers' tools for Azimuth."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from copilot.cli.output import Json, SessionOption, fail, print_json

if TYPE_CHECKING:
    from copilot.engine import Engine
    from state.servers import ServerRow

app = typer.Typer(
    help="The Model Context Protocol, both ways.", invoke_without_command=True, no_args_is_help=False
)

Offered = Annotated[
    str, typer.Option("--tools", help="Which tools are listed: short, all, or a category such as vision.")
]
For = Annotated[
    str | None,
    typer.Option("--for", help="Only for the person whose session this is, by its id; else for all."),
]


@app.callback()
def stdio(context: typer.Context, tools: Offered = "short", session: SessionOption = None) -> None:
    """Serve MCP on standard input and output, where no other command is given."""
    if context.invoked_subcommand is not None:
        return
    from copilot.cli.catalogue import ready_engine
    from copilot.mcp.offered import offer_named
    from copilot.mcp.stdio import serve
    from tools.base import ToolError

    try:
        offer = offer_named(tools)
    except ToolError as error:
        fail(str(error))
    serve(ready_engine(), offer, session)


@app.command()
def serve(
    tools: Annotated[
        str, typer.Option("--tools", help="The category that is served, such as vision.")
    ] = "vision",
    host: Annotated[str, typer.Option(help="The address to listen at.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=1, max=65535, help="The port to listen at.")] = 8765,
    stdio: Annotated[
        bool, typer.Option("--stdio", help="On standard input and output, not over HTTP.")
    ] = False,
) -> None:
    """Serve one category as a service of its own: files come with a call, and go with its answer."""
    from copilot.cli.catalogue import ready_engine
    from copilot.mcp.offered import CATEGORIES, Offer

    if tools not in CATEGORIES:
        fail(f"There is no category '{tools}'; there are {', '.join(CATEGORIES)}.")
    offer = Offer(tools, only=True, content=True)
    if stdio:
        from copilot.mcp.stdio import serve as on_stdio

        on_stdio(ready_engine(), offer)
        return
    from copilot.mcp.service import run

    typer.echo(f"Serving {tools} at http://{host}:{port}/mcp", err=True)
    run(ready_engine(), offer, host, port)


@app.command()
def token(
    name: Annotated[str | None, typer.Argument(help="What to call it: for which program it is.")] = None,
    session: Annotated[
        str | None,
        typer.Option("--session", help="For the person whose session this is; else for a new one."),
    ] = None,
    revoke: Annotated[
        bool, typer.Option("--revoke", help="Make the token of that name worth nothing.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Make a token for a program, shown once; without a name, list those that there are."""
    from copilot.engine import Engine
    from copilot.owners import owner_id
    from state.store import Conflict
    from state.tokens import Tokens

    engine = Engine()
    tokens = Tokens(engine.store)
    if name is None:
        _print_tokens(tokens, as_json)
        return
    if not name.strip() or len(name) > 100 or not name.isprintable():
        fail("A token's name has 1 to 100 characters on one line.", as_json)
    if revoke:
        if not tokens.revoke(name):
            fail(f"There is no token '{name}'.", as_json)
        _said({"revoked": name}, f"The token '{name}' opens nothing any more.", as_json)
        return
    import secrets

    owner = _owner(engine, session, as_json) if session else owner_id(secrets.token_urlsafe(24))
    try:
        made = tokens.issue(name, owner)
    except Conflict as error:
        fail(str(error), as_json)
    typer.echo(f"The token '{name}', which is shown this once:", err=True)
    _said({"name": name, "token": made}, made, as_json)


def _print_tokens(tokens: Any, as_json: bool) -> None:
    rows = tokens.all()
    if as_json:
        print_json([{"name": each.name, "owner": each.owner, "created_at": each.created_at} for each in rows])
        return
    for each in rows:
        typer.echo(f"{each.created_at[:10]}  {each.name}")
    typer.echo(f"{len(rows)} tokens", err=True)


@app.command(context_settings={"ignore_unknown_options": True})
def add(
    name: Annotated[
        str, typer.Argument(help="What its tools' names begin with: small letters, digits, '-'.")
    ],
    where: Annotated[
        list[str], typer.Argument(help="An address (https://…), or a program and its arguments.")
    ],
    person: For = None,
    token_from: Annotated[
        str | None, typer.Option(help="The environment's variable with a bearer token for an address.")
    ] = None,
    trust: Annotated[
        bool, typer.Option("--trust", help="Believe it which of its tools only read: they run unasked.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Add another server: its tools join every session's, or one person's, as NAME__tool."""
    from copilot.engine import Engine
    from copilot.mcp.foreign import NotAdded
    from state.servers import EVERYBODY, ServerRow

    engine = Engine()
    owner = _owner(engine, person, as_json) if person else EVERYBODY
    url = where[0] if where[0].startswith(("http://", "https://")) else None
    if url is not None and len(where) > 1:
        fail("An address stands alone; a program may have arguments.", as_json)
    command = () if url is not None else tuple(where)
    row = ServerRow(name, owner, url, command, token_from, trust)
    try:
        row, out = engine.foreign.add(row)
    except NotAdded as error:
        fail(str(error), as_json)
    for sentence in out:
        typer.echo(sentence, err=True)
    _said(_plain(row), _told(row), as_json)


@app.command("list")
def list_servers(
    check: Annotated[bool, typer.Option("--check", help="Ask each whether it still is what it was.")] = False,
    as_json: Json = False,
) -> None:
    """List the servers that were added, with their tools."""
    from copilot.engine import Engine

    rows = Engine().foreign.servers.all()
    found = [{**_plain(row), **({"check": _checked(row)} if check else {})} for row in rows]
    if as_json:
        print_json(found)
        return
    for row, each in zip(rows, found, strict=True):
        typer.echo(f"{_told(row)} {each['check']}" if check else _told(row))
    typer.echo(f"{len(rows)} servers", err=True)


@app.command()
def remove(
    name: Annotated[str, typer.Argument(help="The server's name.")], person: For = None, as_json: Json = False
) -> None:
    """Remove a server. What it has answered stays on record, and is replayed from there."""
    from copilot.engine import Engine
    from copilot.mcp.foreign import UnknownServer
    from state.servers import EVERYBODY

    engine = Engine()
    try:
        engine.foreign.remove(name, _owner(engine, person, as_json) if person else EVERYBODY)
    except UnknownServer as error:
        fail(str(error), as_json)
    _said({"removed": name}, f"The tools of {name} are gone from every session.", as_json)


def _owner(engine: Engine, session_id: str, as_json: bool) -> str:
    """Whose session that is."""
    from state.store import UnknownSession

    try:
        return engine.store.session(session_id).owner
    except UnknownSession as error:
        fail(str(error), as_json)


def _checked(row: ServerRow) -> str:
    """Whether a server is as it was, in a sentence."""
    from copilot.mcp.foreign import NotAdded, tools_there

    try:
        kept, _ = tools_there(row)
    except NotAdded as error:
        return str(error)
    changed = [each["name"] for each in row.tools if each not in kept]
    if changed:
        return f"It says something else of {', '.join(changed)} by now: add it again to take that."
    return "It answers, and is as it was."


def _plain(row: ServerRow) -> dict[str, Any]:
    return {
        "name": row.name,
        "for": row.owner or "all",
        "where": row.url or " ".join(row.command),
        "trusted": row.trusted,
        "added_at": row.added_at,
        "tools": [
            {"name": f"{row.name}__{each['name']}", "description": each["description"]} for each in row.tools
        ],
    }


def _told(row: ServerRow) -> str:
    tools = ", ".join(each["name"] for each in row.tools)
    return f"{row.name} ({row.url or ' '.join(row.command)}) has {len(row.tools)} tools: {tools}."


def _said(plain: Any, text: str, as_json: bool) -> None:
    if as_json:
        print_json(plain)
    else:
        typer.echo(text)

"""`copilot call TOOL key=value …`: one tool call."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, Any

import typer

from copilot.cli.output import Json, SessionOption, fail, print_json

if TYPE_CHECKING:
    from copilot.session import Session


def call(
    tool: Annotated[str, typer.Argument(help="The tool's name; `copilot tools` lists them.")],
    arguments: Annotated[
        list[str] | None, typer.Argument(help="key=value; values are JSON where they can be.")
    ] = None,
    session: SessionOption = None,
    as_json: Json = False,
) -> None:
    """Run one tool and print what it observed."""
    from copilot.cli.catalogue import ready_engine
    from copilot.session import Session, call_to_json
    from state.codec import to_json

    try:
        args = dict(_pair(each) for each in arguments or ())
    except ValueError as error:
        fail(str(error), as_json)
    opened = Session.open(session, name=tool, engine=ready_engine())
    event = opened.call_tool(tool, _typed(tool, args, opened), source="cli")
    if as_json:
        state = {"state": to_json(opened.state), "state_hash": opened.hash}
        print_json({"id": opened.id, **call_to_json(event), "data": event.data, **state})
    else:
        typer.echo(event.text)
        typer.echo(f"  session {opened.id}", err=True)
    if not event.ok:
        raise typer.Exit(1)


def _pair(text: str) -> tuple[str, str]:
    key, separator, value = text.partition("=")
    if not separator or not key.strip("-"):
        raise ValueError(f"'{text}' is not key=value.")
    return key.strip("-").replace("-", "_"), value


def _typed(tool: str, args: dict[str, str], session: Session) -> dict[str, Any]:
    """Values as JSON where they read as such; text stays text; a,b becomes a list where a list is due."""
    toolbox = session.toolbox
    properties = toolbox.get(tool).schema.get("properties", {}) if tool in toolbox else {}
    return {key: _value(value, properties.get(key, {})) for key, value in args.items()}


def _value(text: str, schema: dict[str, Any]) -> Any:
    types = {each.get("type") for each in [schema, *schema.get("anyOf", [])]}
    if "string" in types and types <= {"string", "null", None}:
        return text
    try:
        return json.loads(text)
    except ValueError:
        pass
    if "array" in types and "string" not in types:
        return [_value(part.strip(), {}) for part in text.split(",")]
    return text

"""`copilot tools`: what there is, and what each takes."""

from __future__ import annotations

import inspect
from typing import Annotated

import typer

from copilot.cli.output import Json, fail, print_json


def tools(
    name: Annotated[str | None, typer.Argument(help="Show one tool in full.")] = None,
    as_json: Json = False,
) -> None:
    """List the tools, or show one."""
    import rapidfuzz.distance  # noqa: F401 - first: it looks into pandas where that is there

    from copilot.cli.deferred import HEAVY, defer

    defer(*HEAVY)
    from tools.base import ToolError
    from tools.toolbox import toolbox

    if name is not None:
        try:
            one = toolbox().get(name)
        except ToolError as error:
            fail(str(error), as_json)
        if not as_json:
            typer.echo(f"{one.name} ({one.category})\n{inspect.getdoc(one.function)}")
            for key, value in one.schema.get("properties", {}).items():
                typer.echo(f"  {key}: {value.get('description', '')}")
            return
    wanted = [toolbox().get(name)] if name else list(toolbox())
    if as_json:
        print_json(
            [
                {
                    "name": each.name,
                    "category": each.category,
                    "summary": each.summary,
                    "arguments": each.schema,
                    "needs": each.needs,
                    "gives": each.gives,
                    "external": each.external,
                    "long_running": each.long_running,
                }
                for each in wanted
            ]
        )
        return
    category = ""
    for each in wanted:
        if each.category != category:
            category = each.category
            typer.echo(f"\n{category}")
        typer.echo(f"  {each.name:<20} {each.summary}")
    typer.echo(f"\n{len(wanted)} tools")

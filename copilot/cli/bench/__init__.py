"""`copilot bench`: make tasks, prove them, run agents over them, report.

A command is a module of this package, with a function of the same name; it is imported when it is asked for.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

import typer
from typer.core import TyperGroup

_ORDER = ("build", "lint", "run", "report", "add")
"""How the help lists them; others follow."""


class _Commands(TyperGroup):
    """The modules of this package as commands: `copilot tools` does not wait for any of them."""

    def list_commands(self, ctx: Any) -> list[str]:
        found = {each.name for each in iter_modules(__path__) if not each.name.startswith("_")}
        ordered = [*(name for name in _ORDER if name in found), *sorted(found.difference(_ORDER))]
        return [name.replace("_", "-") for name in ordered]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        if cmd_name not in self.list_commands(ctx):
            return None
        name = cmd_name.replace("-", "_")
        function: Callable[..., Any] = getattr(import_module(f"{__name__}.{name}"), name)
        alone = typer.Typer(add_completion=False)
        alone.command(cmd_name)(function)
        return typer.main.get_command(alone)


app = typer.Typer(
    cls=_Commands,
    help="The benchmark: build tasks, prove them, run agents over them, report.",
    no_args_is_help=True,
)


@app.callback()
def _bench() -> None:
    """The benchmark: build tasks, prove them, run agents over them, report."""

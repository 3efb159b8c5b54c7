"""Tools that are added to a session's toolbox at run time: what they take and say of themselves is given.

A tool of ours is declared by its function's types and docstring. One that is added has a JSON schema and a
description instead, which somebody else wrote: both are data, bounded where they come in (`copilot.mcp`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from pydantic import BaseModel, ConfigDict, create_model

from tools.base import Tool, ToolError

_SHOWN_CHARS = 200


@dataclass(frozen=True, eq=False)  # known by what a tool is known by: a schema has no hash
class AddedTool(Tool):
    """A tool whose function takes what its schema says."""

    about: str = ""
    """What it does, in one line: what a tool of ours says in the first line of its docstring."""
    asked: tuple[str, ...] = ()
    """How people ask for it."""
    takes: Mapping[str, Any] = field(default_factory=dict)
    """The JSON schema of its arguments, an object without references and patterns."""
    origin: str = ""
    """Who gives it."""

    @cached_property
    def summary(self) -> str:
        """What it does, in one line."""
        return self.about

    @cached_property
    def phrases(self) -> tuple[str, ...]:
        """How people ask for it."""
        return self.asked

    @cached_property
    def schema(self) -> dict[str, Any]:
        """The arguments' JSON schema."""
        return dict(self.takes)

    @cached_property
    def arguments(self) -> type[BaseModel]:
        """A model that takes anything: its names may be none that a class can have (see `checked`)."""
        return create_model(self.name, __config__=ConfigDict(extra="allow"))

    @property
    def names(self) -> tuple[str, ...]:
        """The arguments' names."""
        return tuple(self.takes.get("properties", {}))

    def checked(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """The arguments, where the schema takes them. Raises ToolError naming the first that is wrong."""
        from jsonschema import Draft202012Validator
        from referencing import Registry

        given = {str(key): value for key, value in arguments.items() if value is not None}
        # An empty registry: nothing that a schema refers to is fetched.
        validator = Draft202012Validator(dict(self.takes), registry=Registry())
        try:
            first = min(validator.iter_errors(given), key=lambda each: len(each.path), default=None)
        except RecursionError:
            raise ToolError(f"The arguments of {self.name} are too deep in each other.") from None
        if first is None:
            return given
        where = ".".join(map(str, first.path))
        about = f" as '{where}'" if where else ""
        known = ", ".join(self.names) or "none"
        raise ToolError(
            f"{self.name} cannot take this{about}: {first.message[:_SHOWN_CHARS].rstrip('.')}. "
            f"Its arguments: {known}."
        )

"""What the arguments of tools take, read from their JSON schemas."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from tools.base import Tool
from tools.toolbox import Toolbox

UNASKED = frozenset({"anyway"})
"""Arguments that nobody says: they are given when a refusal was answered with "go on"."""


@dataclass(frozen=True)
class Argument:
    """What one argument takes."""

    name: str
    description: str
    types: frozenset[str]
    """Of JSON schema: "string", "number", "integer", "boolean", "array", "object"; "date" for days,
    "expression" for sums and the like, which are written piece by piece."""
    choices: tuple[Any, ...] = ()
    """The values that it is limited to, or that are named beside free ones."""
    items: Argument | None = None
    """What each element takes, for a list."""
    maximum: float | None = None
    size: int | None = None
    """How many elements a list has to have."""

    @property
    def is_list(self) -> bool:
        """Whether it takes several values, each read by itself; a bbox or a point is one value."""
        return ("array" in self.types and not self.is_numbers) or self.is_expression

    @property
    def is_expression(self) -> bool:
        """Whether its values are the pieces of one expression: numbers, names and signs."""
        return "expression" in self.types

    @property
    def is_numbers(self) -> bool:
        """Whether it is a list of numbers, or of lists of them: a bbox, a point, the corners of a shape."""
        return self.items is not None and bool(self.items.types & {"number", "array"})

    @property
    def is_single(self) -> bool:
        """Whether it takes one value as well as a list of them."""
        return bool(self.types & {"string", "number", "integer"})

    @property
    def is_free(self) -> bool:
        """Whether it takes values that no list holds."""
        if self.items is not None and not self.is_numbers:
            return self.items.is_free
        limited = self.choices and self.types <= {"string", "boolean"}
        return not limited and bool(self.types - {"boolean"})

    @cached_property
    def spelled(self) -> tuple[str, ...]:
        """The values that it is limited to as JSON, those of its elements among them."""
        inner = self.items.choices if self.items is not None else ()
        return tuple(json.dumps(each) for each in (*self.choices, *inner))

    @property
    def each(self) -> Argument:
        """What one value of it takes: what each element does, and what it takes that is no list."""
        if not self.is_list or self.items is None:
            return self
        return replace(self.items, types=self.items.types | self.types - {"array"})


def arguments_of(tool: Tool) -> dict[str, Argument]:
    """What somebody can say of a tool's arguments, in the order of its schema."""
    properties: Mapping[str, Any] = tool.schema.get("properties", {})
    return {name: argument(name, each) for name, each in properties.items() if name not in UNASKED}


def schema_of(toolbox: Toolbox) -> dict[str, dict[str, Argument]]:
    """The arguments of every tool."""
    return {tool.name: arguments_of(tool) for tool in toolbox}


def argument(name: str, schema: Mapping[str, Any]) -> Argument:
    """What a property of a JSON schema takes; `null` beside other types only says that it can be left out."""
    ways = [each for each in _ways(schema) if each.get("type") != "null"]
    items = next((each["items"] for each in ways if isinstance(each.get("items"), Mapping)), None)
    said = (schema, *schema.get("anyOf", ()), *ways)
    described = (each.get("description") for each in said)
    limits = (each.get("maximum", each.get("exclusiveMaximum")) for each in ways)
    return Argument(
        name,
        next((text for text in described if text), ""),
        frozenset(kind for each in ways for kind in _types(each)),
        tuple(choice for each in ways for choice in _choices(each)),
        argument(name, items) if items is not None else None,
        next((limit for limit in limits if limit is not None), None),
        next((each["minItems"] for each in ways if each.get("minItems") == each.get("maxItems", -1)), None),
    )


def _ways(schema: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """What a property may be, one inside of another: the description of the outer one holds for all."""
    if "anyOf" not in schema:
        yield schema
    for each in schema.get("anyOf", ()):
        yield from _ways({**schema, **each} if "anyOf" in each else each)


def _types(way: Mapping[str, Any]) -> Iterator[str]:
    if way.get("type"):
        yield way["type"]
    if way.get("format") in ("date", "expression"):
        yield way["format"]


def _choices(way: Mapping[str, Any]) -> Iterator[Any]:
    yield from way.get("enum", ())
    if "const" in way:
        yield way["const"]
    if way.get("type") == "boolean":
        yield from (True, False)

"""Rasters by the title that people see, wherever a sentence has the name of their file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from state.model import State
from tools.base import Tool, ToolError, World
from tools.phrases import one_line
from tools.rasters import Raster, raster_of


def by_title(text: str, raster: Raster) -> str:
    """The text with the raster's title in place of its file's name, which nobody gave it."""
    return text.replace(raster.path.name, one_line(raster.name))


def by_titles(text: str, wanted: Tool, arguments: Mapping[str, Any], state: State, world: World) -> str:
    """What a call says, with the titles of the rasters that it was given in place of their files' names.

    What computes on pixels knows files only, and its sentences name these.
    """
    for handle in _handles(wanted, arguments):
        try:
            text = by_title(text, raster_of(state, world, handle))
        except ToolError:  # there is no such raster, as the text says
            continue
    return text


def _handles(wanted: Tool, arguments: Mapping[str, Any]) -> Iterator[str]:
    """Every raster that the arguments name."""
    properties: Mapping[str, Any] = wanted.schema.get("properties", {})
    for name, value in arguments.items():
        if _takes_raster(properties.get(name)):
            yield from (each for each in _flat(value) if isinstance(each, str))


def _takes_raster(schema: Any) -> bool:
    """Whether it, one of its alternatives or its items are rasters."""
    if not isinstance(schema, Mapping):
        return False
    within = (*schema.get("anyOf", ()), schema.get("items"))
    return schema.get("format") == "raster" or any(_takes_raster(each) for each in within)


def _flat(value: Any) -> Iterator[Any]:
    if isinstance(value, (list, tuple)):
        for each in value:
            yield from _flat(each)
    else:
        yield value

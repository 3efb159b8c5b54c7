"""Azimuth's tools as MCP has them, and which of them a client is listed.

A client that loads every tool fills its model's context with more than 250 schemas. So the usual list is
short: `ask`, and `search_tools` with `call_tool`, by which each of the others is found and called. The whole
list, or one category, is at an address of its own (`/mcp/all`, `/mcp/vision`). Whatever is listed, every tool
can be called by its name.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, get_args

from mcp import types

from tools.added import AddedTool
from tools.base import ASKED_AS, Category, Tool, ToolError
from tools.phrases import listed
from tools.toolbox import Toolbox

PAGE = 50
"""Tools of one page of a list."""
SHORT, ALL = "short", "all"
CATEGORIES: tuple[str, ...] = get_args(Category)
ASK, SEARCH, CALL, BEGIN = "ask", "search_tools", "call_tool", "begin_session"
_SESSION = {
    "type": "string",
    "maxLength": 100,
    "description": "The session to work in; left out, the last one.",
}
_CONTENT = {
    "raster": ("image/tiff", "a GeoTIFF"),
    "vector": ("application/geo+json", "GeoJSON"),
    "table": ("text/csv", "a CSV table"),
}
"""What content a handle may be given as, where content comes along."""


@dataclass(frozen=True)
class Offer:
    """Which tools are listed, and how files come and go."""

    kind: str = SHORT
    """"short", "all" or a category."""
    only: bool = False
    """Whether nothing else can be called."""
    content: bool = False
    """Whether files come as an argument's content and go with the answer, besides by handles and links."""

    def listed(self, toolbox: Toolbox) -> list[types.Tool]:
        """The tools that a client is listed."""
        tools = [each for each in toolbox if self._lists(each)]
        return [*([] if self.only else own_tools()), *(as_mcp(each, self.content) for each in tools)]

    def may_call(self, tool: Tool) -> bool:
        """Whether a tool can be called."""
        return not self.only or self._lists(tool)

    def _lists(self, tool: Tool) -> bool:
        return self.kind == ALL or tool.category == self.kind


def offer_named(kind: str) -> Offer:
    """The offer of that name. Raises ToolError."""
    if kind not in (SHORT, ALL, *CATEGORIES):
        raise ToolError(
            f"There is no list of tools '{kind}'; there are {listed((SHORT, ALL, *CATEGORIES), 20)}."
        )
    return Offer(kind)


def as_mcp(tool: Tool, content: bool = False) -> types.Tool:
    """A tool of a session with its schema, title and annotations."""
    title = tool.name.replace("_", " ").capitalize()
    return types.Tool(
        name=tool.name,
        title=title,
        description=said_of(tool),
        input_schema=schema_of(tool, content),
        annotations=types.ToolAnnotations(
            title=title,
            read_only_hint=not tool.changes_state,
            # What changes a session can be undone; what asks first may do anything.
            destructive_hint=tool.asks_approval,
            idempotent_hint=False,
            open_world_hint=tool.external,
        ),
    )


def said_of(tool: Tool) -> str:
    """What is said of a tool: its docstring, without the ways in which people ask for it."""
    if isinstance(tool, AddedTool):
        return f"{tool.about} (of the server {tool.origin}, which is not Azimuth's)"
    parts = (inspect.getdoc(tool.function) or "").split("\n\n")
    return "\n\n".join(each for each in parts if not each.startswith((ASKED_AS, "Example:")))


def schema_of(tool: Tool, content: bool = False) -> dict[str, Any]:
    """The schema of a tool's arguments; with `content`, a handle may be the content of a file too."""
    schema = {"type": "object", **tool.schema}
    if not content:
        return schema
    properties = {name: _with_content(each) for name, each in schema.get("properties", {}).items()}
    return {**schema, "properties": properties}


def takes_content(tool: Tool) -> dict[str, str]:
    """The arguments of a tool that may be given a file's content, and of which kind."""
    found = {name: each.get("format") for name, each in tool.schema.get("properties", {}).items()}
    return {name: kind for name, kind in found.items() if kind in _CONTENT}


def _with_content(schema: Mapping[str, Any]) -> dict[str, Any]:
    kind = schema.get("format")
    if kind not in _CONTENT:
        return dict(schema)
    media, words = _CONTENT[kind]
    kept = {key: each for key, each in schema.items() if key not in ("maxLength", "format")}
    about = f"{kept.get('description', '')} Or {words} itself, as base64.".strip()
    return {**kept, "description": about, "contentMediaType": media, "contentEncoding": "base64"}


def found(tools: Sequence[Tool]) -> list[dict[str, Any]]:
    """Tools that a search has found, with what is needed to call them."""
    return [
        {
            "name": each.name,
            "category": each.category,
            "description": said_of(each),
            "arguments": schema_of(each),
            "read_only": not each.changes_state,
            "open_world": each.external,
        }
        for each in tools
    ]


def own_tools() -> list[types.Tool]:
    """What every client is listed beside, or in place of, the tools themselves."""
    return [_ask(), _search(), _call(), _begin()]


def _ask() -> types.Tool:
    request = {"type": "string", "minLength": 1, "maxLength": 4000, "description": "What you want."}
    session = {**_SESSION, "description": "The session to go on with; left out, a new one."}
    return types.Tool(
        name=ASK,
        title="Ask Azimuth",
        description=(
            "Ask the whole geospatial copilot in plain words: it finds the tools, calls them and answers. "
            "With a session it goes on there; without one it begins a new one. Where it has a question, its "
            "choices come back: answer with `session` and the choice as `request`."
        ),
        input_schema=_object({"request": request, "session": session}, "request"),
        annotations=_notes("Ask Azimuth", read_only=False, open_world=True),
    )


def _search() -> types.Tool:
    query = {"type": "string", "minLength": 1, "maxLength": 1000, "description": "What is to be done."}
    most = {"type": "integer", "minimum": 1, "maximum": 30, "default": 8}
    return types.Tool(
        name=SEARCH,
        title="Search the tools",
        description=(
            "Find tools by what they are to do: the best first, each with the schema of its arguments. Call "
            f"one by its name, or with {CALL}."
        ),
        input_schema=_object({"query": query, "most": most, "session": _SESSION}, "query"),
        annotations=_notes("Search the tools", read_only=True, open_world=False),
    )


def _call() -> types.Tool:
    tool = {"type": "string", "maxLength": 100, "description": "The tool's name."}
    arguments = {"type": "object", "description": "As the tool's schema says."}
    return types.Tool(
        name=CALL,
        title="Call a tool",
        description=f"Call one of the tools that {SEARCH} finds, by its name, with its arguments.",
        input_schema=_object({"tool": tool, "arguments": arguments, "session": _SESSION}, "tool"),
        annotations=_notes("Call a tool", read_only=False, open_world=True),
    )


def _begin() -> types.Tool:
    session = {**_SESSION, "description": "The session to go to."}
    return types.Tool(
        name=BEGIN,
        title="Begin a session",
        description="Begin a new, empty session and work in it from now on, or go to another one by its id.",
        input_schema=_object({"session": session}),
        annotations=_notes("Begin a session", read_only=False, open_world=False),
    )


def _object(properties: Mapping[str, Any], *required: str) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(required),
        "additionalProperties": False,
    }


def _notes(title: str, *, read_only: bool, open_world: bool) -> types.ToolAnnotations:
    return types.ToolAnnotations(
        title=title, read_only_hint=read_only, destructive_hint=False, open_world_hint=open_world
    )

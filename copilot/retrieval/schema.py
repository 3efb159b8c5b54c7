"""A tool as a language model is shown it: the OpenAI function form, in as few tokens as keep its meaning."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from tools.base import Tool

FIND_TOOLS: dict[str, Any] = {
    "type": "function",
    "function": {
        "name": "find_tools",
        "description": "See more tools, when none of these does what is needed.",
        "parameters": {
            "type": "object",
            "properties": {"query": {"type": "string", "description": "What the tool should do."}},
            "required": ["query"],
        },
    },
}
"""The way back: a model that misses a tool asks for it. It is no tool; the agent answers it with `more`."""
_WITHOUT_MEANING = frozenset({"title", "propertyNames", "minLength", "maxLength", "$defs"})
"""What validation needs and a model does not: it checks a call's arguments again before anything runs."""
_FORMATS = frozenset({"date", "date-time", "uri"})
"""Formats of JSON Schema itself; another names the kind of a handle, which its description says too."""
_SAID_WHOLE = frozenset({
    "description", "default", "format", "pattern", "minItems", "maxItems",
    "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum",
})  # fmt: skip
"""What of an argument is left out of a tool's short form: its name, type and the values it may have stay."""
_LARGE = 1e9
"""From here on a whole number is shorter with its exponent."""


@cache
def function_of(tool: Tool) -> dict[str, Any]:
    """The tool in the form in which it is bound to a model and sent: made once, and not to be changed."""
    return _function(tool, compact(tool.schema))


@cache
def short_function_of(tool: Tool) -> dict[str, Any]:
    """The tool in about half the tokens: what it does, and its arguments by name, type and allowed values.

    A call with a wrong argument is answered with what would have worked, and a called tool is shown whole.
    """
    return _function(tool, _short(function_of(tool)["function"]["parameters"]))


def _function(tool: Tool, parameters: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "function",
        "function": {"name": tool.name, "description": tool.summary, "parameters": parameters},
    }


def _short(schema: Any) -> Any:
    if isinstance(schema, list):
        return [_short(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        key: {name: _short(each) for name, each in value.items()} if key == "properties" else _short(value)
        for key, value in schema.items()
        if key not in _SAID_WHOLE
    }


def sent(functions: Sequence[Mapping[str, Any]]) -> str:
    """The functions as they go over the wire: what the tokens are counted of."""
    return json.dumps(functions, ensure_ascii=False, separators=(",", ":"))


def compact(schema: Mapping[str, Any]) -> dict[str, Any]:
    """A JSON schema that allows what `schema` allows, without what says nothing to a model.

    References are put in place, an optional argument is written as its plain type (it is optional because
    `required` does not name it), and of a length's limits only those of short lists are kept.
    """
    found = _compact(schema, schema.get("$defs", {}))
    _say_once(found, set())
    return found


def _compact(schema: Mapping[str, Any], definitions: Mapping[str, Any]) -> dict[str, Any]:
    schema = _without_null(_resolved(schema, definitions))
    found: dict[str, Any] = {}
    for key, value in schema.items():
        if key in _WITHOUT_MEANING or _says_nothing(key, value):
            continue
        if key == "properties":
            found[key] = {name: _compact(each, definitions) for name, each in value.items()}
        elif key in ("items", "additionalItems", "additionalProperties"):
            found[key] = _compact(value, definitions)
        elif key in ("anyOf", "oneOf", "allOf", "prefixItems"):
            found[key] = [_compact(each, definitions) for each in value]
        elif key in ("minItems", "maxItems") and _is_no_count(key, value):
            continue
        elif isinstance(value, float) and value.is_integer() and abs(value) < _LARGE:
            found[key] = int(value)  # 100 is one token, 100.0 is three
        else:
            found[key] = value
    return found


def _resolved(schema: Mapping[str, Any], definitions: Mapping[str, Any]) -> dict[str, Any]:
    """The schema with what it refers to in its place; what stands beside the reference wins."""
    reference = schema.get("$ref")
    if reference is None:
        return dict(schema)
    named = _resolved(definitions[reference.rpartition("/")[2]], definitions)
    return {**named, **{key: value for key, value in schema.items() if key != "$ref"}}


def _without_null(schema: dict[str, Any]) -> dict[str, Any]:
    """An optional value as its one type, with both what it says of itself and what is said of it here."""
    options = schema.get("anyOf")
    if not options:
        return schema
    real = [each for each in options if each.get("type") != "null"]
    outer = {key: value for key, value in schema.items() if key != "anyOf"}
    if len(real) != 1:
        return {**outer, "anyOf": real}
    inner = dict(real[0])
    said = [each["description"] for each in (outer, inner) if each.get("description")]
    merged = {**inner, **outer}
    if said:
        merged["description"] = "\n".join(dict.fromkeys(said))
    return merged


def _say_once(schema: Any, said: set[str]) -> None:
    """Leave out what an argument says of its type where an earlier argument said it already, in place."""
    if isinstance(schema, list):
        for each in schema:
            _say_once(each, said)
        return
    if not isinstance(schema, dict):
        return
    lines = str(schema.get("description", "")).split("\n")
    if lines != [""] and isinstance(schema.get("description"), str):
        schema["description"] = " ".join([lines[0], *(each for each in lines[1:] if each not in said)])
        said.update(lines)
    for key, value in schema.items():
        for each in value.values() if key == "properties" else [value]:
            _say_once(each, said)


def _says_nothing(key: str, value: Any) -> bool:
    """Whether a key says nothing to a model with this value."""
    if key == "additionalProperties":
        return not isinstance(value, dict)
    return (key == "default" and value is None) or (key == "format" and value not in _FORMATS)


def _is_no_count(key: str, value: Any) -> bool:
    """Whether a list's limit only keeps out nonsense: at least one, or at most very many."""
    return bool(value <= 1) if key == "minItems" else bool(value > 10)

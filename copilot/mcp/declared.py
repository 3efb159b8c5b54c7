"""What a server says of its tools, made small and plain before it is kept: it was written by somebody else.

Of a JSON schema stay the words that say what an argument takes; references are put in their place, patterns
(which may take for ever) are dropped, and a schema that is too much is refused. Texts lose what is not seen.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable, Mapping
from typing import Any

from tools.base import ToolError

MAX_TOOLS = 200
MAX_SCHEMA_BYTES = 16 * 1024
MAX_DEPTH = 8
MAX_ARGUMENTS = 40
MAX_TEXT = 1000
MAX_NAME = 64
"""How long the name of a function may be for models that are served."""
PARTED = "__"
"""Between the server's name and the tool's."""
KINDS: Mapping[str, tuple[str, ...]] = {
    "raster": ("image/tiff", "image/geotiff"),
    "vector": ("application/geo+json",),
    "table": ("text/csv",),
}
"""The kinds of handles that stand for content of these types."""
_PLAIN = frozenset(
    "type enum const default minimum maximum exclusiveMinimum exclusiveMaximum minLength maxLength minItems "
    "maxItems uniqueItems multipleOf format contentMediaType contentEncoding".split()
)
_WAYS = ("anyOf", "oneOf")
_SIMPLE = frozenset({"string", "number", "integer", "boolean", "object", "array", "null"})
_ODD = re.compile(r"[^A-Za-z0-9_-]+")


def declared(name: str, tool: Any) -> dict[str, Any]:
    """One tool of the server of that name, as it is kept. Raises ToolError where its schema is too much."""
    notes = tool.annotations
    return {
        "name": str(tool.name)[:200],
        "title": clean(tool.title or (notes.title if notes else None) or tool.name, 100),
        "description": clean(tool.description or "", MAX_TEXT),
        "schema": plain_schema(tool.input_schema, f"{name}{PARTED}{tool.name}"[:100]),
        "read_only": bool(notes and notes.read_only_hint),
        "destructive": not notes or notes.destructive_hint is not False,
    }


def called(server: str, tool: str) -> str:
    """What a tool of a server is called here: `server__tool`, in letters that every model's API takes."""
    return f"{server}{PARTED}{_ODD.sub('_', tool)}"[:MAX_NAME]


def clean(text: str, most: int) -> str:
    """A text on one line, without characters that are not seen, cut to so many."""
    seen = "".join(
        each for each in text[: 4 * most] if each.isspace() or unicodedata.category(each)[0] != "C"
    )
    line = " ".join(seen.split())
    return line if len(line) <= most else f"{line[: most - 1]}…"


def plain_schema(schema: Mapping[str, Any], name: str) -> dict[str, Any]:
    """The schema of a tool's arguments as an object that is safe to check by. Raises ToolError."""
    definitions = {
        f"#/{key}/{each}": value
        for key in ("$defs", "definitions")
        if isinstance(schema.get(key), Mapping)
        for each, value in schema[key].items()
    }
    try:
        taken = _plain({**schema, "type": "object"}, definitions, name, 0)
    except _TooMuch:
        raise ToolError(
            f"The arguments of {name} are more than a tool may have here; it is left out."
        ) from None
    taken.setdefault("properties", {})
    size = len(json.dumps(taken))
    if size > MAX_SCHEMA_BYTES or len(taken["properties"]) > MAX_ARGUMENTS:
        raise ToolError(
            f"The arguments of {name} take {size:,} bytes to say and are {len(taken['properties'])}; "
            f"{MAX_SCHEMA_BYTES:,} and {MAX_ARGUMENTS} are the most, so it is left out."
        )
    if not _can_check(taken):
        raise ToolError(f"What {name} says of its arguments is no JSON schema; it is left out.")
    return taken


def _can_check(schema: Mapping[str, Any]) -> bool:
    """Whether arguments can be checked by a schema: one whose `minimum` is a word, say, would raise."""
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import SchemaError

    try:
        Draft202012Validator.check_schema(schema)
    except SchemaError:
        return False
    return True


class _TooMuch(Exception):
    """A schema that is deeper or wider than any tool needs."""


def _plain(schema: Any, definitions: Mapping[str, Any], name: str, depth: int) -> dict[str, Any]:
    if depth > MAX_DEPTH:
        raise _TooMuch
    if not isinstance(schema, Mapping):
        return {}
    if isinstance(schema.get("$ref"), str):
        named = definitions.get(schema["$ref"], {})
        outer = {key: value for key, value in schema.items() if key != "$ref"}
        return _plain(
            {**(named if isinstance(named, Mapping) else {}), **outer}, definitions, name, depth + 1
        )
    taken = {key: value for key, value in schema.items() if key in _PLAIN and _is_small(value)}
    if not _is_type(taken.get("type")):
        taken.pop("type", None)
    if isinstance(schema.get("description"), str):
        taken["description"] = clean(schema["description"], 300)
    inner = schema.get("properties")
    if isinstance(inner, Mapping):
        if len(inner) > 4 * MAX_ARGUMENTS:
            raise _TooMuch
        taken["properties"] = {
            str(key)[:100]: _handle(_plain(value, definitions, name, depth + 1))
            for key, value in inner.items()
        }
        required = schema.get("required")
        if isinstance(required, list):
            taken["required"] = [each for each in required if each in taken["properties"]]
    if isinstance(schema.get("additionalProperties"), bool):
        taken["additionalProperties"] = schema["additionalProperties"]
    if isinstance(schema.get("items"), Mapping):
        taken["items"] = _plain(schema["items"], definitions, name, depth + 1)
    for way in _WAYS:
        if isinstance(schema.get(way), list):
            taken["anyOf"] = [_plain(each, definitions, name, depth + 1) for each in schema[way][:20]]
    return taken


def _handle(schema: dict[str, Any]) -> dict[str, Any]:
    """An argument that takes a file's content takes the handle of one here: its content is then sent."""
    kind = next((kind for kind, types in KINDS.items() if schema.get("contentMediaType") in types), None)
    if kind is None:
        return schema
    said = schema.get("description", "")
    about = f"{said} (the id of a {kind} of this session, whose content is sent)".strip()
    kept: dict[str, Any] = {
        key: value for key, value in schema.items() if key in ("contentMediaType", "contentEncoding")
    }
    return {"type": "string", "format": kind, "description": about, "maxLength": 200, **kept}


def _is_type(found: Any) -> bool:
    each = found if isinstance(found, list) else [found]
    return bool(each) and all(isinstance(one, str) and one in _SIMPLE for one in each)


def _is_small(value: Any) -> bool:
    try:
        return len(json.dumps(value)) <= 4096
    except (TypeError, ValueError, RecursionError):
        return False


def listed(name: str, tools: Iterable[Any]) -> tuple[tuple[dict[str, Any], ...], tuple[str, ...]]:
    """(the tools as they are kept, a sentence for each that is left out), of the server of that name."""
    kept: dict[str, dict[str, Any]] = {}
    out: list[str] = []
    for number, tool in enumerate(tools):
        if number >= MAX_TOOLS:
            out.append(f"{name} has more than {MAX_TOOLS} tools; the others are left out.")
            break
        try:
            each = declared(name, tool)
        except ToolError as error:
            out.append(str(error))
            continue
        if called(name, each["name"]) in kept:
            out.append(f"{name} has two tools that are called {each['name'][:60]!r}; the second is left out.")
        else:
            kept[called(name, each["name"])] = each
    return tuple(kept.values()), tuple(out)

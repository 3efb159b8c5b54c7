"""A tool's arguments as the planner fills them: what kind of value each takes, from its JSON schema."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Literal

from tools.toolbox import toolbox

Kind = Literal[
    "handle", "choice", "number", "text", "flag", "numbers", "texts", "handles", "choices", "object"
]


@dataclass(frozen=True)
class Parameter:
    """One argument of a tool."""

    name: str
    kind: Kind
    required: bool
    handle: str = ""
    """For handles: raster, vector, table or document."""
    choices: tuple[Any, ...] = ()
    whole: bool = False
    """For numbers: whether only whole ones will do."""
    least: float | None = None
    most: float | None = None
    most_items: int = 1
    about: str = ""
    """Its description, in lower case."""

    @property
    def unit(self) -> str:
        """The unit that its name ends with: "m" of `distance_m`; nothing for a plain number."""
        last = self.name.rsplit("_", 1)[-1] if "_" in self.name else ""
        return last if last in UNITS else ""

    @property
    def words(self) -> tuple[str, ...]:
        """What people call it: the words of its name without the unit."""
        parts = self.name.split("_")
        return tuple(parts[:-1] if self.unit else parts)


UNITS = frozenset("m km deg px pct m2 ha km2 db s days years ms k c".split())
_HANDLES = {
    "table": "table",
    "document": "document",
    "vector": "vector",
    "raster": "raster",
    "figure": "figure",
    "detections": "detections",
}
_LISTS = {"number": "numbers", "text": "texts", "handle": "handles", "choice": "choices"}


@lru_cache(maxsize=512)
def parameters(tool: str) -> tuple[Parameter, ...]:
    """The arguments of a tool, in the order it declares them."""
    schema = toolbox().get(tool).schema
    required = set(schema.get("required", ()))
    definitions = schema.get("$defs", {})
    found = (
        _parameter(name, _resolved(each, definitions), name in required, definitions)
        for name, each in schema.get("properties", {}).items()
    )
    return tuple(
        replace(each, kind="handle", handle=_ARTIFACT_OF[tool], required=True)
        if tool in _ARTIFACT_OF and each.name == "artifact"
        else each
        for each in found
    )


_ARTIFACT_OF = {"add_raster_layer": "raster", "add_vector_layer": "vector"}
"""What kind of artifact a tool of the map shows."""


def _resolved(schema: Mapping[str, Any], definitions: Mapping[str, Any]) -> dict[str, Any]:
    """The schema without references and without the choice of leaving it out."""
    found = dict(schema)
    if "$ref" in found:
        found = {**definitions[found.pop("$ref").rsplit("/", 1)[-1]], **found}
    options: list[dict[str, Any]] = [
        _resolved(each, definitions) for each in found.pop("anyOf", ()) if each.get("type") != "null"
    ]
    if options:
        # Of several the plainest: a list where one text will do as well is for several.
        plainest = min(options, key=lambda each: str(each.get("type")) in ("array", "object"))
        found = {**plainest, **found}
    return found


def _parameter(
    name: str, schema: dict[str, Any], required: bool, definitions: Mapping[str, Any]
) -> Parameter:
    about = str(schema.get("description", "")).lower()
    if schema.get("type") == "array":
        items = _resolved(schema.get("items", {}), definitions)
        inner = _parameter(
            name, {**items, "description": items.get("description", about)}, required, definitions
        )
        kind: Any = _LISTS.get(inner.kind, "object")
        longest = int(schema.get("maxItems", 100))
        return Parameter(
            name,
            kind,
            required,
            inner.handle,
            inner.choices,
            inner.whole,
            inner.least,
            inner.most,
            longest,
            about,
        )
    choices = tuple(schema["enum"]) if "enum" in schema else (schema["const"],) if "const" in schema else ()
    if choices:
        return Parameter(name, "choice", required, choices=choices, about=about)
    handle = _HANDLES.get(str(schema.get("format", "")), "") or _handle_by_name(name, about)
    if handle and schema.get("type") == "string":
        return Parameter(name, "handle", required, handle=handle, about=about)
    kind = {"number": "number", "integer": "number", "boolean": "flag", "string": "text"}.get(
        str(schema.get("type")), "object"
    )
    return Parameter(
        name,
        kind,
        required,
        whole=schema.get("type") == "integer",
        least=schema.get("minimum", schema.get("exclusiveMinimum")),
        most=schema.get("maximum", schema.get("exclusiveMaximum")),
        about=about,
    )


def _handle_by_name(name: str, about: str) -> str:
    """What a text is a handle of, when only its name and its description say so."""
    for kind in ("table", "document", "raster", "vector", "figure"):
        if name in (kind, f"{kind}s") or about.startswith(
            (f"a {kind}'s id", f"a {kind}:", f"the {kind}'s id", f"id of a {kind}", f"the id of the {kind}")
        ):
            return kind
    return ""

"""A tool's schema as it is sent: everything that it means, and nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from copilot.retrieval.schema import compact, function_of, sent, short_function_of
from copilot.retrieval.tokens import count_tokens
from tests.suite.walking import walks
from tools.base import Tool
from tools.toolbox import toolbox

TOOLS = tuple(toolbox())


def parts(schema: Any) -> Iterator[dict[str, Any]]:
    """Every schema within a schema, itself included."""
    if isinstance(schema, dict):
        yield schema
        for key, value in schema.items():
            inner = value.values() if key == "properties" else [value]
            for each in inner:
                yield from parts(each)
    elif isinstance(schema, list):
        for each in schema:
            yield from parts(each)


def test_an_optional_argument_is_its_plain_type_with_all_that_is_said_of_it() -> None:
    schema = {
        "properties": {
            "lon": {
                "anyOf": [
                    {"description": "Degrees east.", "maximum": 180, "minimum": -180, "type": "number"},
                    {"type": "null"},
                ],
                "default": None,
                "description": "Where to go.",
                "title": "Lon",
            }
        },
        "additionalProperties": False,
        "type": "object",
    }
    lon = {"description": "Where to go. Degrees east.", "maximum": 180, "minimum": -180, "type": "number"}
    assert compact(schema) == {"properties": {"lon": lon}, "type": "object"}


def test_references_are_put_in_place() -> None:
    schema = {
        "$defs": {"Spot": {"properties": {"lon": {"type": "number", "title": "Lon"}}, "type": "object"}},
        "properties": {"at": {"$ref": "#/$defs/Spot", "description": "The spot."}},
        "type": "object",
    }
    at = {"properties": {"lon": {"type": "number"}}, "type": "object", "description": "The spot."}
    assert compact(schema) == {"properties": {"at": at}, "type": "object"}


def test_an_argument_that_is_called_title_stays() -> None:
    schema = {"properties": {"title": {"type": "string", "title": "Title"}}, "type": "object"}
    assert compact(schema) == {"properties": {"title": {"type": "string"}}, "type": "object"}


def test_lengths_that_count_stay_and_those_that_only_keep_nonsense_out_go() -> None:
    box = {"type": "array", "items": {"type": "number"}, "minItems": 4, "maxItems": 4}
    names = {"type": "array", "items": {"type": "string", "maxLength": 9}, "minItems": 1, "maxItems": 100}
    assert compact(box) == box
    assert compact(names) == {"type": "array", "items": {"type": "string"}}


@walks("tool", TOOLS, lambda tool: tool.name)
def test_every_tool_keeps_its_arguments_values_and_limits(tool: Tool) -> None:
    full, shown = tool.schema, function_of(tool)["function"]["parameters"]
    assert list(shown["properties"]) == list(full.get("properties", {}))
    assert shown.get("required", []) == full.get("required", [])
    for key in ("enum", "minimum", "maximum", "exclusiveMinimum", "pattern"):
        kept = [part[key] for part in parts(shown) if key in part]
        assert kept == [part[key] for part in parts(full) if key in part], key
    said = " ".join(part.get("description", "") for part in parts(shown))
    assert all(part["description"] in said for part in parts(full) if part.get("description"))


def test_all_tools_together_cost_about_a_quarter_less_than_as_pydantic_writes_them() -> None:
    full = [
        {"type": "function", "function": {"name": t.name, "description": t.summary, "parameters": t.schema}}
        for t in TOOLS
    ]
    assert count_tokens(sent([function_of(tool) for tool in TOOLS])) < 0.77 * count_tokens(sent(full))


@walks("tool", TOOLS, lambda tool: tool.name)
def test_the_short_form_keeps_what_the_tool_does_and_its_arguments_names_types_and_values(tool: Tool) -> None:
    whole, short = function_of(tool)["function"], short_function_of(tool)["function"]
    assert (short["name"], short["description"]) == (whole["name"], whole["description"])
    of_whole, of_short = whole["parameters"], short["parameters"]
    assert list(of_short["properties"]) == list(of_whole["properties"])
    assert of_short.get("required") == of_whole.get("required")
    for key in ("type", "enum"):
        assert [each.get(key) for each in of_short["properties"].values()] == [
            each.get(key) for each in of_whole["properties"].values()
        ]
    assert not any("description" in part for part in parts(of_short))


def test_short_forms_cost_about_half_of_the_whole_ones() -> None:
    whole, short = (count_tokens(sent([form(t) for t in TOOLS])) for form in (function_of, short_function_of))
    assert short < 0.6 * whole


def test_tokens_are_those_of_the_published_encoding() -> None:
    # The example of tiktoken's own documentation, and a special token that is only text here.
    assert count_tokens("tiktoken is great!") == 6
    assert count_tokens("<|endoftext|>") > 1

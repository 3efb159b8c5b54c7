"""What the arguments of tools take."""

from __future__ import annotations

from copilot.language.schema import argument, arguments_of, schema_of
from tools.toolbox import toolbox


def test_a_limited_argument_gives_its_choices_and_is_not_free() -> None:
    takes = argument("name", {"enum": ["dark", "satellite"], "type": "string"})
    assert (takes.spelled, takes.is_free, takes.is_list) == (('"dark"', '"satellite"'), False, False)


def test_a_list_of_names_is_read_one_by_one_and_a_bbox_as_one_value() -> None:
    names = argument("classes", {"type": "array", "items": {"type": "string"}})
    bbox = argument("bbox", {"type": "array", "items": {"type": "number"}})
    assert (names.is_list, names.each.types) == (True, {"string"})
    assert (bbox.is_list, bbox.each) == (False, bbox)


def test_an_argument_that_may_be_left_out_is_described_by_what_it_takes() -> None:
    way = {"type": "number", "maximum": 90, "description": "Degrees north, WGS84."}
    takes = argument("lat", {"anyOf": [way, {"type": "null"}], "default": None})
    assert (takes.description, takes.types, takes.maximum) == ("Degrees north, WGS84.", {"number"}, 90)


def test_a_number_or_one_of_a_few_words_is_free() -> None:
    takes = argument("rank", {"anyOf": [{"type": "integer"}, {"type": "string", "enum": ["first", "last"]}]})
    assert (takes.spelled, takes.is_free) == (('"first"', '"last"'), True)


def test_nobody_says_that_a_refusal_shall_be_overruled() -> None:
    assert "anyway" in toolbox().get("optical_detection").schema["properties"]
    assert "anyway" not in arguments_of(toolbox().get("optical_detection"))


def test_every_tool_has_a_schema_that_can_be_read() -> None:
    schema = schema_of(toolbox())
    assert set(schema) == {each.name for each in toolbox()}
    assert all(takes.types or takes.choices for each in schema.values() for takes in each.values())

"""Reading intents, what can be said against one, and which half it is of."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from copilot.bench.build.intents import BadIntents, held_out, intent_of, load_intents, problems
from copilot.bench.task import GoldCall
from tests.copilot.bench.build.small_intents import intent, small_intents
from tools.toolbox import toolbox

NOT_READ = {
    "style_by_field", "label_layer", "save_file", "write_file", "sql", "inspect", "edit_columns",
    "remove_duplicates", "geometry_columns", "change_parts", "snap_geometries", "group_touching",
    "append_layers",
    "convert_geometry", "split_geometry",
}  # fmt: skip
"""Tools that the page and a language model call, and of which no reader here knows a request yet."""

ENTRY = {"id": "one", "category": "ui-web", "request": ["a"], "calls": [{"tool": "undo"}], "reply": "Done."}


def test_the_half_of_an_intent_follows_from_its_id_alone() -> None:
    assert [held_out(name) for name in ("a", "b", "c", "d", "e", "f")] == [
        True,
        True,
        False,
        False,
        False,
        True,
    ]


def test_the_halves_of_the_written_intents_are_about_as_large() -> None:
    intents = load_intents()
    assert 0.4 < sum(each.held_out for each in intents) / len(intents) < 0.6


def test_the_written_intents_are_at_least_250_and_every_one_is_well_formed() -> None:
    intents = load_intents()
    assert len(intents) >= 250
    assert len({each.id for each in intents}) == len(intents)
    assert {each.id: problems(each, toolbox()) for each in intents if problems(each, toolbox())} == {}


def test_the_written_intents_cover_every_tool() -> None:
    used = {call.tool for each in load_intents() for call in each.calls}
    assert {each.name for each in toolbox()} - used == NOT_READ


def test_nothing_can_be_said_against_the_small_intents() -> None:
    assert [problems(each, toolbox()) for each in small_intents()] == [[]] * len(small_intents())


def test_a_tool_or_an_argument_that_is_not_there_is_told() -> None:
    calls = (GoldCall("db_lod", {"names": ["{dataset}"]}), GoldCall("filter_coords", {"where": "{city}"}))
    found = problems(replace(intent("class-in-a-year"), calls=calls), toolbox())
    assert "there is no tool 'db_lod'" in found
    assert any(each.startswith("filter_coords has no argument 'where'; it has place, bbox") for each in found)


def test_a_wording_that_leaves_out_what_the_calls_need_is_told() -> None:
    some = intent("how-far-apart")
    found = problems(replace(some, requests=(*some.requests, "How far is it from {city}?")), toolbox())
    assert found == ["the wording 'How far is it from {city}?' does not say {other}"]


def test_too_few_wordings_an_unknown_slot_and_an_unused_one_are_told() -> None:
    some = intent("page-and-base")
    wrong = replace(some, requests=some.requests[:2], slots={**some.slots, "extra": some.slots["page"]})
    assert problems(wrong, toolbox()) == [
        "it is said in 2 ways; there should be at least 4",
        "the slot 'extra' is not used",
    ]
    wrong = replace(some, reply="{colour}")
    assert problems(wrong, toolbox()) == ["'{colour}' has {colour}, which is no slot (page, base)"]


def test_a_part_that_a_slot_does_not_have_is_told() -> None:
    some = replace(intent("how-far-apart"), reply="{city.start}")
    assert problems(some, toolbox()) == [
        "'{city.start}' has {city.start}; a city has the parts ('lon', 'lat')"
    ]


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"slot": {}}, "x.toml: one has the key 'slot'"),
        ({"slots": {"a": "town"}}, "x.toml: one: The slot 'a' has the kind 'town'; there are dataset, class"),
        ({"slots": {"a": [{"say": "x"}]}}, "x.toml: one: A literal of the slot 'a' has ['say']"),
        ({"calls": ["undo"]}, "x.toml: one has a call that is not"),
    ],
)
def test_an_entry_that_cannot_be_read_is_told_in_a_sentence(changes: dict[str, object], said: str) -> None:
    with pytest.raises(BadIntents) as error:
        intent_of({**ENTRY, **changes}, "x.toml")
    assert str(error.value).startswith(said)


def test_a_file_that_is_no_toml_is_told_by_its_name(tmp_path: Path) -> None:
    path = tmp_path / "broken.toml"
    path.write_text("[[intent]\n")
    with pytest.raises(BadIntents, match=r"^broken\.toml cannot be read"):
        load_intents([path])

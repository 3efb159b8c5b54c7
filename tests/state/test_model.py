"""The state is a value: nothing in it changes, and a change is another value."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, fields, is_dataclass, replace
from typing import Any

import pytest

import state.model as model
from state.model import MAX_ARTIFACTS, Artifact, Database, Filters, Geometry, Layer, State, frozen

EVERY_VALUE = [each for each in vars(model).values() if is_dataclass(each) and isinstance(each, type)]


def table(number: int, name: str = "a table") -> Artifact:
    return Artifact(f"table-{number}", "table", name, "3 rows", "top_n()")


@pytest.mark.parametrize("kind", EVERY_VALUE, ids=lambda kind: kind.__name__)
def test_no_field_of_any_value_can_be_set(kind: type[Any]) -> None:
    value: Any = object.__new__(kind)
    for each in fields(kind):
        with pytest.raises(FrozenInstanceError):
            setattr(value, each.name, None)


def test_a_state_can_be_the_key_of_a_dictionary() -> None:
    drawn = State().with_layer(Layer("a", "A", "drawing", geometry=Geometry("Point", (1.0, 2.0))))
    assert {drawn: 1}[
        State().with_layer(Layer("a", "A", "drawing", geometry=Geometry("Point", (1.0, 2.0))))
    ] == 1


def test_lists_at_any_depth_become_tuples() -> None:
    assert frozen([[1, [2.0]], "text", ()]) == ((1, (2.0,)), "text", ())


def test_a_layer_of_a_known_id_takes_its_place_and_a_new_one_goes_on_top() -> None:
    a, b, other = Layer("a", "A", "points"), Layer("b", "B", "points"), Layer("a", "Again", "heatmap")
    assert State().with_layer(a).with_layer(b).with_layer(other).map.layers == (other, b)


def test_layers_that_go_take_the_swipe_that_needs_them_along() -> None:
    a, b, c = (Layer(each, each, "points") for each in "abc")
    state = State().with_map(layers=(a, b, c), swipe=("a", "b"))
    assert state.without_layers(frozenset("c")) == State().with_map(layers=(a, b), swipe=("a", "b"))
    assert state.without_layers(frozenset("b")) == State().with_map(layers=(a, c), swipe=None)


def test_live_layers_follow_the_selection_and_named_ones_stay() -> None:
    live, kept = Layer("live", "Live", "points", live=True), Layer("kept", "Kept", "points", count=7)
    database = Database(("fmow",), Filters(start="2018-01-01"), 12)
    state = State().with_map(layers=(live, kept)).with_database(database)
    followed = replace(live, query=model.Query(("fmow",), Filters(start="2018-01-01")), count=12)
    assert state == replace(State().with_map(layers=(followed, kept)), database=database)


def test_an_artifact_made_again_moves_to_the_end() -> None:
    state = State().with_artifact(table(1)).with_artifact(table(2)).with_artifact(table(1, "newer"))
    assert state.artifacts == (table(2), table(1, "newer"))


def test_the_oldest_artifact_leaves_when_there_are_too_many() -> None:
    state = State()
    for number in range(MAX_ARTIFACTS + 1):
        state = state.with_artifact(table(number))
    assert state.artifacts == tuple(table(number) for number in range(1, MAX_ARTIFACTS + 1))


def test_a_panel_that_is_opened_again_comes_to_the_front() -> None:
    state = State().with_panel("results").with_panel("figure").with_panel("results")
    assert state.ui.panels == ("figure", "results")

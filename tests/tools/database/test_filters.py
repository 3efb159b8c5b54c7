"""Narrowing by classes, and dropping filters."""

from __future__ import annotations

from typing import Any

import pytest

from state.model import Filters, State
from tests.tools.world import NAMES, after, run
from tools.base import Tool, World
from tools.database.attributes import filter_attribute
from tools.database.dates import filter_date
from tools.database.filters import filter_class, filter_clear, filter_lccclass
from tools.database.loading import db_load
from tools.database.places import filter_coords
from tools.selection import counts_without


@pytest.fixture
def full(world: World) -> State:
    return after(world, State(), (db_load, {"names": list(NAMES)}))


@pytest.mark.parametrize(
    ("word", "canonical", "count"),
    [
        ("vehicles", "vehicles", 7),
        ("cars", "cars", 4),
        ("small cars", "Small Car", 4),
        ("SMALL CAR", "Small Car", 4),
        ("vehciles", "vehicles", 7),
        ("planes", "airplanes", 3),
        ("fishing vessel", "Fishing Vessel", 2),
    ],
)
def test_words_become_the_catalogues_own(
    world: World, full: State, word: str, canonical: str, count: int
) -> None:
    step = run(world, full, filter_class, classes=[word])
    assert step.state.database.filters == Filters(classes=(canonical,), match="any")
    assert step.state.database.count == count


def test_all_keeps_images_with_each_class_and_any_with_one(world: World, full: State) -> None:
    both = run(world, full, filter_class, classes=["Small Car", "Bus"], match="all")
    assert both.state.database.filters == Filters(classes=("Bus", "Small Car"), match="all")
    assert (
        both.state.database.count,
        run(world, full, filter_class, classes=["Small Car", "Bus"]).data["count"],
    ) == (1, 4)


def test_object_classes_replace_object_classes_and_leave_scenes(world: World, full: State) -> None:
    state = after(
        world,
        full,
        (filter_lccclass, {"classes": "golf course"}),
        (filter_class, {"classes": ["Bus"]}),
        (filter_class, {"classes": ["Truck"], "match": "all"}),
    )
    assert state.database.filters == Filters(classes=("Truck", "golf_course"), match="all")
    state = after(world, state, (filter_lccclass, {"classes": ["airports"]}))
    assert state.database.filters.match == "all"
    assert "Truck" in state.database.filters.classes and "golf_course" not in state.database.filters.classes


def test_a_scene_class_is_sent_to_the_other_tool_and_an_object_class_too(world: World, full: State) -> None:
    assert run(world, full, filter_class, classes=["golf_course"]).observation == (
        "'golf_course' labels whole scenes, not objects in them; filter_lccclass keeps those."
    )
    assert run(world, full, filter_lccclass, classes=["Bus"]).observation == (
        "'Bus' is a class of objects, not of whole scenes; filter_class keeps those."
    )


def test_class_names_with_commas_stay_whole(world: World, full: State) -> None:
    step = run(world, full, filter_lccclass, classes="Beaches, dunes, sands")
    assert step.state.database.filters.classes == ("Beaches, dunes, sands",)


def test_an_unknown_class_gets_the_nearest_names(world: World, full: State) -> None:
    step = run(world, full, filter_class, classes=["hovercrafty"])
    assert step.failed and step.state == full
    assert step.observation.startswith("No data set of the catalogue has the class 'hovercrafty'.")


def test_a_class_that_only_other_data_sets_have_is_set_and_said(world: World) -> None:
    state = after(world, State(), (db_load, {"names": ["xview1"]}))
    step = run(world, state, filter_class, classes=["Boeing737"])
    assert step.state.database.filters.classes == ("Boeing737",)
    assert step.observation == (
        "Object classes: Boeing737. None of the loaded data sets has 'Boeing737'; fair1m has. "
        "Nothing is selected; there would be without the class filter 7."
    )


def test_clearing_drops_the_named_parts_only(world: World, full: State) -> None:
    state = after(
        world,
        full,
        (filter_date, {"start": "2018", "end": "2018"}),
        (filter_coords, {"place": "Pittsburgh"}),
        (filter_class, {"classes": ["cars"]}),
        (filter_lccclass, {"classes": ["golf_course"]}),
        (filter_attribute, {"field": "cloud", "op": "<", "value": 50}),
        (filter_attribute, {"field": "split", "op": "=", "value": "train"}),
    )
    filters = state.database.filters
    step = run(world, state, filter_clear, fields=["date", "place", "golf course", "split"])
    assert step.state.database.filters == Filters(
        classes=("cars",),
        match="any",
        attributes=tuple(a for a in filters.attributes if a.field == "cloud_pct"),
    )
    assert run(world, state, filter_clear, fields="lccclass").state.database.filters.classes == ("cars",)
    assert run(world, state, filter_clear, fields="start").state.database.filters.end == "2018-12-31"
    everything = run(world, state, filter_clear)
    for every in (["all"], ["date", "All"]):
        assert run(world, state, filter_clear, fields=every).state == everything.state
    assert everything.state == full
    assert everything.observation == "All filters are dropped. 26 images are selected."


def test_clearing_what_no_filter_is_called_names_the_parts(world: World, full: State) -> None:
    step = run(world, full, filter_clear, fields=["colour"])
    assert step.observation == (
        "There is no filter 'colour'; the parts are date, place, class, lccclass, attribute."
    )


def test_an_empty_selection_says_which_filter_empties_it(world: World) -> None:
    state = after(world, State(), (db_load, {"names": ["xview1"]}), (filter_date, {"start": "2018"}))
    step = run(world, state, filter_coords, place="Lagos")
    assert step.data == {"count": 0, "loaded": ["xview1"], "without": {"date": 1, "place": 5}}
    assert step.observation.endswith(
        "Nothing is selected; there would be without the date filter 1 and without the place filter 5."
    )


EMPTY = {
    "a date and a place": ((filter_date, {"start": "2021"}), (filter_coords, {"place": "Lagos"})),
    "a class": ((filter_coords, {"place": "Lagos"}), (filter_class, {"classes": ["Boeing737"]})),
    "a place and a column of that name": (
        (filter_coords, {"place": "Rotterdam"}),
        (filter_attribute, {"field": "place", "op": "=", "value": "Lagos"}),
    ),
    "a country": (
        (filter_coords, {"place": "France"}),
        (filter_attribute, {"field": "country", "op": "=", "value": "NG"}),
    ),
    "two limits of one column": (
        (filter_attribute, {"field": "cloud", "op": "<", "value": 1}),
        (filter_attribute, {"field": "cloud", "op": ">", "value": 90}),
    ),
    "nothing alone": ((filter_date, {"end": "1990"}), (filter_coords, {"bbox": [0, -60, 1, -59]})),
}


@pytest.mark.parametrize("filters", EMPTY.values(), ids=EMPTY)
def test_what_there_would_be_without_a_filter_is_what_dropping_it_gives(
    world: World, full: State, filters: tuple[tuple[Tool, dict[str, Any]], ...]
) -> None:
    state = after(world, full, *filters)
    there_would_be = counts_without(state, world)
    assert state.database.count == 0
    columns = [each.field for each in state.database.filters.attributes]
    dropped = {
        part: run(world, state, filter_clear, fields=[part]).data["count"]
        for part in ("date", "place", "class", *columns)
    }
    assert there_would_be == {part: count for part, count in dropped.items() if count}


def test_scenes_that_show_all_of_several_land_covers_can_be_kept(world: World, full: State) -> None:
    classes = ["Coniferous forest", "Pastures"]
    step = run(world, full, filter_lccclass, classes=classes, match="all")
    assert step.state.database.filters == Filters(classes=tuple(classes), match="all")
    assert step.state.database.count == 1
    assert step.observation.startswith("Scene classes: Coniferous forest and Pastures (all of them).")
    assert run(world, full, filter_lccclass, classes=classes).state.database.count == 2


def test_how_object_classes_match_holds_for_scenes_too_and_is_said(world: World, full: State) -> None:
    state = run(world, full, filter_class, classes=["Bus"]).state
    step = run(world, state, filter_lccclass, classes=["airport"], match="all")
    assert step.state.database.filters.match == "any"
    assert "As for the object classes, any of them counts." in step.observation

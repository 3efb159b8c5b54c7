"""Loading and unloading data sets, and what the catalogue says of them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from state.model import Database, Layer, Query, State
from tests.tools.world import NAMES, after, run
from tools.base import World
from tools.database.loading import db_list, db_load, db_schema, db_unload


def test_loading_adds_sorted_names_and_counts_their_images(world: World) -> None:
    first = run(world, State(), db_load, names=["xview1"])
    step = run(world, first.state, db_load, names=["fair1m", "xview1"])
    assert step.state == State(database=Database(loaded=("fair1m", "xview1"), count=12))
    assert step.observation == "Loaded fair1m and xview1. 12 images are selected."
    assert step.data == {"count": 12, "loaded": ["fair1m", "xview1"]}


@pytest.mark.parametrize("said", ["xView", "XVIEW1", "xview 1", "DIUx xView"])
def test_a_data_set_is_found_by_the_names_people_give_it(world: World, said: str) -> None:
    assert run(world, State(), db_load, names=[said]).state.database.loaded == ("xview1",)


def test_one_text_with_commas_is_a_list_of_names(world: World) -> None:
    assert run(world, State(), db_load, names="fmow, xview3").state.database.loaded == ("fmow", "xview3")


def test_an_unknown_name_gets_the_nearest_and_changes_nothing(world: World) -> None:
    step = run(world, State(), db_load, names=["fair1m", "xview9"])
    assert step.failed and step.state == State()
    assert step.observation == (
        "There is no data set 'xview9'. Did you mean xview1 and xview3? "
        "The catalogue has bigearthnet, fair1m, fmow, xview1 and xview3."
    )


def test_unloading_some_keeps_the_others_and_the_filters(world: World) -> None:
    full = after(world, State(), (db_load, {"names": list(NAMES)}))
    step = run(world, full, db_unload, names=["fmow", "xview3"])
    assert step.state.database == Database(loaded=("bigearthnet", "fair1m", "xview1"), count=17)
    assert (
        step.observation
        == "Unloaded fmow and xview3. bigearthnet, fair1m and xview1 stay loaded. 17 images are selected."
    )


def test_unloading_all_leaves_nothing_selected(world: World) -> None:
    full = after(world, State(), (db_load, {"names": ["fmow", "xview1"]}))
    step = run(world, full, db_unload)
    assert step.state == State()
    assert step.observation == "Unloaded fmow and xview1. No data set is loaded yet, so nothing is selected."


def test_unloading_what_is_not_loaded_says_what_is(world: World) -> None:
    full = after(world, State(), (db_load, {"names": ["fmow"]}))
    assert run(world, full, db_unload, names=["xview1"]).observation == "xview1 is not loaded; loaded: fmow."
    assert run(world, State(), db_unload).failed


def test_live_layers_follow_what_is_loaded_and_named_ones_stay(world: World) -> None:
    live = Layer("a", "Selection", "clusters", live=True)
    named = replace(live, id="b", live=False, query=Query(("fmow",)), count=5)
    state = State().with_layer(live).with_layer(named)
    layers = after(world, state, (db_load, {"names": ["xview1"]})).map.layers
    assert layers == (replace(live, query=Query(("xview1",)), count=7), named)


def test_the_list_has_every_data_set_with_its_counts_and_says_which_is_a_sample(world: World) -> None:
    state = after(world, State(), (db_load, {"names": ["xview3"]}))
    step = run(world, state, db_list)
    assert [(each["name"], each["images"], each["detections"]) for each in step.data["datasets"]] == [
        ("bigearthnet", 5, 0),
        ("fair1m", 5, 20),
        ("fmow", 5, 0),
        ("xview1", 7, 40),
        ("xview3", 4, 14),
    ]
    assert {each["origin"] for each in step.data["datasets"]} == {"sample"}
    assert (
        "- xview3 (sample and loaded): xView3-SAR, 4 images, 14 detections, 4 classes,"
        " 2020-01-14 to 2021-06-02." in step.observation.splitlines()
    )


def test_the_schema_of_a_data_set_shows_types_and_ranges(world: World) -> None:
    step = run(world, State(), db_schema, name="xView")
    assert step.data["dataset"] == "xview1"
    assert "CREATE TABLE images (" in step.observation and "CREATE TABLE detections (" in step.observation
    [cloud] = [
        each for each in step.data["columns"] if (each["table"], each["column"]) == ("images", "cloud_pct")
    ]
    assert (cloud["type"], cloud["min"], cloud["max"]) == ("number", 0.0, 70.0)

"""Narrowing the selection to a place."""

from __future__ import annotations

import math
from typing import Any

import pytest

from state.model import Filters, Geometry, Layer, State
from tests.tools.world import NAMES, after, run
from tools.base import World
from tools.database.loading import db_load
from tools.database.places import filter_coords
from tools.places import grown

SQUARE = {
    "type": "Polygon",
    "coordinates": [[[4.0, 51.5], [5.0, 51.5], [5.0, 52.5], [4.0, 52.5], [4.0, 51.5]]],
}


@pytest.fixture
def full(world: World) -> State:
    return after(world, State(), (db_load, {"names": list(NAMES)}))


def test_a_city_means_forty_kilometres_around_it(world: World, full: State) -> None:
    step = run(world, full, filter_coords, place="Pittsburgh")
    filters = step.state.database.filters
    assert filters.place == "Pittsburgh, Pennsylvania, United States"
    assert filters.center == pytest.approx((-79.996, 40.441), abs=0.01)
    assert (filters.radius_km, filters.country, filters.geometry) == (40.0, None, None)
    assert filters.bbox is not None
    west, south, east, north = filters.bbox
    half = math.degrees(40 / 6371.0088)
    assert (south + north) / 2 == pytest.approx(filters.center[1], abs=1e-5)
    assert north - south == pytest.approx(2 * half, abs=1e-5)
    assert east - west == pytest.approx(2 * half / math.cos(math.radians(40.44)), abs=1e-3)
    assert step.state.database.count == 8
    assert (
        step.observation
        == "Place: within 40 km of Pittsburgh, Pennsylvania, United States. 8 images are selected."
    )


def test_a_radius_around_a_city_is_taken_as_given(world: World, full: State) -> None:
    step = run(world, full, filter_coords, place="Pittsburgh", radius_km=5)
    assert (step.state.database.filters.radius_km, step.state.database.count) == (5.0, 3)


def test_a_country_is_taken_by_its_code_with_a_box_for_the_map(world: World, full: State) -> None:
    step = run(world, full, filter_coords, place="France")
    filters = step.state.database.filters
    assert (filters.place, filters.country, filters.center, filters.geometry) == ("France", "FR", None, None)
    assert filters.bbox == pytest.approx((-4.8, 41.4, 9.6, 51.1), abs=0.5)
    assert step.state.database.count == 3


def test_a_region_with_a_radius_is_its_box_grown_by_it(world: World, full: State) -> None:
    plain = run(world, full, filter_coords, place="France").state.database.filters
    filters = run(world, full, filter_coords, place="France", radius_km=100).state.database.filters
    assert plain.bbox is not None
    assert filters == Filters(place="France", bbox=grown(plain.bbox, 100))


def test_a_state_of_a_country_is_kept_as_a_coarse_outline(world: World, full: State) -> None:
    step = run(world, full, filter_coords, place="Pennsylvania")
    geometry = step.state.database.filters.geometry
    assert geometry is not None and geometry.type in ("Polygon", "MultiPolygon")
    assert len(str(geometry.coordinates)) < 8000
    assert step.state.database.count == 8


def test_a_sea_is_its_box(world: World, full: State) -> None:
    step = run(world, full, filter_coords, place="the Gulf of Guinea")
    filters = step.state.database.filters
    assert (filters.place, filters.center, filters.geometry) == ("Gulf of Guinea", None, None)
    assert filters.bbox is not None and step.state.database.count >= 1


def test_an_unknown_place_is_an_error_with_a_way_out(world: World, full: State) -> None:
    step = run(world, full, filter_coords, place="Xyzzyplugh")
    assert step.failed and step.state == full
    assert step.observation.startswith("No place is called 'Xyzzyplugh'.")


def test_an_ambiguous_place_lists_the_labels_and_each_label_is_understood(world: World, full: State) -> None:
    step = run(world, full, filter_coords, place="Springfield")
    assert step.failed and step.state == full
    assert step.observation.startswith("'Springfield' may be any of 'Springfield, ")
    label = step.observation.split("'")[3]
    assert run(world, full, filter_coords, place=label).state.database.filters.place == label


def test_a_box_across_the_antimeridian_has_west_greater_than_east(world: World, full: State) -> None:
    step = run(world, full, filter_coords, bbox=[179, -20, 181, -10])
    assert step.state.database.filters == Filters(bbox=(179.0, -20.0, -179.0, -10.0))
    assert step.state.database.count == 2
    assert step.observation == "Place: the box [179, -20, -179, -10]. 2 images are selected."


def test_a_point_with_a_radius_is_a_circle_with_its_box(world: World, full: State) -> None:
    step = run(world, full, filter_coords, lon=180.0, lat=-16.9, radius_km=30)
    filters = step.state.database.filters
    assert (filters.center, filters.radius_km, filters.place) == ((180.0, -16.9), 30.0, None)
    assert filters.bbox is not None and filters.bbox[0] > filters.bbox[2]
    assert step.state.database.count == 2


def test_negative_coordinates_keep_their_sign(world: World, full: State) -> None:
    step = run(world, full, filter_coords, lon=-79.9959, lat=40.4406, radius_km=1)
    assert (step.state.database.filters.center, step.state.database.count) == ((-79.9959, 40.4406), 1)


def test_a_polygon_selects_what_it_covers_and_keeps_its_box(world: World, full: State) -> None:
    step = run(world, full, filter_coords, geometry=SQUARE)
    ring = ((4.0, 51.5), (5.0, 51.5), (5.0, 52.5), (4.0, 52.5), (4.0, 51.5))
    assert step.state.database.filters == Filters(
        bbox=(4.0, 51.5, 5.0, 52.5), geometry=Geometry("Polygon", (ring,))
    )
    assert step.state.database.count == 2


def test_parts_on_both_sides_of_the_antimeridian_are_boxed_across_it(world: World, full: State) -> None:
    east = [[[179, -18], [180, -18], [180, -16], [179, -16], [179, -18]]]
    west = [[[-180, -18], [-179, -18], [-179, -16], [-180, -16], [-180, -18]]]
    step = run(world, full, filter_coords, geometry={"type": "MultiPolygon", "coordinates": [east, west]})
    assert step.state.database.filters.bbox == (179.0, -18.0, -179.0, -16.0)
    assert step.state.database.count == 2


def test_a_drawing_selects_what_lies_in_it(world: World, full: State) -> None:
    ring = ((4.0, 51.5), (5.0, 51.5), (5.0, 52.5), (4.0, 52.5), (4.0, 51.5))
    drawn = full.with_layer(Layer("drawing-1", "Box", "drawing", geometry=Geometry("Polygon", (ring,))))
    assert run(world, drawn, filter_coords, drawing="drawing-1").state.database.count == 2
    by_name = run(world, drawn, filter_coords, drawing="box")
    assert by_name.state == run(world, drawn, filter_coords, drawing="drawing-1").state
    marked = full.with_layer(Layer("drawing-2", "Mark", "drawing", geometry=Geometry("Point", (4.14, 51.95))))
    step = run(world, marked, filter_coords, drawing="drawing-2", radius_km=10)
    assert (step.state.database.filters.center, step.state.database.count) == ((4.14, 51.95), 1)
    missing = run(world, drawn, filter_coords, drawing="drawing-9")
    assert missing.observation == "No drawing has the id 'drawing-9'. Did you mean 'drawing-1'?"


def test_a_new_place_leaves_nothing_of_the_old_one(world: World, full: State) -> None:
    state = after(world, full, (filter_coords, {"place": "France"}), (filter_coords, {"bbox": [0, 0, 1, 1]}))
    assert state.database.filters == Filters(bbox=(0.0, 0.0, 1.0, 1.0))


@pytest.mark.parametrize(
    ("args", "words"),
    [
        ({}, "it got none"),
        ({"place": "Paris", "bbox": [0, 0, 1, 1]}, "it got place and bbox"),
        ({"lon": 4.0}, "needs both lon and lat"),
        ({"bbox": [0, 5, 1, 1], "radius_km": 5}, "not with a bbox"),
        ({"bbox": [0, 5, 1, 1]}, "north of its north edge"),
        ({"bbox": [0, 0, 1]}, "cannot take"),
        ({"lon": 4, "lat": 91}, "cannot take 91 as 'lat'"),
        ({"geometry": {"type": "Point", "coordinates": [1, 2]}}, "'Point' does not select an area"),
        ({"geometry": {"type": "Polygon", "coordinates": "x"}}, "cannot be read"),
        ({"geometry": {"type": "Polygon", "coordinates": [[[1, 1], [2, 2], [1, 1]]]}}, "Polygon"),
        ({"geometry": {**SQUARE, "coordinates": [[[51, 140], [52, 140], [52, 141]]]}}, "longitude first"),
    ],
)  # fmt: skip
def test_what_is_no_place_is_one_sentence_and_changes_nothing(
    world: World, full: State, args: dict[str, Any], words: str
) -> None:
    step = run(world, full, filter_coords, **args)
    assert step.failed and step.state == full
    assert words in step.observation and "\n" not in step.observation


def test_a_country_that_shares_its_name_can_be_chosen(world: World, full: State) -> None:
    said = run(world, full, filter_coords, place="Georgia").observation
    assert "'Georgia (country)'" in said and "'Georgia, United States'" in said
    filters = run(world, full, filter_coords, place="Georgia (country)").state.database.filters
    assert (filters.place, filters.country) == ("Georgia", "GE")


def test_a_grown_place_says_by_how_much(world: World, full: State) -> None:
    said = run(world, full, filter_coords, place="France", radius_km=100).observation
    assert said.startswith("Place: within 100 km of France.")


def test_a_part_across_the_antimeridian_closes_the_gap_it_covers(world: World, full: State) -> None:
    squares = [(-180, -179), (-150, -149), (100, 180), (-180, -140)]
    shape = {
        "type": "MultiPolygon",
        "coordinates": [[[[w, 0], [e, 0], [e, 1], [w, 1], [w, 0]]] for w, e in squares],
    }
    assert run(world, full, filter_coords, geometry=shape).state.database.filters.bbox == (100, 0, -140, 1)

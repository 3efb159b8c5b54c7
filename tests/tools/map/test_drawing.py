"""Drawings and what is measured of them."""

from __future__ import annotations

import math

import pytest
import shapely
from hypothesis import given
from hypothesis import strategies as st
from shapely.geometry import shape

from state.model import Layer, State
from tests.tools.prepared import RASTER, VECTOR, prepared
from tests.tools.world import after, run
from tools.base import World
from tools.map import adding, drawing, measure
from tools.map.shapes import area_km2, box_shape, circle_shape, ellipsoid
from tools.selection import geojson

EARTH_KM = 6371.0088


def ids(state: State) -> list[str]:
    return [each.id for each in state.map.layers]


def test_a_box_is_a_polygon_with_its_area(world: World) -> None:
    step = run(world, State(), drawing.draw_bbox, bbox=[4, 51, 5, 52], name="Delta")
    (layer,) = step.state.map.layers
    assert (layer.id, layer.name, layer.kind) == ("drawing-1", "Delta", "drawing")
    assert layer.geometry is not None
    assert shape(geojson(layer.geometry)).equals(shapely.box(4, 51, 5, 52))
    assert step.data["area_km2"] == pytest.approx(7725.459, abs=0.5)


def test_a_box_across_the_antimeridian_is_cut_in_two(world: World) -> None:
    step = run(world, State(), drawing.draw_bbox, bbox=[170, -20, -170, -10])
    geometry = step.state.map.layers[0].geometry
    assert geometry is not None and geometry.type == "MultiPolygon"
    assert [each.bounds for each in shape(geojson(geometry)).geoms] == [
        (170, -20, 180, -10),
        (-180, -20, -170, -10),
    ]
    assert step.data["bbox"] == [170.0, -20.0, -170.0, -10.0]


@given(st.floats(-180, 180), st.floats(-90, 90), st.floats(1, 5000))
def test_a_circle_has_nearly_the_area_of_its_cap_wherever_it_lies(
    lon: float, lat: float, radius_km: float
) -> None:
    drawn = circle_shape((lon, lat), radius_km)
    west, south, east, north = drawn.bounds
    assert -180 <= west <= east <= 180 and -90 <= south <= north <= 90
    # 2πR²(1 − cos a), written so that small angles keep their digits.
    expected = 4 * math.pi * (EARTH_KM * math.sin(radius_km / EARTH_KM / 2)) ** 2
    assert area_km2(drawn) == pytest.approx(expected, rel=0.02)


def test_every_corner_of_a_circle_is_its_radius_away() -> None:
    corners = shapely.get_coordinates(circle_shape((4.48, 51.92), 40)).tolist()
    assert len(corners) == 65
    for lon, lat in corners:
        assert ellipsoid().inv(4.48, 51.92, lon, lat)[2] == pytest.approx(40_000, abs=0.1)


def test_a_circle_keeps_its_centre_and_radius(world: World) -> None:
    step = run(world, State(), drawing.draw_circle, lon=4.48, lat=51.92, radius_km=40)
    assert step.state.map.layers[0].options == (("lat", 51.92), ("lon", 4.48), ("radius_km", 40.0))
    assert step.observation.startswith("Drew a circle of 40 km around (4.48, 51.92), 5,018")


def test_drawings_are_numbered_after_the_highest(world: World) -> None:
    box = (drawing.draw_bbox, {"bbox": [0, 0, 1, 1]})
    state = after(world, State(), box, box, box).without_layers(frozenset({"drawing-2"}))
    assert ids(after(world, state, box)) == ["drawing-1", "drawing-3", "drawing-4"]


def test_clearing_leaves_other_layers(world: World) -> None:
    state = after(world, prepared(world), (drawing.draw_marker, {"place": "Lagos", "label": "Office"}))
    assert state.map.layers[-1].options == (("label", "Office"),)
    step = run(world, state, drawing.clear_drawings)
    assert (ids(step.state), step.data) == (["clusters"], {"removed": ["drawing-1"]})


@pytest.mark.parametrize(
    ("points", "said"),
    [
        (
            [[0, 0], [1, 1], [1, 0], [0, 1]],
            "The polygon crosses itself; give its corners in order around it.",
        ),
        (
            [[0, 0], [1, 1], [2, 2]],
            "The polygon has no area; give at least three corners that are not on one line.",
        ),
        (
            [[0, 0], [1, 1], [2, 95]],
            "The corner [2, 95] is not on the globe; a corner is [lon, lat], longitude first.",
        ),
    ],
)
def test_what_is_no_polygon_is_refused(world: World, points: list[list[float]], said: str) -> None:
    step = run(world, State(), drawing.draw_polygon, points=points)
    assert step.failed and step.observation == said


def test_the_distance_of_two_places_is_geodesic(world: World) -> None:
    step = run(world, State(), measure.measure_distance, start="2.3488,48.85341", end="-0.12574, 51.50853")
    assert step.data["distance_km"] == pytest.approx(343.923, abs=0.5)
    half = run(world, State(), measure.measure_distance, points=[[0, 0], [90, 0], [180, 0]])
    assert half.data["legs_km"] == pytest.approx([10018.754, 10018.754], abs=0.001)


def test_the_earth_has_its_published_area(world: World) -> None:
    step = run(world, State(), measure.measure_area, bbox=[-180, -90, 180, 90])
    assert step.data["area_km2"] == pytest.approx(510_065_621.724, abs=0.01)


@given(st.floats(-180, 179), st.floats(-89, 88), st.floats(0.1, 1))
def test_a_box_cut_at_the_antimeridian_has_the_area_of_one_that_is_not(
    lon: float, lat: float, width: float
) -> None:
    plain = area_km2(box_shape((0.0, lat, width, lat + 1)))
    east = lon + width
    moved = area_km2(box_shape((lon, lat, east - 360 if east > 180 else east, lat + 1)))
    assert moved == pytest.approx(plain, rel=1e-6)


def test_a_drawing_measures_as_it_was_drawn(world: World) -> None:
    drawn = run(world, State(), drawing.draw_polygon, points=[[179, -1], [-179, -1], [-179, 1], [179, 1]])
    step = run(world, drawn.state, measure.measure_area, layer="polygon 1")
    assert step.data["area_km2"] == pytest.approx(drawn.data["area_km2"], rel=1e-6)
    assert step.data["area_km2"] == pytest.approx(49_233, rel=0.001)


def test_a_place_without_an_outline_says_how_to_measure_its_box(world: World) -> None:
    step = run(world, State(), measure.measure_area, place="Paris")
    assert step.failed
    assert step.observation.endswith("only its box; bbox=[2.0015,48.6249,2.6961,49.0819] measures that.")


def test_a_point_is_identified_in_every_visible_layer(world: World) -> None:
    state = after(world, prepared(world), (drawing.draw_bbox, {"bbox": [-81, 40, -79, 41]}))
    hidden = state.with_layer(
        Layer("hidden", "Hidden", "drawing", visible=False, geometry=state.map.layers[-1].geometry)
    )
    step = run(world, hidden, measure.identify_at, lon=-79.996, lat=40.441)
    assert step.data == {
        "country": "US",
        "nearest_city": {"label": "Pittsburgh, Pennsylvania, United States", "distance_km": 0.0},
        "layers": [
            {"layer": "clusters", "kind": "clusters", "images": ["xview1:1001.tif"], "nearest": False},
            {"layer": "drawing-1", "kind": "drawing"},
        ],
    }


def test_away_from_everything_the_nearest_image_is_named_with_its_distance(world: World) -> None:
    step = run(world, prepared(world), measure.identify_at, lon=179.95, lat=-17.3)
    (found,) = step.data["layers"]
    assert (found["images"], found["nearest"], found["distance_km"]) == (["xview3:72dba3e8"], True, 33.6)


def test_a_point_is_identified_in_vectors_and_rasters(world: World) -> None:
    added = (
        (adding.add_vector_layer, {"artifact": VECTOR.id}),
        (adding.add_raster_layer, {"artifact": RASTER.id}),
    )
    state = after(world, prepared(world), *added).without_layers(frozenset({"clusters"}))
    assert run(world, state, measure.identify_at, lon=-178.5, lat=-17.5).data["layers"] == [
        {"layer": "harbours", "kind": "vector", "features": 1}
    ]
    assert run(world, state, measure.identify_at, lon=4.5, lat=51.5).data["layers"] == [
        {"layer": "heights", "kind": "raster", "values": [{"name": "b1", "value": 10}]}
    ]
    assert run(world, state, measure.identify_at, lon=0, lat=0).data["layers"] == []

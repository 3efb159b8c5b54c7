"""The camera: what a fit holds, how far a pan goes, which base is meant."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from data.catalogue.geo import circle_bbox
from state.model import MapState, State
from tests.tools.world import after, run
from tools.base import World
from tools.database import TOOLS as DATABASE
from tools.map import camera as tools
from tools.map.geometry import MAX_LATITUDE, MAX_ZOOM, camera_for, span, union_box, visible

DB_LOAD = next(tool for tool in DATABASE if tool.name == "db_load")
FILTER_COORDS = next(tool for tool in DATABASE if tool.name == "filter_coords")
PITTSBURGH = (-79.99589, 40.44062)
LONS = st.floats(-180, 180)
LATS = st.floats(-85, 85)


@st.composite
def boxes(draw: st.DrawFn) -> tuple[float, float, float, float]:
    south, north = sorted((draw(LATS), draw(LATS)))
    return (draw(LONS), south, draw(LONS), north)


def holds(outer: tuple[float, ...], inner: tuple[float, ...], slack: float = 2e-6) -> bool:
    if outer[1] > inner[1] + slack or outer[3] < inner[3] - slack:
        return False
    width = span((outer[0], outer[1], outer[2], outer[3]))
    into = (inner[0] - outer[0] + slack) % 360
    return width >= 360 or into + span((inner[0], inner[1], inner[2], inner[3])) <= width + 2 * slack


@given(boxes())
def test_a_fit_holds_the_whole_box(bbox: tuple[float, float, float, float]) -> None:
    camera = camera_for(bbox)
    assert camera.zoom == int(camera.zoom)
    if camera.zoom > 0:
        assert holds(visible(camera.center, camera.zoom), bbox)


@given(boxes())
def test_one_zoom_closer_would_cut_the_box_off(bbox: tuple[float, float, float, float]) -> None:
    camera = camera_for(bbox)
    if camera.zoom < 16:
        assert not holds(visible(camera.center, camera.zoom + 1), bbox, slack=-1e-5)


@given(st.lists(boxes(), min_size=1, max_size=5))
def test_the_box_around_boxes_holds_each(parts: list[tuple[float, float, float, float]]) -> None:
    around = union_box(parts)
    assert all(holds(around, each) for each in parts)


@given(
    st.floats(-180, 180), st.floats(-85, 85), st.sampled_from(sorted(tools._DIRECTIONS)), st.integers(0, 22)
)
def test_a_pan_keeps_the_zoom_and_stays_on_the_globe(
    lon: float, lat: float, direction: str, zoom: int
) -> None:
    state = State().with_map(center=(lon, lat), zoom=float(zoom))
    step = tools.pan_map.function(state, None, direction=direction)  # a pan looks at no world
    moved = step.state.map
    assert moved.zoom == zoom
    assert -180 <= moved.center[0] <= 180
    assert abs(moved.center[1]) <= max(abs(lat), MAX_LATITUDE) + 1e-5


def test_zooming_to_a_city_shows_its_surroundings(world: World) -> None:
    step = run(world, State(), tools.zoom_map, place="Paris")
    assert step.data == {"center": [2.3488, 48.853931], "zoom": 9.0, "place": "Paris, Île-de-France, France"}
    assert step.state.map == MapState(center=(2.3488, 48.853931), zoom=9.0)


def test_a_country_across_the_antimeridian_is_in_the_middle(world: World) -> None:
    step = run(world, State(), tools.zoom_map, place="Fiji")
    lon, lat = step.state.map.center
    assert (step.state.map.zoom, round(lon, 1), round(lat, 1)) == (6.0, 178.2, -17.1)


@pytest.mark.parametrize(("delta", "zoom"), [(1, 3.0), (-1, 1.0), (-22, 0.0), (22, MAX_ZOOM)])
def test_a_delta_is_relative_and_clamped(world: World, delta: int, zoom: float) -> None:
    step = run(world, State(), tools.zoom_map, delta=delta)
    assert (step.state.map.zoom, step.state.map.center) == (zoom, MapState().center)


def test_a_zoom_beyond_the_end_says_so(world: World) -> None:
    step = run(world, State().with_map(zoom=22.0), tools.zoom_map, delta=1)
    assert step.failed
    assert step.observation == "The map is at zoom 22 already, which is as far as it goes."


def test_zoom_in_and_out_again_is_where_it_began(world: World) -> None:
    assert after(world, State(), (tools.zoom_map, {"delta": 3}), (tools.zoom_map, {"delta": -3})) == State()


def test_a_box_across_the_antimeridian_is_fitted_across_it(world: World) -> None:
    step = run(world, State(), tools.fit_bounds, bbox=[170, -20, -170, -10])
    assert step.state.map.center[0] == 180.0
    assert step.state.map.zoom == 5.0


@pytest.mark.parametrize("bbox", [[0, 50, 10, 40], [0, -91, 10, 40], [4, 51, 5], [1e9, 0, 1, 1]])
def test_what_is_no_box_is_refused(world: World, bbox: list[float]) -> None:
    step = run(world, State(), tools.fit_bounds, bbox=bbox)
    assert step.failed and step.state == State()


def test_a_city_is_shown_with_what_is_around_it_and_with_the_circle_that_filters_by_it(world: World) -> None:
    """At least 25 km on every side, and the whole of the selection's circle."""
    for radius_km, calls in (
        (25, []),
        (40, [(FILTER_COORDS, {"place": "Pittsburgh"})]),
        (120, [(FILTER_COORDS, {"place": "Pittsburgh", "radius_km": 120})]),
    ):
        before = after(world, State(), (DB_LOAD, {"names": ["fair1m"]}), *calls)
        shown = run(world, before, tools.zoom_map, place="Pittsburgh").state.map
        assert holds(visible(shown.center, shown.zoom), circle_bbox(*PITTSBURGH, radius_km))


def test_the_selection_is_fitted_as_the_catalogue_bounds_it(world: World) -> None:
    loaded = after(world, State(), (DB_LOAD, {"names": ["bigearthnet"]}))
    step = run(world, loaded, tools.fit_selection)
    assert step.data["bbox"] == pytest.approx([-9.305, 38.495, -8.795, 38.905])
    assert step.observation.startswith("The map fits the selection's 5 rows: ")


@pytest.mark.parametrize(
    ("name", "base"),
    [
        ("OpenStreetMap", "osm"), ("imagery", "satellite"), ("Dark mode", "dark"),
        ("topographic map", "topo"),
        ("land", "offline"), ("OFFLINE", "offline"), ("light", "light"),
    ],
)  # fmt: skip
def test_a_base_is_known_by_its_synonyms(world: World, name: str, base: str) -> None:
    step = run(world, State(), tools.set_basemap, name=name)
    assert step.state.map.basemap == base
    assert step.data["online"] == (base in ("osm", "satellite", "topo"))
    assert ("from the network" in step.observation) == step.data["online"]


def test_an_unknown_base_names_the_nearest(world: World) -> None:
    step = run(world, State(), tools.set_basemap, name="satelite")
    assert step.observation == (
        "There is no base map 'satelite'. Did you mean 'satellite'? "
        "There are offline, dark, light, osm, satellite, topo."
    )

"""The vector tools by handle: drawings, the selection, plots, and what earlier calls made."""

from __future__ import annotations

from typing import Any

import geopandas as gpd
import pandas as pd
import pyproj
import pytest
import shapely

from state.model import Artifact, State
from tests.tools.world import after, run
from tools.base import Step, World
from tools.data.rows import filter_rows
from tools.database.loading import db_load
from tools.geotools.grids import grid_over
from tools.geotools.joins import nearest, points_in_polygon, spatial_join
from tools.geotools.measuring import area_of, distance_between, length_of
from tools.geotools.overlay import difference, dissolve, intersection, union
from tools.geotools.shapes import (
    buffer,
    centroid,
    convex_hull,
    make_valid,
    reproject_vector,
    simplify_geometry,
)
from tools.map.drawing import draw_bbox, draw_circle, draw_marker
from tools.map.plots import footprint_plot, scatter_plot

GEOD = pyproj.Geod(ellps="WGS84")


@pytest.fixture
def drawn(world: World) -> State:
    """A circle of 10 km around Rotterdam, a marker on Delft, and a box that holds half the circle."""
    return after(
        world,
        State(),
        (draw_circle, {"place": "Rotterdam", "radius_km": 10}),
        (draw_marker, {"place": "Delft"}),
        (draw_bbox, {"bbox": [4, 51.8, 4.6, 52]}),
    )


def vector(world: World, step: Step) -> gpd.GeoDataFrame:
    assert not step.failed, step.observation
    path = world.artifacts.find(step.data["vector"])
    assert path is not None
    return gpd.read_parquet(path)


def with_features(world: World, state: State, name: str, frame: gpd.GeoDataFrame) -> State:
    """The state with an artifact of these features."""
    artifact = Artifact(f"vector-{name.lower()[:6]}", "vector", name, "", "test()")
    frame.to_parquet(world.artifacts.path(artifact.id, ".parquet"))
    return state.with_artifact(artifact)


def test_the_area_of_a_drawing_is_geodesic_in_the_unit_asked_for(world: World, drawn: State) -> None:
    step = run(world, drawn, area_of, vector="drawing-1", unit="ha")
    assert step.data["area_ha"] == step.data["area"] == pytest.approx(31_365.5, abs=0.1)
    assert step.observation == f"Around Rotterdam covers 31,365.5 ha. The table is {step.data['table']}."
    acres = run(world, drawn, area_of, vector="drawing-1", unit="acres")
    assert acres.data["area"] == pytest.approx(step.data["area_m2"] / 4046.8564224)
    assert run(world, drawn, area_of, vector="drawing-1").data["unit"] == "km2"


def test_areas_of_each_come_as_a_table_or_as_a_column(world: World, drawn: State) -> None:
    table = run(world, drawn, area_of, vector="drawings", unit="ha", result="table")
    path = world.artifacts.find(table.data["table"])
    assert path is not None
    rows = pd.read_parquet(path)
    assert rows["name"].tolist() == ["Around Rotterdam", "Delft", "Box 3"]
    assert rows["area_ha"].sum() == pytest.approx(table.data["area_ha"], abs=0.01)
    assert rows["area_ha"][1] == 0
    column = vector(world, run(world, drawn, area_of, vector="drawings", unit="ha", result="column"))
    assert column["area_ha"].tolist() == rows["area_ha"].tolist()


def test_a_table_of_another_drawing_is_another_table(world: World, drawn: State) -> None:
    other = after(world, State(), (draw_bbox, {"bbox": [1, 1, 2, 2]}))
    ids = [
        run(world, state, area_of, vector="drawing-1", result="table").data["table"]
        for state in (drawn, drawn, other)
    ]
    assert ids[0] == ids[1] != ids[2]


def test_what_has_no_area_or_length_says_what_measures_it(world: World, drawn: State) -> None:
    assert run(world, drawn, area_of, vector="drawing-2").observation == (
        "Delft has no polygons, and points and lines have no area; length_of measures lines, "
        "buffer makes polygons."
    )
    assert run(world, drawn, length_of, vector="drawing-2").failed


def test_the_perimeter_of_a_circle_is_its_circumference(world: World, drawn: State) -> None:
    step = run(world, drawn, length_of, vector="drawing-1", unit="km")
    assert step.data["length_km"] == pytest.approx(2 * 3.141593 * 10, rel=1e-3)
    said = f"Around Rotterdam measures {step.data['length_km']:.2f} km around."
    assert step.observation == f"{said} The table is {step.data['table']}."


def test_a_distance_is_between_edges_or_middles_of_drawings_and_places(world: World, drawn: State) -> None:
    edges = run(world, drawn, distance_between, start="drawing-2", end="drawing-1")
    middles = run(world, drawn, distance_between, start="drawing-2", end="drawing-1", measure="middles")
    rotterdam = next(each for each in world.gazetteer.places("city") if each.name == "Rotterdam")
    apart = GEOD.inv(4.35556, 52.00667, rotterdam.lon, rotterdam.lat)[2]
    assert middles.data["distance_m"] == pytest.approx(apart, abs=2)
    assert edges.data["distance_m"] == pytest.approx(apart - 10_000, abs=15)  # the circle has 64 corners
    place = run(world, drawn, distance_between, start="4.35556,52.00667", end="Rotterdam", unit="nmi")
    assert place.data["distance"] == pytest.approx(apart / 1852, abs=0.001)
    touching = run(world, drawn, distance_between, start="drawing-1", end="drawing-3")
    assert touching.observation == "Around Rotterdam and Box 3 touch or overlap: the distance is 0 m."


def test_a_buffer_keeps_fields_joins_the_map_and_feeds_the_next_call(world: World, drawn: State) -> None:
    step = run(world, drawn, buffer, vector="drawing-2", distance_m=5000)
    assert step.data["area_km2"] == pytest.approx(78.53, abs=0.01)
    assert vector(world, step)["name"].tolist() == ["Delft"]
    layer = step.state.map.layers[-1]
    assert (layer.kind, layer.artifact, layer.name) == ("vector", step.data["vector"], "Delft within 5 km")
    grown = run(world, step.state, buffer, vector=step.data["layer"], distance_m=1000)
    assert grown.data["area_km2"] == pytest.approx(3.14159 * 36, rel=1e-3)
    back = run(world, grown.state, buffer, vector=grown.data["vector"], distance_m=-1000)
    assert back.data["area_km2"] == pytest.approx(step.data["area_km2"], rel=1e-3)


def test_buffers_that_overlap_are_counted_once_and_merged_when_asked(world: World, drawn: State) -> None:
    apart = run(world, drawn, buffer, vector="drawings", distance_m=1000)
    merged = run(world, drawn, buffer, vector="drawings", distance_m=1000, dissolve=True)
    assert (apart.data["count"], merged.data["count"]) == (3, 1)
    assert apart.data["area_m2"] == merged.data["area_m2"]
    gone = run(world, drawn, buffer, vector="drawing-1", distance_m=-20_000)
    assert gone.observation.startswith(
        "Shrank Around Rotterdam by 20 km: 0 features that cover 0 m². Of 1 feature"
    )
    assert run(world, drawn, buffer, vector="drawing-1", distance_m=0).failed
    assert run(world, drawn, buffer, vector="drawing-2", distance_m=-5).observation == (
        "Delft has no polygons to shrink; points and lines only grow."
    )


def test_a_layer_is_what_it_shares_and_what_is_left(world: World, drawn: State) -> None:
    whole = run(world, drawn, area_of, vector="drawing-1").data["area_m2"]
    shared = run(world, drawn, intersection, vector="drawing-1", other="drawing-3")
    left = run(world, drawn, difference, vector="drawing-1", other="drawing-3")
    both = run(world, drawn, union, vector="drawing-1", other="drawing-3")
    box = run(world, drawn, area_of, vector="drawing-3").data["area_m2"]
    assert shared.data["area_m2"] + left.data["area_m2"] == pytest.approx(whole, rel=1e-9)
    assert both.data["area_m2"] == pytest.approx(box + left.data["area_m2"], rel=1e-9)
    assert vector(world, shared)[["name_1", "name_2"]].to_numpy().tolist() == [["Around Rotterdam", "Box 3"]]
    pieces = run(world, drawn, union, vector="drawing-1", other="drawing-3", pieces=True)
    assert (pieces.data["count"], pieces.data["area_m2"]) == (
        3,
        pytest.approx(both.data["area_m2"], rel=1e-9),
    )


def test_nothing_in_common_is_an_answer_and_makes_no_layer(world: World, drawn: State) -> None:
    state = after(world, drawn, (draw_bbox, {"bbox": [100, 0, 101, 1]}))
    step = run(world, state, intersection, vector="drawing-1", other="drawing-4")
    assert step.observation.startswith("Around Rotterdam and Box 4 have nothing in common.")
    assert (step.data["count"], step.data["area_m2"]) == (0, 0.0)
    assert step.state.map.layers == state.map.layers
    covered = run(world, state, difference, vector="drawing-2", other="drawing-2")
    assert "it is wholly covered" in covered.observation


FIELDS: dict[str, Any] = {"crop": ["rye", "rye", "oats"], "yield_t": [1.0, 2.5, 4.0]}


@pytest.fixture
def fields(world: World) -> State:
    boxes = [shapely.box(0, 0, 2, 2), shapely.box(2, 0, 4, 2), shapely.box(6, 0, 7, 1)]
    frame = gpd.GeoDataFrame({"name": list("abc"), **FIELDS}, geometry=boxes, crs="EPSG:4326")
    return with_features(world, State(), "Fields", frame)


def test_features_merge_by_a_field_and_their_sums_are_said(world: World, fields: State) -> None:
    step = run(world, fields, dissolve, vector="Fields", by="CROP", sums="yield_t")
    assert "crop: oats 1 and rye 2. Sums: yield_t 7.5." in step.observation
    assert vector(world, step).drop(columns="geometry").to_dict("list") == {
        "crop": ["oats", "rye"], "features": [1, 2], "yield_t": [4.0, 3.5],
    }  # fmt: skip
    wrong = run(world, fields, dissolve, vector="Fields", by="corp")
    assert wrong.observation == "Fields has no column 'corp'. Did you mean crop?"
    assert run(world, fields, dissolve, vector="Fields", sums="name").failed
    assert run(world, fields, dissolve, vector="Fields").data["count"] == 1


@pytest.fixture
def images(world: World) -> State:
    """The five FAIR1M images plotted, and a circle of 10 km around Rotterdam, which holds one."""
    return after(
        world,
        State(),
        (db_load, {"names": ["fair1m"]}),
        (scatter_plot, {}),
        (footprint_plot, {}),
        (draw_circle, {"place": "Rotterdam", "radius_km": 10}),
    )


def test_a_join_says_which_features_meet(world: World, images: State) -> None:
    step = run(world, images, spatial_join, vector="selection", other="drawings", predicate="within")
    assert step.observation.startswith(
        "1 of the 5 features of the selection is within 1 feature of Around Rotterdam: 12.tif."
    )
    assert (step.data["matched"], step.data["unmatched"], step.data["names"]) == (1, 4, ["12.tif"])
    found = vector(world, step)
    assert found[["name_1", "name_2"]].to_numpy().tolist() == [["12.tif", "Around Rotterdam"]]
    everything = run(world, images, spatial_join, vector="selection", other="drawings", keep="all")
    assert everything.data["count"] == 5


def test_points_and_footprints_of_a_plot_are_counted(world: World, images: State) -> None:
    for handle in ("selection", "points", "footprints"):
        step = run(world, images, points_in_polygon, points=handle, polygons="drawing-1")
        assert (step.data["inside"], step.data["outside"], step.data["most"]) == (1, 4, 1), handle
    none = run(world, images, points_in_polygon, points="drawing-1", polygons="points")
    assert none.observation.startswith("What the points are counted in has no polygons; it has 5 points.")


def test_a_field_of_the_points_is_added_up(world: World, fields: State) -> None:
    spots = gpd.GeoDataFrame(
        {"ships": [3, 4, 5]}, geometry=gpd.points_from_xy([1, 1, 9], [1, 0.5, 9]), crs="EPSG:4326"
    )
    state = with_features(world, fields, "Spots", spots)
    step = run(world, state, points_in_polygon, points="Spots", polygons="Fields", sum_of="ships")
    assert step.data["sum"] == 7 and "ships adds up to 7." in step.observation
    assert vector(world, step)["ships_sum"].tolist() == [7.0, 0.0, 0.0]
    assert run(world, state, points_in_polygon, points="Spots", polygons="Fields", sum_of="shps").failed


def test_the_nearest_is_found_and_farther_ones_are_left_out_when_asked(world: World, images: State) -> None:
    state = after(world, images, (draw_marker, {"place": "Delft"}))
    step = run(world, state, nearest, vector="drawing-2", other="selection")
    assert step.observation.startswith("The nearest of the selection to Delft is 12.tif, ")
    delft = GEOD.inv(4.35556, 52.00667, 4.485, 51.925)[2]  # the footprint's near corner
    assert step.data["distance_m"] == pytest.approx(delft, abs=1)
    near = run(world, state, nearest, vector="selection", other="drawing-2", within_m=20_000)
    assert near.data["matched"] == 1
    none = run(world, state, nearest, vector="selection", other="drawing-2", within_m=100)
    assert none.observation.startswith("Nothing of Delft is within 100 m of the selection.")


def test_the_middle_and_the_hull_of_drawings(world: World, drawn: State) -> None:
    middle = run(world, drawn, centroid, vector="drawing-3")
    assert middle.data["points"] == [[pytest.approx(4.3), pytest.approx(51.9, abs=0.001)]]
    inside = run(world, drawn, centroid, vector="drawings", inside=True)
    assert vector(world, inside).geom_type.tolist() == ["Point"] * 3
    hull = run(world, drawn, convex_hull, vector="drawings")
    each = run(world, drawn, convex_hull, vector="drawings", each=True)
    assert (hull.data["count"], each.data["count"]) == (1, 3)
    assert hull.data["area_m2"] > run(world, drawn, union, vector="drawings").data["area_m2"]


def test_a_simpler_drawing_has_fewer_corners(world: World, drawn: State) -> None:
    step = run(world, drawn, simplify_geometry, vector="drawing-1", tolerance_m=500)
    assert step.data["corners_before"] == 65 and step.data["corners"] < 20
    box = run(world, drawn, simplify_geometry, vector="drawing-3", tolerance_m=10, shared_borders=True)
    assert box.data["corners"] == 5
    assert run(world, drawn, simplify_geometry, vector="drawing-2", tolerance_m=1, shared_borders=True).failed


def test_a_reprojected_file_carries_its_system_and_stays_where_it_is_on_the_map(
    world: World, drawn: State
) -> None:
    step = run(world, drawn, reproject_vector, vector="drawing-1", crs="EPSG:28992")
    found = vector(world, step)
    assert found.crs == "EPSG:28992" and step.data["unit"] == "metre"
    x, y = pyproj.Transformer.from_crs(4326, 28992, always_xy=True).transform(4.47917, 51.9225)
    west, south, east, north = step.data["bounds"]
    assert ((west + east) / 2, (south + north) / 2) == (pytest.approx(x, abs=20), pytest.approx(y, abs=20))
    assert step.data["bbox"] == pytest.approx([4.333814, 51.832624, 4.624526, 52.012374], abs=1e-6)
    again = run(world, step.state, area_of, vector=step.data["vector"], unit="ha")
    assert again.data["area"] == pytest.approx(31_365.5, abs=0.1)
    assert run(world, drawn, reproject_vector, vector="drawing-1", crs="utm").data["crs"] == "EPSG:32631"


@pytest.mark.parametrize(
    "crs", ["EPSG:999999", "+proj=utm", "../../etc/passwd"], ids=["unknown", "definition", "path"]
)
def test_a_system_that_is_none_or_names_a_file_is_refused(world: World, drawn: State, crs: str) -> None:
    said = run(world, drawn, reproject_vector, vector="drawing-1", crs=crs).observation
    assert said.startswith(f"{crs!r} is no coordinate system; EPSG:32631, 'WGS 84 / UTM zone 33N', UTM")


def test_a_system_is_chosen_by_what_it_is_for_and_the_choice_is_said(world: World, drawn: State) -> None:
    step = run(world, drawn, reproject_vector, vector="drawing-1", crs="equal area")
    assert step.data["crs"] == "EPSG:3035" and "of equal areas for Europe" in step.observation


def test_what_is_invalid_is_mended_and_the_reason_said(world: World) -> None:
    bow_tie = shapely.Polygon([(0, 0), (2, 2), (2, 0), (0, 2)])
    frame = gpd.GeoDataFrame(geometry=[bow_tie, shapely.box(5, 5, 6, 6)], crs="EPSG:4326")
    state = with_features(world, State(), "Broken", frame)
    step = run(world, state, make_valid, vector="Broken")
    assert step.observation.startswith(
        "In Broken, 1 invalid shape was made valid and 1 that ran clockwise was turned. "
        "What was wrong: self-intersection (1)."
    )
    assert vector(world, step).geometry.is_valid.all()
    area = run(world, state, area_of, vector="Broken")
    assert "In Broken, 1 invalid shape was made valid." in area.observation
    assert area.data["first"] == [
        {"feature": number, "area_km2": area.data["each"][number - 1]} for number in (1, 2)
    ]


def test_a_grid_is_laid_over_a_drawing_a_place_and_a_box(world: World, drawn: State) -> None:
    drawing = run(world, drawn, grid_over, vector="drawing-1", kind="hexagon", size_m=2000)
    assert drawing.data["mean_area_km2"] == pytest.approx(3**0.5 / 2 * 4, rel=1e-5)
    place = run(world, drawn, grid_over, place="Luxembourg", size_m=10_000, clip=True)
    assert place.data["mean_area_km2"] * place.data["cells"] == pytest.approx(2_586, rel=0.06)
    box = run(world, drawn, grid_over, bbox=[178, -20, -178, -16], kind="h3", resolution=3)
    assert vector(world, box)["cell"].str.len().tolist() == [15] * box.data["cells"]
    france = run(world, drawn, grid_over, place="France", size_m=100_000)
    assert france.data["bbox"][0] == pytest.approx(-5.6, abs=1)


@pytest.mark.parametrize(
    ("args", "said"),
    [
        ({}, "grid_over needs one of: features (vector), a place, a bbox [west, south, east, north]."),
        (
            {"place": "France", "bbox": [0, 0, 1, 1]},
            "grid_over needs one of: features (vector), a place, a bbox",
        ),
        ({"bbox": [1, 1, 1, 1]}, "The box [1, 1, 1, 1] has no area; its sides must differ."),
        ({"bbox": [0, 0, 1, 1], "kind": "h3", "size_m": 5}, "H3 cells have fixed sizes; give a resolution"),
        ({"bbox": [0, 0, 1, 1], "resolution": 5}, "A resolution is for kind=h3; a square has a size_m."),
        ({"bbox": [0, 0, 9, 9], "size_m": 10}, "and at most 20,000 are made; give a larger size_m."),
    ],
)
def test_a_grid_that_cannot_be_laid_says_why(world: World, args: dict[str, Any], said: str) -> None:
    step = run(world, State(), grid_over, **args)
    assert step.failed and said in step.observation


def test_a_wrong_handle_is_answered_with_the_nearest_ones(world: World, drawn: State) -> None:
    step = run(world, drawn, buffer, vector="drawing-11", distance_m=5)
    assert step.observation == "There are no features 'drawing-11'. Did you mean 'drawing-1'?"
    assert run(world, State(), buffer, vector="drawings", distance_m=5).failed
    assert run(world, State(), buffer, vector="selection", distance_m=5).failed


@pytest.fixture
def parcels(world: World) -> State:
    """Four squares of 100, 200, 300 and 400 m near the equator, with a depth of 5, 10, 15 and 20 m."""
    degree = 111_319.49
    squares = [
        shapely.box(at, 0, at + side / degree, side / degree) for at, side in enumerate((100, 200, 300, 400))
    ]
    frame = gpd.GeoDataFrame(
        {"use": ["forest", "arable", "forest", "meadow"], "depth_m": [5, 10, 15, 20]},
        geometry=squares,
        crs="EPSG:4326",
    )
    return with_features(world, State(), "Parcels", frame)


@pytest.mark.parametrize(
    ("field", "op", "value", "kept", "said"),
    [
        ("area_ha", ">", 2, [10, 15, 20], "3 of 4 features of Parcels have area_ha > 2."),
        ("depth", "<", 10, [5], "1 of 4 features of Parcels have depth_m < 10."),
        ("USE", "=", "Forest", [5, 15], "2 of 4 features of Parcels have use = Forest."),
        ("depth_m", ">", 50, [], "0 of 4 features of Parcels have depth_m > 50."),
    ],
)
def test_features_are_kept_by_a_field_or_by_what_they_measure(
    world: World, parcels: State, field: str, op: str, value: float | str, kept: list[int], said: str
) -> None:
    step = run(world, parcels, filter_rows, table="Parcels", field=field, op=op, value=value)
    assert vector(world, step)["depth_m"].tolist() == kept
    assert step.observation.startswith(said)


def test_a_field_that_features_lack_is_refused_with_those_that_they_have(
    world: World, parcels: State
) -> None:
    step = run(world, parcels, filter_rows, table="Parcels", field="price", op=">", value=3)
    said = "The table has no column 'price'. It has use, depth_m, lon, lat and area_m2."
    assert (step.failed, step.observation) == (True, said)


def test_layers_of_one_plane_are_computed_on_it_and_stay_in_it(world: World) -> None:
    west, east = (
        shapely.box(650_000, 6_860_000, 654_000, 6_862_000),
        shapely.box(654_000, 6_860_000, 655_500, 6_862_000),
    )
    layers = {
        "parcels": [west, east],
        "wells": [shapely.Point(654_000, 6_861_000), shapely.Point(651_000, 6_861_000)],
        "roads": [shapely.LineString([(650_000, 6_861_000), (656_000, 6_861_000)])],
    }
    state = State()
    for name, shapes in layers.items():
        frame = gpd.GeoDataFrame({"id": range(len(shapes))}, geometry=shapes, crs="EPSG:2154")
        state = with_features(world, state, name, frame)

    def made(tool: Any, **args: Any) -> gpd.GeoDataFrame:
        found = vector(world, run(world, state, tool, **args))
        assert found.crs == "EPSG:2154"
        return found

    assert made(union, vector="parcels").area.tolist() == [11_000_000]
    assert made(dissolve, vector="parcels", by="id").area.tolist() == [8_000_000, 3_000_000]
    assert made(convex_hull, vector="parcels", each=True).area.tolist() == [8_000_000, 3_000_000]
    assert made(intersection, vector="roads", other="parcels").length.tolist() == [4000, 1500]
    assert made(difference, vector="roads", other="parcels").length.tolist() == [500]
    joined = made(spatial_join, vector="wells", other="parcels")
    assert joined[["id_1", "id_2"]].to_numpy().tolist() == [[0, 0], [0, 1], [1, 0]]
    assert made(points_in_polygon, points="wells", polygons="parcels")["points"].tolist() == [2, 1]
    assert made(nearest, vector="wells", other="roads")["distance_m"].max() < 0.001
    assert made(make_valid, vector="parcels").area.round(3).tolist() == [8_000_000, 3_000_000]
    cells = made(grid_over, vector="parcels", size_m=500)
    assert cells.area.tolist() == [250_000] * 44 and cells.total_bounds.tolist() == [
        650_000,
        6_860_000,
        655_500,
        6_862_000,
    ]
    points = gpd.GeoDataFrame(geometry=[shapely.Point(654_000, 6_861_000)], crs="EPSG:2154").to_crs(
        "EPSG:4326"
    )
    state = with_features(world, state, "degree", points)
    assert made(points_in_polygon, points="degree", polygons="parcels")["points"].sum() >= 1
    assert len(made(buffer, vector="wells", distance_m=10)) == len(made(centroid, vector="parcels")) == 2
    there = vector(world, run(world, state, reproject_vector, vector="parcels", crs="EPSG:4326"))
    assert there.crs == "EPSG:4326"

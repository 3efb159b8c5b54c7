"""Layers drawn by a column: which colour and size each feature has, what the legend says, undo and replay."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import geopandas as gpd
import numpy as np
import pytest
import shapely
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from copilot.engine import Engine
from copilot.session import Session
from copilot.view.layers import Viewport, layer_content
from copilot.view.mapview import layer_view
from state.codec import digest, from_json, to_json
from state.model import Artifact, Layer, State
from tests.real_files import real
from tests.tools.prepared import prepared
from tests.tools.world import after, run, small_world, write_small_catalogue
from tools.base import World
from tools.map.adding import add_vector_layer
from tools.map.classes import KINDS, NO_VALUE, Classes, classes_of, drawn_by, graded_of
from tools.map.features import View, layer_features
from tools.map.layers import style_layer
from tools.map.palettes import colours
from tools.map.plots import detection_plot, scatter_plot
from tools.map.styling import label_layer, style_by_field

EVERYWHERE = (-180.0, -90.0, 180.0, 90.0)
TOWNS = Artifact("vector-70a450", "vector", "Places", "7,343 rows", "test()")
LAKES = Artifact("vector-1a4e50", "vector", "Lakes", "1,354 rows", "test()")


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    """The small world, with the world's places and lakes as artifacts."""
    root = tmp_path_factory.mktemp("styling")
    found = small_world(write_small_catalogue(root), root / "artifacts")
    for artifact, name in ((TOWNS, "ne_10m_populated_places_simple"), (LAKES, "ne_10m_lakes")):
        path = found.artifacts.path(artifact.id, ".parquet")
        path.write_bytes(real(f"natural_earth/{name}.parquet").read_bytes())
    return found


@pytest.fixture(scope="module")
def towns(world: World) -> State:
    return after(world, State().with_artifact(TOWNS), (add_vector_layer, {"artifact": TOWNS.id}))


@pytest.fixture(scope="module")
def table() -> gpd.GeoDataFrame:
    return gpd.read_parquet(real("natural_earth/ne_10m_populated_places_simple.parquet"))


def top(state: State) -> Layer:
    return state.map.layers[-1]


def styled(world: World, state: State, **args: Any) -> State:
    return after(world, state, (style_by_field, {"layer": top(state).id, **args}))


def content(world: World, state: State, zoom: float = 3) -> list[dict[str, Any]]:
    found = layer_content(top(state), state, world, Viewport(EVERYWHERE, zoom))
    return [each["properties"] for each in found["features"]["features"]]


def test_a_number_is_coloured_in_natural_breaks_that_hold_all_its_values(
    world: World, towns: State, table: gpd.GeoDataFrame
) -> None:
    step = run(world, towns, style_by_field, layer="places", field="pop_max")
    graded = graded_of(top(step.state))
    assert graded is not None and graded.method == "natural_breaks"
    assert (len(graded.edges), graded.colours) == (6, colours("viridis", 5))
    assert (graded.edges[0], graded.edges[-1]) == (table["pop_max"].min(), table["pop_max"].max())
    drawn = content(world, step.state)
    people = table["pop_max"].iloc[[each["row"] - 1 for each in drawn]]
    classes = np.searchsorted(graded.edges[1:-1], people, side="left")
    assert [each["color"] for each in drawn] == [graded.colours[at] for at in classes] and len(drawn) == 5000
    assert step.observation.startswith("The layer 'Places' is coloured by pop_max in 5 classes by natural ")


def test_the_size_of_a_number_without_classes_grows_with_its_area(
    world: World, towns: State, table: gpd.GeoDataFrame
) -> None:
    state = styled(world, towns, field="pop_max", method="continuous", show_by="size")
    drawn = content(world, state)
    sizes = np.array([each["size"] for each in drawn])
    people = table["pop_max"].iloc[[each["row"] - 1 for each in drawn]].to_numpy(float)
    part = (people - table["pop_max"].min()) / (table["pop_max"].max() - table["pop_max"].min())
    assert np.allclose(sizes**2, 9 + 216 * part, atol=0.2)
    assert {each.get("color") for each in content(world, state)} == {None}


def test_a_text_has_a_colour_for_each_of_its_frequent_values_and_grey_for_the_rest(
    world: World, towns: State, table: gpd.GeoDataFrame
) -> None:
    state = styled(world, towns, field="FeatureCLA")
    classes = classes_of(top(state))
    counts = table["featurecla"].value_counts()
    assert classes is not None and len(classes.colours) == min(len(counts), 10)
    assert tuple(classes.colours.values()) == KINDS[: len(classes.colours)]
    many = classes_of(top(styled(world, towns, field="adm0name")))
    assert many is not None and (len(many.colours), many.rest) == (9, NO_VALUE)
    wanted = set(table["adm0name"].value_counts().index[:9])
    assert set(many.colours) == wanted
    drawn = {each["color"] for each in content(world, styled(world, towns, field="adm0name"))}
    assert drawn == {*many.colours.values(), NO_VALUE}


def test_the_legend_says_what_each_colour_means(world: World, towns: State) -> None:
    state = styled(world, towns, field="pop_max", method="pretty", classes=4, palette="blues")
    found = layer_view(top(state))["style"]
    assert found["field"] == "pop_max"
    assert [each[1] for each in found["classes"]] == list(colours("blues", len(found["classes"])))
    ramp = layer_view(top(styled(world, towns, field="pop_max", method="continuous")))["style"]["ramp"]
    assert (ramp["high"], ramp["colours"]) == ("35,700,000", list(colours("viridis", 9)))


def test_labels_stand_at_a_point_of_each_feature(world: World) -> None:
    state = after(world, State().with_artifact(LAKES), (add_vector_layer, {"artifact": LAKES.id}))
    state = after(world, state, (label_layer, {"layer": "lakes", "field": "Name"}))
    lakes = gpd.read_parquet(real("natural_earth/ne_10m_lakes.parquet"))
    named = [each for each in content(world, state, zoom=8) if "label" in each]
    assert {each["label"] for each in named} == set(lakes["name"].dropna())
    once = lakes[~lakes["name"].duplicated(keep=False)].dropna(subset="name").set_index("name").geometry
    spots = {each["label"]: each["spot"] for each in named if each["label"] in once.index}
    assert len(spots) > 500
    assert all(once[name].contains(shapely.Point(spot)) for name, spot in spots.items())
    bare = after(world, state, (label_layer, {"layer": "lakes"}))
    assert top(bare).options == tuple(each for each in top(state).options if each[0] != "label_by")


def test_images_are_coloured_by_a_column_of_the_catalogue(world: World) -> None:
    state = after(world, prepared(world), (scatter_plot, {}))
    state = styled(world, state, field="sensor")
    classes = classes_of(top(state))
    assert classes is not None
    found = {each["id"]: each["color"] for each in content(world, state)}
    sensors = world.catalogue.rows(_all(), ("image_id", "sensor"), limit=100)
    assert found == {row["image_id"]: classes.colours[row["sensor"]] for row in sensors.to_dict("records")}
    assert len(set(found.values())) == 5


def test_a_date_is_classed_as_days_and_said_as_dates(world: World) -> None:
    state = styled(world, after(world, prepared(world), (scatter_plot, {})), field="acquired", classes=3)
    graded = graded_of(top(state))
    assert graded is not None and graded.dates
    assert all(len(each) == len("2018-05-03 – 2019-01-01") for each in graded.labels)
    assert set(graded.colours) == {each["color"] for each in content(world, state)}


def test_detections_are_coloured_by_their_class(world: World) -> None:
    state = after(world, prepared(world), (detection_plot, {}))
    state = styled(world, state, field="class_name")
    style = drawn_by(top(state))
    assert isinstance(style, Classes)
    view = View((-81, 40, -79, 41), 12)
    shades = {each.color for each in layer_features(state, world, top(state), view)}
    assert shades <= {*style.colours.values(), style.rest} and len(shades) > 1


def test_what_is_plotted_again_keeps_its_looks_and_one_colour_takes_them_away(world: World) -> None:
    state = styled(world, after(world, prepared(world), (scatter_plot, {})), field="sensor")
    again = after(world, state, (scatter_plot, {}))
    assert top(again).options == top(state).options
    assert top(after(world, state, (style_layer, {"layer": "points", "color": "red"}))).options == ()
    sized = styled(world, state, field="gsd_m", show_by="size")
    assert top(after(world, sized, (style_layer, {"layer": "points", "size": 4}))).options == ()


@pytest.mark.parametrize(
    ("args", "said"),
    [
        ({"field": "depth"}, "The layer 'Places' has no column 'depth'. It has scalerank, featurecla, name"),
        ({"field": "popmax"}, "The layer 'Places' has no column 'popmax'. Did you mean pop_max?"),
        ({"field": "name", "method": "quantile"}, "The column 'name' holds no numbers, so there is no quan"),
        ({"field": "name", "show_by": "size"}, "Categories have no size; show_by=size needs a number and"),
        ({"field": "pop_max", "palette": "okabe_ito"}, "okabe_ito has no order, so it cannot show more and"),
    ],
)
def test_what_cannot_be_drawn_is_said_and_nothing_changes(
    world: World, towns: State, args: dict[str, Any], said: str
) -> None:
    step = run(world, towns, style_by_field, layer="places", **args)
    assert step.failed and step.observation.startswith(said), step.observation
    assert step.state == towns


def test_areas_have_no_size(world: World) -> None:
    state = after(world, State().with_artifact(LAKES), (add_vector_layer, {"artifact": LAKES.id}))
    step = run(world, state, style_by_field, layer="lakes", field="scalerank", show_by="size")
    assert step.failed and step.observation.startswith("The layer 'Lakes' draws areas, which have no size")
    assert not run(world, state, style_by_field, layer="lakes", field="scalerank").failed


def test_a_style_survives_the_state_s_json(world: World, towns: State) -> None:
    state = styled(world, towns, field="pop_max", show_by="size", method="quantile", classes=9)
    assert from_json(to_json(state)) == state
    assert graded_of(top(from_json(to_json(state)))) == graded_of(top(state))


CALLS = st.sampled_from(
    [
        ("style_by_field", {"layer": "points", "field": "sensor"}),
        ("style_by_field", {"layer": "points", "field": "gsd_m", "method": "quantile", "classes": 3}),
        ("style_by_field", {"layer": "points", "field": "cloud_pct", "method": "continuous"}),
        ("style_by_field", {"layer": "points", "field": "gsd_m", "show_by": "size"}),
        ("label_layer", {"layer": "points", "field": "name"}),
        ("label_layer", {"layer": "points"}),
        ("style_layer", {"layer": "points", "color": "#123456"}),
        ("scatter_plot", {}),
        ("undo", {}),
        ("redo", {}),
    ]
)


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(CALLS, max_size=6))
def test_styling_is_undone_and_replayed_as_it_was(catalogue: Path, calls: list[tuple[str, Any]]) -> None:
    session = Session.open(engine=Engine.in_memory(str(catalogue)))
    session.call("db_load", names=["fair1m", "xview1"])
    session.call("scatter_plot")
    for tool, args in calls:
        before = digest(session.state)
        event = session.call_tool(tool, args)
        if event.ok and tool not in ("undo", "redo") and digest(session.state) != before:
            after_it = digest(session.state)
            session.undo()
            assert digest(session.state) == before
            session.call("redo")
            assert digest(session.state) == after_it
    assert digest(session.replay()) == digest(session.state)


@pytest.fixture(scope="module")
def catalogue(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_small_catalogue(tmp_path_factory.mktemp("replayed"))


def _all() -> Any:
    from data.catalogue.base import Selection

    return Selection(("bigearthnet", "fair1m", "fmow", "xview1", "xview3"))

"""The editor of a layer's style: what may be chosen, and the histogram with its breaks."""

from __future__ import annotations

import re
from pathlib import Path

import geopandas as gpd
import pytest
from shapely.geometry import Point

from copilot.messages import speaking
from copilot.view.mapview import style_view
from copilot.view.styling import Look, columns, histogram, look_of, methods_for
from state.model import Artifact, State
from tests.tools.prepared import prepared
from tests.tools.world import after, small_world, write_small_catalogue
from tools.base import World
from tools.map.adding import add_vector_layer
from tools.map.classes import graded_of
from tools.map.columns import Column
from tools.map.drawing import draw_circle
from tools.map.styling import label_layer, style_by_field

TREES = Artifact("vector-7ee5ee", "vector", "Trees", "100 rows", "test()")


@pytest.fixture
def world(tmp_path: Path) -> World:
    return small_world(write_small_catalogue(tmp_path / "catalogue"), tmp_path / "artifacts")


@pytest.fixture
def trees(world: World) -> State:
    """A hundred trees with a height in metres, a kind with a hostile name, and no value in one row."""
    kinds = ["oak", "<b onclick=alert(1)>", "elm", None]
    frame = gpd.GeoDataFrame(
        {
            "height": [float(each) for each in range(99)] + [None],
            "kind": [kinds[at % 4] for at in range(100)],
        },
        geometry=[Point(at / 10, 50) for at in range(100)],
        crs="EPSG:4326",
    )
    path: Path = world.artifacts.path(TREES.id, ".parquet")
    frame.to_parquet(path)
    return after(world, State().with_artifact(TREES), (add_vector_layer, {"artifact": TREES.id}))


def test_the_columns_are_the_file_s_and_the_methods_fit_them(world: World, trees: State) -> None:
    known = columns(trees, world, trees.map.layers[0])
    assert known == (Column("height", "number"), Column("kind", "text"))
    assert methods_for(known[1]) == ("categories",) and len(methods_for(known[0])) == 7


def test_what_has_no_columns_of_its_own_offers_none(world: World) -> None:
    state = after(world, State(), (draw_circle, {"lon": 4.0, "lat": 52.0, "radius_km": 5}))
    assert columns(state, world, state.map.layers[0]) == ()
    assert histogram(state, world, state.map.layers[0]) == ""


def test_the_look_is_what_was_chosen(world: World, trees: State) -> None:
    assert look_of(trees.map.layers[0]) == Look(None, None, 5, None, False, None)
    chosen = {"layer": "trees", "field": "height", "method": "quantile", "classes": 3, "palette": "blues"}
    state = after(world, trees, (style_by_field, chosen), (label_layer, {"layer": "trees", "field": "kind"}))
    assert look_of(state.map.layers[0]) == Look("height", "quantile", 3, "blues", False, "kind")


def test_the_histogram_has_a_bar_in_the_colour_of_its_class_and_a_line_at_each_break(
    world: World, trees: State
) -> None:
    call = {"layer": "trees", "field": "height", "method": "equal_interval", "classes": 4}
    state = after(world, trees, (style_by_field, call))
    layer = state.map.layers[0]
    drawn, graded = histogram(state, world, layer), graded_of(layer)
    assert graded is not None
    assert re.findall(r"left:([\d.]+)%", drawn) == ["25.00", "50.00", "75.00"]
    fills = re.findall(r"background:(#\w{6})", drawn)
    assert len(fills) == 32 and list(dict.fromkeys(fills)) == list(graded.colours)
    assert (
        "<span>0</span><span>98</span>" in drawn and 'aria-label="4 classes of height from 0 to 98"' in drawn
    )


def test_the_bars_of_categories_count_them_and_a_name_is_no_markup(world: World, trees: State) -> None:
    state = after(world, trees, (style_by_field, {"layer": "trees", "field": "kind"}))
    drawn = histogram(state, world, state.map.layers[0])
    assert re.findall(r"<td>(\d+)</td>", drawn) == ["25", "25", "25", "25"]
    assert "<b onclick" not in drawn and "&lt;b onclick" in drawn and ">other<" in drawn


def test_in_another_language_the_histogram_is_described_and_the_rest_is_named_in_it(
    world: World, trees: State
) -> None:
    call = {"layer": "trees", "field": "height", "method": "equal_interval", "classes": 4}
    graded = after(world, trees, (style_by_field, call))
    kinds = after(world, trees, (style_by_field, {"layer": "trees", "field": "kind"}))
    with speaking("ar"):
        said = histogram(graded, world, graded.map.layers[0])
        rest, legend = histogram(kinds, world, kinds.map.layers[0]), style_view(kinds.map.layers[0])
    assert 'aria-label="4 أصناف من height من 0 إلى 98"' in said
    assert ">أخرى<" in rest and ">other<" not in rest
    assert legend is not None and [name for name, *_ in legend["classes"]][-1] == "أخرى"


def test_images_offer_the_columns_of_the_catalogue(world: World) -> None:
    state = prepared(world)
    known = {each.name: each.kind for each in columns(state, world, state.map.layers[0])}
    assert known["sensor"] == "text" and known["gsd_m"] == "number" and known["acquired"] == "time"

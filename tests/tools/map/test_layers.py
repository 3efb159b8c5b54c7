"""Layers: found by id or name, shown, ordered, styled, compared."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from state.model import Layer, State
from tests.tools.prepared import RASTER, VECTOR, prepared
from tests.tools.world import run
from tools.base import World
from tools.map import adding, layers

NAMES = ("a", "b", "c", "d")
STATE = State().with_map(layers=tuple(Layer(each, each.upper() * 3, "points", count=3) for each in NAMES))
POSITIONS = st.one_of(st.sampled_from(["top", "bottom", "up", "down"]), st.integers(0, 3))


@given(st.lists(st.tuples(st.sampled_from(NAMES), POSITIONS), max_size=12))
def test_any_reordering_keeps_every_layer_once(moves: list[tuple[str, str | int]]) -> None:
    state = STATE
    for layer, position in moves:
        step = layers.reorder_layer.function(state, None, layer=layer, position=position)
        others = [each.id for each in state.map.layers if each.id != layer]
        state = step.state
        assert [each.id for each in state.map.layers if each.id != layer] == others
        assert step.data["order"] == [each.id for each in state.map.layers]
    assert set(state.map.layers) == set(STATE.map.layers)


@given(st.permutations(NAMES))
def test_bringing_each_to_the_top_in_turn_makes_that_order(order: list[str]) -> None:
    state = STATE
    for layer in order:
        state = layers.reorder_layer.function(state, None, layer=layer, position="top").state
    assert [each.id for each in state.map.layers] == order


def test_a_layer_is_found_by_its_name_whatever_the_case(world: World) -> None:
    step = run(world, STATE, layers.hide_layer, layer="bbb")
    assert step.data == {"layer": "b", "visible": False}
    assert [each.id for each in step.state.map.layers if not each.visible] == ["b"]


def test_an_unknown_layer_names_the_nearest(world: World) -> None:
    step = run(world, STATE, layers.hide_layer, layer="bbx")
    assert step.observation == "There is no layer 'bbx'. Did you mean 'b'?"
    empty = run(world, State(), layers.hide_layer, layer="b")
    assert empty.observation == (
        "There is no layer 'b': the map has no layers yet; a plot such as cluster_plot makes one."
    )


def test_hide_and_show_is_where_it_began(world: World) -> None:
    hidden = run(world, STATE, layers.hide_layer, layer="a").state
    assert run(world, hidden, layers.show_layer, layer="a").state == STATE


def test_a_place_beyond_the_last_is_refused(world: World) -> None:
    step = run(world, STATE, layers.reorder_layer, layer="a", position=4)
    assert step.observation == "There is no place 4 among 4 layers; give 0 to 3."


def test_removing_one_side_takes_the_swipe_bar_away(world: World) -> None:
    swiped = run(world, STATE, layers.swipe_layers, left="a", right="b").state
    assert swiped.map.swipe == ("a", "b")
    assert run(world, swiped, layers.remove_layer, layer="b").state.map.swipe is None
    assert run(world, swiped, layers.swipe_layers).state == STATE


def test_style_and_name_change_only_what_was_given(world: World) -> None:
    styled = run(world, STATE, layers.style_layer, layer="a", opacity=0.5).state.layer("a")
    assert styled == Layer("a", "AAA", "points", opacity=0.5, count=3)
    renamed = run(world, STATE, layers.rename_layer, layer="a", name=" bbb\n")
    assert renamed.data == {"layer": "a", "name": "bbb 2"}


def test_clearing_can_keep_the_drawings(world: World) -> None:
    state = STATE.with_layer(Layer("drawing-1", "Box", "drawing"))
    kept = run(world, state, layers.clear_layers, keep_drawings=True)
    assert [each.id for each in kept.state.map.layers] == ["drawing-1"]
    assert kept.data == {"removed": list(NAMES), "left": 1}
    assert run(world, state, layers.clear_layers).state.map.layers == ()


def test_a_vector_artifact_becomes_a_layer_across_the_antimeridian(world: World) -> None:
    step = run(world, prepared(world), adding.add_vector_layer, artifact=VECTOR.id)
    assert step.data == {
        "layer": "harbours",
        "kind": "vector",
        "count": 2,
        "bbox": [178.0, -18.0, -178.0, -17.0],
    }


def test_a_raster_artifact_becomes_a_layer_with_its_looks(world: World) -> None:
    state = prepared(world)
    step = run(world, state, adding.add_raster_layer, artifact=RASTER.id, bands=1, colormap="viridis")
    where = {"layer": "heights", "kind": "raster", "count": 1, "bbox": [4.0, 51.0, 5.0, 52.0]}
    assert step.data == {**where, "limits": [[0.3, 14.7]]}
    layer = step.state.layer("heights")
    assert layer is not None and dict(layer.options)["bands"] == "1"
    far = run(world, state, adding.add_raster_layer, artifact=RASTER.id, bands=[9])
    assert far.observation == "There is no band 9: the raster has 1 band."


def test_an_image_without_pixels_says_so(world: World) -> None:
    step = run(world, prepared(world), adding.add_raster_layer, image="xview1:1001.tif")
    assert step.observation == (
        "xview1:1001.tif has no pixels here, only its record; ingest the image files to see them."
    )

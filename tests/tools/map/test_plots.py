"""Plots: live layers that follow the selection, and named ones that stay."""

from __future__ import annotations

from dataclasses import replace

import pytest

from state.model import Filters, Layer, Query, State
from tests.tools.world import after, run
from tools.base import World
from tools.map import plots
from tools.toolbox import toolbox

BOX = toolbox()
KINDS = {
    "scatter_plot": "points", "cluster_plot": "clusters", "heatmap_plot": "heatmap",
    "density_plot": "density",
    "footprint_plot": "footprints", "detection_plot": "detections", "choropleth_plot": "choropleth",
    "time_slider_plot": "timeline", "label_plot": "labels",
}  # fmt: skip


def loaded(world: World, *names: str) -> State:
    return after(world, State(), (BOX.get("db_load"), {"names": list(names) or ["xview1"]}))


def test_a_cluster_plot_holds_the_query_and_the_count(world: World) -> None:
    state = loaded(world)
    step = run(world, state, plots.cluster_plot)
    assert step.observation == "Plotted 7 images as clusters (layer 'clusters')."
    assert step.data == {"layer": "clusters", "kind": "clusters", "count": 7}
    query = Query(("xview1",), Filters())
    assert step.state.map.layers == (
        Layer("clusters", "Clusters", "clusters", color="#7c3aed", query=query, live=True, count=7),
    )


@pytest.mark.parametrize(("tool", "kind"), KINDS.items())
def test_each_plot_makes_a_live_layer_of_its_kind_once(world: World, tool: str, kind: str) -> None:
    state = after(world, loaded(world), (BOX.get(tool), {}), (BOX.get(tool), {"color": "teal"}))
    (layer,) = state.map.layers
    assert (layer.id, layer.kind, layer.live, layer.color) == (kind, kind, True, "#008080")


@pytest.mark.parametrize(("tool", "kind"), KINDS.items())
def test_a_named_plot_stays_when_the_selection_changes(world: World, tool: str, kind: str) -> None:
    state = after(world, loaded(world), (BOX.get(tool), {"name": "All Ports!"}), (BOX.get(tool), {}))
    narrowed = after(world, state, (BOX.get("filter_date"), {"start": "2018-01-01", "end": "2018-12-31"}))
    named, live = narrowed.map.layers
    assert (named.id, named.name, named.kind, named.live, named.count) == (
        "all-ports",
        "All Ports!",
        kind,
        False,
        7,
    )
    assert named == state.map.layers[0]
    assert (live.id, live.count) == (kind, 4)
    assert live.query == Query(narrowed.database.loaded, narrowed.database.filters)


def test_names_and_colours_of_named_layers_are_told_apart(world: World) -> None:
    same = {"name": "Ships"}
    state = after(world, loaded(world), *[(BOX.get("scatter_plot"), same)] * 3)
    assert [each.id for each in state.map.layers] == ["ships", "ships-2", "ships-3"]
    assert [each.name for each in state.map.layers] == ["Ships", "Ships 2", "Ships 3"]
    assert len({each.color for each in state.map.layers}) == 3


def test_a_name_that_is_a_kind_does_not_take_the_live_layers_id(world: World) -> None:
    state = after(world, loaded(world), (plots.scatter_plot, {"name": "Clusters"}), (plots.cluster_plot, {}))
    assert [(each.id, each.live) for each in state.map.layers] == [("clusters-2", False), ("clusters", True)]


def test_options_are_kept_with_the_layer(world: World) -> None:
    calls = (
        (plots.density_plot, {"cell": "square", "resolution": 6}),
        (plots.time_slider_plot, {"by": "year"}),
    )
    state = after(world, loaded(world), *calls, (plots.label_plot, {"field": "clouds"}))
    assert [each.options for each in state.map.layers] == [
        (("cell", "square"), ("resolution", 6.0)),
        (("by", "year"),),
        (("field", "cloud_pct"),),
    ]


def test_detections_are_counted_and_their_absence_is_said(world: World) -> None:
    step = run(world, loaded(world, "xview3"), plots.detection_plot)
    assert step.observation == "Plotted 4 images as their 14 detections (layer 'detections')."
    assert step.data == {"layer": "detections", "kind": "detections", "count": 4, "detections": 14}
    none = run(world, loaded(world, "bigearthnet"), plots.detection_plot)
    assert none.failed and none.observation.startswith("The selected images have no detections to plot")


def test_with_nothing_loaded_it_says_what_to_load(world: World) -> None:
    step = run(world, State(), plots.heatmap_plot)
    assert step.observation == (
        "No data set is loaded; db_load adds some of bigearthnet, fair1m, fmow, xview1 and xview3."
    )


def test_an_empty_selection_says_which_filter_is_in_the_way(world: World) -> None:
    filters = (
        (BOX.get("filter_date"), {"start": "2030-01-01"}),
        (BOX.get("filter_coords"), {"place": "Pittsburgh"}),
    )
    step = run(world, after(world, loaded(world), *filters), plots.scatter_plot)
    assert step.failed
    assert step.observation == (
        "Nothing is selected, so there is nothing to plot. The filters: date 2030-01-01 to any; "
        "place Pittsburgh, Pennsylvania, United States within 40 km. "
        "There would be without the date filter 4."
    )


def test_a_colour_is_a_name_or_hexadecimal(world: World) -> None:
    state = loaded(world)
    assert run(world, state, plots.scatter_plot, color="#F80").state.map.layers[0].color == "#ff8800"
    step = run(world, state, plots.scatter_plot, color="oragne")
    assert step.observation == "'oragne' is not a colour. Did you mean orange or orangered?"


def test_plotting_again_fills_the_layer_anew_in_its_place_and_its_looks(world: World) -> None:
    calls = ((plots.scatter_plot, {}), (plots.heatmap_plot, {}))
    before = after(world, loaded(world), *calls)
    looks = {"opacity": 0.1, "color": "#ff8800", "size": 11.0, "name": "Mine"}
    styled = before.with_layer(replace(before.map.layers[0], **looks))
    assert after(world, styled, (plots.scatter_plot, {})) == styled
    hidden = styled.with_layer(replace(styled.map.layers[0], visible=False, count=0))
    assert after(world, hidden, (plots.scatter_plot, {})) == styled
    red = after(world, styled, (plots.scatter_plot, {"color": "red"})).map.layers[0]
    assert red == replace(styled.map.layers[0], color="#ff0000")

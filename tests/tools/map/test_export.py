"""The map as a file: complete without a network, plain about samples, safe with hostile names."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import geopandas as gpd
import numpy as np
import pypdf
import pytest
from PIL import Image

from data.basemap import skins
from state.model import State
from tests.tools.prepared import prepared
from tests.tools.world import after, run
from tools.base import World
from tools.map import camera, controls, drawing, export, features
from tools.map.export import export_map
from tools.map.features import View, layer_features
from tools.map.geometry import visible
from tools.map.picture import Frame, draw_map, drawn_layers
from tools.map.styling import style_by_field
from tools.map.webpage import NODE_MODULES, write_html
from tools.python.files_in import add_file
from tools.toolbox import toolbox

needs_leaflet = pytest.mark.skipif(
    not (NODE_MODULES / "leaflet").is_dir(), reason="node_modules are not installed (npm ci)"
)
PLOTS = ("choropleth", "density", "heatmap", "scatter", "footprint", "detection", "time_slider", "label")


def full(world: World) -> State:
    calls = [(toolbox().get(f"{each}_plot"), {}) for each in PLOTS]
    hostile = {"bbox": [170, -30, -170, -10], "name": "</script><img src=x onerror=alert(1)>"}
    return after(world, prepared(world), *calls, (drawing.draw_bbox, hostile))


def written(world: World, state: State, **args: str) -> Path:
    step = run(world, state, export.export_map, **args)
    assert not step.failed, step.observation
    artifact = step.state.artifacts[-1]
    assert (artifact.id, artifact.kind) == (step.data["document"], "document")
    found = world.artifacts.find(artifact.id)
    assert found is not None
    return found


@needs_leaflet
def test_the_page_fetches_nothing_and_runs_no_name(world: World) -> None:
    text = written(world, full(world), format="html").read_text()
    assert not re.findall(r"<(?:script|img|iframe)[^>]+src=|<link|@import|url\((?!data:|#)", text)
    assert "onerror=alert(1)>" not in text
    assert "sample data: generated positions and labels" in text
    assert "L.map(" in text and "Leaflet" in text


@needs_leaflet
def test_every_layer_s_features_are_in_the_page_whatever_the_texts_are(world: World, tmp_path: Path) -> None:
    state, page = full(world), tmp_path / "map.html"
    write_html(state, world, page, "\x02land\x03", ["\x02assets\x03"])
    text, put = page.read_text(), json.JSONDecoder()
    shown = [put.raw_decode(text, each.end())[0]["features"] for each in re.finditer(r"L\.geoJSON\(", text)]
    view = View(visible(state.map.center, state.map.zoom), state.map.zoom)
    drawn = [layer_features(state, world, layer, view) for layer in state.map.layers]
    assert [len(each) for each in shown[1:]] == [len(each) for each in drawn if each]
    assert "<b>land</b><br>assets<" in text


@needs_leaflet
def test_the_same_map_is_the_same_page(world: World) -> None:
    state = full(world)
    first = written(world, state).read_bytes()
    assert written(world, state).read_bytes() == first


def test_the_picture_has_the_base_layers_and_margins(world: World) -> None:
    path = written(world, full(world), format="png", title="All of it")
    with Image.open(path) as picture:
        assert picture.size == (2339, 1654)
        colours = {colour for _, colour in picture.getcolors(10**7) or []}
    water = tuple(bytes.fromhex(skins()["relief"]["water"][1:]))
    assert {water, (0xFF, 0xFF, 0xFF), (0x11, 0x18, 0x27)} <= colours
    assert len(colours) > 1000


def test_a_colour_s_name_that_a_kept_session_holds_is_drawn(world: World) -> None:
    state = prepared(world)
    layer = state.map.layers[0]
    named, plain = (state.with_layer(replace(layer, color=each)) for each in ("brown", "#a52a2a"))
    assert (
        written(world, named, format="png", title="x").read_bytes()
        == written(world, plain, format="png", title="x").read_bytes()
    )


def test_a_hidden_layer_is_not_drawn(world: World) -> None:
    state = prepared(world)
    hidden = after(world, state, (toolbox().get("hide_layer"), {"layer": "clusters"}))
    bare = state.without_layers(frozenset({"clusters"}))
    assert (
        written(world, hidden, format="png", title="x").read_bytes()
        == written(world, bare, format="png", title="x").read_bytes()
    )


def test_each_camera_is_another_document(world: World) -> None:
    state = prepared(world)
    names = {written(world, state, format="png").name}
    for place in ("Rotterdam", "Fiji"):
        state = after(world, state, (camera.zoom_map, {"place": place}))
        names.add(written(world, state, format="png").name)
    assert len(names) == 3


def test_the_map_in_data_is_the_map_in_the_state(world: World) -> None:
    state = after(world, prepared(world), (controls.toggle_control, {"control": "minimap"}))
    step = run(world, state, controls.map_state)
    assert step.data["controls"] == ["legend", "scale_bar", "minimap"]
    assert [each["id"] for each in step.data["layers"]] == ["clusters"]
    assert (step.data["center"], step.data["zoom"], step.data["basemap"]) == ([10.0, 25.0], 2.0, "offline")
    twice = after(world, state, (controls.toggle_control, {"control": "minimap"}))
    assert twice == prepared(world)


def many(world: World, tmp_path: Path) -> State:
    """6,000 points in a row, the first 5,500 in the west and of class a, the others in the east, of b."""
    east = np.arange(6000) >= 5500
    lon = np.linspace(2.0, 2.1, 6000) + east * 0.3
    points = gpd.GeoDataFrame(
        {"class": np.where(east, "b", "a")}, geometry=gpd.points_from_xy(lon, lon + 48), crs="EPSG:4326"
    )
    points.to_parquet(tmp_path / "many.parquet")
    return after(
        world, State(), (add_file, {"file": str(tmp_path / "many.parquet")}),
        (style_by_field, {"layer": "many", "field": "class"}),
    )  # fmt: skip


def test_a_printed_map_draws_all_features_of_a_layer_wherever_they_stand_in_its_file(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = many(world, tmp_path)
    frame = Frame(state.map)
    [drawn] = drawn_layers(state, world, frame)
    assert drawn.left_out == ""
    bare = replace(state, map=replace(state.map, layers=()))
    without, with_it = (np.asarray(draw_map(each, world, frame), dtype=int) for each in (bare, state))
    changed = np.flatnonzero(np.abs(without - with_it).sum(2).max(0))
    east = frame.pixels(np.array([drawn.features[-1].shape.coords[0]]))[0, 0]
    assert abs(changed[-1] - east) < 12

    monkeypatch.setattr(features, "MOST_IN_PICTURE", 100)
    step = run(world, state, export_map, format="pdf")
    said = "many: 100 of 6,000 features are drawn, chosen by chance"
    assert step.data["left_out"] == [said] and f" {said}." in step.observation
    (page,) = pypdf.PdfReader(step.data["path"]).pages
    assert said in page.extract_text()
    [drawn] = drawn_layers(state, world, frame)
    assert len(drawn.features) == 100 and len({each.color for each in drawn.features}) == 2


@needs_leaflet
def test_a_page_says_how_many_features_of_a_layer_it_draws(world: World, tmp_path: Path) -> None:
    step = run(world, many(world, tmp_path), export_map, format="html")
    said = "many: 5,000 of 6,000 features are drawn, chosen by chance"
    assert step.data["left_out"] == [said]
    assert f"  ·  {said}" in Path(step.data["path"]).read_text()

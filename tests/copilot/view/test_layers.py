"""What a layer shows in a viewport."""

from __future__ import annotations

from pathlib import Path

import geopandas as gpd
import numpy as np
import pytest
import shapely

from copilot.session import Session
from copilot.view import layers
from copilot.view.layers import Viewport, extent, layer_content, periods
from copilot.view.mapview import fill_of, map_view
from tools.base import ToolError

WORLD = (-180.0, -85.0, 180.0, 85.0)
PLOTS = {
    "cluster_plot": "clusters",
    "scatter_plot": "points",
    "footprint_plot": "footprints",
    "density_plot": "density",
    "heatmap_plot": "heatmap",
    "label_plot": "labels",
    "time_slider_plot": "timeline",
    "choropleth_plot": "choropleth",
}


@pytest.fixture
def loaded(session: Session) -> Session:
    session.call("db_load", names=["xview1", "fair1m", "fmow"])
    return session


def content(session: Session, layer_id: str, view: Viewport) -> dict:
    layer = session.state.layer(layer_id)
    assert layer is not None
    return layer_content(layer, session.state, session.world(), view)


@pytest.mark.parametrize(("tool", "layer"), PLOTS.items())
@pytest.mark.parametrize("zoom", [2, 9])
def test_what_is_drawn_of_the_world_adds_up_to_the_selection(
    loaded: Session, tool: str, layer: str, zoom: int
):
    assert loaded.call(tool).ok
    found = content(loaded, layer, Viewport(WORLD, zoom))
    drawn = sum(each["properties"].get("count", 1) for each in found["features"]["features"])
    missing = 0 if layer != "choropleth" else found["total"] - drawn
    assert drawn + missing == found["total"] == loaded.state.database.count


def test_many_images_become_counts_and_never_more_than_the_cap(
    loaded: Session, monkeypatch: pytest.MonkeyPatch
):
    loaded.call("footprint_plot")
    monkeypatch.setattr(layers, "MAX_FOOTPRINTS", 3)
    found = content(loaded, "footprints", Viewport(WORLD, 2))
    assert found["mode"] == "cells"
    assert found["total"] == loaded.state.database.count


def test_square_cells_hold_what_they_count(loaded: Session):
    loaded.call("density_plot", cell="square")
    found = content(loaded, "density", Viewport(WORLD, 4))
    assert (
        sum(each["properties"]["count"] for each in found["features"]["features"])
        == loaded.state.database.count
    )
    for each in found["features"]["features"]:
        (west, south), _, (east, north), *_ = each["geometry"]["coordinates"][0]
        assert west < east and south < north


def test_the_steps_of_a_timeline_add_up_and_each_shows_its_own_images(loaded: Session):
    loaded.call("time_slider_plot", by="year")
    layer = loaded.state.layer("timeline")
    assert layer is not None
    steps = periods(layer, loaded.engine.catalogue)
    assert steps == sorted(steps) and sum(n for _, n in steps) == loaded.state.database.count
    for period, n in steps:
        assert content(loaded, "timeline", Viewport(WORLD, 2, period))["total"] == n


def test_boxes_of_objects_show_when_near(loaded: Session):
    loaded.call("detection_plot")
    far = content(loaded, "detections", Viewport(WORLD, 3))
    near = content(loaded, "detections", Viewport((-80.1, 40.35, -79.9, 40.55), 12))
    assert (far["mode"], near["mode"]) == ("cells", "boxes")
    assert near["shown"] == len(near["features"]["features"]) > 0


def test_a_view_across_the_antimeridian_holds_both_sides(session: Session):
    session.call("db_load", names=["xview3"])
    session.call("scatter_plot")
    found = content(session, "points", Viewport((175.0, -25.0, -175.0, -10.0), 5))
    sides = {each["properties"]["lon"] > 0 for each in found["features"]["features"]}
    assert sides == {True, False}


def test_a_drawing_is_not_asked_for_by_viewport(session: Session):
    session.call("draw_bbox", bbox=[0, 0, 1, 1])
    with pytest.raises(ToolError, match="not filled by a query"):
        content(session, "drawing-1", Viewport(WORLD, 2))


def test_a_layers_content_depends_on_its_query_and_not_on_its_style(loaded: Session):
    loaded.call("cluster_plot")
    before = fill_of(loaded.state.map.layers[0])
    loaded.call("style_layer", layer="clusters", color="orange", opacity=0.3)
    assert fill_of(loaded.state.map.layers[0]) == before
    loaded.call("filter_date", start="2018-01-01")
    assert fill_of(loaded.state.map.layers[0]) != before


def test_the_camera_moves_once_for_each_call_that_moved_it(loaded: Session):
    catalogue = loaded.engine.catalogue
    loaded.call("zoom_map", place="Paris")
    moved = map_view(loaded.state, loaded.events, catalogue)["camera"]
    loaded.call("cluster_plot")
    assert map_view(loaded.state, loaded.events, catalogue)["camera"] == moved
    again = loaded.call("zoom_map", place="Paris")
    assert map_view(loaded.state, loaded.events, catalogue)["camera"] == {**moved, "seq": again.seq}
    loaded.call("undo")
    loaded.call("undo")
    back = map_view(loaded.state, loaded.events, catalogue)["camera"]
    assert back["center"] == [10.0, 25.0] and back["seq"] > moved["seq"]


def test_the_place_of_the_selection_is_outlined(loaded: Session):
    loaded.call("filter_coords", place="Pittsburgh, PA", radius_km=40)
    area = map_view(loaded.state, loaded.events, loaded.engine.catalogue)["area"]
    assert area["type"] in ("Polygon", "MultiPolygon")


def test_many_own_points_become_crowds_that_add_up_and_are_each_by_itself_when_near(
    session: Session, tmp_path: Path
):
    lines = [f"{at},{4 + at % 20 / 10},{51 + at // 20 / 20}" for at in range(400)]
    (tmp_path / "trees.csv").write_text("\n".join(["height,lon,lat", *lines, "9,-70,-33"]))
    assert session.call("add_file", file=str(tmp_path / "trees.csv")).ok
    far = content(session, "trees", Viewport(WORLD, 6))
    parts = [each["properties"] for each in far["features"]["features"]]
    crowds = [each for each in parts if "count" in each]
    assert sum(each.get("count", 1) for each in parts) == far["total"] == far["shown"] == 401
    assert [each["row"] for each in parts if "row" in each] == [401]
    layer = session.state.layer("trees")
    assert layer is not None
    # A click goes to where the crowd is, which holds as many as it says.
    box = extent(layer, session.engine.catalogue, Viewport(crowds[0]["bbox"], 6))
    assert box is not None
    inside = content(session, "trees", Viewport(box, 12))
    assert {len(inside["features"]["features"]), inside["total"]} == {crowds[0]["count"]}
    # What is drawn by a column shows each point's own colour, however many there are.
    assert session.call("style_by_field", layer="trees", field="height").ok
    styled = content(session, "trees", Viewport(WORLD, 6))
    assert [each["properties"]["row"] for each in styled["features"]["features"]] == list(range(1, 402))


def test_of_more_own_features_than_are_drawn_a_fair_share_is_and_it_is_said(
    session: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lon = np.linspace(2, 3, 1000)
    squares = gpd.GeoDataFrame(geometry=shapely.box(lon, 50, lon + 0.001, 50.001), crs="EPSG:4326")
    squares.to_parquet(tmp_path / "squares.parquet")
    session.call("add_file", file=str(tmp_path / "squares.parquet"))
    assert content(session, "squares", Viewport(WORLD, 9))["note"] == ""
    monkeypatch.setattr(layers, "MAX_VECTOR", 100)
    found = content(session, "squares", Viewport(WORLD, 9))
    rows = [each["properties"]["row"] for each in found["features"]["features"]]
    assert (len(rows), found["total"]) == (100, 1000) and 30 < sum(each > 500 for each in rows) < 70
    assert found["note"] == (
        "100 of the 1,000 features in view are drawn, chosen by chance; zoom in to see all."
    )

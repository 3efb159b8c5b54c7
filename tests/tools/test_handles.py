"""Handles of rasters and features: what they find, what is said of a wrong one, and what a result leaves."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import geopandas as gpd
import numpy as np
import pytest
import rasterio
from shapely.geometry import Point

from data.raster.errors import RasterError
from state.model import State
from tests.tools.prepared import FIELDS, SCENE, prepared
from tests.tools.world import after, small_world
from tools.artifacts import Call, about
from tools.base import Step, ToolError, World
from tools.map.adding import add_raster_layer
from tools.map.drawing import draw_bbox, draw_marker
from tools.map.plots import detection_plot, footprint_plot, scatter_plot
from tools.rasters import raster_of, raster_step
from tools.vectors import vector_of, vector_step

CALL = Call("raster_calc", {"raster": SCENE.id})


@pytest.fixture
def ready(small_catalogue: Path, tmp_path: Path) -> tuple[World, State]:
    world = small_world(small_catalogue, tmp_path)
    return world, prepared(world)


def halved(world: World, state: State) -> Step:
    raster = raster_of(state, world, SCENE.id)

    def make(path: Path) -> None:
        with rasterio.open(raster.path) as source, rasterio.open(path, "w", **source.profile) as target:
            target.write(source.read() // 2)

    return raster_step(state, world, CALL, [raster], make, name="Half", said="Halved the scene.", mean=1.5)


def test_a_raster_is_found_by_its_id_its_name_and_its_layer(ready: tuple[World, State]) -> None:
    world, state = ready
    state = after(world, state, (add_raster_layer, {"artifact": SCENE.id, "name": "True colour"}))
    found = {raster_of(state, world, each).key for each in (SCENE.id, "scene", "true-colour", "True Colour")}
    assert found == {SCENE.id}


@pytest.mark.parametrize(
    ("handle", "said"),
    [
        ("raster-5ce4e9", "There is no raster 'raster-5ce4e9'. Did you mean 'raster-5ce4e1'?"),
        (FIELDS.id, "'vector-f1e1d5' is a vector, not a raster. There are"),
        ("fmow:nothing", "There is no image 'fmow:nothing'; db_query lists the ids of the selection."),
    ],
)
def test_a_wrong_raster_is_told_with_the_nearest(ready: tuple[World, State], handle: str, said: str) -> None:
    world, state = ready
    with pytest.raises(ToolError) as caught:
        raster_of(state, world, handle)
    assert str(caught.value).startswith(said)


def test_a_raster_that_is_made_is_kept_shown_and_told_where_it_came_from(ready: tuple[World, State]) -> None:
    world, state = ready
    step = halved(world, state)
    made = step.state.artifacts[-1]
    assert (made.kind, made.name, made.summary) == ("raster", "Half", "6 bands, 96 x 96 pixels")
    assert [each.artifact for each in step.state.map.layers][-1:] == [made.id]
    assert step.observation == f"Halved the scene. The raster is {made.id}."
    assert {key: step.data[key] for key in ("raster", "bands", "width_px", "height_px", "mean")} == {
        "raster": made.id, "bands": 6, "width_px": 96, "height_px": 96, "mean": 1.5,
    }  # fmt: skip
    with rasterio.open(world.artifacts.find(made.id)) as source:
        tags = source.tags()
    assert json.loads(tags["AZIMUTH_ARGUMENTS"]) == {"raster": SCENE.id}
    assert json.loads(tags["AZIMUTH_INPUTS"]) == [{"id": SCENE.id, "name": "Scene"}]
    assert about(world, made.id)["inputs"] == [{"handle": SCENE.id, "name": "Scene", "key": SCENE.id}]


def test_making_a_raster_again_shows_it_once(ready: tuple[World, State]) -> None:
    world, state = ready
    once = halved(world, state).state
    assert halved(world, once).state == once


def test_a_failure_leaves_no_file_and_becomes_a_sentence(ready: tuple[World, State]) -> None:
    world, state = ready
    raster = raster_of(state, world, SCENE.id)
    before = sorted(raster.path.parent.iterdir())

    def make(path: Path) -> None:
        path.write_bytes(b"half of it")
        raise RasterError("The disk is full.")

    with pytest.raises(ToolError, match=r"^The disk is full\.$"):
        raster_step(state, world, CALL, [raster], make, name="Half", said="")
    assert sorted(raster.path.parent.iterdir()) == before


def kinds(world: World, state: State, handle: str) -> tuple[set[str], int]:
    frame = vector_of(state, world, handle).frame
    assert frame.crs == "EPSG:4326"
    return set(frame.geom_type), len(frame)


@pytest.mark.parametrize(
    ("tool", "layer", "kind", "count"),
    [(footprint_plot, "footprints", "Polygon", 26), (scatter_plot, "points", "Point", 26)],
)
def test_a_plot_gives_its_selections_features(
    ready: tuple[World, State], tool: Any, layer: str, kind: str, count: int
) -> None:
    world, state = ready
    assert kinds(world, after(world, state, (tool, {})), layer) == ({kind}, count)


def test_detections_give_their_boxes(ready: tuple[World, State]) -> None:
    world, state = ready
    frame = vector_of(after(world, state, (detection_plot, {})), world, "detections").frame
    assert set(frame.geom_type) == {"Polygon"} and {"class_name", "confidence"} <= set(frame.columns)


def test_the_selection_the_drawings_and_an_artifact_are_features(ready: tuple[World, State]) -> None:
    world, state = ready
    drawn = after(
        world, state, (draw_bbox, {"bbox": [4, 51, 5, 52]}), (draw_marker, {"lon": 4.5, "lat": 51.5})
    )
    found = {handle: kinds(world, drawn, handle) for handle in ("selection", "drawings", FIELDS.id, "fields")}
    assert found == {
        "selection": ({"Polygon"}, 26),
        "drawings": ({"Polygon", "Point"}, 2),
        FIELDS.id: ({"Polygon"}, 4),
        "fields": ({"Polygon"}, 4),
    }


def test_the_key_of_a_drawing_follows_its_shape_not_its_name(ready: tuple[World, State]) -> None:
    world, state = ready

    def key(*bbox: float) -> str:
        drawn = after(world, state, (draw_bbox, {"bbox": list(bbox)}))
        return vector_of(drawn, world, "drawings").key

    assert key(4, 51, 5, 52) == key(4, 51, 5, 52) != key(4, 51, 5, 53)


def test_features_that_are_made_are_kept_and_shown(ready: tuple[World, State]) -> None:
    world, state = ready
    fields = vector_of(state, world, FIELDS.id)
    points = gpd.GeoDataFrame({"n": [1, 2]}, geometry=[Point(4, 52), Point(5, 53)], crs="EPSG:4326")
    call = Call("centroid", {"vector": FIELDS.id})
    step = vector_step(state, world, call, [fields], points, name="Middles", said="Made 2 points.")
    made = step.state.artifacts[-1]
    assert (made.kind, made.summary, step.data["count"]) == ("vector", "2 features", 2)
    np.testing.assert_allclose(step.data["bbox"], [4, 52, 5, 53])
    assert vector_of(step.state, world, made.id).frame["n"].tolist() == [1, 2]


def test_no_features_make_no_layer(ready: tuple[World, State]) -> None:
    world, state = ready
    fields = vector_of(state, world, FIELDS.id)
    call = Call("intersection", {"vector": FIELDS.id})
    step = vector_step(state, world, call, [fields], fields.frame.head(0), name="Nothing", said="None.")
    assert step.state.map == state.map and step.data["count"] == 0

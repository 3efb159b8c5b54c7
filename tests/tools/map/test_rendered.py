"""What a sample record's rendered scene is to the tools: a raster like others, that says what it is."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from data.catalogue.base import Selection
from data.rendered import is_rendered
from state.model import State
from tests.tools.world import run
from tools.base import World
from tools.geotools.raster_indices import spectral_index
from tools.map.adding import add_raster_layer
from tools.map.rasters import layer_file
from tools.map.rendered import has_rendering, rendered_picture


@pytest.fixture
def drawing(world: World, tmp_path: Path) -> World:
    return replace(world, rendered=tmp_path / "rendered")


def test_a_sample_record_opens_as_a_raster_that_says_that_it_is_rendered(drawing: World):
    step = run(drawing, State(), add_raster_layer, image=_first(drawing, "fair1m"))
    assert not step.failed, step.observation
    layer = step.state.map.layers[-1]
    assert layer.name.endswith("(rendered)")
    assert layer_file(layer, drawing).parent == drawing.rendered


def test_what_is_made_of_it_says_so_too(drawing: World):
    image = _first(drawing, "bigearthnet")
    step = run(drawing, State(), spectral_index, raster=image, index="NDVI")
    assert not step.failed, step.observation
    assert "It is made of a rendered scene, not imagery." in step.observation
    path = drawing.artifacts.find(step.data["raster"])
    assert path is not None and is_rendered(path)


def test_an_ingested_record_and_a_feature_have_none(drawing: World, tmp_path: Path):
    record = drawing.catalogue.image(_first(drawing, "fair1m"))
    assert record is not None
    assert has_rendering(drawing.catalogue, record)
    for other in ({"path": "a.tif"}, {"quicklook": "a.png"}, {"kind": "feature"}, {"dataset": "own"}):
        assert not has_rendering(drawing.catalogue, {**record, **other})
    assert rendered_picture(drawing.catalogue, tmp_path, {**record, "dataset": "own"}) is None


def _first(world: World, dataset: str) -> str:
    return str(world.catalogue.rows(Selection((dataset,)), ("image_id",), limit=1)["image_id"].iloc[0])

"""Bringing the user's own files in."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import rasterio

from data.catalogue.base import Selection
from state.model import State
from tests.data.uploads.samples import raster
from tests.tools.world import run, small_world
from tools.base import World
from tools.database.ingesting import db_ingest
from tools.geotools.raster_reading import raster_info, raster_stats
from tools.rasters import raster_of


def _feature(name: str, lon: float, lat: float) -> dict[str, object]:
    return {
        "type": "Feature",
        "properties": {"name": name},
        "geometry": {"type": "Point", "coordinates": [lon, lat]},
    }


@pytest.fixture
def empty(tmp_path: Path) -> World:
    return small_world(tmp_path / "catalogue", tmp_path / "artifacts")


@pytest.fixture
def harbours(tmp_path: Path) -> Path:
    features = [
        _feature("Rotterdam", 4.14, 51.95),
        _feature("Lagos", 3.36, 6.44),
        _feature("Nowhere", 500, 95),
    ]
    path = tmp_path / "harbours.geojson"
    path.write_text(json.dumps({"type": "FeatureCollection", "features": features}))
    return path


def test_a_file_becomes_a_loaded_data_set_and_bad_rows_are_reported(empty: World, harbours: Path) -> None:
    step = run(empty, State(), db_ingest, path=str(harbours))
    assert not step.failed, step.observation
    assert (step.state.database.loaded, step.state.database.count) == (("harbours",), 2)
    assert (step.data["images"], step.data["rejected"], step.data["format"]) == (2, 1, "geojson")
    assert step.data["rejected_rows"][0]["file"] == "harbours.geojson"
    assert "1 row could not be used" in step.observation
    assert step.observation.endswith("2 features are selected.")


def test_the_same_file_twice_is_one_data_set(empty: World, harbours: Path) -> None:
    first = run(empty, State(), db_ingest, path=str(harbours))
    again = run(empty, first.state, db_ingest, path=str(harbours))
    assert again.state == first.state


def test_a_path_that_is_not_there_is_one_sentence(empty: World, tmp_path: Path) -> None:
    missing = run(empty, State(), db_ingest, path=str(tmp_path / "nope.csv"))
    assert missing.failed and missing.observation.startswith("There is no file or folder")
    assert run(empty, State(), db_ingest, path="\0").failed


def test_a_catalogue_on_a_server_is_not_written_to(empty: World, harbours: Path) -> None:
    step = run(replace(empty, catalogue_root=None), State(), db_ingest, path=str(harbours))
    assert step.failed and step.observation.startswith("This catalogue is on a server")


def test_an_ingested_image_is_read_as_the_values_that_its_numbers_mean(empty: World, tmp_path: Path) -> None:
    (folder := tmp_path / "mine").mkdir()
    numbers = np.array([[[-3000, 0], [5000, 9000]]], "int16")
    path = raster(folder / "ndvi_20200601.tif", values=numbers, nodata=-3000)
    with rasterio.open(path, "r+") as target:
        target.scales = (0.0001,)
    step = run(empty, State(), db_ingest, path=str(folder))
    assert not step.failed, step.observation
    (page,) = empty.catalogue.scan(Selection(step.state.database.loaded))
    (image,) = page["image_id"]
    found = run(empty, step.state, raster_stats, raster=image)
    assert (found.data["mean"], found.data["max"]) == pytest.approx((7 / 15, 0.9), abs=1e-6)
    info = run(empty, step.state, raster_info, raster=image)
    assert info.observation.endswith("Its values were stored as int16 with a scale or offset.")
    assert raster_of(step.state, empty, image).path == raster_of(step.state, empty, image).path

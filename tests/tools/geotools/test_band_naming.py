"""Bands named by the user: they hold for indices, composites and looks at the pixels, and can be undone."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import rasterio
from PIL import Image

from copilot import Session
from copilot.engine import Engine
from state.codec import from_json, to_json
from state.model import Artifact, State
from tools.base import Step, World
from tools.run import run_call
from tools.toolbox import toolbox

RASTER = Artifact("raster-0e0e0e", "raster", "Fields", "4 bands", "test()")


@pytest.fixture
def ready(world: World) -> tuple[World, State]:
    """Four bands without names, in the order short-wave infrared, near infrared, red, green."""
    path: Path = world.artifacts.path(RASTER.id, ".tif")
    values = np.array([1500, 4000, 500, 600], np.uint16)[:, None, None] * np.ones((4, 40, 40), np.uint16)
    values[:, :, :10] = np.array([100, 150, 300, 600], np.uint16)[:, None, None]
    with rasterio.open(
        path, "w", driver="GTiff", count=4, height=40, width=40, dtype="uint16", crs="EPSG:32631",
        transform=rasterio.Affine(10, 0, 500_000, 0, -10, 5_000_000),
    ) as target:  # fmt: skip
        target.write(values)
    return world, State().with_artifact(RASTER)


def call(ready: tuple[World, State], name: str, **args: object) -> Step:
    return run_call(toolbox(), ready[1], ready[0], name, args)


def named(ready: tuple[World, State], **args: object) -> tuple[World, State]:
    step = call(ready, "name_bands", raster=RASTER.id, **args)
    assert not step.failed, step.observation
    return ready[0], step.state


ALL = "swir16=1,nir=2,red=3,green=4"


def test_bands_named_by_the_user_hold_for_every_index_composite_and_look(ready: tuple[World, State]) -> None:
    before = call(ready, "spectral_index", raster=RASTER.id, index="NDVI")
    assert before.failed and "which is nir and red cannot be told" in before.observation
    after = named(ready, bands=ALL)
    index = call(after, "spectral_index", raster=RASTER.id, index="NDVI")
    assert "with nir = band 2 and red = band 3" in index.observation, index.observation
    assert index.data["max"] == pytest.approx(3500 / 4500, abs=1e-4)
    composite = call(after, "band_composite", raster=RASTER.id, preset="false_colour")
    assert not composite.failed, composite.observation
    water = call(after, "water_extraction", image=RASTER.id)
    assert (water.data["model"], water.data["share_percent"]) == ("water-index", 25.0)
    plants = call(after, "vegetation_extraction", image=RASTER.id)
    assert (plants.data["model"], plants.data["share_percent"]) == ("vegetation-ndvi", 75.0)
    info = call(after, "raster_info", raster=RASTER.id)
    assert [each["name"] for each in info.data["band_list"]] == ["swir16", "nir", "red", "green"]


def test_what_is_said_later_is_added_and_moves_a_name(ready: tuple[World, State]) -> None:
    later = named(named(ready, bands="red=3,nir=4"), bands={"near infrared": 2})
    assert later[1].bands_of(RASTER.id) == ("", "nir", "red", "")


def test_a_sensor_names_the_bands_of_its_product(ready: tuple[World, State]) -> None:
    assert named(ready, sensor="NAIP")[1].bands_of(RASTER.id) == ("red", "green", "blue", "nir")
    assert named(ready, sensor="planetscope")[1].bands_of(RASTER.id) == ("blue", "green", "red", "nir")
    refused = call(ready, "name_bands", raster=RASTER.id, sensor="Landsat 8")
    assert refused.failed and "in products of so many bands: 11, 7; Fields has 4" in refused.observation


@pytest.mark.parametrize(
    ("args", "words"),
    [
        ({}, "needs bands"),
        ({"bands": "red=9"}, "There is no band 9: the raster has 4 bands."),
        ({"bands": "magenta=1"}, "'magenta' is no name of a band"),
        ({"sensor": "my phone"}, "No sensor 'my phone'"),
    ],
)
def test_what_is_no_name_or_no_band_is_refused(
    ready: tuple[World, State], args: dict[str, object], words: str
) -> None:
    step = call(ready, "name_bands", raster=RASTER.id, **args)
    assert step.failed and words in step.observation


def test_a_state_without_named_bands_is_written_as_before_and_one_with_them_comes_back(
    ready: tuple[World, State],
) -> None:
    assert "bands" not in to_json(ready[1])
    state = named(ready, bands=ALL)[1]
    assert from_json(to_json(state)) == state and len(to_json(state)["bands"]) == 1


def test_named_bands_of_a_picture_are_undone_and_replayed(tmp_path: Path) -> None:
    pixels = np.random.default_rng(1).integers(0, 255, (30, 40, 3), dtype=np.uint8)
    Image.fromarray(pixels).save(tmp_path / "picture.png")
    session = Session.open(name="Bands", engine=Engine(home=tmp_path / "home"))
    raster = session.call("add_file", file=str(tmp_path / "picture.png")).data["raster"]
    assert session.call("name_bands", raster=raster, bands="nir=1,red=2,green=3").data["bands"] == [
        "nir", "red", "green",
    ]  # fmt: skip
    made = session.call("spectral_index", raster=raster, index="NDVI")
    assert "with nir = band 1 and red = band 2" in made.text
    assert session.replay() == session.state
    session.undo()
    session.undo()
    assert session.state.bands == ()

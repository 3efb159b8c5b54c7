"""Cleaning, measuring and inverting an image, called as the agent calls them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import rasterio

from copilot.bench.build.example_files import FOLDER
from data.progress import Unheard
from state.model import Artifact, State
from tests.data.raster.made import write
from tests.real_files import real
from tests.tools.prepared import PHOTO, SAR, SCENE
from tests.tools.world import run
from tools.base import World
from tools.vision.cleaning import cloud_detection, cloud_removal, denoising, edge_detection, image_dehazing
from tools.vision.measuring import image_quality, remote_sensing_inversion

CLOUDY = Artifact("raster-c10ud1", "raster", "Cloudy", "4 bands", "test()")
CLEAR = Artifact("raster-c1ea41", "raster", "Clear", "4 bands", "test()")
NAMES = ("blue", "green", "red", "nir")


@pytest.fixture
def state(world: World) -> State:
    land = np.stack([np.full((40, 40), each) for each in (600, 800, 900, 2500)]).astype(np.uint16)
    land += np.arange(40, dtype=np.uint16)
    cloudy = land.copy()
    cloudy[:, 10:20, 10:20] = 5000
    write(world.artifacts.path(CLOUDY.id, ".tif"), cloudy, descriptions=NAMES, nodata=0)
    write(world.artifacts.path(CLEAR.id, ".tif"), land, descriptions=NAMES, nodata=0)
    state = State()
    for artifact, file in ((SCENE, "scene.tif"), (SAR, "sar.tif"), (PHOTO, "photo.jpg")):
        target = world.artifacts.path(artifact.id, Path(file).suffix)
        target.write_bytes((FOLDER / file).read_bytes())
        state = state.with_artifact(artifact)
    return state.with_artifact(CLOUDY).with_artifact(CLEAR)


def test_clouds_come_as_a_mask_outlines_and_a_share(world: World, state: State) -> None:
    step = run(world, state, cloud_detection, image=CLOUDY.id)
    assert step.observation.startswith(
        "10,008 m² (6.25 %) of Cloudy is cloud, by spectral tests of reflectance (Zhu and Woodcock 2012)."
    )
    assert step.data["area_m2"] == pytest.approx(10_000, rel=2e-3)  # UTM's scale
    known = [step.data[key] for key in ("model", "count", "share_percent", "shadow_percent")]
    assert known == ["cloud-spectral-tests", 1, 6.25, None]
    assert step.state.artifact(step.data["raster"]) and step.state.artifact(step.data["vector"])


def test_under_the_clouds_goes_another_date_and_the_rest_is_invented(world: World, state: State) -> None:
    step = run(world, state, cloud_removal, image=CLOUDY.id, others=[CLEAR.id])
    assert "23 % of the image now comes from 1 other date." in step.observation
    assert "INVENTED" not in step.observation and step.data["invented_percent"] == 0
    alone = run(world, state, cloud_removal, image=CLOUDY.id)
    assert "23 % is INVENTED" in alone.observation and alone.data["model"] == "exemplar-inpainting"
    with rasterio.open(world.artifacts.path(str(alone.data["raster"]), ".tif")) as made:
        assert made.descriptions == (*NAMES, "invented")
        assert (made.read(5) == 3).mean() == pytest.approx(0.23)


def test_each_answer_names_its_method_and_its_number(world: World, state: State) -> None:
    haze = run(world, state, image_dehazing, image=SCENE.id)
    assert f"{haze.data['haze_percent']:g} % of the light in Scene" in haze.observation
    noise = run(world, state, denoising, image=SCENE.id)
    assert (noise.data["model"], noise.data["method"]) == ("dct-denoising", "dct")
    speckle = run(world, state, denoising, image=SAR.id)
    assert speckle.data["model"] == "refined-lee" and "16.5 looks" in speckle.observation
    edges = run(world, state, edge_detection, image=SAR.id)
    assert edges.data["model"] == "ratio-of-averages" and edges.data["density_percent"] > 0
    assert run(world, state, edge_detection, image=PHOTO.id).data["model"] == "canny"


def test_the_quality_of_an_image_changes_nothing_and_says_what_was_measured(
    world: World, state: State
) -> None:
    step = run(world, state, image_quality, image=SCENE.id)
    assert step.state == state and step.data["verdict"] == "good"
    assert step.observation.startswith(
        "Scene is good: nothing measured stands out. It has 96 x 96 pixels of 10 m;"
    )
    assert len(step.data["bands"]) == 6 and step.data["bands"][0]["name"] == "blue"


def test_a_quantity_comes_with_its_unit_source_and_what_was_cut(world: World, state: State) -> None:
    step = run(world, state, remote_sensing_inversion, image=SCENE.id, quantity="lai")
    assert "(Boegh et al. 2002) from blue = band 1, red = band 3 and nir = band 4." in step.observation
    assert (step.data["unit"], step.data["model"]) == ("m2/m2", "published-formulas")
    failed = run(world, state, remote_sensing_inversion, image=SCENE.id, quantity="lst")
    assert failed.failed and failed.observation.startswith(
        "Land surface temperature needs the bands lwir11, red, nir, and which is lwir11 cannot be told"
    )


def test_the_work_runs_where_the_world_has_it_run(world: World, state: State) -> None:
    asked: list[str] = []

    def elsewhere(title: str, function, /, *args, **kwargs):
        asked.append(title)
        return function(Unheard(), *args, **kwargs)

    run(replace(world, work=elsewhere), state, denoising, image=SCENE.id)
    assert asked == ["Removing noise from Scene"]


def test_real_pictures_without_a_cloud_are_called_nearly_free_of_them(world: World, state: State) -> None:
    picture = real("dota/P0706.png")
    world.artifacts.path("raster-d07a00", ".png").write_bytes(picture.read_bytes())
    step = run(
        world,
        state.with_artifact(Artifact("raster-d07a00", "raster", "Town", "3 bands", "test()")),
        cloud_detection,
        image="raster-d07a00",
    )
    assert step.data["share_percent"] < 2

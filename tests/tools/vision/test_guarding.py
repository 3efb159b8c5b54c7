"""One guard before every vision model: refused with what would help, or said before the answer."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
import rasterio

from copilot.bench.build.example_files import FOLDER
from data.models.registry import registry
from data.vision.asked import GUARDED
from state.model import Artifact, State
from tests.tools.prepared import AIRFIELD, SCENE, TOWN, TOWN_LATER, prepared
from tools.base import Step, World
from tools.run import run_call
from tools.toolbox import toolbox

VISION = [each for each in toolbox() if each.category == "vision"]
WITH_IMAGES = [
    each
    for each in VISION
    if any(
        '"format": "raster"' in str(field).replace("'", '"') for field in each.schema["properties"].values()
    )
]
COARSE = Artifact("raster-c0a25e", "raster", "Prairie", "3 bands", "test()")
NAMELESS = Artifact("raster-0a3e1e", "raster", "Nameless", "4 bands", "test()")
GREY = Artifact("raster-98e700", "raster", "Sea", "1 band", "test()")


@pytest.fixture(scope="module")
def ready(small_catalogue: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[World, State]:
    """What the tools' examples work on, and beside it a town in pixels of 5 m, bands without names, a sea."""
    from tests.tools.world import small_world

    world = small_world(small_catalogue, tmp_path_factory.mktemp("artifacts"))
    state = prepared(world)
    with rasterio.open(FOLDER / "town_before.tif") as source:
        town = source.read()
    write(world, COARSE, town, 5.0, ("red", "green", "blue"))
    with rasterio.open(FOLDER / "scene.tif") as source:
        bands = np.clip(source.read()[[4, 3, 2, 1]] * (255 if source.dtypes[0] != "uint16" else 0.02), 1, 255)
    write(world, NAMELESS, bands.astype(np.uint8), 89.0)
    waves = cv2.GaussianBlur(np.random.default_rng(1).normal(0, 60, (200, 200)), (0, 0), 2.5)
    write(world, GREY, (90 + waves)[None].astype(np.uint8), 3.0)
    for each in (COARSE, NAMELESS, GREY):
        state = state.with_artifact(each)
    return world, state


def write(
    world: World, artifact: Artifact, bands: np.ndarray, gsd_m: float, names: tuple[str, ...] = ()
) -> None:
    path = world.artifacts.path(artifact.id, ".tif")
    with rasterio.open(
        path, "w", driver="GTiff", count=len(bands), height=bands.shape[1], width=bands.shape[2],
        dtype=bands.dtype, crs="EPSG:32631", photometric="MINISBLACK",
        transform=rasterio.Affine(gsd_m, 0, 500_000, 0, -gsd_m, 5_000_000),
    ) as target:  # fmt: skip
        target.write(bands)
        if names:
            target.descriptions = names


def call(ready: tuple[World, State], name: str, **args: object) -> Step:
    return run_call(toolbox(), ready[1], ready[0], name, args)


@pytest.mark.parametrize("tool", WITH_IMAGES, ids=lambda tool: tool.name)
def test_every_vision_tool_that_takes_an_image_goes_through_the_guard(tool: Any) -> None:
    assert tool.function.guards and tool.name in GUARDED
    assert set(tool.function.guards) <= set(tool.schema["properties"])
    anyway = tool.schema["properties"]["anyway"]
    assert (anyway["type"], anyway["default"]) == ("boolean", False)


def test_what_takes_no_image_looks_at_what_was_found_and_not_at_pixels() -> None:
    assert {each.name for each in VISION} - {each.name for each in WITH_IMAGES} == {
        "list_detections", "review_detection",
    }  # fmt: skip
    assert set(GUARDED) == {each.name for each in WITH_IMAGES}


def test_each_card_says_for_which_images_its_model_is() -> None:
    """A model without a range of pixels is a formula of each pixel by itself, or works on any raster."""
    without = {
        each.name
        for each in registry(None).models
        if not each.card.limits.anything and each.card.limits.gsd_m is None and each.card.input.gsd_m is None
    }
    assert all(registry(None).get(name).card.kind == "method" for name in without), without


@pytest.mark.parametrize(
    ("tool", "model"),
    [
        ("optical_detection", "oriented-objects"), ("object_count", "oriented-objects"),
        ("building_extraction", "land-cover-rgb"), ("semantic_segmentation", "land-cover-rgb"),
        ("road_extraction", "land-cover-rgb"),
    ],
)  # fmt: skip
def test_pixels_coarser_than_the_models_range_are_refused_or_said_first(
    ready: tuple[World, State], tool: str, model: str
) -> None:
    refused = call(ready, tool, image=COARSE.id)
    assert (
        refused.failed
        and f"The pixels of Prairie are 5 m, coarser than {model} is for (" in refused.observation
    )
    assert "; a finer image would do." in refused.observation
    gone_on = call(ready, tool, image=COARSE.id, anyway=True)
    assert not gone_on.failed and gone_on.observation.startswith("The pixels of Prairie are 5 m, coarser ")
    assert "so the answer may mean nothing." in gone_on.data["said_first"][0]


@pytest.mark.parametrize(
    "tool", ["water_extraction", "vegetation_extraction", "semantic_segmentation", "cloud_detection"]
)
def test_bands_that_nothing_names_are_asked_for(ready: tuple[World, State], tool: str) -> None:
    step = call(ready, tool, image=NAMELESS.id)
    asked = (
        "Nothing says which of the 4 bands of Nameless are red, green and blue; name_bands says it, as in "
    )
    assert step.failed and step.observation.startswith(asked), step.observation


@pytest.mark.parametrize("tool", ["semantic_segmentation", "vegetation_extraction", "cloud_detection"])
def test_a_grey_picture_is_no_picture_in_colour(ready: tuple[World, State], tool: str) -> None:
    step = call(ready, tool, image=GREY.id)
    assert step.failed, step.observation


def test_a_scene_is_not_told_by_the_colours_of_a_grey_picture(ready: tuple[World, State]) -> None:
    step = call(ready, "scene", image=GREY.id)
    assert not step.failed, step.observation
    assert step.data["scene"] is None and "tells by colour" in step.observation
    assert not {"water", "vegetation", "bare"} & {
        key for key, value in step.data["measured"].items() if value
    }
    described = call(ready, "caption", image=NAMELESS.id)
    assert "vegetation" not in described.observation.split("Not measured")[0]


def test_a_pair_that_hardly_agrees_is_refused_or_said_first(ready: tuple[World, State]) -> None:
    world, state = ready
    with rasterio.open(FOLDER / "town_before.tif") as source:
        turned, profile = source.read()[:, ::-1, ::-1], source.profile
    other = Artifact("raster-0bb0bb", "raster", "Elsewhere", "3 bands", "test()")
    with rasterio.open(world.artifacts.path(other.id, ".tif"), "w", **profile) as target:
        target.write(turned)
    there = (world, state.with_artifact(other))
    for tool in ("change_detection", "building_damage_detection"):
        step = call(there, tool, before=TOWN.id, after=other.id)
        assert step.failed and "The two images agree by a correlation of " in step.observation
        gone_on = call(there, tool, before=TOWN.id, after=other.id, anyway=True)
        assert gone_on.observation.startswith("The two images agree by a correlation of ")
    assert "agree by" not in call(ready, "change_detection", before=TOWN.id, after=TOWN_LATER.id).observation


def test_two_kinds_of_image_are_not_compared(ready: tuple[World, State]) -> None:
    from tests.tools.prepared import SAR

    step = call(ready, "change_detection", before=SCENE.id, after=SAR.id)
    assert step.failed


def test_what_is_inside_the_limits_is_answered_without_a_word_first(ready: tuple[World, State]) -> None:
    step = call(ready, "optical_detection", image=AIRFIELD.id)
    assert step.observation.startswith("Found 11 objects in Airfield") and "said_first" not in step.data


def test_a_caveat_is_of_the_class_that_is_claimed(ready: tuple[World, State]) -> None:
    planes = call(ready, "optical_detection", image=AIRFIELD.id, classes=["plane"])
    assert planes.data["caveat"].startswith("How far to trust oriented-objects: plane: ")
    assert "ship" not in planes.data["caveat"]
    ships = call(ready, "optical_detection", image=AIRFIELD.id, classes=["ship"])
    assert ships.data["caveat"].startswith(
        "How far to trust oriented-objects: ship: on real images (DOTA P0706"
    )
    assert planes.observation.endswith(planes.data["caveat"])

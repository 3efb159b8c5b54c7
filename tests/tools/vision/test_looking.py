"""The look as a tool: what it tells is what is there, each part only where it was asked for, and no layer."""

from __future__ import annotations

from pathlib import Path

import pytest
import rasterio

from data.scenes import render
from data.vision.look import LOOKS, PARTS
from state.model import Artifact, State
from tests.tools.prepared import DEM, SAR, SCENE, prepared
from tests.tools.world import run
from tools.base import World
from tools.vision.looking import look_at_image

MARINA = Artifact("raster-17a000", "raster", "Marina", "3 bands", "test()")


@pytest.fixture
def state(world: World) -> State:
    state = prepared(world).with_artifact(MARINA)
    render(17_100_002, size=512, theme="marina").write(world.artifacts.path(MARINA.id, ".tif"))
    return state


def file_of(world: World, artifact: Artifact) -> Path:
    found = world.artifacts.find(artifact.id)
    assert found is not None
    return found


def test_a_look_tells_scene_presence_cover_and_counts_and_changes_nothing(world, state):
    step = run(world, state, look_at_image, image=MARINA.id)
    assert not step.failed, step.observation
    assert step.state == state
    look = LOOKS.at(file_of(world, MARINA), world.models)
    assert step.data["scene"]["name"] == look.scene.name
    assert step.data["present"]["ship"] is look.sure_of("ship") is True
    assert step.data["objects"]["counts"]["ship"] == look.count("ship") > 0
    assert set(step.data["cover"]) == {"all", *PARTS}
    assert {round(sum(shares.values()), 2) for shares in step.data["cover"].values()} == {1.0}
    with rasterio.open(file_of(world, MARINA)) as source:
        assert (step.data["width_px"], step.data["height_px"]) == (source.width, source.height)
    assert f"ship {look.count('ship'):,}" in step.observation and step.data["rendered"]


def test_only_what_was_asked_for_is_measured(world, state):
    step = run(world, state, look_at_image, image=MARINA.id, measure=["scene"])
    assert {"scene", "present"} <= set(step.data) and not {"cover", "objects", "found"} & set(step.data)
    assert run(world, state, look_at_image, image=MARINA.id, measure=[]).data["modality"] == "optical"


def test_a_phrase_is_found_as_boxes_inside_the_image(world, state):
    step = run(world, state, look_at_image, image=MARINA.id, measure=[], phrase="the biggest boat")
    (box,) = step.data["found"]["boxes"]
    assert 0 <= box[0] < box[2] <= 512 and 0 <= box[1] < box[3] <= 512
    assert f"{box[0]}, {box[1]}, {box[2]}, {box[3]}" in step.observation
    unknown = run(world, state, look_at_image, image=MARINA.id, measure=[], phrase="the thing")
    assert "names nothing that is told apart" in unknown.data["missing"]["found"]


def test_what_cannot_be_measured_is_said_and_the_rest_is_told(world, state):
    step = run(world, state, look_at_image, image=SAR.id)
    assert step.data["modality"] == "sar" and "scene" in step.data
    assert all(why in step.observation for why in step.data["missing"].values())
    multispectral = run(world, state, look_at_image, image=SCENE.id, measure=["cover"])
    assert multispectral.data["gsd_m"] == pytest.approx(10.0, abs=0.1)


def test_what_is_no_image_is_not_looked_at(world, state):
    step = run(world, state, look_at_image, image=DEM.id)
    assert step.failed and "is no image but holds" in step.observation

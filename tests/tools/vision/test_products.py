"""Masks with their outlines as one step: a raster, features on top of it, and areas to quote."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import numpy as np
import pytest
import rasterio
from affine import Affine

from data.raster.errors import RasterError
from data.uploads.gdal import quiet_gdal
from state.model import State
from tests.tools.prepared import SAR, prepared
from tests.tools.world import run
from tools.artifacts import Call
from tools.base import Field, Step, World, tool
from tools.rasters import raster_of
from tools.vision.products import Outlines, area_words, mask_step


def write(path: Path, place: bool) -> None:
    values = np.zeros((8, 8), np.uint8)
    values[1:4, 1:5] = 1
    profile = {"driver": "GTiff", "width": 8, "height": 8, "count": 1, "dtype": "uint8", "nodata": 255}
    where = {"crs": "EPSG:32631", "transform": Affine(10, 0, 600_000, 0, -10, 5_760_000)} if place else {}
    with quiet_gdal(), rasterio.open(path, "w", **profile, **where) as target:
        target.write(values, 1)


@tool("vision", changes_state=True)
def mark(
    state: State, world: World, *, place: Annotated[bool, Field(description="Place.")] = True,
    broken: Annotated[bool, Field(description="Broken.")] = False,
) -> Step:  # fmt: skip
    """Mark some pixels."""
    image = raster_of(state, world, SAR.id)

    def make(path: Path) -> None:
        if broken:
            raise RasterError("It is broken.")
        write(path, place)

    call = Call.of(mark, place=place, broken=broken)
    return mask_step(
        state, world, call, [image], make, name="Marks", classes={1: "mark"},
        said=lambda areas: f"Marked {area_words(areas[0])}.", polygons=Outlines(simplify_px=0),
        model="by hand",
    )  # fmt: skip


@pytest.fixture
def state(world: World) -> State:
    return prepared(world)


def test_a_mask_gives_a_raster_and_its_outlines_with_their_areas(world, state):
    step = run(world, state, mark)
    assert not step.failed, step.observation
    assert step.data["area_m2"] == pytest.approx(1200, rel=2e-3)
    assert step.data["share_percent"] == 18.75
    assert step.data["by_class"]["mark"]["pixels"] == 12
    assert (step.data["count"], step.data["model"]) == (1, "by hand")
    assert [step.state.artifact(step.data[kind]).kind for kind in ("raster", "vector")] == [
        "raster",
        "vector",
    ]
    layers = [each.artifact for each in step.state.map.layers[-2:]]
    assert layers == [step.data["raster"], step.data["vector"]]
    assert step.observation.startswith("Marked 1,20") and "1 outline in" in step.observation


def test_a_mask_without_a_place_is_kept_and_said_in_pixels(world, state):
    step = run(world, state, mark, place=False)
    assert step.observation.startswith("Marked 12 pixels (18.75 %).")
    assert (step.data["area_m2"], step.data["count"], "layer" in step.data) == (None, 1, False)
    assert len(step.state.map.layers) == len(state.map.layers)


def test_what_goes_wrong_in_the_making_is_one_sentence_and_leaves_the_state(world, state):
    step = run(world, state, mark, broken=True)
    assert (step.failed, step.observation, step.state) == (True, "It is broken.", state)

"""Composites and sharpened scenes, as tools."""

from __future__ import annotations

import numpy as np
import pytest
import rasterio

from copilot.bench.build.example_files import PARTS
from state.model import State
from tests.data.raster.test_windows import read
from tests.tools.prepared import DEM, PAN, SCENE
from tests.tools.world import run
from tools.base import World
from tools.geotools.raster_pictures import band_composite, pansharpen


def test_in_false_colour_the_park_is_red_and_shown_as_it_is(ready: tuple[World, State]) -> None:
    world, state = ready
    step = run(world, state, band_composite, raster=SCENE.id, preset="false_colour")
    path = world.artifacts.find(step.data["raster"])
    assert path is not None
    left, top, right, bottom = PARTS["park"]
    red, green, blue = read(path)[:, top:bottom, left:right].mean(axis=(1, 2))
    assert red > 200 and green < 60 and blue < 80
    assert (step.data["band_numbers"], step.data["bands"]) == ([4, 3, 2], 3)
    assert step.observation.startswith(
        "False colour, vegetation red of Scene: bands 4, 3 and 2, stretched from 194 to"
    )
    options = dict(step.state.map.layers[-1].options)
    assert (options["stretch"], options["bands"]) == ("none", "1,2,3")


def test_bands_are_taken_by_number_or_name_and_one_makes_a_grey_picture(ready: tuple[World, State]) -> None:
    step = run(*ready, band_composite, raster=SCENE.id, bands="swir22, 4, red")
    assert step.data["band_numbers"] == [6, 4, 3]
    grey = run(*ready, band_composite, raster=DEM.id, bands=[1], low_pct=0, high_pct=100)
    assert grey.data["stretch"] == [[20.0, pytest.approx(138.8, abs=1e-3)]]


def test_a_sharpened_scene_lies_on_the_fine_grid(ready: tuple[World, State]) -> None:
    world, state = ready
    step = run(world, state, pansharpen, raster=SCENE.id, pan=PAN.id, bands="red,green,blue")
    with rasterio.open(world.artifacts.find(step.data["raster"])) as made:
        assert made.shape == (192, 192) and made.descriptions == ("red", "green", "blue")
        sharp = made.read().astype(float)
    # Its mean over the bands is pan, but where the mean of the coarse ones is resampled across an edge.
    pan = read(world.artifacts.path(PAN.id, ".tif"))[0].astype(float)
    apart = np.abs(sharp.mean(axis=0) - pan)[4:-4, 4:-4]
    assert np.median(apart) <= 1
    assert step.observation.startswith("Sharpened Scene with Pan by brovey.")


@pytest.mark.parametrize(
    ("tool", "args", "said"),
    [
        (
            band_composite,
            {"raster": DEM.id},
            "True colour needs the bands red, green, blue, and which is red",
        ),
        (
            band_composite,
            {"raster": SCENE.id, "bands": [1, 2]},
            "band_composite takes three bands for red, green",
        ),
        (
            band_composite,
            {"raster": SCENE.id, "bands": [1], "preset": "swir"},
            "band_composite takes preset or bands",
        ),
        (
            band_composite,
            {"raster": SCENE.id, "low_pct": 60, "high_pct": 40},
            "low_pct must be below high_pct;",
        ),
        (pansharpen, {"raster": PAN.id, "pan": SCENE.id}, "The pixels of the panchromatic raster"),
    ],
)
def test_what_cannot_be_shown_is_said(
    ready: tuple[World, State], tool: object, args: dict[str, object], said: str
) -> None:
    step = run(*ready, tool, **args)
    assert step.failed and step.observation.startswith(said)

"""Expressions, decibels and matched histograms, as tools."""

from __future__ import annotations

import numpy as np
import pytest
import rasterio

from copilot.bench.build.example_files import FOLDER, PARTS
from state.model import State
from tests.data.raster.test_windows import read
from tests.tools.prepared import DEM, PAN, SAR, SCENE
from tests.tools.world import run
from tools.base import World
from tools.geotools.raster_calculating import histogram_match, raster_calc, to_decibel


def test_a_threshold_tells_the_share_and_the_ground(ready: tuple[World, State]) -> None:
    """The lake is the only part where green is brighter than near infrared: 34 x 34 pixels of 10 m."""
    step = run(*ready, raster_calc, raster=SCENE.id, expression="green > nir")
    left, top, right, bottom = PARTS["lake"]
    pixels = (right - left) * (bottom - top)
    assert (step.data["true_px"], step.data["valid"]) == (pixels, 96 * 96 - 2)
    assert step.data["true_pct"] == pytest.approx(100 * pixels / (96 * 96 - 2))
    assert step.data["true_ha"] == pytest.approx(pixels / 100 / 0.99971**2, rel=1e-4)
    assert step.observation.startswith("green > nir of Scene: true on 12.55 % of the valid pixels, 11.57 ha.")


def test_two_rasters_are_joined_on_the_firsts_grid(ready: tuple[World, State]) -> None:
    world, state = ready
    step = run(world, state, raster_calc, raster=SCENE.id, expression="b4 * 0 + B", others="dem")
    path = world.artifacts.find(step.data["raster"])
    assert path is not None
    heights = np.kron(read(FOLDER / "dem.tif")[0, :32, :32], np.ones((3, 3)))
    heights[0, :2] = np.nan  # nodata in the scene
    np.testing.assert_allclose(read(path)[0], heights)
    with rasterio.open(path) as made:
        assert made.tags()["EXPRESSION"] == "b4 * 0 + B" and made.descriptions == ("b4 * 0 + B",)


def test_amplitudes_become_decibels(ready: tuple[World, State]) -> None:
    world, state = ready
    step = run(world, state, to_decibel, raster=SAR.id, quantity="amplitude")
    wanted = 20 * np.log10(read(FOLDER / "sar.tif"))
    assert step.data["mean"] == pytest.approx(wanted.mean(), rel=1e-6)
    assert step.data["unit"] == "dB"
    assert step.observation.startswith(
        "Brought SAR from amplitude to decibels: mean -18.21 dB, from -30.89 to 9.8"
    )
    back = run(world, step.state, to_decibel, raster=step.data["raster"], quantity="amplitude", inverse=True)
    path = world.artifacts.find(back.data["raster"])
    assert path is not None
    np.testing.assert_allclose(read(path), read(FOLDER / "sar.tif"), rtol=1e-5)


def test_a_matched_raster_has_the_references_median(ready: tuple[World, State]) -> None:
    world, state = ready
    step = run(world, state, histogram_match, raster=SCENE.id, reference=PAN.id)
    paths = [world.artifacts.find(each) for each in (step.data["raster"], PAN.id)]
    ours, theirs = (read(path) for path in paths if path is not None)
    valid = ours[0] > 0
    for band in ours:
        assert np.median(band[valid]) == pytest.approx(np.median(theirs[theirs > 0]), abs=3)
    assert step.observation.startswith("Matched Scene to the histogram of Pan, band by band.")


@pytest.mark.parametrize(
    ("tool", "args", "said"),
    [
        (
            raster_calc,
            {"raster": DEM.id, "expression": "A * foo"},
            "Nothing here is called 'foo'; there are A,",
        ),
        (raster_calc, {"raster": DEM.id, "expression": "2 * 3"}, "The expression '2 * 3' names no band;"),
        (raster_calc, {"raster": DEM.id, "expression": "A.sum()"}, "A function is called by its name"),
        (
            raster_calc,
            {"raster": DEM.id, "expression": "A", "others": ["nothing"]},
            "There is no raster 'nothing'.",
        ),
        (
            histogram_match,
            {"raster": DEM.id, "reference": SCENE.id},
            "The reference must have one band, or as many",
        ),
        (to_decibel, {"raster": SAR.id, "bands": "hh"}, "There is no band 'hh'; the raster has 1 vv."),
    ],
)
def test_what_cannot_be_computed_is_said(
    ready: tuple[World, State], tool: object, args: dict[str, object], said: str
) -> None:
    step = run(*ready, tool, **args)
    assert step.failed and step.observation.startswith(said)

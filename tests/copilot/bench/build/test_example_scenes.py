"""The pictures that intents and requests ask about are what the renderer makes of their seeds."""

from __future__ import annotations

import numpy as np
import pytest
import rasterio

from copilot.bench.build.example_files import FOLDER
from copilot.bench.build.example_scenes import scenes


@pytest.fixture(scope="module")
def made() -> dict[str, object]:
    return {name: scene.pixels for name, scene in scenes().items()}


@pytest.mark.parametrize("name", ["harbour.tif", "radar.tif", "town_before.tif", "town_after.tif"])
def test_a_picture_is_what_the_renderer_makes_of_its_seed(name: str, made: dict[str, object]) -> None:
    with rasterio.open(FOLDER / name) as source:
        pixels = source.read()
        # Another processor rounds the last bit another way, which may move a digital number by one.
        tolerance = 1 if pixels.dtype == np.uint8 else 1e-6
        assert np.allclose(pixels.astype(float), np.asarray(made[name], float), rtol=1e-5, atol=tolerance)
        assert source.tags()["source"] == "rendered scene, not imagery"

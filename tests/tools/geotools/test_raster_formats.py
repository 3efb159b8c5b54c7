"""Rasters as files to take along, as tools."""

from __future__ import annotations

import numpy as np
import pytest
import rasterio
from PIL import Image
from rio_cogeo.cogeo import cog_validate

from copilot.bench.build.example_files import FOLDER
from state.model import State
from tests.data.raster.test_windows import read
from tests.tools.prepared import DEM, SCENE
from tests.tools.world import run
from tools.base import World
from tools.geotools.raster_formats import raster_convert, raster_to_cog
from tools.rasters import raster_of


def test_a_cog_stays_one_with_its_provenance_inside(ready: tuple[World, State]) -> None:
    world, state = ready
    step = run(world, state, raster_to_cog, raster=SCENE.id)
    path = world.artifacts.find(step.data["raster"])
    assert path is not None and cog_validate(path, strict=True)[0]
    np.testing.assert_array_equal(read(path), read(FOLDER / "scene.tif"))
    with rasterio.open(path) as made:
        assert made.tags()["AZIMUTH_CALL"] == f"raster_to_cog(raster={SCENE.id})"
    assert step.state.map.layers[-1].artifact == step.data["raster"]
    assert [each.suffix for each in path.parent.glob(f"*{step.data['raster']}*")] == [".tif"]


def test_a_scene_becomes_a_picture_when_a_png_cannot_hold_it(ready: tuple[World, State]) -> None:
    world, state = ready
    step = run(world, state, raster_convert, raster=SCENE.id, format="png")
    assert "Its bands 3, 2, 1 were stretched to 8 bits for it." in step.observation
    path = world.artifacts.find(step.data["document"])
    assert path is not None
    with Image.open(path) as picture:
        assert (picture.format, picture.mode, picture.size) == ("PNG", "RGB", (96, 96))
    assert step.state.map == state.map
    assert not list(path.parent.glob("*.part*"))


@pytest.mark.parametrize("format", ["geotiff", "jpeg2000"])
def test_a_raster_in_another_format_is_still_a_raster_of_the_session(
    ready: tuple[World, State], format: str
) -> None:
    world, state = ready
    step = run(world, state, raster_convert, raster=SCENE.id, format=format)
    again = raster_of(step.state, world, step.data["raster"])
    np.testing.assert_array_equal(read(again.path), read(FOLDER / "scene.tif"))


@pytest.mark.parametrize(("format", "suffix"), [("netcdf", ".nc"), ("ascii", ".asc"), ("imagine", ".img")])
def test_heights_go_out_as_a_document_with_their_values(
    ready: tuple[World, State], format: str, suffix: str
) -> None:
    world, state = ready
    step = run(world, state, raster_convert, raster=DEM.id, format=format)
    path = world.artifacts.find(step.data["document"])
    assert path is not None and path.suffix == suffix and step.data["bytes"] == path.stat().st_size
    np.testing.assert_allclose(read(path)[0], read(FOLDER / "dem.tif")[0], rtol=1e-5)


def test_what_a_format_cannot_hold_is_said(ready: tuple[World, State]) -> None:
    step = run(*ready, raster_convert, raster=SCENE.id, format="ascii")
    assert step.failed and step.observation.startswith("Esri ASCII grid holds 1 bands, and this has 6;")

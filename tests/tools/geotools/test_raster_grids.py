"""Other grids and mosaics, as tools."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import rasterio

from copilot.bench.build.example_files import FOLDER
from state.model import State
from tests.data.raster.test_windows import read
from tests.tools.prepared import DEM, RASTER, SCENE
from tests.tools.world import run
from tools.base import Step, World
from tools.geotools.raster_grids import raster_mosaic, raster_reproject, raster_resample


def made(world: World, step: Step) -> Path:
    assert not step.failed, step.observation
    path = world.artifacts.find(step.data["raster"])
    assert path is not None
    return path


def test_a_scene_in_degrees_covers_the_same_place(ready: tuple[World, State]) -> None:
    step = run(*ready, raster_reproject, raster=SCENE.id, crs="EPSG:4326")
    assert step.observation.startswith(
        "Brought Scene into EPSG:4326 (WGS 84): 119 x 73 pixels of 0.000120007 x"
    )
    with rasterio.open(made(ready[0], step)) as result, rasterio.open(FOLDER / "scene.tif") as scene:
        wanted = rasterio.warp.transform_bounds(scene.crs, result.crs, *scene.bounds)
        assert result.bounds == pytest.approx(wanted, abs=2e-4)
        assert result.descriptions == scene.descriptions
    assert step.state.map.layers[-1].artifact == step.data["raster"] and step.data["crs"] == "EPSG:4326"


@pytest.mark.parametrize(
    ("raster", "crs", "code", "pixel"),
    [
        (RASTER.id, "utm", "EPSG:32631", 5000),
        (SCENE.id, "3857", "EPSG:3857", 25),
        (SCENE.id, "EPSG:4326", "EPSG:4326", 20),
    ],
)
def test_the_pixel_size_is_the_one_asked_for(
    ready: tuple[World, State], raster: str, crs: str, code: str, pixel: float
) -> None:
    step = run(*ready, raster_reproject, raster=raster, crs=crs, resolution_m=pixel)
    assert step.data["crs"] == code
    wanted = pixel / 111_319.490793 if code == "EPSG:4326" else pixel
    assert (step.data["pixel_x"], step.data["pixel_y"]) == pytest.approx((wanted, wanted))


def test_a_raster_takes_anothers_grid(ready: tuple[World, State]) -> None:
    step = run(*ready, raster_reproject, raster=SCENE.id, like=DEM.id, resampling="average")
    result = read(made(ready[0], step))
    assert result.shape == (6, 96, 96) and (result[:, 32:, :] == 0).all()
    nir = read(FOLDER / "scene.tif")[3, 3:6, 3:6]
    assert result[3, 1, 1] == pytest.approx(nir.mean(), abs=1)
    assert step.observation.startswith(
        "Brought Scene onto the grid of DEM: 96 x 96 pixels of 30 x 30 m, average."
    )


def test_coarser_pixels_are_averages_and_finer_ones_lie_between(ready: tuple[World, State]) -> None:
    coarse = read(made(ready[0], run(*ready, raster_resample, raster=DEM.id, factor=3)))
    np.testing.assert_allclose(
        coarse[0], read(FOLDER / "dem.tif")[0].reshape(32, 3, 32, 3).mean((1, 3)), rtol=1e-5
    )
    fine = run(*ready, raster_resample, raster=DEM.id, resolution_m=10)
    assert (fine.data["width_px"], fine.data["pixel_x"]) == (288, 10) and "bilinear" in fine.observation


def test_metres_become_degrees_at_the_rasters_middle(ready: tuple[World, State]) -> None:
    """At 51.5° N a degree is 69,442 m across and 111,255 m up."""
    step = run(*ready, raster_resample, raster=RASTER.id, resolution_m=10_000)
    assert step.data["pixel_y"] == pytest.approx(10_000 / 111_255, rel=1e-3)
    assert step.data["pixel_x"] == pytest.approx(10_000 / 69_442, rel=5e-3)  # the row below the middle


def test_a_mosaic_is_told_with_what_went_into_it(ready: tuple[World, State]) -> None:
    step = run(*ready, raster_mosaic, rasters=[RASTER.id, DEM.id], resampling="average")
    assert step.observation.startswith(
        "Joined Heights and DEM, 1 of them brought onto the first one's grid: 4 x 5"
    )
    assert step.data["moved"] == 1
    heights = read(ready[0].artifacts.path(RASTER.id, ".tif"))
    np.testing.assert_array_equal(read(made(ready[0], step))[:, 1:], heights)


@pytest.mark.parametrize(
    ("tool", "args", "said"),
    [
        (
            raster_reproject,
            {"raster": SCENE.id},
            "raster_reproject needs crs, such as EPSG:3857 or utm, or like",
        ),
        (
            raster_reproject,
            {"raster": SCENE.id, "crs": "moon"},
            "There is no coordinate system 'moon'; give a code",
        ),
        (
            raster_reproject,
            {"raster": SCENE.id, "like": DEM.id, "resolution_m": 5},
            "With like, the pixels are as",
        ),
        (raster_reproject, {"raster": SCENE.id, "crs": "utm", "resolution_m": 1e-3}, "The result would have"),
        (
            raster_resample,
            {"raster": SCENE.id},
            "raster_resample needs resolution_m, the new pixel size, or factor",
        ),
        (raster_resample, {"raster": SCENE.id, "factor": 1e-6}, "The result would have"),
        (raster_mosaic, {"rasters": [SCENE.id]}, "raster_mosaic takes 2 to 100 rasters, not 1."),
        (
            raster_mosaic,
            {"rasters": [SCENE.id, DEM.id]},
            "The rasters must have as many bands as one another:",
        ),
        (raster_mosaic, {"rasters": [SCENE.id, "nothing"]}, "There is no raster 'nothing'."),
    ],
)
def test_what_cannot_be_done_is_said(
    ready: tuple[World, State], tool: object, args: dict[str, object], said: str
) -> None:
    step = run(*ready, tool, **args)
    assert step.failed and step.observation.startswith(said)

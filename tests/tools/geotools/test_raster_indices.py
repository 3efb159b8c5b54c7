"""The index tool: what it says, shows and writes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import rasterio

from copilot.bench.build.example_files import FOLDER
from state.model import Artifact, State
from tests.real_files import real
from tests.tools.prepared import RASTER, SCENE
from tests.tools.world import run
from tools.base import World
from tools.geotools.raster_indices import spectral_index


def test_an_index_is_computed_shown_and_said_with_its_bands_and_paper(ready: tuple[World, State]) -> None:
    world, state = ready
    step = run(world, state, spectral_index, raster="scene", index="ndvi")
    with rasterio.open(FOLDER / "scene.tif") as scene:
        red, nir = (scene.read(number).astype(float) for number in (3, 4))
    wanted = np.where(red > 0, (nir - red) / np.where(red > 0, nir + red, 1), np.nan)
    with rasterio.open(world.artifacts.find(step.data["raster"])) as made:
        np.testing.assert_allclose(made.read(1), wanted, atol=1e-6)
        tags = made.tags()
    assert step.data["mean"] == pytest.approx(np.nanmean(wanted))
    assert (step.data["valid"], step.data["band_numbers"]) == (96 * 96 - 2, {"nir": 4, "red": 3})
    assert step.observation.startswith(
        "NDVI (vegetation; Rouse et al. 1974) of Scene, with nir = band 4 and red = band 3: mean 0."
    )
    assert (tags["INDEX"], tags["SOURCE"]) == ("NDVI", "Rouse et al. 1974")
    layer = step.state.map.layers[-1]
    assert layer.artifact == step.data["raster"] and dict(layer.options)["colormap"] == "red_yellow_green"


def test_an_index_of_bytes_is_said_to_be_none_of_reflectance(ready: tuple[World, State]) -> None:
    world, state = ready
    random = np.random.default_rng(1)
    wet = np.zeros((64, 64), bool)
    wet[:, :20] = True
    values = np.stack([np.where(wet, 100, 140), np.where(wet, 25, 110)]) + random.normal(0, 4, (2, 64, 64))
    aerial = Artifact("raster-b17e50", "raster", "Aerial", "2 bands", "test()")
    path, state = world.artifacts.path(aerial.id, ".tif"), state.with_artifact(aerial)
    profile = {"driver": "GTiff", "width": 64, "height": 64, "count": 2, "dtype": "uint8"}
    place = {"crs": "EPSG:32631", "transform": rasterio.Affine(1, 0, 500_000, 0, -1, 5_600_000)}
    with rasterio.open(path, "w", **profile, **place) as target:
        target.write(values.astype("uint8"))
    of_bands = {"raster": aerial.id, "index": "NDWI", "bands": "green=1,nir=2"}
    step = run(world, state, spectral_index, **of_bands)
    assert " and not reflectance, so published limits of the index do not hold. " in step.observation
    assert ", and 31.2 % of it lie above. The raster is" in step.observation
    scaled = run(world, state, spectral_index, **of_bands, scale=0.004)
    assert "digital numbers" not in scaled.observation


def test_the_severity_of_no_fire_is_nought(ready: tuple[World, State]) -> None:
    step = run(*ready, spectral_index, raster=SCENE.id, index="dNBR", after="scene")
    assert (step.data["min"], step.data["max"]) == (0, 0)
    assert "of Scene minus Scene" in step.observation


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (
            {"raster": RASTER.id, "index": "ndvi"},
            "NDVI needs the bands nir, red; Heights has 1 band.",
        ),
        ({"raster": SCENE.id, "index": "NDRE"}, "NDRE needs the bands nir, rededge, and which is rededge"),
        ({"raster": SCENE.id, "index": "greenness"}, "There is no index 'greenness'."),
        ({"raster": SCENE.id, "index": "ndvi", "bands": "nir=7"}, "There is no band 7: the raster has bands"),
        ({"raster": SCENE.id, "index": "dnbr"}, "dNBR needs two rasters, one before and one after the fire."),
        ({"raster": SCENE.id, "index": "ndvi", "bands": "nir"}, "spectral_index cannot take"),
    ],
)
def test_what_cannot_be_computed_is_said(ready: tuple[World, State], args: dict[str, str], said: str) -> None:
    step = run(*ready, spectral_index, **args)
    assert step.failed and step.observation.startswith(said)


def test_real_landsat_bands_are_asked_for_and_then_taken(ready: tuple[World, State], tmp_path: Path) -> None:
    """The Pucallpa scenes hold short-wave infrared, near infrared, red and green, and do not say so."""
    from data.raster.errors import RasterError
    from data.raster.indices import index_named, spectral

    path = real("landsat/2020.tif")
    with pytest.raises(RasterError, match="NDVI needs the bands nir, red, and which is nir"):
        spectral(path, tmp_path / "b.tif", index_named("ndvi"))
    moments, _ = spectral(path, tmp_path / "b.tif", index_named("ndvi"), bands={"nir": 2, "red": 3})
    with rasterio.open(path) as scene:
        nir, red = (scene.read(number, masked=True).astype(float) for number in (2, 3))
    with np.errstate(all="ignore"):
        wanted = (nir - red) / (nir + red)
    assert moments.mean == pytest.approx(float(wanted.mean()), rel=1e-6)
    assert moments.mean > 0.4  # rain forest

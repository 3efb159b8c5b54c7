"""Corrections asked for as tools: on counts with their metadata, haze, clouds, speckle, shifts and RPCs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import rasterio

from copilot.bench.build import example_products as products
from copilot.bench.build.example_files import FOLDER, scene
from state.model import Artifact, State
from tests.data.raster.made import read, write
from tests.tools.world import run
from tools.base import Step, World
from tools.geotools.corrections import (
    cloud_mask,
    dark_object_subtraction,
    radiometric_calibration,
    toa_reflectance,
)
from tools.geotools.registration import coregister, orthorectify_rpc, speckle_filter
from tools.python.files_in import add_file

FILES = {
    "raster-c07475": "cloudy.tif",
    "raster-200000": "counts.tif",
    "raster-5ce4e0": "scene.tif",
    "raster-5a75a7": "sar.tif",
    "raster-541f7e": "shifted.tif",
    "raster-4bc4bc": "raw.tif",
}
MTL = "document-311000"
NO_PLACE = "ignore::rasterio.errors.NotGeoreferencedWarning"


@pytest.fixture
def session(world: World) -> State:
    """The products of the examples, and the metadata of one of them as a document."""
    state = State()
    for artifact, file in FILES.items():
        world.artifacts.path(artifact, ".tif").write_bytes((FOLDER / file).read_bytes())
        state = state.with_artifact(Artifact(artifact, "raster", file.removesuffix(".tif"), "test", "test()"))
    world.artifacts.path(MTL, ".txt").write_bytes((FOLDER / "LC08_MTL.txt").read_bytes())
    return state.with_artifact(Artifact(MTL, "document", "LC08_MTL.txt", "test", "test()"))


def made(world: World, step: Step, band: int = 1) -> np.ndarray[Any, Any]:
    assert not step.failed, step.observation
    path = world.artifacts.find(step.data["raster"])
    assert path is not None
    return read(path, band)


def test_counts_and_their_mtl_give_back_the_reflectance_of_the_scene(world: World, session: State) -> None:
    step = run(world, session, toa_reflectance, raster="raster-200000", metadata="LC08_MTL.txt")
    expected = scene()[2].astype(float) / 10_000
    expected[0, :2] = np.nan
    np.testing.assert_allclose(made(world, step), expected, atol=2e-5)
    assert "from the metadata of bands 4 and 5" in step.observation
    assert step.data["mean"] == pytest.approx(np.nanmean(expected), abs=1e-5)


def test_radiance_is_the_gain_and_offset_of_the_mtl(world: World, session: State) -> None:
    step = run(world, session, radiometric_calibration, raster="raster-200000", metadata=MTL)
    counts = products.counts()[1].astype(float)
    expected = np.where(counts == 0, np.nan, 6.066e-3 * counts - 30.32984)
    np.testing.assert_allclose(made(world, step, 2), expected, rtol=1e-5, atol=1e-5)
    assert (step.data["unit"], step.data["quantity"]) == ("W/(m² sr µm)", "radiance")


def test_an_unclear_band_or_no_metadata_is_answered_with_what_to_give(world: World, session: State) -> None:
    three = run(world, session, toa_reflectance, raster="raster-c07475", metadata=MTL)
    assert three.failed and "name them with bands, out of 4, 5" in three.observation
    none = run(world, session, radiometric_calibration, raster="raster-c07475")
    assert none.failed and "metadata=document-…" in none.observation
    wrong = run(world, session, toa_reflectance, raster="raster-c07475", metadata="document-311001")
    assert wrong.failed and "Did you mean 'document-311000'" in wrong.observation
    radar = run(
        world,
        session,
        radiometric_calibration,
        raster="raster-200000",
        metadata=MTL,
        quantity="sigma0",
    )
    assert radar.failed and "says nothing of sigma0" in radar.observation


def test_a_gain_and_the_sun_make_reflectance_without_metadata(world: World, session: State) -> None:
    step = run(world, session, toa_reflectance, raster="raster-5ce4e0", gain=1e-4, sun_elevation_deg=30)
    assert np.nanmax(made(world, step, 4)) == pytest.approx(scene()[3].max() / 10_000 * 2, rel=1e-6)
    assert "the sun at 30°" in step.observation


def test_the_darkest_pixels_of_each_band_are_taken_off(world: World, session: State) -> None:
    step = run(world, session, dark_object_subtraction, raster="raster-5ce4e0", min_px=50)
    values = scene()[3].astype(float)
    values[0, :2] = np.nan
    haze = np.sort(values[np.isfinite(values)])[49]
    assert step.data["haze"][3] == haze
    np.testing.assert_allclose(made(world, step, 4), np.maximum(values - haze, 0))
    assert step.data["exponent"] is None and f"band 4 {haze:g}" in step.observation


def test_the_quality_band_says_where_the_cloud_is(world: World, session: State) -> None:
    step = run(world, session, cloud_mask, raster="raster-c07475")
    quality = products.quality()
    mask = made(world, step)
    np.testing.assert_array_equal(mask == 1, quality == products.CLOUD)
    np.testing.assert_array_equal(mask == 2, quality == products.SHADOW)
    assert step.data["cloud_pct"] == pytest.approx(100 * 240 / (96 * 96 - 2), abs=1e-3)
    assert "from its QA_PIXEL band" in step.observation


def test_a_scene_without_clouds_has_none_by_its_colours(world: World, session: State) -> None:
    step = run(world, session, cloud_mask, raster="raster-5ce4e0")
    assert step.data["cloud_pct"] < 1 and step.data["method"] == "spectral"
    assert "x 0.0001, which finds no shadows" in step.observation


def test_the_speckle_of_a_four_look_image_is_filtered_and_its_mean_kept(world: World, session: State) -> None:
    step = run(world, session, speckle_filter, raster="raster-5a75a7", values="amplitude", method="lee")
    assert step.data["looks"] == pytest.approx(4, rel=0.3) and step.data["looks_estimated"]
    before, after = read(FOLDER / "sar.tif") ** 2, made(world, step) ** 2
    sea = (slice(25, 38), slice(50, 90))
    assert after[sea].mean() == pytest.approx(before[sea].mean(), rel=0.03)
    assert (after[sea].mean() / after[sea].std()) > 2.5 * before[sea].mean() / before[sea].std()
    assert after[40, 22] > 30 * after[sea].mean()


def test_a_shifted_band_is_brought_back(world: World, session: State) -> None:
    step = run(world, session, coregister, raster="shifted", reference="raster-5ce4e0")
    assert (step.data["shift_rows"], step.data["shift_columns"]) == pytest.approx((-2, -3), abs=0.05)
    assert (step.data["east_m"], step.data["north_m"]) == pytest.approx((-30, 20), abs=0.5)
    assert step.data["correlation_after"] > 0.9 > step.data["correlation_before"]


@pytest.mark.filterwarnings(NO_PLACE)
@pytest.mark.parametrize("height_m", [0.0, 400.0])
def test_a_raw_image_lies_where_its_coefficients_say(world: World, session: State, height_m: float) -> None:
    step = run(world, session, orthorectify_rpc, raster="raster-4bc4bc", height_m=height_m, crs="EPSG:4326")
    path = world.artifacts.find(step.data["raster"])
    assert path is not None
    with rasterio.open(path) as ortho:
        west = ortho.bounds.left
    # Column 0 has the sample -1 = longitude + 0.3 x height, both as fractions of their scales.
    expected = 4.38 + 0.008 * (-1 - 0.3 * height_m / 500) - 0.5 * 0.008 / 23.5
    assert west == pytest.approx(expected, abs=0.008 / 20)
    assert step.data["crs"] == "EPSG:4326" and step.state.map.layers[-1].artifact == step.data["raster"]


def test_over_a_dem_the_image_lies_where_its_heights_put_it(world: World, session: State) -> None:
    flat = np.full((40, 40), 400.0, np.float32)
    there = rasterio.transform.from_bounds(4.36, 51.98, 4.40, 52.02, 40, 40)
    write(world.artifacts.path("raster-f1a700", ".tif"), flat, crs="EPSG:4326", transform=there)
    state = session.with_artifact(Artifact("raster-f1a700", "raster", "Flat", "1 band", "test()"))
    boxes = [
        run(world, state, orthorectify_rpc, raster="raster-4bc4bc", crs="EPSG:4326", **how).data["bbox"]
        for how in ({"dem": "raster-f1a700"}, {"height_m": 400.0})
    ]
    assert boxes[0] == pytest.approx(boxes[1], abs=1e-4)


def test_an_image_without_coefficients_cannot_be_orthorectified(world: World, session: State) -> None:
    step = run(world, session, orthorectify_rpc, raster="raster-5ce4e0")
    assert step.failed and "no rational polynomial coefficients" in step.observation
    assert step.state == session


@pytest.mark.filterwarnings(NO_PLACE)
def test_an_upload_that_was_placed_at_one_height_is_orthorectified_from_its_original(
    world: World, tmp_path: Path
) -> None:
    original = tmp_path / "raw.tif"
    original.write_bytes((FOLDER / "raw.tif").read_bytes())
    added = run(world, State(), add_file, file=str(original))
    there = added.data["raster"]
    step = run(world, added.state, orthorectify_rpc, raster=there, height_m=400, crs="EPSG:4326")
    expected = 4.38 + 0.008 * (-1 - 0.3 * 400 / 500) - 0.5 * 0.008 / 23.5
    assert step.data["bbox"][0] == pytest.approx(expected, abs=0.008 / 20)
    with rasterio.open(original, "r+") as changed:
        changed.write(np.zeros((1, 48, 48), np.uint8))
    again = run(world, added.state, orthorectify_rpc, raster=there, height_m=300)
    assert again.failed and "has changed since it came in" in again.observation

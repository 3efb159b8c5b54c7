"""Between pixels and features: a threshold's polygons, fields burnt in, specks, holes and distances."""

from __future__ import annotations

from typing import Any

import geopandas as gpd
import numpy as np
import pytest
import rasterio
from scipy.ndimage import distance_transform_edt

from copilot.bench.build.example_files import FOLDER
from state.model import Artifact, State
from tests.data.raster.made import read
from tests.tools.world import run
from tools.base import Step, Tool, World
from tools.geotools.measuring import area_of
from tools.geotools.raster_patches import fill_nodata, proximity, sieve
from tools.geotools.raster_vector import polygonize, rasterize
from tools.vision.extracting import water_extraction

SCENE, FIELDS = "raster-5ce4e0", "vector-f1e1d5"
NIR = 4


@pytest.fixture
def scene(world: World) -> State:
    """The six-band scene of a lake, a park, fields and a town, and the outlines of its parts."""
    world.artifacts.path(SCENE, ".tif").write_bytes((FOLDER / "scene.tif").read_bytes())
    world.artifacts.path(FIELDS, ".geojson").write_bytes((FOLDER / "fields.geojson").read_bytes())
    state = State().with_artifact(Artifact(SCENE, "raster", "Scene", "6 bands", "test()"))
    return state.with_artifact(Artifact(FIELDS, "vector", "Fields", "4 rows", "test()"))


def made(world: World, step: Step, band: int = 1) -> np.ndarray[Any, Any]:
    assert not step.failed, step.observation
    path = world.artifacts.find(step.data["raster"])
    assert path is not None
    return read(path, band)


def nir() -> np.ndarray[Any, Any]:
    return read(FOLDER / "scene.tif", NIR)


def test_the_lake_becomes_polygons_with_its_hectares(world: World, scene: State) -> None:
    step = run(world, scene, polygonize, raster=SCENE, band="nir", where="< 500")
    pixels = int((nir() < 500).sum())
    assert step.data["area_ha"] == pytest.approx(pixels * 0.01, rel=1e-3)
    path = world.artifacts.find(step.data["vector"])
    assert path is not None
    frame = gpd.read_parquet(path)
    assert frame["area_ha"].is_monotonic_decreasing and frame["area_ha"].iloc[0] == step.data["largest_ha"]
    assert f"{step.data['count']:,} polygon" in step.observation
    assert step.state.map.layers[-1].kind == "vector"


def test_the_polygons_of_a_mask_cover_what_it_marks_and_not_the_whole_image(
    world: World, scene: State
) -> None:
    water = run(world, scene, water_extraction, image=SCENE)
    mask = str(water.data["raster"])
    step = run(world, water.state, polygonize, raster=mask)
    assert step.data["area_m2"] == pytest.approx(water.data["area_m2"], rel=1e-3)
    assert "Pixels of 0 mark nothing and are left out." in step.observation
    measured = run(world, step.state, area_of, vector=str(step.data["vector"]))
    assert measured.data["area_m2"] == pytest.approx(water.data["area_m2"], rel=1e-3)
    whole = run(world, water.state, polygonize, raster=mask, background=True)
    assert whole.data["area_m2"] == pytest.approx(96 * 96 * 100, rel=2e-3)


def test_no_pixel_over_the_threshold_is_an_answer_and_no_layer(world: World, scene: State) -> None:
    step = run(world, scene, polygonize, raster=SCENE, band="nir", where="> 60000")
    assert not step.failed and step.data["count"] == 0 and step.data["area_ha"] == 0
    assert step.observation.startswith("No pixel of Scene is in a patch > 60000.")
    assert step.state.map.layers == ()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"where": "bright"}, "is no condition"),
        ({"where": "> 1", "value": 2}, "not both"),
        ({"band": 9}, "There is no band '9'"),
        ({"band": "thermal"}, "band"),
    ],
)
def test_a_wrong_condition_or_band_is_answered_in_a_sentence(
    world: World, scene: State, arguments: dict[str, Any], words: str
) -> None:
    step = run(world, scene, polygonize, raster=SCENE, **arguments)
    assert step.failed and words in step.observation and step.state == scene


def test_fields_burnt_into_the_grid_of_the_scene_lie_where_the_scene_has_them(
    world: World, scene: State
) -> None:
    step = run(world, scene, rasterize, vector=FIELDS, raster=SCENE, column="name")
    burnt = made(world, step)
    assert burnt.shape == (96, 96)
    legend = {name: float(code) for code, name in step.data["legend"].items()}
    assert set(legend) == {"bare field", "park", "lake", "town"}
    assert (nir()[burnt == legend["lake"]] < 500).mean() > 0.99
    assert (nir()[burnt == legend["park"]] > 3500).mean() > 0.99
    assert step.data["burnt_px"] == np.isfinite(burnt).sum()


def test_a_mask_in_a_grid_of_its_own_has_the_area_of_the_fields(world: World, scene: State) -> None:
    step = run(world, scene, rasterize, vector=FIELDS, resolution_m=5)
    outlines = gpd.read_file(FOLDER / "fields.geojson").to_crs("EPSG:32631")
    assert made(world, step).sum() * 25 == pytest.approx(outlines.union_all().area, rel=0.01)


@pytest.mark.parametrize("arguments", [{}, {"raster": SCENE, "resolution_m": 5}, {"resolution_m": 1e-3}])
def test_a_grid_that_is_missing_or_named_twice_or_huge_is_refused(
    world: World, scene: State, arguments: dict[str, Any]
) -> None:
    step = run(world, scene, rasterize, vector=FIELDS, **arguments)
    assert step.failed and step.state == scene


def test_distances_to_the_lake_are_exact(world: World, scene: State) -> None:
    step = run(world, scene, proximity, raster=SCENE, band="nir", where="< 500")
    exact = 10 * distance_transform_edt(~(nir() < 500))
    np.testing.assert_allclose(made(world, step), exact, rtol=1e-6)
    assert step.data["max_m"] == pytest.approx(exact.max(), abs=0.01)


def test_the_two_holes_of_the_scene_are_filled_in_all_bands(world: World, scene: State) -> None:
    step = run(world, scene, fill_nodata, raster=SCENE)
    assert (step.data["filled_px"], step.data["left_px"]) == (12, 0)
    assert np.isfinite(made(world, step, NIR)).all()
    path = world.artifacts.find(step.data["raster"])
    assert path is not None
    with rasterio.open(path) as filled:
        assert filled.descriptions == ("blue", "green", "red", "nir", "swir16", "swir22")
    again = run(world, step.state, fill_nodata, raster=step.data["raster"])
    assert "no pixel without a value" in again.observation


def chain(world: World, state: State, tool: Tool, **arguments: Any) -> Step:
    step = run(world, state, tool, **arguments)
    assert not step.failed, step.observation
    return step


def test_a_burnt_mask_can_be_sieved_and_made_polygons_again(world: World, scene: State) -> None:
    burnt = chain(world, scene, rasterize, vector=FIELDS, raster=SCENE)
    clean = chain(world, burnt.state, sieve, raster=burnt.data["raster"], min_px=50)
    assert clean.data["changed_px"] == 0
    shapes = chain(world, clean.state, polygonize, raster=clean.data["raster"], value=1)
    assert shapes.data["area_ha"] == pytest.approx(burnt.data["burnt_px"] / 100, rel=1e-3)

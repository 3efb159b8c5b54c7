"""Buildings, roads, water and plants as a user gets them: numbers, outlines, a mask, and where it says so."""

from __future__ import annotations

from pathlib import Path

import geopandas as gpd
import numpy as np
import pytest
import rasterio
from affine import Affine

from state.model import Artifact, State
from tools.base import Step, World
from tools.run import run_call
from tools.toolbox import toolbox

PAN = Artifact("raster-0b0b0b", "raster", "Town", "1 band", "test()")
COLOUR = Artifact("raster-0c0c0c", "raster", "Photo", "3 bands", "test()")
SPECTRAL = Artifact("raster-0d0d0d", "raster", "Fields", "4 bands", "test()")
UTM = Affine(1, 0, 500_000, 0, -1, 5_000_000)


def write(world: World, artifact: Artifact, bands: np.ndarray, names: tuple[str, ...]) -> None:
    count, rows, columns = bands.shape
    path: Path = world.artifacts.path(artifact.id, ".tif")
    with rasterio.open(
        path, "w", driver="GTiff", count=count, height=rows, width=columns, dtype=bands.dtype,
        crs="EPSG:32631", transform=UTM,
    ) as target:  # fmt: skip
        target.write(bands)
        target.descriptions = names


@pytest.fixture
def ready(world: World) -> tuple[World, State]:
    """A grey town of two houses and a road, a photograph, and fields beside a lake."""
    town = np.full((1, 120, 120), 70, dtype=np.uint8)
    town[0, 20:34, 15:33] = town[0, 60:75, 60:78] = 210
    town[0, 100:106] = 150
    write(world, PAN, town, ("pan",))
    colours = np.random.default_rng(3).integers(60, 200, (3, 6, 6), dtype=np.uint8)
    write(world, COLOUR, colours.repeat(8, 1).repeat(8, 2), ("red", "green", "blue"))
    lake, field = (600, 500, 300, 100), (400, 700, 400, 4500)
    ground = np.zeros((4, 64, 64), dtype=np.uint16)
    ground[:] = np.array(field)[:, None, None]
    ground[:, :16] = np.array(lake)[:, None, None]
    ground += np.random.default_rng(4).integers(0, 40, ground.shape, dtype=np.uint16)
    write(world, SPECTRAL, ground, ("blue", "green", "red", "nir"))
    state = State().with_artifact(PAN).with_artifact(COLOUR).with_artifact(SPECTRAL)
    return world, state


def call(ready: tuple[World, State], name: str, **args: object) -> Step:
    step = run_call(toolbox(), ready[1], ready[0], name, args)
    assert not step.failed, step.observation
    return step


def features(ready: tuple[World, State], step: Step) -> gpd.GeoDataFrame:
    path = ready[0].artifacts.find(str(step.data["vector"]))
    assert path is not None
    return gpd.read_parquet(path)


def test_buildings_come_with_their_number_area_outlines_and_mask(ready: tuple[World, State]) -> None:
    step = call(ready, "building_extraction", image=PAN.id)
    frame = features(ready, step)
    assert (step.data["count"], step.data["model"]) == (2, "morphological-building-index")
    assert step.data["area_m2"] == pytest.approx(14 * 18 + 15 * 18, rel=0.02)
    assert step.data["area_m2"] == pytest.approx(frame["area_m2"].sum())
    assert "2 buildings in Town by morphological-building-index, covering " in step.observation
    assert ready[0].artifacts.find(str(step.data["raster"])) is not None
    assert {each.name for each in step.state.map.layers} >= {"Buildings in Town", "Building mask of Town"}


def test_roads_come_as_lines_with_their_length_in_kilometres(ready: tuple[World, State]) -> None:
    step = call(ready, "road_extraction", image=PAN.id)
    frame = features(ready, step)
    assert step.data["model"] == "multi-scale-ridges"
    assert step.data["length_km"] == pytest.approx(frame["length_m"].sum() / 1000, abs=1e-3)
    assert (step.data["edges"], step.data["count"]) == (len(frame), len(frame))
    assert f"{step.data['edges']} section" in step.observation


def test_water_and_plants_say_their_method_threshold_and_area(ready: tuple[World, State]) -> None:
    water = call(ready, "water_extraction", image=SPECTRAL.id)
    assert (water.data["model"], water.data["pixels" if "pixels" in water.data else "count"]) == (
        "water-index",
        1,
    )
    assert water.data["share_percent"] == pytest.approx(25.0, abs=0.5)
    assert water.data["area_m2"] == pytest.approx(16 * 64, rel=0.02)
    plants = call(ready, "vegetation_extraction", image=SPECTRAL.id)
    assert plants.data["share_percent"] == pytest.approx(75.0, abs=0.1)
    assert "by NDVI above" in plants.observation


def test_a_colour_picture_is_split_into_classes_whose_shares_make_a_hundred(
    ready: tuple[World, State],
) -> None:
    step = call(ready, "semantic_segmentation", image=COLOUR.id)
    by_class = step.data["by_class"]
    assert set(by_class) == {"building", "land", "road", "vegetation", "water"}
    assert sum(each["share_percent"] for each in by_class.values()) == pytest.approx(100, abs=0.01)
    assert sum(each["area_m2"] for each in by_class.values()) == pytest.approx(48 * 48, rel=0.01)
    assert step.data["model"] == "land-cover-rgb"


def test_land_use_says_whether_rules_or_the_network_told_it(ready: tuple[World, State]) -> None:
    rules = call(ready, "land_use_classification", image=SPECTRAL.id)
    assert rules.data["model"] == "spectral-rules"
    shares = {name: each["share_percent"] for name, each in rules.data["by_class"].items()}
    assert (shares["water"], shares["dense vegetation"]) == (25.0, 75.0)
    network = call(ready, "land_use_classification", image=COLOUR.id)
    assert network.data["model"] == "land-cover-rgb"
    assert "transport" in network.data["by_class"]


def test_an_image_at_twice_its_resolution_says_that_detail_is_estimated(ready: tuple[World, State]) -> None:
    step = call(ready, "super_resolution", image=COLOUR.id)
    assert (step.data["width_px"], step.data["pixel_width"], step.data["factor"]) == (96, 0.5, 2)
    assert "estimated" in step.observation


def test_what_does_not_suit_is_refused_in_one_sentence(ready: tuple[World, State]) -> None:
    world, state = ready
    for name, args, words in (
        ("building_extraction", {"image": PAN.id, "model": "spectral-rules"}, "no network that tells"),
        ("water_extraction", {"image": PAN.id}, "Water is found in"),
        ("water_extraction", {"image": SPECTRAL.id, "method": "radar"}, "is for radar images"),
        ("semantic_segmentation", {"image": COLOUR.id, "model": "nonsense"}, "no model 'nonsense'"),
    ):
        step = run_call(toolbox(), state, world, name, args)
        assert step.failed
        assert words in step.observation
        assert step.observation.count("\n") == 0

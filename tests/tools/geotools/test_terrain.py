"""Terrain tools on a hill whose shape is known."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

import pytest
import rasterio

from copilot.bench.build.example_files import FOLDER
from state.model import Artifact, State
from tests.tools.world import run
from tools.base import World
from tools.geotools.terrain import aspect, contour_lines, hillshade, slope, viewshed
from tools.map.files import read_vector

DEM = "raster-de0de0"
TOP = (4.390437, 51.996352)
"""Longitude and latitude of the cone's top."""


@pytest.fixture
def hill(world: World) -> State:
    """A cone of 90 m and 10 % on a plane that rises by 2 % to the east: 96 x 96 pixels of 30 m."""
    world.artifacts.path(DEM, ".tif").write_bytes((FOLDER / "dem.tif").read_bytes())
    return State().with_artifact(Artifact(DEM, "raster", "Hill", "1 band", "test()"))


def tags(world: World, artifact: str) -> dict[str, str]:
    path = world.artifacts.find(artifact)
    assert path is not None
    with rasterio.open(path) as source:
        return dict(source.tags())


def test_the_hillshade_is_bytes_on_the_map_with_the_call_in_its_tags(world: World, hill: State) -> None:
    step = run(world, hill, hillshade, raster=DEM, azimuth_deg=270)
    assert step.observation.startswith("Shaded Hill with light from 270°, 45° above the horizon.")
    assert tags(world, step.data["raster"])["AZIMUTH_CALL"] == f"hillshade(raster={DEM}, azimuth_deg=270.0)"
    layer = step.state.map.layers[-1]
    assert (layer.id, layer.artifact, dict(layer.options)["colormap"]) == (
        step.data["layer"], step.data["raster"], "grey",
    )  # fmt: skip


def test_the_slope_of_the_cone_is_at_most_that_of_the_cone_and_the_plane_together(
    world: World, hill: State
) -> None:
    step = run(world, hill, slope, raster=DEM)
    assert step.data["max"] == pytest.approx(math.degrees(math.atan(0.12)), abs=0.01)
    assert step.data["valid_px"] == 94 * 94 and step.data["unit"] == "degrees"
    assert "6.841 degrees at most" in step.observation
    percent = run(world, hill, slope, raster=DEM, unit="percent")
    assert percent.data["max"] == pytest.approx(12, abs=0.01)
    assert percent.data["raster"] != step.data["raster"]


def test_a_plane_that_rises_to_the_east_faces_west(world: World, hill: State) -> None:
    facing = run(world, hill, aspect, raster=DEM).data["facing_pct"]
    assert max(facing, key=facing.get) == "W" and sum(facing.values()) == pytest.approx(100, abs=0.01)


def test_the_contours_have_their_heights_and_geodesic_lengths(world: World, hill: State) -> None:
    step = run(world, hill, contour_lines, raster="Hill", interval_m=20)
    assert step.data["levels_m"] == [20.0, 40.0, 60.0, 80.0, 100.0, 120.0]
    path = world.artifacts.find(step.data["vector"])
    assert path is not None
    frame = read_vector(path)
    assert frame["length_m"].sum() == pytest.approx(step.data["length_m"])
    assert step.state.map.layers[-1].count == len(frame) == step.data["count"]


def test_from_the_top_of_a_hill_everything_is_seen_and_from_its_foot_not_what_lies_behind(
    world: World, hill: State
) -> None:
    def look(lon: float, lat: float) -> Sequence[float]:
        step = run(world, hill, viewshed, raster=DEM, lon=lon, lat=lat, max_distance_m=600)
        assert not step.failed, step.observation
        return step.data["visible_pct"], step.data["visible_ha"], step.data["ground_m"]

    share, hectares, ground = look(*TOP)
    assert share > 95 and ground == pytest.approx(20 + 0.6 * 48 + 90, abs=0.5)
    assert hectares == pytest.approx(math.pi * 600**2 / 10_000, rel=0.06)
    assert look(4.3785, 51.9964)[0] < 70


def test_a_point_off_the_raster_and_a_wrong_handle_are_answered_with_a_way_out(
    world: World, hill: State
) -> None:
    off = run(world, hill, viewshed, raster=DEM, lon=-120, lat=-60)
    assert off.failed and off.observation == (
        "The observer stands outside the raster; give a point within its bounds."
    )
    wrong = run(world, hill, slope, raster="raster-de0de1")
    assert wrong.failed and "Did you mean 'raster-de0de0'?" in wrong.observation
    assert wrong.state == hill


def test_a_failed_call_leaves_no_file_behind(world: World, hill: State) -> None:
    folder = Path(world.artifacts.path(DEM, ".tif")).parent
    before = sorted(folder.iterdir())
    assert run(world, hill, contour_lines, raster=DEM, interval_m=0.001).failed
    assert run(world, hill, viewshed, raster=DEM, lon=0, lat=0).failed
    assert sorted(folder.iterdir()) == before

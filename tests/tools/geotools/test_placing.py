"""A picture gets its place: by a box, by a place's name, or by points of it that are known."""

from __future__ import annotations

import math

import numpy as np
import pytest
import rasterio
from affine import Affine
from pyproj import Geod

from state.model import Artifact, State
from tests.data.uploads.samples import pixels, raster
from tests.tools.world import run
from tools.base import Step, World
from tools.geotools.placing import place_raster

SCAN = Artifact("raster-5ca5ca", "raster", "Scan", "3 bands", "test()")


@pytest.fixture
def scan(world: World) -> State:
    """A picture of 10 x 8 pixels without a place."""
    raster(world.artifacts.path(SCAN.id, ".tif"), crs=None, transform=None)
    return State().with_artifact(SCAN)


def placed(world: World, state: State, **asked: object) -> Step:
    step = run(world, state, place_raster, raster=SCAN.id, **asked)
    assert not step.failed, step.observation
    return step


def read(world: World, step: Step) -> tuple[np.ndarray, Affine]:
    with rasterio.open(world.artifacts.find(step.data["raster"])) as source:
        assert source.crs.to_epsg() == 4326
        return source.read(), source.transform


def test_a_box_is_filled_with_the_pictures_own_pixels(world: World, scan: State) -> None:
    step = placed(world, scan, bbox=[4, 51, 5, 52])
    values, transform = read(world, step)
    assert (values == pixels()).all()
    assert transform == Affine(0.1, 0, 4, 0, -0.125, 52)
    assert step.data["bbox"] == [4, 51, 5, 52]
    assert step.state.map.center[0] == pytest.approx(4.5)
    assert step.state.layer(step.data["layer"]).artifact == step.data["raster"]


def test_a_box_across_the_antimeridian_is_one_box(world: World, scan: State) -> None:
    step = placed(world, scan, bbox=[179, -18, -179, -17])
    assert step.data["bbox"] == [179, -18, -179, -17]
    assert read(world, step)[1] == Affine(0.2, 0, 179, 0, -0.125, -17)


def test_a_place_takes_the_picture_in_its_own_proportions(world: World, scan: State) -> None:
    step = placed(world, scan, place="Lyon")
    west, south, east, north = step.data["bbox"]
    geod = Geod(ellps="WGS84")
    wide = geod.inv(west, (south + north) / 2, east, (south + north) / 2)[2]
    tall = geod.inv(west, south, west, north)[2]
    assert wide / tall == pytest.approx(10 / 8, rel=0.01)
    assert "only rough" in step.observation


def test_three_control_points_are_met_exactly(world: World, scan: State) -> None:
    step = placed(world, scan, control_points=[[0, 0, 4, 52], [10, 0, 5, 52], [0, 8, 4, 51]])
    values, transform = read(world, step)
    assert np.allclose(tuple(transform), tuple(Affine(0.1, 0, 4, 0, -0.125, 52)))
    assert (values == pixels()).all()
    assert step.data["residual_m"] == pytest.approx(0, abs=1e-3)


def test_the_residual_is_the_distance_that_least_squares_leave(world: World, scan: State) -> None:
    # A square whose corners are moved apart by ±0.01° of latitude in turn: no affine map follows that.
    points = [[0, 0, 4, 52.01], [8, 0, 5, 51.99], [8, 8, 5, 51.01], [0, 8, 4, 50.99]]
    step = placed(world, scan, control_points=points)
    lengths = [Geod(ellps="WGS84").inv(4, lat, 4, lat + 0.01)[2] for lat in (52, 51.99, 51, 50.99)]
    assert step.data["residual_m"] == pytest.approx(math.sqrt(np.mean(np.square(lengths))), rel=1e-3)


def test_a_turned_picture_is_brought_north_up(world: World, scan: State) -> None:
    # A quarter turn: the picture's columns run south and its rows west.
    points = [[0, 0, 5, 52], [10, 0, 5, 51], [0, 8, 4, 52]]
    values, transform = read(world, placed(world, scan, control_points=points))
    assert (transform.b, transform.d) == (0, 0) and transform.a > 0 > transform.e
    west, north = transform @ (0, 0)
    assert (west, north) == pytest.approx((4, 52), abs=0.02)
    turned = np.rot90(pixels(), -1, axes=(1, 2))
    rows, columns = values.shape[1:]
    # Nearest neighbour onto other pixels: each shows what lies at its middle.
    for row in range(1, rows - 1):
        for column in range(1, columns - 1):
            lon, lat = transform @ (column + 0.5, row + 0.5)
            own = turned[0, min(9, int((52 - lat) * 10)), min(7, int((lon - 4) * 8))]
            near = turned[0, max(0, int((52 - lat) * 10) - 1) : int((52 - lat) * 10) + 2]
            assert values[0, row, column] == own or values[0, row, column] in near


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({}, "needs one of"),
        ({"bbox": [4, 51, 5, 52], "place": "Lyon"}, "needs one of"),
        ({"bbox": [4, 51, 4, 52]}, "has no area"),
        ({"control_points": [[0, 0, 4, 52], [5, 4, 4.5, 51.5], [10, 8, 5, 51]]}, "lie on one line"),
        ({"control_points": [[0, 0, 4, 52], [10, 0, 4, 52], [0, 8, 4, 52]]}, "no area"),
        ({"control_points": [[0, 0, 4, 95], [10, 0, 4, 52], [0, 8, 4, 52]]}, "degrees last"),
        ({"control_points": [[9000, 0, 4, 52], [10, 0, 4, 52], [0, 8, 5, 52]]}, "far off the picture"),
        ({"place": "Nowhereville"}, "No place is called"),
    ],
)
def test_what_places_nothing_gets_a_sentence(
    world: World, scan: State, asked: dict[str, object], said: str
) -> None:
    step = run(world, scan, place_raster, raster=SCAN.id, **asked)
    assert step.failed and said in step.observation
    assert step.state == scan
    assert not list(world.artifacts.folder.glob(".*"))

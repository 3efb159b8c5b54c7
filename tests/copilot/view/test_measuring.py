"""What is measured by hand: geodesic, whatever the map's projection makes of it."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from copilot.view.measuring import measured
from state.model import State
from tests.tools.world import run, small_world, write_small_catalogue
from tools.base import World
from tools.map.measure import measure_distance


@pytest.fixture
def world(tmp_path: Path) -> World:
    return small_world(write_small_catalogue(tmp_path / "catalogue"), tmp_path / "artifacts")


def test_a_degree_of_the_equator_is_as_long_as_the_ellipsoid_has_it() -> None:
    found = measured([(0.0, 0.0), (1.0, 0.0)], closed=False)
    assert (found["length_m"], found["area_m2"]) == (pytest.approx(111_319.491, abs=0.001), None)


def test_the_way_is_as_long_as_the_tool_says(world: World) -> None:
    way = [(4.48, 51.92), (-79.99, 40.44), (103.85, 1.29)]
    step = run(world, State(), measure_distance, points=[list(each) for each in way])
    assert measured(way, closed=False)["length_m"] / 1000 == pytest.approx(
        step.data["distance_km"], abs=0.001
    )


def test_an_area_is_that_between_the_shortest_lines_and_the_length_goes_around_it() -> None:
    octant = measured([(0.0, 0.0), (90.0, 0.0), (0.0, 90.0)], closed=True)
    assert octant["area_m2"] == pytest.approx(510_065_621_724_088.4 / 8, rel=1e-9)  # of WGS 84
    assert octant["length_m"] == pytest.approx(90 * 111_319.4908 + 2 * 10_001_965.729, rel=1e-6)
    assert octant["line"][0] == octant["line"][-1] or octant["line"][-1] == pytest.approx([0, 0], abs=1e-6)


def test_a_line_across_180_degrees_does_not_jump() -> None:
    line = measured([(179.0, 10.0), (-179.0, 12.0)], closed=False)["line"]
    assert line[0] == [179.0, 10.0] and line[-1] == pytest.approx([181.0, 12.0])
    assert all(abs(other[0] - one[0]) < 1 for one, other in pairwise(line))


def test_too_few_points_enclose_nothing() -> None:
    assert measured([(1.0, 2.0)], closed=False) == {"length_m": 0.0, "area_m2": None, "line": [[1.0, 2.0]]}
    assert measured([(1.0, 2.0), (2.0, 2.0)], closed=True)["area_m2"] == 0.0

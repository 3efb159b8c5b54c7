"""Hot spots, Moran's I and nearest neighbours, against published values, esda apart, and closed forms."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from pyproj import Geod
from scipy import stats

from state.model import State
from tests.tools.data.made import TABLE, columns, having
from tests.tools.data.test_summaries import read
from tests.tools.world import after, run
from tools.base import World
from tools.data.patterns import EARTH_KM2, hotspots, nearest_neighbour_stats, spatial_autocorrelation
from tools.data.points import Places, hull_area_m2, nearest_distances_m
from tools.database.dates import filter_date

# The six points of esda's own documentation of G_Local, a hundred to a degree at the equator; neighbours lie
# within 15 units, which are 0.15 degrees or 16.7 km.
ESDA = columns(
    lon=[0.10, 0.20, 0.40, 0.15, 0.30, 0.30], lat=[0.10, 0.10, 0.10, 0.20, 0.20, 0.30], y=[2, 3, 3.2, 5, 8, 7]
)
PUBLISHED_Z = [-1.39727626, -0.28917762, 0.65064964, -0.28917762, 1.23452088, 2.02424331]


def test_gi_star_is_that_of_the_published_example(world: World) -> None:
    step = run(world, having(world, ESDA), hotspots, field="y", distance_km=16.7, table=TABLE)
    table = read(world, step.data["table"])
    assert table["value"].tolist()[0] == 7 and table["spot"].tolist()[0] == "hot 95%"
    found = dict(zip(table["value"], table["z"], strict=True))
    assert [found[value] for value in ESDA["y"]] == pytest.approx(PUBLISHED_Z, abs=1e-8)
    assert table["p"].tolist() == pytest.approx((2 * stats.norm.sf(np.abs(table["z"]))).tolist(), abs=1e-9)


def test_hot_spots_do_not_depend_on_where_nought_is(world: World) -> None:
    for shift in (-4.7, -5.0, 1000.0):  # the mean of the values is 4.7
        frame = ESDA.assign(y=ESDA["y"] + shift)
        step = run(world, having(world, frame), hotspots, field="y", distance_km=16.7, table=TABLE)
        assert sorted(read(world, step.data["table"])["z"]) == pytest.approx(sorted(PUBLISHED_Z), abs=1e-8)


def test_without_a_field_rows_are_counted_in_hexagons(world: World) -> None:
    spots = [(lon, lat) for lon in range(7) for lat in range(7)] + [(3, 3), (3, 4)] * 20
    crowd = columns(lon=[float(lon) for lon, _ in spots], lat=[float(lat) for _, lat in spots])
    step = run(world, having(world, crowd), hotspots, cell_km=50, neighbours=4, table=TABLE)
    table = read(world, step.data["table"])
    assert (len(table), table["rows"].sum()) == (49, 89)
    assert table["rows"].tolist() == table["value"].tolist()
    first = table.iloc[0]
    assert first["spot"] == "hot 99%" and np.hypot(first["lon"] - 3, first["lat"] - 3.5) < 1


def test_morans_i_is_its_formula_and_its_moments(world: World) -> None:
    random = np.random.default_rng(3)
    lon, lat = random.uniform(-5, 5, 30), random.uniform(-5, 5, 30)
    values = lon + random.normal(0, 1, 30)
    state = having(world, columns(lon=lon, lat=lat, v=values))
    step = run(world, state, spatial_autocorrelation, field="v", neighbours=4, table=TABLE)
    geod = Geod("+a=6371008.8 +b=6371008.8")
    w = np.zeros((30, 30))
    for i in range(30):
        away = [geod.inv(lon[i], lat[i], lon[j], lat[j])[2] for j in range(30)]
        w[i, np.argsort(away)[1:5]] = 0.25
    z = values - values.mean()
    assert step.data["morans_i"] == pytest.approx(30 / w.sum() * (z @ w @ z) / (z @ z), rel=1e-9)
    # Cliff and Ord (1981), under normality.
    s1, s2 = ((w + w.T) ** 2).sum() / 2, ((w.sum(0) + w.sum(1)) ** 2).sum()
    variance = (900 * s1 - 30 * s2 + 3 * w.sum() ** 2) / (w.sum() ** 2 * (900 - 1)) - (1 / 29) ** 2
    assert step.data["expected"] == pytest.approx(-1 / 29)
    z_normal = (step.data["morans_i"] + 1 / 29) / np.sqrt(variance)
    assert step.data["z_normal"] == pytest.approx(z_normal, rel=1e-9)
    assert step.data["p_normal"] == pytest.approx(2 * stats.norm.sf(z_normal), rel=1e-6)
    assert "neighbours are alike" in step.observation


def test_a_chessboard_has_unlike_neighbours(world: World) -> None:
    cells = [(x, y) for x in range(6) for y in range(6)]
    frame = columns(
        lon=[x / 10 for x, _ in cells], lat=[y / 10 for _, y in cells], v=[(x + y) % 2 for x, y in cells]
    )
    step = run(world, having(world, frame), spatial_autocorrelation, field="v", distance_km=11.2, table=TABLE)
    assert step.data["morans_i"] == pytest.approx(-1.0)
    assert "neighbours are unlike" in step.observation


def test_neighbours_are_found_across_the_antimeridian(world: World) -> None:
    lon = [179.8, 179.9, -179.9, -179.8, 0.0, 0.1, 0.2, 0.3]
    frame = columns(lon=lon, lat=[0.0] * 8, v=[9.0, 9, 9, 9, 1, 1, 1, 1])
    step = run(world, having(world, frame), spatial_autocorrelation, field="v", neighbours=3, table=TABLE)
    assert step.data["morans_i"] == pytest.approx(1.0)


@pytest.mark.parametrize("tool", [hotspots, spatial_autocorrelation])
@pytest.mark.parametrize(
    ("frame", "args", "said"),
    [
        (ESDA.assign(y=4.0), {"field": "y", "neighbours": 2}, "is 4 everywhere"),
        (ESDA.iloc[:1], {"field": "y"}, "too few rows with a place and a value"),
        (ESDA, {"field": "y", "neighbours": 8}, "all others as neighbours"),
        (ESDA, {"field": "y", "distance_km": 0.1}, "No two sites lie within 0.1 km"),
        (ESDA.assign(lon=None), {"field": "y"}, "nothing to look at"),
    ],
)
def test_a_pattern_that_cannot_be_is_told_why(
    world: World, tool: Any, frame: pd.DataFrame, args: dict[str, Any], said: str
) -> None:
    step = run(world, having(world, frame), tool, table=TABLE, **args)
    assert step.failed and said in step.observation, step.observation


def test_a_square_lattice_is_as_even_as_clark_and_evans_say(world: World) -> None:
    # In a square lattice a neighbour is 1 / sqrt(density) away, so R is 2 when the area is the points'.
    cells = [(x / 100, y / 100) for x in range(20) for y in range(20)]
    frame = columns(lon=[x for x, _ in cells], lat=[y for _, y in cells])
    side_x = Geod(ellps="WGS84").inv(0, 0, 0.01, 0)[2]
    side_y = Geod(ellps="WGS84").inv(0, 0, 0, 0.01)[2]
    area = 400 * side_x * side_y / 1e6
    step = run(world, having(world, frame), nearest_neighbour_stats, area_km2=area, table=TABLE)
    assert step.data["ratio"] == pytest.approx(2 * min(side_x, side_y) / np.sqrt(side_x * side_y), rel=1e-4)
    expected = 0.5 * np.sqrt(area * 1e6 / 400)
    assert step.data["expected_m"] == pytest.approx(expected)
    assert step.data["z"] == pytest.approx(
        (step.data["mean_m"] - expected) / (0.26136 / np.sqrt(400 * 400 / (area * 1e6)))
    )
    assert step.data["pattern"] == "evenly spread"


def test_distances_are_geodesic_whatever_lies_between(world: World) -> None:
    lon, lat = [179.99, -179.99, 0.0, 90.0, 10.0, 10.0], [10.0, 10.0, 89.99, 89.99, 45.0, 46.0]
    geod = Geod(ellps="WGS84")
    pairs = [(0, 1), (2, 3), (4, 5)]
    expected = [geod.inv(lon[a], lat[a], lon[b], lat[b])[2] for a, b in pairs for _ in (0, 1)]
    found = nearest_distances_m(Places(np.array(lon), np.array(lat), np.arange(6)))
    assert found.tolist() == pytest.approx(expected, rel=1e-12)


def test_every_nearest_neighbour_is_the_one_that_trying_all_finds() -> None:
    random = np.random.default_rng(11)
    lon, lat = random.uniform(-180, 180, 40), random.uniform(-88, 88, 40)
    geod = Geod(ellps="WGS84")
    every = [min(geod.inv(lon[i], lat[i], lon[j], lat[j])[2] for j in range(40) if j != i) for i in range(40)]
    assert nearest_distances_m(Places(lon, lat, np.arange(40))).tolist() == pytest.approx(every, rel=1e-12)


@pytest.mark.parametrize(
    ("lon", "lat"),
    [([0.0, 1, 1, 0, 0.5], [0.0, 0, 1, 1, 0.5]), ([179.5, -179.5, -179.5, 179.5], [60.0, 60, 61, 61]),
     ([0.0, 90, 180, -90], [85.0] * 4)],
)  # fmt: skip
def test_the_hull_has_the_geodesic_area_of_its_corners(lon: list[float], lat: list[float]) -> None:
    corners = Geod(ellps="WGS84").polygon_area_perimeter(lon[:4], lat[:4])[0]
    area = hull_area_m2(Places(np.array(lon), np.array(lat), np.arange(len(lon))))
    assert area == pytest.approx(abs(corners), rel=1e-6)


def test_points_all_around_the_globe_have_the_whole_earth(world: World) -> None:
    frame = columns(lon=[0.0, 120, -120, 60, 180], lat=[0.0, 0, 0, 60, -60])
    step = run(world, having(world, frame), nearest_neighbour_stats, table=TABLE)
    assert step.data["area_km2"] == EARTH_KM2 and "the whole Earth" in step.observation


@pytest.mark.parametrize(
    ("frame", "said"),
    [(columns(lon=[1.0], lat=[1.0]), "too few rows"), (columns(lon=[1.0, 1], lat=[1.0, 1]), "cover no area"),
     (columns(lon=[1.0, 2], lat=[0.0, 0]), "cover no area")],
)  # fmt: skip
def test_points_without_an_area_are_told_so(world: World, frame: pd.DataFrame, said: str) -> None:
    step = run(world, having(world, frame), nearest_neighbour_stats, table=TABLE)
    assert step.failed and said in step.observation, step.observation


def test_an_empty_selection_has_no_pattern(world: World, full: State) -> None:
    state = after(world, full, (filter_date, {"start": "1990-01-01", "end": "1990-12-31"}))
    assert (
        "There is nothing to compare the distances of"
        in run(world, state, nearest_neighbour_stats).observation
    )

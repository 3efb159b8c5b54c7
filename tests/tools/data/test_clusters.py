"""k-means and DBSCAN, against scikit-learn apart, by hand, and across the antimeridian."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from pyproj import Geod
from sklearn.datasets import load_iris
from sklearn.metrics import adjusted_rand_score

from state.model import State
from tests.tools.data.made import TABLE, columns, having
from tests.tools.data.test_summaries import read
from tests.tools.world import after, run
from tools.base import World
from tools.data.clusters import dbscan, kmeans
from tools.database.dates import filter_date

GROUPS = columns(
    lon=[0.0, 0.01, 0.02, 179.99, -179.99, 10.0, None], lat=[0.0, 0.0, 0.0, 10.0, 10.0, 80.0, 5.0]
)


def clusters(world: World, frame: pd.DataFrame, tool: Any, **args: Any) -> tuple[list[int], dict[str, Any]]:
    step = run(world, having(world, frame), tool, table=TABLE, **args)
    assert not step.failed, step.observation
    return read(world, step.data["table"])["cluster"].tolist(), dict(step.data)


def test_places_on_both_sides_of_the_antimeridian_are_one_cluster(world: World) -> None:
    found, data = clusters(world, GROUPS, kmeans, k=3)
    assert found == [1, 1, 1, 2, 2, 3, 0]
    second = data["clusters"][1]
    assert (second["size"], abs(second["centre"]["lon"])) == (2, 180.0)
    assert second["centre"]["lat"] == pytest.approx(10, abs=1e-4)
    assert clusters(world, GROUPS, dbscan, distance_m=3000, min_points=2)[0] == [1, 1, 1, 2, 2, 0, 0]


def test_the_irises_fall_into_the_groups_that_scikit_learn_publishes(world: World) -> None:
    data = load_iris()
    frame = pd.DataFrame(data.data, columns=["a", "b", "c", "d"])
    found, facts = clusters(world, frame, kmeans, k=3, columns="a,b,c,d", scale=False)
    # R's kmeans(iris[, 1:4], 3) gives tot.withinss 78.85144, and scikit-learn's score of it is 0.7302.
    assert facts["inertia"] == pytest.approx(78.851441426146, rel=1e-9)
    assert [each["size"] for each in facts["clusters"]] == [62, 50, 38]
    assert adjusted_rand_score(data.target, found) == pytest.approx(0.7302382722834697)
    squares = sum(
        ((frame[np.array(found) == n] - frame[np.array(found) == n].mean()) ** 2).to_numpy().sum()
        for n in (1, 2, 3)
    )
    assert squares == pytest.approx(facts["inertia"])


def test_scaling_gives_every_column_the_same_say(world: World) -> None:
    frame = columns(small=[0.0, 0.1, 1.0, 1.1], large=[0.0, 9000, 0, 9000])
    assert clusters(world, frame, kmeans, k=2, columns="small,large", scale=False)[0] == [1, 2, 1, 2]


def test_equal_clusters_are_numbered_from_west_to_east_whatever_the_order_of_rows(world: World) -> None:
    frame = columns(lon=[20.0, 20.1, -50.0, -50.1, 5.0, 5.1], lat=[1.0] * 6)
    assert clusters(world, frame, kmeans, k=3)[0] == [3, 3, 1, 1, 2, 2]
    turned = frame.iloc[::-1].reset_index(drop=True)
    assert clusters(world, turned, kmeans, k=3)[0] == [2, 2, 1, 1, 3, 3]


@pytest.mark.parametrize("lat", [0.0, 60.0, 89.0])
def test_the_distance_of_dbscan_is_metres_on_the_ground(world: World, lat: float) -> None:
    # Five points a kilometre apart, at any latitude: joined at 1,010 m and apart at 990 m.
    lon, lats = [0.0], [lat]
    for _ in range(4):
        x, y, _ = Geod("+a=6371008.8 +b=6371008.8").fwd(lon[-1], lats[-1], 90, 1000)
        lon.append(x)
        lats.append(y)
    frame = columns(lon=lon, lat=lats)
    assert clusters(world, frame, dbscan, distance_m=1010, min_points=2)[0] == [1] * 5
    assert clusters(world, frame, dbscan, distance_m=990, min_points=2)[0] == [0] * 5


def test_a_core_needs_its_points_and_takes_the_border_along(world: World) -> None:
    # On a line: 0, 1, 2 and 3 km, and one at 10 km. With three points in 1.1 km the middle two are cores.
    lon = [metres / 111_195.08 for metres in (0, 1000, 2000, 3000, 10_000)]
    found, data = clusters(world, columns(lon=lon, lat=[0.0] * 5), dbscan, distance_m=1100, min_points=3)
    assert (found, data["noise"], data["found"]) == ([1, 1, 1, 1, 0], 1, 1)


@pytest.mark.parametrize(
    ("frame", "args", "said"),
    [
        (columns(lon=[1.0, 1.0], lat=[2.0, 2.0]), {"k": 2}, "only 1 different rows"),
        (columns(a=[1.0, 2.0]), {"k": 2}, "The table has no places"),
        (columns(a=[1.0, 2.0], lon=[0.0, 1], lat=[0.0, 1]), {"k": 2, "columns": "b"}, "no column 'b'"),
        (columns(lon=[None, 900.0], lat=[0.0, 0.0]), {"k": 2}, "nothing to cluster"),
    ],
)
def test_what_cannot_be_clustered_is_told_why(
    world: World, frame: pd.DataFrame, args: dict[str, Any], said: str
) -> None:
    step = run(world, having(world, frame), kmeans, table=TABLE, **args)
    assert step.failed and said in step.observation, step.observation


@pytest.mark.parametrize(("tool", "args"), [(kmeans, {"k": 2}), (dbscan, {})])
def test_an_empty_selection_has_no_clusters(
    world: World, full: State, tool: Any, args: dict[str, Any]
) -> None:
    state = after(world, full, (filter_date, {"start": "1990-01-01", "end": "1990-12-31"}))
    assert "There is nothing to cluster" in run(world, state, tool, **args).observation

"""Features one by one: measures, parts, corners, groups, and several layers as one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import geopandas as gpd
import pandas as pd
import pytest
import shapely
from shapely.geometry import LineString, MultiPoint, MultiPolygon, Point, Polygon, box

from data.vector.measuring import area_m2
from state.model import Artifact, State
from tests.tools.world import small_world
from tools.base import Step, World
from tools.run import run_call
from tools.toolbox import toolbox

WEST, EAST, FAR = box(10, 50, 10.01, 50.01), box(10.01, 50, 10.02, 50.01), box(11, 50, 11.01, 50.01)


@pytest.fixture(scope="module")
def ready(small_catalogue: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[World, State]:
    """Fields (the last of two parts, one without a shape), stations of one point each, and a table."""
    world = small_world(small_catalogue, tmp_path_factory.mktemp("artifacts"))
    fields = gpd.GeoDataFrame(
        {"id": [1, 2, 3, 4], "crop": ["rye", "rye", "oats", None]},
        geometry=[WEST, EAST, MultiPolygon([FAR, box(12, 50, 12.01, 50.01)]), None],
        crs="EPSG:4326",
    )
    stations = gpd.GeoDataFrame(
        {"id": ["a", "b", "b", "b"], "n": [1, 2, 2, 3]},
        geometry=[Point(10.005, 50.005), Point(10.006, 50.005), Point(10.006, 50.005), Point(13, 50)],
        crs="EPSG:4326",
    ).to_crs("EPSG:32632")
    state = State()
    for number, (name, frame) in enumerate(
        (("fields", fields), ("stations", stations), ("prices", pd.DataFrame({"id": [1.5], "eur": [2]})))
    ):
        kind = "vector" if isinstance(frame, gpd.GeoDataFrame) else "table"
        artifact = Artifact(f"{kind}-{number}b2c3d", kind, name, f"{len(frame)} rows", "test()")
        frame.to_parquet(world.artifacts.path(artifact.id, ".parquet"), index=False)
        state = state.with_artifact(artifact)
    return world, state


def made(ready: tuple[World, State], tool: str, **args: Any) -> tuple[Step, gpd.GeoDataFrame]:
    """The step, and the features that it made."""
    world, state = ready
    step = run_call(toolbox(), state, world, tool, args)
    assert not step.failed, step.observation
    return step, gpd.read_parquet(world.artifacts.find(step.data["vector"]))


def refused(ready: tuple[World, State], tool: str, **args: Any) -> str:
    """Why a call is refused."""
    step = run_call(toolbox(), ready[1], ready[0], tool, args)
    assert step.failed, step.observation
    return step.observation


def test_each_feature_is_measured_on_the_ellipsoid_or_on_a_plane(ready: tuple[World, State]) -> None:
    _, found = made(
        ready, "geometry_columns", vector="fields",
        measures=["area", "perimeter", "bounds", "type", "parts", "corners", "valid", "orientation"],
    )  # fmt: skip
    assert found["area_m2"].tolist()[:2] == [pytest.approx(area_m2(WEST)), pytest.approx(area_m2(EAST))]
    assert found.iloc[0][["minx", "miny", "maxx", "maxy"]].tolist() == [10, 50, 10.01, 50.01]
    assert found["parts"].tolist()[:3] == [1, 1, 2] and found["corners"].tolist()[:3] == [5, 5, 10]
    assert found["type"].tolist()[:3] == ["Polygon", "Polygon", "MultiPolygon"]
    assert found["orientation"].tolist()[:3] == ["ccw"] * 3 and found["valid"].tolist()[:3] == [True] * 3
    assert found.iloc[3].drop(["id", "geometry"]).isna().all()
    step, plane = made(
        ready, "geometry_columns", vector="fields", measures=["area", "middle"], crs="EPSG:32632"
    )
    flat = gpd.GeoSeries([WEST], crs=4326).to_crs("EPSG:32632")
    assert plane["area_m2"].iloc[0] == pytest.approx(flat.area.iloc[0])
    assert plane["x"].iloc[0] == pytest.approx(flat.centroid.x.iloc[0])
    assert list(plane.columns) == ["id", "crop", "geometry", "area_m2", "x", "y"]
    assert "is in degrees, and this needs a plane" in refused(
        ready, "geometry_columns", vector="fields", measures=["area"], crs="EPSG:4326"
    )
    assert step.observation.startswith("Added area_m2, x and y to 4 features of fields.")


def test_parts_are_taken_apart_and_collected(ready: tuple[World, State]) -> None:
    step, single = made(ready, "change_parts", vector="fields", to="single")
    assert single["id"].tolist() == [1, 2, 3, 3, 4]
    assert single.geometry.geom_type.tolist()[:4] == ["Polygon"] * 4
    assert step.observation.startswith("4 features of fields became 5 single ones.")
    _, multi = made(ready, "change_parts", vector="fields", to="multi")
    assert multi.geometry.geom_type.tolist()[:3] == ["MultiPolygon"] * 3
    _, by = made(ready, "change_parts", vector="stations", to="multi", by="id")
    assert by["id"].tolist() == ["a", "b"] and by.crs == "EPSG:32632"
    assert by["n"].tolist() == [1, pytest.approx(float("nan"), nan_ok=True)]
    assert [len(each.geoms) for each in by.geometry] == [1, 3]
    assert "take to=multi" in refused(ready, "change_parts", vector="fields", to="single", by="id")


def test_corners_snap_to_a_grid_or_to_others(ready: tuple[World, State]) -> None:
    world, state = ready
    gap = gpd.GeoDataFrame(
        {"n": [1, 2]}, geometry=[box(0, 0, 10, 10), box(10.02, 0, 20, 10)], crs="EPSG:32632"
    )
    line = gpd.GeoDataFrame({"n": [1]}, geometry=[LineString([(20.3, -5), (20.3, 15)])], crs="EPSG:32632")
    for number, (name, frame) in enumerate((("parcels", gap), ("road", line))):
        artifact = Artifact(f"vector-{number}e4f5a", "vector", name, "2 features", "test()")
        frame.to_parquet(world.artifacts.path(artifact.id, ".parquet"), index=False)
        state = state.with_artifact(artifact)
    step, grid = made((world, state), "snap_geometries", vector="parcels", tolerance_m=0.1)
    assert grid.geometry.iloc[0].touches(grid.geometry.iloc[1]) and grid.crs == "EPSG:32632"
    assert step.observation.startswith("Snapped 2 features of parcels to a grid within 0.1 m: 2 changed.")
    _, onto = made((world, state), "snap_geometries", vector="parcels", tolerance_m=0.5, to="road")
    assert onto.geometry.iloc[0].equals(gap.geometry.iloc[0]) and onto.geometry.iloc[1].bounds[2] == 20.3
    gone, left = made((world, state), "snap_geometries", vector="parcels", tolerance_m=50)
    assert "2 vanished" in gone.observation and left.empty


def test_what_touches_is_one_group(ready: tuple[World, State]) -> None:
    step, found = made(ready, "group_touching", vector="fields")
    assert found["group"].tolist() == [1, 1, 2, 3] and found["group_size"].tolist() == [2, 2, 1, 1]
    assert step.observation.startswith(
        "4 features of fields make 3 groups; the largest has 2, and 2 stand alone."
    )
    _, near = made(ready, "group_touching", vector="stations", within_m=100)
    assert near["group"].tolist() == [1, 1, 1, 2]


def test_layers_are_appended_below_each_other_in_the_system_of_the_first(ready: tuple[World, State]) -> None:
    step, found = made(ready, "append_layers", layers=["fields", "stations", "prices"], name="all of it")
    assert found["layer"].tolist() == ["fields"] * 4 + ["stations"] * 4 + ["prices"]
    assert found["id"].tolist() == ["1", "2", "3", "4", "a", "b", "b", "b", "1.5"]
    assert found.crs == "EPSG:4326" and found.geometry.iloc[4].distance(Point(10.005, 50.005)) < 1e-7
    assert found.geometry.isna().tolist() == [False] * 3 + [True] + [False] * 4 + [True]
    assert step.observation.startswith(
        "Columns of different types in the layers became text: id. id is int64 (such as 1) in fields and "
        "text (such as 'a') in stations. To keep one type, make them alike first: Not all of id are numbers "
        '(\'a\' is none), so only texts fit all: edit_columns table=fields types={"id": "text"}. '
        "Appended 9 rows: "
    )


def test_rows_that_come_again_go(ready: tuple[World, State]) -> None:
    step, found = made(ready, "remove_duplicates", table="stations")
    assert found["n"].tolist() == [1, 2, 3]
    assert step.observation.startswith("1 row of 4 came again by all columns and shapes and went; 3 stay.")
    assert made(ready, "remove_duplicates", table="stations", columns=["id"])[1]["n"].tolist() == [1, 2]
    _, both = made(ready, "remove_duplicates", table="stations", columns=["id"], shapes=True)
    assert both["n"].tolist() == [1, 2, 3]


def test_a_condition_has_several_comparisons(ready: tuple[World, State]) -> None:
    step, found = made(ready, "filter_rows", table="stations", where="n >= 3 or (id == 'a' and n < 2)")
    assert found["n"].tolist() == [1, 3]
    assert step.observation.startswith("2 of 4 features of stations have n >= 3 or (id == 'a' and n < 2).")
    assert "is no condition" in refused(ready, "filter_rows", table="stations", where="n + 1")
    assert "stands alone" in refused(
        ready, "filter_rows", table="stations", where="n > 1", field="n", value=1
    )
    assert "Give field, op and value" in refused(ready, "filter_rows", table="stations", field="n")


def test_several_nearest_points_come_in_rows_with_their_rank(ready: tuple[World, State]) -> None:
    step, found = made(ready, "nearest", vector="stations", other="stations", neighbours=3)
    assert found["rank"].tolist() == [1, 2, 3] * 4
    assert found["distance_m"].iloc[:3].tolist() == pytest.approx([0.0, 71.69, 71.69], abs=0.01)
    assert step.observation.startswith("12 pairs of stations with the 3 nearest of stations.")
    assert "between points only" in refused(ready, "nearest", vector="fields", other="stations", neighbours=2)


def test_shapes_of_all_kinds_and_none_pass_through(ready: tuple[World, State]) -> None:
    world, state = ready
    odd = gpd.GeoDataFrame(
        {"n": range(5)},
        geometry=[
            None, Polygon(), MultiPoint([(1, 1), (2, 2)]), LineString([(0, 0), (1, 1)]),
            shapely.from_wkt("GEOMETRYCOLLECTION (POINT (1 1), LINESTRING (0 0, 1 1))"),
        ],
        crs="EPSG:4326",
    )  # fmt: skip
    artifact = Artifact("vector-9e4f5a", "vector", "odd", "5 features", "test()")
    odd.to_parquet(world.artifacts.path(artifact.id, ".parquet"), index=False)
    mine = world, state.with_artifact(artifact)
    assert len(made(mine, "geometry_columns", vector="odd", measures=["length", "middle", "type"])[1]) == 5
    assert len(made(mine, "change_parts", vector="odd", to="single")[1]) == 7
    assert len(made(mine, "change_parts", vector="odd", to="multi")[1]) == 5
    assert len(made(mine, "group_touching", vector="odd")[1]) == 5
    assert len(made(mine, "remove_duplicates", table="odd")[1]) == 5

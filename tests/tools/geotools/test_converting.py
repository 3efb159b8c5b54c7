"""Features made of the shapes of others: outlines, corners, cells, hulls, paths, areas between lines."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import geopandas as gpd
import pytest
import shapely
from shapely.geometry import LineString, Point, Polygon, box

from state.model import Artifact, State
from tests.tools.geotools.test_by_row import made, refused
from tests.tools.world import small_world
from tools.base import World

X, Y = 500_000, 5_600_000


def at(*corners: tuple[float, float]) -> list[tuple[float, float]]:
    """Corners counted from one place of UTM zone 32."""
    return [(X + x, Y + y) for x, y in corners]


@pytest.fixture(scope="module")
def ready(small_catalogue: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[World, State]:
    """Two houses and one without a shape, four stations (two at one place), and three roads that meet."""
    world = small_world(small_catalogue, tmp_path_factory.mktemp("artifacts"))
    hole = [at((2, 2), (2, 4), (4, 4), (4, 2))]
    whole, turned = at((0, 0), (30, 0), (30, 10), (0, 10)), at((0, 0), (10, 10), (8, 12), (-2, 2))
    houses = {"id": [1, 2, 3], "geometry": [Polygon(whole, hole), Polygon(turned), None]}
    stops = {
        "name": ["a", "b", "c", "d"],
        "line": ["x", "x", "x", "y"],
        "day": ["3/2/2024", "20/1/2024", "1/2/2024", "1/2/2024"],
        "geometry": [Point(*each) for each in at((0, 0), (100, 0), (0, 100), (100, 0))],
    }
    ends = [((0, 0), (10, 0)), ((10, 0), (10, 10)), ((10, 10), (0, 0)), ((10, 10), (20, 10))]
    roads = {"name": list("abcd"), "geometry": [LineString(at(*each)) for each in ends]}
    state = State()
    for number, (name, rows) in enumerate((("houses", houses), ("stops", stops), ("roads", roads))):
        artifact = Artifact(
            f"vector-{number}d2c3d", "vector", name, f"{len(rows['geometry'])} rows", "test()"
        )
        frame = gpd.GeoDataFrame(rows, geometry="geometry", crs="EPSG:32632")
        frame.to_parquet(world.artifacts.path(artifact.id, ".parquet"), index=False)
        state = state.with_artifact(artifact)
    return world, state


def converted(ready: tuple[World, State], vector: str, to: str, **args: Any) -> gpd.GeoDataFrame:
    return made(ready, "convert_geometry", vector=vector, to=to, **args)[1]


def local(shape: shapely.Geometry) -> list[tuple[float, ...]]:
    """Its corners from the place that they are counted from."""
    return [(round(x - X, 3), round(y - Y, 3)) for x, y in shapely.get_coordinates(shape).tolist()]


def test_each_shape_becomes_another_and_keeps_its_fields_and_its_system(ready: tuple[World, State]) -> None:
    step, lines = made(ready, "convert_geometry", vector="houses", to="boundary")
    assert lines.crs == "EPSG:32632" and lines["id"].tolist() == [1, 2]
    assert [round(each.length, 3) for each in lines.geometry] == [88.0, round(2 * 200**0.5 + 2 * 8**0.5, 3)]
    assert step.observation.startswith(
        "Rows without a place are left out: 1 of the 3 of houses. 2 features of houses became 2 features "
        "(boundary)."
    )
    turned = converted(ready, "houses", "minimum_rectangle")
    sizes = turned[["length_m", "width_m", "angle_deg"]].round(3).to_numpy().tolist()
    assert sizes == [[30.0, 10.0, 90.0], [14.142, 2.828, 45.0]]
    boxes = converted(ready, "houses", "bounding_box")
    assert [each.bounds for each in boxes.geometry] == [(X, Y, X + 30, Y + 10), (X - 2, Y, X + 10, Y + 12)]
    circles = converted(ready, "houses", "enclosing_circle")
    assert shapely.minimum_bounding_radius(circles.geometry.iloc[0]) == pytest.approx(1000**0.5 / 2, rel=1e-3)
    swapped = converted(ready, "stops", "swap_xy")
    assert (swapped.geometry.iloc[1].x, swapped.geometry.iloc[1].y) == (Y, X + 100)
    rings = converted(ready, "houses", "oriented").geometry.iloc[0]
    assert rings.exterior.is_ccw and not rings.interiors[0].is_ccw


def test_corners_and_points_along_keep_the_fields_of_what_they_are_of(ready: tuple[World, State]) -> None:
    corners = converted(ready, "houses", "vertices")
    assert corners["id"].tolist() == [1] * 8 + [2] * 4 and corners["vertex"].tolist()[:9] == [*range(1, 9), 1]
    assert local(corners.geometry.iloc[9]) == [(10, 10)]
    points = converted(ready, "roads", "points_along", distance_m=5)
    assert points["name"].value_counts().to_dict() == {"a": 3, "b": 3, "c": 3, "d": 3}
    assert points["distance_m"].tolist()[:3] == [0, 5, 10] and local(points.geometry.iloc[4]) == [(10, 5)]
    assert local(converted(ready, "roads", "densify", distance_m=5).geometry.iloc[0]) == [
        (0, 0),
        (5, 0),
        (10, 0),
    ]


def test_points_become_cells_triangles_hulls_and_paths(ready: tuple[World, State]) -> None:
    step, cells = made(ready, "convert_geometry", vector="stops", to="voronoi")
    assert "1 of the points lie where another does and have the same cell." in step.observation
    assert cells["name"].tolist() == ["a", "b", "c", "d"]
    assert [round(each.area, 3) for each in cells.geometry] == [3600.0, 5400.0, 5400.0, 5400.0]
    assert cells.geometry.iloc[1].equals(cells.geometry.iloc[3])
    assert [each.area for each in converted(ready, "stops", "delaunay").geometry] == [5000.0]
    paths = converted(ready, "stops", "path", by="line", order_by="day")
    assert paths["line"].tolist() == ["x"] and paths["features"].tolist() == [3]
    assert local(paths.geometry.iloc[0]) == [(100, 0), (0, 100), (0, 0)]
    assert converted(ready, "stops", "concave_hull", ratio=1).geometry.iloc[0].area == 5000


def test_lines_are_joined_and_enclose_areas(ready: tuple[World, State]) -> None:
    step, areas = made(ready, "convert_geometry", vector="roads", to="polygons")
    assert [each.area for each in areas.geometry] == [50.0]
    assert "10 m of line enclose nothing." in step.observation
    joined = converted(ready, "roads", "merged_lines")
    assert sorted(round(each.length, 3) for each in joined.geometry) == [10.0, 34.142]


def test_what_does_not_fit_a_conversion_is_refused_with_what_would(ready: tuple[World, State]) -> None:
    for args, said in (
        ({"to": "vertices", "by": "id"}, "by is for path, merged_lines and concave_hull; leave it out for"),
        ({"to": "points_along"}, "points_along needs the step along the lines, such as distance_m=100."),
        (
            {"to": "voronoi"},
            "is made of points, and houses has others; take its centroid or vertices.",
        ),
        ({"to": "densify", "distance_m": 1e-6}, "and at most 2,000,000 are made; take a wider step."),
    ):
        assert said in refused(ready, "convert_geometry", vector="houses", **args)


def test_features_in_degrees_are_measured_in_their_zone(ready: tuple[World, State]) -> None:
    world, state = ready
    line = gpd.GeoDataFrame({"n": [1]}, geometry=[LineString(at((0, 0), (1000, 0)))], crs="EPSG:32632")
    shape = box(8.9, 50.5, 9.0, 50.6)
    there = gpd.GeoDataFrame({"n": [1, 2]}, geometry=[*line.to_crs("EPSG:4326").geometry, shape.boundary])
    there.set_crs("EPSG:4326").to_parquet(world.artifacts.path("vector-9d2c3d", ".parquet"))
    state = state.with_artifact(Artifact("vector-9d2c3d", "vector", "degrees", "2 rows", "test()"))
    points = converted((world, state), "degrees", "points_along", distance_m=500)
    assert points.crs == "EPSG:4326" and points["distance_m"].tolist()[:3] == [0, 500, 1000]


def test_holes_are_filled_all_or_those_that_are_small(ready: tuple[World, State]) -> None:
    step, filled = made(ready, "convert_geometry", vector="houses", to="without_holes")
    assert [round(each.area, 3) for each in filled.geometry] == [300.0, 40.0]
    assert "(without holes). 1 hole filled." in step.observation
    step, kept = made(ready, "convert_geometry", vector="houses", to="without_holes", smaller_than_m2=3.9)
    assert [round(each.area, 3) for each in kept.geometry] == [296.0, 40.0]
    assert "0 holes filled, 1 stay." in step.observation


def test_lines_are_split_at_points_near_them_and_at_other_lines_in_order(ready: tuple[World, State]) -> None:
    world, state = ready
    line = {
        "name": ["river", "far"],
        "geometry": [LineString(at((0, 0), (100, 0))), LineString(at((0, 9), (9, 9)))],
    }
    spots = [Point(*each) for each in at((60, 0.5), (20, 0), (20, 0), (0, 0), (50, 3))]
    crossing = [LineString(at((30, -5), (30, 5))), LineString(at((90, 0), (200, 0)))]
    for number, (name, shapes) in enumerate((("line", line), ("spots", spots), ("bars", crossing)), 7):
        rows = shapes if isinstance(shapes, dict) else {"geometry": shapes}
        frame = gpd.GeoDataFrame(rows, geometry="geometry", crs="EPSG:32632")
        frame.to_parquet(world.artifacts.path(f"vector-{number}d2c3d", ".parquet"), index=False)
        state = state.with_artifact(Artifact(f"vector-{number}d2c3d", "vector", name, "rows", "test()"))
    step, pieces = made((world, state), "split_geometry", vector="line", other="spots")
    assert [local(each) for each in pieces.geometry] == [
        [(0, 0), (20, 0)], [(20, 0), (60, 0)], [(60, 0), (100, 0)], [(0, 9), (9, 9)],
    ]  # fmt: skip
    assert pieces["name"].tolist() == ["river"] * 3 + ["far"] and pieces.crs == "EPSG:32632"
    assert step.observation.startswith("1 of the 2 features of line were split at spots: 4 pieces.")
    _, wide = made((world, state), "split_geometry", vector="line", other="spots", within_m=3.5)
    assert len(wide) == 5
    _, crossed = made((world, state), "split_geometry", vector="line", other="bars")
    assert [local(each) for each in crossed.geometry][:3] == [
        [(0, 0), (30, 0)], [(30, 0), (90, 0)], [(90, 0), (100, 0)],
    ]  # fmt: skip


def test_polygons_are_split_at_lines_and_not_at_points(ready: tuple[World, State]) -> None:
    _, parts = made(ready, "split_geometry", vector="houses", other="roads")
    areas = [(each, round(shape.area, 3)) for each, shape in zip(parts["id"], parts.geometry, strict=True)]
    assert sorted(areas) == [(1, 48.0), (1, 48.0), (1, 200.0), (2, 40.0)]
    said = refused(ready, "split_geometry", vector="houses", other="stops")
    assert said == "Polygons are split at lines or outlines, and the others are points."

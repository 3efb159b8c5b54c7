"""Buffers, middles, hulls, simpler outlines and grids, wherever on the globe."""

from __future__ import annotations

import math

import geopandas as gpd
import numpy as np
import pytest
import shapely

from data.vector.buffering import buffered, circle
from data.vector.cleaning import Placing, on_the_map, tidied
from data.vector.errors import VectorError
from data.vector.globe import short_way
from data.vector.gridding import clipped, grid, h3_grid
from data.vector.measuring import area_m2, length_m
from data.vector.shaping import centroid, convex_hull, corner_count, simplified, simplified_together
from tests.data.vector.shapes import CAP, FIJI, GEOD, box_area_m2, corners, distances_m, frame, sphere_cap_m2
from tests.real_files import real

SPOTS = [(0, 0), (10, 70), (179.9, -17), (-180, 10), (0, 90), (30, 89.95), (0, -90), (5, 85)]


@pytest.mark.parametrize("spot", SPOTS)
@pytest.mark.parametrize("radius_m", [5e3, 2e5, 2e6, 9e6])
def test_a_points_buffer_is_the_geodesic_circle_and_a_cap_of_the_sphere(
    spot: tuple[float, float], radius_m: float
) -> None:
    found = buffered(shapely.Point(spot), radius_m)
    assert found.is_valid
    assert area_m2(found) == pytest.approx(sphere_cap_m2(radius_m), rel=0.0011)
    rim = corners(found)
    _, _, metres = GEOD.inv(*np.broadcast_to(spot, (len(rim), 2)).T, rim[:, 0], rim[:, 1])
    assert metres == pytest.approx(np.full(len(rim), radius_m), abs=0.001)


@pytest.mark.parametrize(
    ("shape", "distance_m"),
    [
        (shapely.LineString([(24.0, 70.0), (27.5, 70.8), (29.0, 70.2)]), 5e3),
        (shapely.LineString([(179.0, 65.0), (-178.0, 66.0)]), 20e3),
        (shapely.box(10, 85, 40, 86), 30e3),
        (shapely.box(2, 47, 6, 50), 100e3),
        (shapely.LineString([(-60, 40), (-20, 50)]), 600e3),
    ],
    ids=["at 70 north", "across the antimeridian", "at 85 north", "wide", "beyond 500 km"],
)
def test_the_rim_of_a_buffer_is_at_its_distance_everywhere(
    shape: shapely.Geometry, distance_m: float
) -> None:
    found = buffered(shape, distance_m)
    rim = corners(found)[::41]
    if shape.bounds[0] == -178:
        # Cut where the shortest way crosses, and straight on the map in either part.
        lon, lat = shapely.get_coordinates(short_way(shape)).T
        shape = shapely.LineString(np.column_stack([np.unwrap(lon, period=360), lat]))
    assert found.is_valid
    assert distances_m(rim, shape) == pytest.approx(np.full(len(rim), distance_m), rel=1e-3)


@pytest.mark.parametrize("distance_m", [5e3, -5e3, -40e3, 100e3, 600e3])
def test_a_buffer_across_the_antimeridian_is_as_large_as_anywhere_else(distance_m: float) -> None:
    here, there = buffered(FIJI, distance_m), buffered(shapely.box(10, -18, 12, -17), distance_m)
    assert area_m2(here) == pytest.approx(area_m2(there), rel=1e-6)
    assert here.geom_type == "MultiPolygon" and here.is_valid
    assert (here.bounds[0], here.bounds[2]) == (-180, 180)


@pytest.mark.parametrize("distance_m", [100e3, -100e3])
def test_a_polar_cap_grows_and_shrinks_at_its_rim_only(distance_m: float) -> None:
    radius_m = GEOD.inv(0, -90, 0, -70)[2]
    found = buffered(CAP, distance_m)
    assert area_m2(found) == pytest.approx(area_m2(circle((0, -90), radius_m + distance_m)), rel=1e-5)


def test_a_small_buffer_is_that_of_a_projected_plane() -> None:
    polygon = shapely.Polygon([(2.9, 51.9), (3.1, 51.9), (3.05, 52.0), (2.95, 52.1)])
    plane = gpd.GeoSeries([polygon], crs="EPSG:4326").segmentize(0.01).to_crs("EPSG:32631")
    scale = 0.9996  # of the plane's lengths at its middle meridian
    theirs = plane.buffer(2000 * scale, quad_segs=64).to_crs("EPSG:4326")[0]
    assert area_m2(buffered(polygon, 2000)) == pytest.approx(area_m2(theirs), rel=1e-5)


def test_shrinking_leaves_nothing_of_what_is_too_narrow_and_of_lines() -> None:
    assert buffered(shapely.box(4, 50, 4.01, 51), -1000).is_empty
    assert buffered(shapely.LineString([(4, 50), (5, 51)]), -10).is_empty


def test_a_buffer_of_nothing_or_of_half_the_globe_is_refused() -> None:
    for distance_m in (0.0, 1e7, math.nan):
        with pytest.raises(VectorError, match="give a distance that is not 0, up to 9,900 km"):
            buffered(shapely.Point(0, 0), distance_m)


@pytest.mark.parametrize("spot", [(0, 0), (170, 60), (179.99, 10), (-180, -40)])
def test_the_middle_of_a_circle_is_its_centre(spot: tuple[float, float]) -> None:
    middle = centroid(circle(spot, 200_000))
    assert GEOD.inv(middle.x, middle.y, *spot)[2] < 500


def test_the_middle_of_a_polar_cap_is_the_pole() -> None:
    assert centroid(CAP).y == pytest.approx(-90, abs=1e-6)
    assert centroid(circle((40, 90), 1e6)).y == pytest.approx(90, abs=1e-6)


def test_the_middle_of_the_united_states_is_where_the_geodetic_survey_has_it() -> None:
    countries = gpd.read_file(real("vectors/countries.geojson")).set_index("name").geometry
    middle = centroid(countries["United States of America"])
    # 44°58′ N, 103°46′ W, north of Belle Fourche; the outline is at 1:110 million.
    assert GEOD.inv(middle.x, middle.y, -103.7667, 44.9667)[2] < 10_000


def test_the_middle_of_a_line_and_of_points_is_half_way() -> None:
    line = centroid(shapely.LineString([(179, 10), (-179, 10)]))
    assert (abs(line.x), line.y) == (pytest.approx(180), pytest.approx(10, abs=0.01))
    points = centroid(shapely.MultiPoint([(178, 0), (-178, 0)]))
    assert (abs(points.x), points.y) == (pytest.approx(180), pytest.approx(0, abs=1e-9))


def test_a_small_hull_is_that_of_a_projected_plane() -> None:
    spots = np.random.default_rng(3).uniform((2.5, 51.5), (3.5, 52.5), (60, 2))
    hull = convex_hull(shapely.MultiPoint(spots))
    plane = gpd.GeoSeries([shapely.MultiPoint(spots)], crs="EPSG:4326").to_crs("EPSG:32631").convex_hull
    assert area_m2(hull) == pytest.approx(plane.area[0] / 0.9996**2, rel=2e-3)
    assert shapely.covers(hull.buffer(1e-4), shapely.points(spots)).all()


def test_a_hull_holds_its_points_across_the_antimeridian_and_around_a_pole() -> None:
    across = convex_hull(shapely.MultiPoint([(179, 0), (-179, 0), (180, 2)]))
    assert across.geom_type == "MultiPolygon"
    assert area_m2(across) == pytest.approx(area_m2(shapely.Polygon([(0, 0), (2, 0), (1, 2)])), rel=1e-3)
    around = convex_hull(shapely.MultiPoint([(0, 85), (90, 85), (180, 85), (-90, 85)]))
    assert around.bounds[3] == 90 and around.covers(shapely.Point(45, 89))


def test_a_small_hull_around_the_pole_is_a_square() -> None:
    hull = convex_hull(shapely.MultiPoint([(0, 89.9), (90, 89.9), (180, 89.9), (-90, 89.9)]))
    half_diagonal_m = GEOD.inv(0, 89.9, 0, 90)[2]
    assert area_m2(hull) == pytest.approx(2 * half_diagonal_m**2, rel=1e-4)


def test_hulls_without_an_area_are_points_and_lines_and_round_the_globe_there_is_none() -> None:
    assert convex_hull(shapely.MultiPoint([(4, 52), (4, 52)])).geom_type == "Point"
    assert convex_hull(shapely.MultiPoint([(4, 0), (6, 0)])).geom_type == "LineString"
    with pytest.raises(VectorError, match="around more than half the globe"):
        convex_hull(shapely.MultiPoint([(0, 0), (120, 0), (-120, 0)]))


def test_a_simpler_outline_stays_within_the_tolerance() -> None:
    turns = np.linspace(0, 2 * np.pi, 400)
    wavy = [(3 + (0.3 + 0.01 * np.sin(40 * t)) * np.cos(t), 52 + 0.2 * np.sin(t)) for t in turns[:-1]]
    shape = shapely.Polygon(wavy)
    simpler = simplified(shape, 1500)
    before, after = gpd.GeoSeries([shape, simpler], crs="EPSG:4326").to_crs("EPSG:32631")
    assert shapely.get_num_coordinates(simpler) < 40 and simpler.is_valid
    assert 300 < shapely.hausdorff_distance(before, after, densify=0.01) <= 1501


def test_simplifying_keeps_a_cut_at_the_antimeridian_and_a_pole() -> None:
    assert area_m2(simplified(FIJI, 100)) == pytest.approx(area_m2(FIJI), rel=1e-4)
    assert simplified(CAP, 1000).bounds[1] == -90
    assert simplified(shapely.Point(4, 52), 100).equals(shapely.Point(4, 52))
    along_the_pole = shapely.LineString([(10, -90), (20, -90)])
    assert simplified(along_the_pole, 100).equals(along_the_pole)


def test_neighbours_that_are_simplified_together_go_on_fitting() -> None:
    states = gpd.read_file(real("vectors/us_states.geojson"))
    west = states[states["name"].isin(["Oregon", "Idaho", "Montana", "Wyoming", "Nevada", "Utah"])]
    west = west.reset_index(drop=True)
    simpler = simplified_together(west, 30_000)
    assert corner_count(simpler) < corner_count(west) / 2
    together = shapely.union_all(simpler.geometry.to_numpy())
    assert together.area == pytest.approx(sum(shape.area for shape in simpler.geometry), rel=1e-9)
    with pytest.raises(VectorError, match="overlap, or their borders do not fit"):
        simplified_together(frame(shapely.box(0, 0, 2, 2), shapely.box(1, 1, 3, 3)), 100)
    with pytest.raises(VectorError, match="Only polygons share borders"):
        simplified_together(frame(shapely.Point(0, 0)), 100)


AREAS = {
    "inland": shapely.box(2, 46, 6, 49),
    "across the antimeridian": FIJI,
    "around the pole": circle((0, 90), 3e5),
}


@pytest.mark.parametrize("area", AREAS.values(), ids=AREAS.keys())
@pytest.mark.parametrize(("kind", "part"), [("square", 1.0), ("hexagon", math.sqrt(3) / 2)])
def test_cells_are_of_equal_area_and_cover_it_without_gaps(
    area: shapely.Geometry, kind: str, part: float
) -> None:
    cells = grid(area, "square" if kind == "square" else "hexagon", 50_000)
    sizes = np.array([area_m2(each) for each in cells.geometry])
    assert sizes == pytest.approx(np.full(len(cells), part * 50_000**2), rel=1e-4)
    assert sum(map(area_m2, clipped(cells, area).geometry)) == pytest.approx(area_m2(area), rel=1e-5)
    assert cells["cell"].is_unique and cells.geometry.is_valid.all()


def test_h3_covers_the_globe_with_the_cells_that_it_publishes() -> None:
    world = h3_grid(shapely.box(-180, -90, 180, 90), 1)
    assert len(world) == 842  # 2 + 120 · 7^1, the H3 documentation's table of cell counts
    assert sum(map(area_m2, world.geometry)) == pytest.approx(510_065_621_724_000.0, rel=1e-4)


@pytest.mark.parametrize(
    ("area", "resolution"), list(zip(AREAS.values(), (4, 4, 3), strict=True)), ids=AREAS.keys()
)
def test_h3_cells_cover_the_area_without_gaps(area: shapely.Geometry, resolution: int) -> None:
    cells = h3_grid(area, resolution)
    assert sum(map(area_m2, clipped(cells, area).geometry)) == pytest.approx(area_m2(area), rel=1e-6)


def test_h3_cells_are_those_that_a_line_and_a_point_lie_in() -> None:
    import h3

    assert h3_grid(shapely.Point(4.5, 51.9), 6)["cell"].tolist() == [h3.latlng_to_cell(51.9, 4.5, 6)]
    line = shapely.LineString([(4, 52), (5, 52)])
    cells = h3_grid(line, 5)
    assert line.difference(shapely.union_all(cells.geometry.to_numpy())).length == pytest.approx(0, abs=1e-9)


def test_a_grid_of_too_many_cells_or_around_the_globe_is_refused() -> None:
    with pytest.raises(VectorError, match="at most 20,000 are made; give a larger size_m"):
        grid(shapely.box(0, 40, 10, 50), "square", 100)
    with pytest.raises(VectorError, match="give a lower resolution"):
        h3_grid(shapely.box(0, 40, 10, 50), 12)
    with pytest.raises(VectorError, match="give kind=h3"):
        grid(shapely.box(-180, -60, 180, 60), "hexagon", 1e6)


def test_the_closed_form_of_boxes_is_that_of_the_whole_globe() -> None:
    assert box_area_m2(-180, -90, 180, 90) == pytest.approx(510_065_621_724_000.0, rel=1e-9)


CROSSING = shapely.Polygon([(179, -17), (-179, -17), (-179, -16), (179, -16)])
WITH_A_HOLE = shapely.Polygon(
    [(170, 0), (-170, 0), (-170, 10), (170, 10)], [[(179, 4), (-179, 4), (-179, 6), (179, 6)]]
)


@pytest.mark.parametrize(
    ("shape", "parts"),
    [
        (CROSSING, [(-180, -17, -179, -16), (179, -17, 180, -16)]),
        (shapely.MultiPolygon([CROSSING, shapely.box(5, 5, 6, 6)]), None),
        (WITH_A_HOLE, [(-180, 0, -170, 10), (170, 0, 180, 10)]),
    ],
    ids=["a box", "one of two parts", "with a hole over it"],
)
def test_edges_of_over_180_degrees_go_the_shorter_way_and_are_cut(
    shape: shapely.Geometry, parts: list[tuple[float, ...]] | None
) -> None:
    found = short_way(shape)
    assert found.is_valid
    bounds = sorted(each.bounds for each in found.geoms)
    wanted = parts or [(-180, -17, -179, -16), (5, 5, 6, 6), (179, -17, 180, -16)]
    assert bounds == wanted
    assert short_way(found) is found
    if shape is WITH_A_HOLE:
        assert found.area == pytest.approx(200 - 4)


@pytest.mark.parametrize(
    "shape",
    [
        shapely.box(-180, -90, 180, 90),
        shapely.box(-180, -10, 180, 10),
        shapely.box(-179.99, -60, 179.99, 84),
        shapely.Polygon([(-180, -70), (0, -65), (180, -70), (180, -90), (-180, -90)]),
        shapely.box(-80, 0, 90, 10),
        shapely.Polygon(),
    ],
    ids=["the world", "a belt", "nearly the world", "around a pole", "a wide box", "nothing"],
)
def test_what_means_the_long_way_stays(shape: shapely.Geometry) -> None:
    assert short_way(shape) is shape


def test_shells_run_counter_clockwise_and_slivers_go() -> None:
    clockwise = shapely.Polygon([(0, 0), (0, 1), (1, 1), (1, 0)])
    sliver = shapely.box(5, 5, 6, 5.00000001)
    shapes = np.array([clockwise, shapely.MultiPolygon([shapely.box(2, 2, 3, 3), sliver]), sliver], object)
    found, turned, slivers = tidied(shapes)
    assert [shapely.is_ccw(each.exterior) for each in found if each.geom_type == "Polygon"] == [True] * 3
    assert (turned, slivers) == (1, 1)
    assert found[1].bounds == (2, 2, 3, 3) and found[2].bounds == sliver.bounds


@pytest.mark.parametrize(
    "ends", [((139.78, 35.55), (-150, 61.17)), ((170, -40), (190.0, 10)), ((-170, 5), (175, 6))]
)
def test_a_line_over_the_antimeridian_is_as_long_as_anywhere_else(
    ends: tuple[tuple[float, float], tuple[float, float]],
) -> None:
    (lon, lat), (to_lon, to_lat) = ends
    placed, _ = on_the_map(np.array([shapely.LineString(ends)], dtype=object))
    assert placed[0].geom_type == "MultiLineString"
    _, _, right = GEOD.inv(lon - 90, lat, to_lon - 90, to_lat)
    assert length_m(placed[0]) == pytest.approx(right, abs=0.01)


def test_what_is_cut_what_is_moved_and_what_goes_the_shorter_way_are_counted_apart() -> None:
    over = shapely.Polygon([(179, 0), (-179, 0), (-179, 1), (179, 1)])
    two = shapely.MultiPolygon([shapely.box(-181, 5, -179, 6), shapely.box(170, 5, 171, 6)])
    shapes = [over, two, shapely.box(181, 0, 182, 1), shapely.Point(190, 0), shapely.box(1, 1, 2, 2), None]
    placed, done = on_the_map(np.array(shapes, dtype=object))
    assert done == Placing(cut=2, moved=2, rings=1)
    assert done.said("shape", "shapes") == [
        "2 shapes were cut at 180 degrees of longitude",
        "2 shapes were moved by 360 degrees of longitude, to within ±180",
        "1 ring or line was taken the shorter way round, as an edge spans over 180 degrees of longitude",
    ]
    assert [len(each.geoms) for each in placed[:2]] == [2, 3] and placed[3] == shapely.Point(-170, 0)

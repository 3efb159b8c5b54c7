"""Areas, lengths and distances on WGS84."""

from __future__ import annotations

from itertools import pairwise

import geopandas as gpd
import numpy as np
import pytest
import shapely

from data.vector.cleaning import cleaned
from data.vector.distances import gap, geodesic_m, nearest_rows
from data.vector.errors import VectorError
from data.vector.globe import polygon_of
from data.vector.measuring import area_m2, areas_m2, length_m, lengths_m, perimeter_m
from tests.data.vector.shapes import CAP, FIJI, GEOD, WHOLE_GLOBE_M2, box_area_m2, frame
from tests.real_files import real

ANTARCTICA = [
    (-58, -63.1), (-74, -72.9), (-102, -71.9), (-102, -74.9), (-131, -74.3), (-163, -77.5), (163, -77.4),
    (172, -71.7), (140, -65.9), (113, -65.7), (88, -66.6), (59, -66.9), (25, -69.8), (-4, -70.0),
    (-14, -71.0), (-33, -77.3), (-46, -77.9), (-61, -74.7), (-58, -63.1),
]  # fmt: skip
"""The example of GeographicLib's documentation (Karney), with its area and perimeter."""
CIA_KM2 = {
    "Germany": 357_022, "Brazil": 8_515_770, "Australia": 7_741_220, "Kenya": 580_367, "Poland": 312_685,
    "Spain": 505_370, "Mongolia": 1_564_116, "Egypt": 1_001_450, "Bolivia": 1_098_581, "Chad": 1_284_000,
    "Kazakhstan": 2_724_900, "Canada": 9_984_670, "Sweden": 450_295, "Zambia": 752_618, "Mali": 1_240_192,
}  # fmt: skip
"""Areas of the World Factbook, without overseas parts."""


@pytest.mark.parametrize(
    "box",
    [(4, 50, 5, 51), (0, 60, 10, 90), (-180, -90, 180, -60), (-170, -90, 170, -80), (-180, -90, 180, 90)],
)
def test_a_box_of_degrees_has_the_area_of_the_closed_form(box: tuple[float, ...]) -> None:
    assert area_m2(shapely.box(*box)) == pytest.approx(box_area_m2(*box), rel=1e-11)


def test_an_area_is_that_of_the_geodesic_polygon_with_many_corners() -> None:
    field = shapely.Polygon([(2.9, 51.9), (3.1, 51.9), (3.05, 52.0), (2.95, 52.1)])
    followed = shapely.get_coordinates(shapely.segmentize(field, 0.0005))
    theirs, _ = GEOD.polygon_area_perimeter(followed[:, 0], followed[:, 1])
    assert area_m2(field) == pytest.approx(theirs, rel=1e-8)
    small = shapely.Polygon([(4.4, 51.9), (4.4001, 51.9), (4.4001, 51.9001)])
    theirs, _ = GEOD.geometry_area_perimeter(small)
    assert area_m2(small) == pytest.approx(theirs, rel=1e-6)


def test_the_whole_world_is_510_million_square_kilometres() -> None:
    assert area_m2(shapely.box(-180, -90, 180, 90)) == pytest.approx(WHOLE_GLOBE_M2, rel=1e-11)


def test_a_box_across_the_antimeridian_is_as_large_as_anywhere_else() -> None:
    assert area_m2(FIJI) == pytest.approx(area_m2(shapely.box(10, -18, 12, -17)), rel=1e-12)
    assert perimeter_m(FIJI) == pytest.approx(perimeter_m(shapely.box(10, -18, 12, -17)), rel=1e-9)


def test_holes_count_off_whichever_way_they_run() -> None:
    hole = [(4.2, 50.2), (4.8, 50.2), (4.8, 50.8), (4.2, 50.8)]
    left = box_area_m2(4, 50, 5, 51) - box_area_m2(4.2, 50.2, 4.8, 50.8)
    for ring in (hole, hole[::-1]):
        polygon = shapely.Polygon(shapely.box(4, 50, 5, 51).exterior, [ring])
        assert area_m2(polygon) == pytest.approx(left, rel=1e-6)


def test_antarctica_has_the_area_and_perimeter_that_geographiclib_publishes() -> None:
    ring = [ANTARCTICA[0]]
    for (lon1, lat1), (lon2, lat2) in pairwise(ANTARCTICA):
        metres = GEOD.inv(lon1, lat1, lon2, lat2)[2]
        ring += [*GEOD.npts(lon1, lat1, lon2, lat2, int(metres / 1000)), (lon2, lat2)]
    polygon = polygon_of([np.array(ring)], [-90.0])
    assert polygon.bounds[1] == -90
    assert area_m2(polygon) == pytest.approx(13_662_703_680_020.1, rel=1e-7)
    assert perimeter_m(polygon) == pytest.approx(16_831_067.893, rel=1e-7)


def test_the_distance_that_geographiclib_publishes_from_wellington_to_salamanca() -> None:
    wellington, salamanca = shapely.Point(174.81, -41.32), shapely.Point(-5.50, 40.96)
    assert gap(wellington, salamanca).distance_m == pytest.approx(19_959_679.267, abs=0.001)
    assert geodesic_m((174.81, -41.32), (-5.50, 40.96))[1] == pytest.approx(161.067669986160)


def test_areas_of_countries_are_within_3_percent_of_the_world_factbook() -> None:
    countries = gpd.read_file(real("vectors/countries.geojson")).set_index("name").geometry
    areas = {name: area_m2(countries[name]) / 1e6 for name in CIA_KM2}
    assert areas == {name: pytest.approx(km2, rel=0.03) for name, km2 in CIA_KM2.items()}


def test_a_line_is_as_long_as_its_geodesics_and_takes_the_short_way_over_the_antimeridian() -> None:
    track = shapely.LineString([(170, -10), (-170, 10), (-160, 20)])
    legs = [GEOD.inv(170, -10, -170, 10)[2], GEOD.inv(-170, 10, -160, 20)[2]]
    assert length_m(track) == pytest.approx(sum(legs), abs=1e-6)


def test_the_outline_of_a_polar_cap_is_its_parallel_and_not_the_cut_in_the_map() -> None:
    a, f, lat = 6378137.0, 1 / 298.257223563, np.radians(-70)
    parallel = 2 * np.pi * a * np.cos(lat) / np.sqrt(1 - f * (2 - f) * np.sin(lat) ** 2)
    assert perimeter_m(CAP) == pytest.approx(parallel, rel=1e-6)
    assert length_m(CAP) == perimeter_m(CAP)


def test_points_have_neither_area_nor_length_and_a_mixture_has_both() -> None:
    assert (area_m2(shapely.Point(1, 2)), length_m(shapely.Point(1, 2))) == (0.0, 0.0)
    box, line = shapely.box(4, 50, 5, 51), shapely.LineString([(6, 50), (7, 50)])
    mixed = shapely.GeometryCollection([box, line, shapely.Point(8, 50)])
    assert area_m2(mixed) == area_m2(box)
    assert length_m(mixed) == pytest.approx(perimeter_m(box) + length_m(line))


def test_many_shapes_at_once_have_the_area_and_length_that_each_has_alone() -> None:
    box, line = shapely.box(4, 50, 5, 51), shapely.LineString([(6, 50), (7, 50), (7, 51)])
    ring = shapely.Polygon(shapely.box(0, 0, 3, 3).exterior, [shapely.box(1, 1, 2, 2).exterior])
    inside = shapely.GeometryCollection(
        [shapely.GeometryCollection([box, line]), shapely.MultiPolygon([ring])]
    )
    shapes = [
        box,
        None,
        line,
        inside,
        shapely.Polygon(),
        shapely.Point(1, 2),
        CAP,
        shapely.MultiLineString([line]),
    ]
    for measured, alone in ((areas_m2(shapes), area_m2), (lengths_m(shapes), length_m)):
        assert np.isnan(measured[1])
        for at in (0, *range(2, len(shapes))):
            assert measured[at] == pytest.approx(alone(shapes[at]), rel=1e-12)
    assert area_m2(inside) == pytest.approx(area_m2(box) + area_m2(shapely.box(0, 0, 3, 3)) - area_m2(
        shapely.box(1, 1, 2, 2)))  # fmt: skip
    assert areas_m2([]).tolist() == lengths_m([]).tolist() == []


def test_the_nearest_of_many_points_is_the_one_that_every_pair_measured_gives() -> None:
    numbers = np.random.default_rng(7)
    ports = np.column_stack([numbers.uniform(-180, 180, 300), numbers.uniform(-85, 85, 300)])
    ships = np.column_stack([numbers.uniform(-180, 180, 40), numbers.uniform(-85, 85, 40)])
    found = nearest_rows(frame(*shapely.points(ships)), frame(*shapely.points(ports)))
    for ship, nearest in zip(ships, found, strict=True):
        _, _, metres = GEOD.inv(np.full(300, ship[0]), np.full(300, ship[1]), ports[:, 0], ports[:, 1])
        assert (nearest.to, nearest.distance_m) == (int(np.argmin(metres)), pytest.approx(metres.min()))


def test_the_gap_between_shapes_is_that_of_utm_within_its_scale() -> None:
    road = shapely.LineString([(4.0, 51.9), (4.4, 52.1), (4.9, 52.0)])
    field = shapely.box(4.3, 51.7, 4.35, 51.8)
    utm = gpd.GeoSeries([road, field], crs="EPSG:4326").to_crs("EPSG:32631")
    found = gap(road, field)
    assert found.distance_m == pytest.approx(utm.iloc[0].distance(utm.iloc[1]), rel=1e-3)
    assert shapely.Point(found.start).distance(road) < 1e-6
    assert GEOD.inv(*found.start, *found.end)[2] == pytest.approx(found.distance_m, abs=1e-6)


def test_the_nearest_stretch_wins_though_its_corners_are_farther_away() -> None:
    # The long edge passes at 0.09 degrees, its corners 5 degrees off; the other line's corner is at 0.1.
    edge, corner = shapely.LineString([(-5, 0.09), (5, 0.09)]), shapely.LineString([(0, -0.1), (0, -5)])
    both = nearest_rows(frame(shapely.Point(0, 0)), frame(corner, edge))[0]
    assert both.to == 1
    assert both.distance_m == pytest.approx(GEOD.inv(0, 0, 0, 0.09)[2], abs=0.01)


def test_a_gap_is_measured_over_the_antimeridian_and_the_pole() -> None:
    west, east = shapely.box(178, -17, 178.5, -16), shapely.box(-178.5, -17, -178, -16)
    assert gap(west, east).distance_m == pytest.approx(GEOD.inv(178.5, -17, -178.5, -17)[2], rel=1e-6)
    here, there = shapely.Point(10, 89), shapely.Point(-170, 89)
    assert gap(here, there).distance_m == pytest.approx(2 * GEOD.inv(0, 89, 0, 90)[2], abs=0.01)


def test_shapes_that_meet_have_no_gap_also_at_the_antimeridian() -> None:
    assert gap(shapely.box(0, 0, 2, 2), shapely.box(1, 1, 3, 3)).distance_m == 0
    assert gap(shapely.box(179, 0, 180, 1), shapely.box(-180, 0, -179, 1)).distance_m == 0
    with pytest.raises(VectorError, match=r"^There are no features to measure the distance to\.$"):
        gap(shapely.Point(0, 0), shapely.Polygon())


def test_cleaning_mends_what_it_can_and_says_so() -> None:
    bow_tie = shapely.Polygon([(0, 0), (2, 2), (2, 0), (0, 2)])
    beyond = shapely.box(179, 10, 182, 11)
    raised = shapely.Point(5, 6, 7)
    track = shapely.LineString([(179, 0), (-179, 0)])
    found = cleaned(frame(bow_tie, None, beyond, raised, track, name=list("abcde")))
    assert found.frame["name"].tolist() == ["a", "c", "d", "e"]
    assert found.notes == (
        "1 feature without a shape was left out",
        "1 shape's heights were left out",
        "1 invalid shape was made valid",
        "2 shapes were cut at 180 degrees of longitude",
        "1 ring or line was taken the shorter way round, as an edge spans over 180 degrees of longitude",
    )
    first, second, third, fourth = found.frame.geometry
    assert first.is_valid and first.area == pytest.approx(2)
    assert [part.bounds for part in second.geoms] == [(179, 10, 180, 11), (-180, 10, -178, 11)]
    assert (third.x, third.y, third.has_z) == (5, 6, False)
    assert sorted(part.bounds for part in fourth.geoms) == [(-180, 0, -179, 0), (179, 0, 180, 0)]


def test_cleaning_takes_degrees_where_no_system_is_given_and_refuses_metres() -> None:
    unplaced = gpd.GeoDataFrame(geometry=[shapely.Point(4, 52)])
    assert cleaned(unplaced).notes == ("without a coordinate system, longitude and latitude were assumed",)
    metres = gpd.GeoDataFrame(geometry=[shapely.Point(600_000, 5_800_000)])
    with pytest.raises(VectorError, match="no longitudes and latitudes; their coordinate system is missing"):
        cleaned(metres)
    with pytest.raises(VectorError, match=r"^There are no features with a shape to work with\.$"):
        cleaned(frame(None))


def test_cleaning_brings_other_systems_to_degrees() -> None:
    utm = gpd.GeoDataFrame(geometry=[shapely.Point(500_000, 5_761_038)], crs="EPSG:32631")
    spot = cleaned(utm).frame.geometry[0]
    assert (spot.x, spot.y) == (pytest.approx(3.0), pytest.approx(52.0, abs=1e-4))

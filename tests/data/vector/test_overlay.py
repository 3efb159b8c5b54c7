"""Overlays, merges and joins, against geopandas' own."""

from __future__ import annotations

import geopandas as gpd
import numpy as np
import pandas as pd
import pytest
import shapely

from data.vector.cleaning import cleaned
from data.vector.errors import VectorError
from data.vector.joining import nearest, points_in_polygons, spatial_join
from data.vector.measuring import area_m2
from data.vector.overlay import difference, dissolve, intersection, union, union_pieces
from tests.data.vector.shapes import FIJI, GEOD, frame
from tests.real_files import real

FIELDS = frame(
    shapely.box(0, 0, 2, 2), shapely.box(2, 0, 4, 2), shapely.box(6, 0, 7, 1),
    name=["a", "b", "c"], crop=["rye", "rye", "oats"], yield_t=[1.0, 2.5, 4.0],
)  # fmt: skip
ZONES = frame(shapely.box(1, 1, 3, 3), shapely.box(3, 1, 5, 3), name=["p", "q"])
EQUAL_AREA = "EPSG:6933"


@pytest.fixture(scope="module")
def mixed() -> tuple[gpd.GeoDataFrame, gpd.GeoDataFrame]:
    """Forty random triangles and thirty random boxes over the Alps."""
    numbers = np.random.default_rng(11)
    triangles = [
        shapely.Polygon(numbers.uniform((6, 44), (12, 48), (1, 2)) + numbers.uniform(-0.6, 0.6, (3, 2)))
        for _ in range(40)
    ]
    west = numbers.uniform((6, 44), (12, 48), (30, 2))
    boxes = [shapely.box(x, y, x + 0.7, y + 0.4) for x, y in west]
    return frame(*triangles, t=range(40)), frame(*boxes, b=range(30))


def by_pair(found: gpd.GeoDataFrame, *keys: str) -> pd.Series:
    """Areas on an equal-area plane, by the rows that they came of."""
    areas = found.to_crs(EQUAL_AREA).area
    return areas.groupby([found[key].fillna(-1).astype(int) for key in keys]).sum().sort_index()


def test_an_intersection_is_that_of_geopandas_pair_by_pair(
    mixed: tuple[gpd.GeoDataFrame, gpd.GeoDataFrame],
) -> None:
    first, second = mixed
    ours = by_pair(intersection(first, second), "t", "b")
    theirs = by_pair(gpd.overlay(first, second, how="intersection"), "t", "b")
    pd.testing.assert_series_equal(ours, theirs, check_names=False, rtol=1e-9)
    assert len(ours) > 20


def test_a_difference_is_that_of_geopandas_row_by_row(
    mixed: tuple[gpd.GeoDataFrame, gpd.GeoDataFrame],
) -> None:
    first, second = mixed
    ours = by_pair(difference(first, second), "t")
    theirs = by_pair(gpd.overlay(first, second, how="difference"), "t")
    pd.testing.assert_series_equal(ours, theirs, check_names=False, rtol=1e-9)


def test_the_pieces_of_a_union_are_those_of_geopandas(
    mixed: tuple[gpd.GeoDataFrame, gpd.GeoDataFrame],
) -> None:
    first, second = mixed
    ours = by_pair(union_pieces(first, second), "t", "b")
    theirs = by_pair(gpd.overlay(first, second, how="union"), "t", "b")
    pd.testing.assert_series_equal(ours, theirs, check_names=False, rtol=1e-9)


def test_what_an_overlay_on_a_projected_plane_leaves_has_the_same_geodesic_area(
    mixed: tuple[gpd.GeoDataFrame, gpd.GeoDataFrame],
) -> None:
    plane = [each.set_geometry(each.segmentize(0.02)).to_crs(EQUAL_AREA) for each in mixed]
    for how, ours in (("intersection", intersection(*mixed)), ("difference", difference(*mixed))):
        theirs = gpd.overlay(*plane, how=how).area.sum()
        assert sum(map(area_m2, ours.geometry)) == pytest.approx(theirs, rel=1e-4), how


def test_an_intersection_has_the_fields_of_both_in_order() -> None:
    found = intersection(FIELDS, ZONES)
    assert found.drop(columns="geometry").to_dict("list") == {
        "name_1": ["a", "b", "b"], "crop": ["rye", "rye", "rye"], "yield_t": [1.0, 2.5, 2.5],
        "name_2": ["p", "p", "q"],
    }  # fmt: skip
    assert [each.bounds for each in found.geometry] == [(1, 1, 2, 2), (2, 1, 3, 2), (3, 1, 4, 2)]


def test_points_and_lines_are_cut_to_polygons_and_a_touch_is_no_area() -> None:
    things = frame(
        shapely.Point(1.5, 1.5), shapely.Point(9, 9), shapely.LineString([(0, 2), (2, 2)]),
        shapely.box(5, 1, 6, 2), what=["in", "out", "line", "neighbour"],
    )  # fmt: skip
    found = intersection(things, ZONES.iloc[:1])
    assert found["what"].tolist() == ["in", "line"]
    assert [each.wkt for each in found.geometry] == ["POINT (1.5 1.5)", "LINESTRING (1 2, 2 2)"]
    assert intersection(things.iloc[3:], ZONES).empty
    with pytest.raises(
        VectorError, match=r"^What the features are cut to has no polygons; it has 1 point\.$"
    ):
        intersection(FIELDS, frame(shapely.Point(0, 0)))


def test_a_difference_leaves_out_what_is_covered_and_keeps_kinds() -> None:
    things = frame(shapely.box(1, 1, 2, 2), shapely.LineString([(0, 2), (9, 2)]), shapely.Point(8, 8))
    found = difference(things, ZONES)
    assert [each.wkt for each in found.geometry] == [
        "MULTILINESTRING ((0 2, 1 2), (5 2, 9 2))",
        "POINT (8 8)",
    ]


def test_overlays_work_across_the_antimeridian() -> None:
    east = frame(shapely.box(-180, -18, -179.5, -17))
    assert area_m2(intersection(frame(FIJI), east).geometry[0]) == pytest.approx(area_m2(FIJI) / 4, rel=1e-9)
    assert area_m2(difference(frame(FIJI), east).geometry[0]) == pytest.approx(area_m2(FIJI) * 0.75, rel=1e-9)


def test_a_union_counts_overlaps_once() -> None:
    found = union(FIELDS, ZONES)
    assert found["features"].tolist() == [5]
    alone = [area_m2(each) for each in [*FIELDS.geometry, *ZONES.geometry]]
    shared = sum(area_m2(each) for each in intersection(FIELDS, ZONES).geometry)
    assert area_m2(found.geometry[0]) == pytest.approx(sum(alone) - shared, rel=1e-6)


def test_merging_by_a_field_sums_and_counts_as_geopandas_does() -> None:
    found = dissolve(FIELDS, "crop", ["yield_t"])
    theirs = FIELDS.dissolve("crop", aggfunc={"yield_t": "sum"}).reset_index()
    assert found.drop(columns="geometry").to_dict("list") == {
        "crop": ["oats", "rye"], "features": [1, 2], "yield_t": [4.0, 3.5],
    }  # fmt: skip
    assert theirs["yield_t"].tolist() == [4.0, 3.5]
    assert all(a.equals(b) for a, b in zip(found.geometry, theirs.geometry, strict=True))


def test_merging_all_makes_one_and_rows_without_a_value_one_of_their_own() -> None:
    assert dissolve(FIELDS, None)["features"].tolist() == [3]
    gaps = FIELDS.assign(crop=["rye", None, None])
    found = dissolve(gaps, "crop")
    assert (found["crop"].fillna("none").tolist(), found["features"].tolist()) == (["rye", "none"], [1, 2])
    with pytest.raises(VectorError, match=r"^The field 'crop' holds no numbers to add up\.$"):
        dissolve(FIELDS, "name", ["crop"])


@pytest.mark.parametrize("predicate", ["intersects", "within", "contains", "touches", "overlaps", "crosses"])
def test_a_spatial_join_is_that_of_geopandas(
    mixed: tuple[gpd.GeoDataFrame, gpd.GeoDataFrame], predicate: str
) -> None:
    first, second = mixed
    spots = frame(*first.geometry.representative_point(), t=range(40))
    left, right = (spots, second) if predicate in ("within", "intersects") else (second, first)
    theirs = gpd.sjoin(left, right, predicate=predicate).reset_index(drop=True)
    ours = spatial_join(left, right, predicate)
    pairs = list(zip(ours["t"], ours["b"], strict=True))
    assert sorted(pairs) == sorted(zip(theirs["t"], theirs["b"], strict=True))
    assert ours.geometry.tolist() == [left.geometry[key] for key in ours["t" if left is spots else "b"]]


def test_a_join_that_keeps_all_has_no_values_where_nothing_is_met() -> None:
    found = spatial_join(FIELDS, ZONES, "intersects", "all")
    assert found["name_1"].tolist() == ["a", "b", "b", "c"]
    assert found["name_2"].fillna("none").tolist() == ["p", "p", "q", "none"]


def test_cities_are_counted_in_their_states_as_geopandas_counts_them() -> None:
    cities = cleaned(gpd.read_file(real("vectors/us_cities.shp"))).frame
    states = cleaned(gpd.read_file(real("vectors/us_states.geojson"))).frame
    found, outside = points_in_polygons(cities, states, "POP_2010")
    theirs = gpd.sjoin(cities[["POP_2010", "geometry"]], states[["name", "geometry"]])
    counts = found.set_index("name")["points"]
    assert counts[counts > 0].sort_index().to_dict() == theirs.groupby("name").size().to_dict()
    sums = found.set_index("name")["POP_2010_sum"]
    assert sums[counts > 0].sort_index().to_dict() == pytest.approx(
        theirs.groupby("name")["POP_2010"].sum().to_dict()
    )
    assert outside == len(cities) - theirs.index.nunique()


def test_points_on_a_border_count_on_both_sides_and_density_is_geodesic() -> None:
    spots = frame(shapely.Point(3, 2), shapely.Point(1.5, 1.5), shapely.Point(9, 9), n=[1, 10, 100])
    found, outside = points_in_polygons(spots, ZONES, "n")
    assert (found["points"].tolist(), found["n_sum"].tolist(), outside) == ([2, 1], [11.0, 1.0], 1)
    assert found["points_per_km2"].tolist() == pytest.approx(
        [2e6 / area_m2(ZONES.geometry[0]), 1e6 / area_m2(ZONES.geometry[1])]
    )


def test_the_nearest_has_its_fields_distance_and_direction_over_the_antimeridian() -> None:
    ships = frame(shapely.Point(179.9, 0), shapely.Point(2.5, 2.5), name=["s", "t"])
    ports = frame(shapely.Point(-179.9, 0), shapely.Point(170, 0), shapely.box(2, 2, 3, 3), name=list("xyz"))
    found = nearest(ships, ports)
    assert found["name_1"].tolist() == ["s", "t"] and found["name_2"].tolist() == ["x", "z"]
    metres = GEOD.inv(179.9, 0, -179.9, 0)[2]
    assert found["distance_m"].tolist() == [pytest.approx(metres), 0.0]
    assert found["azimuth_deg"].tolist() == [pytest.approx(90), 0.0]
    assert nearest(ships, ports, 1000.0)["name_1"].tolist() == ["t"]


def test_rows_are_merged_by_lists_too_and_too_many_pairs_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    tagged = FIELDS.assign(tags=[["wet", "low"], ["wet", "low"], ["dry"]])
    assert dissolve(tagged, "tags")["features"].tolist() == [1, 2]
    monkeypatch.setattr("data.vector.cleaning.MAX_PAIRS", 2)
    for overlaid in (lambda: intersection(FIELDS, ZONES), lambda: spatial_join(FIELDS, ZONES, "intersects")):
        with pytest.raises(
            VectorError, match=r"^The features meet in 3 pairs, and at most 2 are worked with"
        ):
            overlaid()

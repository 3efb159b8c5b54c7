"""CSV, GeoJSON, GeoParquet, shapefile and GeoPackage: rows of features."""

import json

import geopandas
import pytest
from hypothesis import given
from hypothesis import strategies as st
from shapely.geometry import Point, Polygon, box

from data.readers import csv_points, geojson, geopackage, geoparquet, shapefile
from data.readers.base import Rejected
from data.readers.geometry import extent_of
from tests.real_files import real


def write(path, text):
    path.write_text(text, encoding="utf-8")
    return path


def collection(path, *features, **members):
    return write(path, json.dumps({"type": "FeatureCollection", **members, "features": list(features)}))


def feature(geometry, **properties):
    return {"type": "Feature", "properties": properties, "geometry": geometry}


def test_world_cities_keep_their_population_as_a_number(read):
    found = read(csv_points.READER, real("vectors/world_cities.csv"))
    assert (len(found.features), found.rejected) == (1249, [])
    first = found.features[0]
    assert (first["kind"], first["name"], first["lon"], first["lat"]) == ("feature", "Bombo", 32.5333, 0.5833)
    assert json.loads(first["properties"]) == {
        "id": 1,
        "name": "Bombo",
        "country": "UGA",
        "population": 75000,
    }


@pytest.mark.parametrize(
    ("reader", "path", "rows"),
    [
        (geojson.READER, "vectors/countries.geojson", 179),
        (geojson.READER, "elevation/buildings.geojson", 84),
        (shapefile.READER, "vectors/us_cities.shp", 3666),
        (geoparquet.READER, "vectors/us_cities.parquet", 3666),
        (geopackage.READER, "vectors/us_regions.gpkg", 4),
        (geopackage.READER, "joplin/bldg_polys.gpkg", 77),
    ],
)
def test_every_row_of_a_real_vector_file_is_read(read, reader, path, rows):
    found = read(reader, real(path))
    assert (len(found.features), found.rejected) == (rows, [])


def test_a_projected_shapefile_and_geojson_are_turned_into_degrees(read):
    box_row = read(shapefile.READER, real("rasterio_fixtures/box.shp")).features[0]
    assert (box_row["lon"], box_row["lat"]) == pytest.approx((-77.839, 24.612), abs=1e-3)
    atlanta = read(geojson.READER, real("spacenet/sample.geojson")).features[0]
    assert (atlanta["lon"], atlanta["lat"]) == pytest.approx((-84.452, 33.618), abs=1e-3)


@pytest.mark.parametrize(
    ("header", "delimiter"), [("lon;lat;n", ";"), ("Longitude\tLatitude\tn", "\t"), ("x|y|n", "|")]
)
def test_any_delimiter_and_any_usual_name_of_the_coordinates_will_do(tmp_path, read, header, delimiter):
    path = write(tmp_path / "t.csv", f"\ufeff{header}\n{delimiter.join(('2.35', '48.86', '7'))}\n")
    row = read(csv_points.READER, path).features[0]
    assert (row["lon"], row["lat"], json.loads(row["properties"])) == (2.35, 48.86, {"n": 7})


def test_bad_rows_are_rejected_with_their_number_and_the_good_ones_stay(tmp_path, read):
    text = "name,lat,lon\nA,1,2\nB,95,2\nC,x,2\nD,1\nE,NaN,3\nF,3,400\nG,120,-20\nH,5,6\n"
    found = read(csv_points.READER, write(tmp_path / "t.csv", text))
    assert [row["name"] for row in found.features] == ["A", "H"]
    assert {(item.row, item.reason) for item in found.rejected} == {
        (2, "the latitude 95 is outside -90..90; longitude and latitude may be swapped"),
        (3, "the longitude or latitude is not a number"),
        (4, "2 columns where the header has 3"),
        (5, "the longitude or latitude is not a number"),
        (6, "the longitude 400 is outside -180..180"),
        (7, "the latitude 120 is outside -90..90; longitude and latitude may be swapped"),
    }
    assert {item.file for item in found.rejected} == {"t.csv"}


def test_codes_stay_text_and_numbers_become_numbers_by_the_whole_column(tmp_path, read):
    text = "lat,lon,code,count,share,mixed,gap\n1,2,007,5,0.5,1,\n1,2,042,6,1e3,x,NA\n"
    found = read(csv_points.READER, write(tmp_path / "t.csv", text))
    assert [json.loads(row["properties"]) for row in found.features] == [
        {"code": "007", "count": 5, "share": 0.5, "mixed": "1"},
        {"code": "042", "count": 6, "share": 1000, "mixed": "x", "gap": "NA"},
    ]


def test_quotes_line_breaks_and_markup_in_a_cell_are_kept_as_text(tmp_path, read):
    text = 'name,lat,lon\n"<b>say ""hi""</b>\nthere, now",1,2\n'
    row = read(csv_points.READER, write(tmp_path / "t.csv", text)).features[0]
    assert row["name"] == '<b>say "hi"</b>\nthere, now'
    assert json.loads(row["properties"]) == {"name": row["name"]}


def test_a_table_in_an_old_encoding_keeps_its_accents(tmp_path, read):
    (tmp_path / "t.csv").write_bytes("name,lat,lon\nSão Luís,-2.5,-44.3\n".encode("cp1252"))
    assert read(csv_points.READER, tmp_path / "t.csv").features[0]["name"] == "São Luís"


def test_a_table_with_10000_columns_keeps_the_first_1000(tmp_path, read):
    names = ["lat", "lon", *(f"c{number}" for number in range(9_998))]
    path = write(tmp_path / "wide.csv", ",".join(names) + "\n" + ",".join(["1"] * 10_000) + "\n")
    found = read(csv_points.READER, path)
    assert len(json.loads(found.features[0]["properties"])) == 998
    assert [item.reason for item in found.noted] == [
        "10000 columns: only the first 1000 are kept as properties"
    ]


def test_wkt_column_gives_outlines(tmp_path, read):
    path = write(tmp_path / "t.csv", 'name;wkt\nA;"POLYGON ((0 0, 2 0, 1 2, 0 0))"\nB;nonsense\n')
    found = read(csv_points.READER, path)
    assert (found.features[0]["west"], found.features[0]["north"]) == (0, 2)
    assert found.features[0]["footprint"] is not None
    assert found.rejected == [Rejected("t.csv", 2, "no geometry")]


def test_times_and_classes_go_to_their_columns(tmp_path, read):
    path = write(tmp_path / "t.csv", "lat,lon,date,category\n1,2,2020-05-06,ship\n1,2,,\n")
    rows = read(csv_points.READER, path).features
    assert [(str(row["acquired"]), row["classes"]) for row in rows] == [
        ("2020-05-06 00:00:00", ["ship"]),
        ("None", []),
    ]


def test_geojson_features_without_a_usable_geometry_are_rejected_one_by_one(tmp_path, read):
    path = collection(
        tmp_path / "f.geojson",
        feature({"type": "Point", "coordinates": [2, 48]}, name="good", n=1, none=None),
        feature(None, name="no geometry"),
        feature({"type": "Point", "coordinates": [2, 95]}),
        feature({"type": "Polygon", "coordinates": "oops"}),
        feature({"type": "Point", "coordinates": []}),
        7,
        feature({"type": "Point", "coordinates": [3, 49]}, name="last"),
    )
    found = read(geojson.READER, path)
    assert [row["name"] for row in found.features] == ["good", "last"]
    assert [item.row for item in found.rejected] == [2, 3, 4, 5, 6]
    assert found.rejected[0] == Rejected("f.geojson", 2, "no geometry")


def test_geojson_that_breaks_off_keeps_what_came_before(tmp_path, read):
    whole = collection(tmp_path / "f.geojson", *[feature({"type": "Point", "coordinates": [1, 2]})] * 3)
    text = whole.read_text()
    whole.write_text(text[: len(text) - 20])
    found = read(geojson.READER, whole)
    assert len(found.features) == 2
    assert found.rejected[0].reason.startswith("the JSON is broken: ")


def test_geojson_nested_100000_deep_is_stopped(tmp_path, read):
    text = '{"type":"FeatureCollection","features":[' + "[" * 100_000 + "]" * 100_000 + "]}"
    found = read(geojson.READER, write(tmp_path / "f.geojson", text))
    assert [item.reason for item in found.rejected] == ["the JSON is nested more than 60 levels deep"]


@pytest.mark.parametrize(
    ("reader", "name"),
    [
        (csv_points.READER, "f.csv"),
        (geojson.READER, "f.geojson"),
        (geoparquet.READER, "f.parquet"),
        (shapefile.READER, "f.shp"),
        (geopackage.READER, "f.gpkg"),
    ],
)
@pytest.mark.parametrize("content", [b"", b"\x00\x01garbage" * 50])
def test_a_broken_file_is_one_rejection_with_a_reason(tmp_path, read, reader, name, content):
    (tmp_path / name).write_bytes(content)
    found = read(reader, tmp_path / name)
    assert found.features == []
    assert [(item.file, item.row) for item in found.rejected] == [(name, None)]
    assert found.rejected[0].reason
    assert str(tmp_path) not in found.rejected[0].reason


def test_geoparquet_in_metres_is_turned_into_degrees(tmp_path, read):
    frame = geopandas.GeoDataFrame({"name": ["a"], "ok": [True]}, geometry=[Point(2.35, 48.86)], crs=4326)
    frame.to_crs(3857).to_parquet(tmp_path / "f.parquet")
    row = read(geoparquet.READER, tmp_path / "f.parquet").features[0]
    assert (row["lon"], row["lat"]) == pytest.approx((2.35, 48.86))
    assert json.loads(row["properties"]) == {"name": "a", "ok": True}


@given(st.floats(-179, 170), st.floats(-89, 80), st.floats(0.1, 9), st.floats(0.1, 9))
def test_the_extent_of_a_box_is_the_box_and_needs_no_outline(west, south, width, height):
    extent = extent_of(box(west, south, west + width, south + height))
    assert extent.outline is None
    assert (extent.west, extent.south, extent.east, extent.north) == (
        west,
        south,
        west + width,
        south + height,
    )


def test_a_quote_that_is_never_closed_costs_its_own_row_and_no_other(tmp_path, read):
    rows = [f"p{n},{n % 180},{n % 80}" for n in range(5000)]
    rows[700] = 'p700,"5,6'
    rows[900] = '"over\ntwo lines",7,8'
    rows[901] = '"with ""quotes"", and a comma",9,10'
    rows[3000] = '"also open,5,6'
    found = read(csv_points.READER, write(tmp_path / "places.csv", "name,lon,lat\n" + "\n".join(rows)))
    names = [row["name"] for row in found.features]
    assert len(names) == 5000 and found.rejected == []
    assert names[900:902] == ["over\ntwo lines", 'with "quotes", and a comma']
    assert [found.features[n]["lon"] for n in (700, 701, 3000)] == [5, 701 % 180, 5]


def test_a_row_that_an_open_quote_makes_too_short_is_rejected_with_its_number(tmp_path, read):
    text = 'name,lon,lat\na,1,2\n"b,3\nc,5,6\nd,7,8\n'
    found = read(csv_points.READER, write(tmp_path / "places.csv", text))
    assert [row["name"] for row in found.features] == ["a", "c", "d"]
    assert found.rejected == [Rejected("places.csv", 2, "2 columns where the header has 3")]


@pytest.mark.parametrize("kind", ["csv", "wkt.csv", "geojson", "gpkg", "parquet"])
def test_longitudes_of_0_to_360_and_edges_over_180_degrees_are_read_as_people_mean_them(tmp_path, read, kind):
    boxes = [box(300, 10, 301, 11), Polygon([(179, 0), (-179, 0), (-179, 1), (179, 1)])]
    frame = geopandas.GeoDataFrame({"name": ["west", "over"]}, geometry=boxes, crs=4326)
    path = tmp_path / f"places.{kind}"
    if kind == "csv":
        path.write_text("name,lon,lat\nwest,300.5,10.5\nover,180.5,0.5\n")
    elif kind == "wkt.csv":
        frame.assign(wkt=frame.geometry.to_wkt()).drop(columns="geometry").to_csv(path, index=False)
    elif kind == "parquet":
        frame.to_parquet(path)
    else:
        frame.to_file(path)
    readers = {"geojson": geojson, "gpkg": geopackage, "parquet": geoparquet}
    found = read(readers.get(kind, csv_points).READER, path)
    assert not found.rejected
    said = [item.reason for item in found.noted]
    moved = "moved by 360 degrees of longitude, to within ±180"
    cut = "cut at 180 degrees of longitude"
    ring = "1 ring or line was taken the shorter way round, as an edge spans over 180 degrees of longitude"
    if kind == "csv":
        assert said == [f"2 of its places were {moved}"]
    else:
        assert said == [f"1 of its places was {cut}", f"1 of its places was {moved}", ring]
    west, over = found.features
    assert west["lon"] == pytest.approx(-59.5)
    assert abs(over["lon"]) == pytest.approx(179.5 if kind == "csv" else 180)
    if kind != "csv":
        assert (over["west"], over["east"]) == (179, -179)

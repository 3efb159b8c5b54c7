"""Every kind of file becomes the artifact that it should, with its own values."""

from __future__ import annotations

import json
import shutil
from datetime import date, datetime
from pathlib import Path
from typing import Any

import geopandas as gpd
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pyogrio
import pytest
import rasterio
from shapely.geometry import Point, box

from data.uploads.bring import bring, content_key, staged
from data.uploads.brought import Asked, Brought
from data.uploads.errors import UploadError
from data.uploads.gdal import quiet_gdal
from tests.data.uploads import samples
from tests.data.uploads.samples import LAYERS, SAMPLES


def brought(path: Path, **asked: str) -> tuple[Brought, Path]:
    """What the file becomes, and its artifact's file."""
    (out := path.parent / "out").mkdir(exist_ok=True)
    kept = path.parent / "kept"
    with staged(path, out, asked=Asked(**asked)) as incoming:
        found = bring(incoming)
        shutil.copyfile(found.path, kept)
    assert not any(out.iterdir())
    return found, kept


@pytest.mark.parametrize("name", SAMPLES)
def test_a_whole_file_becomes_its_kind(tmp_path: Path, name: str) -> None:
    write, kind = SAMPLES[name]
    write(tmp_path / name)
    found, kept = brought(tmp_path / name)
    assert (found.kind, kept.stat().st_size > 0) == (kind, True)
    json.dumps(dict(found.facts), allow_nan=False)


@pytest.mark.parametrize("name", LAYERS)
def test_features_keep_their_shapes_and_their_system(tmp_path: Path, name: str) -> None:
    LAYERS[name](tmp_path / name)
    found, kept = brought(tmp_path / name)
    label = "Name" if name.endswith(".kml") else "name"
    # A FlatGeobuf has its own order, by where features lie.
    frame = gpd.read_parquet(kept).sort_values(label)
    assert f"EPSG:{frame.crs.to_epsg()}" == found.facts["crs"]
    frame = frame.to_crs("EPSG:4326")
    assert (found.facts["count"], found.facts["geometries"]) == (2, {"polygon": 2})
    assert np.allclose(frame.geometry.bounds, [[4, 51, 4.2, 51.2], [4.3, 51.3, 4.5, 51.5]], atol=1e-8)
    assert frame[label].tolist() == ["a", "b"]
    if name not in ("fields.kml", "fields.osm"):
        assert frame["n"].tolist() == [1, 2]
    assert found.bbox == pytest.approx((4, 51, 4.5, 51.5))
    assert found.item["properties"]["table:row_count"] == 2
    # What nobody knows of is not said to be left out, and no name is called wrong.
    assert not [note for note in found.notes if "left out" in note or "Its name ends" in note]


def test_a_kmz_is_its_kml(tmp_path: Path) -> None:
    found, _ = brought(samples.kmz(tmp_path / "fields.kmz"))
    assert found.facts["count"] == 2
    assert found.notes == (
        "It is 'doc.kml' of the archive 'fields.kmz'.",
        "Its columns: id text, Name text, tessellate int32, extrude int32, visibility int32, n text "
        "(numbers).",
    )


def test_rows_with_coordinates_become_points_with_their_columns(tmp_path: Path) -> None:
    path = tmp_path / "points.csv"
    path.write_text("name;lon;lat;depth_m\na;4,25;51,25;1.5\nb;4.5;51.5;\nc;;;3\nd;4;91;4\n")
    found, kept = brought(path)
    frame = gpd.read_parquet(kept)
    placed = frame[frame.geometry.notna()]
    assert [(point.x, point.y) for point in placed.geometry] == [(4.25, 51.25), (4.5, 51.5)]
    assert frame["name"].tolist() == ["a", "b", "c", "d"]
    assert frame[["lon", "lat"]].fillna("").to_dict("list") == {
        "lon": ["4,25", "4.5", "", "4"], "lat": ["51,25", "51.5", "", "91"],
    }  # fmt: skip
    assert frame["depth_m"].tolist()[::2] == [1.5, 3.0] and np.isnan(frame["depth_m"].tolist()[1])
    assert (found.facts["count"], found.facts["placed"], found.facts["left_out"]) == (4, 2, 0)
    assert found.notes[:2] == (
        "Rows without a right place stay, 1 of its 4: 1 for the latitude 91 is outside -90..90; longitude "
        "and latitude may be swapped.",
        "1 of its 4 features has no geometry: rows without a place, which no map shows.",
    )


def test_features_stay_in_their_own_system_with_heights_and_rows_without_a_place(tmp_path: Path) -> None:
    path = tmp_path / "wells.gpkg"
    shapes = [Point(500000.123456789, 5700000.5, 12.5), None, Point(500100, 5700100, -3.0)]
    gpd.GeoDataFrame({"n": [1, 2, 3]}, geometry=shapes, crs="EPSG:32631").to_file(path)
    found, kept = brought(path)
    frame = gpd.read_parquet(kept)
    assert frame.crs == "EPSG:32631" and frame["n"].tolist() == [1, 2, 3]
    assert [None if each is None else each.coords[0] for each in frame.geometry] == [
        (500000.123456789, 5700000.5, 12.5), None, (500100.0, 5700100.0, -3.0),
    ]  # fmt: skip
    assert found.bbox == pytest.approx((3.0000018, 51.4518, 3.00144, 51.4527), abs=1e-3)
    assert (
        found.what == "a GeoPackage layer of 3 features (2 points, 1 without a geometry) in EPSG:32631 with n"
    )
    assert found.notes[:2] == (
        "1 of its 3 features has no geometry: rows without a place, which no map shows.",
        "2 of its features have heights, which are kept; maps and measures are flat.",
    )


def test_what_had_to_be_cut_at_180_degrees_is_kept_in_degrees_and_it_is_said(tmp_path: Path) -> None:
    path = tmp_path / "fiji.geojson"
    ring = [[177, -18], [-179, -18], [-179, -16], [177, -16], [177, -18]]
    shape = {"type": "Polygon", "coordinates": [ring]}
    path.write_text(json.dumps({"type": "Feature", "geometry": shape, "properties": {}}))
    asked, kept = brought(path, crs="EPSG:4258")
    frame = gpd.read_parquet(kept)
    assert frame.crs == "EPSG:4326" and [each.geom_type for each in frame.geometry] == ["MultiPolygon"]
    assert "Its coordinates were brought from EPSG:4258 into WGS 84 (EPSG:4326) for it." in asked.notes


@pytest.mark.parametrize("name", ["levels.csv", "levels.parquet", "levels.xlsx"])
def test_rows_without_coordinates_become_a_table(tmp_path: Path, name: str) -> None:
    SAMPLES[name][0](tmp_path / name)
    found, kept = brought(tmp_path / name)
    assert (found.facts["rows"], found.facts["columns"]) == (3, ["station", "level_m", "count"])
    assert found.facts["profile"][1] == {
        "name": "level_m", "stored": "float64", "meant": None, "nulls": 1, "blank": 0, "distinct": 2,
        "alike": None, "forms": {}, "least": 1.5, "most": 2.5, "samples": [1.5, 2.5],
    }  # fmt: skip
    assert found.notes[-1] == "Its columns: station text, level_m float64 (1 without a value), count int64."
    frame = pd.read_parquet(kept)
    assert frame["station"].tolist() == ["x", "y", "z"] and frame["count"].tolist() == [1, 2, 3]
    assert frame["level_m"].tolist()[:2] == [1.5, 2.5] and pd.isna(frame["level_m"].tolist()[2])


def test_a_sheet_is_chosen_by_its_name(tmp_path: Path) -> None:
    path = tmp_path / "book.xlsx"
    with pd.ExcelWriter(path) as book:
        samples.table().to_excel(book, sheet_name="first", index=False)
        pd.DataFrame({"lon": [4.5], "lat": [51.5], "day": [pd.Timestamp("2024-05-06")]}).to_excel(
            book, sheet_name="second", index=False
        )
    first, _ = brought(path)
    assert (first.kind, first.notes) == (
        "table",
        (
            "It is the sheet 'first'.",
            "Its columns: station text, level_m float64 (1 without a value), count int64.",
        ),
    )
    second, kept = brought(path, part="second")
    assert second.kind == "vector" and gpd.read_parquet(kept)["day"].tolist() == ["2024-05-06T00:00:00"]
    with pytest.raises(UploadError, match="has no sheet 'third'; it has 'first', 'second'"):
        brought(path, part="third")


def test_a_layer_of_a_geopackage_is_chosen_by_its_name(tmp_path: Path) -> None:
    path = samples.vector(tmp_path / "two.gpkg", layer="fields")
    other = gpd.GeoDataFrame({"n": [7]}, geometry=[box(5, 52, 6, 53)], crs="EPSG:4326").to_crs(3857)
    other.to_file(path, layer="lakes", driver="GPKG")
    assert brought(path)[0].facts["count"] == 2
    found, _ = brought(path, part="lakes")
    assert (found.facts["count"], found.facts["crs"]) == (1, "EPSG:3857")
    assert found.bbox == pytest.approx((5, 52, 6, 53))


def test_one_file_of_an_archive_is_chosen_by_its_name(tmp_path: Path) -> None:
    files = {"a/one.csv": b"lon,lat\n1,2\n", "b/two.csv": b"lon,lat\n3,4\n"}
    path = samples.zipped(tmp_path / "two.zip", files)
    assert brought(path, part="two.csv")[0].bbox == (3, 4, 3, 4)
    with pytest.raises(UploadError, match="has no single file 'three'"):
        brought(path, part="three")


def test_features_across_the_antimeridian_have_the_narrow_box(tmp_path: Path) -> None:
    path = tmp_path / "fiji.geojson"
    frame = gpd.GeoDataFrame(geometry=[box(178, -18, 179, -17), box(-179, -18, -178, -17)], crs="EPSG:4326")
    frame.to_file(path, driver="GeoJSON")
    found, _ = brought(path)
    assert found.bbox == (178, -18, -178, -17)
    assert found.item["geometry"]["type"] == "MultiPolygon"


def geojson(path: Path, properties: list[dict[str, Any]], ids: list[Any], **members: Any) -> Path:
    point = {"type": "Point", "coordinates": [31.2, 30.0]}
    features = [
        {"type": "Feature", "properties": each, "geometry": point} | ({"id": own} if own is not None else {})
        for each, own in zip(properties, ids, strict=True)
    ]
    path.write_text(json.dumps({"type": "FeatureCollection", "features": features, **members}))
    return path


def test_nested_properties_stay_nested_and_what_differs_is_text_which_is_said(tmp_path: Path) -> None:
    rows = [
        {"owner": {"name": "A", "tel": ["1"]}, "part": {"a": 1}, "tags": ["x", 1], "at": [1, 2], "n": 1},
        {"owner": {"name": "B", "tel": []}, "part": {"b": 2}, "tags": None, "at": [], "n": "many"},
    ]
    found, kept = brought(geojson(tmp_path / "a.geojson", rows, [None, None]))
    assert pq.read_table(kept).drop_columns("geometry").to_pylist() == [
        {"owner": rows[0]["owner"], "part": '{"a": 1}', "tags": '["x", 1]', "at": [1, 2], "n": "1"},
        {"owner": rows[1]["owner"], "part": '{"b": 2}', "tags": None, "at": [], "n": "many"},
    ]
    assert list(found.notes)[:-1] == [
        "Its column 'part' holds objects of different members: they are kept as text.",
        "Its column 'tags' holds lists of different kinds: they are kept as text.",
        "Its column 'n' holds numbers and texts: they are kept as text.",
    ]
    assert [(each["stored"], each["meant"]) for each in found.facts["profile"]] == [
        ("object", None), ("text", "JSON"), ("text", "JSON"), ("list", None), ("text", None),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("properties", "ids", "columns", "said"),
    [
        ([{"a": 1}, {"a": 2}], ["w/1", "w/2"], {"a": [1, 2], "id": ["w/1", "w/2"]}, "became the column id;"),
        ([{"id": 7}, {"id": 8}], [1, None], {"id": [7, 8], "feature_id": [1, None]}, "column feature_id;"),
        ([{"id": 7}, {"id": 8}], [7, 8], {"id": [7, 8]}, "are the same as their column id."),
    ],
)
def test_features_own_ids_become_a_column_and_lose_none(
    tmp_path: Path, properties: list[dict[str, Any]], ids: list[Any], columns: dict[str, Any], said: str
) -> None:
    found, kept = brought(geojson(tmp_path / "a.geojson", properties, ids))
    assert pq.read_table(kept).drop_columns("geometry").to_pydict() == columns
    assert sum(said in each for each in found.notes) == 1


def test_members_beside_the_features_are_told(tmp_path: Path) -> None:
    found, _ = brought(geojson(tmp_path / "a.geojson", [{"a": [1]}], [None], source={"by": ["me"]}, n=5))
    assert found.facts["members"] == {"source": {"by": ["me"]}, "n": 5}
    assert 'Beside its features it says: {"source": {"by": ["me"]}, "n": 5}.' in found.notes
    named, _ = brought(geojson(tmp_path / "b.geojson", [{"a": 1}], [None], name="b"))
    assert not any("Beside" in each for each in named.notes)


def test_shapes_of_several_systems_make_a_table_that_says_how_they_are_brought_into_one(
    tmp_path: Path,
) -> None:
    path = tmp_path / "stops.csv"
    path.write_text(
        "id,srid,wkt\n1,4326,POINT (4 50)\n2,EPSG:32631,POINT (500000 5500000)\n3,32631,POINT (9 9e6)\n"
    )
    found, kept = brought(path)
    assert (found.kind, pd.read_parquet(kept)["wkt"].tolist()[1]) == ("table", "POINT (500000 5500000)")
    assert found.notes[0].endswith(
        "It came in as a table; add it again with crs, such as crs=EPSG:32631, if one is right for all. Its "
        "column 'srid' says '4326', 'EPSG:32631', '32631': sql brings each row into one system, by "
        "ST_Transform(ST_GeomFromText(wkt), 'EPSG:' || regexp_extract(srid, '[0-9]+'), 'EPSG:4326')."
    )
    placed, _ = brought(path, crs="EPSG:32631")
    assert placed.facts["count"] == 3
    path.write_text("id,wkt\n1,POINT (4 50)\n2,POINT (500000 5500000)\n3,POINT (5 6)\n")
    most, kept = brought(path)
    assert (most.facts["placed"], gpd.read_parquet(kept)["wkt"][1]) == (2, "POINT (500000 5500000)")
    assert most.notes[0] == "Its column 'wkt' is kept."


def test_a_geopackage_tells_what_it_declares_of_each_layer_also_of_those_that_cannot_be_used(
    tmp_path: Path,
) -> None:
    path = tmp_path / "project.gpkg"
    point = gpd.GeoDataFrame({"n": [1]}, geometry=[Point(385_000, 6_671_000)])
    with pytest.warns(UserWarning, match="'crs' was not provided"):
        point.to_file(path, layer="unknown", driver="GPKG")
    plans = gpd.GeoDataFrame({"day": pd.Series([], dtype="datetime64[ms]")}, geometry=[], crs="EPSG:3067")
    plans.to_file(path, layer="empty", driver="GPKG", geometry_type="Polygon")
    point.set_crs("EPSG:3067").to_file(path, layer="wells", driver="GPKG")
    pyogrio.write_dataframe(pd.DataFrame({"note": ["a"]}), path, layer="log", driver="GPKG")
    found, _ = brought(path)
    assert (found.part, found.parts) == ("wells", ("unknown", "wells", "log"))
    told = [
        (each["name"], each["rows"], each["geometry"], each["crs"]) for each in found.facts["file_layers"]
    ]
    assert told == [
        ("unknown", 1, "Point", None),
        ("empty", 0, "Polygon", "EPSG:3067"),
        ("wells", 1, "Point", "EPSG:3067"),
        ("log", 1, None, None),
    ]
    assert found.facts["file_layers"][1]["fields"] == [{"name": "day", "type": "time"}]


@pytest.mark.parametrize("suffix", ["gpkg", "fgb", "parquet"])
def test_days_times_and_lists_of_a_file_stay_what_they_are(tmp_path: Path, suffix: str) -> None:
    made = pa.table(
        {
            "day": [date(2020, 1, 2), None],
            "at": pa.array([datetime(2020, 1, 2, 3, 4, 5), None], pa.timestamp("ms", "UTC")),
            "tags": [["a"], []],
        }
    )
    path = tmp_path / f"a.{suffix}"
    if suffix == "parquet":
        pq.write_table(made, path)
    else:
        wkb = pa.array([Point(31, 30).wkb, Point(32, 30).wkb], pa.binary())
        driver = {"gpkg": "GPKG", "fgb": "FlatGeobuf"}[suffix]
        pyogrio.write_arrow(
            made.drop_columns("tags").append_column("g", wkb), path, driver=driver, geometry_name="g",
            geometry_type="Point", crs="EPSG:4326", SPATIAL_INDEX="NO",
        )  # fmt: skip
    schema = pq.read_schema(brought(path)[1])
    # FlatGeobuf has one type for days and times.
    assert str(schema.field("day").type) == ("timestamp[us]" if suffix == "fgb" else "date32[day]")
    assert str(schema.field("at").type).startswith("timestamp[") and schema.field("at").type.tz == "UTC"
    if suffix == "parquet":
        assert schema.field("tags").type == pa.list_(pa.field("element", pa.string()))


def test_a_netcdf_variable_is_turned_north_up_with_its_times_as_bands(tmp_path: Path) -> None:
    path = samples.netcdf3(tmp_path / "sea.nc")
    found, kept = brought(path, part="ice")
    with quiet_gdal(), rasterio.open(kept) as source:
        values = np.arange(36, dtype="float32").reshape(3, 3, 4) * 2
        assert (source.read() == values[:, ::-1]).all()
        assert tuple(source.transform)[:6] == pytest.approx((1, 0, 3, 0, -1, 53))
        assert (source.crs.to_epsg(), source.descriptions[1]) == (4326, "ice time 2")
    assert found.notes[0] == "Its variable 'ice' was taken; add_file with part adds another of them: 'sst'."


def test_a_netcdf_of_0_to_360_degrees_is_rolled_to_the_maps_longitudes(tmp_path: Path) -> None:
    import xarray

    lon, lat = np.arange(5, 360, 10.0), np.arange(85, -90, -10.0)
    values = np.broadcast_to(lon, (18, 36)).astype("float32")
    path = tmp_path / "world.nc"
    xarray.Dataset({"v": (("lat", "lon"), values)}, {"lat": lat, "lon": lon}).to_netcdf(path, engine="scipy")
    found, kept = brought(path)
    with quiet_gdal(), rasterio.open(kept) as source:
        row = source.read(1)[0]
        assert tuple(source.transform)[:6] == pytest.approx((10, 0, -180, 0, -10, 90))
    assert row.tolist() == [*np.arange(185, 360, 10.0), *np.arange(5, 180, 10.0)]
    assert found.bbox == pytest.approx((-180, -90, 180, 90))


@pytest.mark.parametrize("stored", [("time", "lon", "lat"), ("lat", "lon", "time"), ("lon", "lat")])
def test_a_netcdf_lies_as_it_should_in_whatever_order_it_is_stored(
    tmp_path: Path, stored: tuple[str, ...]
) -> None:
    import xarray

    lon, lat, times = np.arange(4.0, 10.0), np.arange(50.0, 53.0), np.arange(2.0)
    values = times[:, None, None] * 1000 + lat[:, None] * 10 + lon
    whole = xarray.DataArray(values, {"time": times, "lat": lat, "lon": lon}, ("time", "lat", "lon"), "v")
    part = whole if "time" in stored else whole[0].drop_vars("time")
    path = tmp_path / "a.nc"
    part.transpose(*stored).to_dataset(name="v").to_netcdf(path, engine="scipy")
    found, kept = brought(path)
    with quiet_gdal(), rasterio.open(kept) as source:
        assert (source.read() == (values if "time" in stored else values[:1])[:, ::-1]).all()
        assert tuple(source.transform)[:6] == pytest.approx((1, 0, 3.5, 0, -1, 52.5))
    assert any("were read as" in each for each in found.notes)


def test_a_grid_mapping_names_the_coordinate_system(tmp_path: Path) -> None:
    found, kept = brought(samples.netcdf4(tmp_path / "height.nc"))
    with quiet_gdal(), rasterio.open(kept) as source:
        assert (source.read(1) == np.arange(6.0).reshape(3, 2)).all()
        assert tuple(source.transform)[:6] == (10, 0, 590_000, 0, -10, 5_750_000)
    assert found.facts["crs"] == "EPSG:32631"


@pytest.mark.parametrize(
    "name", ["note.txt", "page.html", "meta.xml", "settings.json", "report.pdf", "report.docx"]
)
def test_a_document_is_kept_byte_for_byte(tmp_path: Path, name: str) -> None:
    path = SAMPLES[name][0](tmp_path / name)
    found, kept = brought(path)
    assert (kept.read_bytes(), found.suffix) == (path.read_bytes(), path.suffix)


def test_a_wrong_name_is_said_and_does_not_matter(tmp_path: Path) -> None:
    samples.picture(tmp_path / "scan.png").rename(tmp_path / "scan.tif")
    found, _ = brought(tmp_path / "scan.tif")
    assert found.notes[0] == "Its name ends in .tif, but it is a PNG file and was read as one."


def test_the_key_is_of_the_content_and_of_what_else_decides(tmp_path: Path) -> None:
    path = samples.picture(tmp_path / "scan.png")
    world = path.with_suffix(".pgw")
    world.write_text("1")
    keys = {
        content_key(path, {}, Asked()),
        content_key(path, {".pgw": world}, Asked()),
        content_key(path, {}, Asked(crs="EPSG:32631")),
        content_key(path, {}, Asked(part="a")),
    }
    assert len(keys) == 4


@pytest.mark.parametrize("way", ["packed", "unpacked", "least alone", "whole numbers"])
def test_values_outside_of_a_netcdfs_valid_range_are_nodata_and_counted(tmp_path: Path, way: str) -> None:
    import xarray

    numbers = np.array([[0, 10, 20], [100, -99, 30]], dtype="int16")  # -1 is the fill
    attrs: dict[str, object] = {"valid_range": np.array([0, 50], dtype="int16")}
    encoding: dict[str, object] = {
        "scale_factor": 0.1,
        "add_offset": 1.0,
        "dtype": "int16",
        "_FillValue": np.int16(-1),
    }
    values = numbers * 0.1 + 1
    if way == "unpacked":
        attrs = {"valid_min": 1.0, "valid_max": 6.0}
    elif way == "least alone":
        attrs = {"valid_min": np.int16(0)}
    elif way == "whole numbers":
        values, encoding = numbers, {}
    data = xarray.Dataset(
        {"t": (("lat", "lon"), values, attrs)}, {"lat": [51.0, 50.0], "lon": [4.0, 5.0, 6.0]}
    )
    data.to_netcdf(tmp_path / "t.nc", engine="h5netcdf", encoding={"t": encoding})
    found, kept = brought(tmp_path / "t.nc")
    with rasterio.open(kept) as source:
        seen = source.read(1, masked=True)
    good = (numbers >= 0) & ((numbers <= 50) | (way == "least alone"))
    assert (~np.ma.getmaskarray(seen)).tolist() == good.tolist()
    assert np.allclose(seen.compressed(), values[good], atol=1e-5)
    assert f"{int((~good).sum())} of its values lie outside of its valid range" in " ".join(found.notes)
    scaled = "Its numbers were read as what they mean: value = 0.1 x number + 1."
    assert (scaled in found.notes) == (way != "whole numbers")

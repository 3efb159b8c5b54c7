"""Public reports about names and results, and about what is loaded and is to be seen (c01 to c40 of LOG.md).

Each has an input made here and its right value.
"""

from __future__ import annotations

import json
import subprocess
import warnings
from pathlib import Path
from typing import Any

import geopandas as gpd
import h5py
import numpy as np
import openpyxl
import pandas as pd
import pytest
import rasterio
from affine import Affine
from shapely.geometry import Point, box

from copilot.session import Session
from tests.field_reports.test_more_reports import brought, folder, rows_of
from tests.field_reports.test_reports import session, small_catalogue, told

__all__ = ["folder", "session", "small_catalogue"]


def boxes(path: Path, count: int) -> Path:
    """So many boxes as GeoJSON, whose number tells which file was taken."""
    path.parent.mkdir(parents=True, exist_ok=True)
    shapes = [box(4 + at, 50, 4.5 + at, 50.5) for at in range(count)]
    gpd.GeoDataFrame({"n": list(range(count))}, geometry=shapes, crs=4326).to_file(path)
    return path


def plain(path: Path, value: float) -> Path:
    """A raster of one value."""
    with rasterio.open(
        path, "w", driver="GTiff", width=4, height=4, count=1, dtype="float32", crs="EPSG:4326",
        transform=Affine(0.25, 0, 4, 0, -0.25, 51),
    ) as target:  # fmt: skip
        target.write(np.full((1, 4, 4), value, "float32"))
    return path


def count_of(session: Session, name: str) -> int:
    """How many features a name means."""
    return int(told(session, "centroid", vector=name)["count"])


def test_a_name_means_what_is_written_so_whatever_is_newer(session: Session, folder: Path) -> None:
    for name, count in (("Fields", 1), ("low/fields", 2), ("field", 3), ("roads", 4), ("roads_2020", 5)):
        brought(session, boxes(folder / f"{name}.geojson", count))
    for name, count in (("Fields", 1), ("fields", 2), ("field", 3), ("roads 2020", 5), ("Roads", 4)):
        assert count_of(session, name) == count
    event = session.call("centroid", vector="FIELDS")
    assert event.text.startswith("'FIELDS' is the name of 2 vector results (Fields, fields); the newest, ")


def test_two_files_of_one_name_are_told_apart(session: Session, folder: Path) -> None:
    for part, count in (("a", 1), ("b", 2)):
        said = brought(session, boxes(folder / part / "parcels.geojson", count))
    assert "'parcels' means another result already, so this is 'parcels 2'" in said
    assert (count_of(session, "parcels"), count_of(session, "parcels 2")) == (1, 2)
    assert "parcels is a GeoJSON of 1 feature" in brought(session, folder / "a" / "parcels.geojson")
    for value in (1, 2):
        brought(session, plain(folder / f"{value}.tif", value), name="image")
    assert session.call("raster_stats", raster="image").text.startswith("image: band 1 from 1 to 1")
    assert session.call("raster_stats", raster="image 2").text.startswith("image 2: band 1 from 2 to 2")
    # A name that is the id of another result would mean that one.
    other = session.state.artifacts[0].id
    assert f"{other} 2 is" in brought(session, boxes(folder / "c.geojson", 3), name=other)
    assert not session.call("rename_layer", layer="image", name=other).ok


def test_a_renamed_layer_is_found_by_its_new_name(session: Session, folder: Path) -> None:
    brought(session, boxes(folder / "parcel.geojson", 1))
    brought(session, boxes(folder / "b.geojson", 2))
    session.call("rename_layer", layer="b", name="parcels")
    assert (count_of(session, "parcels"), count_of(session, "parcel")) == (2, 1)


def test_a_name_that_things_of_several_kinds_have_means_the_kind_that_is_asked_for(
    session: Session, folder: Path
) -> None:
    brought(session, plain(folder / "dem.tif", 3))
    (folder / "dem.csv").write_text("a,b\n1,2\n")
    brought(session, folder / "dem.csv")
    assert session.call("raster_stats", raster="dem").text.startswith("dem: band 1 from 3 to 3")
    brought(session, plain(folder / "other.tif", 4), name="dem")
    assert told(session, "aggregate", table="dem", field="a", function="sum")["value"] == 1
    brought(session, boxes(folder / "dem.geojson", 2))
    assert count_of(session, "dem") == 2


def test_a_column_is_not_guessed_between_two_nor_replaced_without_a_word(
    session: Session, folder: Path
) -> None:
    (folder / "t.csv").write_text("Name,name,v\na,b,1\nc,d,2\n")
    brought(session, folder / "t.csv")
    event = session.call("filter_rows", table="t", field="NAME", op="=", value="a")
    assert not event.ok and "'NAME' may be the column Name or name" in event.text
    for field, value in (("Name", "a"), ("name", "b")):
        found = told(session, "filter_rows", table="t", field=field, op="=", value=value)
        assert rows_of(session, found)["v"].tolist() == [1]
    said = session.call("add_column", table="t", name="Name", expression="v + 1").text
    assert "in place of the column Name that it had" in said
    for tool, more in (("add_file", {"file": "x", "crss": "EPSG:3857"}), ("buffer", {"distance": 5})):
        event = session.call(tool, **more)
        assert not event.ok and "has no argument" in event.text


def test_a_result_that_was_never_made_is_nothing(session: Session, folder: Path) -> None:
    brought(session, boxes(folder / "fields.geojson", 2))
    for name in ("fields buffered 100 m", "fields_clip", "vector-ffffff"):
        assert "There are no features" in session.call("area_of", vector=name).text


def test_a_workbooks_hidden_and_empty_cells_are_said(session: Session, folder: Path) -> None:
    book = openpyxl.Workbook()
    secret, sheet = book.active, book.create_sheet("data")
    secret.title, secret.sheet_state = "secret", "hidden"
    secret.append(["p"])
    secret.append([1])
    for row in (["id", "v"], [1, "=A2*2"], [2, "=A3*2"], [3, 6]):
        sheet.append(row)
    sheet.row_dimensions[3].hidden = sheet.column_dimensions["B"].hidden = True
    book.active = 1
    book.save(folder / "book.xlsx")
    said = brought(session, folder / "book.xlsx")
    for each in (
        "book is an Excel table of 3 rows with id, v",
        "Its hidden sheet is left out: 'secret'; add_file with part adds such a one.",
        "2 cells are formulas without a stored value and left empty",
        "Its 1 hidden row and hidden columns were read too.",
    ):
        assert each in said


def test_features_that_a_server_did_not_send_are_said(session: Session, folder: Path) -> None:
    point = {"type": "Point", "coordinates": [4, 50]}
    held = [{"type": "Feature", "properties": {"numberMatched": 9}, "geometry": point}]
    whole = {"type": "FeatureCollection", "features": held}
    esri = {
        "geometryType": "esriGeometryPoint", "spatialReference": {"wkid": 4326},
        "fields": [{"name": "a", "type": "esriFieldTypeInteger"}], "exceededTransferLimit": True,
        "features": [{"attributes": {"a": 1}, "geometry": {"x": 4, "y": 50}}],
    }  # fmt: skip
    cases: dict[str, tuple[dict[str, Any], str | None]] = {
        "wfs": ({"totalFeatures": 2501, **whole}, "It holds 1 of 2,501 features"),
        "ogc": ({**whole, "numberMatched": 12, "numberReturned": 1}, "It holds 1 of 12 features"),
        "next": ({**whole, "links": [{"rel": "next", "href": "x"}]}, "It links to a next page"),
        "arcgis": ({**whole, "properties": {"exceededTransferLimit": True}}, "left features out"),
        "esri": (esri, "left features out"),
        "all": ({**whole, "numberMatched": 1, "links": [{"rel": "next"}]}, None),
        "none": (whole, None),
    }
    for name, (content, right) in cases.items():
        (folder / f"{name}.json").write_text(json.dumps(content))
        said = brought(session, folder / f"{name}.json")
        assert (right in said) if right else not any(each in said for each in ("It holds", "page", "server"))


def test_what_features_lose_on_their_way_in_is_said(session: Session, folder: Path) -> None:
    bow = {"type": "Polygon", "coordinates": [[[4, 50], [5, 51], [5, 50], [4, 51], [4, 50]]]}
    shapes: list[Any] = [bow, None]
    rows = [{"type": "Feature", "properties": {}, "geometry": each} for each in shapes]
    (folder / "bow.geojson").write_text(json.dumps({"type": "FeatureCollection", "features": rows}))
    said = brought(session, folder / "bow.geojson")
    assert "1 of its outlines is invalid" in said and "1 of its 2 features has no ge" in said
    assert session.state.artifacts[-1].summary == "2 features"
    (folder / "m.csv").write_text('id,WKT\n1,"POINT M (4 50 7)"\n2,"POINT M (5 50 8)"\n')
    assert "The measures (M) of 2 of its features were left out" in brought(session, folder / "m.csv")


def test_a_geopackages_measures_and_tiles_are_said(session: Session, folder: Path) -> None:
    (folder / "m.csv").write_text('id,WKT\n1,"POINT M (4 50 7)"\n')
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made = ["ogr2ogr", "-f", "GPKG", folder / "m.gpkg", folder / "m.csv", "-a_srs", "EPSG:4326"]
        subprocess.run([*made, "-nlt", "POINTM"], check=True, capture_output=True)
        tiles = ["gdal_translate", "-q", "-ot", "Byte", "-of", "GPKG", plain(folder / "o.tif", 1)]
        options = ["-co", "APPEND_SUBDATASET=YES", "-co", "RASTER_TABLE=ortho"]
        subprocess.run([*tiles, folder / "m.gpkg", *options], check=True, capture_output=True)
    said = brought(session, folder / "m.gpkg")
    assert "Its map tiles ('ortho') were left out. Its measures (M) were left out." in said


def test_a_raster_says_its_bands_its_nodata_its_classes_and_its_long_numbers(
    session: Session, folder: Path
) -> None:
    grid: dict[str, Any] = {
        "driver": "GTiff",
        "width": 2,
        "height": 2,
        "crs": "EPSG:4326",
        "transform": Affine(1, 0, 4, 0, -1, 53),
    }
    values = np.array([[1, 2], [2, 1]])
    with rasterio.open(folder / "bands.tif", "w", count=2, dtype="int16", nodata=-9999, **grid) as target:
        target.write(np.stack([values, values]).astype("int16"))
        target.descriptions = ("Red", "QA")
    assert "Its bands are called Red, QA. Its nodata is -9,999." in brought(session, folder / "bands.tif")
    with rasterio.open(folder / "classes.tif", "w", count=1, dtype="uint8", **grid) as target:
        target.write(values.astype("uint8"), 1)
        target.write_colormap(1, {1: (255, 0, 0, 255), 2: (0, 255, 0, 255)})
    assert "Its numbers are classes with a colour each." in brought(session, folder / "classes.tif")
    with rasterio.open(folder / "long.tif", "w", count=1, dtype="int64", **grid) as target:
        target.write(values.astype("int64") + 2**60, 1)
    assert "It has whole numbers over 2^53" in brought(session, folder / "long.tif")


def test_a_netcdf_says_which_times_and_levels_its_bands_are(session: Session, folder: Path) -> None:
    axes = {"time": [0.0, 1.0], "lev": [1000.0, 500.0], "lat": [51.0, 50.0], "lon": [4.0, 5.0]}
    with h5py.File(folder / "t.nc", "w") as file:
        values = file.create_dataset("t", data=np.arange(16, dtype="float32").reshape(2, 2, 2, 2))
        for at, (name, places) in enumerate(axes.items()):
            file[name] = places
            file[name].make_scale(name)
            values.dims[at].attach_scale(file[name])
        file["time"].attrs["units"] = "days since 2020-01-01"
        file["lev"].attrs["units"] = "hPa"
    said = brought(session, folder / "t.nc")
    assert (
        "Its bands go through time (2: 2020-01-01 to 2020-01-02) and lev (2: 1,000 hPa to 500 hPa)." in said
    )


@pytest.mark.parametrize(
    ("text", "said", "right"),
    [
        ("# source, of x\n# 2020\nid,v\n1,a\n2,b\n", "2 lines before its header are comments", ["a", "b"]),
        ("#id,v\n1,a\n2,b\n", None, ["a", "b"]),
        ('id,v\n1,"a \\"b\\", c"\n2,"5\\" d"\n', "escaped by backslashes", ['a "b", c', '5" d']),
        ('id,v\n1,"C:\\x\\"\n2,"D:\\"\n', None, ["C:\\x\\", "D:\\"]),
    ],
    ids=["comments", "a header with a sign", "backslashes", "folders"],
)
def test_comments_and_backslashes_of_a_csv_are_read(
    session: Session, folder: Path, text: str, said: str | None, right: list[str]
) -> None:
    (folder / "t.csv").write_text(text)
    found = brought(session, folder / "t.csv")
    assert (said in found) if said else not any(each in found for each in ("comment", "backslash"))
    assert rows_of(session, {"table": session.state.artifacts[-1].id})["v"].tolist() == right


def test_what_excel_cannot_hold_is_said(session: Session, folder: Path) -> None:
    frame = pd.DataFrame({"v": [1.5, np.inf, -np.inf], "t": ["x" * 40_000, "y", "z"]})
    frame.to_parquet(folder / "t.parquet")
    brought(session, folder / "t.parquet")
    event = session.call("export_xlsx", table="t")
    assert event.text.startswith(
        "1 cell of over 32,767 letters, the most that Excel holds: cut there. "
        "2 cells with infinity, which Excel has not: a text instead."
    )
    cells = [each.value for each in openpyxl.load_workbook(event.data["path"])["rows"]["A"]]
    assert cells == ["v", 1.5, "inf", "-inf"]


def test_labels_of_one_image_in_two_folders_are_read_once(session: Session, folder: Path) -> None:
    for name in ("labelTxt", "reclabelTxt"):
        (folder / "dota" / name).mkdir(parents=True)
        text = "imagesource:GoogleEarth\ngsd:0.1\n1 1 5 1 5 5 1 5 ship 0\n"
        (folder / "dota" / name / "P1.txt").write_text(text)
    event = session.call("db_ingest", path=str(folder / "dota"), name="dota")
    assert "Read 1 row with 1 detection" in event.text
    assert "the labels of 'reclabelTxt' were left out: 'labelTxt' has labels of the same" in event.text


def test_rows_without_a_place_and_at_0_0_are_counted_as_they_are(session: Session, folder: Path) -> None:
    (folder / "t.csv").write_text("id,lat,lon\n1,0,0\n2,,\n3,10,20\n4,abc,1\n5,95,2\n")
    said = brought(session, folder / "t.csv")
    assert "Rows without a right place stay, 1 of its 5: 1 for the latitude 95" in said
    assert "2 of its 5 features have no geometry" in said
    assert "1 of its features lies at exactly 0, 0" in said
    assert rows_of(session, {"vector": session.state.artifacts[-1].id})["id"].tolist() == [1, 2, 3, 4, 5]
    time = "2015-04-22T00:00:00+07:00"
    frame = gpd.GeoDataFrame({"t": [time]}, geometry=[Point(4, 50)], crs=4326)
    (folder / "tz.geojson").write_text(frame.to_json())
    assert "t text (times)" in brought(session, folder / "tz.geojson")
    assert rows_of(session, {"vector": session.state.artifacts[-1].id})["t"].tolist() == [time]

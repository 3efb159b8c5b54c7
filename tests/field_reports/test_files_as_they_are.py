"""What a file says of itself holds everywhere: in what is read, and in what is written."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import zipfile
from contextlib import closing
from pathlib import Path
from typing import Any

import geopandas as gpd
import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
import rasterio
from rasterio.transform import from_origin
from rasterio.warp import transform
from shapely.geometry import Point, box

from copilot.session import Session
from tests.field_reports.test_more_reports import brought, folder
from tests.field_reports.test_reports import session, small_catalogue, told
from tools.map.rasters import values_at

__all__ = ["folder", "session", "small_catalogue"]


@pytest.mark.parametrize(("columns", "places"), [("Name,name", ""), ("Name,name,lon,lat", ",4.0,50.0")])
def test_columns_that_differ_in_capitals_alone_are_written_as_they_are_called(
    session: Session, folder: Path, columns: str, places: str
) -> None:
    (folder / "sites.csv").write_text(f"{columns}\na,b{places}\nc,=d{places}\n")
    brought(session, folder / "sites.csv")
    rows = f"{columns}\na,b{places}\nc,'=d{places}\n"
    assert Path(told(session, "export_csv", table="sites")["path"]).read_text() == rows
    saved = told(session, "save_file", name="out.csv", layers=["sites"])
    assert Path(saved["path"]).read_text() == rows
    asked = session.call("sql", query="SELECT name, name_1 FROM sites")
    assert asked.text.startswith(
        "SQL takes names of columns that differ in capitals for one: of sites, name is name_1 here. "
    )


@pytest.mark.parametrize(("cells", "rows"), [("a\n,\nb\n", 'name\na\n""\nb\n'), ("a\nb\n", "name\na\nb\n")])
def test_a_row_of_one_empty_cell_is_a_row_of_the_csv(
    session: Session, folder: Path, cells: str, rows: str
) -> None:
    lines = [f"{each.rstrip(',')},4,50" for each in cells.split()]
    (folder / "sites.csv").write_text("\n".join(["name,lon,lat", *lines]))
    brought(session, folder / "sites.csv")
    saved = told(session, "save_file", name="out.csv", layers=[{"from": "sites", "columns": ["name"]}])
    assert Path(saved["path"]).read_text() == rows


def test_an_openstreetmaps_node_at_0_0_is_told_where_gdal_loses_it(session: Session, folder: Path) -> None:
    corners = [(0, 0), (0, 1), (1, 1), (1, 0)]
    nodes = "".join(f'<node id="{n}" lat="{lat}" lon="{lon}"/>' for n, (lat, lon) in enumerate(corners, 1))
    refs = "".join(f'<nd ref="{each}"/>' for each in (1, 2, 3, 4))
    way = f'<way id="9">{refs}<tag k="highway" v="path"/></way>'
    (folder / "a.osm").write_text(f'<?xml version="1.0"?><osm version="0.6">{nodes}{way}</osm>')
    said = brought(session, folder / "a.osm")
    assert "It has a node at exactly 0, 0, without which its lines and outlines were read." in said
    (folder / "b.osm").write_text(
        (folder / "a.osm").read_text().replace('lat="0" lon="0"', 'lat="0" lon="2"')
    )
    assert "exactly 0, 0" not in brought(session, folder / "b.osm")


def image(path: Path, numbers: Any, **said: Any) -> Path:
    """A GeoTIFF of one band in UTM, with what its file says beside its numbers."""
    rows, columns = numbers.shape
    place = {"crs": "EPSG:32631", "transform": from_origin(500_000, 5_600_000, 10, 10)}
    size = {"width": columns, "height": rows, "count": 1, "dtype": numbers.dtype}
    with rasterio.open(path, "w", driver="GTiff", **size, **place, nodata=said.pop("nodata", None)) as target:
        target.write(numbers, 1)
        target.update_tags(**said.pop("tags", {}))
        for name, value in said.items():
            setattr(target, name, value)
    return path


def test_an_undeclared_value_for_nothing_is_none_in_a_data_sets_images_too(
    session: Session, folder: Path
) -> None:
    heights = np.arange(400, dtype="int16").reshape(20, 20)
    heights[:5, :5] = -9999
    (folder / "dem").mkdir()
    image(folder / "dem" / "plain.tif", heights)
    image(folder / "dem" / "scaled.tif", heights, scales=(0.1,), offsets=(5.0,))
    image(folder / "dem" / "declared.tif", heights, nodata=-9999)
    image(folder / "dem" / "depth.tif", np.where(heights < 0, -999, heights - 800).astype("float32"))
    told(session, "db_ingest", path=str(folder / "dem"))
    left = heights[heights >= 0]
    for name, gain, offset in (("plain", 1, 0), ("scaled", 0.1, 5), ("declared", 1, 0)):
        event = session.call("raster_stats", raster=f"dem:{name}.tif")
        found = [event.data[each] for each in ("min", "max", "mean", "valid_pct")]
        assert found == pytest.approx(
            [left.min() * gain + offset, left.max() * gain + offset, left.mean() * gain + offset, 93.75], 1e-5
        )
        said = "-9,999 lies far from all its other numbers and was taken for nodata, though the file does not"
        assert (f"Of {name}.tif: {said} say so. " in event.text) == (name != "declared")
    assert session.call("raster_stats", raster="dem:scaled.tif").text.startswith(
        "Of scaled.tif: its numbers (int16) were turned into values by the scale and offset in the file: "
        "value = 0.1 x number + 5. Of scaled.tif: -9,999 lies far from all"
    )
    told(session, "add_raster_layer", image="dem:scaled.tif", name="shown")
    layer, world = session.state.map.layers[-1], session.world()
    lon, lat = transform("EPSG:32631", "EPSG:4326", [500_105], [5_599_995])
    assert values_at(layer, world, (lon[0], lat[0])) == [{"name": "b1", "value": pytest.approx(6.0)}]
    lon, lat = transform("EPSG:32631", "EPSG:4326", [500_005], [5_599_995])
    assert values_at(layer, world, (lon[0], lat[0])) == [{"name": "b1", "value": None}]
    # -999 lies among depths, and is one.
    depth = session.call("raster_stats", raster="dem:depth.tif")
    assert (depth.data["min"], depth.data["valid_pct"]) == (-999, 100)
    assert "nodata" not in depth.text


def test_a_data_sets_images_are_values_by_the_scale_and_offset_in_their_stac_item(
    session: Session, folder: Path
) -> None:
    numbers = np.arange(1000, 1400, dtype="uint16").reshape(20, 20)
    numbers[0] = 0
    (folder / "scenes").mkdir()
    image(folder / "scenes" / "red.tif", numbers)
    ring = [[3, 50], [3.1, 50], [3.1, 50.1], [3, 50.1], [3, 50]]
    bands = [{"nodata": 0, "scale": 0.0001, "offset": -0.1}]
    item = {
        "type": "Feature", "stac_version": "1.0.0", "id": "scene", "links": [],
        "geometry": {"type": "Polygon", "coordinates": [ring]},
        "properties": {"datetime": "2024-05-05T10:40:21Z"},
        "assets": {"red": {"href": "./red.tif", "roles": ["data"], "raster:bands": bands}},
    }  # fmt: skip
    links = [{"rel": "item", "href": "./red.json"}]
    root = {"type": "Catalog", "stac_version": "1.0.0", "id": "s", "description": "s", "links": links}
    (folder / "scenes" / "red.json").write_text(json.dumps(item))
    for name, files in (("as_stac", {"catalog.json": root}), ("as_rasters", {})):
        for file, content in files.items():
            (folder / "scenes" / file).write_text(json.dumps(content))
        told(session, "db_ingest", path=str(folder / "scenes"), name=name)
        (folder / "scenes" / "catalog.json").unlink(missing_ok=True)
        event = session.call("raster_stats", raster={"as_stac": "as_stac:scene"}.get(name, f"{name}:red.tif"))
        assert event.text.startswith(
            "Of red.tif: its numbers (uint16) were turned into values by the scale and offset in its STAC "
            "item: value = 0.0001 x number - 0.1. Of red.tif: 0 is nodata, as its STAC item says. "
        )
        values = [event.data[each] for each in ("min", "max", "mean", "valid_pct")]
        assert values == pytest.approx([0.002, 0.0399, 0.02095, 95], abs=1e-6)


METADATA = """<?xml version="1.0" encoding="UTF-8"?>
<n1:Level-2A_User_Product xmlns:n1="https://psd-14.sentinel2.eo.esa.int/PSD/User_Product_Level-2A.xsd">
<n1:General_Info><Product_Image_Characteristics><QUANTIFICATION_VALUES_LIST>
<BOA_QUANTIFICATION_VALUE unit="none">10000</BOA_QUANTIFICATION_VALUE></QUANTIFICATION_VALUES_LIST>
<BOA_ADD_OFFSET_VALUES_LIST>{offsets}</BOA_ADD_OFFSET_VALUES_LIST>
</Product_Image_Characteristics></n1:General_Info></n1:Level-2A_User_Product>"""
PRODUCT = "S2B_MSIL2A_20240505T104021_N0510_R008_T31UET_20240505T132145"
PIXELS = {"B01": 1160, "B02": 1210, "B03": 1310, "B04": 1410, "B05": 1520, "B08": 1810, "B8A": 1820, "SCL": 4}
"""The number of each pixel, but for the first row."""


def safe(folder: Path) -> Path:
    """A Sentinel-2 product of few pixels, with the names of a real one."""
    images = folder / f"{PRODUCT}.SAFE" / "GRANULE" / "L2A_T31UET_A037412_20240505T104021" / "IMG_DATA"
    for metres, codes in ((10, ("B02", "B03", "B04", "B08")), (20, ("B05", "B8A", "SCL")), (60, ("B01",))):
        (images / f"R{metres}m").mkdir(parents=True)
        side = 60 // metres * 10
        for code in codes:
            kind = "uint8" if code == "SCL" else "uint16"
            numbers = np.full((side, side), PIXELS[code], kind)
            numbers[0] = 0
            size = {"width": side, "height": side, "count": 1, "dtype": kind, "crs": "EPSG:32631"}
            at = from_origin(500_000, 5_600_000, metres, metres)
            path = images / f"R{metres}m" / f"T31UET_20240505T104021_{code}_{metres}m.jp2"
            with rasterio.open(
                path, "w", driver="JP2OpenJPEG", transform=at, REVERSIBLE="YES", QUALITY=100, **size
            ) as target:
                target.write(numbers, 1)
    offsets = "".join(f'<BOA_ADD_OFFSET band_id="{n}">-1000</BOA_ADD_OFFSET>' for n in range(13))
    (folder / f"{PRODUCT}.SAFE" / "MTD_MSIL2A.xml").write_text(METADATA.format(offsets=offsets))
    return folder / f"{PRODUCT}.SAFE"


def test_a_packed_safe_folder_comes_in_as_the_bands_of_a_resolution_in_reflectance(
    session: Session, folder: Path
) -> None:
    product = safe(folder)
    with zipfile.ZipFile(folder / "S2B.zip", "w") as packed:
        for each in sorted(product.rglob("*")):
            packed.write(each, each.relative_to(folder))
    said = brought(session, folder / "S2B.zip")
    assert said.startswith(
        "S2B is a Sentinel-2 product (Level-2A) of 4 bands of uint16, 60 x 60 pixels in EPSG:32631"
    )
    there = "B05, B8A at 20 m (part=20m), B01 at 60 m (part=60m), scene classes (part="
    rule = "turned into values by the scale and offset in the file: value = 0.0001 x number - 0.1."
    assert (
        f"It is B02, B03, B04, B08 at 10 m, by MTD_MSIL2A.xml. It also holds {there}"
        f"T31UET_20240505T104021_SCL_20m.jp2). Its numbers (uint16) were {rule} Its bands are called B02, "
        "B03, B04, B08."
    ) in said
    for raster, values in (
        ("S2B", {1: 0.021, 2: 0.031, 3: 0.041, 4: 0.081}),
        ("20m", {1: 0.052, 2: 0.082}),
        ("B8A", {1: 0.082}),
        ("T31UET_20240505T104021_B01_60m.jp2", {1: 0.016}),
    ):
        if raster != "S2B":
            raster = told(session, "add_file", file=str(folder / "S2B.zip"), part=raster)["raster"]
        for band, value in values.items():
            stats = told(session, "raster_stats", raster=raster)["statistics"][band - 1]
            assert (stats["min"], stats["max"]) == pytest.approx((value, value), abs=1e-6)
            assert stats["valid_pct"] < 100  # the row of 0
    classes = told(
        session, "add_file", file=str(folder / "S2B.zip"), part="T31UET_20240505T104021_SCL_20m.jp2"
    )
    assert told(session, "raster_stats", raster=classes["raster"])["max"] == 4
    wrong = session.call("add_file", file=str(folder / "S2B.zip"), part="30m")
    assert wrong.text == "'S2B.zip' has no bands at '30m'; it has 10m, 20m, 60m."


def test_the_bands_of_a_safe_folder_that_becomes_a_data_set_are_reflectance(
    session: Session, folder: Path
) -> None:
    told(session, "db_ingest", path=str(safe(folder)), name="safe")
    images = pd.read_csv(told(session, "export_csv")["path"]).set_index("name")["image_id"]
    name = "T31UET_20240505T104021_B04_10m.jp2"
    red = session.call("raster_stats", raster=images[name])
    said = "its numbers (uint16) were turned into values by the scale and offset in MTD_MSIL2A.xml: value = "
    nothing = f"Of {name}: 0 is nodata, as MTD_MSIL2A.xml says."
    assert red.text.startswith(f"Of {name}: {said}0.0001 x number - 0.1. {nothing} "), red.text
    found = [red.data[each] for each in ("min", "max", "valid_pct")]
    assert found == pytest.approx([0.041, 0.041, 98.333], abs=1e-3)
    classes = told(session, "raster_stats", raster=images["T31UET_20240505T104021_SCL_20m.jp2"])
    assert (classes["min"], classes["max"]) == (0, 4)


def test_what_a_geoparquet_says_of_its_shapes_and_is_not_honoured_is_said(
    session: Session, folder: Path
) -> None:
    frame = gpd.GeoDataFrame(
        {"a": [1], "bbox": ["mine"], "middle": gpd.GeoSeries([Point(4, 50)], crs=4326)},
        geometry=[box(4, 50, 5, 51)],
        crs=4326,
    )
    frame.to_parquet(folder / "plain.parquet")
    table = pq.read_table(folder / "plain.parquet")
    geo = json.loads(table.schema.metadata[b"geo"])
    geo["columns"]["geometry"] |= {"edges": "spherical", "orientation": "counterclockwise", "epoch": 2015.5}
    pq.write_table(table.replace_schema_metadata({"geo": json.dumps(geo)}), folder / "told.parquet")
    edges = (
        "ts edges are 'spherical', the shortest way on the globe; they were read as straight on the map, so "
        "long ones lie elsewhere, and areas are others"
    )
    epoch = "ts coordinates are as of 2015.5 (their epoch), and were not moved to another time"
    middle = "Its other columns of shapes ('middle') were left out."
    said = brought(session, folder / "told.parquet")
    assert f"I{edges}. I{epoch}. {middle} Its columns: a int64, bbox text." in said
    said = brought(session, folder / "plain.parquet")
    assert middle in said and "edges" not in said and "epoch" not in said
    ingested = told(session, "db_ingest", path=str(folder / "told.parquet"))
    notes = {f"i{edges}", f"i{epoch}", "its other columns of shapes ('middle') were left out"}
    assert {each["key"] for each in ingested["notes"]} == notes
    rows = pd.read_csv(told(session, "export_csv")["path"])
    assert (rows["a"].tolist(), rows["bbox"].tolist()) == ([1], ["mine"])


@pytest.mark.parametrize(
    ("shape", "count"), [("POINT M (4 50 7)", 2), ("POINT ZM (4 50 7 8)", 2), ("POINT (4 50)", 0)]
)
def test_measures_that_a_geopackages_layer_does_not_declare_are_said_to_be_left_out(
    session: Session, folder: Path, shape: str, count: int
) -> None:
    (folder / "m.csv").write_text(f'id,WKT\n1,"{shape}"\n2,"{shape}"\n')
    made = ["ogr2ogr", "-f", "GPKG", folder / "m.gpkg", folder / "m.csv", "-a_srs", "EPSG:4326"]
    kind = shape.partition(" (")[0].replace(" ", "")
    subprocess.run([*made, "-nlt", kind, "-lco", "SPATIAL_INDEX=NO"], check=True, capture_output=True)
    with closing(sqlite3.connect(folder / "m.gpkg")) as opened, opened:
        for (name,) in opened.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
            opened.execute(f'DROP TRIGGER "{name}"')
        opened.execute("UPDATE gpkg_geometry_columns SET m = 0, z = 0, geometry_type_name = 'POINT'")
    said = brought(session, folder / "m.gpkg")
    assert said.startswith("m is a GeoPackage layer of 2 features (2 points) in EPSG:4326")
    assert (f"The measures (M) of {count} of its features were left out." in said) == bool(count)

"""More troubles that people reported in public, each with an input made here and its right value.

The second table of `README.md` tells where each is from, and what was said of it before.
"""

from __future__ import annotations

import json
import zipfile
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import geopandas as gpd
import numpy as np
import pandas as pd
import pytest
import rasterio
from affine import Affine
from shapely.geometry import Point, box

from copilot.session import Session
from tests.field_reports.test_reports import session, small_catalogue, told, value_at

__all__ = ["session", "small_catalogue"]
ONE, TWO = 1582218195625938945, 1582218195625938944
"""Two ids that are one float."""


@pytest.fixture
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of the user's, outside of the app's own."""
    return tmp_path_factory.mktemp("own")


def brought(session: Session, path: Path, **asked: Any) -> str:
    """What is said of a file that comes in."""
    event = session.call("add_file", file=str(path), **asked)
    assert event.ok, event.text
    return event.text


def rows_of(session: Session, data: dict[str, Any]) -> pd.DataFrame:
    """The rows of the table or of the features that a call brought."""
    path = session.world().artifacts.find(str(data.get("table") or data["vector"]))
    assert path is not None
    return pd.read_parquet(path)


def ids(path: Path) -> Path:
    """Three points, of which the middle one has no id."""
    points = [Point(4, 50), Point(5, 50), Point(6, 50)]
    frame = gpd.GeoDataFrame({"ref": pd.array([ONE, None, TWO], dtype="Int64")}, geometry=points, crs=4326)
    if path.suffix == ".csv":
        path.write_text(f"ref,lon,lat\n{ONE},4,50\n,5,50\n{TWO},6,50\n")
    elif path.suffix == ".parquet":
        frame.to_parquet(path)
    elif path.suffix == ".geojson":
        features = [
            {
                "type": "Feature",
                "properties": {"ref": ref},
                "geometry": {"type": "Point", "coordinates": [4, 50]},
            }
            for ref in (ONE, None, TWO)
        ]
        path.write_text(json.dumps({"type": "FeatureCollection", "features": features}))
    else:
        frame.to_file(path)
    return path


@pytest.mark.parametrize("form", ["csv", "gpkg", "fgb", "parquet", "geojson"])
def test_long_ids_with_gaps_are_found_compared_and_exported_to_the_last_digit(
    session: Session, folder: Path, form: str
) -> None:
    assert "ref int64 (1 without a value)" in brought(session, ids(folder / f"ids.{form}"))
    for op, value, count in (("=", str(ONE), 1), (">", TWO, 1), (">=", TWO, 2), ("in", [TWO], 1)):
        found = told(session, "filter_rows", table="ids", field="ref", op=op, value=value)
        assert len(rows_of(session, found)) == count
    event = session.call("aggregate", table="ids", field="ref", function="max")
    assert event.text.startswith(
        "ref holds whole numbers over 2^53; their first 15 digits are computed with."
    )
    written = Path(told(session, "export_csv", table="ids")["path"]).read_text()
    assert str(ONE) in written and str(TWO) in written


def test_long_ids_stay_exact_in_rows_without_a_partner(session: Session, folder: Path) -> None:
    (folder / "a.csv").write_text(f"ref,n\n{ONE},1\n{TWO},2\n")
    (folder / "b.csv").write_text(f"ref,m\n{ONE},x\n")
    for name in ("a", "b"):
        brought(session, folder / f"{name}.csv")
    joined = told(session, "join_tables", table="a", other="b", on=["ref"], how="outer")
    rows = rows_of(session, joined)
    assert sorted(map(int, rows["ref"])) == [TWO, ONE] and [int(each) for each in rows["ref_2"].dropna()] == [
        ONE
    ]


def test_text_is_in_the_order_of_the_numbers_or_times_in_it(session: Session, folder: Path) -> None:
    (folder / "floors.csv").write_text("name,floor,day,price\na,10,12.01.2017,$1200\nb,9,15.04.2017,$3\n"
                                         "c,n/a,01.02.2017,$10\nd,100,oops,$20\n")  # fmt: skip
    brought(session, folder / "floors.csv")
    right = {"floor": "badc", "day": "acbd"}
    for column, order in right.items():
        event = session.call("sort_table", table="floors", by=[column])
        assert "".join(rows_of(session, dict(event.data))["name"]) == order
        assert "none, such as 'n/a'" in event.text or "not read as a time, such as 'oops'" in event.text
    event = session.call("top_n", table="floors", by="price", n=1)
    assert event.text.startswith("price is text and was put in order by its letters")


def test_days_that_are_no_iso_dates_are_counted_by_month(session: Session, folder: Path) -> None:
    (folder / "visits.csv").write_text("day,n\n31/01/2020,1\n05/02/2020,2\nlate,3\n")
    brought(session, folder / "visits.csv")
    event = session.call("resample_time", table="visits", by="month", field="n", function="sum", time="day")
    assert rows_of(session, dict(event.data))["value"].tolist() == [1, 2]
    assert "1 row has in 'day' what was not read as a time, such as 'late'" in event.text


def test_what_a_csv_has_beside_plain_cells_is_kept_or_said(session: Session, folder: Path) -> None:
    (folder / "values.csv").write_text("1,2.5,3\n4,5.5,6\n")
    assert "The first row looks like values and was taken for the names" in brought(
        session, folder / "values.csv"
    )
    (folder / "excel.csv").write_text("sep=;\na;b\n1;2\n")
    assert "1 row with a, b" in brought(session, folder / "excel.csv")
    (folder / "pipes.csv").write_text('n,size\n1,5" pipe\n2,plain\n')
    brought(session, folder / "pipes.csv")
    found = told(session, "filter_rows", table="pipes", field="n", op="=", value=1)
    assert rows_of(session, found)["size"].tolist() == ['5" pipe']
    (folder / "codes.csv").write_text("code,n\n123e4567,1\n9e999,2\n")
    assert "code text" in brought(session, folder / "codes.csv")


def test_dates_decimals_and_lists_of_a_parquet_stay_what_they_are(session: Session, folder: Path) -> None:
    rows = {
        "day": [date(2024, 1, 1), None],
        "cost": [Decimal("1.10"), Decimal("2.25")],
        "parts": [[1, 2], None],
    }
    pd.DataFrame(rows).to_parquet(folder / "costs.parquet")
    brought(session, folder / "costs.parquet")
    found = told(session, "filter_rows", table="costs", field="cost", op="<", value=2)
    (row,) = rows_of(session, found).to_dict("records")
    assert (row["day"], row["cost"], row["parts"].tolist()) == (date(2024, 1, 1), 1.1, [1, 2])
    assert session.call("aggregate", table="costs", field="cost", function="sum").data[
        "value"
    ] == pytest.approx(3.35)


def test_no_group_goes_from_a_count_or_a_sum_without_a_word(session: Session, folder: Path) -> None:
    frame = pd.DataFrame({"g": [f"g{number % 1500}" for number in range(6000)], "v": 1})
    frame.to_csv(folder / "many.csv", index=False)
    brought(session, folder / "many.csv")
    counted = session.call("group_count", table="many", by="g")
    rows = rows_of(session, dict(counted.data))
    assert (len(rows), int(rows["count"].sum())) == (1500, 6000)
    assert session.call("distinct_values", table="many", field="g").text.startswith(
        "g has 1,500 distinct values"
    )
    (folder / "gap.csv").write_text("g,v\na,\na,\nb,4\n")
    brought(session, folder / "gap.csv")
    event = session.call("aggregate", table="gap", field="v", by="g", function="mean")
    assert event.text.startswith("1 group has no value in v and is left out: a.")
    assert "nan" not in session.call("describe_table", table="gap").text


def test_an_own_column_lon_is_beside_where_a_row_lies(session: Session, folder: Path) -> None:
    gpd.GeoDataFrame({"lon": [1, 2]}, geometry=[box(4, 50, 5, 51), box(6, 50, 7, 51)], crs=4326).to_parquet(
        folder / "own.parquet"
    )
    brought(session, folder / "own.parquet")
    event = session.call("export_csv", table="own")
    assert event.text.startswith("The column lon is called lon_ here")
    assert pd.read_csv(event.data["path"])["lon_"].tolist() == [1, 2]


def degrees(path: Path, west: float, width: int) -> Path:
    """A GeoTIFF of one degree a pixel, four rows from the equator up, whose values are its columns."""
    values = np.broadcast_to(np.arange(width, dtype="float32"), (4, width))
    with rasterio.open(
        path, "w", driver="GTiff", width=width, height=4, count=1, dtype="float32", crs="EPSG:4326",
        transform=Affine(1, 0, west, 0, -1, 4),
    ) as target:  # fmt: skip
        target.write(values, 1)
    return path


@pytest.mark.parametrize(
    ("west", "width", "spots", "zone", "count", "mean"),
    [
        (0, 360, {-90.5: 269, 0.5: 0, 179.5: 179}, (-5, 0, 5, 4), 40, 179.5),
        (170, 20, {-179.5: 10, 170.5: 0}, (175, 0, 180, 4), 20, 7),
        (-200, 40, {170.5: 10, -179.5: 20}, (-180, 0, -175, 4), 20, 22),
        (-180.5, 360, {179.7: 0, -179.7: 0}, (179.6, 0, 180, 4), 4, 0),
    ],
    ids=["0 to 360", "170 to 190", "-200 to -160", "centred on 180"],
)
def test_a_raster_that_reaches_beyond_180_degrees_has_its_values_at_both_ends(
    session: Session, folder: Path, west: float, width: int, spots: dict[float, float],
    zone: tuple[float, float, float, float], count: int, mean: float,
) -> None:  # fmt: skip
    brought(session, degrees(folder / "grid.tif", west, width))
    for lon, right in spots.items():
        assert value_at(session, "grid", lon, 1.5) == right
    gpd.GeoDataFrame(geometry=[box(*zone)], crs=4326).to_file(folder / "zone.geojson")
    brought(session, folder / "zone.geojson")
    found = told(session, "zonal_stats", raster="grid", zones="zone", statistics="count,mean")
    assert (found["count"], found["mean"]) == (count, pytest.approx(mean))


@pytest.mark.parametrize(("said", "written"), [("1252", "utf-8"), ("UTF-8", "cp1252")])
def test_letters_are_believed_over_a_cpg(session: Session, folder: Path, said: str, written: str) -> None:
    names = ["Valle del Árrago", "Coruña"]
    frame = gpd.GeoDataFrame({"name": names}, geometry=[Point(-6, 40), Point(-8, 43)], crs=4326)
    frame.to_file(folder / "valleys.shp", encoding=written)
    (folder / "valleys.cpg").write_text(said)
    assert f"Its .cpg says {said!r}, but its letters are" in brought(session, folder / "valleys.shp")
    groups = told(session, "group_count", by="name", table="valleys")["groups"]
    assert {each["key"] for each in groups} == {"Valle del Árrago", "Coruña"}


def test_what_a_file_holds_beside_what_is_read_is_said(session: Session, folder: Path) -> None:
    (folder / "chile.csv").write_text("id,lat,NS,lon,EW\n1,33.5,S,70.6,W\n2,34.5,S,71.6,W\n")
    said = brought(session, folder / "chile.csv")
    assert "Its column 'NS' says which are south." in said and "Its column 'EW' says which are west." in said
    assert told(session, "centroid", vector="chile")["bbox"] == pytest.approx([-71.6, -34.5, -70.6, -33.5])
    frame = gpd.GeoDataFrame({"n": [1]}, geometry=[Point(4, 50, 12.5)], crs=4326)
    frame.to_file(folder / "high.geojson")
    said = brought(session, folder / "high.geojson")
    assert "1 of its features has heights, which are kept; maps and measures are flat." in said
    (folder / "swapped.csv").write_text("x,y\n317385.921,506000\n")
    said = brought(session, folder / "swapped.csv", crs="EPSG:3059")
    assert "outside of where EPSG:3059 is used" in said
    kml = '<kml xmlns="http://www.opengis.net/kml/2.2"><Document><Placemark><Point><coordinates>4,50</coordinates>'
    link = "<NetworkLink><Link><href>files/more.kml</href></Link></NetworkLink>"
    with zipfile.ZipFile(folder / "linked.kmz", "w") as packed:
        packed.writestr("doc.kml", f"{kml}</Point></Placemark>{link}</Document></kml>")
        packed.writestr("files/more.kml", f"{kml}</Point></Placemark></Document></kml>")
    said = brought(session, folder / "linked.kmz")
    assert "It also holds 'files/more.kml'" in said and "It links to other files" in said


def test_labels_belong_to_one_image_and_it_is_said_where_they_do_not_fit(
    session: Session, folder: Path
) -> None:
    for part, west in (("a", 10.0), ("b", 20.0)):
        (folder / "set" / part).mkdir(parents=True)
        with rasterio.open(
            folder / "set" / part / "1.tif", "w", driver="GTiff", width=20, height=10, count=1, dtype="uint8",
            crs="EPSG:4326", transform=Affine(0.01, 0, west, 0, -0.01, 50),
        ) as target:  # fmt: skip
            target.write(np.ones((1, 10, 20), "uint8"))
    labels = {
        "images": [
            {"id": 1, "file_name": "a/1.tif", "width": 20, "height": 10},
            {"id": 2, "file_name": "b/1.tif", "width": 40, "height": 20},
            {"id": 1, "file_name": "c.tif"},
        ],
        "annotations": [
            {"image_id": 1, "category_id": 1, "bbox": [0, 0, 4, 4]},
            {"image_id": 2, "category_id": 1, "bbox": [0, 0, 4, 4]},
        ],
        "categories": [{"id": 1, "name": "ship"}],
    }
    (folder / "set" / "labels.json").write_text(json.dumps(labels))
    event = session.call("db_ingest", path=str(folder / "set"), name="set")
    assert "Read 3 rows with 2 detections" in event.text
    for said in (
        "the labels say 40 x 20 pixels, and the image has 20 x 10",
        "its number is that of another image",
    ):
        assert said in event.text
    places = told(session, "db_query", columns=["name", "lon"])
    rows = rows_of(session, places).dropna(subset="lon").sort_values("lon")
    assert rows["lon"].round(1).tolist() == [10.1, 20.1]

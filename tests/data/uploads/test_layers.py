"""Files of several layers, what is asked of a file that takes no such thing, and tables that tell places."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import geopandas as gpd
import openpyxl
import pandas as pd
import pytest
import shapely

from data.uploads.errors import UploadError
from tests.data.uploads.samples import GPX, SAMPLES, frame, in_parts, vector, zipped
from tests.data.uploads.test_kinds import brought


def test_each_layer_of_a_file_is_named_and_can_be_asked_for(tmp_path: Path) -> None:
    boxes = frame()
    for layer, rows in {"first": boxes, "empty": boxes.iloc[:0], "second": boxes.iloc[:1]}.items():
        rows.to_file(tmp_path / "two.gpkg", driver="GPKG", layer=layer)
    (tmp_path / "walk.gpx").write_text(GPX)
    inside = {"a/two.gpkg": (tmp_path / "two.gpkg").read_bytes(), "b.geojson": boxes.to_json().encode()}
    zipped(tmp_path / "more.zip", inside)
    told = {
        "two.gpkg": ("first", ("first", "second"), "first"),
        "walk.gpx": ("waypoints", ("waypoints", "tracks"), "walk waypoints"),
        "more.zip": ("a/two.gpkg/first", ("a/two.gpkg/first", "a/two.gpkg/second", "b.geojson"), "first"),
    }
    for name, (part, parts, title) in told.items():
        found, _ = brought(tmp_path / name)
        assert (found.part, found.parts, found.title) == (part, parts, title)
        for each in parts:
            assert brought(tmp_path / name, part=each)[0].part == each
    points, kept = brought(tmp_path / "walk.gpx", part="track_points")
    assert points.facts["geometries"] == {"point": 2}
    assert shapely.get_coordinates(gpd.read_parquet(kept).geometry).tolist() == [[4, 51], [4.5, 51]]
    assert brought(tmp_path / "more.zip", part="b.geojson")[0].facts["count"] == 2


WITHOUT_CRS = frozenset(
    (
        "shapes.csv",
        "points.geojson",
        "sequence.geojson",
        "fields.geojsonl",
        "fields.topojson",
        "plan.dxf",
        "dem.asc",
    )
)
"""Samples that say nothing of their coordinate system, and can be in any."""


@pytest.mark.parametrize("name", SAMPLES)
def test_a_coordinate_system_that_is_asked_for_is_used_and_said_or_refused(tmp_path: Path, name: str) -> None:
    path = SAMPLES[name][0](tmp_path / name)
    try:
        found, _ = brought(path, crs="EPSG:3035")
    except UploadError as error:
        assert "leave crs out" in str(error) or "name its coordinate system with crs" in str(error)
        return
    assert found.facts["crs"] == "EPSG:3035"
    said = [note for note in found.notes if note.endswith("it was read in EPSG:3035, as was asked.")]
    assert len(said) == (name not in WITHOUT_CRS)


@pytest.mark.parametrize("name", SAMPLES)
def test_an_encoding_or_a_part_that_a_file_does_not_take_is_refused(tmp_path: Path, name: str) -> None:
    path = SAMPLES[name][0](tmp_path / name)
    with pytest.raises(UploadError, match=r"no-such"):
        brought(path, part="no-such")
    if not name.endswith((".csv", ".zip")):
        with pytest.raises(UploadError, match="leave encoding out"):
            brought(path, encoding="cp1251")


NAMED: dict[str, tuple[bytes, str]] = {
    "PMTiles": (b"PMTiles\x03", "a PMTiles archive of map tiles"),
    "Erdas Imagine": (b"EHFA_HEADER_TAG", "an Erdas Imagine raster"),
    "NITF": (b"NITF02.10", "a NITF"),
    "LAS": (b"LASF\0\0", "a LAS point cloud"),
    "DWG": (b"AC1027\0", "a DWG drawing"),
    "binary DXF": (b"AutoCAD Binary DXF\r\n\x1a\0", "a binary DXF"),
    "Access": (b"\0\1\0\0Standard Jet DB\0", "an Access database"),
}


@pytest.mark.parametrize("kind", NAMED)
def test_what_is_not_read_is_called_what_it_is(tmp_path: Path, kind: str) -> None:
    content, said = NAMED[kind]
    (tmp_path / "data.bin").write_bytes(content + bytes(100))
    with pytest.raises(UploadError, match=f"is {said}, which is not read"):
        brought(tmp_path / "data.bin")


def test_one_part_of_a_file_in_several_asks_for_the_others(tmp_path: Path) -> None:
    in_parts(tmp_path / "tab.zip", ".tab")
    (alone := tmp_path / "alone").mkdir()
    (alone / "fields.tab").write_bytes((tmp_path / "tab-parts" / "fields.tab").read_bytes())
    with pytest.raises(UploadError, match=r"one part of a MapInfo TAB file; send \.tab, \.dat, \.map"):
        brought(alone / "fields.tab")
    (alone / "fields.dbf").write_bytes(b"\x03\x7e\x01\x01" + bytes(60))
    with pytest.raises(UploadError, match="is the table of a shapefile"):
        brought(alone / "fields.dbf")


def test_lines_that_are_no_object_are_left_out_and_counted(tmp_path: Path) -> None:
    vector(tmp_path / "fields.geojsonl")
    with (tmp_path / "fields.geojsonl").open("a") as file:
        file.write("{broken\n")
    found, _ = brought(tmp_path / "fields.geojsonl")
    assert (found.facts["count"], found.facts["left_out"]) == (2, 1)
    assert "1 of its 3 features were left out: 1 for line 3 is no whole object." in found.notes


PLACED: dict[str, tuple[str, str | None]] = {
    "degrees, minutes and seconds": (
        "n;lat;lon\na;51°15'00\"N;4°15′0″E\n",
        "The coordinates of 1 row were read from",
    ),
    "degrees and minutes": (
        "n,latitude,longitude\na,51 15,4 15\n",
        "The coordinates of 1 row were read from",
    ),
    "EWKT": ("n,wkt\na,SRID=32631;POINT(587238.3091 5678368.6387)\n", "in EPSG:32631"),
    "hexadecimal WKB": (
        "n,geom\na,0101000020E6100000000000000000114000000000 00A04940\n".replace(" ", ""),
        None,
    ),
    "GeoJSON": ('n,geometry\na,"{""type"":""Point"",""coordinates"":[4.25,51.25]}"\n', None),
    "pairs": (
        'n,coordinates\na,"51.25, 4.25"\n',
        "Its column 'coordinates' was read as latitude, longitude.",
    ),
    "pairs, longitude first": (
        'n,location\na,"4.25 51.25"\nb,"-120.5 48"\n',
        "Its column 'location' was read as longitude, latitude.",
    ),
}


@pytest.mark.parametrize("way", PLACED)
def test_rows_lie_where_their_cells_say_in_whatever_way_they_say_it(tmp_path: Path, way: str) -> None:
    text, said = PLACED[way]
    (tmp_path / "rows.csv").write_text(text, encoding="utf-8")
    found, kept = brought(tmp_path / "rows.csv")
    first = gpd.read_parquet(kept).to_crs("EPSG:4326").geometry.iloc[0]
    assert (first.x, first.y) == pytest.approx((4.25, 51.25), abs=1e-6)
    assert said is None or said in " ".join([found.what, *found.notes])


def test_eastings_and_northings_are_placed_by_the_system_that_is_asked_for(tmp_path: Path) -> None:
    rows = pd.DataFrame(
        {"site": ["a"], "Easting": [587238.3091], "Northing": [5678368.6387], "zone": ["31N"]}
    )
    rows.to_csv(tmp_path / "sites.csv", index=False)
    rows.to_excel(tmp_path / "sites.xlsx", index=False)
    for name in ("sites.csv", "sites.xlsx"):
        found, _ = brought(tmp_path / name)
        said = " ".join(found.notes)
        assert (
            found.kind == "table"
            and "add it again with crs" in said
            and "Its column 'zone' says '31N'." in said
        )
        _, kept = brought(tmp_path / name, crs="EPSG:32631")
        first = gpd.read_parquet(kept).to_crs("EPSG:4326").geometry.iloc[0]
        assert (first.x, first.y) == pytest.approx((4.25, 51.25), abs=1e-6)


def test_a_column_of_geometries_in_several_systems_is_refused(tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text("n,wkt\na,SRID=4326;POINT(4 51)\nb,SRID=3857;POINT(4 51)\n")
    with pytest.raises(UploadError, match="several coordinate systems"):
        brought(tmp_path / "rows.csv")


def workbook(path: Path, rows: list[list[object]], *merged: str) -> Path:
    """An Excel workbook of one sheet with those cells."""
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    for row in rows:
        sheet.append(row)
    for each in merged:
        sheet.merge_cells(each)
    book.save(path)
    return path


def test_a_title_above_the_header_and_merged_cells_are_read_as_people_mean_them(tmp_path: Path) -> None:
    rows: list[list[object]] = [
        ["Stations of 2024"], [], ["region", "name", "level_m"], ["north", "a", 1.5], [None, "b", 2.5],
        ["south", "c", 3.5],
    ]  # fmt: skip
    found, kept = brought(workbook(tmp_path / "stations.xlsx", rows, "A1:C1", "A4:A5"))
    assert pd.read_parquet(kept).to_dict("list") == {
        "region": ["north", "north", "south"],
        "name": ["a", "b", "c"],
        "level_m": [1.5, 2.5, 3.5],
    }
    assert "Above its header stands 'Stations of 2024', which was left out." in found.notes
    assert "1 of its cells is a part of a merged one and was filled with its value." in found.notes


def test_a_row_of_groups_above_the_names_goes_before_them(tmp_path: Path) -> None:
    rows: list[list[object]] = [
        ["id", "2020", None, "2021", None], [None, "births", "deaths", "births", "deaths"], [1, 2, 3, 4, 5],
    ]  # fmt: skip
    _, kept = brought(workbook(tmp_path / "groups.xlsx", rows, "A1:A2", "B1:C1", "D1:E1"))
    names = ["id", "2020 births", "2020 deaths", "2021 births", "2021 deaths"]
    assert json.loads(pd.read_parquet(kept).to_json(orient="split"))["columns"] == names


def test_a_table_without_a_title_keeps_its_first_row_as_names(tmp_path: Path) -> None:
    rows: list[list[object]] = [["name", "note"], ["a", "a"], ["b", None]]
    found, kept = brought(workbook(tmp_path / "plain.xlsx", rows))
    assert pd.read_parquet(kept)["name"].tolist() == ["a", "b"]
    assert not [note for note in found.notes if "Above" in note or "merged" in note]


def test_merged_cells_that_lie_over_each_other_are_refused(tmp_path: Path) -> None:
    rows: list[list[object]] = [["a", "b"], [1, 2], [3, 4]]
    path = workbook(tmp_path / "over.xlsx", rows)
    with zipfile.ZipFile(path) as packed:
        parts = {name: packed.read(name) for name in packed.namelist()}
    blocks = "".join('<mergeCell ref="A1:XFD1048576"/>' for _ in range(9))
    sheet = parts["xl/worksheets/sheet1.xml"].replace(
        b"</sheetData>", f"</sheetData><mergeCells>{blocks}</mergeCells>".encode()
    )
    zipped(path, {**parts, "xl/worksheets/sheet1.xml": sheet})
    with pytest.raises(UploadError, match="merged cells that lie over each other"):
        brought(path)

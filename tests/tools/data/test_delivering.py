"""Files that are handed on, read back by the programs they are for."""

from __future__ import annotations

import csv
import json
import sqlite3
import zipfile
from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import geopandas as gpd
import numpy as np
import openpyxl
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pyogrio
import pytest
import shapely
from shapely.geometry import LineString, MultiPoint, Point, Polygon, box

from state.model import Artifact, State
from tests.tools.world import run
from tools.base import Step, World
from tools.data.delivering import save_file, write_file
from tools.data.to_save import Rows, with_parts
from tools.map.drawing import draw_bbox

SITES = "vector-0000aa"
BIG = 2**60 + 1
CLOCKWISE = Polygon([(31.2, 30.0), (31.2, 30.1), (31.3, 30.1), (31.3, 30.0)])


def sites() -> gpd.GeoDataFrame:
    """Five rows: ids of 64 bits, letters of three scripts, gaps, days, times, truths, a list, no place."""
    return gpd.GeoDataFrame(
        {
            "id": pd.array([BIG, None, 3, 4, 5], "Int64"),
            "name": ["خان الخليلي", "=1+1", "", None, "Käln ก"],
            "height": [1.5, None, -2.0, 0.1, 4e10],
            "open": pd.array([True, None, False, True, None], "boolean"),
            "day": [date(2020, 1, 2), None, date(1850, 5, 6), None, None],
            "seen": pd.to_datetime(pd.Series(["2020-01-02T03:04:05Z", *[None] * 4])),
            "code": ["007", "12", "x", " ", "3.0"],
        },
        geometry=[Point(31.2, 30.0), Point(31.3, 30.1), CLOCKWISE, None, MultiPoint([(31, 30), (32, 30)])],
        crs="EPSG:4326",
    )


def having(world: World, frame: gpd.GeoDataFrame, artifact: str = SITES, name: str = "Sites") -> State:
    frame.to_parquet(world.artifacts.path(artifact, ".parquet"))
    return State().with_artifact(Artifact(artifact, "vector", name, f"{len(frame)} rows", "test()"))


def points(frame: gpd.GeoDataFrame) -> gpd.GeoDataFrame:
    return frame[frame.geom_type == "Point"]


def saved(world: World, state: State, name: str, *layers: dict[str, Any], **more: Any) -> tuple[Path, Step]:
    step = run(world, state, save_file, name=name, layers=list(layers), **more)
    assert not step.failed, step.observation
    path = Path(step.data["path"])
    assert world.artifacts.find(step.data["document"]) == path and path.name == step.data["name"]
    assert sorted(each.name for each in path.parent.iterdir()) == [path.name, f"{path.name}.provenance.json"]
    return path, step


def refused(world: World, state: State, name: str, *layers: dict[str, Any], **more: Any) -> str:
    step = run(world, state, save_file, name=name, layers=list(layers), **more)
    assert step.failed and step.state == state
    return step.observation


def test_a_geopackage_has_each_layer_with_its_columns_types_and_system(world: World) -> None:
    state = having(world, sites())
    columns = ["name", {"name": "id"}, {"name": "HEIGHT", "as": "fid"}, "open", "day", "seen"]
    path, step = saved(
        world, state, "My sites.gpkg",
        {"from": SITES, "layer": "all", "columns": columns},
        {"from": "sites", "layer": "grid", "columns": ["id"], "crs": "national grid of Egypt"},
        {"from": SITES, "layer": "parts", "columns": ["id"], "geometry": "single"},
        {"from": SITES, "layer": "list", "columns": ["id"], "geometry": "none"},
    )  # fmt: skip
    assert path.name == "My-sites.gpkg"
    assert pyogrio.list_layers(path)[:, 0].tolist() == ["all", "grid", "parts", "list"]
    about, table = pyogrio.read_arrow(path, layer="all")
    assert about["crs"] == "EPSG:4326" and table.column_names == [
        "name",
        "id",
        "fid",
        "open",
        "day",
        "seen",
        "geom",
    ]
    kinds = [str(each) for each in table.schema.types[:6]]
    assert kinds == ["string", "int64", "double", "bool", "date32[day]", "timestamp[ms, tz=UTC]"]
    rows = table.drop_columns(["geom"]).to_pylist()
    assert rows[0] == {"name": "خان الخليلي", "id": BIG, "fid": 1.5, "open": True, "day": date(2020, 1, 2),
                       "seen": datetime(2020, 1, 2, 3, 4, 5, tzinfo=UTC)}  # fmt: skip
    assert [each["name"] for each in rows] == [*sites()["name"].tolist()[:3], None, "Käln ก"]
    assert list(rows[1].values()) == ["=1+1", None, None, None, None, None]
    grid = gpd.read_file(path, layer="grid")
    assert grid.crs == "EPSG:22992" and grid.geometry.iloc[0] == sites().to_crs(22992).geometry.iloc[0]
    parts = gpd.read_file(path, layer="parts")
    assert parts.geom_type.tolist()[:3] == ["Point", "Point", "Polygon"]
    assert parts["id"].tolist()[4:] == [5, 5] and set(parts.geom_type.tolist()[4:]) == {"Point"}
    assert sqlite3.connect(path).execute('select count(*) from "list"').fetchone() == (5,)
    assert "5 rows became 6, one for each single part" in step.observation
    assert "EPSG:22992 (Egypt 1907 / Red Belt)" in step.observation
    assert "all: 5 rows; name (text), id (integer), fid (number)" in step.observation
    assert "the file is called My-sites.gpkg" in step.observation


def test_a_geojson_is_of_rfc_7946_with_the_asked_members_alone(world: World) -> None:
    frame = sites().to_crs("EPSG:32636")
    path, step = saved(
        world, having(world, frame), "s.geojson", {"from": SITES, "columns": ["id", "open"]},
        members={"dropped_count": 20, "by": "me"},
    )  # fmt: skip
    plain = json.loads(path.read_text())
    assert list(plain) == ["type", "dropped_count", "by", "features"] and plain["dropped_count"] == 20
    assert plain["features"][0]["properties"] == {"id": BIG, "open": True}
    assert list(plain["features"][0]) == ["type", "properties", "geometry"]
    assert plain["features"][3]["geometry"] is None
    shell = shapely.geometry.shape(plain["features"][2]["geometry"]).exterior
    assert shell.is_ccw and shell.centroid.distance(Point(31.25, 30.05)) < 1e-6
    assert "reprojected from EPSG:32636 to EPSG:4326" in step.observation
    assert "1 shell turned counter-clockwise" in step.observation
    path, step = saved(world, having(world, frame), "m.geojson", {"from": SITES, "crs": "EPSG:32636"})
    assert gpd.read_file(path).crs == "EPSG:32636" and "old member `crs`" in step.observation


def test_a_column_becomes_the_features_own_ids(world: World) -> None:
    state = having(world, sites())
    columns = ["name", {"name": "code", "as": "ref"}]
    for asked in ("code", "ref"):
        path, _ = saved(world, state, "i.geojson", {"from": SITES, "columns": columns, "id": asked})
        features = json.loads(path.read_text())["features"]
        assert [each["id"] for each in features] == ["007", "12", "x", " ", "3.0"]
        assert features[1]["properties"] == {"name": "=1+1"}
    path, _ = saved(world, state, "i.geojson", {"from": SITES, "columns": ["name"], "id": "id"})
    features = json.loads(path.read_text())["features"]
    assert (
        features[0]["id"] == BIG and "id" not in features[1] and list(features[0]["properties"]) == ["name"]
    )
    assert "own in a .geojson only, not in GeoPackage" in refused(
        world, state, "i.gpkg", {"from": SITES, "id": "id"}
    )


def test_an_empty_polygon_has_no_ring(world: World) -> None:
    frame = sites().iloc[:1].set_geometry([Polygon()], crs="EPSG:4326")
    path, _ = saved(world, having(world, frame), "e.geojson", {"from": SITES, "columns": ["id"]})
    assert json.loads(path.read_text())["features"][0]["geometry"] == {"type": "Polygon", "coordinates": []}


def test_json_in_a_column_of_texts_becomes_what_it_says_unless_text_is_asked_for(world: World) -> None:
    frame = sites().assign(
        tags=['{"a": [1]}', None, "[]", "[2, null]", None], odd=["[1]", "[draft]", *["[]"] * 3]
    )
    state = having(world, frame)
    path, step = saved(world, state, "j.geojson", {"from": SITES, "columns": ["tags", "odd"]})
    properties = [each["properties"] for each in json.loads(path.read_text())["features"]]
    assert [each["tags"] for each in properties] == [{"a": [1]}, None, [], [2, None], None]
    assert [each["odd"] for each in properties] == ["[1]", "[draft]", "[]", "[]", "[]"]
    assert "the JSON of tags became objects and lists" in step.observation
    path, _ = saved(world, state, "j.json", {"from": SITES, "columns": [{"name": "tags", "type": "text"}]})
    assert json.loads(path.read_text())[0] == {"tags": '{"a": [1]}'}


def test_parquet_keeps_exact_types_and_has_shapes_only_where_there_are(world: World) -> None:
    state = having(world, sites().to_crs("EPSG:32636"))
    path, _ = saved(world, state, "s.parquet", {"from": SITES})
    frame = gpd.read_parquet(path)
    assert frame.crs == "EPSG:32636" and list(frame.columns) == list(sites().columns)
    table = pq.read_table(path)
    assert table["id"].to_pylist()[:2] == [BIG, None] and str(table.schema.field("open").type) == "bool"
    path, _ = saved(world, state, "t.parquet", {"from": SITES, "geometry": "none", "columns": ["day", "id"]})
    plain = pq.read_table(path)
    assert [(each.name, str(each.type)) for each in plain.schema] == [("day", "date32[day]"), ("id", "int64")]
    assert not plain.schema.metadata


def test_flatgeobuf_and_kml_have_the_rows_in_their_order(world: World) -> None:
    state = having(world, points(sites()))
    path, _ = saved(world, state, "s.fgb", {"from": SITES, "columns": ["id", "name"], "crs": "utm"})
    found = gpd.read_file(path)
    assert found.crs == "EPSG:32636" and list(found.columns) == ["id", "name", "geometry"]
    assert pyogrio.read_arrow(path)[1]["id"].to_pylist() == [BIG, None]
    path, _ = saved(world, state, "s.kml", {"from": SITES, "columns": ["id", "name", "open"]})
    kml = pyogrio.read_dataframe(path)
    assert kml["Name"].tolist()[0] == "خان الخليلي" and kml.geom_type.tolist() == ["Point", "Point"]
    assert f">{BIG}<" in path.read_text()
    assert "KML holds degrees only" in refused(world, state, "s.kml", {"from": SITES, "crs": "utm"})


def test_a_shapefile_says_what_it_cuts_and_has_a_file_for_each_kind(world: World) -> None:
    frame = sites().assign(a_very_long_name=["ø" * 200, "", None, "x", "y"])
    path, step = saved(world, having(world, frame), "s.shp.zip", {"from": SITES, "layer": "Orte"})
    with zipfile.ZipFile(path) as file:
        assert {each for each in file.namelist() if each.endswith(".shp")} == {
            "Orte_points.shp", "Orte_polygons.shp", "Orte_multipoints.shp"
        }  # fmt: skip
    found = gpd.read_file(f"zip://{path}!Orte_points.shp")
    assert found["id"].tolist()[0] == str(BIG) and found["name"].tolist()[0] == "خان الخليلي"
    assert "a_very_long_name is called a_very_lon" in step.observation
    assert "1 text of a_very_long_name cut to 254 bytes" in step.observation
    assert len(found["a_very_lon"][0]) == 127


def test_sheets_and_text_have_cells_that_nothing_runs(world: World) -> None:
    state = having(world, sites())
    columns = ["id", "name", "open", "day", "seen"]
    path, step = saved(world, state, "s.csv", {"from": SITES, "columns": columns, "geometry": "keep"})
    rows = list(csv.reader(path.read_text(encoding="utf-8").splitlines()))
    assert rows[0] == [*columns, "wkt"]
    assert rows[1] == [
        str(BIG),
        "خان الخليلي",
        "true",
        "2020-01-02",
        "2020-01-02T03:04:05Z",
        "POINT (31.2 30)",
    ]
    assert rows[2][:3] == ["", "'=1+1", ""] and "1 cell that a spreadsheet would run" in step.observation
    path, _ = saved(world, state, "s.xlsx", {"from": SITES, "layer": "a/b", "columns": columns},
                    {"from": SITES, "columns": ["id"]})  # fmt: skip
    book = openpyxl.load_workbook(path)
    assert book.sheetnames == ["a-b", "Sites"]
    cells = [list(row) for row in book["a-b"].values]
    assert cells[:2] == [
        columns,
        [str(BIG), "خان الخليلي", True, datetime(2020, 1, 2), "2020-01-02T03:04:05+00:00"],
    ]
    assert book["a-b"]["B3"].data_type == "s" and cells[3][3] == "1850-05-06"
    assert [row[0] for row in book["Sites"].values] == ["id", str(BIG), None, 3, 4, 5]


def test_records_are_one_list_of_json_objects(world: World) -> None:
    frame = sites().assign(tags=[["a", None], [], None, ["ก"], ["b"]])
    path, _ = saved(
        world, having(world, frame), "s.json", {"from": SITES, "columns": ["id", "tags", "height"]}
    )
    assert json.loads(path.read_text())[:3] == [
        {"id": BIG, "tags": ["a", None], "height": 1.5},
        {"id": None, "tags": [], "height": None},
        {"id": 3, "tags": None, "height": -2.0},
    ]
    path, _ = saved(
        world, having(world, frame), "g.json", {"from": SITES, "columns": ["id"], "geometry": "keep"}
    )
    assert json.loads(path.read_text())[0]["geometry"] == {"type": "Point", "coordinates": [31.2, 30.0]}


def test_json_is_an_object_with_members_several_layers_or_of_one_row(world: World) -> None:
    state = having(world, sites())
    one = having(world, sites().iloc[:1], "vector-0000bb", "One")
    state = state.with_artifact(one.artifacts[0])
    names, row = (
        {"from": SITES, "columns": ["code"], "layer": "all"},
        {"from": "One", "columns": ["id", "code"]},
    )
    codes = [{"code": each} for each in ("007", "12", "x", " ", "3.0")]
    as_object = {**row, "rows": "object"}
    for layers, members, expected in (
        ([names], {"n": 5}, {"n": 5, "all": codes}),
        ([names, row], {}, {"all": codes, "One": [{"id": BIG, "code": "007"}]}),
        ([as_object], {}, {"id": BIG, "code": "007"}),
        ([as_object], {"n": 1}, {"n": 1, "id": BIG, "code": "007"}),
        ([names, as_object], {"n": 1}, {"n": 1, "all": codes, "One": {"id": BIG, "code": "007"}}),
    ):
        path, _ = saved(world, state, "o.json", *layers, members=members)
        found = json.loads(path.read_text())
        assert found == expected and list(found) == list(expected)
    for layer, members, said in (
        ({**names, "rows": "object"}, {}, "Sites has 5 rows, and an object is made of one"),
        (names, {"all": 1}, "'all' is a member and a layer"),
        (as_object, {"id": 1}, "'id' is a member and a column"),
    ):
        assert said in refused(world, state, "o.json", layer, members=members)
    assert "an object in a .json only" in refused(world, state, "o.csv", as_object)


@pytest.mark.parametrize(
    ("kind", "found", "said"),
    [
        (
            "integer",
            [7, 12, None, None, 3],
            "1 value could not be converted and became null, such as 'x'; 1 blank",
        ),
        ("number", [7.0, 12.0, None, None, 3.0], "such as 'x'"),
        ("boolean", [None, None, None, None, None], "4 values could not be converted"),
        ("text", ["007", "12", "x", " ", "3.0"], ""),
    ],
)
def test_a_type_is_what_it_says_and_what_is_lost_is_counted(
    world: World, kind: str, found: list[Any], said: str
) -> None:
    column = {"name": "code", "as": "code2", "type": kind}
    path, step = saved(world, having(world, sites()), "t.parquet", {"from": SITES, "columns": [column]})
    assert pq.read_table(path)["code2"].to_pylist() == found and said in step.observation


@pytest.mark.parametrize(
    ("texts", "kind"),
    [
        (["2020-01-02T03:04:05Z", None], pa.timestamp("us", "UTC")),
        (["2020-01-02 05:04:05+02:00", "2020-01-02T03:04:05"], pa.timestamp("us", "UTC")),
        (["2020-01-02T03:04:05", None], pa.timestamp("us")),
    ],
)
def test_a_text_with_a_zone_becomes_a_time_in_utc(world: World, texts: list[Any], kind: pa.DataType) -> None:
    state = having(world, sites().iloc[:2].assign(at=texts))
    columns = [{"name": "at", "type": "time"}]
    path, _ = saved(world, state, "z.parquet", {"from": SITES, "columns": columns, "geometry": "none"})
    table = pq.read_table(path)
    assert table.schema.field("at").type == kind
    assert table["at"][0].as_py().isoformat()[:19] == "2020-01-02T03:04:05"


def test_a_layer_may_be_its_name_and_a_type_what_programs_call_it(world: World) -> None:
    state = having(world, sites())
    step = run(world, state, save_file, name="a.csv", layers="Sites")
    assert not step.failed and len(step.data["layers"][0]["columns"]) == 7
    path, _ = saved(world, state, "t.json", {"from": SITES, "columns": [{"name": "height", "type": "str"}]})
    assert json.loads(path.read_text())[0] == {"height": "1.5"}


def test_days_are_read_as_their_column_writes_them(world: World) -> None:
    frame = sites().assign(
        when=["31/12/2020", "1/2/2021", "", None, "never"], whole=[1.0, 2.0, None, 4.0, 5.0]
    )
    columns = [
        {"name": "when", "type": "date"},
        {"name": "whole", "type": "text"},
        {"name": "id", "type": "text"},
    ]
    path, step = saved(world, having(world, frame), "t.json", {"from": SITES, "columns": columns})
    rows = json.loads(path.read_text())
    assert [each["when"] for each in rows] == ["2020-12-31", "2021-02-01", None, None, None]
    assert [each["whole"] for each in rows] == ["1", "2", None, "4", "5"] and rows[0]["id"] == str(BIG)
    assert "read with the day first" in step.observation and "such as 'never'" in step.observation


def test_where_it_came_from_stands_beside_it_and_nowhere_in_it(world: World, full: State) -> None:
    path, step = saved(world, full, "all.geojson", {"from": "selection", "columns": ["image_id"]})
    about = json.loads(path.with_name("all.geojson.provenance.json").read_text())
    assert about["layers"][0]["note"] == "sample data: generated positions and labels"
    assert about["layers"][0]["rows"] == 26 and about["file"] == "all.geojson"
    assert "sample data" not in path.read_text() and "Its rows are sample data" in step.observation
    assert len(json.loads(path.read_text())["features"]) == 26
    drawn = run(world, State(), draw_bbox, bbox=[4.0, 51.0, 5.0, 52.0]).state
    path, step = saved(world, drawn, "d.gpkg", {"from": "drawings"})
    assert gpd.read_file(path).geometry.iloc[0].equals(box(4, 51, 5, 52)) and "sample" not in step.observation


def test_a_table_has_places_only_where_the_format_is_of_places(world: World) -> None:
    pd.DataFrame({"lon": [4.0, None], "lat": [52.0, 1.0], "n": [1, 2]}).to_parquet(
        world.artifacts.path("table-0000aa", ".parquet")
    )
    state = State().with_artifact(Artifact("table-0000aa", "table", "Places", "2 rows", "test()"))
    path, _ = saved(world, state, "p.geojson", {"from": "Places"})
    shapes = [each["geometry"] for each in json.loads(path.read_text())["features"]]
    assert shapes == [{"type": "Point", "coordinates": [4.0, 52.0]}, None]
    path, _ = saved(world, state, "p.parquet", {"from": "Places"})
    assert pq.read_table(path).column_names == ["lon", "lat", "n"]


@pytest.mark.parametrize(
    ("name", "layer", "more", "said"),
    [
        ("../up.csv", {}, {}, "is a path; give a name alone"),
        ("a.docx", {}, {}, "ends in no format that is written; .csv, .fgb"),
        ("a.csv", {"from": "Sitez"}, {}, "Did you mean 'Sites'?"),
        ("a.csv", {"columns": ["naem"]}, {}, "no column 'naem'. Did you mean name?"),
        ("a.csv", {"columns": ["id", {"name": "code", "as": "id"}]}, {}, "Two columns would be called 'id'"),
        ("a.csv", {"columns": [{"name": "id", "typ": "text"}]}, {}, "no 'typ' in 'layers.0.columns.0'"),
        ("a.csv", {"columns": [{"name": "id", "type": "blob"}]}, {}, "'layers.0.columns.0.type'"),
        ("a.csv", {"colums": ["id"]}, {}, "no 'colums' in 'layers.0'. What goes in"),
        ("a.gpkg", {"crs": "Narnia"}, {}, "'Narnia' is no coordinate system"),
        ("a.gpkg", {}, {"members": {"n": 1}}, "GeoPackage has no members"),
        ("a.geojson", {}, {"members": {"type": 1}}, "'type' is GeoJSON's own"),
    ],
)  # fmt: skip
def test_what_cannot_be_saved_is_refused_with_what_could(
    world: World, name: str, layer: dict[str, Any], more: dict[str, Any], said: str
) -> None:
    assert said in refused(world, having(world, sites()), name, {"from": SITES, **layer}, **more)


def test_one_layer_formats_and_layers_of_one_name_are_refused(world: World) -> None:
    state = having(world, sites())
    assert "CSV holds one layer, and 2 are given" in refused(world, state, "a.csv", *[{"from": SITES}] * 2)
    assert "Two layers would be called 'Sites'" in refused(world, state, "a.gpkg", *[{"from": SITES}] * 2)


def test_no_rows_and_shapes_of_every_kind_are_written_by_each_format(world: World) -> None:
    mixed = [Point(1, 2, 3), LineString([(0, 0), (1, 1)]), box(0, 0, 1, 1), Polygon(), None]
    frames = (gpd.GeoDataFrame({"n": [1] * 5}, geometry=mixed, crs=4326), sites().iloc[:0])
    for number, frame in enumerate(frames):
        for ending in (".gpkg", ".geojson", ".parquet", ".fgb", ".zip", ".kml", ".csv", ".xlsx", ".json"):
            state = having(world, frame)
            _, step = saved(world, state, f"m{number}{ending}", {"from": SITES, "geometry": "multi"})
            assert step.data["rows"] == len(frame)


def test_features_without_a_column_are_features(world: World) -> None:
    text = '{"type": "Point", "coordinates": [4.5, 52.0]}'
    world.artifacts.path("vector-0000bb", ".geojson").write_text(text)
    state = State().with_artifact(Artifact("vector-0000bb", "vector", "Bare", "1 feature", "test()"))
    for ending in (".gpkg", ".geojson", ".parquet", ".fgb", ".zip", ".kml"):
        layer = {"from": "Bare", "geometry": "single", "crs": None}
        path, step = saved(world, state, f"b{ending}", layer)
        assert step.data["rows"] == 1 and "Bare: 1 row; no columns; Point" in step.observation
        if ending == ".zip":
            path = Path(f"zip://{path}")
        found = gpd.read_parquet(path) if ending == ".parquet" else gpd.read_file(str(path))
        assert found.geometry.force_2d().to_list() == [Point(4.5, 52.0)]
    assert "no columns and no shapes there" in refused(world, state, "b.csv", {"from": "Bare"})


def test_single_parts_keep_the_order_of_rows_through_collections() -> None:
    shapes = np.array(
        [None, shapely.from_wkt("GEOMETRYCOLLECTION(MULTIPOINT(1 1,2 2),POINT(3 3))"), Point(9, 9)]
    )
    rows = with_parts(Rows("a", "a", "a", pa.table({"n": [1, 2, 3]}), shapes), "single")
    assert rows.table["n"].to_pylist() == [1, 2, 2, 2, 3]
    assert [None if each is None else each.x for each in rows.shapes] == [None, 1, 2, 3, 9]  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("name", "content", "text", "said"),
    [
        ("a.json", '{"b": 1, "a": []}', '{\n "b": 1,\n "a": []\n}\n', "with 2 keys: b and a"),
        ("a.json", [{"x": 1}, {"y": 2}], None, "a JSON list of 2 values with x and y"),
        ("a.json", 5, "5\n", "a JSON value"),
        ("a.csv", [{"a": 1, "b": "=x"}, {"c": True}], "a,b,c\n1,'=x,\n,,true\n", "2 rows of a, b and c"),
        ("a.csv", "a;b\n1;2\n", "a;b\n1;2\n", "CSV as given"),
        ("a.md", "# Käln\n", "# Käln\n", "text, 1 line"),
        ("a.geojson", {"type": "Feature", "properties": {}, "geometry": None}, None, "GeoJSON, 1 feature"),
    ],
)  # fmt: skip
def test_a_document_is_written_as_it_is_given(
    world: World, name: str, content: Any, text: str | None, said: str
) -> None:
    step = run(world, State(), write_file, name=name, content=content)
    assert not step.failed and said in step.observation, step.observation
    path = Path(step.data["path"])
    assert path.name == name and world.artifacts.find(step.data["document"]) == path
    assert text is None or path.read_text() == text


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("a.json", "{nope", "The content is no JSON at line 1"),
        ("a.json", '{"a": NaN}', "The content is no JSON"),
        ("a.geojson", {"a": 1}, "That is no GeoJSON: it needs a type"),
        ("a.geojson", {"type": "FeatureCollection", "features": [1]}, "feature 1 is no Feature"),
        ("a.geojson", {"type": "Point", "coordinates": ["x"]}, "geometry of feature 1 cannot be read"),
        ("a.csv", {"a": 1}, "A CSV is written of a list of records"),
        ("a.txt", [1], "A text file is written of text"),
        ("a.txt", "x" * 300_000, "take more than 256 KiB"),
        ("a.exe", "x", "ends in no format that is written"),
    ],
)  # fmt: skip
def test_what_is_no_such_document_is_refused(world: World, name: str, content: Any, said: str) -> None:
    step = run(world, State(), write_file, name=name, content=content)
    assert step.failed and said in step.observation, step.observation


def test_a_file_is_written_whole_or_not_at_all(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    def breaks(*_: object) -> list[str]:
        raise MemoryError

    state = having(world, sites())
    from tools.data import writing

    monkeypatch.setitem(writing.WAYS, ".json", replace(writing.WAYS[".json"], write=breaks))
    assert run(world, state, save_file, name="a.json", layers=[{"from": SITES}]).failed
    folders = list(world.artifacts.path("x", "").parent.glob("*.d"))
    assert [list(each.iterdir()) for each in folders] == [[]]


def test_a_csv_changes_no_text_that_runs_nothing(world: World) -> None:
    texts = ["-", "+49 30 1234", "- none", "-12,5", "=1+1", "+SUM(A1)", "-cmd|' /C calc'!A0", "@home", "a-b"]
    frame = gpd.GeoDataFrame({"unit": texts}, geometry=[None] * len(texts), crs="EPSG:4326")
    path, step = saved(world, having(world, frame), "u.csv", {"from": SITES, "geometry": "none"})
    with path.open(newline="") as file:
        kept = [row[0] for row in csv.reader(file)][1:]
    assert kept == [*texts[:4], *(f"'{each}" for each in texts[4:8]), "a-b"]
    assert "4 cells that a spreadsheet would run got an apostrophe in front" in step.observation

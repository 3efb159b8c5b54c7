"""What is told of files, layers and tables."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path
from typing import Any

import geopandas as gpd
import pandas as pd
import pytest
from shapely.geometry import MultiPolygon, Point, Polygon, box

from data.documents.errors import DocumentError
from state.model import State
from tests.tools.world import run
from tools.base import World
from tools.data import read_back
from tools.data.delivering import save_file, write_file
from tools.data.inspecting import inspect
from tools.data.summaries import group_count
from tools.database.reading import db_query
from tools.python.files_in import add_file


def test_each_layer_of_a_file_is_told_as_it_is_stored_and_as_it_is_kept(world: World, tmp_path: Path) -> None:
    path = tmp_path / "planning.gpkg"
    bow = Polygon([(2, 50), (2.01, 50.01), (2.01, 50), (2, 50.01)])
    zones = gpd.GeoDataFrame(
        {"code": ["1,5", "10,25", "2,0"], "kind": ["a", None, "a"]},
        geometry=[MultiPolygon([box(2, 50, 2.01, 50.01)]), MultiPolygon([bow]), None],
        crs="EPSG:4326",
    ).to_crs("EPSG:32631")
    zones.to_file(path, layer="zones")
    gpd.GeoDataFrame({"n": [1]}, geometry=[Point(2, 50)], crs="EPSG:4326").to_file(path, layer="stops")
    state = run(world, State(), add_file, file=str(path)).state
    step = run(world, state, inspect, source="planning.gpkg")
    zone, stop = sorted(step.data["layers"], key=lambda each: -each["rows"])
    assert (zone["layer"], zone["file_crs"], zone["crs"]) == ("zones", "EPSG:32631", "EPSG:32631")
    assert zone["geometry_types"] == {"MultiPolygon": 2}
    assert zone["bounds"] == zones.total_bounds.tolist()
    assert (zone["rows"], zone["file_left_out"], zone["without_shape"], zone["invalid"]) == (3, 0, 1, 1)
    code, kind = zone["columns"]
    assert (code["stored"], code["meant"]) == ("text", "numbers with a decimal comma")
    assert (code["least"], code["most"]) == ("1,5", "10,25")
    assert (kind["nulls"], kind["distinct"]) == (1, 1)
    assert (stop["layer"], stop["geometry_types"], stop["first"]) == ("stops", {"Point": 1}, [{"n": 1}])
    assert "2 MultiPolygon, kept in EPSG:32631" in step.observation
    assert "the layer 'zones' of planning.gpkg. " in step.observation
    assert step.observation.startswith("planning.gpkg: 2 layers here. ")
    assert kind["values"] == {"a": 2} if "values" in kind else kind["samples"] == ["a"]
    assert step.state == state
    one = run(world, state, inspect, source="stops")
    assert [each["layer"] for each in one.data["layers"]] == ["stops"]


def test_a_table_has_columns_and_rows_and_what_has_none_is_refused(world: World, full: State) -> None:
    made = run(world, full, group_count, by="dataset")
    step = run(world, made.state, inspect, source=made.data["table"])
    [told] = step.data["layers"]
    assert [each["name"] for each in told["columns"]] == ["dataset", "count"]
    assert len(told["first"]) == 3 and "crs" not in told
    gone = run(world, made.state, inspect, source="nothing")
    assert gone.failed and "nothing" in gone.observation


def test_a_saved_file_is_read_back_and_the_values_of_words_are_listed(world: World, full: State) -> None:
    queried = run(world, full, db_query, limit=26, columns=["image_id", "dataset"])
    table = queried.data["table"]
    saved = run(world, queried.state, save_file, name="rows.csv", layers=[{"from": table}])
    [back] = run(world, saved.state, inspect, source="rows.csv").data["layers"]
    [kept] = run(world, saved.state, inspect, source=table).data["layers"]
    assert back["columns"] == kept["columns"] and back["rows"] == 26
    assert sum(kept["columns"][1]["values"].values()) == 26 and "values" not in kept["columns"][0]
    text = run(world, saved.state, write_file, name="note.md", content="Hello.")
    refused = run(world, text.state, inspect, source="note.md")
    said = "note.md is a document and has no layers to read back; read_text reads texts."
    assert (refused.failed, refused.observation) == (True, said)


def told(world: World, state: State, name: str) -> tuple[str, list[dict[str, Any]]]:
    step = run(world, state, inspect, source=name)
    assert not step.failed, step.observation
    return step.observation, step.data["layers"]


def types(layer: dict[str, Any]) -> dict[str, str]:
    return {each["name"]: each["in_file"] for each in layer["columns"]}


def test_what_would_mislead_in_columns_and_shapes_is_told(world: World, tmp_path: Path) -> None:
    bow = Polygon([(24.9, 60), (25, 60.2), (25, 60), (24.9, 60.2)])
    shapes = [box(24.123456789012, 60, 25, 61), None, bow, bow, bow, bow]
    rows = {
        "name": ["Käpylä", " käpylä", "", " ", None, "Vallila"],
        "day": ["13-02-2020", "14/02/2020", "2019-04-01", "", None, "15/02/2020"],
        "about": ['{"name": {"fi": "Kallio"}, "taps": 2}', '{"taps": "2"}', None, None, None, None],
    }
    frame = gpd.GeoDataFrame(rows, geometry=shapes, crs="EPSG:4326")
    frame.to_file(tmp_path / "wells.gpkg")
    state = run(world, State(), add_file, file=str(tmp_path / "wells.gpkg")).state
    said, [found] = told(world, state, "wells")
    at = "Self-intersection at 24.95, 60.1"
    assert found["invalid_rows"] == [{"row": each, "reason": at} for each in (3, 4, 5)]
    assert f", 4 invalid (row 3: {at}; row 4: {at}; row 5: {at}; …)" in said
    assert "bounds [24.123456789012, 60, 25, 61]" in said
    assert "name text, 3 different (2 without case and blanks), 1 without a value, 2 blank" in said
    assert (
        "day text (all of it times with the day first), 4 different, 1 without a value, 1 blank, in the "
        "forms 99/99/9999 2, 99-99-9999 1, 9999-99-99 1, from 2019-04-01 to 15/02/2020, such as "
    ) in said
    assert (
        "about text (all of it JSON), 2 different, 4 without a value, members: name.fi text 'Kallio', "
        "taps integer or text 2."
    ) in said


def test_every_layer_and_sheet_of_a_saved_file_is_read_back_with_the_types_of_the_file(
    world: World, tmp_path: Path
) -> None:
    rows = {
        "n": [1, 2],
        "code": ["NA", "007"],
        "day": ["2020-01-01", None],
        "at": ["2020-01-01T10:00Z", None],
    }
    shapes = [Point(2, 50), box(3, 50, 4, 51)]
    gpd.GeoDataFrame(rows, geometry=shapes, crs="EPSG:4326").to_file(tmp_path / "a.gpkg")
    state = run(world, State(), add_file, file=str(tmp_path / "a.gpkg")).state
    typed = [{"name": "n"}, {"name": "code"}, {"name": "day", "type": "date"}, {"name": "at", "type": "time"}]
    layers: list[dict[str, Any]] = [{"from": "a", "layer": each, "columns": typed} for each in ("one", "two")]
    for name in ("o.gpkg", "o.xlsx", "o.shp.zip"):
        state = run(world, state, save_file, name=name, layers=layers).state

    said, found = told(world, state, "o.gpkg")
    assert [(each["name"], each["rows"]) for each in found] == [("o.gpkg: one", 2), ("o.gpkg: two", 2)]
    assert types(found[0]) == {"n": "integer", "code": "text", "day": "date", "at": "time"}
    assert "day date, 1 different, 1 without a value, from 2020-01-01 to 2020-01-01;" in said

    _, found = told(world, state, "o.xlsx")
    assert [each["name"] for each in found] == ["o.xlsx: one", "o.xlsx: two"]
    day = {"n": 1, "code": "NA", "day": "2020-01-01T00:00:00"}
    assert found[1]["first"][0].items() >= day.items() and found[1]["first"][1]["code"] == "007"

    _, found = told(world, state, "o.shp.zip")
    assert [each["name"].partition(": ")[2] for each in found] == [
        "one_points", "one_polygons", "two_points", "two_polygons",
    ]  # fmt: skip
    assert types(found[0]) == {"n": "integer", "code": "text", "day": "date", "at": "text"}
    assert found[1]["geometry_types"] == {"Polygon": 1}


def test_a_saved_json_is_a_table_where_it_is_a_list_of_records_and_else_told_by_its_members(
    world: World,
) -> None:
    state = State()
    point = {"type": "Point", "coordinates": [2, 50]}
    written = {
        "rows.json": [{"id": 1, "parts": ["a", "b"]}, {"id": 2, "parts": []}],
        "about.json": {"count": 2, "names": ["a"] * 100, "box": {"west": 1}},
        "list.json": [1, 2, 3],
        "some.geojson": {"type": "FeatureCollection", "count": 2, "features": [
            {"type": "Feature", "id": each, "properties": {"day": "2020-01-01"}, "geometry": point}
            for each in ("x", "y")]},
        "none.geojson": {"type": "FeatureCollection", "features": []},
    }  # fmt: skip
    for name, content in written.items():
        state = run(world, state, write_file, name=name, content=content).state
    _, [rows] = told(world, state, "rows.json")
    assert rows["first"] == [{"id": 1, "parts": ["a", "b"]}, {"id": 2, "parts": []}]
    assert types(rows) == {"id": "integer", "parts": "list"}
    said, [about] = told(world, state, "about.json")
    assert about["members"] == {
        "count": "2",
        "names": 'a list of 100 texts (the first "a")',
        "box": '{"west": 1}',
    }
    assert said.endswith(
        'Its members: count 2, names a list of 100 texts (the first "a") and box {"west": 1}.'
    )
    said, [plain] = told(world, state, "list.json")
    assert (said, plain["json"]) == (
        f"list.json ({plain['id']}): a list of 3 numbers (the first 1).",
        "a list of 3 numbers (the first 1)",
    )
    said, [some] = told(world, state, "some.geojson")
    assert [(each["name"], each["stored"]) for each in some["columns"]] == [("day", "text")]
    assert (some["members"], some["feature_ids"]) == ({"count": "2"}, {"features": 2, "different": 2})
    assert said.endswith(
        "Beside its features stand count 2. 2 of its 2 features have an id, 2 different, such as x and y."
    )
    said, _ = told(world, state, "none.geojson")
    assert said.endswith('Its members: type "FeatureCollection" and features [].')


def test_a_file_that_is_read_back_is_told_by_its_own_types_and_system(world: World, tmp_path: Path) -> None:
    rows: list[dict[str, Any]] = [
        {"code": "0056", "n": 3301, "day": date(2022, 8, 18), "tags": ["a"], "some": 1},
        {"code": "7", "n": None, "day": None, "tags": [], "some": 2.5},
    ]
    frame = gpd.GeoDataFrame(pd.DataFrame(rows), geometry=[Point(2, 50, 7), None], crs="EPSG:4326")
    frame["n"] = frame["n"].astype("Int64")
    frame.to_parquet(tmp_path / "a.parquet")
    state = run(world, State(), add_file, file=str(tmp_path / "a.parquet")).state
    for name in ("o.gpkg", "o.fgb", "o.parquet", "o.geojson", "o.xlsx", "o.csv"):
        state = run(world, state, save_file, name=name, layers=[{"from": "a"}]).state
    typed = {"code": "text", "n": "int64", "day": "date", "tags": "list", "some": "float64"}
    same = {"code": "text", "n": "integer", "day": "date", "tags": "list", "some": "number"}
    for name, stored, written in (
        ("o.gpkg", typed | {"tags": "text"}, same | {"tags": "text"}),
        ("o.fgb", typed | {"tags": "text", "day": "time"}, same | {"tags": "text", "day": "time"}),
        ("o.parquet", typed, same),
        ("o.geojson", typed | {"day": "text"}, same | {"day": "text"}),
        ("o.xlsx", typed | {"tags": "text", "day": "time"}, {}),
        ("o.csv", dict.fromkeys(typed, "text"), {}),
    ):
        said, [back] = told(world, state, name)
        kept = {each["name"]: each["stored"] for each in back["columns"]}
        assert (name, {each: kept[each] for each in typed}) == (name, stored)
        assert not written or types(back) == written
        assert back["first"][0]["code"] == "0056" and back.get("crs", "EPSG:4326") == "EPSG:4326"
    code, n = back["columns"][:2]
    assert (code["meant"], code["least"], code["most"]) == ("numbers", "7", "0056")
    assert (n["meant"], n["samples"]) == ("numbers", ["3301"])
    assert said.endswith(
        "A CSV has no types: each column is text, and what its texts mean is told beside it."
    )


def test_a_list_in_a_document_is_told_by_its_first_element_and_the_types_of_its_members(world: World) -> None:
    suburbs = [{"name": "A" * 180, "n": 1, "box": {"west": 1.5}}, {"name": "B", "n": None, "box": None}]
    content = {"suburbs": suburbs, "about": {"text": "x" * 300, "of": {"year": 2020}}}
    state = run(world, State(), write_file, name="about.json", content=content).state
    _, [about] = told(world, state, "about.json")
    first = json.dumps(suburbs[0])[:200]
    assert about["members"] == {
        "suburbs": f"a list of 2 objects (the first {first}…; their members: name text '{'A' * 40}…', "
        "n integer or null 1, box object or null, box.west number 1.5)",
        "about": f"an object with 2 keys (text, of) (its members: text text '{'x' * 40}…', "
        "of.year integer 2020)",
    }


def test_what_is_left_out_of_a_file_that_is_read_back_is_said(world: World, monkeypatch: Any) -> None:
    content = {f"k{each}": each for each in range(50)}
    state = run(world, State(), write_file, name="wide.json", content=content).state
    said, _ = told(world, state, "wide.json")
    assert said.endswith(", k39 39 and 10 more.")
    columns = [{f"c{each}": each for each in range(70)}] * 2
    state = run(world, state, write_file, name="wide.csv", content=columns).state
    said, [layer] = told(world, state, "wide.csv")
    assert (len(layer["columns"]), layer["columns_not_told"]) == (60, 10) and "; and 30 more." in said
    monkeypatch.setattr(read_back, "MOST_BYTES", 10)
    path = world.artifacts.find(state.artifacts[-1].id)
    assert path is not None
    with pytest.raises(DocumentError, match="at most are read back"):
        read_back.layers_of_file(path, "document-1")
    monkeypatch.undo()
    monkeypatch.setattr(read_back, "MOST_LAYERS", 1)
    book = path.with_suffix(".xlsx")
    with pd.ExcelWriter(book) as writer:
        for name in ("one", "two", "three"):
            pd.DataFrame({"a": [1]}).to_excel(writer, sheet_name=name, index=False)
    [one] = read_back.layers_of_file(book, "document-1")
    assert one["notes"] == ["Left out here: 2 more layers of the file (two and three)."]

"""Exports, read back by the programs they are for."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import geopandas
import pandas as pd
import pyarrow.parquet as pq
import pytest

from data.catalogue import scanning
from data.catalogue.base import CatalogueError
from state.model import State
from tests.tools.world import after, run, small_world
from tools.base import World
from tools.data import pages as paging
from tools.data.delivering import save_file
from tools.data.exports import export_csv, export_geojson, export_geoparquet
from tools.data.figures import bar_figure
from tools.data.rows import filter_rows, sort_table
from tools.data.shaping import join_tables
from tools.data.sql import sql
from tools.data.summaries import group_count
from tools.database.dates import filter_date
from tools.database.ingesting import db_ingest
from tools.database.loading import db_load
from tools.database.reading import db_sql
from tools.python.files_in import add_file
from tools.row_shapes import geometries

SAMPLE = "sample data: generated positions and labels"


def test_a_csv_has_every_row_and_says_of_each_that_it_is_a_sample(world: World, full: State) -> None:
    step = run(world, full, export_csv)
    assert not step.failed, step.observation
    path = Path(step.data["path"])
    frame = pd.read_csv(path)
    expected = [f"{dataset}:{scene}" for dataset, scene in zip(frame["dataset"], frame["name"], strict=True)]
    assert frame["image_id"].tolist() == expected and len(set(expected)) == 26
    assert frame["dataset"].tolist() == sorted(frame["dataset"])
    assert set(frame["origin"]) == {SAMPLE}
    [row] = frame[frame["name"] == "1001.tif"].to_dict("records")
    assert (row["lon"], row["lat"], row["acquired"]) == (-79.9959, 40.4406, "2018-05-03 15:10:00")
    assert (step.data["rows"], step.data["bytes"]) == (26, path.stat().st_size)
    [artifact] = step.state.artifacts
    assert (artifact.kind, artifact.name, artifact.summary) == ("document", "CSV export", "26 rows as CSV")
    beside = json.loads(Path(f"{path}.provenance.json").read_text())
    assert beside["note"] == SAMPLE and beside["filters"] == {} and beside["made_by"] == "export_csv()"
    assert [each["name"] for each in beside["data_sets"]] == [
        "bigearthnet",
        "fair1m",
        "fmow",
        "xview1",
        "xview3",
    ]


def test_the_document_that_the_store_finds_is_the_csv(world: World, full: State) -> None:
    step = run(world, full, export_csv)
    assert str(world.artifacts.find(step.data["document"])) == step.data["path"]


def test_pages_join_without_a_gap_or_a_double(
    world: World, full: State, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = Path(run(world, full, export_csv).data["path"]).read_text()
    monkeypatch.setattr(scanning, "ROWS_A_PAGE", 4)
    assert Path(run(world, full, export_csv).data["path"]).read_text() == whole


def test_the_geojson_is_read_back_with_its_places_and_its_provenance(world: World, full: State) -> None:
    state = after(world, full, (filter_date, {"start": "2021"}))
    step = run(world, state, export_geojson)
    plain = json.loads(Path(step.data["path"]).read_text())
    assert plain["provenance"]["note"] == SAMPLE
    assert plain["provenance"]["filters"] == {"start": "2021-01-01"}
    assert [each["id"] for each in plain["features"]] == [
        "fair1m:13.tif", "xview3:590dd08f", "xview3:72dba3e8", "xview3:844545c0",
    ]  # fmt: skip
    frame = geopandas.read_file(step.data["path"])
    assert frame.geometry.iloc[0].bounds == pytest.approx((103.985, 1.355, 103.995, 1.365))
    assert frame.crs.to_epsg() == 4326


def test_the_geoparquet_is_read_back_by_geopandas(world: World, full: State) -> None:
    step = run(world, full, export_geoparquet)
    frame = geopandas.read_parquet(step.data["path"])
    assert len(frame) == 26 and frame.geometry.is_valid.all()
    assert frame.crs.to_authority() == ("OGC", "CRS84")
    metadata = pq.read_schema(step.data["path"]).metadata
    assert json.loads(metadata[b"azimuth"])["note"] == SAMPLE
    assert json.loads(metadata[b"geo"])["version"] == "1.1.0"


def test_a_table_is_exported_as_it_is(world: World, full: State) -> None:
    state = run(world, full, group_count, by="dataset").state
    table = state.artifacts[0].id
    step = run(world, state, export_csv, table=table)
    rows = list(csv.reader(Path(step.data["path"]).read_text().splitlines()))
    assert rows[:2] == [["dataset", "count", "origin"], ["xview1", "7", SAMPLE]]
    refused = run(world, state, export_geojson, table=table)
    assert refused.observation.startswith("The table has no places")
    assert [path.name for path in Path(step.data["path"]).parent.glob(".*")] == []


def test_columns_that_a_query_calls_as_the_catalogue_does_hold_what_they_hold(world: World) -> None:
    sql = "SELECT 'large' AS footprint, '2016' AS acquired, 4.5 AS lon, 52.25 AS lat FROM images LIMIT 1"
    row = {"footprint": "large", "acquired": "2016", "lon": 4.5, "lat": 52.25}
    made = run(world, State(), db_sql, sql=sql)
    assert made.data["first"] == [row]
    table = made.state.artifacts[0].id
    plain = json.loads(Path(run(world, made.state, export_geojson, table=table).data["path"]).read_text())
    (feature,) = plain["features"]
    assert feature["geometry"] == {"type": "Point", "coordinates": [4.5, 52.25]}
    assert feature["properties"] == row
    frame = geopandas.read_parquet(run(world, made.state, export_geoparquet, table=table).data["path"])
    assert frame.drop(columns=["geometry", "origin"], errors="ignore").to_dict("records") == [row]
    text = Path(run(world, made.state, export_csv, table=table).data["path"]).read_text()
    rows = list(csv.reader(text.splitlines()))
    assert rows[1][:4] == ["large", "2016", "4.5", "52.25"]


def test_no_cell_is_a_formula_to_a_spreadsheet(world: World) -> None:
    sql = "SELECT '=HYPERLINK(1)' AS a, '@x' AS \"=head\", -5 AS number, '-1' AS text FROM images LIMIT 1"
    state = run(world, State(), db_sql, sql=sql).state
    step = run(world, state, export_csv, table=state.artifacts[0].id)
    rows = list(csv.reader(Path(step.data["path"]).read_text().splitlines()))
    assert [row[:4] for row in rows] == [
        ["a", "'=head", "number", "text"],
        ["'=HYPERLINK(1)", "'@x", "-5", "-1"],
    ]


def test_the_users_own_rows_are_not_called_a_sample(tmp_path: Path) -> None:
    source = tmp_path / "towns.csv"
    source.write_text("name,lon,lat,people\nLyon,4.83,45.76,522250\n=Evil,-1.5,6.5,\n")
    world = small_world(tmp_path / "catalogue", tmp_path / "artifacts")
    state = after(world, State(), (db_ingest, {"path": str(source)}))
    frame = pd.read_csv(run(world, state, export_csv).data["path"])
    assert frame[["name", "people", "origin"]].fillna(0).values.tolist() == [
        ["Lyon", 522250, "ingested"], ["'=Evil", 0, "ingested"],
    ]  # fmt: skip
    plain = json.loads(Path(run(world, state, export_geojson).data["path"]).read_text())
    assert "note" not in plain["provenance"]
    assert plain["features"][0]["geometry"] == {"type": "Point", "coordinates": [4.83, 45.76]}
    frame = geopandas.read_parquet(run(world, state, export_geoparquet).data["path"])
    assert frame["people"].tolist()[0] == 522250


def test_an_empty_selection_and_one_that_is_too_large_are_refused(
    world: World, full: State, monkeypatch: pytest.MonkeyPatch
) -> None:
    empty = after(world, full, (filter_date, {"start": "1999", "end": "1999"}))
    assert run(world, empty, export_csv).observation.startswith("There is no row to export")
    monkeypatch.setattr(paging, "MAX_EXPORT_ROWS", 20)
    assert run(world, full, export_csv).observation == (
        "There are 26 rows, and an export holds 20 rows at most; narrow the selection."
    )


def test_an_export_that_breaks_leaves_no_file(
    world: World, full: State, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(scanning, "ROWS_A_PAGE", 4)
    original = world.catalogue.scan

    def breaking(*args: Any) -> Iterator[pd.DataFrame]:
        yield from islice(original(*args), 2)
        raise CatalogueError("The disk is gone.")

    monkeypatch.setattr(world.catalogue, "scan", breaking)
    step = run(world, full, export_csv)
    assert step.failed and step.observation == "The disk is gone."
    assert list((tmp_path / "artifacts").iterdir()) == []


def test_boxes_across_the_antimeridian_are_cut_in_two() -> None:
    frame = pd.DataFrame({"west": [179.5], "south": [-1.0], "east": [-179.5], "north": [1.0]})
    [shape] = geometries(frame)
    assert [part.bounds for part in shape.geoms] == [(179.5, -1.0, 180.0, 1.0), (-180.0, -1.0, -179.5, 1.0)]


def test_loading_one_data_set_exports_only_that_one(world: World) -> None:
    state = after(world, State(), (db_load, {"names": ["xview3"]}))
    frame = pd.read_csv(run(world, state, export_csv).data["path"])
    assert set(frame["dataset"]) == {"xview3"} and len(frame) == 4


def test_a_column_called_geometry_goes_out_beside_the_shapes(world: World) -> None:
    sql = "SELECT 'round' AS geometry, 4.5 AS lon, 52.25 AS lat FROM images LIMIT 1"
    made = run(world, State(), db_sql, sql=sql)
    table = made.state.artifacts[0].id
    for export, read in ((export_geojson, geopandas.read_file), (export_geoparquet, geopandas.read_parquet)):
        frame = read(run(world, made.state, export, table=table).data["path"])
        assert frame.geometry.iloc[0].coords[0] == (4.5, 52.25)
        assert frame.drop(columns="geometry").to_dict("records") == [
            {"geometry_": "round", "lon": 4.5, "lat": 52.25}
        ]


def test_what_came_of_the_users_own_file_names_it_and_has_its_columns_alone(
    world: World, full: State, tmp_path: Path
) -> None:
    (tmp_path / "wells.csv").write_text("name,lon,lat,depth_m\na,4.5,51.5,3\nb,4.6,51.6,7\n")
    state = run(world, full, add_file, file=str(tmp_path / "wells.csv")).state
    sorted_ = run(world, state, sort_table, by=["-depth_m"], table="wells")
    deep = run(
        world, sorted_.state, filter_rows, table=sorted_.data["table"], field="depth_m", op=">", value=5
    )
    step = run(world, deep.state, export_csv, table=deep.data["table"])
    assert not step.failed, step.observation
    path = Path(step.data["path"])
    assert pd.read_csv(path).columns.tolist() == ["name", "lon", "lat", "depth_m"]
    beside = json.loads(Path(f"{path}.provenance.json").read_text())
    assert (beside["files"], beside["data_sets"], beside.get("note")) == (["wells.csv"], [], None)
    features = run(world, state, export_geojson, table="wells")
    assert json.loads(Path(features.data["path"]).read_text())["provenance"]["files"] == ["wells.csv"]
    figure = run(world, state, bar_figure, by="name", table="wells")
    drawn = json.loads(world.artifacts.find(figure.data["figure"]).read_text())
    assert SAMPLE.capitalize() not in drawn["layout"]["title"]["subtitle"]["text"]


def test_what_a_query_made_of_own_tables_or_of_nothing_is_no_sample(
    world: World, full: State, tmp_path: Path
) -> None:
    (tmp_path / "wells.csv").write_text("name,owner\na,1\nb,2\n")
    (tmp_path / "owners.csv").write_text("owner,who\n1,us\n")
    state = full
    for name in ("wells", "owners"):
        state = run(world, state, add_file, file=str(tmp_path / f"{name}.csv")).state
    for query, files in (
        ("SELECT w.name, o.who FROM wells w LEFT JOIN owners o USING (owner)", ["wells.csv", "owners.csv"]),
        ("SELECT 1 AS one", []),
    ):
        made = run(world, state, sql, query=query, name="joined")
        step = run(world, made.state, save_file, name="joined.csv", layers=[{"from": made.data["table"]}])
        beside = json.loads(Path(f"{step.data['path']}.provenance.json").read_text())["layers"][0]
        assert (beside["files"], beside["data_sets"], beside.get("note")) == (files, [], None)
        assert "sample" not in step.observation


def test_a_table_that_the_selection_had_a_part_in_is_of_its_data_sets(
    world: World, full: State, tmp_path: Path
) -> None:
    (tmp_path / "sensors.csv").write_text("sensor,owner\nQuickBird-2,us\n")
    state = run(world, full, add_file, file=str(tmp_path / "sensors.csv")).state
    rows = run(world, state, group_count, by="sensor")
    both = run(world, rows.state, join_tables, table=rows.data["table"], other="sensors", on=["sensor"])
    step = run(world, both.state, export_csv, table=both.data["table"])
    beside = json.loads(Path(f"{step.data['path']}.provenance.json").read_text())
    assert beside["note"] == SAMPLE and "files" not in beside

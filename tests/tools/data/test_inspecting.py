"""What is told of files, layers and tables."""

from __future__ import annotations

from pathlib import Path

import geopandas as gpd
from shapely.geometry import MultiPolygon, Point, Polygon, box

from state.model import State
from tests.tools.world import run
from tools.base import World
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
    assert step.observation.startswith("planning.gpkg: 2 layers. ")
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

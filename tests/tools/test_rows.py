"""Where a table is taken, features are taken too: by one mechanism, in every tool."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import geopandas as gpd
import pandas as pd
import pytest
import shapely
from shapely.geometry import LineString, Point, box

from state.model import Artifact, State
from tests.suite.walking import walks
from tests.tools.prepared import RASTER, prepared
from tests.tools.world import NAMES, after, run, small_world
from tools.base import Tool, World
from tools.data.exports import export_csv, export_geojson
from tools.data.figures import bar_figure
from tools.data.rows import sort_table
from tools.database.loading import db_load
from tools.map.adding import add_vector_layer
from tools.map.drawing import draw_bbox
from tools.map.plots import scatter_plot
from tools.rows import load_table
from tools.run import run_call
from tools.toolbox import toolbox
from tools.ui.panels import show_table

PARCELS = Artifact("vector-9a7ce1", "vector", "Parcels", "6 features", "add_file(file=parcels.geojson)")
OTHER = Artifact("vector-07e001", "vector", "Other", "1 feature", "test()")
SIZES_DEG = (0.01, 0.02, 0.015, 0.03, 0.012, 0.025)


def parcels() -> gpd.GeoDataFrame:
    """Six squares in a row, of two owners, with numbers, a text and a day."""
    return gpd.GeoDataFrame(
        {
            "name": [f"parcel {number}" for number in range(6)],
            "owner": ["town", "farm"] * 3,
            "crop": ["wheat", "maize", "wheat", "beet", "beet", "maize"],
            "yield_t": [5.0, 7.5, 6.25, 8.0, 4.0, 9.0],
            "slope": [1.0, 3.0, 2.5, 0.5, 4.0, 2.0],
            "acquired": pd.date_range("2021-01-05", periods=6, freq="40D"),
        },
        geometry=[box(at / 10, 50, at / 10 + size, 50 + size) for at, size in enumerate(SIZES_DEG)],
        crs="EPSG:4326",
    )


@pytest.fixture(scope="module")
def ready(small_catalogue: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[World, State]:
    world = small_world(small_catalogue, tmp_path_factory.mktemp("artifacts"))
    return world, kept(world, parcels(), prepared(world), PARCELS)


def kept(world: World, frame: gpd.GeoDataFrame, state: State, artifact: Artifact = OTHER) -> State:
    frame.to_parquet(world.artifacts.path(artifact.id, ".parquet"), index=False)
    return state.with_artifact(artifact)


def takes_a_table(tool: Tool) -> list[str]:
    """The arguments of a tool that are tables."""
    properties = tool.schema.get("properties", {})
    return [name for name, each in properties.items() if '"format": "table"' in json.dumps(each)]


SUITS: dict[str, dict[str, Any]] = {
    "add_column": {"name": "tons", "expression": "yield_t / slope"},
    "aggregate": {"field": "yield_t", "by": "owner"},
    "bar_figure": {"by": "owner"},
    "box_figure": {"field": "yield_t", "by": "owner"},
    "correlation": {"columns": ["yield_t", "slope"]},
    "crosstab": {"rows": "owner", "columns": "crop"},
    "dbscan": {"distance_m": 20_000, "min_points": 2},
    "edit_columns": {"rename": {"owner": "whose"}},
    "distinct_values": {"field": "owner"},
    "filter_rows": {"field": "yield_t", "op": ">", "value": 6},
    "group_count": {"by": "owner"},
    "histogram_figure": {"field": "yield_t"},
    "hotspots": {"field": "yield_t", "neighbours": 2},
    "join_tables": {"on": "owner"},
    "kmeans": {"columns": ["yield_t", "slope"], "k": 2},
    "outliers": {"field": "yield_t"},
    "pca": {"columns": ["yield_t", "slope", "area_m2"]},
    "pie_figure": {"by": "owner"},
    "pivot": {"rows": "owner", "columns": "crop", "field": "yield_t"},
    "raster_sample": {"raster": RASTER.id},
    "regression": {"y": "yield_t", "x": ["slope"]},
    "resample_time": {"by": "month", "field": "yield_t"},
    "scatter_figure": {"x": "slope", "y": "yield_t"},
    "seasonality": {"by": "month", "season": 2},
    "select_examples": {"query": "a field of the town", "column": "name"},
    "sort_table": {"by": ["yield_t desc"]},
    "spatial_autocorrelation": {"field": "yield_t", "neighbours": 2},
    "top_n": {"by": "yield_t", "n": 2},
    "trend": {"by": "month", "field": "yield_t"},
    "vectorstore_add": {"store": "notes", "column": "name"},
    "vectorstore_create": {"name": "fields", "column": "name"},
}
"""What each tool is asked of the parcels, beside the table."""
HANDLES = (PARCELS.id, "parcels", "fields-2024")
"""By its id, by its name, by its layer's name."""
TAKERS = [(tool, name) for tool in toolbox() for name in takes_a_table(tool)]


@walks("tool, argument, handle", [(*each, handle) for each in TAKERS for handle in HANDLES])
def test_every_tool_that_takes_a_table_takes_features(
    ready: tuple[World, State], tool: Tool, argument: str, handle: str
) -> None:
    world, state = ready
    state = after(world, state, (add_vector_layer, {"artifact": PARCELS.id, "name": "Fields 2024"}))
    tables = dict.fromkeys(takes_a_table(tool), handle)
    step = run_call(toolbox(), state, world, tool.name, {**SUITS.get(tool.name, {}), **tables})
    assert not step.failed, step.observation
    assert "gone" not in step.observation and json.dumps(dict(step.data))


KEEP_ROWS: dict[str, dict[str, Any]] = {
    "add_column": {"name": "tons", "expression": "yield_t / slope"},
    "edit_columns": {"rename": {"owner": "whose"}, "compute": {"ha": "area_m2 / 10000"}},
    "filter_rows": {"field": "yield_t", "op": ">", "value": 6},
    "join_tables": {"other": "Harvests", "on": ["name"]},
    "kmeans": {"columns": ["yield_t", "slope"], "k": 2},
    "dbscan": {"distance_m": 20_000, "min_points": 2},
    "outliers": {"field": "yield_t", "limit": 0.1},
    "sample_rows": {"n": 3},
    "sort_table": {"by": ["yield_t desc"]},
    "sql": {"query": "SELECT *, yield_t * 2 AS twice FROM utm WHERE yield_t > 4 ORDER BY name DESC"},
    "top_n": {"by": "area_m2", "n": 2},
}
"""What keeps rows, with what it is asked of the parcels."""


@walks("name", sorted(KEEP_ROWS))
def test_what_keeps_rows_keeps_their_shapes_their_system_and_their_own_columns(
    ready: tuple[World, State], name: str
) -> None:
    world, state = ready
    utm = parcels().assign(lat=[f"north {number}" for number in range(6)]).to_crs("EPSG:32631")
    state = kept(world, utm, state, Artifact("vector-07e002", "vector", "utm", "6 features", "test()"))
    harvests = Artifact("table-07e003", "table", "Harvests", "2 rows", "test()")
    rows = pd.DataFrame({"name": ["parcel 1", "parcel 5"], "tons": [1.5, 2.5]})
    rows.to_parquet(world.artifacts.path(harvests.id, ".parquet"), index=False)
    args = KEEP_ROWS[name] if name == "sql" else {"table": "utm", **KEEP_ROWS[name]}
    step = run_call(toolbox(), state.with_artifact(harvests), world, name, args)
    assert not step.failed, step.observation
    made = step.state.artifact(step.data["vector"])
    assert made is not None and made.id == step.data["table"] == step.state.ui.table
    found = gpd.read_parquet(world.artifacts.find(made.id))
    assert found.crs == utm.crs and 0 < len(found) <= 6
    was = utm.set_index("name")
    assert found.geometry.tolist() == was.loc[found["name"]].geometry.tolist()
    new = {"tons", "whose", "ha", "twice", "cluster", "outlier", "score"}
    assert set(found.columns) - new >= set(utm.columns) - {"owner"}
    assert not {"lon", "area_m2", "lat_"} & set(found.columns)
    assert found["lat"].tolist() == was.loc[found["name"]]["lat"].tolist()


def test_features_as_rows_are_their_fields_a_point_inside_each_their_size_and_their_outline(
    ready: tuple[World, State],
) -> None:
    world, state = ready
    rows, given = load_table(state, world, PARCELS.id), parcels()
    fields = list(given.columns[:-1])
    assert list(rows.columns) == [*fields, "geometry", "lon", "lat", "area_m2"]
    pd.testing.assert_frame_equal(rows[fields], pd.DataFrame(given[fields]))
    spots = gpd.GeoSeries.from_xy(rows["lon"], rows["lat"], crs="EPSG:4326")
    assert given.contains(spots).all()
    utm = given.to_crs("EPSG:32631").area
    assert rows["area_m2"].tolist() == pytest.approx(utm.tolist(), rel=2e-3)


def test_lines_have_a_length_and_points_neither_and_own_columns_stay(ready: tuple[World, State]) -> None:
    world, state = ready
    line = [LineString([(0, 0), (0, 1)])]
    lines = gpd.GeoDataFrame({"lon": [1.0], "lat": [2.0]}, geometry=line, crs="EPSG:4326")
    rows = load_table(kept(world, lines, state), world, OTHER.id)
    assert list(rows.columns) == ["lon", "lat", "geometry", "length_m"]
    assert rows[["lon", "lat", "length_m"]].iloc[0].tolist() == [1.0, 2.0, pytest.approx(110_574.4, abs=1)]
    points = gpd.GeoDataFrame({"n": [1, 2]}, geometry=[Point(4, 5), Point()], crs="EPSG:4326")
    rows = load_table(kept(world, points, state), world, OTHER.id)
    assert list(rows.columns) == ["n", "geometry", "lon", "lat"]
    assert rows["lon"].isna().tolist() == [False, True] == rows.geometry.is_empty.tolist()


def test_a_layer_and_the_drawings_are_tables_too(ready: tuple[World, State]) -> None:
    world, state = ready
    state = after(world, state, (db_load, {"names": list(NAMES)}), (scatter_plot, {"name": "All"}))
    state = after(world, state, (draw_bbox, {"bbox": [4, 50, 5, 51]}))
    assert len(load_table(state, world, "all")) == 26
    assert load_table(state, world, "drawings")["area_m2"].tolist() == [pytest.approx(7.8e9, rel=0.02)]
    first = run(world, state, sort_table, by=["area_m2"], table="drawings")
    more = after(world, first.state, (draw_bbox, {"bbox": [8, 50, 9, 51]}))
    second = run(world, more, sort_table, by=["area_m2"], table="drawings")
    assert (first.data["rows"], second.data["rows"]) == (1, 2)
    assert first.data["table"] != second.data["table"]


def test_features_that_are_exported_keep_their_shapes(ready: tuple[World, State]) -> None:
    world, state = ready
    step = run(world, state, export_geojson, table=PARCELS.id)
    written = gpd.read_file(step.data["path"])
    apart = written.geometry.symmetric_difference(parcels().geometry)
    assert shapely.area(apart.values).max() < 1e-9  # square degrees: only whether there is any
    rows = pd.read_csv(run(world, state, export_csv, table="parcels").data["path"])
    assert rows["owner"].tolist() == parcels()["owner"].tolist() and "footprint" not in rows


def test_a_chart_is_exported_as_the_values_that_it_shows(ready: tuple[World, State]) -> None:
    world, state = ready
    chart = run(world, state, bar_figure, by="owner", field="yield_t", function="sum", table=PARCELS.id)
    written = run(world, chart.state, export_csv, table=str(chart.data["figure"]))
    rows = pd.read_csv(written.data["path"])
    assert rows.iloc[:, :2].to_numpy().tolist() == [["farm", 24.5], ["town", 15.25]]


def test_features_show_in_the_results_panel_as_a_table(ready: tuple[World, State]) -> None:
    world, state = ready
    step = run(world, state, show_table, table="parcels")
    assert (step.state.ui.table, step.state.ui.panels[-1]) == (step.data["table"], "results")
    assert step.observation.startswith("The results panel shows the 6 rows of 'Parcels'.")


def test_pixels_are_no_table_and_what_makes_one_of_them_is_said(ready: tuple[World, State]) -> None:
    world, state = ready
    step = run(world, state, sort_table, by=["value"], table=RASTER.id)
    assert step.failed
    assert step.observation.startswith("'raster-1a2b3c' is a raster, not a table.")
    assert step.observation.endswith("zonal_stats and raster_sample make a table of pixels.")

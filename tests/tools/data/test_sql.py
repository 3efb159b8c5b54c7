"""SELECT over the session's own layers and tables."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import duckdb
import geopandas as gpd
import pandas as pd
import pytest
from shapely.geometry import Point, box

from data.catalogue.guard import INSTEAD
from data.catalogue.spatial import load_spatial
from data.vector.measuring import area_m2
from state.model import Artifact, State
from tests.data.catalogue.test_sql import ENDLESS, HOSTILE
from tests.suite.walking import walks
from tests.tools.world import after, run, small_world
from tools.base import Step, World
from tools.data import sql as querying
from tools.data.sql import names_open, sql
from tools.map.drawing import draw_bbox
from tools.run import run_call
from tools.tables import plain_rows
from tools.toolbox import toolbox

FIELDS = [box(10 + n / 100, 50, 10.01 + n / 100, 50.01) for n in range(3)]
LONG = 2**62 + 1


@pytest.fixture(scope="module")
def open_layers(small_catalogue: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[World, State]:
    """Three fields in degrees, the same in metres, three wells (one without a place), and a table."""
    world = small_world(small_catalogue, tmp_path_factory.mktemp("artifacts"))
    fields = gpd.GeoDataFrame(
        {"id": [LONG, 2, 1], "crop": ["rye", "wheat", None]}, geometry=FIELDS, crs="EPSG:4326"
    )
    wells = gpd.GeoDataFrame(
        {"depth": [3.0, 5.0, 8.0]}, geometry=[Point(10.005, 50.005), Point(10.006, 50.004), None], crs=4326
    )
    prices = pd.DataFrame({"crop": ["rye", "wheat"], "eur": [180.5, 210.0]})
    state = State()
    for name, frame in (
        ("My fields.shp", fields), ("utm", fields.to_crs("EPSG:32632")), ("wells", wells), ("images", prices),
    ):  # fmt: skip
        kind = "vector" if isinstance(frame, gpd.GeoDataFrame) else "table"
        artifact = Artifact(f"{kind}-{len(state.artifacts)}a1b2c", kind, name, "3 rows", "test()")
        frame.to_parquet(world.artifacts.path(artifact.id, ".parquet"), index=False)
        state = state.with_artifact(artifact)
    return world, after(world, state, (draw_bbox, {"bbox": [10, 50, 10.015, 50.02]}))


def asked(ready: tuple[World, State], query: str, **args: Any) -> Step:
    """What the query gives."""
    world, state = ready
    step = run_call(toolbox(), state, world, "sql", {"query": query, **args})
    assert not step.failed, step.observation
    return step


def refused(ready: tuple[World, State], query: str, **args: Any) -> str:
    """Why it is refused."""
    world, state = ready
    step = run_call(toolbox(), state, world, "sql", {"query": query, **args})
    assert step.failed and step.state == state, step.observation
    return step.observation


def test_a_spatial_join_gives_features_with_all_that_was_asked_and_nothing_else(
    open_layers: tuple[World, State],
) -> None:
    step = asked(
        open_layers,
        "SELECT f.id, f.crop, count(w.depth) AS wells, sum(w.depth) AS depth, f.geometry "
        'FROM "My fields.shp" f LEFT JOIN wells w ON ST_Intersects(f.geometry, w.geometry) '
        "GROUP BY ALL ORDER BY id DESC",
        name="wells by field",
    )
    found = gpd.read_parquet(open_layers[0].artifacts.find(step.data["vector"]))
    assert (
        plain_rows(found)
        == step.data["first"]
        == [
            {"id": LONG, "crop": "rye", "wells": 2, "depth": 8.0},
            {"id": 2, "crop": "wheat", "wells": 0, "depth": None},
            {"id": 1, "crop": None, "wells": 0, "depth": None},
        ]
    )
    assert (found.crs, found.geometry.tolist()) == ("EPSG:4326", FIELDS)
    assert step.observation == (
        "The query gave 3 rows. Columns: id int64, crop text, wells int64 and depth float64; geometry "
        f"Polygon in EPSG:4326 within [10, 50, 10.03, 50.01]. Rows: id={LONG}, crop=rye, wells=2, depth=8.0; "
        "id=2, crop=wheat, wells=0, depth=None; id=1, crop=None, wells=0, depth=None. "
        f"The features are {step.data['vector']}."
    )
    made = step.state.artifact(step.data["vector"])
    assert made is not None and made.name == "wells by field" and step.state.ui.table == made.id


def test_measures_are_in_metres_however_a_layer_is_kept(open_layers: tuple[World, State]) -> None:
    exact = area_m2(FIELDS[0])
    for layer in ("my_fields_shp", "utm"):
        step = asked(
            open_layers,
            "SELECT area_m2(geometry) AS ellipsoid, ST_Area(in_metres(geometry)) AS plane, "
            f"length_m(ST_Boundary(geometry)) AS around FROM {layer} ORDER BY id DESC LIMIT 1",
        )
        [row] = step.data["first"]
        assert row["ellipsoid"] == pytest.approx(exact, rel=1e-6)
        assert row["plane"] == pytest.approx(exact, rel=2e-3)
        assert row["around"] == pytest.approx(3658.35, rel=1e-4)
    degrees = asked(open_layers, "SELECT ST_Area(geometry) AS a FROM my_fields_shp")
    assert degrees.observation.startswith("ST_AREA counts in degrees here")


def test_shapes_keep_their_system_and_crs_brings_them_into_another(open_layers: tuple[World, State]) -> None:
    def system(step: Step) -> str:
        path = open_layers[0].artifacts.find(step.data["vector"])
        return str(gpd.read_parquet(path).crs.to_string())

    assert system(asked(open_layers, "SELECT geometry FROM utm")) == "EPSG:32632"
    assert system(asked(open_layers, "SELECT geometry FROM utm", crs="EPSG:3035")) == "EPSG:3035"
    moved = "SELECT ST_Centroid(ST_Transform(geometry, 'EPSG:3035')) AS geom FROM utm"
    assert system(asked(open_layers, moved)) == "EPSG:3035"
    assert system(asked(open_layers, "SELECT ST_Point(10, 50) AS geometry")) == "EPSG:4326"
    assert system(asked(open_layers, "SELECT ST_Point(5e5, 5e6) AS g", crs="EPSG:32632")) == "EPSG:32632"
    assert "are no degrees" in refused(open_layers, "SELECT ST_Point(500000, 50) AS geometry")
    mixed = "SELECT 1 FROM utm a, my_fields_shp b WHERE ST_Intersects(a.geometry, b.geometry)"
    assert refused(open_layers, mixed) == (
        "The shapes are in two coordinate systems, 'EPSG:32632' and 'EPSG:4326'; bring both into one: "
        "in_degrees(geometry), in_metres(geometry), or ST_Transform(geometry, 'EPSG:3035')."
    )
    assert "is no coordinate system" in refused(open_layers, "SELECT 1", crs="EPSG:nothing")
    none = asked(open_layers, "SELECT crop, geometry FROM utm WHERE false")
    assert system(none) == "EPSG:32632" and none.data["rows"] == 0


def test_shapes_made_of_numbers_are_told_what_they_were_taken_for(open_layers: tuple[World, State]) -> None:
    def placed(x: float, y: float) -> tuple[str, list[float]]:
        step = asked(open_layers, f"SELECT ST_Point({x}, {y}) AS geometry", crs="EPSG:32632")
        point = gpd.read_parquet(open_layers[0].artifacts.find(step.data["vector"])).geometry.iloc[0]
        return step.observation, [round(point.x), round(point.y)]

    said, spot = placed(9, 50)
    assert spot == [500_000, 5_538_631]
    assert "taken as longitude and latitude, and brought into EPSG:32632." in said
    said, spot = placed(500_000, 5_538_631)
    assert spot == [500_000, 5_538_631] and "they were taken to be in EPSG:32632." in said


def test_a_name_that_another_bears_is_told(open_layers: tuple[World, State]) -> None:
    said = asked(open_layers, "SELECT 1 AS one", name="UTM").observation
    assert "'UTM' is the name of vector-" in said and "from now on it means table-" in said


def test_an_area_on_a_plane_that_stretches_is_told_so(open_layers: tuple[World, State]) -> None:
    world, state = open_layers
    mercator = gpd.GeoDataFrame({"n": [1]}, geometry=[box(1e6, 6e6, 1.001e6, 6.001e6)], crs="EPSG:3857")
    state = state.with_artifact(Artifact("vector-3c2c3d", "vector", "mercator", "1", "test()"))
    mercator.to_parquet(world.artifacts.path("vector-3c2c3d", ".parquet"))
    said = asked((world, state), "SELECT ST_Area(geometry) AS area FROM mercator").observation
    assert said.startswith("ST_AREA counts on the plane of EPSG:3857, which stretches all lengths the more")
    assert asked((world, state), "SELECT area_m2(geometry) AS area FROM mercator").observation.startswith(
        "The query gave 1 row."
    )


def test_the_distance_of_squares_in_a_row_is_right_and_broken_shapes_are_told(
    open_layers: tuple[World, State],
) -> None:
    row = (
        "WITH s AS (SELECT ST_MakeEnvelope(n, 0, n + 1, 1) AS g FROM range(0, 6, 5) t(n)) "
        "SELECT ST_Distance(a.g, b.g) AS d, ST_DWithin(a.g, b.g, 3) AS near "
        "FROM s a, s b WHERE ST_XMin(a.g) = 0 AND ST_XMin(b.g) = 5"
    )
    assert asked(open_layers, row).data["first"] == [{"d": 4.0, "near": False}]
    bow = "SELECT ST_GeomFromText('POLYGON((0 0, 1 1, 1 0, 0 1, 0 0))') AS geometry"
    assert asked(open_layers, bow).observation.startswith("1 of the result's shapes cross themselves")


def test_own_names_go_before_the_catalogues_and_drawings_and_the_catalogue_are_there(
    open_layers: tuple[World, State],
) -> None:
    own = asked(open_layers, "SELECT crop, eur FROM images ORDER BY eur")
    assert own.observation.startswith("images is your own layer of that name here")
    assert own.data["first"] == [{"crop": "rye", "eur": 180.5}, {"crop": "wheat", "eur": 210.0}]
    both = asked(
        open_layers,
        "SELECT count(*) AS n FROM drawings d JOIN my_fields_shp f ON ST_Intersects(d.geometry, f.geometry)",
    )
    assert both.data["first"] == [{"n": 2}]
    sets = asked(open_layers, "SELECT name FROM datasets ORDER BY name LIMIT 1")
    assert sets.data["first"] == [{"name": "bigearthnet"}]
    again = asked(open_layers, f'SELECT count(*) AS n FROM "{open_layers[1].artifacts[0].id}"')
    assert again.data["first"] == [{"n": 3}]


def test_types_that_a_file_does_not_keep_become_such_as_it_keeps(open_layers: tuple[World, State]) -> None:
    step = asked(
        open_layers,
        "SELECT 1.5 AS decimal, sum(id)::HUGEINT - 1 AS huge, DATE '2020-02-29' AS day, "
        "INTERVAL 1 DAY AS span, ST_GeometryType(any_value(geometry)) AS kind, "
        "ST_AsText(any_value(geometry)) IS NOT NULL AS truth FROM utm WHERE id < 3",
    )
    assert step.data["first"] == [
        {"decimal": 1.5, "huge": 2, "day": "2020-02-29", "span": "1 day", "kind": "POLYGON", "truth": True}
    ]


def test_objects_of_differing_members_and_decimals_in_lists_stay_what_they_say(
    open_layers: tuple[World, State],
) -> None:
    query = "SELECT [MAP{'a': [1]}, MAP{}] AS members, [1.5, 2.5] AS bbox, {'k': 1.25} AS part"
    assert asked(open_layers, query).data["first"] == [
        {"members": '[{"a":[1]},{}]', "bbox": [1.5, 2.5], "part": {"k": 1.25}}
    ]


def test_a_shape_that_was_transformed_is_in_the_system_that_it_was_transformed_into(
    open_layers: tuple[World, State],
) -> None:
    query = "SELECT ST_Transform(ST_Point(4, 50), 'EPSG:4326', 'EPSG:32631') AS geometry, 1 AS n"
    said = "The query gave 1 row. Columns: n int32; geometry Point in {}. Rows: 1."
    for crs, where in (
        (None, "EPSG:32631 within [571666.448, 5539109.82, 571666.448, 5539109.82]"),
        ("EPSG:4326", "EPSG:4326 within [4, 50, 4, 50]"),
    ):
        assert asked(open_layers, query, crs=crs).observation.startswith(said.format(where))
    east = "ST_X(ST_Transform(ST_Point(4, 50), 'EPSG:4326', 'EPSG:32631'))"
    kept = f"SELECT ST_Point(4, 50) AS geometry, {east} AS e"
    assert "geometry Point in EPSG:4326 within [4, 50, 4, 50]" in asked(open_layers, kept).observation


def test_shapes_of_numbers_may_be_empty_and_it_is_told(open_layers: tuple[World, State]) -> None:
    step = asked(
        open_layers,
        "SELECT ST_Point(4, 50) AS geometry, 1 AS n UNION ALL SELECT ST_GeomFromText('POINT EMPTY'), 2",
    )
    assert step.observation.startswith(
        "1 of the result's shapes is empty, and no NULL. The query gave 2 rows."
    )


def test_what_is_named_in_place_of_a_function_is_of_those_that_are_not_there() -> None:
    with duckdb.connect() as connection:
        load_spatial(connection)
        rows = connection.execute("SELECT DISTINCT lower(function_name) FROM duckdb_functions()").fetchall()
    assert INSTEAD.keys() & {name for (name,) in rows} == set()


def test_long_answers_say_how_many_rows_there_are_and_short_ones_are_whole(
    open_layers: tuple[World, State],
) -> None:
    said = asked(open_layers, "SELECT i FROM range(1000) AS t(i)").observation
    assert (
        "Columns: i int64. First 200 of 1,000 rows: 0; 1; 2; " in said
        and "199 … (OFFSET shows others)." in said
    )
    text = asked(open_layers, "SELECT repeat('x', 3000) AS t").observation
    assert f"Rows: {'x' * 3000}." in text


def test_whole_numbers_beyond_64_bits_become_text_with_all_digits_and_it_is_said(
    open_layers: tuple[World, State],
) -> None:
    step = asked(
        open_layers,
        "SELECT * FROM (VALUES (36893488147419103233::HUGEINT, 7::HUGEINT, 1.5::DECIMAL(38, 1)), "
        "(NULL, -7, 12345678901234567.5)) AS t(huge, small, rounded)",
    )
    assert step.data["first"] == [
        {"huge": "36893488147419103233", "small": 7, "rounded": 1.5},
        {"huge": None, "small": -7, "rounded": 1.2345678901234568e16},
    ]
    assert step.observation.startswith(
        "huge became text, which keeps all digits: it has whole numbers beyond 64 bits. rounded has decimals "
        "with more digits than a number holds, and was rounded; CAST(… AS VARCHAR) keeps all digits as text. "
    )
    assert "'x' to INT32" in refused(open_layers, "SELECT CAST('x' AS INTEGER) AS n, 1::HUGEINT AS huge")


def test_what_is_not_there_is_named_with_the_nearest(open_layers: tuple[World, State]) -> None:
    assert (
        refused(open_layers, "SELECT 1 FROM wels")
        == "There is no layer or table 'wels'. Did you mean 'wells'?"
    )
    assert refused(open_layers, "SELECT crp FROM utm") == "There is no column 'crp'; did you mean 'crop'?"
    said = refused(open_layers, "SELECT ST_Areaa(geometry) FROM utm")
    assert said.startswith("There is no function st_areaa; did you mean st_area or ")
    assert refused(open_layers, "SELECT area_m2 FROM utm") == (
        "There is no column 'area_m2'; in sql it is a function: area_m2(geometry)."
    )
    assert "unnest(ST_Dump(geometry)" in refused(open_layers, "SELECT ST_GeometryN(geometry, 1) FROM utm")
    pivot = "SELECT * FROM (PIVOT utm ON crop USING first(crop))"
    assert "stop IN ('a', 'b') USING first(d) GROUP BY school." in refused(open_layers, pivot)
    syntax = refused(open_layers, "SELECT count(*) names FROM wells")
    assert "syntax error at or near 'names'" in syntax and "AS" in syntax
    for chance in (
        "SELECT random() AS r FROM wells", "SELECT * FROM wells USING SAMPLE 1", "SELECT now()",
        "SELECT current_date", "SELECT localtimestamp AS t", "SELECT age(TIMESTAMP '2020-01-01')",
    ):  # fmt: skip
        assert "gives something else each time" in refused(open_layers, chance)


@walks("query", [each for each in HOSTILE if each != "SELECT * FROM catalogue.datasets"])
def test_no_query_reaches_beyond_the_open_layers(open_layers: tuple[World, State], query: str) -> None:
    if not query:
        return
    said = refused(open_layers, query)
    assert "root:" not in said and "\n" not in said


def test_a_file_of_the_session_is_read_by_its_name_alone(open_layers: tuple[World, State]) -> None:
    world, state = open_layers
    path = world.artifacts.find(state.artifacts[0].id)
    for query in (
        f"SELECT * FROM '{path}'",
        f"SELECT * FROM read_parquet('{path}')",
        f'SELECT * FROM "{path}"',
    ):
        refused(open_layers, query)


def test_a_query_without_an_end_is_stopped(
    open_layers: tuple[World, State], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(querying, "SECONDS", 0.3)
    assert "took longer than 0.3 s and was stopped" in refused(open_layers, ENDLESS[2])


def test_the_same_query_gives_the_same_artifact(open_layers: tuple[World, State]) -> None:
    world, state = open_layers
    query = "SELECT crop, count(*) AS n FROM utm GROUP BY crop"
    first, second = run(world, state, sql, query=query), run(world, state, sql, query=query)
    assert first.state == second.state
    assert {"my fields.shp", "my_fields_shp", "drawings", "selection"} <= set(names_open(state))

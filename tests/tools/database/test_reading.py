"""Counting the selection and reading rows of it."""

from __future__ import annotations

import pandas as pd
import pytest

from state.model import State
from tests.tools.world import after, run
from tools.base import World
from tools.database.filters import filter_class
from tools.database.loading import db_load
from tools.database.reading import db_count, db_query, db_sql


@pytest.fixture
def cars(world: World) -> State:
    return after(
        world, State(), (db_load, {"names": ["fair1m", "xview1"]}), (filter_class, {"classes": "cars"})
    )


def test_a_count_without_a_group_is_the_number_of_images(world: World, cars: State) -> None:
    step = run(world, cars, db_count)
    assert step.state == cars
    assert step.observation == "The selection has 4 images."
    assert step.data == {"count": 4, "by": None, "unit": "images", "groups": []}


def test_detections_are_counted_per_selected_class(world: World, cars: State) -> None:
    step = run(world, cars, db_count, by="classes", unit="detections")
    assert step.data == {
        "count": 16,
        "by": "class",
        "unit": "detections",
        "groups": [{"key": "Small Car", "count": 16}],
    }
    assert step.observation == "The selection has 16 detections; by class: Small Car 16."


def test_counting_with_nothing_loaded_says_what_can_be_loaded(world: World) -> None:
    step = run(world, State(), db_count)
    assert step.failed
    assert step.observation == (
        "No data set is loaded; db_load adds some of bigearthnet, fair1m, fmow, xview1 and xview3."
    )


def test_an_unknown_group_gets_the_nearest_column(world: World, cars: State) -> None:
    assert run(world, cars, db_count, by="contry").observation.endswith("Did you mean country?")


def test_a_query_makes_a_sorted_table_and_opens_the_results(world: World, cars: State) -> None:
    step = run(world, cars, db_query, order_by=["-acquired"], limit=2, columns=["name", "acquired", "cloud"])
    assert not step.failed, step.observation
    [artifact] = step.state.artifacts
    assert (artifact.kind, artifact.name, artifact.summary) == ("table", "Rows of the selection", "2 rows")
    assert (
        artifact.made_by == 'db_query(limit=2, order_by=["-acquired"], columns=["name","acquired","cloud"])'
    )
    assert (step.state.ui.table, step.state.ui.panels) == (artifact.id, ("results",))
    path = world.artifacts.find(artifact.id)
    assert path is not None
    frame = pd.read_parquet(path)
    assert frame.columns.tolist() == ["name", "acquired", "cloud_pct"]
    assert frame["name"].tolist() == ["1004.tif", "1003.tif"]
    assert step.data["count"] == 4 and step.data["rows"] == 2
    assert step.data["first"][0] == {"name": "1004.tif", "acquired": "2019-05-11T15:05:00", "cloud_pct": 30.0}


def test_the_same_query_on_the_same_selection_is_the_same_artifact(world: World, cars: State) -> None:
    first = run(world, cars, db_query, order_by=["-acquired"])
    again = run(world, first.state, db_query, order_by=["-acquired"], limit=100)
    assert again.state == first.state
    other = run(
        world, after(world, cars, (filter_class, {"classes": "Bus"})), db_query, order_by=["-acquired"]
    )
    assert other.data["table"] != first.data["table"]


def test_sql_reads_the_whole_catalogue_and_quotes_its_rows(world: World) -> None:
    step = run(
        world,
        State(),
        db_sql,
        sql="SELECT dataset, count(*) AS n FROM images GROUP BY dataset ORDER BY n DESC, dataset LIMIT 2",
    )
    assert step.data["first"] == [{"dataset": "xview1", "n": 7}, {"dataset": "bigearthnet", "n": 5}]
    assert step.observation.startswith(
        "The query gave 2 rows: dataset=xview1, n=7; dataset=bigearthnet, n=5."
    )


@pytest.mark.parametrize(
    "sql",
    [
        "DROP TABLE images",
        "SELECT 1; SELECT 2",
        "SELECT * FROM read_csv('/etc/passwd')",
        "COPY images TO '/tmp/x'",
    ],
)
def test_sql_that_writes_or_reads_files_is_refused_and_leaves_no_artifact(world: World, sql: str) -> None:
    step = run(world, State(), db_sql, sql=sql)
    assert step.failed and step.state == State()

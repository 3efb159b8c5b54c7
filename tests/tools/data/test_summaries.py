"""Describing, counting and summing up."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from state.model import State
from tests.tools.world import after, run
from tools.base import World
from tools.data.summaries import aggregate, describe_table, distinct_values, group_count
from tools.database.filters import filter_class
from tools.database.reading import db_query, db_sql


def read(world: World, artifact_id: str) -> pd.DataFrame:
    path = world.artifacts.find(artifact_id)
    assert isinstance(path, Path)
    return pd.read_parquet(path)


def test_group_count_of_the_selection_makes_a_table_largest_first(world: World, full: State) -> None:
    state = after(world, full, (filter_class, {"classes": "vessels"}))
    step = run(world, state, group_count, by="class", unit="detections")
    assert not step.failed, step.observation
    table = step.data["table"]
    assert read(world, table).values.tolist() == [
        ["fishing vessel", 6],
        ["non-fishing vessel", 6],
        ["Container Ship", 5],
        ["Oil Tanker", 3],
        ["Dry Cargo Ship", 2],
        ["vessel", 2],
    ]
    assert step.data["groups"][0] == {"key": "fishing vessel", "count": 6}
    assert (step.state.ui.table, step.state.ui.panels) == (table, ("results",))
    [artifact] = step.state.artifacts
    assert (artifact.made_by, artifact.summary) == ("group_count(by=class, unit=detections)", "6 rows")
    assert step.observation.startswith(
        "Detections by class: fishing vessel 6, non-fishing vessel 6, Container Ship 5"
    )


def test_group_count_of_a_table_counts_its_rows_by_a_column_or_a_time(world: World, full: State) -> None:
    state = run(world, full, db_query).state
    table = state.artifacts[0].id
    by_country = run(world, state, group_count, by="COUNTRY", table=table)
    assert by_country.data["groups"][:3] == [
        {"key": "US", "count": 8},
        {"key": "PT", "count": 5},
        {"key": "no value", "count": 4},
    ]
    by_year = run(world, state, group_count, by="year", table=table)
    selection_by_year = run(world, full, group_count, by="year")
    assert by_year.data["groups"] == selection_by_year.data["groups"]
    by_season = run(world, state, group_count, by="season", table=table)
    assert by_season.data["groups"] == run(world, full, group_count, by="season").data["groups"]


def test_the_mean_of_a_column_leaves_missing_values_out(world: World, full: State) -> None:
    step = run(world, full, aggregate, field="cloud cover", by="sensor")
    assert step.data["groups"] == [
        {"key": "WorldView-3", "value": pytest.approx(177.5 / 7)},
        {"key": "QuickBird-2", "value": pytest.approx(101 / 5)},
        {"key": "Gaofen-2", "value": pytest.approx(99 / 5)},
        {"key": "Sentinel-2", "value": pytest.approx(2.7 / 5)},
    ]
    assert step.observation.startswith(
        "1 group has no value in cloud_pct and is left out: Sentinel-1. "
        "The mean of cloud_pct by sensor: WorldView-3 25.36, QuickBird-2 20.2,"
        " Gaofen-2 19.8 and Sentinel-2 0.54."
    )


@pytest.mark.parametrize(
    ("function", "value"), [("sum", 74.0), ("max", 10.0), ("min", 0.0), ("count", 26.0), ("median", 2.0)]
)
def test_a_column_of_the_selection_is_summed_up(
    world: World, full: State, function: str, value: float
) -> None:
    assert run(world, full, aggregate, field="detections", function=function).data["value"] == value


def test_a_table_is_summed_up_by_its_own_columns(world: World, full: State) -> None:
    state = run(world, full, group_count, by="month").state
    step = run(world, state, aggregate, field="count", function="max", table=state.artifacts[0].id)
    assert step.data["value"] == 8.0
    assert step.observation.startswith("The max of count: 8.")


def test_a_column_of_words_cannot_be_summed_up(world: World, full: State) -> None:
    step = run(world, full, aggregate, field="sensor")
    assert (
        step.observation
        == "sensor holds no numbers; choose a column of numbers, such as gsd_m or detections."
    )


def test_distinct_values_come_sorted_with_their_counts(world: World, full: State) -> None:
    step = run(world, full, distinct_values, field="split")
    assert step.data["groups"] == [
        {"key": "test", "count": 1},
        {"key": "train", "count": 19},
        {"key": "val", "count": 6},
    ]
    assert step.observation.startswith("split has 3 distinct values: test, train and val.")


def test_a_description_has_a_row_for_each_column(world: World, full: State) -> None:
    step = run(world, full, describe_table)
    described = read(world, step.data["table"]).set_index("column")
    assert described.loc["cloud_pct", ["type", "count", "missing", "min", "max"]].tolist() == [
        "number",
        22,
        4,
        "0.0",
        "70.0",
    ]
    assert described.loc["acquired", ["type", "min", "max"]].tolist() == [
        "time",
        "2015-02-13",
        "2021-09-17",
    ]
    assert described.loc["sensor", ["type", "distinct"]].tolist() == ["text", 5]
    assert step.data["described_rows"] == 26


def test_a_description_takes_tables_with_lists_and_nothing(world: World) -> None:
    sql = "SELECT classes, event, name FROM images WHERE dataset = 'xview1' LIMIT 2"
    state = run(world, State(), db_sql, sql=sql).state
    step = run(world, state, describe_table, table=state.artifacts[0].id)
    assert not step.failed, step.observation
    assert read(world, step.data["table"])["missing"].tolist() == [0, 2, 0]


def test_a_wrong_table_gets_the_tables_there_are(world: World, full: State) -> None:
    assert run(world, full, group_count, by="class", table="table-0").observation == (
        "No table has the id 'table-0'. There is no table yet."
    )
    state = run(world, full, group_count, by="class").state
    table = state.artifacts[0].id
    near = run(world, state, describe_table, table=table[:-1])
    assert (
        near.observation == f"No table has the id '{table[:-1]}'. Did you mean '{table}' (Images by class)?"
    )


@pytest.mark.parametrize("by", ["sensor", "country", "year", "month", "dataset", "split"])
@pytest.mark.parametrize("function", ["mean", "std", "median", "count"])
def test_counting_values_in_sql_sums_up_what_the_rows_do(
    world: World, full: State, by: str, function: str
) -> None:
    in_sql = run(world, full, aggregate, field="cloud_pct", function=function, by=by).data["groups"]
    columns = ["dataset", "sensor", "country", "split", "acquired", "cloud_pct"]
    state = run(world, full, db_query, columns=columns).state
    of_rows = run(
        world, state, aggregate, field="cloud_pct", function=function, by=by, table=state.artifacts[0].id
    )
    assert [each["key"] for each in in_sql] == [each["key"] for each in of_rows.data["groups"]]
    assert [each["value"] for each in in_sql] == pytest.approx(
        [each["value"] for each in of_rows.data["groups"]]
    )

"""Picking and ordering rows."""

from __future__ import annotations

from datetime import date, datetime
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from state.model import Artifact, State
from tests.tools.data.made import TABLE, columns, having
from tests.tools.data.test_summaries import read
from tests.tools.world import run
from tools.base import World
from tools.data.rows import filter_rows, sample_rows, sort_table, top_n
from tools.data.shaping import join_tables
from tools.data.sql import sql
from tools.data.summaries import group_count
from tools.database.attributes import filter_attribute
from tools.database.reading import db_query
from tools.python.files_in import add_file


@pytest.fixture
def sensors(world: World, full: State) -> State:
    """A table of counts by sensor: WorldView-3 7, Gaofen-2 5, QuickBird-2 5, Sentinel-2 5, Sentinel-1 4."""
    return run(world, full, group_count, by="sensor").state


def test_the_top_of_the_selection_is_read_out(world: World, full: State) -> None:
    step = run(world, full, top_n, by="detections", n=2)
    assert read(world, step.data["table"])["image_id"].tolist() == ["xview1:1006.tif", "xview1:1004.tif"]
    assert step.observation.startswith(
        "The 2 rows of 26 with the largest detections: xview1:1006.tif 10 and xview1:1004.tif 9."
    )


def test_the_smallest_of_a_table_come_first_when_asked(world: World, sensors: State) -> None:
    step = run(world, sensors, top_n, by="count", n=1, order="smallest", table=sensors.artifacts[0].id)
    assert step.observation.startswith("The 1 row of 5 with the smallest count: Sentinel-1 4.")


def test_sorting_puts_missing_values_last_and_keeps_ties(world: World, full: State, sensors: State) -> None:
    step = run(world, sensors, sort_table, by=["count", "-sensor"], table=sensors.artifacts[0].id)
    assert read(world, step.data["table"])["sensor"].tolist() == [
        "Sentinel-1", "Sentinel-2", "QuickBird-2", "Gaofen-2", "WorldView-3",
    ]  # fmt: skip
    clouds = run(world, full, sort_table, by="cloud_pct desc", limit=26)
    assert read(world, clouds.data["table"])["cloud_pct"].isna().tolist() == [False] * 22 + [True] * 4


def test_the_same_seed_takes_the_same_rows_and_another_takes_others(world: World, full: State) -> None:
    first = read(world, run(world, full, sample_rows, n=5, seed=1).data["table"])
    again = read(world, run(world, full, sample_rows, n=5, seed=1).data["table"])
    other = read(world, run(world, full, sample_rows, n=5, seed=2).data["table"])
    assert first.equals(again) and len(first) == 5
    assert set(first["image_id"]) != set(other["image_id"])
    assert len(read(world, run(world, full, sample_rows, n=500).data["table"])) == 26


@pytest.mark.parametrize(
    ("field", "op", "value", "rows"),
    [
        ("cloud_pct", "<", 1, 7),
        ("cloud_pct", "!=", 0, 20),
        ("country", "=", "us", 8),
        ("country", "in", ["FR", "PT"], 8),
        ("name", "contains", "AIRPORT", 2),
        ("acquired", ">=", "2021-01-01", 4),
        ("detections", "in", ["5", 6], 5),
    ],
)
def test_rows_that_meet_a_comparison_are_kept(
    world: World, full: State, field: str, op: str, value: Any, rows: int
) -> None:
    state = run(world, full, db_query).state
    step = run(world, state, filter_rows, table=state.artifacts[0].id, field=field, op=op, value=value)
    assert not step.failed, step.observation
    assert step.data["rows"] == rows, step.observation


@pytest.fixture
def months(tmp_path: Path, world: World, full: State) -> State:
    """A table of somebody's own whose months are written out: 2019-11 to 2020-02, and a word for each."""
    (path := tmp_path / "log.csv").write_text("month,word\n2019-11,a\n2019-12,b\n2020-01,c\n2020-02,d\n")
    step = run(world, full, add_file, file=str(path))
    assert not step.failed, step.observation
    return step.state


@pytest.mark.parametrize(
    ("op", "value", "rows"), [(">", "2019-12", 2), ("<", 2020, 2), (">=", "1 Feb 2020", 1)]
)
def test_times_that_a_table_keeps_as_text_are_compared_as_times(
    world: World, months: State, op: str, value: Any, rows: int
) -> None:
    step = run(world, months, filter_rows, table="log", field="month", op=op, value=value)
    assert not step.failed and step.data["rows"] == rows, step.observation


@pytest.mark.parametrize(
    ("field", "said"),
    [
        ("month", "The column holds times, and 'June' is none; write 2018-05-31."),
        ("word", "The column holds words, which 'June' is not compared with; use = or contains."),
    ],
)
def test_what_is_no_time_says_what_the_column_holds(
    world: World, months: State, field: str, said: str
) -> None:
    step = run(world, months, filter_rows, table="log", field=field, op="<", value="June")
    assert step.failed and step.observation == said


def test_a_wrong_column_gets_the_nearest(world: World, sensors: State) -> None:
    step = run(world, sensors, filter_rows, table=sensors.artifacts[0].id, field="cuont", op=">", value=1)
    assert step.failed and step.observation == "The table has no column 'cuont'. Did you mean count?"


IDS = [9007199254740993, 9007199254740992, 7]
"""The first two are one number as doubles."""


def table(world: World, **columns: list[object]) -> State:
    """A state with a table of those columns, called table-1a2b3c."""
    pd.DataFrame(columns).to_parquet(world.artifacts.path("table-1a2b3c", ".parquet"))
    return State().with_artifact(Artifact("table-1a2b3c", "table", "Table", "3 rows", "test()"))


@pytest.mark.parametrize("value", [IDS[0], str(IDS[0])], ids=["a number", "text"])
def test_an_id_of_64_bits_finds_its_own_row_alone(world: World, value: object) -> None:
    state = table(world, osm_id=IDS, name=["a", "b", "c"])
    for op, names in (("=", ["a"]), ("!=", ["b", "c"]), ("in", ["a"])):
        given = [value] if op == "in" else value
        step = run(world, state, filter_rows, table="table-1a2b3c", field="osm_id", op=op, value=given)
        assert read(world, step.data["table"])["name"].tolist() == names, op
    half = run(world, state, filter_rows, table="table-1a2b3c", field="osm_id", op="=", value=7.5)
    assert half.data["rows"] == 0


def test_tables_are_joined_by_ids_of_64_bits_as_they_are(world: World) -> None:
    state = table(world, osm_id=IDS, name=["a", "b", "c"])
    other = pd.DataFrame({"osm_id": IDS[:1], "size": [5]})
    other.to_parquet(world.artifacts.path("table-4d5e6f", ".parquet"))
    state = state.with_artifact(Artifact("table-4d5e6f", "table", "Sizes", "1 row", "test()"))
    step = run(world, state, join_tables, table="table-1a2b3c", other="table-4d5e6f", on=["osm_id"])
    assert step.data["matched"] == 1
    assert read(world, step.data["table"])["name"].tolist() == ["a"]


def test_numbers_that_are_text_are_compared_and_sorted_as_numbers_and_it_is_said(world: World) -> None:
    state = table(world, yield_t=["9,5", "10,25", "1.000,5"], name=["a", "b", "c"])
    said = "yield_t is stored as text; its numbers were read with a decimal comma. "
    step = run(world, state, filter_rows, table="table-1a2b3c", field="yield_t", op=">", value=10)
    assert step.observation.startswith(said)
    assert read(world, step.data["table"])["name"].tolist() == ["b", "c"]
    step = run(world, state, sort_table, table="table-1a2b3c", by=["-yield_t"])
    assert step.observation.startswith(said)
    assert read(world, step.data["table"])["name"].tolist() == ["c", "b", "a"]


@pytest.mark.parametrize(
    ("field", "op", "value", "kept"),
    [
        ("day", ">=", "2020-01-02", [2, 3]),
        ("day", "=", "2020-01-02T00:00:00Z", [2]),
        ("at", "=", "2020-01-02 03:00", [2]),
        ("at", "<", "2020-01-02T04:00", [1, 2]),
        ("at", "in", "2020-01-01,2020-01-03", [1, 3]),
        ("at", "!=", "2020-01-01", [2, 3]),
    ],
)
def test_days_and_times_are_compared_as_such(
    world: World, field: str, op: str, value: str, kept: list[int]
) -> None:
    state = table(
        world, n=[1, 2, 3], day=[date(2020, 1, each) for each in (1, 2, 3)],
        at=[datetime(2020, 1, 1), datetime(2020, 1, 2, 3), datetime(2020, 1, 3)],
    )  # fmt: skip
    step = run(world, state, filter_rows, field=field, op=op, value=value, table=state.artifacts[0].id)
    assert read(world, step.data["table"])["n"].tolist() == kept


def test_lists_have_no_order_and_are_not_sorted_by(world: World) -> None:
    state = table(world, tags=[["b"], ["a"]], names=[{"a": 1}, {"a": 2}])
    for column, said in (("tags", "tags holds lists"), ("names", "names holds objects")):
        step = run(world, state, sort_table, by=column, table=state.artifacts[0].id)
        assert step.failed and step.observation.startswith(f"{said}, which have no order;")


def test_a_missing_value_is_told_from_one_that_says_unknown(world: World) -> None:
    state = table(world, crop=["unknown", None, "wheat"])
    groups = run(world, state, group_count, by="crop", table="table-1a2b3c").data["groups"]
    assert groups == [{"key": key, "count": 1} for key in ("no value", "unknown", "wheat")]


def test_a_property_is_not_compared_with_a_number_that_a_double_cannot_tell(
    world: World, full: State
) -> None:
    step = run(world, full, filter_attribute, field="detections", op="=", value=IDS[0])
    assert step.failed and step.observation.startswith(
        "detections is compared as a double, which cannot tell 9007199254740993 from its neighbours"
    )


@pytest.mark.parametrize(
    ("field", "op", "value", "rows", "said"),
    [
        (
            "code", "in", [1, 7], 1,
            "code is text (such as '001'), and was compared as text with 1 and 7: 1 row means it as a number "
            "and was not taken for it, such as '001'. edit_columns types={\"code\": \"integer\"} makes "
            "numbers of the column. 1 of 3 rows have code in 1 and 7.",
        ),
        ("code", "=", 7, 1, "1 of 3 rows have code = 7."),
        ("n", "=", "001", 1,
         "n is int64 (such as 1); '001' was read as the number 1. 1 of 3 rows have n = 001."),
        ("n", ">", "2", 1, "1 of 3 rows have n > 2."),
    ],
)  # fmt: skip
def test_a_value_of_another_type_than_its_column_is_told_where_it_matters(
    world: World, field: str, op: str, value: Any, rows: int, said: str
) -> None:
    state = having(world, columns(code=["001", "7", "008"], n=[1, 2, 3]))
    step = run(world, state, filter_rows, table=TABLE, field=field, op=op, value=value)
    assert (step.data["rows"], step.observation) == (rows, f"{said} The table is {step.data['table']}.")


def test_a_condition_of_sql_is_answered_with_the_query_that_takes_it(world: World) -> None:
    state = having(world, columns(code=["ax", "b"]))
    step = run(world, state, filter_rows, table=TABLE, where="code LIKE '%x%'")
    assert step.observation == (
        "\"code LIKE '%x%'\" is no expression, but SQL, which the tool sql takes: "
        "SELECT * FROM table_00000a WHERE code LIKE '%x%'"
    )
    query = step.observation.split("takes: ")[1]
    assert run(world, state, sql, query=query).data["first"] == [{"code": "ax"}]

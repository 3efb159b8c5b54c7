"""Picking and ordering rows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from state.model import State
from tests.tools.data.test_summaries import read
from tests.tools.world import run
from tools.base import World
from tools.data.rows import filter_rows, sample_rows, sort_table, top_n
from tools.data.summaries import group_count
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

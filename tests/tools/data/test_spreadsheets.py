"""Workbooks."""

from __future__ import annotations

import zipfile
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

import pandas as pd
import pytest
from openpyxl import load_workbook

from state.model import State
from tests.tools.data.made import TABLE, columns, having
from tests.tools.world import SCENES, after, run
from tools.base import Step, World
from tools.data.spreadsheets import export_xlsx
from tools.database.dates import filter_date


def workbook(step: Step) -> tuple[pd.DataFrame, dict[str, str]]:
    """The rows, and what is said about them."""
    rows = pd.read_excel(step.data["path"], sheet_name="rows")
    about = pd.read_excel(step.data["path"], sheet_name="about", header=None, keep_default_na=False)
    return rows, dict(about.itertuples(index=False, name=None))


def test_the_selection_comes_back_whole_from_a_workbook(world: World, full: State) -> None:
    step = run(world, full, export_xlsx)
    rows, about = workbook(step)
    counts = {name: [sum(each.classes.values()) for each in group] for name, group in SCENES.items()}
    assert {name: part.tolist() for name, part in rows.groupby("dataset")["detections"]} == counts
    assert rows["acquired"].iloc[0].startswith("20") and rows["origin"].unique().tolist() == [
        "sample data: generated positions and labels"
    ]
    assert (about["made_by"], about["rows"], about["crs"]) == ("export_xlsx()", "26", "OGC:CRS84")


def test_a_text_that_looks_like_a_formula_stays_text_in_cells_and_header(world: World) -> None:
    evil = ["=cmd|' /C calc'!A0", "+1", "-1", "@SUM(A1)", "\t=1", "#N/A", "plain", "=1+1\x00"]
    frame = pd.DataFrame({"=danger": evil, "n": range(8)})
    step = run(world, having(world, frame), export_xlsx, table=TABLE)
    sheet = load_workbook(step.data["path"])["rows"]
    first = [row[0] for row in sheet.iter_rows()]
    assert {cell.data_type for cell in first} <= {"s", "inlineStr"}
    assert [cell.value for cell in first] == ["=danger", *evil[:4], "\t=1", "#N/A", "plain", "=1+1 "]
    assert [cell.quotePrefix for cell in first] == [True, *[True] * 6, False, True]
    with zipfile.ZipFile(step.data["path"]) as file:
        assert b"<f>" not in file.read("xl/worksheets/sheet1.xml")


def test_numbers_times_truths_and_gaps_keep_their_kind(world: World) -> None:
    frame = columns(
        a=[1.5, None],
        b=[2**60, 3],
        c=[True, False],
        d=[datetime(2020, 1, 2, 3, tzinfo=UTC), None],
        e=["é\x0b", None],
    )
    step = run(world, having(world, frame), export_xlsx, table=TABLE)
    cells = [list(row)[:5] for row in load_workbook(step.data["path"])["rows"].values]
    assert cells[1:] == [
        [1.5, str(2**60), True, "2020-01-02T03:00:00+00:00", "é "], [None, 3, False, None, None],
    ]  # fmt: skip


def test_the_same_rows_give_the_same_bytes(world: World) -> None:
    state = having(world, columns(a=["x", "y"]))
    digests = {_digest(run(world, state, export_xlsx, table=TABLE)) for _ in range(2)}
    assert len(digests) == 1


def test_nothing_to_write_is_told(world: World, full: State) -> None:
    state = after(world, full, (filter_date, {"start": "1990-01-01", "end": "1990-12-31"}))
    step = run(world, state, export_xlsx)
    assert step.failed and "no row to export" in step.observation


@pytest.mark.parametrize("rows", [200_001])
def test_more_rows_than_fit_are_refused_at_once(world: World, rows: int) -> None:
    step = run(world, having(world, columns(a=range(rows))), export_xlsx, table=TABLE)
    assert step.failed and "200,001 rows" in step.observation and "export_csv" in step.observation


def _digest(step: Step) -> str:
    return sha256(Path(step.data["path"]).read_bytes()).hexdigest()

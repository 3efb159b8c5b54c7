"""One workflow on many: a table of results and failures, cancelled, and gone on with after a kill."""

from __future__ import annotations

import csv
import threading
from pathlib import Path

import numpy as np
import pytest

from copilot.engine import Engine
from copilot.session import Session
from copilot.workflows.batch import (
    Item,
    ItemRun,
    batches,
    begin,
    items_of,
    look,
    opened,
    run_batch,
    stop_batch,
)
from copilot.workflows.model import Workflow, WorkflowError
from tests.copilot.workflows.making import FILES, added, workflow, write_tiff

HEIGHTS = {"dem": "raster: modality=elevation"}


def steep(limit: float = 5) -> Workflow:
    """Where a terrain is steep: two steps."""
    return workflow(
        "steps:\n"
        "  - {id: slope, tool: slope, args: {raster: $dem}, checks: [{measure: valid_pct, low: 88}]}\n"
        "  - {id: steep, tool: raster_calc, args: {raster: $slope, expression: 'A > ${limit}'}}\n"
        "gives: [$steep]",
        HEIGHTS,
        {"limit": {"default": limit, "range": [0, 90]}},
    )


def heights(path: Path, seed: int) -> str:
    rows, columns = np.mgrid[0:40, 0:40]
    values = (20 + 0.5 * columns + 0.1 * seed * rows).astype(np.float32)
    return str(write_tiff(path / f"dem_{seed}.tif", values, description="height"))


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    return [heights(tmp_path, seed) for seed in (1, 2, 3)]


def table_of(session: Session, handle: str | None) -> list[dict[str, str]]:
    assert handle is not None
    import pyarrow.parquet as pq

    path = session.world().artifacts.find(handle)
    assert path is not None
    return [{key: str(value) for key, value in row.items()} for row in pq.read_table(path).to_pylist()]


def test_a_batch_gives_a_table_with_a_row_of_results_for_each_file(
    session: Session, files: list[str]
) -> None:
    seen: list[ItemRun] = []
    batch = begin(session, steep(), items_of(steep(), files), {"limit": 3})
    report = run_batch(session, batch, heard=seen.append)
    assert [(each.name, each.status, each.steps_done) for each in report.items] == [
        (f"dem_{seed}", "done", 2) for seed in (1, 2, 3)
    ]
    rows = table_of(session, report.table)
    assert [row["item"] for row in rows] == ["dem_1", "dem_2", "dem_3"]
    assert {row["status"] for row in rows} == {"done"}
    assert seen[-1].status == "done"
    assert session.replay() == session.state


def test_what_fails_is_a_row_with_its_reason_and_the_others_go_on(session: Session, files: list[str]) -> None:
    wrong = str(FILES / "scene.tif")
    batch = begin(session, steep(), items_of(steep(), [files[0], wrong]))
    report = run_batch(session, batch)
    assert [each.status for each in report.items] == ["done", "failed"]
    assert (report.ok, report.items[1].failed_step, bool(report.items[1].said)) == (False, "slope", True)
    assert table_of(session, report.table)[1]["why"] == report.items[1].said


def test_a_batch_that_was_stopped_goes_on_at_the_last_finished_step(
    session: Session, files: list[str]
) -> None:
    stop = threading.Event()
    batch = begin(session, steep(), items_of(steep(), files))

    first = run_batch(session, batch, stop=stop, heard=lambda _: stop.set())
    assert first.cancelled
    assert first.table is None
    again = run_batch(session, batch)
    assert again.ok
    begun = Session.open(again.items[0].session, engine=session.engine)
    called = [each.tool for each in begun.events]
    assert called == ["add_file", "slope", "raster_calc"]


def test_another_process_stops_a_batch_by_its_folder(session: Session, files: list[str]) -> None:
    batch = begin(session, steep(), items_of(steep(), files))

    stop_batch(session, batch)
    assert look(session, batch).cancelled
    assert run_batch(session, batch).ok  # to run it again is to want it


def test_items_may_differ_in_their_values_and_be_handles_of_the_session(
    session: Session, files: list[str]
) -> None:
    dem = added(session, Path(files[0]))
    items = [Item(f"above {limit}", {"dem": dem}, {"limit": limit}) for limit in (1, 60)]
    report = run_batch(session, begin(session, steep(), items))
    assert report.ok
    theirs = [Session.open(each.session, engine=session.engine) for each in report.items]
    assert [each.events[-1].args["expression"] for each in theirs] == ["A > 1", "A > 60"]


def test_an_item_opens_as_a_session_of_its_owners_that_can_be_undone(
    session: Session, files: list[str]
) -> None:
    batch = begin(session, steep(), items_of(steep(), files[:1]))
    run_batch(session, batch)
    copy = opened(session, batch, 0)
    assert copy.row.owner == session.row.owner
    assert copy.undo().ok
    assert copy.replay() == copy.state
    names = [each.id for each in session.engine.store.sessions(session.row.owner)]
    assert sorted(names) == sorted([session.id, copy.id])


def test_a_batch_is_nobody_elses(engine: Engine, session: Session, files: list[str]) -> None:
    batch = begin(session, steep(), items_of(steep(), files))
    other = Session.open(owner="somebody", engine=engine)
    with pytest.raises(WorkflowError, match="There is no batch"):
        look(other, batch)
    assert [each.id for each in batches(session)] == [batch]
    assert batches(other) == ()


def test_files_are_parted_into_items_by_what_the_workflow_wants() -> None:
    flow = workflow(
        "steps: [{id: change, tool: map_change, args: {before: $before, after: $after}}]\ngives: [$change]",
        {"before": "raster", "after": "raster"},
    )
    assert [dict(each.data) for each in items_of(flow, ["a.tif,b.tif", "after=d.tif,c.tif"])] == [
        {"before": "a.tif", "after": "b.tif"},
        {"after": "d.tif", "before": "c.tif"},
    ]
    assert [dict(each.data) for each in items_of(flow, ["b.tif"], {"before": "a.tif"})] == [
        {"before": "a.tif", "after": "b.tif"}
    ]
    with pytest.raises(WorkflowError, match="wants before, after"):
        items_of(flow, ["a.tif"])


def test_a_value_out_of_range_is_refused_before_anything_is_run(session: Session, files: list[str]) -> None:
    with pytest.raises(WorkflowError, match="limit is 100, and lies within 0 and 90"):
        begin(session, steep(), items_of(steep(), files), {"limit": 100})


@pytest.mark.slow
def test_items_run_in_the_background_worker_side_by_side(engine: Engine, files: list[str]) -> None:
    engine.background = True
    session = Session.open(engine=engine)
    try:
        report = run_batch(session, begin(session, steep(), items_of(steep(), files)))
    finally:
        engine.desk.close()
    assert report.ok
    assert len(table_of(session, report.table)) == 3


def test_the_csv_of_a_batch_is_plain(session: Session, files: list[str]) -> None:
    report = run_batch(session, begin(session, steep(), items_of(steep(), files[:1])))
    path = next(session.engine.uploads(session.row.owner).glob(f"{report.id}*.csv"))
    assert next(csv.reader(path.read_text().splitlines()))[:2] == ["item", "status"]

"""A graph's nodes as they go: waiting, running, finished, repaired, failed, left out."""

from __future__ import annotations

from pathlib import Path

import pytest

from copilot.session import Session
from copilot.workflows import following
from copilot.workflows.changing import Change, changed
from copilot.workflows.memory import Memory
from copilot.workflows.model import Workflow, WorkflowError
from tests.copilot.workflows.making import FILES, added, bound, heights_with_a_hole, workflow

HEIGHTS = {"dem": "raster: modality=elevation"}


def kept(session: Session, flow: Workflow) -> None:
    Memory.of(session.engine.home, session.row.owner).keep(flow)


def smooth_steep() -> Workflow:
    return workflow(
        "steps:\n"
        "  - {id: filled, tool: fill_nodata, args: {raster: $dem}, why: Holes have no slope.}\n"
        "  - {id: slope, tool: slope, args: {raster: $filled}}\n"
        "  - {id: high, tool: raster_calc, args: {raster: $dem, expression: 'A > 30', dtype: uint8}}\n"
        "  - {id: steep, tool: raster_calc, args: {raster: $slope, expression: 'A > 5', dtype: uint8}}\n"
        "gives: [$steep, $high]",
        HEIGHTS,
    )


def run(session: Session, flow: Workflow, dem: str) -> str:
    kept(session, flow)
    session.call("workflow_run", workflow=flow.id, data={"dem": dem})
    return next(str(e.data["workflow"]) for e in session.events if e.tool == "workflow_run")


def test_nodes_are_waiting_then_running_then_finished_while_a_run_goes_on(session: Session) -> None:
    dem = added(session, FILES / "dem.tif")
    seen: list[list[str]] = []

    def listener(session_id: str, handle: str) -> None:
        assert session_id == session.id
        seen.append([each.status for each in following.nodes(session, handle)])

    leave = following.listen(listener)
    try:
        handle = run(session, smooth_steep(), dem)
    finally:
        leave()
    assert seen[0] == ["running", "waiting", "waiting", "waiting"]
    assert seen[1] == ["finished", "waiting", "waiting", "waiting"]
    assert seen[-1] == ["finished"] * 4
    assert following.is_running(session.id) is None
    made = following.nodes(session, handle)
    assert [each.level for each in made] == [0, 1, 0, 2]
    assert made[1].before == ("filled",)
    assert made[1].args == {"raster": made[0].results["raster"]}
    assert made[0].why == "Holes have no slope."


def test_a_run_stops_before_its_next_step_and_goes_on_without_computing_anything_twice(
    session: Session,
) -> None:
    dem = added(session, FILES / "dem.tif")
    leave = following.listen(lambda session_id, _: [following.stop(session_id), None][1])
    handle = run(session, smooth_steep(), dem)
    leave()
    assert [each.status for each in following.nodes(session, handle)] == [
        "finished",
        "waiting",
        "waiting",
        "waiting",
    ]
    report = session.call("workflow_run", workflow=handle)
    assert [each["status"] for each in report.data["run"]["steps"]] == ["reused"] * 4
    tools = [each.tool for each in session.events if each.source == "workflow"]
    assert tools.count("fill_nodata") == 1


def test_a_repaired_node_says_what_failed_and_what_was_changed(session: Session, tmp_path: Path) -> None:
    flow = workflow(
        "steps: [{id: slope, tool: slope, args: {raster: $dem}, checks: [{measure: valid_pct, low: 88}]}]\n"
        "gives: [$slope]",
        HEIGHTS,
    )
    handle = run(session, flow, added(session, heights_with_a_hole(tmp_path / "dem.tif")))
    repaired = following.latest(session, handle)
    assert repaired != handle
    made = following.nodes(session, repaired)
    assert [(each.id, each.status) for each in made] == [
        ("fill_nodata_for_slope", "repaired"),
        ("slope", "repaired"),
    ]
    assert "valid_pct is" in made[1].repair


def test_a_step_left_out_is_passed_by_and_shown_as_skipped(session: Session) -> None:
    dem = added(session, FILES / "dem.tif")
    handle = run(session, smooth_steep(), dem)
    changed_one = session.call("workflow_adjust", workflow=handle, change={"kind": "skip", "step": "filled"})
    report = session.call("workflow_run", workflow=str(changed_one.data["workflow"]))
    steps = {each["step"]: each["status"] for each in report.data["run"]["steps"]}
    assert steps == dict.fromkeys(("slope", "high", "steep"), "reused")
    made = following.nodes(session, str(changed_one.data["workflow"]))
    assert [(each.id, each.status) for each in made][-1] == ("filled", "skipped")
    assert session.replay() == session.state


@pytest.mark.parametrize("left_out", ["inside", "land"])
def test_a_mask_left_out_takes_with_it_what_only_lays_it_over(left_out: str) -> None:
    flow = workflow(
        "steps:\n"
        "  - {id: index, tool: spectral_index, args: {raster: $image, index: NDVI}}\n"
        "  - {id: land, tool: raster_calc, args: {raster: $index, expression: 'A > 0', dtype: uint8}}\n"
        "  - {id: inside, tool: raster_calc, args: {raster: $index, others: [$land], expression: A * B}}\n"
        "  - {id: green, tool: raster_calc, args: {raster: $inside, expression: 'A > 0.5', dtype: uint8}}\n"
        "gives: [$green]",
        {"image": "raster: modality=optical, bands=nir+red"},
    )
    after = changed(bound(flow, image="raster-1"), Change("skip", left_out)).workflow
    assert [each.id for each in after.steps] == ["index", "green"]
    assert after.step("green").args["raster"] == "$index"


def test_what_would_leave_no_answer_is_not_left_out() -> None:
    flow = workflow("steps: [{id: slope, tool: slope, args: {raster: $dem}}]\ngives: [$slope]", HEIGHTS)
    try:
        changed(bound(flow, dem="raster-1"), Change("skip", "slope"))
    except WorkflowError as error:
        assert str(error) == "Without slope nothing of what test/one gives would be left."
    else:
        raise AssertionError

"""The search for what is lacking: the fewest steps with which every precondition holds, proven by a run."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from copilot.session import Session
from copilot.workflows.adjusting import Repairer, _means_the_same
from copilot.workflows.engine import Run
from copilot.workflows.model import Workflow
from copilot.workflows.searching import jointly
from tests.copilot.workflows.making import FILES, added, bound, workflow, write_tiff
from tools.toolbox import toolbox


def dark(needs: str) -> Workflow:
    """What is dark in a radar image that must be so."""
    return workflow(
        "steps: [{id: dark, tool: raster_calc, args: {raster: $radar, expression: 'A < 0.02'}}]\n"
        "gives: [$dark]",
        {"radar": needs},
    )


def decibels(session: Session, folder: Path) -> str:
    power = np.random.default_rng(1).gamma(4, 0.01, (48, 48)).astype(np.float32)
    return added(session, write_tiff(folder / "vv_db.tif", 10 * np.log10(power)))


def test_two_properties_that_are_lacking_are_given_by_two_steps_in_their_order(
    session: Session, tmp_path: Path
) -> None:
    flow = dark("raster: modality=radar, level=intensity|amplitude, done=despeckled")
    radar = decibels(session, tmp_path)
    run = Run(session, bound(flow, radar=radar))
    first = next(jointly(run, flow.step("dark")))
    assert [each.tool for each in first.parts] == ["to_decibel", "speckle_filter"]
    report = Run(session, bound(flow, radar=radar), repair=Repairer()).run()
    assert report.ok
    assert [each.tool for each in report.steps] == ["to_decibel", "speckle_filter", "raster_calc"]
    assert len(report.instance.adjustments) == 1


def test_one_property_is_given_by_one_step(session: Session, tmp_path: Path) -> None:
    flow = dark("raster: modality=radar, level=intensity|amplitude")
    run = Run(session, bound(flow, radar=decibels(session, tmp_path)))
    assert [each.tool for each in jointly(run, flow.step("dark"))][:1] == ["to_decibel"]


def test_what_no_tool_gives_is_searched_for_in_vain_and_told(session: Session) -> None:
    flow = dark("raster: modality=radar, done=blessed")
    radar = added(session, FILES / "scene.tif")
    run = Run(session, bound(flow, radar=radar))
    assert list(jointly(run, flow.step("dark"))) == []
    report = Run(session, bound(flow, radar=radar), repair=Repairer()).run()
    assert report.trouble is not None
    assert (report.trouble.kind, report.calls) == ("precondition", 0)


def test_a_workflow_on_data_that_a_tool_can_prepare_is_not_refused(session: Session, tmp_path: Path) -> None:
    from copilot.workflows.memory import Memory

    flow = dark("raster: modality=radar, level=intensity|amplitude")
    Memory.of(session.engine.home, session.row.owner).keep(flow)
    radar = decibels(session, tmp_path)
    report = session.call("workflow_run", workflow=flow.id, data={"radar": radar})
    assert report.data["run"]["ok"]
    assert report.data["run"]["adjustments"][0]["failed"].startswith("raster needs level amplitude|intensity")
    assert session.replay() == session.state


def test_a_tool_takes_anothers_place_only_for_the_same_thing() -> None:
    box = toolbox()
    pairs = {
        ("slope", "aspect"): False,
        ("building_extraction", "road_extraction"): False,
        ("horizontal_object_detection", "rotated_object_detection"): True,
        ("semantic_segmentation", "slope"): False,
    }
    assert {pair: _means_the_same(box.get(pair[0]), box.get(pair[1])) for pair in pairs} == pairs


def test_data_of_another_kind_are_told_and_not_made_to_fit(session: Session) -> None:
    flow = workflow(
        "steps: [{id: slope, tool: slope, args: {raster: $dem}}]\ngives: [$slope]",
        {"dem": "raster: modality=elevation"},
    )
    report = Run(session, bound(flow, dem=added(session, FILES / "scene.tif")), repair=Repairer()).run()
    assert report.trouble is not None
    assert (report.trouble.kind, report.calls, report.instance.adjustments) == ("precondition", 0, ())

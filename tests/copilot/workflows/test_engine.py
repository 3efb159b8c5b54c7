"""Running workflows: order, checks, going on, nothing twice, repairs that hold, and what is learned."""

from __future__ import annotations

import threading
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from copilot.engine import Engine
from copilot.session import Session
from copilot.workflows.adjusting import Repairer
from copilot.workflows.changing import Change
from copilot.workflows.diagnosing import Cause
from copilot.workflows.engine import Run, Trouble
from copilot.workflows.memory import Memory
from copilot.workflows.model import Workflow
from copilot.workflows.running import run
from tests.copilot.workflows.making import FILES, added, bound, heights_with_a_hole, workflow, write_tiff

NDVI = """
steps:
  - {id: index, tool: spectral_index, args: {raster: $image, index: NDVI}, checks: [{measure: max, low: 0.5}]}
  - {id: weak, tool: raster_calc, args: {raster: $index, expression: "A < ${limit}", dtype: uint8}}
gives: [$weak]
"""
OPTICAL = {"image": "raster: modality=optical, bands=nir+red"}


def ndvi() -> Workflow:
    return workflow(NDVI, OPTICAL, {"limit": {"default": 0.3, "range": [0, 1]}})


def steep() -> Workflow:
    """Slopes that must have a value nearly everywhere."""
    return workflow(
        "steps: [{id: slope, tool: slope, args: {raster: $dem}, checks: [{measure: valid_pct, low: 88}]}]\n"
        "gives: [$slope]",
        {"dem": "raster: modality=elevation"},
    )


def tools_called(session: Session) -> list[str]:
    return [each.tool for each in session.events if each.source == "workflow"]


@pytest.fixture
def scene(session: Session) -> str:
    return added(session, FILES / "scene.tif")


def test_a_run_makes_each_step_a_call_and_gives_the_answer(session: Session, scene: str) -> None:
    report = Run(session, bound(ndvi(), image=scene)).run()
    assert report.ok
    assert [(each.step, each.status) for each in report.steps] == [("index", "done"), ("weak", "done")]
    assert tools_called(session) == ["spectral_index", "raster_calc"]
    assert session.state.artifact(report.answer["$weak"]) is not None
    assert session.replay() == session.state


def test_a_second_run_computes_nothing_again_and_an_undone_step_alone(session: Session, scene: str) -> None:
    first = Run(session, bound(ndvi(), image=scene)).run()
    again = Run(session, bound(ndvi(), image=scene)).run()
    assert (again.calls, [each.status for each in again.steps]) == (0, ["reused", "reused"])
    session.undo()
    third = Run(session, bound(ndvi(), image=scene)).run()
    assert [each.status for each in third.steps] == ["reused", "done"]
    assert third.answer == first.answer


def test_a_run_that_was_stopped_goes_on_at_the_step_that_is_next(session: Session, scene: str) -> None:
    stop = threading.Event()
    report = Run(session, bound(ndvi(), image=scene), stop=stop, heard=lambda _: stop.set()).run()
    assert report.cancelled
    assert [each.status for each in report.steps] == ["done", "waiting"]
    # Another process: nothing but the log is left.
    later = Session.open(session.id, engine=session.engine)
    assert [each.status for each in Run(later, bound(ndvi(), image=scene)).run().steps] == ["reused", "done"]


def test_a_check_that_is_not_met_holds_what_hangs_on_it(session: Session, scene: str) -> None:
    flow = workflow(NDVI.replace("low: 0.5", "low: 0.99"), OPTICAL, {"limit": {"default": 0.3}})
    report = Run(session, bound(flow, image=scene)).run()
    assert report.trouble is not None
    assert report.trouble.kind == "quality"
    assert [each.status for each in report.steps] == ["failed", "held"]


def test_a_precondition_that_is_false_is_told_before_anything_is_run(session: Session) -> None:
    dem = added(session, FILES / "dem.tif")
    report = Run(session, bound(ndvi(), image=dem)).run()
    assert report.trouble is not None
    assert (report.trouble.kind, report.calls) == ("precondition", 0)


def test_gaps_that_spoil_a_slope_are_filled_before_it(session: Session, tmp_path: Path) -> None:
    dem = added(session, heights_with_a_hole(tmp_path / "dem.tif"))
    before = Run(session, bound(steep(), dem=dem)).run()
    assert before.trouble is not None
    report = Run(session, bound(steep(), dem=dem), repair=Repairer()).run()
    assert report.ok
    assert [each.tool for each in report.steps] == ["fill_nodata", "slope"]
    assert report.instance.adjustments[0]["because"] == "gaps of raster"


def test_decibels_are_turned_back_for_a_filter_that_cannot_take_them(
    session: Session, tmp_path: Path
) -> None:
    power = np.random.default_rng(1).gamma(4, 0.01, (48, 48)).astype(np.float32)
    radar = added(session, write_tiff(tmp_path / "vv_db.tif", 10 * np.log10(power)))
    flow = workflow(
        "steps: [{id: smooth, tool: speckle_filter, args: {raster: $radar, looks: 4}}]\ngives: [$smooth]",
        {"radar": "raster: modality=radar"},
    )
    report = Run(session, bound(flow, radar=radar), repair=Repairer()).run()
    assert report.ok
    assert [each.tool for each in report.steps] == ["to_decibel", "speckle_filter"]
    assert report.instance.workflow.steps[0].args == {"raster": "$radar", "inverse": True}


def test_a_repair_is_a_rule_and_a_variant_the_next_time(engine: Engine, tmp_path: Path) -> None:
    memory = Memory.of(engine.home, "ada")
    dem = heights_with_a_hole(tmp_path / "dem.tif")
    calls = []
    for _ in range(2):
        session = Session.open(engine=engine)
        report = run(session, bound(steep(), dem=added(session, dem)), memory=memory)
        assert report.ok
        calls.append(report.calls)
    assert calls == [3, 2]
    kept = memory.read()
    assert [(each.helped, each.set_aside) for each in kept.variants] == [(2, False)]
    assert any(each.helped == 1 and each.action["tool"] == "fill_nodata" for each in kept.rules)
    assert Memory.of(engine.home, "bob").read().rules == ()
    assert memory.forget("slope") > 0
    assert memory.read().rules == ()


def test_a_variant_that_fails_is_set_aside_and_the_workflow_itself_is_run(
    engine: Engine, tmp_path: Path
) -> None:
    memory = Memory.of(engine.home, "ada")
    session = Session.open(engine=engine)
    dem = added(session, heights_with_a_hole(tmp_path / "dem.tif"))
    assert run(session, bound(steep(), dem=dem), memory=memory).ok
    kept = memory.read()
    broken = Workflow.from_json(kept.variants[0].workflow)
    worse = broken.with_step(broken.steps[-1].__class__("slope", "no_such_tool", {"raster": "$dem"}))
    memory.write(
        type(kept)(variants=(type(kept.variants[0])(worse.to_json(), "test/one", kept.variants[0].context),))
    )
    assert run(session, bound(steep(), dem=dem), memory=memory).ok
    assert memory.read().variants[0].set_aside


@settings(max_examples=25)
@given(st.lists(st.booleans(), max_size=8))
def test_a_rule_counts_what_it_did_and_is_set_aside_when_it_mostly_failed(seen: list[bool]) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        memory = Memory(Path(folder) / "m.json")
        trouble = Trouble("slope", "slope", "quality", "")
        cause = Cause("gaps", "raster", "done", ("filled",))
        change = Change("insert", "slope", "raster", tool="fill_nodata", args={"raster": "$@"})
        for helped in seen:
            memory.saw(trouble, cause, change, helped)
        rules = memory.read().rules
        assert [(r.helped, r.failed) for r in rules] == ([(sum(seen), len(seen) - sum(seen))] if seen else [])
        offered = bool(memory.proposals(trouble, [cause]))
        assert offered == (any(seen) and len(seen) - 2 * sum(seen) < 2)


def test_a_started_workflow_drives_its_steps_in_its_turn_and_reports(session: Session, scene: str) -> None:
    fields = added(session, FILES / "fields.geojson")
    report = session.call(
        "workflow_run", workflow="crop_vigour/ndvi", data={"image": scene, "fields": fields}
    )
    assert report.tool == "workflow_report"
    assert report.data["run"]["ok"]
    turn = [each.tool for each in session.events if each.turn == report.turn]
    assert turn == ["workflow_run", "spectral_index", "zonal_stats", "workflow_report"]
    assert session.replay() == session.state


def test_what_was_done_is_kept_as_a_workflow_and_runs_elsewhere(session: Session, scene: str) -> None:
    session.call("spectral_index", raster=scene, index="NDVI")
    kept = session.call("workflow_save", name="How green", turns=1)
    assert [each["tool"] for each in kept.data["steps"]] == ["spectral_index"]
    later = added(session, FILES / "scene.tif")
    report = session.call("workflow_run", workflow="how_green", data={"data_1": later})
    assert report.data["run"]["workflow"] == "how_green/own"
    assert report.data["run"]["ok"]

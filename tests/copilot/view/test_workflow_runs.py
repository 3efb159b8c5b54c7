"""Runs as the session's log has them, their steps, what may be changed of one, and two side by side."""

from __future__ import annotations

from pathlib import Path

import pytest

from copilot.session import Session
from copilot.view.workflow_compared import Side, tables
from copilot.view.workflow_edits import elsewhere, insertions, own_values, replacements
from copilot.view.workflow_runs import (
    Run,
    arguments_html,
    bound,
    changes,
    found_run,
    graph_nodes,
    runs,
    started_in_vain,
    told,
)
from copilot.workflows import following
from copilot.workflows.instantiate import Instance
from copilot.workflows.procedures import at_hand
from data.scenes import pair
from tests.copilot.workflows.making import added

RISE = "flood_extent_optical/rise"


def flood(folder: Path, session: Session, seed: int, name: str) -> tuple[str, str]:
    """A rendered pair of a flood in the session: the handles of before and after."""
    made = pair(seed, "flood", sensor="multispectral", size=96, gsd_m=10, same_season=True)
    files = [
        scene.write(folder / f"{name}_{side}.tif")
        for side, scene in (("before", made.before), ("after", made.after))
    ]
    before, after = (added(session, each) for each in files)
    return before, after


@pytest.fixture
def data(session: Session, tmp_path: Path) -> dict[str, str]:
    before, after = flood(tmp_path, session, 4, "river")
    return {"before": before, "after": after}


def start(session: Session, data: dict[str, str], rise: float) -> None:
    session.call("workflow_run", workflow=RISE, data=data, parameters={"rise_from": rise})


def shown(session: Session) -> tuple[Run, ...]:
    return runs(session.events, session.state)


def instance_of(session: Session, run: Run) -> Instance:
    found = bound(session.world(), run.id)
    assert found is not None
    return found


def test_a_run_that_repaired_itself_is_one_run_with_what_failed_and_was_changed(
    session: Session, data: dict[str, str]
) -> None:
    start(session, data, 1.5)
    (run,) = shown(session)
    assert (run.end, run.report["ok"]) == ("repaired", True)
    assert run.id == run.ids[-1] != run.ids[0]
    instance = instance_of(session, run)
    (said,) = changes(instance)
    assert said.startswith("Flood failed: share_pct is 0")
    assert "Cause: tight limit. Changed: rise_from set to 0.775." in said
    nodes = following.nodes(session, run.id)
    assert [(each.id, each.status) for each in graph_nodes(instance, nodes, session.state)] == [
        ("before", "input"),
        ("after", "input"),
        ("index_before", "finished"),
        ("index_after", "finished"),
        ("flood", "repaired"),
        ("outlines", "finished"),
    ]


def test_a_step_says_its_arguments_with_where_they_are_from_its_result_and_why_it_is_there(
    session: Session, data: dict[str, str]
) -> None:
    start(session, data, 0.2)
    (run,) = shown(session)
    instance = instance_of(session, run)
    node = next(each for each in following.nodes(session, run.id) if each.id == "flood")
    about = told(instance, "flood", node, session.state)
    assert about.why == "Wet ground raises the index even where plants stand out of the water."
    origins = {each.name: each.origin for each in about.arguments}
    assert origins == {
        "raster": "the result of index after",
        "expression": "the parameter rise_from, from the request",
        "others": "the result of index before",
        "dtype": "as the workflow says",
    }
    assert [each.kind for each in about.results] == ["raster"]
    assert about.checks and about.checks[0].endswith("kept")
    assert "<b>" not in arguments_html([about.arguments[0].__class__("<b>", "<b>", "<b>")])


def test_a_change_is_a_draft_until_it_is_run_and_what_was_undone_is_no_run(
    session: Session, data: dict[str, str]
) -> None:
    start(session, data, 0.2)
    first = shown(session)[0]
    change = {"kind": "parameter", "name": "rise_from", "value": 0.6}
    event = session.call("workflow_adjust", workflow=first.id, change=change)
    assert [each.end for each in shown(session)] == ["draft", "finished"]
    assert shown(session)[0].made_of == first.id
    session.call("workflow_run", workflow=event.data["workflow"])
    assert [each.end for each in shown(session)] == ["finished", "finished"]
    assert found_run(shown(session), first.id) == shown(session)[1]
    assert found_run(shown(session), "workflow-000000") == shown(session)[0]
    session.undo()
    session.undo()
    assert [each.id for each in shown(session)] == [first.id]
    session.undo()
    assert (shown(session), found_run(shown(session), None)) == ((), None)


def test_why_a_start_came_to_nothing_is_told(session: Session, data: dict[str, str]) -> None:
    session.call("workflow_run", workflow="xyzzy plugh")
    assert started_in_vain(session.events).startswith("No workflow is called, or is for,")
    start(session, data, 0.2)
    assert started_in_vain(session.events) == ""


def test_two_runs_differ_in_what_was_set_and_in_what_came_of_it(
    session: Session, data: dict[str, str]
) -> None:
    start(session, data, 0.2)
    start(session, data, 1.0)
    one, other = (
        Side(instance_of(session, each), following.nodes(session, each.id)) for each in shown(session)
    )
    found = {
        each.title: each.frame for each in tables(one, other, session.events, session.state, {"$flood": 0.5})
    }
    assert found["Data and values"].values.tolist() == [["rise_from", "1.0", "0.2"]]
    assert "Numbers" in found
    assert list(found["Numbers"].columns) == ["what", "this run", "the other", "difference"]
    assert "Steps" not in found
    assert found["Masks that both give"].values.tolist() == [["Flood", 0.5]]
    assert tables(one, one, session.events, session.state) == ()


def test_a_person_may_put_in_or_take_only_tools_that_do_with_what_the_step_has(
    session: Session, data: dict[str, str]
) -> None:
    start(session, data, 0.2)
    instance = instance_of(session, shown(session)[0])
    box = session.engine.toolbox
    index = instance.workflow.step("index_after")
    thing = at_hand(session.state, session.world(), {})[data["after"]]
    put_in = insertions(box, index, "raster", thing)
    assert {"fill_nodata", "image_denoising"} & {each.tool.name for each in put_in}
    ready = [not each.lacks for each in put_in]
    assert ready == sorted(ready, reverse=True)
    for each in put_in[:3]:
        change = {"kind": "insert", "step": "index_after", "name": "raster", "tool": each.tool.name}
        event = session.call(
            "workflow_adjust", workflow=shown(session)[-1].id, change={**change, "args": dict(each.args)}
        )
        assert event.ok, event.text
    assert all(each.tool.name != "spectral_index" for each in replacements(box, index, thing, instance))
    outlines = instance.workflow.step("outlines")
    assert "min_area_m2" not in own_values(outlines, box.get("polygonize"), instance)  # the workflow's
    assert own_values(index, box.get("spectral_index"), instance)["index"] == "MNDWI"


def test_other_pairs_of_the_session_go_together_by_their_grid(
    session: Session, data: dict[str, str], tmp_path: Path
) -> None:
    start(session, data, 0.2)
    delta = flood(tmp_path, session, 5, "delta")
    plain = flood(tmp_path, session, 6, "plain")
    things = at_hand(session.state, session.world(), {})
    found = elsewhere(instance_of(session, shown(session)[0]), things, session.state)
    assert [(each.name, each.data["before"], each.data["after"]) for each in found] == [
        ("delta_before + delta_after", *delta),
        ("plain_before + plain_after", *plain),
    ]

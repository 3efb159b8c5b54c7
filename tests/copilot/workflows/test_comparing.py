"""Two runs beside each other: what was given, what was done, what came out."""

from __future__ import annotations

from copilot.session import Session
from copilot.workflows.comparing import compare
from copilot.workflows.memory import Memory
from tests.copilot.workflows.making import FILES, added, workflow

GREEN = workflow(
    "steps:\n"
    "  - {id: index, tool: spectral_index, args: {raster: $image, index: NDVI}}\n"
    "  - {id: weak, tool: raster_calc, args: {raster: $index, expression: 'A < ${limit}', dtype: uint8}}\n"
    "gives: [$weak]",
    {"image": "raster: modality=optical, bands=nir+red"},
    {"limit": {"default": 0.3, "range": [0, 1]}},
)


def start(session: Session, scene: str, limit: float) -> str:
    session.call("workflow_run", workflow=GREEN.id, data={"image": scene}, parameters={"limit": limit})
    return [str(each.data["workflow"]) for each in session.events if each.tool == "workflow_run"][-1]


def test_two_runs_differ_by_a_value_a_number_and_a_mask(session: Session) -> None:
    Memory.of(session.engine.home, session.row.owner).keep(GREEN)
    scene = added(session, FILES / "scene.tif")
    first, second = start(session, scene, 0.2), start(session, scene, 0.4)
    found = compare(session, first, second)
    assert found.parameters == {"limit": (0.2, 0.4)}
    assert (found.inputs, found.steps, found.alike) == ({}, {}, False)
    assert 0 < found.overlap["$weak"] < 1
    assert all(None not in pair for pair in found.numbers.values())
    assert compare(session, first, first).alike


def test_a_step_that_one_of_them_left_out_is_told(session: Session) -> None:
    Memory.of(session.engine.home, session.row.owner).keep(GREEN)
    first = start(session, added(session, FILES / "scene.tif"), 0.3)
    change = {"kind": "argument", "step": "index", "name": "index", "value": "SAVI"}
    second = str(session.call("workflow_adjust", workflow=first, change=change).data["workflow"])
    session.call("workflow_run", workflow=second)
    found = compare(session, first, second)
    assert list(found.steps) == ["index"]
    assert "SAVI" in str(found.steps["index"][1])
    assert "SAVI" in str(found)

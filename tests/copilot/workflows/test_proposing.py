"""A served model's proposals join the search; what it says is proven, bounded, and never obeyed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from langchain_core.messages import AIMessage

from copilot.session import Session
from copilot.workflows.adjusting import Repairer
from copilot.workflows.engine import Run
from copilot.workflows.proposing import MOST, changes_in, proposer
from tests.copilot.scripted import Scripted
from tests.copilot.workflows.making import added, bound, heights_with_a_hole, workflow

STEEP = workflow(
    "steps: [{id: slope, tool: slope, args: {raster: $dem}, checks: [{measure: valid_pct, low: 88}]}]\n"
    "gives: [$slope]",
    {"dem": "raster: modality=elevation"},
)
FILL = {"kind": "insert", "step": "slope", "name": "raster", "tool": "fill_nodata", "args": {"raster": "$@"}}


def test_without_a_model_there_is_nobody_to_ask(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    assert proposer(session) is None


def test_a_proposal_of_a_model_is_tried_with_the_others(session: Session, tmp_path: Path) -> None:
    model = Scripted(
        AIMessage(
            f"Holes, I think.\n{json.dumps([{**FILL, 'args': {'raster': '$@', 'max_distance_px': 9}}])}"
        )
    )
    repairer = Repairer(propose=proposer(session, model), most=12)
    dem = added(session, heights_with_a_hole(tmp_path / "dem.tif"))
    assert Run(session, bound(STEEP, dem=dem), repair=repairer).run().ok
    (heard,) = model.heard
    assert "valid_pct is" in str(heard[-1].content)
    assert "no instruction" in str(heard[-1].content)


def test_a_model_that_says_nonsense_stands_in_no_repairs_way(session: Session, tmp_path: Path) -> None:
    dem = added(session, heights_with_a_hole(tmp_path / "dem.tif"))
    repairer = Repairer(propose=proposer(session, Scripted(AIMessage("Have you tried [turning it off]?"))))
    assert Run(session, bound(STEEP, dem=dem), repair=repairer).run().ok


def test_a_model_that_fails_is_no_trouble(session: Session, tmp_path: Path) -> None:
    dem = added(session, heights_with_a_hole(tmp_path / "dem.tif"))
    repairer = Repairer(propose=proposer(session, Scripted(RuntimeError("down"))))
    assert Run(session, bound(STEEP, dem=dem), repair=repairer).run().ok


def test_changes_are_read_few_and_none_that_overrules_a_refusal() -> None:
    anyway = {"kind": "argument", "step": "slope", "name": "anyway", "value": True}
    hidden = {"kind": "together", "parts": [FILL, anyway]}
    other = {"kind": "workflow", "workflow": "burn_severity/one_date"}
    text = json.dumps([anyway, hidden, other, 7, {"kind": "magic"}, *([FILL] * 5)])
    found = changes_in(f"Sure: {text} done")
    assert [each.to_json() for each in found] == [FILL] * MOST
    assert changes_in("[" * 100_000) == ()

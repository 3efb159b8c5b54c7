"""What is remembered: kept apart by person, shared by hand, and never in the way of what went well."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from copilot.engine import Engine
from copilot.session import Session
from copilot.workflows.adjusting import MOST_LEARNED, Repairer
from copilot.workflows.engine import Run
from copilot.workflows.instantiate import Instance
from copilot.workflows.memory import Kept, Memory, Rule, Variant
from copilot.workflows.model import Check, Step, Workflow, WorkflowError
from copilot.workflows.running import context_of, run
from copilot.workflows.teams import found_team, leave, take_in, team, teams_of
from tests.copilot.workflows.making import FILES, added, bound, heights_with_a_hole, workflow

HEIGHTS = {"dem": "raster: modality=elevation"}
STEEP = workflow(
    "steps:\n"
    "  - {id: slope, tool: slope, args: {raster: $dem}, checks: [{measure: valid_pct, low: 88}]}\n"
    "  - {id: steep, tool: raster_calc, args: {raster: $slope, expression: 'A > ${limit}'}}\n"
    "gives: [$steep]",
    HEIGHTS,
    {"limit": {"default": 5, "range": [0, 90]}},
)
RULE = Rule(
    "slope", "quality", "gaps", "raster",
    {"kind": "insert", "name": "raster", "tool": "fill_nodata", "args": {"raster": "$@"}}, 2,
)  # fmt: skip


def variant(flow: Workflow, context: tuple[str, ...], **parameters: Any) -> Variant:
    return Variant(flow.to_json(), STEEP.id, context, parameters, helped=3)


# -- whose it is -----------------------------------------------------------------------------------


def test_a_team_is_given_what_is_shared_and_nothing_else(tmp_path: Path) -> None:
    ada, bob, eve = (Memory.of(tmp_path, each) for each in ("ada", "bob", "eve"))
    found_team(tmp_path, "flood", "ada")
    take_in(tmp_path, "flood", "ada", "bob")
    ada, bob = Memory.of(tmp_path, "ada"), Memory.of(tmp_path, "bob")
    ada.write(Kept(rules=(RULE, replace(RULE, tool="aspect")), traces=({"workflow": "mine"},)))
    ada.keep(replace(STEEP, id="mine/own"))
    ours = Memory(team(tmp_path, "flood", "ada").path)
    assert bob.saved() == ()
    assert ada.share("slope", ours) == 1
    assert ada.share("mine", ours) == 1
    assert [each.tool for each in ours.read().rules] == ["slope"]
    assert ours.read().traces == ()
    assert [each.id for each in bob.saved()] == ["mine/own"]
    assert bob.read() == Kept()
    assert eve.saved() == Memory.of(tmp_path, "eve").saved() == ()


def test_who_is_of_no_team_neither_reads_it_nor_takes_anybody_in(tmp_path: Path) -> None:
    found_team(tmp_path, "flood", "ada")
    for act in (lambda: team(tmp_path, "flood", "eve"), lambda: take_in(tmp_path, "flood", "eve", "eve")):
        with pytest.raises(WorkflowError, match="You are of no team 'flood'"):
            act()
    with pytest.raises(WorkflowError, match="There is a team 'flood' already"):
        found_team(tmp_path, "flood", "eve")
    leave(tmp_path, "flood", "ada")
    assert teams_of(tmp_path, "ada") == ()


def test_a_teams_rule_repairs_a_members_run_and_the_count_is_the_members_own(
    engine: Engine, tmp_path: Path
) -> None:
    found_team(engine.home, "flood", "local")
    ours = Memory(team(engine.home, "flood", "local").path)
    ours.write(Kept(rules=(RULE,)))
    memory = Memory.of(engine.home, "local")
    session = Session.open(engine=engine)
    dem = added(session, heights_with_a_hole(tmp_path / "dem.tif"))
    assert run(session, bound(STEEP, dem=dem), memory=memory).ok
    assert [(each.tool, each.helped) for each in memory.read().rules] == [("slope", 1)]
    assert ours.read().rules == (RULE,)


def test_what_is_edited_by_hand_is_taken_whole_or_not_at_all(tmp_path: Path) -> None:
    memory = Memory.of(tmp_path, "ada")
    memory.write(Kept(rules=(RULE,)))
    plain = memory.export()
    plain["rules"][0]["helped"] = 9
    memory.edit(plain)
    assert memory.read().rules[0].helped == 9
    with pytest.raises(WorkflowError, match="This is no memory of workflows"):
        memory.edit({"rules": [{"tool": "slope"}]})
    assert memory.read().rules[0].helped == 9


def test_what_a_person_changed_is_no_lesson(engine: Engine) -> None:
    memory = Memory.of(engine.home, "local")
    session = Session.open(engine=engine)
    dem = added(session, FILES / "dem.tif")
    note = {"step": "", "said": "limit set to 9", "change": {"kind": "parameter", "name": "limit"}}
    assert run(session, replace(bound(STEEP, dem=dem), adjustments=(note,)), memory=memory).ok
    assert memory.read().variants == ()


# -- never worse -----------------------------------------------------------------------------------

_BROKEN: tuple[Workflow, ...] = (
    STEEP,
    STEEP.with_step(Step("slope", "no_such_tool", {"raster": "$dem"})),
    STEEP.with_step(Step("slope", "slope", {"raster": "$dem"})),  # without its check
    STEEP.with_step(replace(STEEP.steps[0], checks=(*STEEP.steps[0].checks, Check("max", high=-1)))),
    STEEP.with_step(Step("steep", "raster_calc", {"raster": "$slope", "expression": "nonsense ("})),
    replace(STEEP, steps=STEEP.steps[:1], gives=("$slope",)),  # gives something else
    replace(STEEP, gives=()),
    replace(STEEP, id="other/one"),
    replace(STEEP, id="test/two"),
    replace(STEEP, inputs=(*STEEP.inputs, replace(STEEP.inputs[0], name="more"))),
    STEEP.with_step(Step("slope", "slope", {"raster": "$steep"})),  # a circle
)  # fmt: skip
_ACTIONS = (
    dict(RULE.action),
    {"kind": "replace", "name": "raster", "tool": "aspect", "args": {"raster": "$@"}},
    {"kind": "insert", "name": "raster", "tool": "no_such_tool", "args": {"raster": "$@"}},
    {"kind": "argument", "name": "raster", "value": "nothing"},
    {"kind": "parameter", "name": "limit", "value": 900},
    {"kind": "skip"},
)


@st.composite
def memories(draw: st.DrawFn, context: tuple[str, ...]) -> Kept:
    """Whatever a memory may have come to hold, of this task and its data: right, useless and broken."""
    variants = tuple(
        variant(draw(st.sampled_from(_BROKEN)), tuple(draw(st.sets(st.sampled_from(context), min_size=1))))
        for _ in range(draw(st.integers(0, 3)))
    )
    rules = tuple(
        replace(RULE, action=draw(st.sampled_from(_ACTIONS)), helped=draw(st.integers(0, 9)))
        for _ in range(draw(st.integers(0, 4)))
    )
    return Kept(rules=rules, variants=variants)


@pytest.mark.slow
@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data(), gaps=st.booleans())
def test_what_was_learned_never_makes_a_task_worse_that_succeeded_before(
    engine: Engine, data: st.DataObject, gaps: bool
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        dem = heights_with_a_hole(Path(folder) / "dem.tif") if gaps else FILES / "dem.tif"
        session = Session.open(engine=engine)
        wanted: Instance = bound(STEEP, dem=added(session, dem))
        before = Run(session, wanted, repair=Repairer()).run()
        assert before.ok
        context = context_of(session, wanted)
        memory = Memory(Path(folder) / "memory.json")
        memory.write(data.draw(memories(context)))
        tried = memory.variant(STEEP.id, context)
        other = Session.open(engine=engine)
        after = run(other, bound(STEEP, dem=added(other, dem)), memory=memory)
        assert after.ok
        assert after.instance.workflow.gives == STEEP.gives
        assert other.state.artifact(after.answer["$steep"]) is not None
        kept = {each.key: each for each in memory.read().variants}
        was_run = any(each["because"] == "memory" for each in after.instance.adjustments)
        assert tried is None or was_run or kept[tried.key].set_aside


def test_a_context_in_which_the_workflow_itself_went_well_is_left_to_it(engine: Engine) -> None:
    memory = Memory.of(engine.home, "local")
    session = Session.open(engine=engine)
    dem = added(session, FILES / "dem.tif")
    assert run(session, bound(STEEP, dem=dem), memory=memory).ok
    context = context_of(session, bound(STEEP, dem=dem))
    memory.write(replace(memory.read(), variants=(variant(STEEP, context),)))
    assert memory.variant(STEEP.id, context) is None
    assert memory.variant(STEEP.id, (*context, "dem.gaps=yes")) is not None


def test_rules_that_do_not_help_take_no_try_from_the_search(session: Session, tmp_path: Path) -> None:
    memory = Memory(tmp_path / "memory.json")
    useless = tuple(
        replace(
            RULE, action={**RULE.action, "tool": "sieve", "args": {"raster": "$@", "min_px": at}}, helped=9
        )
        for at in range(2, 12)
    )
    memory.write(Kept(rules=useless))
    dem = added(session, heights_with_a_hole(tmp_path / "dem.tif"))
    repairer = Repairer(memory=memory)
    assert Run(session, bound(STEEP, dem=dem), repair=repairer).run().ok
    assert sum(each.learned for each, _ in repairer.tried) <= MOST_LEARNED

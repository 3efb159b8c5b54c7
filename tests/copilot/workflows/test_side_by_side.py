"""Steps computed ahead, side by side: the log and the state are those of one after another."""

from __future__ import annotations

from pathlib import Path

import pytest

from copilot.engine import Engine
from copilot.session import Session
from copilot.workflows.engine import Run
from copilot.workflows.side_by_side import SideBySide
from tests.copilot.workflows.making import FILES, added, bound, heights_with_a_hole, workflow
from tools.made_ahead import moved
from tools.run import run_call

TERRAIN = workflow(
    "steps:\n"
    "  - {id: slope, tool: slope, args: {raster: $dem}}\n"
    "  - {id: aspect, tool: aspect, args: {raster: $dem}}\n"
    "  - {id: shade, tool: hillshade, args: {raster: $dem}}\n"
    "gives: [$slope, $aspect, $shade]",
    {"dem": "raster: modality=elevation"},
)
CALLS = (
    ("slope", {}),
    ("aspect", {}),
    ("hillshade", {}),
    ("fill_nodata", {}),
    ("contours", {"interval": 5}),
    ("raster_stats", {}),
)


@pytest.mark.parametrize("first", range(len(CALLS)))
@pytest.mark.parametrize("then", range(len(CALLS)))
def test_a_step_that_was_computed_earlier_is_moved_as_the_tool_itself_would_have_put_it(
    session: Session, first: int, then: int
) -> None:
    dem = added(session, FILES / "dem.tif")
    before, world, box = session.state, session.world(), session.toolbox
    ahead = run_call(box, before, world, CALLS[then][0], {"raster": dem, **CALLS[then][1]})
    present = run_call(box, before, world, CALLS[first][0], {"raster": dem, **CALLS[first][1]}).state
    here = run_call(box, present, world, CALLS[then][0], {"raster": dem, **CALLS[then][1]})
    found = moved(ahead, before, present)
    assert found is None or (found.state, dict(found.data)) == (here.state, dict(here.data))
    assert found is not None or first == then or max(first, then) > 2


def test_layers_of_one_name_are_named_apart_when_they_are_moved(session: Session, tmp_path: Path) -> None:
    dems = [added(session, FILES / "dem.tif"), added(session, heights_with_a_hole(tmp_path / "dem.tif"))]
    before, world, box = session.state, session.world(), session.toolbox
    first, ahead = (run_call(box, before, world, "slope", {"raster": each}) for each in dems)
    here = run_call(box, first.state, world, "slope", {"raster": dems[1]})
    found = moved(ahead, before, first.state)
    assert found is not None
    assert (found.state, dict(found.data)) == (here.state, dict(here.data))
    assert len({each.id for each in found.state.map.layers}) == 4


def test_a_step_does_not_hold_where_something_else_was_changed(session: Session) -> None:
    dem = added(session, FILES / "dem.tif")
    before = session.state
    ahead = run_call(session.toolbox, before, session.world(), "slope", {"raster": dem})
    assert moved(ahead, before, before) == ahead
    assert session.call("zoom_map", level=3).ok
    assert moved(ahead, before, session.state) is None


@pytest.mark.slow
def test_independent_steps_are_computed_in_the_worker_and_called_in_order(
    engine: Engine, tmp_path: Path
) -> None:
    engine.background = True
    session = Session.open(engine=engine)
    dem = added(session, heights_with_a_hole(tmp_path / "dem.tif"))
    ahead = SideBySide(worth_px=0)
    try:
        report = Run(session, bound(TERRAIN, dem=dem), ahead=ahead).run()
    finally:
        engine.desk.close()
    assert report.ok
    assert ahead.computed == 3
    assert [each.tool for each in session.events if each.source == "workflow"] == [
        "slope",
        "aspect",
        "hillshade",
    ]
    assert session.replay() == session.state
    plain = Session.open(engine=engine)
    assert added(plain, tmp_path / "dem.tif") == dem
    assert Run(plain, bound(TERRAIN, dem=dem)).run().ok
    assert plain.hash == session.hash

"""Faults that are put into files and at the doors of calls."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import rasterio
from rasterio.errors import NotGeoreferencedWarning

from copilot.bench.knowflow.doors import DOOR_FAULTS, FaultyEngine
from copilot.bench.knowflow.spoiling import FILE_FAULTS, spoil
from copilot.session import Session
from copilot.workflows.running import run
from tests.copilot.workflows.making import FILES, added, bound, heights_with_a_hole, workflow, write_tiff

NEVER_PIXELS = ("missing_crs", "wrong_crs", "unnamed_bands", "broken_shapes")


@pytest.mark.parametrize("kind", [each for each in FILE_FAULTS if each not in NEVER_PIXELS])
def test_a_fault_changes_the_pixels_or_their_grid(kind: str, tmp_path: Path) -> None:
    good = FILES / ("radar.tif" if kind in ("speckle", "decibels") else "scene.tif")
    with rasterio.open(good) as before, rasterio.open(spoil(kind, good, tmp_path)) as after:
        same_grid = (before.crs, before.transform, before.shape) == (after.crs, after.transform, after.shape)
        assert not same_grid or not np.array_equal(before.read(), after.read())


def test_a_lost_place_is_lost_and_a_wrong_zone_is_another(tmp_path: Path) -> None:
    good = write_tiff(tmp_path / "good.tif", np.ones((8, 8), np.float32))
    with pytest.warns(NotGeoreferencedWarning), rasterio.open(spoil("missing_crs", good, tmp_path)) as lost:
        assert lost.crs is None
    with rasterio.open(spoil("wrong_crs", good, tmp_path)) as wrong:
        assert wrong.crs.to_epsg() == 32632


@pytest.mark.parametrize("kind", [each for each, (_, times) in DOOR_FAULTS.items() if times < 3])
def test_a_call_that_something_outside_made_fail_is_made_again_until_it_works(
    kind: str, tmp_path: Path
) -> None:
    engine = FaultyEngine(home=tmp_path / "home", store_url="sqlite://", fault=kind, tool="hillshade")
    session = Session.open(engine=engine)
    dem = added(session, heights_with_a_hole(tmp_path / "dem.tif"))
    flow = workflow(
        "steps: [{id: shade, tool: hillshade, args: {raster: $dem}}]\ngives: [$shade]",
        {"dem": "raster: modality=elevation"},
    )
    assert run(session, bound(flow, dem=dem)).ok
    made = [each.ok for each in session.events if each.tool == "hillshade"]
    assert made == [False] * DOOR_FAULTS[kind][1] + [True]

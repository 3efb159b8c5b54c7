"""The gold's own soundness: concrete, alike nowhere, small, and played to what it says."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest

from copilot.bench.knowflow.bringing import bring
from copilot.bench.knowflow.gold import FOLDER, Gold, gold
from copilot.bench.knowflow.results import alike
from copilot.bench.knowflow.scoring import Row as Measured
from copilot.bench.knowflow.scoring import _paired, figures
from copilot.bench.knowflow.systems import play
from copilot.engine import Engine
from copilot.workflows.model import references
from copilot.workflows.reading import library
from tests.suite.walking import walks
from tools.toolbox import toolbox

PLAYED = ("cloud_cover.complex", "crop_vigour.simple")


@walks("of", gold(), lambda each: each.id)
def test_every_call_is_concrete_and_of_a_tool_that_is_there(of: Gold) -> None:
    known = {*of.data, *(each["id"] for each in of.calls)}
    box = toolbox()
    for call in of.calls:
        wanted = set(box.get(call["tool"]).schema["properties"])
        assert set(call["args"]) <= wanted
        assert {each.name for each in references(call["args"])} <= known
    assert of.ends
    assert of.request


def test_each_is_asked_for_once_and_is_of_a_task_of_the_library() -> None:
    ids = [each.id for each in gold()]
    assert len(ids) == len(set(ids))
    assert {each.task for each in gold()} <= {each.id for each in library()}
    assert len({(each.request, str(each.data)) for each in gold()}) == len(ids)


def test_the_gold_is_small() -> None:
    assert sum(each.stat().st_size for each in FOLDER.iterdir()) < 1_500_000


@pytest.mark.parametrize("name", PLAYED)
def test_a_gold_workflow_ends_in_what_is_kept(name: str, tmp_path: Path) -> None:
    of = next(each for each in gold() if each.id == name)
    with tempfile.TemporaryDirectory() as folder:
        report, ends = play(of, Path(folder), Engine(home=tmp_path / "home", store_url="sqlite://"))
    assert report.ok
    assert [alike(of.ends[key], ends[key]).right for key in of.ends] == [True] * len(of.ends)


def test_what_is_made_lies_on_what_it_is_made_for(tmp_path: Path) -> None:
    import geopandas as gpd

    zones = bring({"made": "zones", "on": "real:landsat/1990.tif", "rows": 2, "columns": 3}, tmp_path)
    frame = gpd.read_file(zones.path)
    assert (len(frame), frame.crs.to_epsg()) == (6, 4326)


def test_calls_are_paired_in_their_order() -> None:
    assert _paired(["a", "b", "c"], ["b", "a", "c"]) in ([(0, 1), (2, 2)], [(1, 0), (2, 2)])


def test_figures_are_means_over_rows_and_by_complexity() -> None:
    rows = [
        Measured("t.simple", "knowflow", True, True, 2, 0, 1.0, 1.0, 0.5, 1.0),
        Measured("t.complex", "knowflow", False, False, 4, 1, 0.5, 0.5, None, 2.0),
    ]
    found = figures(rows)
    assert (found.tasks, found.tsr, found.fpa, found.ntc, found.ni) == (2, 0.5, 0.5, 3.0, 0.5)
    assert (found.inst_acc, found.tool_acc, found.arg_acc) == (0.75, 0.75, 0.5)
    assert found.by_complexity["complex"].tsr == 0.0

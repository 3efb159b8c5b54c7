"""`copilot workflow plan`: the workflow for a goal on some files, or plans over a foreign list."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from copilot.bench.build.example_files import FOLDER as FILES
from copilot.workflows.foreign.store import FOLDER, TOOLS
from tests.copilot.cli.conftest import Copilot


def test_each_task_gets_one_json_line_of_tools_in_the_list(copilot: Copilot, tmp_path: Path) -> None:
    tasks = tmp_path / "tasks.jsonl"
    tasks.write_text(
        '{"id": "a", "question": "Assess the crop health of my fields."}\n'
        '{"id": 2, "question": "Where did the shoreline retreat?", "domain": "none such"}\n',
        encoding="utf-8",
    )
    done = copilot("workflow", "plan", "--tools", str(FOLDER / TOOLS), "--tasks", str(tasks), "--json")
    plans = [json.loads(line) for line in done.out.splitlines()]
    assert done.status == 0 and [plan["id"] for plan in plans] == ["a", 2]
    assert all(plan.keys() == {"id", "tools"} for plan in plans)
    assert "monitor_crop_health" in plans[0]["tools"] and "assess_coastal_erosion" in plans[1]["tools"]


def test_a_file_that_cannot_be_read_is_one_sentence_and_a_status(copilot: Copilot, tmp_path: Path) -> None:
    missing = str(tmp_path / "none.json")
    done = copilot("workflow", "plan", "--tools", missing, "--tasks", missing, "--json")
    assert done.status == 1
    assert done.json == {"error": f"{missing} cannot be read: No such file or directory."}


def test_a_goal_gets_the_workflows_of_its_task_the_one_that_fits_the_files_first(copilot: Copilot) -> None:
    scene, fields = str(FILES / "scene.tif"), str(FILES / "fields.geojson")
    done = copilot("workflow", "plan", "NDVI by field", scene, fields, "--json")
    assert (done.status, done.json["task"]) == (0, "crop_vigour")
    first = done.json["workflows"][0]
    assert first == {
        "workflow": "crop_vigour/ndvi",
        "when": "Crops cover the soil.",
        "inputs": {"image": scene, "fields": fields},
        "missing": [],
        "lacks": [],
        "tools": ["spectral_index", "zonal_stats"],
    }


def test_what_the_files_lack_for_a_goal_is_told_beside_its_tools(copilot: Copilot) -> None:
    done = copilot("workflow", "plan", "NDVI by field", str(FILES / "scene.tif"))
    assert done.status == 0
    assert "crop_vigour/ndvi: spectral_index > zonal_stats  no fields" in done.out.splitlines()


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ([], "Give a goal (and files), or both --tools and --tasks."),
        (["--tools", "t.json"], "Give a goal (and files), or both --tools and --tasks."),
        (["--tasks", "t.jsonl"], "Give a goal (and files), or both --tools and --tasks."),
        (["snow", "--tools", "a", "--tasks", "b"], "Give a goal (and files), or both --tools and --tasks."),
        (["qwxyz"], "No workflow of the library is about 'qwxyz'."),
        (["NDVI by field", "none.tif"], "There is no file none.tif."),
    ],
)
def test_what_cannot_be_planned_is_one_sentence_and_a_status(
    copilot: Copilot, given: list[str], said: str
) -> None:
    done = copilot("workflow", "plan", *given, "--json")
    assert (done.status, done.json) == (1, {"error": said})

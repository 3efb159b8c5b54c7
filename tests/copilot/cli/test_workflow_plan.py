"""`copilot workflow plan`: plans over a foreign list, a line a task."""

from __future__ import annotations

import json
from pathlib import Path

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

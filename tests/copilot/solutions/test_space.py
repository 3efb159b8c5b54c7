"""The Solution Space: a whole document for every task of RS-Agent and every category of tools."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import pytest

from copilot.solutions import RS_AGENT_TASKS, guidance, missing_tools, solutions
from copilot.solutions.prompts import inference_prompt, read_tasks
from copilot.solutions.space import IMAGE_TASKS, SolutionError, _read
from tests.suite.walking import walks
from tools.base import Category
from tools.toolbox import toolbox

CATEGORIES = tuple(each for each in get_args(Category) if each != "vision")


def test_there_is_a_document_for_each_task_and_each_category() -> None:
    assert set(solutions()) == {*RS_AGENT_TASKS, *IMAGE_TASKS, *CATEGORIES}
    assert len(set(RS_AGENT_TASKS)) == 18


@walks("task", sorted(solutions()))
def test_every_document_is_whole(task: str) -> None:
    solution = solutions()[task]
    assert all([solution.title, solution.inputs, solution.outputs, solution.pitfalls])
    for sentence in (solution.does, solution.when, *solution.pitfalls):
        assert sentence.lstrip('"')[0].isupper() and sentence[-1] == ".", sentence
    assert len(set(solution.tools)) == len(solution.tools)
    assert not set(solution.prepare) & set(solution.tools)


@walks("task", sorted({*RS_AGENT_TASKS, *IMAGE_TASKS}))
def test_a_task_on_an_image_begins_with_the_tool_of_its_name(task: str) -> None:
    assert solutions()[task].first == task


def test_what_is_not_in_the_toolbox_is_named_preparations_first() -> None:
    assert missing_tools(solutions()["database"], toolbox()) == ()
    assert missing_tools(solutions()["change_detection"], ["change_detection", "coregister"]) == (
        "histogram_match",
        "polygonize",
    )


def test_guidance_says_that_a_task_cannot_be_done_when_its_first_tool_is_missing() -> None:
    solution = solutions()["cloud_removal"]
    without = guidance([solution], ["cloud_detection"])
    assert "Not available here: cloud_removal. Say so plainly" in without
    assert "Without cloud_removal the task cannot be done here: call reject_task and say why." in without
    in_part = guidance([solution], ["cloud_removal"])
    assert "Not available here: cloud_detection." in in_part
    assert "reject_task" not in in_part
    assert "Not available" not in guidance([solution], solution.tools)


def test_the_prompt_lists_the_tasks_and_the_answer_is_read_in_its_order() -> None:
    prompt = inference_prompt("any boats?", {"modality": "sar"}, RS_AGENT_TASKS)
    assert [task for task in RS_AGENT_TASKS if f"- {task}: " not in prompt] == []
    assert "- change_detection: " not in prompt
    assert prompt.endswith("The request comes with an image: modality sar.\nRequest: any boats?")
    found = read_tasks("I think **sar_detection**, then cloud_removal or sar_detection; not flying")
    assert [(each.task, round(each.score, 2)) for each in found] == [
        ("sar_detection", 0.67),
        ("cloud_removal", 0.33),
    ]
    assert read_tasks("none of them") == ()


def test_a_document_that_is_not_whole_is_named(tmp_path: Path) -> None:
    for text, said in (
        ('task = "odd"', "odd.toml is no solution"),
        ("task = ", "odd.toml is no solution"),
        ('task="x"\ntitle=""\ndoes=""\nwhen=""\ninputs=""\noutputs=""', "needs the task 'odd' and at least"),
    ):
        (tmp_path / "odd.toml").write_text(text, encoding="utf-8")
        with pytest.raises(SolutionError, match=said):
            _read(tmp_path / "odd.toml")

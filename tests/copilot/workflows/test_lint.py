"""What lint proves: each law has a workflow that breaks it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from copilot.workflows.lint import lint, lint_task, lint_workflow, shape
from copilot.workflows.model import Task, Workflow, WorkflowError
from copilot.workflows.reading import library, task_from
from copilot.workflows.recording import ran, read_record
from tests.copilot.workflows.making import workflow
from tools.toolbox import toolbox

IMAGE = {"image": "raster: modality=optical, bands=nir+red, placed=yes"}
GOOD = """
steps:
  - {id: index, tool: spectral_index, args: {raster: $image, index: NDVI}}
  - {id: weak, tool: raster_calc, args: {raster: $index, expression: "A < 0.3", dtype: uint8}}
gives: [$weak]
"""


def problems(flow: Workflow) -> list[str]:
    return [str(each) for each in lint_workflow(flow, toolbox())]


def test_the_library_has_no_problem() -> None:
    assert lint(library()) == ()


def test_every_task_of_the_library_has_a_workflow_that_ran_here_as_it_now_is() -> None:
    record = read_record()
    assert [task.id for task in library() if not any(ran(each, record) for each in task.workflows)] == []


def test_a_workflow_and_its_json_are_one() -> None:
    for task in library():
        for each in task.workflows:
            assert Workflow.from_json(each.to_json()) == each


def test_a_good_workflow_has_no_problem() -> None:
    assert problems(workflow(GOOD, IMAGE)) == []


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("raster: $image", "raster: $weak", "has a circle among the steps index, weak"),
        ("NDVI", "NDWI", "raster needs bands green+nir, and has nir+red: neither the data nor"),
        ("tool: raster_calc", "tool: raster_kalk", "there is no tool 'raster_kalk'"),
        ("dtype: uint8", "dtype: uint9", "raster_calc does not take this dtype"),
        ("dtype: uint8", "datatype: uint8", "raster_calc does not take this datatype"),
        ("gives: [$weak]", "gives: [$index]", "nobody uses its result"),
        ("gives: [$weak]", "", "it says nothing of what it gives"),
        ("raster: $index", "raster: $indx", "nothing is called $indx; did you mean $index"),
        ("raster: $image", "raster: $image, scale: no", "spectral_index does not take this scale"),
    ],
)  # fmt: skip
def test_a_workflow_that_breaks_a_law_is_told_which(old: str, new: str, said: str) -> None:
    found = problems(workflow(GOOD.replace(old, new), IMAGE))
    assert any(said in each for each in found), found


def test_workflows_that_differ_in_numbers_and_names_only_are_alike() -> None:
    other = GOOD.replace("id: index", "id: green").replace("$index", "$green").replace("id: weak", "id: low")
    one, two = workflow(GOOD, IMAGE), workflow(other.replace("$weak", "$low"), IMAGE)
    assert shape(one) == shape(two)
    task = Task("test", "water", "Test.", ("a", "b"), (one, replace(two, id="test/two")))
    assert any(
        "is like test/one but for names and numbers" in str(each) for each in lint_task(task, toolbox())
    )


def test_a_parameter_whose_range_the_tool_does_not_take_is_told() -> None:
    flow = workflow(
        "steps: [{id: smooth, tool: sieve, args: {raster: $classes, min_px: $least}}]\ngives: [$smooth]",
        {"classes": "raster: modality=classes"},
        {"least": {"default": 10, "range": [1, 50]}},
    )
    assert problems(flow) == ["test/one#smooth: sieve does not take 1 as min_px, which $least may be"]


def test_a_word_that_nobody_reads_is_an_error() -> None:
    plain = {"task": "t", "field": "water", "goal": "G.", "workflos": []}
    with pytest.raises(WorkflowError, match="a task has no 'workflos'"):
        task_from(plain, {})

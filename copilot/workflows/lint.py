"""What is proven of every workflow before it may be in the library; each problem is one sentence."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pydantic import ValidationError

from copilot.workflows import actions
from copilot.workflows.model import (
    Parameter,
    Step,
    Task,
    Workflow,
    WorkflowError,
    bound,
    reference,
    references,
)
from copilot.workflows.quality import MEASURES, fits
from tools.base import Tool
from tools.conditions import KINDS, Thing
from tools.toolbox import Toolbox, toolbox

FEWEST, MOST = 2, 10
"""Workflows a task, as in the paper."""
_LONGEST_NAME = 48


@dataclass(frozen=True)
class Problem:
    """What is wrong, and where."""

    where: str
    """A task, a workflow, or `workflow#step`."""
    what: str

    def __str__(self) -> str:
        return f"{self.where}: {self.what}"


def lint(tasks: Sequence[Task], tools: Toolbox | None = None) -> tuple[Problem, ...]:
    """Every problem of some tasks; none for a library that may be shipped."""
    box = tools or toolbox()
    return tuple(each for task in tasks for each in lint_task(task, box))


def lint_task(task: Task, tools: Toolbox) -> Iterator[Problem]:
    """The problems of one task."""
    if not FEWEST <= len(task.workflows) <= MOST:
        yield Problem(task.id, f"it has {len(task.workflows)} workflows, and {FEWEST} to {MOST} are due")
    if not task.sources:
        yield Problem(task.id, "it names no source")
    for source in task.sources:
        if not source.where.startswith(("https://", "http://", "doi:10.", "isbn:")):
            yield Problem(
                task.id, f"the source {source.title!r} has no address: doi:10.…, https://… or isbn:…"
            )
    if len(task.asked_as) < 2:
        yield Problem(task.id, "it says fewer than two ways to ask for it (asked_as)")
    yield from _tried(task)
    seen: dict[str, str] = {}
    for each in task.workflows:
        yield from lint_workflow(each, tools)
        try:
            form = shape(each)
        except WorkflowError:
            continue  # told by lint_workflow
        if form in seen:
            yield Problem(
                each.id, f"it is like {seen[form]} but for names and numbers: make a parameter of these"
            )
        seen.setdefault(form, each.id)


def _tried(task: Task) -> Iterator[Problem]:
    """What is wrong with what a task is tried on."""
    names = {each.id.partition("/")[2]: each for each in task.workflows}
    known = {each.name for workflow in task.workflows for each in workflow.inputs}
    values = {each.name for workflow in task.workflows for each in workflow.parameters}
    said = task.tried_on
    for key in set(said) - {"data", "parameters", "expect"}:
        yield Problem(task.id, f"`try` has no {key!r}; it has data, parameters, expect")
    if not said.get("expect"):
        yield Problem(task.id, "none of its workflows is tried (try: expect)")
    for key, there in (("data", known), ("parameters", values), ("expect", set(names))):
        for name in set(said.get(key) or {}) - there:
            yield Problem(task.id, f"`try` says {key} of {name!r}, which the task does not have")
    for name in set(said.get("expect") or {}) & set(names):
        for each in names[name].inputs:
            if not each.optional and each.name not in (said.get("data") or {}):
                yield Problem(task.id, f"`try` expects something of {name!r}, and gives it no {each.name!r}")


def lint_workflow(workflow: Workflow, tools: Toolbox) -> Iterator[Problem]:
    """The problems of one workflow."""
    ids = workflow.step_ids
    for step_id in sorted({each for each in ids if ids.count(each) > 1}):
        yield Problem(workflow.id, f"two steps are called {step_id!r}")
    taken = {*(each.name for each in workflow.inputs), *(each.name for each in workflow.parameters)}
    for step_id in sorted(taken & set(ids)):
        yield Problem(workflow.id, f"{step_id!r} is both a step and an input or a parameter")
    if not workflow.steps:
        yield Problem(workflow.id, "it has no steps")
    for parameter in workflow.parameters:
        said = None if parameter.default is None else parameter.problem(parameter.default)
        if said is not None:
            yield Problem(workflow.id, f"the default of {said}")
    try:
        order = workflow.order()
    except WorkflowError as error:
        yield Problem(workflow.id, str(error))
        return
    yield from _walk(workflow, order, tools)
    yield from _unused(workflow, tools)


def _walk(workflow: Workflow, order: Sequence[Step], tools: Toolbox) -> Iterator[Problem]:
    """Run the workflow over what is known of its data, without data: names, arguments, preconditions."""
    known = initial(workflow)
    optional = {each.name for each in workflow.inputs if each.optional}
    for step in order:
        where = f"{workflow.id}#{step.id}"
        if step.tool not in tools:
            yield Problem(where, f"there is no tool {step.tool!r}")
            continue
        tool = tools.get(step.tool)
        if tool.external:
            yield Problem(
                where, f"{step.tool} reaches outside; a workflow of the library runs without a network"
            )
        unknown = [
            each
            for each in step.references
            if str(each)[1:] not in known and workflow.parameter(each.name) is None
        ]
        for each in unknown:
            yield Problem(where, f"nothing is called {each}{_nearby(each.name, known)}")
        for before in step.after:
            if before not in workflow.step_ids:
                yield Problem(where, f"it comes after {before!r}, which is no step")
        if unknown:
            continue
        yield from _arguments(where, step, tool, workflow, optional)
        facts = facts_of(step, known)
        values = actions.with_defaults(tool, bound(step.args, _stand_ins(workflow, known)))
        for lack in actions.lacking(tool, values, facts, strict=True):
            yield Problem(where, f"{lack}: neither the data nor an earlier step says so")
        made = actions.results(tool, values, facts, f"{step.tool}({json.dumps(_grid_tokens(step, known))})")
        yield from _checks(where, step, made, tool)
        known.update(named(step.id, made, actions.main_key(tool)))
        for argument, thing in actions.changed(tool, values, facts).items():
            handle = reference(str(step.args[argument]))
            if handle is not None:
                known[str(handle)[1:]] = thing


def initial(workflow: Workflow) -> dict[str, Thing]:
    """What is known of a workflow's inputs: what they must be, each with a grid of its own or another's."""
    return {
        each.name: replace(each.needs, grid_of=each.needs.grid_of or each.name, later_than="")
        for each in workflow.inputs
    }


def named(step_id: str, made: Mapping[str, Thing], main: str) -> dict[str, Thing]:
    """A step's results as references name them."""
    found = {f"{step_id}.{key}": thing for key, thing in made.items()}
    if main in made:
        found[step_id] = made[main]
    return found


def facts_of(step: Step, known: Mapping[str, Thing]) -> dict[str, Thing | list[Thing]]:
    """What is known of each argument of a step that refers to an input or to a result."""
    found: dict[str, Thing | list[Thing]] = {}
    for name, value in step.args.items():
        things = [known[str(each)[1:]] for each in references(value) if str(each)[1:] in known]
        if isinstance(value, str) and reference(value) is not None and things:
            found[name] = things[0]
        elif isinstance(value, list) and things:
            found[name] = things
    return found


def _grid_tokens(step: Step, known: Mapping[str, Thing]) -> dict[str, Any]:
    """A step's arguments with the grid in place of each raster: alike where the resulting grids are."""
    grids = {name: thing.grid_of for name, thing in known.items()}
    plain: dict[str, Any] = bound(step.args, {**grids, **{n: f"${n}" for n in _not_known(step, known)}})
    return plain


def _not_known(step: Step, known: Mapping[str, Thing]) -> list[str]:
    return [str(each)[1:] for each in step.references if str(each)[1:] not in known]


def _stand_ins(workflow: Workflow, known: Mapping[str, Thing]) -> dict[str, Any]:
    """Something of the right form for every reference: an id for a thing, a parameter's default."""
    handles = {name: f"{thing.kind}-000000" for name, thing in known.items()}
    return {**handles, **{each.name: _example(each) for each in workflow.parameters}}


def _example(parameter: Parameter) -> Any:
    if parameter.default is not None:
        return parameter.default
    if parameter.choices:
        return parameter.choices[0]
    return parameter.low if parameter.low is not None else "example"


def _arguments(
    where: str, step: Step, tool: Tool, workflow: Workflow, optional: set[str]
) -> Iterator[Problem]:
    known = {name: Thing("raster") for name in (str(each)[1:] for each in step.references)}
    for parameter in workflow.parameters:
        known.pop(parameter.name, None)
    values = bound(step.args, _stand_ins(workflow, known))
    try:
        tool.arguments.model_validate(values)
    except ValidationError as error:
        first = error.errors()[0]
        at = ".".join(map(str, first["loc"]))
        yield Problem(where, f"{step.tool} does not take this {at or 'call'}: {first['msg']}")
    required = set(tool.schema.get("required", ()))
    for name, value in step.args.items():
        found = reference(value) if isinstance(value, str) else None
        if found is not None and found.name in optional and name in required:
            yield Problem(where, f"{name} is required by {step.tool}, and {found} may be left out")
        varied = workflow.parameter(found.name) if found is not None else None
        if varied is not None:
            for limit in (varied.low, varied.high, *varied.choices):
                if limit is not None and _refused(tool, {**values, name: limit}):
                    yield Problem(
                        where, f"{step.tool} does not take {limit!r} as {name}, which {found} may be"
                    )


def _refused(tool: Tool, values: Mapping[str, Any]) -> bool:
    try:
        tool.arguments.model_validate(values)
    except ValidationError:
        return True
    return False


def _checks(where: str, step: Step, made: Mapping[str, Thing], tool: Tool) -> Iterator[Problem]:
    for check in step.checks:
        if check.measure.startswith("figure."):
            continue
        if check.measure not in MEASURES:
            yield Problem(where, f"there is no measure {check.measure!r}; there are {', '.join(MEASURES)}")
            continue
        key = check.of or actions.main_key(tool)
        if key not in made:
            yield Problem(
                where, f"{step.tool} gives no {key or 'result'!r} to check; it gives {', '.join(made)}"
            )
        elif not fits(check.measure, made[key].kind):
            yield Problem(
                where, f"{check.measure} is measured on {MEASURES[check.measure]}, not a {made[key].kind}"
            )
        if check.low is not None and check.high is not None and check.low > check.high:
            yield Problem(where, f"the limits of {check.measure} are the wrong way round")


def _unused(workflow: Workflow, tools: Toolbox) -> Iterator[Problem]:
    """Steps that nobody uses: neither another step nor the answer, and no check hangs on them."""
    answered = set()
    for each in workflow.gives:
        found = reference(each)
        name = found.name if found is not None else each
        if name not in workflow.step_ids:
            yield Problem(workflow.id, f"it gives {each}, and no step is called so")
        answered.add(name)
    if not workflow.gives:
        yield Problem(workflow.id, "it says nothing of what it gives")
    used = {first for first, _ in workflow.edges}
    for step in workflow.steps:
        measures = step.tool in tools and not actions.main_key(tools.get(step.tool)) and step.checks
        if step.id not in used | answered and not measures:
            yield Problem(
                f"{workflow.id}#{step.id}", "nobody uses its result: bind it, give it, or leave it out"
            )
        if len(step.id) > _LONGEST_NAME:
            yield Problem(f"{workflow.id}#{step.id}", f"its name is longer than {_LONGEST_NAME} letters")


def shape(workflow: Workflow) -> str:
    """What stays of a workflow without its names and numbers: two of one shape are one workflow."""
    names = {step.id: str(at) for at, step in enumerate(workflow.order())}

    def plain(value: Any) -> Any:
        if isinstance(value, str):
            found = reference(value)
            if found is None:
                return value
            if workflow.parameter(found.name) is not None:
                return "#"
            return f"${names.get(found.name, found.name)}.{found.key}"
        if isinstance(value, bool) or value is None:
            return value
        if isinstance(value, (int, float)):
            return "#"
        if isinstance(value, Mapping):
            return {key: plain(each) for key, each in value.items()}
        return [plain(each) for each in value]

    steps = [[step.tool, plain(step.args)] for step in workflow.order()]
    return json.dumps(steps, sort_keys=True)


def _nearby(name: str, known: Mapping[str, Thing]) -> str:
    from difflib import get_close_matches

    near = get_close_matches(name, [*known], n=1)
    if near:
        return f"; did you mean ${near[0]}"
    return f"; there are {', '.join(f'${each}' for each in known) or 'none'}"


__all__ = ["KINDS", "Problem", "facts_of", "initial", "lint", "lint_task", "lint_workflow", "named", "shape"]

"""The workflows as tools reach them: the library's and the owner's own, behind tools.base.Procedures."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import SimpleNamespace
from typing import Any

from copilot.workflows import actions
from copilot.workflows.changing import Change, changed, noted, since
from copilot.workflows.engine import GIVEN_BY_TOOLS, Report, Run, results_of
from copilot.workflows.facts import known
from copilot.workflows.instantiate import Fit, Instance, choose, fit, instance, search
from copilot.workflows.memory import Memory
from copilot.workflows.model import Input, Parameter, Step, Task, Workflow, WorkflowError
from copilot.workflows.reading import library
from copilot.workflows.worded import choices
from copilot.workflows.worded import values as said_values
from state.log import Event
from state.model import State
from tools.base import Tool, ToolError, World
from tools.conditions import Thing
from tools.toolbox import toolbox

FOUND_FROM = 0.12
"""A goal in words is taken for a task from so near on."""
_AT_HAND = ("raster", "vector", "detections", "table", "document")
_MOST_AT_HAND = 40
_OWN = "own"


@dataclass(frozen=True)
class Library:
    """The library's tasks and one person's own workflows."""

    memory: Memory | None = None

    def search(self, goal: str, most: int) -> list[dict[str, Any]]:
        """The tasks nearest to a goal."""
        return [
            {
                "task": task.id,
                "field": task.field,
                "goal": task.goal,
                "score": score,
                "workflows": [{"id": w.id, "title": w.title, "when": w.when} for w in task.workflows],
            }
            for task, score in search(self.tasks(), goal, most)
        ]

    def tasks(self) -> tuple[Task, ...]:
        """The library's tasks, and each workflow of the person's own as a task."""
        own = self.memory.saved() if self.memory is not None else ()
        mine = tuple(Task(each.task, each.field, each.goal, (each.title,), (each,)) for each in own)
        return (*library(), *mine)

    def bound(
        self, state: State, world: World, workflow: str, data: Mapping[str, str], values: Mapping[str, Any]
    ) -> dict[str, Any]:
        """A workflow on data of the session. Raises ToolError with what is missing or asked."""
        try:
            return self._bound(state, world, workflow, data, values)
        except WorkflowError as error:
            raise ToolError(str(error)) from None

    def _bound(
        self, state: State, world: World, workflow: str, data: Mapping[str, str], values: Mapping[str, Any]
    ) -> dict[str, Any]:
        things = at_hand(state, world, data)
        adjustments: tuple[Mapping[str, Any], ...] = ()
        if (artifact := state.artifact(workflow)) is not None and artifact.kind == "workflow":
            kept = started(world, workflow)
            # Without other data it is the same again, and goes on where it stopped.
            chosen = fit(kept.workflow, things, data or kept.inputs)
            values, adjustments = {**kept.parameters, **values}, kept.adjustments
        else:
            chosen = self.chosen(workflow, things, data)
            if chosen.workflow.task != workflow.strip().partition("/")[0]:
                values = {**said_values(chosen.workflow, workflow), **values}
        if any(each.property not in GIVEN_BY_TOOLS for each in chosen.lacks):
            raise WorkflowError(
                f"{chosen.workflow.id} cannot run on this: {'; '.join(map(str, chosen.lacks))}."
            )
        made = instance(chosen, things, values)
        if not isinstance(made, Instance):
            raise WorkflowError(" ".join(_question(each) for each in made))
        made = replace(made, adjustments=adjustments)
        return {"id": made.id, **made.to_json()}

    def chosen(self, said: str, things: Mapping[str, Thing], data: Mapping[str, str]) -> Fit:
        """The workflow that a name or a goal means, on the data at hand. Raises WorkflowError for none."""
        name, _, variant = said.strip().partition("/")
        tasks = {each.id: each for each in self.tasks()}
        task = tasks.get(name)
        if task is None:
            near = search(list(tasks.values()), said, 3)
            if not near or near[0][1] < FOUND_FROM:
                hint = f" The nearest are {', '.join(t.id for t, _ in near)}." if near else ""
                raise WorkflowError(f"No workflow is called, or is for, {said[:80]!r}.{hint}")
            return choices(tuple(tasks.values()), said, things, data)[0].fit
        if not variant:
            return choose(task, things, data)[0]
        for each in task.workflows:
            if each.id == f"{task.id}/{variant}":
                return fit(each, things, data)
        there = ", ".join(each.id.partition("/")[2] for each in task.workflows)
        raise WorkflowError(f"{task.id} has no workflow {variant!r}; it has {there}.")

    def changed(self, bound: Mapping[str, Any], change: Mapping[str, Any], **note: str) -> dict[str, Any]:
        """A bound workflow after a change of its graph, noted on it. Raises ToolError."""
        try:
            before, wanted = Instance.from_json(_plain(bound)), Change.from_json(change)
            others = {
                w.id: w for task in library() if task.id == before.workflow.task for w in task.workflows
            }
            after = changed(before, wanted, others)
            after.workflow.order()
        except WorkflowError as error:
            raise ToolError(str(error)) from None
        box = toolbox()
        for step in after.workflow.steps:
            box.get(step.tool)
        made = noted(before, after, wanted, **note)
        return {"id": made.id, **made.to_json()}

    def report(self, state: State, world: World, bound: Mapping[str, Any]) -> dict[str, Any]:
        """How far a bound workflow has come by the log; nothing is run."""
        try:
            found = looked(state, world, Instance.from_json(_plain(bound)))
        except WorkflowError as error:
            raise ToolError(str(error)) from None
        return {**found.to_json(), "said": said_of(found)}

    def kept(self, state: State, world: World, name: str, goal: str, turns: int) -> dict[str, Any]:
        """What was done in the last turns as a workflow of the owner's own. Raises ToolError."""
        if self.memory is None:
            raise ToolError("There is nowhere to keep workflows here.")
        try:
            made = from_log(world.log, state, world, name, goal, turns)
        except WorkflowError as error:
            raise ToolError(str(error)) from None
        self.memory.keep(made)
        plain = made.to_json()
        return {"id": made.id, "steps": plain["steps"], "inputs": [each.name for each in made.inputs]}


def at_hand(state: State, world: World, named: Mapping[str, str]) -> dict[str, Thing]:
    """What is known of the things that a workflow may be given: those named, and the newest of the session.

    In the order of their coming. What a run of a workflow made is data like any other.
    """
    handles = [each.id for each in state.artifacts if each.kind in _AT_HAND][-_MOST_AT_HAND:]
    wanted = list(dict.fromkeys([*handles, *named.values()]))
    return {each: known(state, world, each, world.log) for each in wanted}


def looked(state: State, world: World, wanted: Instance) -> Report:
    """A report by the log alone: what is not there yet is waiting, what failed last is told."""
    place = SimpleNamespace(
        state=state, events=tuple(world.log), world=lambda: world, engine=SimpleNamespace(toolbox=toolbox())
    )
    run = _Looking(place, wanted)  # type: ignore[arg-type]
    return run.run()


class _Looking(Run):
    """A run that calls nothing: a step that was not run ends it."""

    def run(self) -> Report:
        trouble = None
        while trouble is None and (step := self._next()) is not None:
            if not self._was_called(step):
                break
            trouble = self.attempt(step)
        return Report(self.instance, self._all_steps(trouble), trouble, cancelled=self._next() is not None)

    def _was_called(self, step: Step) -> bool:
        arguments = self.arguments(step)
        return any(
            each.kind == "call" and each.tool == step.tool and each.args == arguments
            for each in self.session.events
        )

    def _remembered(self, tool: Tool, arguments: Mapping[str, Any]) -> Event | None:
        found = super()._remembered(tool, arguments)
        if found is not None:
            return found
        same = [
            e for e in self.session.events if e.kind == "call" and e.tool == tool.name and e.args == arguments
        ]
        return same[-1]


def said_of(report: Report) -> str:
    """A report in plain sentences: what came out, what was repaired, what failed."""
    workflow = report.instance.workflow
    done = [each for each in report.steps if each.status in ("done", "reused")]
    head = f"{workflow.id}: {len(done)} of {len(report.steps)} steps are done"
    parts = [
        f"{head}."
        if report.trouble is None
        else f"{head}; {report.trouble.step} failed: {report.trouble.said}"
    ]
    for each in report.instance.adjustments:
        if each.get("failed"):
            parts.append(f"{each['step']} failed ({each['because']}), so {each['said']}.")
        elif each.get("said"):
            parts.append(f"Changed: {each['said']}{since(each)}.")
    answers = {each.lstrip("$").partition(".")[0] for each in workflow.gives}
    parts.extend(each.said for each in done if each.step in answers and each.said)
    return " ".join(parts)


def from_log(log: Sequence[Event], state: State, world: World, name: str, goal: str, turns: int) -> Workflow:
    """The calls of the last turns that made something, as a workflow. Raises WorkflowError for none."""
    last = sorted({each.turn for each in log})[-turns:]
    box = toolbox()
    made: dict[str, str] = {}
    inputs: dict[str, str] = {}
    parameters: list[Parameter] = []
    steps: list[Step] = []
    for event in log:
        if event.kind != "call" or not event.ok or event.turn not in last or event.tool not in box:
            continue
        tool = box.get(event.tool)
        results = results_of(tool, event)
        if not results or tool.external or tool.reads_files or tool.category in ("map", "ui", "knowledge"):
            continue
        step_id = f"{event.tool}_{len(steps) + 1}"
        args = {
            key: _bound_value(key, each, step_id, made, inputs, parameters, state)
            for key, each in event.args.items()
        }
        steps.append(Step(step_id, event.tool, args, "As it was done."))
        main = actions.main_key(tool)
        for key, handle in results.items():
            made.setdefault(handle, f"${step_id}" if key == main else f"${step_id}.{key}")
    if not steps:
        raise WorkflowError(f"None of the last {turns} turns made anything that a workflow could make again.")
    wanted = tuple(
        Input(key, Thing(known(state, world, handle, log).kind, key), f"As {handle} was.")
        for handle, key in inputs.items()
    )
    used = {ref.name for each in steps for ref in each.references}
    gives = tuple(f"${each.id}" for each in steps if each.id not in used)
    slug = re.sub(r"[^a-z0-9]+", "_", name.casefold()).strip("_") or "workflow"
    return Workflow(
        f"{slug}/{_OWN}", name, goal or name, _OWN, "", wanted, tuple(parameters), tuple(steps), gives
    )


def _bound_value(
    key: str,
    value: Any,
    step_id: str,
    made: Mapping[str, str],
    inputs: dict[str, str],
    parameters: list[Parameter],
    state: State,
) -> Any:
    if isinstance(value, str):
        if value in made:
            return made[value]
        if state.artifact(value) is not None:
            inputs.setdefault(value, f"data_{len(inputs) + 1}")
            return f"${inputs[value]}"
        return value.replace("$", "$$", 1) if value.startswith("$") else value
    if isinstance(value, list):
        return [_bound_value(key, each, step_id, made, inputs, parameters, state) for each in value]
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        parameter = Parameter(f"{key}_of_{step_id}", value)
        if parameter.name not in {each.name for each in parameters}:
            parameters.append(parameter)
            return f"${parameter.name}"
    return value


def started(world: World, artifact_id: str) -> Instance:
    """A workflow of the session as it was started or changed. Raises WorkflowError."""
    import json

    path = world.artifacts.find(artifact_id)
    if path is None:
        raise WorkflowError(f"The file of {artifact_id} is gone.")
    return Instance.from_json(_plain(json.loads(path.read_text(encoding="utf-8"))))


def _plain(bound: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in bound.items() if key != "id"}


def _question(asked: Any) -> str:
    choices = f" ({', '.join(asked.choices)})" if asked.choices else ""
    return f"{asked.text}{choices}"


__all__ = ["Library", "at_hand", "from_log", "looked", "said_of", "started"]
